"""Where to cut a deep stack, so that configurations stay small and recur.

Nesting that is deeper than ever before leads to new stacks, so to new configurations, although the frames at
the top are as they were a few levels up. So the lower part of a stack is taken out and kept in a list beside
the configuration (``Base``): a text of a hundred thousand brackets needs 27 configurations. A part can be
taken out where all stacks pass one node: a dominator of the bottom in the graph (Prosser 1959). Frames that
end return to it when they get there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abnforge.pushdown.nodes import StackNode

# Dominators above which the part below is taken out; half of them stay.
MOST = 8
# Nodes that are looked at in search of them; a configuration with more is taken as it is.
MAX_NODES = 64


def cut(tops: Sequence[StackNode], most: int | None = None) -> StackNode | None:
    """The node below which to take a part out: all stacks from ``tops`` down pass it, with ``most // 2`` such
    nodes above it. None if there are not more than ``most`` of them, or too many nodes.

    Nodes of a left-recursive group are made together, of what lies below any of them (``made_of``), also
    where an edge was left out since others cover it: all ways through these count, and a node can only be
    taken out if none that was made with it lies above it.
    """
    most = MOST if most is None else most
    path: list[StackNode] = []
    index: dict[StackNode, int] = {}
    node = tops[0]
    while node.edges:  # any way down; what all ways pass is on it
        index[node] = len(path)
        path.append(node)
        if len(path) > MAX_NODES:
            return None
        below = next((low for _, low in node.edges if low not in index), None)
        if below is None:
            return None
        node = below
    if len(path) <= most:
        return None
    index[node] = len(path)
    path.append(node)
    found: list[StackNode] = []
    seen: set[StackNode] = set()
    groups: set[int] = set()  # of nodes above the one that is looked at, by what they were made of
    waiting = list(tops)
    furthest = -1
    # A node of the path is passed by all ways if none of those that begin above it leads further.
    for place in range(len(path) - 1):
        while waiting:
            node = waiting.pop()
            if node in index:
                furthest = max(furthest, index[node])
            elif node not in seen:
                if not node.edges:
                    return None
                seen.add(node)
                groups |= _group(node)
                if len(seen) > MAX_NODES:
                    return None
                waiting += node.made_of
        node = path[place]
        if furthest == place and groups.isdisjoint(_group(node)):
            found.append(node)
        groups |= _group(node)
        waiting += node.made_of
    return found[most // 2] if len(found) > most else None


def _group(node: StackNode) -> set[int]:
    """What tells the nodes that were made together with one from all others."""
    return set() if node.group is None else {id(node.group[1])}


def is_large(tops: Iterable[StackNode]) -> bool:
    """Whether there are more than MAX_NODES nodes above the bottom."""
    seen: set[StackNode] = set()
    waiting = list(tops)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            if len(seen) > MAX_NODES:
                return True
            waiting += [low for _, low in node.edges]
    return False
