"""The stacks of a configuration, all in one graph, interned by what they hold.

A graph-structured stack (Tomita 1985; Scott and Johnstone 2010) whose nodes do not say where in the text they
were made: two stacks with the same frames are one. That is what lets configurations recur, and be known.

A ``StackNode`` stands for the open frames below one frame: a set of edges, each the state that its frame
returns to and the node below that. A call whose frame can then do nothing but end adds no edge of its own:
the frame returns to where that one would return (Leo 1991), so recursion to the right needs no stack.

*Subsumption.* Stacks that others cover are dropped. A pair of a frame state and a stack node stands for the
strings that complete it. A pair is dropped if another one of the same configuration stands for all of these,
too; so ``S = S S / "a"``, whose stacks would grow with the text, needs a handful.

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

from collections.abc import Collection, Iterable, Sequence

from abnforge.parsing.recognizer.network import Corners, FrameState, Network

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


class Stack:
    """The nodes over one network. ``root`` is the bottom; ``rest`` stands for a part that is kept elsewhere
    (``configurations.cut``).
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.root = StackNode(network.count())
        self.rest = StackNode(network.count())
        self.subsumption = Subsumption()
        self.forget()

    def forget(self) -> None:
        """Drop all nodes. Old ones stay valid; equal ones made later are different objects."""
        self._nodes: dict[Edge | frozenset[Edge], StackNode] = {}
        self._groups: dict[tuple[Corners, tuple[frozenset[Edge], ...]], dict[str, StackNode]] = {}
        self.subsumption.forget()

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self._nodes) + len(self._groups)

    def node(self, edges: Collection[Edge]) -> StackNode:
        """The node with some edges, at least one."""
        if len(edges) > 1:
            edges = dict.fromkeys(self.subsumption.reduced_edges(list(edges), strict=False))
        key: Edge | frozenset[Edge]
        if len(edges) == 1:
            (key,) = edges
        else:
            key = frozenset(edges)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = StackNode(self._network.count(), tuple(edges))
        return found

    def group(self, corners: Corners, direct: tuple[frozenset[Edge], ...]) -> dict[str, StackNode]:
        """The nodes of a left-recursive group; ``direct``: for each member the edges from outside.

        Members call one another where they begin, so their nodes lead to one another.
        """
        key = (corners, direct)
        made = self._groups.get(key)
        if made is not None:
            return made
        members = corners.members
        made = {
            member: StackNode(self._network.count(), group=(corners, direct, member)) for member in members
        }
        edges: dict[str, set[Edge]] = {
            member: set(outside) for member, outside in zip(members, direct, strict=True)
        }
        # Calls with nothing behind them: the caller's edges are the callee's.
        ends: list[tuple[str, str]] = []
        for caller in members:
            for callee, state in self._network.entry(caller).calls:
                if callee not in made:
                    continue
                if state.pure:
                    ends.append((caller, callee))
                else:
                    edges[callee].add((state, made[caller]))
        growing = True
        while growing:
            growing = False
            for caller, callee in ends:
                if not edges[caller] <= edges[callee]:
                    edges[callee] |= edges[caller]
                    growing = True
        for member in members:
            made[member].edges = tuple(edges[member])
        for member in members:
            made[member].edges = tuple(self.subsumption.reduced_edges(list(edges[member]), strict=True))
        self._groups[key] = made
        return made

    def open(self, calls: dict[str, set[Edge]]) -> dict[str, StackNode]:
        """The nodes of the frames of some called rules, and of those that these call before any character.

        ``calls`` gives the edges of each rule; more are added to it on the way.
        """
        corners = self._network.corners
        groups = {corners(name) for key in calls for name in corners(key).reached}
        result: dict[str, StackNode] = {}
        for group in sorted(groups, key=lambda group: -group.rank):
            members = group.members
            if group.recursive:
                outside = tuple(frozenset(calls.get(member, ())) for member in members)
                result.update(self.group(group, outside))
            else:
                result[members[0]] = self.node(calls[members[0]])
            for member in members:
                node = result[member]
                for callee, state in self._network.entry(member).calls:
                    if callee not in members:
                        add_call(calls.setdefault(callee, set()), state, node)
        return result

    def ends(self, node: StackNode) -> tuple[Edge, ...]:
        """What a frame that ends over a node returns to: the edges, and behind those whose frames may end at
        once, what these return to; without pairs that others cover.

        All nodes below that are passed have theirs found first, so each is found once.
        """
        waiting = [node]
        while waiting:
            top = waiting[-1]
            if top.ends is not None:
                waiting.pop()
                continue
            together = _together(top)
            missing = [
                below
                for one in together
                for state, below in one.edges
                if state.final and below.ends is None and below not in together
            ]
            if missing:
                waiting += missing
            else:
                for one in together:
                    one.ends = self._ends(one, together)
        assert node.ends is not None
        return node.ends

    def _ends(self, node: StackNode, together: Sequence[StackNode]) -> tuple[Edge, ...]:
        found: dict[Edge, None] = {}
        seen = [node]
        for one in seen:
            for edge in one.edges:
                state, below = edge
                found[edge] = None
                if state.final and below not in seen:
                    if below in together:
                        seen.append(below)
                    else:
                        assert below.ends is not None
                        found.update(dict.fromkeys(below.ends))
        return tuple(self.subsumption.reduced(list(found)))

    def over(self, tops: Sequence[StackNode], old: StackNode, new: StackNode) -> dict[StackNode, StackNode]:
        """The same stacks with a node in the place of another one: old nodes above it -> new ones."""
        done = {old: new}
        for top in tops:
            waiting = [top]
            while waiting:
                node = waiting[-1]
                if node in done:
                    waiting.pop()
                    continue
                if node.group is not None:
                    below = [low for edges in node.group[1] for _, low in edges if low not in done]
                else:
                    below = [low for _, low in node.edges if low not in done]
                if below:
                    waiting += below
                elif node.group is not None:
                    corners, direct, member = node.group
                    moved = tuple(frozenset((state, done[low]) for state, low in edges) for edges in direct)
                    done[node] = self.group(corners, moved)[member]
                elif node.edges:
                    done[node] = self.node({(state, done[low]) for state, low in node.edges})
                else:
                    done[node] = node
        return done


def add_call(edges: set[Edge], state: FrameState, node: StackNode) -> None:
    """Note a call that returns to ``state`` over ``node``, or, if that could only end, below it."""
    if state.pure and node.edges:
        edges.update(node.edges)
    else:
        edges.add((state, node))


def _together(node: StackNode) -> list[StackNode]:
    """A node, and those of the same left-recursive group that it leads to."""
    found = [node]
    if node.group is not None:
        direct = node.group[1]
        for one in found:
            for _, below in one.edges:
                if below.group is not None and below.group[1] is direct and below not in found:
                    found.append(below)
    return found
