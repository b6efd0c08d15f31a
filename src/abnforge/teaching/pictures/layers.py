"""A layered layout of a directed graph from left to right, without overlapping labels (Sugiyama et al. 1981).

Each rank of nodes is a column, and between two ranks is a column of labels. An arrow has its own slot in
every column that it crosses. So arrows cross each other only in the gaps between columns, and a label is
above the horizontal part of its arrow. A loop and its label are in the slot of their node.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt

RADIUS = 18.0
LINE = 15.0  # height of a label
LOOP = 24.0  # height of a loop
SPACE, EDGE = 9.0, 14.0  # between slots, and around the graph
MIN_GAP, MAX_GAP = 26.0, 130.0  # width of the gap between columns
START = 34.0  # length of the arrow to the first node
DESCENT = 4.0  # distance of a label's base line from its arrow
STEEPNESS = 0.55  # width of a gap for each px that an arrow rises in it
PORT = 8.0  # maximum distance of two arrows at a node
SWEEPS = 12  # number of sweeps that reduce crossings, and half of those that place slots
STRAIGHT = 8.0  # weight of the parts of an arrow between its ends

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow: the ends of its straight parts in order, and the middle of its label's base line.

    Curves connect each second point with the next one. A loop has one point, the top of its node.
    """

    points: list[Point]
    label: Point


@dataclass(frozen=True, slots=True)
class Layout:
    """The centers of nodes, the arrows in the order of the edges, and the size in px."""

    nodes: list[Point]
    arrows: list[Arrow]
    width: float
    height: float


@dataclass(slots=True)
class _Slot:
    """A node, or the part of an arrow in one column; ``y`` is its line, with ``above`` and ``below`` it."""

    column: int
    wide: float
    above: float
    below: float
    half: float = 0.0
    is_label: bool = False
    x: float = 0.0
    y: float = 0.0
    left: list[tuple[_Slot, float]] = field(default_factory=list)
    right: list[tuple[_Slot, float]] = field(default_factory=list)

    def edge_at(self, height: float) -> float:
        """Return the distance from the middle of a node to its edge at a height above or below the middle."""
        return self.half - RADIUS + sqrt(RADIUS**2 - height**2)


def layout(widths: Sequence[float], edges: Sequence[tuple[int, int, float]]) -> Layout:
    """Return the layout of a graph: ``widths`` of its nodes, and edges with the widths of their labels.

    Node 0 leads to all others, and is the leftmost one. The result depends only on the arguments. Cost: about
    linear in the edges times the number of columns that they cross.
    """
    ranks = _ranks(len(widths), [(a, b) for a, b, _ in edges])
    columns: list[list[_Slot]] = [[] for _ in range(2 * max(ranks, default=0) + 1)]
    loops = {source: width for source, target, width in edges if source == target}
    nodes = [
        _Slot(2 * ranks[node], max(wide, loops.get(node, 0.0)), RADIUS, RADIUS, wide / 2)
        for node, wide in enumerate(widths)
    ]
    for node, slot in enumerate(nodes):
        if node in loops:
            slot.above += LOOP + LINE
        columns[slot.column].append(slot)
    chains = [_chain(nodes[a], nodes[b], wide, columns) for a, b, wide in edges]
    columns = _ordered(columns)
    _place(columns)
    return _drawn(columns, nodes, chains)


def _ranks(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the column of each node: its longest distance from node 0 without arrows that close a cycle."""
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        targets[source].append(target)
    finished: list[int] = []
    state = [0] * count  # 1: on the path, 2: finished
    forward: list[list[int]] = [[] for _ in range(count)]
    for start in range(count):
        path = [(start, iter(targets[start]))] if not state[start] else []
        state[start] = state[start] or 1
        while path:
            node, rest = path[-1]
            target = next(rest, -1)
            if target < 0:
                state[node] = 2
                finished.append(node)
                path.pop()
                continue
            if state[target] != 1:
                forward[node].append(target)
            if not state[target]:
                state[target] = 1
                path.append((target, iter(targets[target])))
    ranks = [0] * count
    for node in reversed(finished):
        for target in forward[node]:
            ranks[target] = max(ranks[target], ranks[node] + 1)
    return ranks


def _chain(source: _Slot, target: _Slot, wide: float, columns: list[list[_Slot]]) -> list[_Slot]:
    """Return the slots of an arrow from its source to its target, with new ones between them."""
    left, right = sorted((source, target), key=lambda slot: slot.column)
    middle = (left.column + right.column) // 4 * 2 + 1
    inner = []
    for column in range(left.column + 1, right.column):
        is_label = column == middle
        slot = _Slot(column, wide, LINE, DESCENT) if is_label else _Slot(column, 0.0, 0.0, 0.0)
        slot.is_label = is_label
        columns[column].append(slot)
        inner.append(slot)
    for near, far in pairwise([left, *inner, right] if inner else []):
        weight = 1.0 if near is left or far is right else STRAIGHT
        near.right.append((far, weight))
        far.left.append((near, weight))
    return [source, *(inner if source is left else inner[::-1]), target]


# The order of slots: barycenters, then exchanges of neighbors (Gansner et al. 1993).


def _ordered(columns: list[list[_Slot]]) -> list[list[_Slot]]:
    """Return the columns in an order with few crossings."""
    best, fewest = columns, _crossings(columns)
    columns = [list(column) for column in columns]
    for sweep in range(SWEEPS):
        if not fewest:
            break
        to_right = sweep % 2 == 0
        for number in range(1, len(columns)) if to_right else range(len(columns) - 2, -1, -1):
            beside = columns[number - 1 if to_right else number + 1]
            places = {id(slot): float(place) for place, slot in enumerate(beside)}
            means = {}
            for place, slot in enumerate(columns[number]):
                others = [places[id(other)] for other, _ in (slot.left if to_right else slot.right)]
                means[id(slot)] = sum(others) / len(others) if others else float(place)
            columns[number].sort(key=lambda slot: means[id(slot)])
        _exchange(columns)
        if (count := _crossings(columns)) < fewest:
            best, fewest = [list(column) for column in columns], count
    return best


def _exchange(columns: list[list[_Slot]]) -> None:
    places = {id(slot): place for column in columns for place, slot in enumerate(column)}
    for column in columns:
        for place in range(len(column) - 1):
            upper, lower = column[place : place + 2]
            gain = 0
            for ups, downs in ((upper.left, lower.left), (upper.right, lower.right)):
                below = sorted(places[id(slot)] for slot, _ in downs)
                for slot, _ in ups:
                    gain += bisect(below, places[id(slot)] - 1) + bisect(below, places[id(slot)]) - len(below)
            if gain > 0:
                column[place : place + 2] = lower, upper
                places[id(upper)], places[id(lower)] = place + 1, place


def _crossings(columns: Sequence[Sequence[_Slot]]) -> int:
    count = 0
    for left, right in pairwise(columns):
        places = {id(slot): place for place, slot in enumerate(right)}
        seen: list[int] = []
        for slot in left:
            ends = sorted(places[id(other)] for other, _ in slot.right)
            count += sum(len(seen) - bisect(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


# Heights: each slot goes to the mean of its neighbors, as near as the slots above and below allow.


def _place(columns: Sequence[Sequence[_Slot]]) -> None:
    for column in columns:
        _separate(column, [0.0] * len(column))
    for sweep in range(2 * SWEEPS):
        to_right = sweep % 2 == 0
        for column in columns if to_right else reversed(columns):
            wanted = []
            for slot in column:
                near, far = (slot.left, slot.right) if to_right else (slot.right, slot.left)
                beside = [*near, *far] if sweep >= SWEEPS or not near else near
                total = sum(weight for _, weight in beside)
                wanted.append(sum(other.y * weight for other, weight in beside) / total if total else slot.y)
            _separate(column, wanted)


def _separate(column: Sequence[_Slot], wanted: Sequence[float]) -> None:
    """Place slots one below another, with the least squares of distances (pooled adjacent violators)."""
    offset, offsets = 0.0, []
    blocks: list[tuple[float, float, int]] = []  # mean, weight and number of slots
    for number, (slot, y) in enumerate(zip(column, wanted, strict=True)):
        if number:
            offset += column[number - 1].below + SPACE + slot.above
        offsets.append(offset)
        mean, weight, count = y - offset, 1.0 + sum(each for _, each in (*slot.left, *slot.right)), 1
        while blocks and blocks[-1][0] > mean:
            other, others, more = blocks.pop()
            mean = (mean * weight + other * others) / (weight + others)
            weight, count = weight + others, count + more
        blocks.append((mean, weight, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for slot, mean, offset in zip(column, means, offsets, strict=True):
        slot.y = mean + offset


# Coordinates.


def _drawn(
    columns: Sequence[Sequence[_Slot]], nodes: Sequence[_Slot], chains: Sequence[list[_Slot]]
) -> Layout:
    top = min((slot.y - slot.above for column in columns for slot in column), default=0.0) - EDGE
    bottom = max((slot.y + slot.below for column in columns for slot in column), default=0.0) + EDGE
    for slot in (slot for column in columns for slot in column):
        slot.y -= top
    ends: list[tuple[float, float]] = []  # the left and right end of each column
    x = EDGE + START
    for number, column in enumerate(columns):
        if number:
            rise = max(abs(slot.y - other.y) for slot in columns[number - 1] for other, _ in slot.right)
            x += min(max(MIN_GAP, rise * STEEPNESS), MAX_GAP)
        ends.append((x, x := x + max((slot.wide for slot in column), default=0.0)))
        for slot in column:
            slot.x = sum(ends[-1]) / 2
    ports = {
        (id(node), id(other)): y
        for node in nodes
        for side in (node.left, node.right)
        for other, y in _ports([slot for slot, _ in side])
    }
    arrows = []
    for chain in chains:
        first, *inner, last = chain
        if not inner:
            arrows.append(Arrow([(first.x, first.y - RADIUS)], (first.x, first.y - RADIUS - LOOP - DESCENT)))
            continue
        source, target = (first, last) if first.column < last.column else (last, first)
        beside = inner if source is first else inner[::-1]  # from left to right
        out, into = ports[id(source), id(beside[0])], ports[id(target), id(beside[-1])]
        points = [(source.x + source.edge_at(out), source.y + out), (ends[source.column][1], source.y + out)]
        for slot in beside:
            points += [(end, slot.y) for end in ends[slot.column]]
        points += [
            (ends[target.column][0], target.y + into),
            (target.x - target.edge_at(into), target.y + into),
        ]
        label = next(slot for slot in inner if slot.is_label)
        arrows.append(Arrow(points if source is first else points[::-1], (label.x, label.y - DESCENT)))
    return Layout([(slot.x, slot.y) for slot in nodes], arrows, x + EDGE, bottom - top)


def _ports(slots: Sequence[_Slot]) -> Iterator[tuple[_Slot, float]]:
    """Yield the slots next to a node, each with the height of its arrow's end above or below the center."""
    distance = min(PORT, 1.5 * RADIUS / max(len(slots) - 1, 1))
    for place, slot in enumerate(sorted(slots, key=lambda slot: slot.y)):
        yield slot, (place - (len(slots) - 1) / 2) * distance
