"""Restrict an expression to the strings that a small automaton accepts.

For each part of the expression and each state before it, there is an expression for each state after it. A
part whose characters do not change the state is unchanged. So the parts that the automaton does not restrict
keep their expression, such as all parts after the scheme of a URI.
"""

from __future__ import annotations

from abnforge.automata.dfa import DEAD, Automaton
from abnforge.automata.expressions import START, Elimination
from abnforge.budget import Meter
from abnforge.charset import CharSet, union
from abnforge.regex.ast import (
    EPSILON,
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    NodeTable,
    Regex,
    alternatives,
    children,
    concat,
    iteration,
    size,
)
from abnforge.regex.errors import TooLargeError
from abnforge.regex.messages import message

# States of the automaton, and states that a loop can reach.
MAX_STATES = 40
MAX_LOOP_STATES = 6

# Growth of an expression. Larger ones repeat a part for many states: their proof is slow, and they are rarely
# safe. Expressions may have FREE_NODES more.
MAX_GROWTH = 2
FREE_NODES = 50

Ways = dict[int, Regex]
"""The rows that a part can reach, each with the expression of the way."""


def intersect(node: Regex, automaton: Automaton, meter: Meter) -> Regex | None:
    """Return the expression of the strings that both accept, or None if there are none.

    Raises TooLargeError, LimitExceeded. Complexity: the sizes of all intermediate expressions.
    """
    if not automaton.table:
        return None
    if automaton.states > MAX_STATES:
        raise TooLargeError(message("regex-narrowing-states", limit=MAX_STATES))
    ways = _Narrowing(automaton, meter).ways(node, 0)
    accepted = [expression for row, expression in ways.items() if row in automaton.accepting]
    if not accepted:
        return None
    whole = alternatives(accepted)
    if size(whole) > MAX_GROWTH * size(node) + FREE_NODES:
        raise TooLargeError(message("regex-growth", limit=MAX_GROWTH))
    return whole


def _exit(row: int) -> int:
    """Return the state at the end of a loop that ends at a row."""
    return START - 1 - row


class _Narrowing:
    def __init__(self, automaton: Automaton, meter: Meter) -> None:
        self._automaton = automaton
        self._meter = meter
        self._results: NodeTable[Ways] = NodeTable()
        self._alphabets: NodeTable[CharSet] = NodeTable()
        self._sizes: NodeTable[int] = NodeTable()

    def ways(self, node: Regex, row: int) -> Ways:
        """Return the ways from a row through a part."""
        ways = self._results.get(node, row)
        return self._results.set(node, self._ways(node, row), row) if ways is None else ways

    def _ways(self, node: Regex, row: int) -> Ways:
        if not self._alphabet(node) - self._staying(row):
            return {row: node}
        match node:
            case CharacterClass(charset=charset):
                return self._moves(charset, row)
            case Concat(items=items):
                return self._through_all(items, row)
            case Alternatives(items=items):
                return self._merged([self.ways(item, row) for item in items])
            case Iteration(item=item, min=minimum, max=maximum):
                return self._repeated(item, minimum, maximum, row)
        assert isinstance(node, NamedGroup), "atomic groups and assertions are not from a rule"
        return self.ways(node.item, row)

    def _through_all(self, items: tuple[Regex, ...], row: int) -> Ways:
        ways: Ways = {row: EPSILON}
        for item in items:
            ways = self._followed(ways, item)
        return ways

    def _followed(self, before: Ways, item: Regex) -> Ways:
        """Extend ways by a part."""
        return self._merged(
            [
                {target: self._cat(head, tail) for target, tail in self.ways(item, row).items()}
                for row, head in before.items()
            ]
        )

    def _repeated(self, item: Regex, minimum: int, maximum: int | None, row: int) -> Ways:
        ways: Ways = {row: EPSILON}
        for _ in range(minimum):
            ways = self._followed(ways, item)
        if maximum is None:
            return self._merged(
                [
                    {target: self._cat(head, tail) for target, tail in self._looping(item, state).items()}
                    for state, head in ways.items()
                ]
            )
        counts = [ways]
        for _ in range(maximum - minimum):
            ways = self._followed(ways, item)
            counts.append(ways)
        return self._merged(counts)

    def _looping(self, item: Regex, row: int) -> Ways:
        """Return the ways through any number of turns: each row that a turn can reach is eliminated."""
        rows = [row]
        edges: dict[tuple[int, int], Regex] = {(START, row): EPSILON}
        for state in rows:
            edges[state, _exit(state)] = EPSILON
            for target, expression in self.ways(item, state).items():
                edges[state, target] = expression
                if target not in rows:
                    rows.append(target)
            if len(rows) > MAX_LOOP_STATES:
                raise TooLargeError(message("regex-loop-states", limit=MAX_LOOP_STATES))
        graph = Elimination(edges, lambda one, other: self._alt([one, other]), self._path)
        for state in rows:
            graph.eliminate(state)
        return {target: graph.leaving[START][_exit(target)] for target in rows}

    def _path(self, before: Regex, loop: Regex | None, after: Regex) -> Regex:
        return self._cat(before, EPSILON if loop is None else iteration(loop, 0, None), after)

    def _moves(self, charset: CharSet, row: int) -> Ways:
        targets: dict[int, list[CharSet]] = {}
        for number, members in enumerate(self._automaton.charsets):
            target = self._automaton.table[row + number]
            if target != DEAD and (both := members & charset):
                targets.setdefault(target, []).append(both)
        return {target: CharacterClass(union(sets)) for target, sets in targets.items()}

    def _staying(self, row: int) -> CharSet:
        """Return the characters that do not change the row."""
        sets = enumerate(self._automaton.charsets)
        return union(members for number, members in sets if self._automaton.table[row + number] == row)

    def _alphabet(self, node: Regex) -> CharSet:
        if isinstance(node, CharacterClass):
            return node.charset
        alphabet = self._alphabets.get(node)
        if alphabet is None:
            alphabet = self._alphabets.set(node, union(map(self._alphabet, children(node))))
        return alphabet

    def _merged(self, results: list[Ways]) -> Ways:
        """Return the union of ways, in order."""
        rows: dict[int, list[Regex]] = {}
        for ways in results:
            for row, expression in ways.items():
                rows.setdefault(row, []).append(expression)
        return {row: self._alt(expressions) for row, expressions in rows.items()}

    def _cat(self, *items: Regex) -> Regex:
        return self._charged(concat(items))

    def _alt(self, items: list[Regex]) -> Regex:
        return items[0] if len(items) == 1 else self._charged(alternatives(items))

    def _charged(self, node: Regex) -> Regex:
        """Charge for all nodes of a new expression: its construction visited them."""
        self._meter.charge(self._size(node))
        return node

    def _size(self, node: Regex) -> int:
        total = self._sizes.get(node)
        return self._sizes.set(node, 1 + sum(map(self._size, children(node)))) if total is None else total
