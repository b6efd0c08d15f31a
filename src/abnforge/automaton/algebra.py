"""Set algebra on the languages of two automata, with shortest witnesses.

All of it is one breadth-first search of the product automaton (Hopcroft and Ullman 1979, section 3.4), in
which each side may be DEAD, that is, have left its language. Cost: the product's reachable states times
its classes; for two URI rules some thousand states. Every function raises LimitExceeded when that would be
more than its ``meter`` allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from abnforge.arguments import empty
from abnforge.automaton.dfa import DEAD, Automaton, minimal
from abnforge.budget import DEFAULT, Meter
from abnforge.charset import ANY, CharSet, partition
from abnforge.uncollected import uncollected

# What a pair of states costs, in steps, beside its moves; and what it is estimated to take, in octets.
_PAIR_COST = 2
_LOOKS_A_STEP = 6  # classes that a search looks at in a step
_PAIR_OCTETS = 300

# Relations of the left language to the right one.
EQUAL, NARROWER, WIDER, OVERLAP, DISJOINT = "equal", "narrower", "wider", "overlap", "disjoint"


@dataclass(frozen=True, slots=True)
class Witnesses:
    """A shortest string of each region of two languages; None for a region that is empty.

    Among the shortest, it is made of characters that people read without effort: letters, digits, then the
    rest.
    """

    only_left: str | None
    only_right: str | None
    common: str | None

    @property
    def relation(self) -> str:
        """``equal``, ``narrower``, ``wider``, ``overlap`` or ``disjoint``; two empty languages are equal."""
        if self.only_left is None:
            return EQUAL if self.only_right is None else NARROWER
        if self.only_right is None:
            return WIDER
        return DISJOINT if self.common is None else OVERLAP


def witnesses(left: Automaton, right: Automaton, meter: Meter | None = None) -> Witnesses:
    """A shortest string of each region of two languages."""
    found: dict[tuple[bool, bool], str] = {}
    regions = 1 if left == right else 3  # equal automata have equal languages
    with uncollected(max(len(left.table), len(right.table))):
        for pair, text in _search(left, right, meter):
            accepted = (pair[0] in left.accepting, pair[1] in right.accepting)
            if accepted != (False, False) and accepted not in found:
                found[accepted] = text()
                if len(found) == regions:
                    break
    return Witnesses(found.get((True, False)), found.get((False, True)), found.get((True, True)))


def combine(
    left: Automaton, right: Automaton, keep: Callable[[bool, bool], bool], meter: Meter | None = None
) -> Automaton:
    """The minimal automaton of the strings that ``keep(in left, in right)`` chooses.

    ``keep(False, False)`` must be false: complements reach beyond what either automaton knows.
    """
    meter = meter or _meter()
    classes = _classes(left, right)
    numbers: dict[tuple[int, int], int] = {}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    start = _start(left), _start(right)
    numbers[start] = 0
    for pair in (queue := [start]):
        if keep(pair[0] in left.accepting, pair[1] in right.accepting):
            accepting.add(len(rows))
        row: list[int] = []
        for _, i, j in classes:
            target = _move(left, pair[0], i), _move(right, pair[1], j)
            if target not in numbers:
                numbers[target] = len(queue)
                queue.append(target)
            row.append(numbers[target])
        rows.append(row)
        meter.charge(_PAIR_COST + len(classes))
        meter.hold(_PAIR_OCTETS)
    return minimal(rows, frozenset(accepting), [charset for charset, _, _ in classes])


def union(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Strings of either language."""
    return combine(left, right, lambda a, b: a or b, meter)


def intersection(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Strings of both languages."""
    return combine(left, right, lambda a, b: a and b, meter)


def difference(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Strings of the left language that the right one lacks."""
    return combine(left, right, lambda a, b: a and not b, meter)


def included(left: Automaton, right: Automaton, meter: Meter | None = None) -> bool:
    """Whether every string of the left language is in the right one."""
    return all(
        pair[0] not in left.accepting or pair[1] in right.accepting for pair, _ in _search(left, right, meter)
    )


def shortest(automaton: Automaton, meter: Meter | None = None) -> str | None:
    """A shortest string of a language; None when there is none."""
    return witnesses(automaton, automaton, meter).common


def _search(
    left: Automaton, right: Automaton, meter: Meter | None
) -> Iterator[tuple[tuple[int, int], Callable[[], str]]]:
    """The reachable pairs of rows, nearest first, each with a function that gives a shortest string to it."""
    meter = meter or _meter()
    classes = sorted((preference(charset), i, j) for charset, i, j in _classes(left, right))
    chars = [char for (_, char), _, _ in classes]
    columns = [i for _, i, _ in classes], [j for _, _, j in classes]
    dead = [DEAD] * len(classes)
    cost = _PAIR_COST + len(classes) // _LOOKS_A_STEP

    def targets(automaton: Automaton, side: int, row: int) -> list[int]:
        table = automaton.table
        return dead if row == DEAD else [table[row + column] for column in columns[side]]

    start = _start(left), _start(right)
    back: dict[tuple[int, int], tuple[tuple[int, int], str] | None] = {start: None}

    def path(pair: tuple[int, int]) -> str:
        chars: list[str] = []
        step = back[pair]
        while step is not None:
            chars.append(step[1])
            step = back[step[0]]
        return "".join(reversed(chars))

    for pair in (queue := [start]):
        meter.charge(cost)
        meter.hold(_PAIR_OCTETS)
        yield pair, lambda pair=pair: path(pair)  # type: ignore[misc]
        moves = zip(targets(left, 0, pair[0]), targets(right, 1, pair[1]), strict=True)
        for char, target in zip(chars, moves, strict=True):
            if target != (DEAD, DEAD) and target not in back:
                back[target] = pair, char
                queue.append(target)


def _classes(left: Automaton, right: Automaton) -> list[tuple[CharSet, int, int]]:
    """The classes of the product, each with its class on either side."""
    return [
        (charset, left.class_of(charset.min()), right.class_of(charset.min()))
        for charset in partition((*left.charsets, *right.charsets))
    ]


def _meter() -> Meter:
    return DEFAULT.meter("comparing two automata", code="automaton-too-large")


def _start(automaton: Automaton) -> int:
    return 0 if automaton.table else DEAD


def _move(automaton: Automaton, row: int, number: int) -> int:
    return DEAD if row == DEAD else automaton.table[row + number]


# From what people read with the least effort on: lower-case letters, digits, upper-case letters, punctuation,
# letters beyond ASCII, and the rest. A digit 0 or a slash would look like more than it is.
_READABLE = (
    CharSet.from_ranges([(0x61, 0x7A)]),
    CharSet.from_ranges([(0x31, 0x39)]),
    CharSet.from_ranges([(0x30, 0x30), (0x41, 0x5A)]),
    CharSet.from_ranges([(0x21, 0x7E)]),
    CharSet.from_ranges([(0xE0, 0xF6)]),
    ANY,
)


def preference(charset: CharSet) -> tuple[int, str]:
    """How well a set can be represented, for sorting, and the character of it that reads best."""
    for rank, readable in enumerate(_READABLE):
        found = charset & readable
        if found:
            return rank, found.min()
    raise empty("charset")
