"""What is left to read in one frame, and which of it is superfluous.

Of items that differ in the counts of their repetitions alone, those are dropped of which another one derives
all strings, too: ``*998x`` after five iterations is part of the same after four. Where ``x`` can be empty, or
several of it are one ``x`` again, all 998 counts would be alive at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.grammar.core import Node

# Items of one shape that are compared with one another; more are kept as they are.
MAX_COMPARED = 64

ENDLESS = 10**18  # as a count: no upper limit


class Shape:
    """Items that differ in counts alone have one of these in common."""

    __slots__ = ()


class Item:
    """What is left to read in one frame: a node (of a sequence the items from ``index`` on), then ``rest``.

    ``counts`` are the limits of the repetitions under way, innermost first, where they are limited: pairs of
    the least and the most iterations that are left, and whether these are different for some. ``reads`` are
    the characters, each standing for its class, that an item waits for; ``behind`` what waits behind it.
    """

    __slots__ = ("behind", "closed", "counts", "index", "loose", "reads", "rest", "shape", "task")

    def __init__(
        self,
        task: Node,
        index: int,
        rest: Item | None,
        shape: Shape,
        counts: tuple[tuple[int, int], ...],
    ) -> None:
        self.task = task
        self.index = index
        self.rest = rest
        self.shape = shape
        self.counts = counts
        self.loose = any(least != most for least, most in counts)
        self.reads: frozenset[str] = frozenset()
        self.behind: tuple[frozenset[Item], bool] | None = None
        self.closed: tuple[frozenset[Item], bool] | None = None


def undominated(items: frozenset[Item]) -> frozenset[Item]:
    """Without items whose counts allow no more than those of another one of the same shape."""
    groups: dict[Shape, list[Item]] = {}
    for item in items:
        if item.counts:
            groups.setdefault(item.shape, []).append(item)
    dropped: list[Item] = []
    for group in groups.values():
        # Where all counts are exact, none allows what another one does.
        if len(group) > 1 and any(item.loose for item in group):
            dropped += _dominated(group)
    return items.difference(dropped) if dropped else items


def allow(larger: frozenset[Item], smaller: frozenset[Item]) -> bool:
    """Whether each of some items is among others, or is one that the counts of one of these allow."""
    rest = smaller - larger
    return not rest or (
        len(rest) <= MAX_COMPARED
        and len(larger) <= MAX_COMPARED
        and all(
            item.counts and any(other.shape is item.shape and _allows(other, item) for other in larger)
            for item in rest
        )
    )


def _dominated(group: list[Item]) -> Iterator[Item]:
    if len(group[0].counts) == 1:
        furthest = -1
        for item in sorted(group, key=_widest_first):
            if item.counts[0][1] <= furthest:
                yield item
            furthest = max(furthest, item.counts[0][1])
    elif len(group) <= MAX_COMPARED:
        yield from (item for item in group if any(_allows(other, item) for other in group))


def _widest_first(item: Item) -> tuple[int, int]:
    ((least, most),) = item.counts
    return least, -most


def _allows(larger: Item, smaller: Item) -> bool:
    """Whether all counts of one allow what those of another do. They are different, being interned."""
    return larger is not smaller and all(
        least <= other_least and most >= other_most
        for (least, most), (other_least, other_most) in zip(larger.counts, smaller.counts, strict=True)
    )
