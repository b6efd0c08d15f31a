"""The complement of a language, and languages whose strings are no longer than so many code points.

An automaton that counts to 2,000 has 2,000 states for each of the language's own. Nothing needs them to read
one text: a prefix can go on to a string that is short enough exactly when it can go on to the end of a
shortest one. So a bound is read by the language's automaton and the distances of its states from acceptance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from abnforge.automaton.algebra import difference
from abnforge.automaton.dfa import DEAD, Automaton, minimal
from abnforge.budget import Meter
from abnforge.charset import ANY, EMPTY, CharSet, union
from abnforge.once import once

# What a state of the automaton that counts costs, in steps, beside its moves; and in octets, estimated.
_STATE_COST = 2
_STATE_OCTETS = 300


def everything() -> Automaton:
    """The automaton of all strings."""
    return minimal([[0]], frozenset((0,)), [ANY])


def complement(automaton: Automaton, meter: Meter | None = None) -> Automaton:
    """All strings that are not in a language. Raises LimitExceeded as the algebra does."""
    return difference(everything(), automaton, meter)


def distances(automaton: Automaton) -> Mapping[int, int]:
    """For each row the length of a shortest text that leads from it to acceptance. Cost: linear."""
    width, table = automaton.width, automaton.table
    sources: dict[int, set[int]] = {}
    for place, target in enumerate(table):
        if target != DEAD:
            sources.setdefault(target, set()).add(place - place % width)
    found = dict.fromkeys(automaton.accepting, 0)
    for row in (queue := sorted(automaton.accepting)):
        for source in sorted(sources.get(row, ())):
            if source not in found:
                found[source] = found[row] + 1
                queue.append(source)
    return found


def at_most(automaton: Automaton, longest: int, meter: Meter) -> Automaton:
    """The minimal automaton of a language's strings of up to ``longest`` code points.

    Raises LimitExceeded, and at once where states that loop are too many for so many lengths. Cost: the
    states times the lengths that lead to them, times the classes.
    """
    width, table = automaton.width, automaton.table
    short = distances(automaton)
    classes = list(automaton.charsets)
    if not table or short[0] > longest:
        return minimal([], frozenset(), [ANY])
    if _at_least(automaton, short, longest) * (_STATE_COST + width) > meter.left:
        meter.charge(meter.left + 1)
    numbers: dict[tuple[int, int], int] = {(0, 0): 0}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    for row, length in (queue := [(0, 0)]):
        meter.charge(_STATE_COST + width)
        meter.hold(_STATE_OCTETS)
        if row in automaton.accepting:
            accepting.add(len(rows))
        targets: list[int] = []
        for target in table[row : row + width]:
            if target == DEAD or short[target] > longest - length - 1:
                targets.append(DEAD)
                continue
            pair = target, length + 1
            if pair not in numbers:
                numbers[pair] = len(queue)
                queue.append(pair)
            targets.append(numbers[pair])
        rows.append(targets)
    return minimal(rows, frozenset(accepting), classes)


def _at_least(automaton: Automaton, short: Mapping[int, int], longest: int) -> int:
    """How many states the automaton that counts has at the least: a state that loops is there once for each
    length from that of a shortest text to it on.
    """
    width, table = automaton.width, automaton.table
    depths = {0: 0}
    count = 0
    for row in (queue := [0]):
        targets = table[row : row + width]
        if row in targets:
            count += max(0, longest - depths[row] - short[row] + 1)
        for target in targets:
            if target != DEAD and target not in depths:
                depths[target] = depths[row] + 1
                queue.append(target)
    return count


@dataclass(frozen=True)
class Bounded:
    """A language's strings of up to ``longest`` code points; without a bound where that is None."""

    automaton: Automaton
    longest: int | None = None

    @once
    def distances(self) -> Mapping[int, int]:
        """How far each row of the automaton is from acceptance."""
        return distances(self.automaton)

    @property
    def is_empty(self) -> bool:
        """Whether there is no string in the language."""
        shortest = self.distances.get(0)
        return shortest is None or (self.longest is not None and shortest > self.longest)

    @once
    def furthest(self) -> int:
        """The greatest of these distances: a text that is shorter than the bound by that much does not meet
        it.
        """
        return max(self.distances.values(), default=0)

    def read(self, text: str) -> tuple[int, CharSet, bool]:
        """The length of the longest viable prefix, what can follow it, and whether it could end there.

        Cost: linear.
        """
        automaton, longest = self.automaton, self.longest
        if longest is None:
            offset, row = automaton.read(text)
            return offset, automaton.expected(row), row in automaton.accepting
        if self.is_empty:
            return 0, EMPTY, False
        row = offset = 0
        for char in text:
            target = automaton.table[row + automaton.class_of(char)]
            if target == DEAD or self.distances[target] > longest - offset - 1:
                break
            row = target
            offset += 1
        left = longest - offset - 1
        targets = automaton.table[row : row + automaton.width]
        sets = automaton.charsets
        allowed = union(
            sets[number]
            for number, target in enumerate(targets)
            if target != DEAD and self.distances[target] <= left
        )
        return offset, allowed, row in automaton.accepting

    def accepts(self, pieces: Iterable[str]) -> bool:
        """Whether a text in pieces is in the language. No more of it is read than that takes. Cost: linear,
        constant memory.
        """
        automaton, longest = self.automaton, self.longest
        table, class_of = automaton.table, automaton.class_of
        row, length = (0 if table else DEAD), 0
        for piece in pieces:
            length += len(piece)
            if longest is not None and length > longest:
                return False
            for char in piece:
                if row == DEAD:
                    return False
                row = table[row + class_of(char)]
        return row in automaton.accepting
