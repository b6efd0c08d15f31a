"""Automata as plain data, for the files that ``tools/build_grammars.py`` writes.

``table`` is a list of next rows (state number times width, -1: dead); see ``dfa.Automaton`` for the rest.
"""

from __future__ import annotations

from array import array
from typing import Any

from abnforge.automaton.dfa import Automaton


def to_data(automaton: Automaton) -> dict[str, Any]:
    """An automaton as data that ``json.dumps`` takes."""
    return {
        "width": automaton.width,
        "accepting": sorted(automaton.accepting),
        "starts": list(automaton.starts),
        "classes": list(automaton.classes),
        "table": list(automaton.table),
    }


def from_data(data: dict[str, Any]) -> Automaton:
    """The automaton that ``to_data`` made data of."""
    return Automaton(
        width=data["width"],
        table=array("i", data["table"]),
        accepting=frozenset(data["accepting"]),
        starts=tuple(data["starts"]),
        classes=tuple(data["classes"]),
    )
