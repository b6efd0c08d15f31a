"""A pattern as a network: places from which characters are read, or something is looked for (Thompson 1968).

What stands behind a place (lookbehind) is found by a *tracker*: a network of its own that is entered at every
place of the text. Each lookbehind's number is above those of the ones within it, however deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.conformance.patterns.tree import (
    Char,
    Choice,
    Look,
    Node,
    Repeat,
    Run,
)

# Octets that a place takes, an estimate.
_OCTETS = 200
# The same for a set that is around a place where another one begins or ends.
_MEMBER_OCTETS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One character of the set of this number is read."""

    number: int
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """It goes on at each of some places."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """It goes on if what begins at ``body`` follows; or, ``negative``, if it does not."""

    body: int
    negative: bool
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """It goes on if the tracker of this number ends here; or, ``negative``, if it does not."""

    tracker: int
    negative: bool
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """Nothing is left to match."""


Place = Union[Read, Split, Ahead, Behind, End]


class Network:
    """The places of a pattern, by number. ``start`` is the first one, ``trackers`` those of lookbehinds.

    ``masks`` are the classes of characters: the sets that each is in, as bits, and ``classes`` their
    characters. Raises LimitExceeded. Cost: the size of the tree, its repetitions written out.
    """

    END = 0

    def __init__(self, tree: Node, meter: Meter) -> None:
        self._meter = meter
        self.places: list[Place] = [End()]
        self.trackers: list[int] = []
        self._sets: dict[CharSet, int] = {}
        self._bodies: dict[int, int] = {}
        self._behind: dict[int, int] = {}
        self._known: dict[Node, int] = {}
        self._forms: dict[object, int] = {}
        self.start = self._made(tree, self.END)
        self._charge_classes()
        self.classes = partition(self._sets)
        meter.charge(len(self._sets) * sum(len(each.ranges) for each in self.classes) // 30)
        self.masks = self._masks(list(self._sets))

    def _charge_classes(self) -> None:
        """What parting the characters takes: at each place where a set begins or ends, the sets around it."""
        changes: dict[int, int] = {}
        for charset in self._sets:
            for low, high in charset.ranges:
                changes[low] = changes.get(low, 0) + 1
                changes[high + 1] = changes.get(high + 1, 0) - 1
        around = members = 0
        for place in sorted(changes):
            around += changes[place]
            members += around
        self._meter.charge(len(changes) + members // 10)
        self._meter.hold(_MEMBER_OCTETS * members)

    def _masks(self, sets: Sequence[CharSet]) -> list[int]:
        numbers = {charset.min(): number for number, charset in enumerate(self.classes)}
        starts = sorted((low, number) for number, each in enumerate(self.classes) for low, _ in each.ranges)
        masks = [0] * len(numbers)
        for bit, charset in enumerate(sets):
            ranges = iter(charset.ranges)
            low, high = next(ranges, (0, -1))
            for start, number in starts:
                while start > high >= 0:
                    low, high = next(ranges, (0, -1))
                if low <= start <= high:
                    masks[number] |= 1 << bit
        return masks

    def _add(self, place: Place) -> int:
        self._meter.charge()
        self._meter.hold(_OCTETS)
        self.places.append(place)
        return len(self.places) - 1

    def _made(self, node: Node, target: int) -> int:
        """The place where a node begins that goes on at ``target``."""
        match node:
            case Char(charset=charset):
                self._meter.charge(len(charset.ranges) // 30)
                return self._add(Read(self._sets.setdefault(charset, len(self._sets)), target))
            case Run(items=items):
                for item in reversed(items):
                    target = self._made(item, target)
                return target
            case Choice(items=items):
                return self._add(Split(tuple([self._made(item, target) for item in items])))
            case Repeat(item=item, min=least, max=most):
                return self._loop(item, least, most, target)
            case Look(item=item, ahead=True, negative=negative):
                form = self._form(item)
                if form not in self._bodies:
                    self._bodies[form] = self._made(item, self.END)
                return self._add(Ahead(self._bodies[form], negative, target))
            case Look(item=item, negative=negative):
                form = self._form(item)
                if form not in self._behind:
                    start = self._made(item, self.END)
                    self._behind[form] = len(self.trackers)
                    self.trackers.append(start)
                return self._add(Behind(self._behind[form], negative, target))
        raise AssertionError("atomic groups are gone")

    def _form(self, node: Node) -> int:
        """A number that equal parts share, wherever they stand. Cost: linear in the parts not known yet."""
        found = self._known.get(node)
        if found is not None:
            return found
        self._meter.charge()
        key: object
        match node:
            case Char(charset=charset):
                key = charset
            case Run(items=items) | Choice(items=items):
                key = type(node), tuple([self._form(item) for item in items])
            case Repeat(item=item, min=least, max=most):
                key = "repeat", self._form(item), least, most
            case Look(item=item, ahead=ahead, negative=negative):
                key = "look", self._form(item), ahead, negative
            case _:
                raise AssertionError("atomic groups are gone")
        form = self._known[node] = self._forms.setdefault(key, len(self._forms))
        return form

    def _loop(self, item: Node, least: int, most: int | None, target: int) -> int:
        if most is None:
            again = self._add(Split(()))
            body = self._made(item, again)
            self.places[again] = Split((body, target))
            target = again
        else:
            exit_ = target
            for _ in range(most - least):
                target = self._add(Split((self._made(item, target), exit_)))
        for _ in range(least):
            self._meter.charge()  # a turn of nothing takes no place
            target = self._made(item, target)
        return target
