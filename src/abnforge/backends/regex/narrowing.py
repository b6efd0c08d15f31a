"""An expression made narrower by a small automaton: of its strings those that the automaton accepts.

For each part of the expression and each state that the automaton can be in before it, there is an expression
for each state behind it. A part whose characters leave the automaton where it is stays as it is, so that what
an automaton says nothing about, such as all behind the scheme of a URI, keeps its expression.
"""

from __future__ import annotations

from abnforge.automaton.dfa import DEAD, Automaton
from abnforge.backends.regex.messages import message
from abnforge.backends.regex.tree import (
    EPSILON,
    Alt,
    Cat,
    Group,
    Regex,
    Rep,
    Set,
    TooLargeError,
    alt,
    cat,
    rep,
)
from abnforge.budget import Meter
from abnforge.charset import CharSet, union

# States of the automaton, and states that a loop can lead to.
MAX_STATES = 40
MAX_LOOP_STATES = 6

# An expression that is so many times as large says the same of many states: it would take long to prove, and
# is seldom safe.
MAX_GROWTH = 2

Ways = dict[int, Regex]
"""The rows that a part can lead to, each with the expression of what leads there."""


def narrowed(node: Regex, automaton: Automaton, meter: Meter) -> Regex | None:
    """The expression of the strings of both; None where there are none. Raises TooLargeError, LimitExceeded.

    Cost: the sizes of all expressions that are put together on the way.
    """
    if not automaton.table:
        return None
    if automaton.states > MAX_STATES:
        raise TooLargeError(message("regex-narrowing-states", limit=MAX_STATES))
    found = _Narrowing(automaton, meter).ways(node, 0)
    accepted = [expression for row, expression in found.items() if row in automaton.accepting]
    if not accepted:
        return None
    whole = alt(accepted)
    if _size(whole) > MAX_GROWTH * _size(node) + _FEW:
        raise TooLargeError(message("regex-growth", limit=MAX_GROWTH))
    return whole


_FEW = 50  # parts that are no matter


def _size(node: Regex) -> int:
    return 1 + sum(map(_size, _inside(node)))


class _Narrowing:
    def __init__(self, automaton: Automaton, meter: Meter) -> None:
        self._automaton = automaton
        self._meter = meter
        self._known: dict[tuple[int, int], tuple[Regex, Ways]] = {}
        self._alphabets: dict[int, tuple[Regex, CharSet]] = {}
        self._sizes: dict[int, tuple[Regex, int]] = {}

    def ways(self, node: Regex, row: int) -> Ways:
        """What leads from a row through a part."""
        known = self._known.get((id(node), row))
        if known is None:
            known = self._known[id(node), row] = node, self._ways(node, row)
        return known[1]

    def _ways(self, node: Regex, row: int) -> Ways:
        if not self._alphabet(node) - self._staying(row):
            return {row: node}
        match node:
            case Set(charset=charset):
                return self._moves(charset, row)
            case Cat(items=items):
                return self._one_after_the_other(items, row)
            case Alt(items=items):
                return self._together([self.ways(item, row) for item in items])
            case Rep(item=item, min=minimum, max=maximum):
                return self._repeated(item, minimum, maximum, row)
            case Group(item=item):
                return self.ways(item, row)

    def _one_after_the_other(self, items: tuple[Regex, ...], row: int) -> Ways:
        found: Ways = {row: EPSILON}
        for item in items:
            found = self._followed(found, item)
        return found

    def _followed(self, before: Ways, item: Regex) -> Ways:
        """What leads through a part behind others."""
        return self._together(
            [
                {target: self._cat(head, tail) for target, tail in self.ways(item, row).items()}
                for row, head in before.items()
            ]
        )

    def _repeated(self, item: Regex, minimum: int, maximum: int | None, row: int) -> Ways:
        found: Ways = {row: EPSILON}
        for _ in range(minimum):
            found = self._followed(found, item)
        if maximum is None:
            return self._together(
                [
                    {target: self._cat(head, tail) for target, tail in self._looping(item, state).items()}
                    for state, head in found.items()
                ]
            )
        told = [found]
        for _ in range(maximum - minimum):
            found = self._followed(found, item)
            told.append(found)
        return self._together(told)

    def _looping(self, item: Regex, row: int) -> Ways:
        """Any number of turns (Kleene 1956): rows are passed through one after the other."""
        rows = [row]
        moves: dict[tuple[int, int], Regex] = {}
        for state in rows:
            for target, expression in self.ways(item, state).items():
                moves[state, target] = expression
                if target not in rows:
                    rows.append(target)
            if len(rows) > MAX_LOOP_STATES:
                raise TooLargeError(message("regex-loop-states", limit=MAX_LOOP_STATES))
        for through in rows:
            turns = rep(moves.pop((through, through), EPSILON), 0, None)
            heads = [(a, e) for (a, b), e in moves.items() if b == through]
            tails = [(b, e) for (a, b), e in moves.items() if a == through]
            for start, head in heads:
                moves[start, through] = self._cat(head, turns)
                for end, tail in tails:
                    path = self._cat(head, turns, tail)
                    moves[start, end] = (
                        self._alt([moves[start, end], path]) if (start, end) in moves else path
                    )
            for end, tail in tails:
                moves[through, end] = self._cat(turns, tail)
            moves[through, through] = turns
        return {target: moves[row, target] for target in rows if (row, target) in moves}

    def _moves(self, charset: CharSet, row: int) -> Ways:
        found: dict[int, list[CharSet]] = {}
        for number, members in enumerate(self._automaton.charsets):
            target = self._automaton.table[row + number]
            if target != DEAD and (both := members & charset):
                found.setdefault(target, []).append(both)
        return {target: Set(union(sets)) for target, sets in found.items()}

    def _staying(self, row: int) -> CharSet:
        """The characters that leave the automaton where it is."""
        sets = enumerate(self._automaton.charsets)
        return union(members for number, members in sets if self._automaton.table[row + number] == row)

    def _alphabet(self, node: Regex) -> CharSet:
        known = self._alphabets.get(id(node))
        if known is None:
            match node:
                case Set(charset=charset):
                    found = charset
                case Cat(items=items) | Alt(items=items):
                    found = union(map(self._alphabet, items))
                case Rep(item=item) | Group(item=item):
                    found = self._alphabet(item)
            known = self._alphabets[id(node)] = node, found
        return known[1]

    def _together(self, found: list[Ways]) -> Ways:
        """Alternatives, in order."""
        rows: dict[int, list[Regex]] = {}
        for ways in found:
            for row, expression in ways.items():
                rows.setdefault(row, []).append(expression)
        return {row: self._alt(expressions) for row, expressions in rows.items()}

    def _cat(self, *items: Regex) -> Regex:
        return self._paid(cat(list(items)))

    def _alt(self, items: list[Regex]) -> Regex:
        return items[0] if len(items) == 1 else self._paid(alt(items))

    def _paid(self, node: Regex) -> Regex:
        """An expression that was put together: all of it is looked at."""
        self._meter.charge(self._size(node))
        return node

    def _size(self, node: Regex) -> int:
        known = self._sizes.get(id(node))
        if known is None:
            known = self._sizes[id(node)] = node, 1 + sum(map(self._size, _inside(node)))
        return known[1]


def _inside(node: Regex) -> tuple[Regex, ...]:
    match node:
        case Set():
            return ()
        case Cat(items=items) | Alt(items=items):
            return items
        case Rep(item=item) | Group(item=item):
            return (item,)
