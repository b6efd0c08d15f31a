"""Deterministic automata over code points, with or without tags on their moves: the source of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge.records import dataclass

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton

# The change of a register: to the place before or after the character that is read, or to none.
BEFORE, BEHIND, CLEARED = 0, 1, -128

# Registers that a move sets, in ascending order, each with its change.
Operation = tuple[tuple[int, int], ...]

STATE_BITS = 24


@dataclass(frozen=True)
class Tags:
    """The tags of a tagged automaton (Laurikari 2000).

    ``names`` are the parts: tag ``2 * i`` is the begin of part i, and ``2 * i + 1`` its end. ``kinds`` are
    sets of rules, of which the automaton finds the one that derived a part of the string: 0 is none of
    ``kinds[name]``, else the number from 1. ``final`` has, for each accepting state, the register of each tag
    and the kinds. The last two of the ``registers`` are the end of the string, and no place. ``initial`` has
    the values of the registers before the first character.
    """

    names: tuple[str, ...]
    kinds: Mapping[str, tuple[str, ...]]
    registers: int
    initial: tuple[int, ...]
    operations: tuple[Operation, ...]
    final: Mapping[int, tuple[int, ...]]


NO_TAGS = Tags((), {}, 0, (), ((),), {})


@dataclass(frozen=True)
class CodePointDFA:
    """A deterministic automaton with live states only; state 0 is the start.

    ``rows[state][number]`` is the target of a character of that class: 0 for none, else the number of the
    state plus one, with the number of an operation in the bits from ``STATE_BITS`` on. ``starts`` and
    ``classes`` are as in :class:`~abnforge.automata.dfa.Automaton`.
    """

    rows: Sequence[Sequence[int]]
    accepting: frozenset[int]
    starts: tuple[int, ...]
    classes: tuple[int, ...]
    tags: Tags = NO_TAGS


def without_tags(automaton: Automaton) -> CodePointDFA:
    """Convert a minimal automaton.

    Complexity: linear.
    """
    return _points(automaton.width, automaton.table, automaton.accepting, automaton.starts, automaton.classes)


def from_automaton_data(data: dict[str, Any]) -> CodePointDFA:
    """Read the data of an ``Automaton`` (``dfa.to_data``) without building that automaton."""
    return _points(
        data["width"], data["table"], data["accepting"], tuple(data["starts"]), tuple(data["classes"])
    )


def _points(
    width: int,
    table: Sequence[int],
    accepting: Iterable[int],
    starts: tuple[int, ...],
    classes: tuple[int, ...],
) -> CodePointDFA:
    rows = [
        [0 if target < 0 else target // width + 1 for target in table[at : at + width]]
        for at in range(0, len(table), width)
    ]
    return CodePointDFA(rows, frozenset(row // width for row in accepting), starts, classes)


def to_data(points: CodePointDFA) -> dict[str, Any]:
    """Return an automaton as data for ``json.dumps``."""
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


def from_data(data: dict[str, Any]) -> CodePointDFA:
    """Return the automaton of the data of ``to_data``."""
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
    return CodePointDFA(data["rows"], frozenset(final), tuple(data["starts"]), tuple(data["classes"]), tags)
