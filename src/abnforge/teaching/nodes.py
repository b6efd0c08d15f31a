"""Parse trees as lists of nodes, without recursion: a tree is as deep as its input makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Node:
    """A rule's match, or literal text (``rule`` None): ``start`` and ``end`` are offsets into the input."""

    rule: str | None
    depth: int
    start: int
    end: int


def flatten(tree: Any, name: Callable[[str], str]) -> list[Node]:
    """A ``lark.Tree``'s nodes in preorder; ``name`` turns Lark's rule names into ABNF's. Cost: linear."""
    nodes: list[Node] = []
    stack: list[tuple[Any, int]] = [(tree, 0)]
    position = 0
    while stack:
        item, depth = stack.pop()
        if isinstance(item, Node):
            item.end = position
        elif isinstance(item, str):
            nodes.append(Node(None, depth, position, position + len(item)))
            position += len(item)
        else:
            node = Node(name(str(item.data)), depth, position, position)
            nodes.append(node)
            stack.append((node, depth))
            stack.extend((child, depth + 1) for child in reversed(item.children))
    return nodes


def children_of(nodes: Sequence[Node]) -> list[list[int]]:
    """For each node of a preorder the indices of its children, from left to right. Cost: linear."""
    found: list[list[int]] = [[] for _ in nodes]
    path: list[int] = []
    for index, node in enumerate(nodes):
        del path[node.depth :]
        if path:
            found[path[-1]].append(index)
        path.append(index)
    return found
