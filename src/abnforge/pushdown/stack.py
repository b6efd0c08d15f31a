"""The stacks of a configuration, all in one graph, interned by what they hold.

A graph-structured stack (Tomita 1985; Scott and Johnstone 2010) whose nodes do not say where in the text they
were made: two stacks with the same frames are one. That is what lets configurations recur, and be known.

A ``StackNode`` stands for the open frames below one frame: a set of edges, each the state that its frame
returns to and the node below that. A call whose frame can then do nothing but end adds no edge of its own:
the frame returns to where that one would return (Leo 1991), so recursion to the right needs no stack.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from abnforge.pushdown.network import Corners, FrameState, Network
from abnforge.pushdown.nodes import Edge, StackNode
from abnforge.pushdown.subsumption import Subsumption


class Stack:
    """The nodes over one network. ``root`` is the bottom; ``rest`` stands for a part that is kept elsewhere
    (``folding``).
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
