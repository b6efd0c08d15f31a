"""Tagged automata made narrower: they tell the same parts, of those texts alone that another one accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.late import importing
from abnforge.tables.points import STATE_BITS, PointAutomaton

if TYPE_CHECKING:
    from abnforge.automaton.dfa import Automaton

# What a pair of states costs, in steps, beside its moves; and what it is estimated to take, in octets.
_PAIR_COST = 2
_PAIR_OCTETS = 300

_STATE = (1 << STATE_BITS) - 1


def narrowed(points: PointAutomaton, automaton: Automaton, meter: Meter) -> PointAutomaton:
    """The tagged automaton of the texts that ``points`` and ``automaton`` both accept.

    Both are deterministic, so a text's parts are those that ``points`` tells. Raises LimitExceeded. Cost: the
    pairs of states that a text can lead to, times the classes.
    """
    if not points.rows or not automaton.table:
        return _nothing(points)
    classes = _classes(points, automaton)
    known: dict[tuple[int, int], int] = {(0, 0): 0}
    rows: list[list[int]] = []
    for state, row in (queue := [(0, 0)]):
        meter.charge(_PAIR_COST + len(classes))
        meter.hold(_PAIR_OCTETS + 8 * len(classes))
        entries = []
        for _, here, there in classes:
            entry, target = points.rows[state][here], automaton.table[row + there]
            if not entry & _STATE or target < 0:
                entries.append(0)
                continue
            pair = (entry & _STATE) - 1, target
            if pair not in known:
                known[pair] = len(queue)
                queue.append(pair)
            entries.append(entry & ~_STATE | known[pair] + 1)
        rows.append(entries)
    accepting = {
        number
        for (state, row), number in known.items()
        if state in points.accepting and row in automaton.accepting
    }
    pairs = list(known)
    return _trimmed(points, rows, accepting, [state for state, _ in pairs], [each for each, _, _ in classes])


def _trimmed(
    points: PointAutomaton,
    rows: Sequence[Sequence[int]],
    accepting: set[int],
    states: Sequence[int],
    classes: Sequence[CharSet],
) -> PointAutomaton:
    """Without what leads nowhere; ``states`` are those of ``points`` that the new ones come from."""
    with importing:
        from abnforge.automaton.dfa import live_states

    live = live_states([[(entry & _STATE) - 1 for entry in row] for row in rows], accepting)
    if 0 not in live:
        return _nothing(points)
    order = sorted(live)  # the start stays the first
    numbers = {state: number for number, state in enumerate(order)}

    def renumbered(entry: int) -> int:
        state = (entry & _STATE) - 1
        return entry & ~_STATE | numbers[state] + 1 if state in numbers else 0

    final = {
        numbers[state]: points.tags.final[states[state]]
        for state in accepting
        if states[state] in points.tags.final
    }
    ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
    return PointAutomaton(
        [[renumbered(entry) for entry in rows[state]] for state in order],
        frozenset(numbers[state] for state in accepting),
        tuple(low for low, _ in ranges),
        tuple(number for _, number in ranges),
        replace(points.tags, final=final),
    )


def _classes(points: PointAutomaton, automaton: Automaton) -> list[tuple[CharSet, int, int]]:
    """The classes of both, each with its class on either side."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    ends = [*points.starts[1:], 0x110000]
    for low, end, number in zip(points.starts, ends, points.classes, strict=True):
        ranges.setdefault(number, []).append((low, end - 1))
    own = [CharSet.from_ranges(each) for each in ranges.values()]
    numbers = list(ranges)
    found = []
    for charset in partition((*own, *automaton.charsets)):
        first = charset.min()
        here = next(number for number, each in zip(numbers, own, strict=True) if first in each)
        found.append((charset, here, automaton.class_of(first)))
    return found


def _nothing(points: PointAutomaton) -> PointAutomaton:
    return PointAutomaton([], frozenset(), (0,), (0,), replace(points.tags, final={}))
