"""From an automaton back to a definition, by the elimination of states (Brzozowski and McCluskey 1963).

The result is in core form, without rules. It grows with the order in which states go: the one that leaves the
least behind goes first (Delgado and Morais 2004). For words and what begins like words, it is as large as the
automaton; in general it can be exponential.
"""

from __future__ import annotations

from abnforge.automaton.dfa import Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet, union
from abnforge.grammar.core import EPSILON, Chars, Choice, Node, Repeat, sequence

_START, _END = -1, -2

# What an edge costs in steps, and what a part of an expression takes in octets.
_EDGE_COST = 2
_PART_OCTETS = 100


def expression(automaton: Automaton, meter: Meter) -> Node | None:
    """A node that derives an automaton's language; None for the empty one. Parts of it are shared.

    Raises LimitExceeded where that takes more than ``meter`` allows. Cost: see above.
    """
    if not automaton.table:
        return None
    return _Elimination(automaton, meter).run()


class _Elimination:
    """Edges between states, each with what is read on the way and how large that is."""

    def __init__(self, automaton: Automaton, meter: Meter) -> None:
        self._meter = meter
        self._from: dict[int, dict[int, tuple[Node, int]]] = {_START: {}}
        self._to: dict[int, set[int]] = {_END: set()}
        width = automaton.width
        for state in range(automaton.states):
            self._from[state], self._to[state] = {}, set()
        self._add(_START, 0, EPSILON, 0)
        for state in range(automaton.states):
            row = state * width
            sets: dict[int, list[CharSet]] = {}
            for number, charset in enumerate(automaton.charsets):
                if (target := automaton.table[row + number]) >= 0:
                    sets.setdefault(target // width, []).append(charset)
            for target, charsets in sets.items():
                self._add(state, target, Chars(union(charsets)), 1)
            if row in automaton.accepting:
                self._add(state, _END, EPSILON, 0)

    def run(self) -> Node:
        """Eliminate all states."""
        left = set(self._from) - {_START}
        while left:
            state = min(left, key=lambda each: (self._weight(each), each))
            self._meter.charge(len(left))
            left.remove(state)
            self._eliminate(state)
        return self._from[_START][_END][0]

    def _weight(self, state: int) -> int:
        """What the expressions grow by when a state goes."""
        after = [size for target, (_, size) in self._from[state].items() if target != state]
        before = [self._from[source][state][1] for source in self._to[state] if source != state]
        loop = self._from[state][state][1] if state in self._from[state] else 0
        return (
            sum(before) * (len(after) - 1)
            + sum(after) * (len(before) - 1)
            + loop * (len(after) * len(before) - 1)
        )

    def _eliminate(self, state: int) -> None:
        after = self._from.pop(state)
        loop, size = after.pop(state, (EPSILON, 0))
        turns: Node = EPSILON if size == 0 else Repeat(loop, 0, None)
        sources = sorted(self._to.pop(state) - {state})
        for target in after:
            self._to[target].discard(state)
        for source in sources:
            before, first = self._from[source].pop(state)
            for target, (behind, last) in after.items():
                self._add(source, target, sequence((before, turns, behind)), first + size + last)

    def _add(self, source: int, target: int, node: Node, size: int) -> None:
        self._meter.charge(_EDGE_COST)
        self._meter.hold(_PART_OCTETS)
        known = self._from[source].get(target)
        if known is not None:
            node, size = _either(known[0], node), known[1] + size
            # Sizes are those of expressions written out, which whoever goes through the node has to pay for.
            self._meter.charge(size)
        self._from[source][target] = node, size
        self._to[target].add(source)


def _either(one: Node, other: Node) -> Node:
    """One node or the other one; single characters are one set."""
    items = [*(one.items if isinstance(one, Choice) else (one,)), other]
    single = [item for item in items if isinstance(item, Chars)]
    if len(single) > 1:
        rest = [item for item in items if not isinstance(item, Chars)]
        items = [Chars(union(item.charset for item in single)), *rest]
    return items[0] if len(items) == 1 else Choice(tuple(items))
