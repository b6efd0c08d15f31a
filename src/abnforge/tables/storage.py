"""Tagged automata as plain data, for the files that ``tools/build_grammars.py`` writes."""

from __future__ import annotations

from typing import Any

from abnforge.tables.points import PointAutomaton, Tags


def to_data(points: PointAutomaton) -> dict[str, Any]:
    """An automaton as data that ``json.dumps`` takes."""
    tags = points.tags
    return {
        "parts": list(tags.names),
        "kinds": {name: list(rules) for name, rules in tags.kinds.items()},
        "starts": list(points.starts),
        "classes": list(points.classes),
        "registers": tags.registers,
        "initial": list(tags.initial),
        "operations": [[list(setting) for setting in operation] for operation in tags.operations],
        "final": [[state, *last] for state, last in tags.final.items()],
        "rows": [list(row) for row in points.rows],
    }


def from_data(data: dict[str, Any]) -> PointAutomaton:
    """The automaton that ``to_data`` made data of."""
    final = {state: tuple(last) for state, *last in data["final"]}
    tags = Tags(
        names=tuple(data["parts"]),
        kinds={name: tuple(rules) for name, rules in data["kinds"].items()},
        registers=data["registers"],
        initial=tuple(data["initial"]),
        operations=tuple(
            tuple((register, change) for register, change in each) for each in data["operations"]
        ),
        final=final,
    )
    return PointAutomaton(data["rows"], frozenset(final), tuple(data["starts"]), tuple(data["classes"]), tags)
