"""A parse tree as few boxes as say the same: what a picture of it is made of.

Rules that have one child each over the same text are one box with several names; text that is all a rule
consists of is told in its box; neighbours of one rule that match one character each are one box. Nothing
recurses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from abnforge.teaching.nodes import Node, children_of

LAYERS = 6
"""Colours that boxes have in turn, by the depth at which their first name is first met as one."""


@dataclass(slots=True)
class Box:
    """A box: ``names`` of rules from the outermost inwards, none for text alone.

    ``times`` is how many neighbours it stands for, ``leaf`` whether its text is told in it, ``layer`` which
    colour it has. ``children`` and ``parent`` (None of the first) are indices of boxes.
    """

    names: list[str]
    start: int
    end: int
    depth: int
    parent: int | None
    times: int = 1
    leaf: bool = False
    layer: int = 0
    children: list[int] = field(default_factory=list)


def boxes(nodes: Sequence[Node], *, full: bool = False) -> list[Box]:
    """The boxes of a tree in preorder; ``full``: one for each node. Cost: linear."""
    below = children_of(nodes)
    found: list[Box] = []
    # A node to tell, the box around it, and how many neighbours it stands for.
    stack: list[tuple[int, int | None, int]] = [(0, None, 1)]
    while stack:
        index, parent, times = stack.pop()
        node = nodes[index]
        box = Box([], node.start, node.end, 0, parent, times)
        if parent is not None:
            box.depth = found[parent].depth + 1
            found[parent].children.append(len(found))
        if times > 1:
            box.end = box.start + times
            box.names.append(node.rule or "")
            box.leaf = True
            found.append(box)
            continue
        inner = below[index]
        if node.rule is not None:
            box.names.append(node.rule)
        while not full and len(inner) == 1 and _spans(nodes[inner[0]], node):
            only = nodes[inner[0]].rule
            if only is None:
                break
            box.names.append(only)
            inner = below[inner[0]]
        box.leaf = not inner or (not full and len(inner) == 1 and nodes[inner[0]].rule is None)
        here = len(found)
        found.append(box)
        if box.leaf:
            continue
        runs = _runs(nodes, inner, full)
        if len(runs) == 1 and runs[0][1] > 1:  # all of it is one run
            box.names.append(nodes[inner[0]].rule or "")
            box.times, box.leaf = runs[0][1], True
            continue
        stack.extend((first, here, count) for first, count in reversed(runs))
    _colour(found)
    return found


def _spans(inner: Node, outer: Node) -> bool:
    return (inner.start, inner.end) == (outer.start, outer.end)


def _runs(nodes: Sequence[Node], indices: Sequence[int], full: bool) -> list[tuple[int, int]]:
    """Siblings, and how many neighbours each stands for: neighbours of one character each
    are brought together.
    """
    runs: list[tuple[int, int]] = []
    for index in indices:
        node = nodes[index]
        if runs and not full and node.rule is not None and node.end - node.start == 1:
            first, count = runs[-1]
            before = nodes[first]
            if before.rule == node.rule and before.end - before.start == 1:
                runs[-1] = first, count + 1
                continue
        runs.append((index, 1))
    return runs


def _colour(found: Sequence[Box]) -> None:
    """A box has the colour of its first name: that of the depth at which it first stands first in a box."""
    first: dict[str, int] = {}
    for box in found:
        if box.names and box.depth < first.get(box.names[0], len(found)):
            first[box.names[0]] = box.depth
    for box in found:
        if box.names:
            box.layer = first[box.names[0]] % LAYERS
