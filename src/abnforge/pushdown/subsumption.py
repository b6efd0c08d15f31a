"""Stacks that others make superfluous.

A pair of a frame state and a stack node stands for the strings that complete it. A pair is dropped if another
one of the same configuration stands for all of these, too; so ``S = S S / "a"``, whose stacks would grow with
the text, needs a handful.

Node ``u`` is *covered* by ``w`` if each edge ``(r, x)`` of ``u`` has a return ``(q, y)`` of ``w`` with ``q``
leading wherever ``r`` does (by the same items, or by some whose counts allow as much) and ``x`` covered by
``y``; a return of ``w`` is an edge of it, or of a node below it that is reached by frames which may end at
once. This is a simulation, assumed while it is being shown.

*Soundness.* A string completes ``u`` along a path from ``u`` to the bottom, which is finite even where nodes
lead to one another. By induction on its length ``w`` has a path for the same string: the first edge ``(r,
x)`` has a return ``(q, y)`` that reads what ``r`` reads, and the rest of the path, which is shorter, shows a
string of ``x``, thus of ``y``. Frames between ``w`` and the return read nothing. So what was assumed is only
used for shorter paths; what rested on an assumption that failed is forgotten.

Edges of a new node are left out where others cover them: the nodes below are complete and do not lead to the
new one. Within a left-recursive group they do, and there only edges count, not returns (``strict``): then
both paths are of one length, and by induction on it leaving out loses none.

*Cost.* Only up to MAX_PAIRS pairs are compared with each other, to a depth of MAX_DEPTH, with up to
MAX_RETURNS returns each and MAX_COMPARED in all; where that does not suffice a pair stays, which is never
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.pushdown.nodes import Pair, StackNode

MAX_PAIRS = 16
MAX_DEPTH = 6
MAX_RETURNS = 16
MAX_COMPARED = 200


class Subsumption:
    """What is known of the nodes of one stack."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop everything."""
        self._known: dict[tuple[StackNode, StackNode], bool] = {}

    def reduced(self, pairs: list[Pair]) -> list[Pair]:
        """The pairs of a configuration without those that another one covers; all if they are too many."""
        return self._reduced(pairs, strict=False, through=False)

    def reduced_edges(self, edges: list[Pair], *, strict: bool) -> list[Pair]:
        """The same of the edges of a node, which may end at once; ``strict`` within a group."""
        return self._reduced(edges, strict, through=not strict)

    def _reduced(self, pairs: list[Pair], strict: bool, through: bool) -> list[Pair]:
        if not 1 < len(pairs) <= MAX_PAIRS:
            return pairs
        kept: list[Pair] = []
        # The latest first: those cover others more often, and so the outcome is always the same.
        for pair in sorted(pairs, key=_latest):
            if self.covered(pair, kept, strict, through):
                continue
            kept = [other for other in kept if not self.covered(other, (pair,), strict, through)]
            kept.append(pair)
        return kept

    def covered(self, pair: Pair, by: Iterable[Pair], strict: bool = False, through: bool = False) -> bool:
        """Whether one of some pairs covers a pair; ``through``: or what it returns to where it may end."""
        state, node = pair
        for larger, other in by:
            if larger.covers(state) and self.covers(other, node, strict):
                return True
            if through and larger.final:
                for behind, below in other.returns(MAX_RETURNS):
                    if behind.covers(state) and self.covers(below, node, strict):
                        return True
        return False

    def covers(self, larger: StackNode, smaller: StackNode, strict: bool = False) -> bool:
        """Whether every stack of one node is known to be one of another."""
        if larger is smaller:
            return True
        if not larger.edges or not smaller.edges:
            return False
        if strict:
            return _Simulation(strict).shows(larger, smaller, 0)
        key = (larger, smaller)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _Simulation(strict).shows(larger, smaller, 0)
        return found


class _Simulation:
    """One attempt to show that a node covers another one."""

    __slots__ = ("_left", "_results", "_strict", "_trusted")

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._left = MAX_COMPARED
        self._results: dict[tuple[StackNode, StackNode], bool] = {}
        self._trusted: list[tuple[StackNode, StackNode]] = []  # what is assumed, or rests on that

    def shows(self, larger: StackNode, smaller: StackNode, depth: int) -> bool:
        """Whether it succeeds."""
        if larger is smaller:
            return True
        if not larger.edges or not smaller.edges:
            return False
        key = (larger, smaller)
        if key in self._results:
            return self._results[key]
        if depth > MAX_DEPTH or self._left <= 0:
            return False
        self._results[key] = True
        self._trusted.append(key)
        returns = larger.edges if self._strict else larger.returns(MAX_RETURNS)
        for state, below in smaller.edges:
            self._left -= len(returns)
            if not any(other.covers(state) and self.shows(node, below, depth + 1) for other, node in returns):
                while (doubtful := self._trusted.pop()) != key:
                    del self._results[doubtful]
                self._results[key] = False
                return False
        return True


def _latest(pair: Pair) -> tuple[int, int]:
    state, node = pair
    return node.number, state.number
