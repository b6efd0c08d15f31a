"""The stacks of a configuration in one graph, interned by content.

The nodes of this graph-structured stack (Tomita 1985; Scott and Johnstone 2010) do not contain offsets.
Stacks with the same frames are identical, so configurations recur and can be cached.

A ``StackNode`` represents the open frames below one frame. It is a set of edges, each consisting of the state
to which the frame returns and the node below. A tail call does not add an edge: its frame returns to where
the caller would return (Leo 1991), so right recursion does not need a stack.

*Subsumption.* A pair of a frame state and a stack node represents the strings that complete it. A pair is
dropped if another pair of the same configuration represents all these strings. So ``S = S S / "a"``, whose
stacks would grow with the string, needs few pairs. Node ``u`` is *covered* by ``w`` if each edge ``(r, x)``
of ``u`` has a return ``(q, y)`` of ``w`` such that ``q`` covers ``r`` and ``x`` is covered by ``y``. A state
covers another if it has the same items, or items whose counts cover them. A return of ``w`` is an edge of
``w``, or an edge of a node below it through frames that can end immediately. This relation is a simulation: a
pair of nodes is assumed to be in it while that is being proved.

*Soundness.* A string completes ``u`` along a path from ``u`` to the bottom, which is finite even if nodes are
cyclic. By induction on its length, ``w`` has a path for the same string. The first edge ``(r, x)`` has a
return ``(q, y)`` that reads the characters that ``r`` reads. The rest of the path is shorter and proves a
string of ``x``, thus of ``y``. Frames between ``w`` and the return do not read characters. So assumptions are
used only for shorter paths, and results that depend on a failed assumption are dropped.

A new node omits edges that other edges cover: the nodes below are complete and do not lead to the new node.
Within a left-recursive group they can lead to it, so only edges count there, not returns (``strict``). Then
both paths have the same length, and by induction on it no string is lost.

*Cost.* At most MAX_PAIRS pairs are compared, to a depth of MAX_DEPTH, with at most MAX_RETURNS returns each
and MAX_COMPARED comparisons in total. Beyond these limits a pair is kept, which is always correct.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from abnforge.parsing.recognizer.network import FrameState, LeftCornerGroup, Network

Edge = tuple[FrameState, "StackNode"]
Pair = tuple[FrameState, "StackNode"]  # a frame state and the node below it

# The origin of a node in a left-recursive group: the group, the edges of each member, and the member.
GroupOrigin = tuple[LeftCornerGroup, tuple[frozenset[Edge], ...], str]


class StackNode:
    """The stack below a frame, as ``edges``. Only bottom nodes do not have edges. Equal nodes are identical.

    ``group`` is the origin of a node in a left-recursive group, whose nodes are cyclic. ``number`` is the
    order of construction: nodes lead to earlier ones only, except within a group.
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
        # The two halves of a single edge, for fast loops through many nodes.
        self.state: FrameState | None = None
        self.below: StackNode | None = None
        if len(edges) == 1:
            ((self.state, self.below),) = edges
        self.group = group
        self._returns: tuple[Edge, ...] | None = None
        self.ends: tuple[Edge, ...] | None = None  # see Stack.ends

    @property
    def nodes_below(self) -> list[StackNode]:
        """Return the nodes below; in a group, include those below other members and below covered edges."""
        nodes = [low for _, low in self.edges]
        if self.group is not None:
            nodes += [low for edges in self.group[1] for _, low in edges]
        return nodes

    def returns(self, most: int) -> tuple[Edge, ...]:
        """Return the first ``most`` returns: edges, and edges below frames that can end immediately."""
        if self._returns is None:
            returns = list(self.edges)
            seen = {self}
            for state, below in returns:
                if len(returns) >= most:
                    break
                if state.final and below not in seen:
                    seen.add(below)
                    returns += below.edges
            self._returns = tuple(returns[:most])
        return self._returns


MAX_PAIRS = 16
MAX_DEPTH = 6
MAX_RETURNS = 16
MAX_COMPARED = 200

_COMPARED_A_STEP = 8


class Subsumption:
    """The cached results of whether a node of one stack covers another.

    ``work`` is the work of comparisons, replacements and returns, in steps.
    """

    def __init__(self) -> None:
        self.work = 0
        self.forget()

    def forget(self) -> None:
        self._known: dict[tuple[StackNode, StackNode], bool] = {}

    def reduced(self, pairs: list[Pair]) -> list[Pair]:
        """Return the pairs of a configuration without covered ones, or all if there are too many."""
        return self._reduced(pairs, strict=False, through=False)

    def reduced_edges(self, edges: list[Pair], *, strict: bool) -> list[Pair]:
        """Return the edges of a node without those that other edges cover.

        ``strict`` compares edges only, not returns; it is required within a left-recursive group.
        """
        return self._reduced(edges, strict, through=not strict)

    def _reduced(self, pairs: list[Pair], strict: bool, through: bool) -> list[Pair]:
        if not 1 < len(pairs) <= MAX_PAIRS:
            return pairs
        self.work += len(pairs) ** 2 // _COMPARED_A_STEP
        uncovered: list[Pair] = []
        # The latest pairs come first: they cover others more often. The order is deterministic.
        for pair in sorted(pairs, key=_latest):
            if self.covered(pair, uncovered, strict, through):
                continue
            uncovered = [other for other in uncovered if not self.covered(other, (pair,), strict, through)]
            uncovered.append(pair)
        return uncovered

    def covered(self, pair: Pair, by: Iterable[Pair], strict: bool = False, through: bool = False) -> bool:
        """Return whether one of some pairs, or with ``through`` a return of one, covers a pair."""
        state, node = pair
        for larger, other in by:
            if larger.covers(state) and self.covers(other, node, strict):
                return True
            if through and larger.final:
                for return_state, below in other.returns(MAX_RETURNS):
                    if return_state.covers(state) and self.covers(below, node, strict):
                        return True
        return False

    def covers(self, larger: StackNode, smaller: StackNode, strict: bool = False) -> bool:
        """Return whether one node provably covers another."""
        if larger is smaller:
            return True
        if not larger.edges or not smaller.edges:
            return False
        if strict:
            return _Simulation(strict).shows(larger, smaller, 0)
        key = (larger, smaller)
        result = self._known.get(key)
        if result is None:
            result = self._known[key] = _Simulation(strict).shows(larger, smaller, 0)
        return result


class _Simulation:
    """One attempt to prove that a node covers another."""

    __slots__ = ("_left", "_results", "_strict", "_trusted")

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._left = MAX_COMPARED
        self._results: dict[tuple[StackNode, StackNode], bool] = {}
        self._trusted: list[tuple[StackNode, StackNode]] = []  # assumptions and results that depend on them

    def shows(self, larger: StackNode, smaller: StackNode, depth: int) -> bool:
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
                while (dependent := self._trusted.pop()) != key:
                    del self._results[dependent]
                self._results[key] = False
                return False
        return True


def _latest(pair: Pair) -> tuple[int, int]:
    state, node = pair
    return node.number, state.number


class Stack:
    """The stack nodes of one network.

    ``root`` is the bottom node; ``spill_marker`` replaces it above a spilled part (see ``configurations``).
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.root = StackNode(network.count())
        self.spill_marker = StackNode(network.count())
        self.subsumption = Subsumption()
        self.forget()

    def forget(self) -> None:
        """Drop all nodes; those in use stay valid, but are not identical to equal new ones."""
        self._nodes: dict[Edge | frozenset[Edge], StackNode] = {}
        self._groups: dict[tuple[LeftCornerGroup, tuple[frozenset[Edge], ...]], dict[str, StackNode]] = {}
        self.subsumption.forget()

    @property
    def size(self) -> int:
        return len(self._nodes) + len(self._groups)

    def node(self, edges: Collection[Edge]) -> StackNode:
        """Return the node with some edges, at least one; a tail call over a spilled part needs no node."""
        if len(edges) > 1:
            edges = dict.fromkeys(self.subsumption.reduced_edges(list(edges), strict=False))
        key: Edge | frozenset[Edge]
        if len(edges) == 1:
            (key,) = edges
            if key[0].only_returns and key[1] is self.spill_marker:
                return key[1]
        else:
            key = frozenset(edges)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = StackNode(self._network.count(), tuple(edges))
        return node

    def group(self, corners: LeftCornerGroup, direct: tuple[frozenset[Edge], ...]) -> dict[str, StackNode]:
        """Return the nodes of a left-recursive group; ``direct`` has the edges from outside for each member.

        Members call one another at their beginning, so their nodes are cyclic.
        """
        key = (corners, direct)
        nodes = self._groups.get(key)
        if nodes is not None:
            return nodes
        members = corners.members
        nodes = {
            member: StackNode(self._network.count(), group=(corners, direct, member)) for member in members
        }
        edges: dict[str, set[Edge]] = {
            member: set(outside) for member, outside in zip(members, direct, strict=True)
        }
        # Tail calls: the callee inherits the caller's edges.
        ends: list[tuple[str, str]] = []
        for caller in members:
            for callee, state in self._network.entry(caller).calls:
                if callee not in nodes:
                    continue
                if state.only_returns:
                    ends.append((caller, callee))
                else:
                    edges[callee].add((state, nodes[caller]))
        growing = True
        while growing:
            growing = False
            for caller, callee in ends:
                if not edges[caller] <= edges[callee]:
                    edges[callee] |= edges[caller]
                    growing = True
        for member in members:
            nodes[member].edges = tuple(edges[member])
        for member in members:
            nodes[member].edges = tuple(self.subsumption.reduced_edges(list(edges[member]), strict=True))
        self._groups[key] = nodes
        return nodes

    def open(self, calls: dict[str, set[Edge]]) -> dict[str, StackNode]:
        """Return the nodes of called rules' frames, including rules that these call before a character.

        ``calls`` has the edges of each rule; the method adds those of further rules.
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
        """Return the edges to which a frame above a node can return, without covered edges.

        These are the node's edges and, for edges whose frames can end immediately, the returns of the nodes
        below. The results of the lower nodes are computed first, so each is computed once.
        """
        pending = [node]
        while pending:
            top = pending[-1]
            if top.ends is not None:
                pending.pop()
                continue
            group = _group_of(top)
            missing = [
                below
                for one in group
                for state, below in one.edges
                if state.final and below.ends is None and below not in group
            ]
            if missing:
                pending += missing
            else:
                for one in group:
                    one.ends = self._ends(one, group)
        assert node.ends is not None
        return node.ends

    def _ends(self, node: StackNode, group: Sequence[StackNode]) -> tuple[Edge, ...]:
        returns: dict[Edge, None] = {}
        seen = [node]
        for one in seen:
            for edge in one.edges:
                state, below = edge
                returns[edge] = None
                if state.final and below not in seen:
                    if below in group:
                        seen.append(below)
                    else:
                        assert below.ends is not None
                        returns.update(dict.fromkeys(below.ends))
        self.subsumption.work += len(returns)
        return tuple(self.subsumption.reduced(list(returns)))

    def replace(
        self, tops: Sequence[StackNode], old: StackNode, new: StackNode
    ) -> dict[StackNode, StackNode]:
        """Replace one node by another in all stacks; return a map from old nodes to new nodes."""
        done = {old: new}
        for top in tops:
            pending = [top]
            while pending:
                node = pending[-1]
                if node in done:
                    pending.pop()
                    continue
                self.subsumption.work += 1 + len(node.edges)
                if node.group is not None:
                    below = [low for edges in node.group[1] for _, low in edges if low not in done]
                else:
                    below = [low for _, low in node.edges if low not in done]
                if below:
                    pending += below
                elif node.group is not None:
                    corners, direct, member = node.group
                    moved = tuple(frozenset(_moved(edges, done)) for edges in direct)
                    done[node] = self.group(corners, moved)[member]
                elif node.edges:
                    done[node] = self.node(_moved(node.edges, done))
                else:
                    done[node] = node
        return done


def add_call(edges: set[Edge], state: FrameState, node: StackNode) -> None:
    """Add a call that returns to ``state`` over ``node``, or to its edges if the caller can only end."""
    if state.only_returns and node.edges:
        edges.update(node.edges)
    else:
        edges.add((state, node))


def _moved(edges: Iterable[Edge], done: dict[StackNode, StackNode]) -> set[Edge]:
    """Return edges over other nodes. An edge over a spilled part can be a tail call after the replacement."""
    moved: set[Edge] = set()
    for state, below in edges:
        add_call(moved, state, done[below])
    return moved


def _group_of(node: StackNode) -> list[StackNode]:
    """Return a node and the nodes that it leads to within its left-recursive group."""
    nodes = [node]
    if node.group is not None:
        direct = node.group[1]
        for one in nodes:
            for _, below in one.edges:
                if below.group is not None and below.group[1] is direct and below not in nodes:
                    nodes.append(below)
    return nodes
