"""Find the strings that a part of a wrong answer must match so that the answer is right.

A part is replaced by ``MARK``, a character that no exercise uses. The product of the marked answer and the
required automaton shows which strings can replace the mark (left and right quotients, Hopcroft and
Ullman 1979, section 3.2). No vocabulary of frequent mistakes is needed. The caller proves the result.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.automata.algebra import complement, difference, intersection, shortest, union
from abnforge.automata.dfa import DEAD, Automaton, at_most, determinize, live_states, minimal, tabulate
from abnforge.budget import Meter
from abnforge.charset import partition

MARK = "\U0010fffd"

_Pair = tuple[int, int]
_ANY = DEAD, DEAD


def contents(
    marked: Automaton, answer: Automaton, required: Automaton, content: Automaton, meter: Meter
) -> Iterator[tuple[Automaton, Automaton]]:
    """Yield languages that a part can have instead of ``content``, each with the strings that it lacks.

    ``marked`` is the answer with a mark instead of the part. Raises LimitExceeded. Cost: a few products of
    automata.
    """
    fits = fitting(marked, required, content, meter)
    lacks = fitting(marked, difference(required, answer, meter), content, meter)
    kept, example = intersection(content, fits, meter), shortest(lacks, meter)
    few = lacks if example is None else at_most(lacks, len(example), meter)
    wrong = fitting(marked, complement(required, meter), content, meter)
    for new in dict.fromkeys(
        (union(kept, lacks, meter), union(kept, few, meter), difference(fits, wrong, meter))
    ):
        yield new, few


def fitting(marked: Automaton, required: Automaton, content: Automaton, meter: Meter) -> Automaton:
    """Return the strings that can replace a mark of some string so that it is a required string.

    Strings of ``content`` replace other marks. Raises LimitExceeded. Complexity: the pairs of states, times
    the classes, and a subset construction.
    """
    if not (marked.table and required.table):
        return difference(required, required)
    mark = marked.class_of(MARK)
    columns = [pair for pair in _columns(marked, required) if pair[0] != mark]
    inner = _columns(content, required)
    known: dict[int, list[int]] = {}

    def after(row: int) -> list[int]:
        """Return the rows of the required automaton that strings of the content lead to."""
        if row not in known:
            pairs, _ = tabulate((0, row), lambda pair: _moved(content, required, pair, inner))
            meter.charge(len(pairs) * len(inner))
            known[row] = [other for one, other in pairs if one in content.accepting]
        return known[row]

    def targets(pair: _Pair) -> list[_Pair | None]:
        meter.charge(len(columns))
        target = marked.table[pair[0] + mark]
        replaced = [(target, row) for row in after(pair[1])] if target != DEAD and content.table else []
        return [*_moved(marked, required, pair, columns), *replaced]

    pairs, _ = tabulate((0, 0), targets)
    starts = [pair for pair in ((marked.table[one + mark], other) for one, other in pairs) if pair[0] != DEAD]
    # A content that is not tried above can lead to any row.
    ends = [(one, other) for one, _ in starts for other in range(0, len(required.table), required.width)]
    pairs, rows = tabulate(_ANY, lambda pair: ends if pair == _ANY else targets(pair))
    accepting = [
        n for n, (one, other) in enumerate(pairs) if one in marked.accepting and other in required.accepting
    ]
    live = {pairs[number] for number in live_states(rows, accepting)}
    own = range(required.width)

    def moves(pair: _Pair) -> list[tuple[_Pair, list[int]]]:
        following = ((required.table[pair[1] + column], column) for column in own)
        return [((pair[0], row), [column]) for row, column in following if row != DEAD]

    result = determinize(dict.fromkeys(starts), moves, live.__contains__, len(own), meter)
    return minimal(*result, list(required.charsets))


def _columns(left: Automaton, right: Automaton) -> list[_Pair]:
    classes = partition((*left.charsets, *right.charsets))
    return [(left.class_of(each.min()), right.class_of(each.min())) for each in classes]


def _moved(left: Automaton, right: Automaton, pair: _Pair, columns: list[_Pair]) -> list[_Pair | None]:
    moved = ((left.table[pair[0] + one], right.table[pair[1] + other]) for one, other in columns)
    return [None if DEAD in each else each for each in moved]
