"""What stacks are made of: nodes with edges to those below. ``stack`` tells what they stand for."""

from __future__ import annotations

from abnforge.pushdown.network import Corners, FrameState

Edge = tuple[FrameState, "StackNode"]
Pair = tuple[FrameState, "StackNode"]  # a frame, and what is below it

# What the nodes of a left-recursive group are made of: the group, the edges of each member, and which one.
GroupOrigin = tuple[Corners, tuple[frozenset[Edge], ...], str]


class StackNode:
    """What is below a frame: ``edges``. Only the bottoms of stacks have none. Equal nodes are identical.

    ``group`` is what a node of a left-recursive group, whose nodes lead to one another, was made of.
    ``number`` tells in which order nodes were made: no node leads to a later one, but within a group.
    """

    __slots__ = ("_returns", "below", "edges", "ends", "group", "number", "state")

    def __init__(
        self,
        number: int,
        edges: tuple[Edge, ...] = (),
        *,
        group: GroupOrigin | None = None,
    ) -> None:
        self.number = number
        self.edges = edges
        # Of one edge alone, for the sake of going through many nodes at once.
        self.state: FrameState | None = None
        self.below: StackNode | None = None
        if len(edges) == 1:
            ((self.state, self.below),) = edges
        self.group = group
        self._returns: tuple[Edge, ...] | None = None
        self.ends: tuple[Edge, ...] | None = None  # see Stack.ends

    @property
    def made_of(self) -> list[StackNode]:
        """The nodes below; of a group, also those below other members, and behind edges that are covered."""
        found = [low for _, low in self.edges]
        if self.group is not None:
            found += [low for edges in self.group[1] for _, low in edges]
        return found

    def returns(self, most: int) -> tuple[Edge, ...]:
        """The edges, and behind those whose frames may end at once, the edges below: the first ``most``."""
        if self._returns is None:
            found = list(self.edges)
            seen = {self}
            for state, below in found:
                if len(found) >= most:
                    break
                if state.final and below not in seen:
                    seen.add(below)
                    found += below.edges
            self._returns = tuple(found[:most])
        return self._returns
