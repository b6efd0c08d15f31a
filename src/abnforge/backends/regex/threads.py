"""What an engine that backtracks has still to try, as values: threads, cuts and commits.

An engine tries ways through a pattern in order of preference, one after the other. Here they are followed
side by side, as a list in that order:

* a :class:`Thread` is one way, told by what is left to match; what it reads next is one character of a set;
* a :class:`Cut` is a part that gives nothing back, in progress: the list of ways through it;
* a :class:`Commit` stands at the end of such a list: the part has been matched up to some place, and these
  are the ways that go on from there. They count if all ways before it fail; what would stand behind
  it is never tried.

All of them are made once (hash consing), so that equal ones are the same object and lists are compared by
identity. Cost of each operation: constant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from abnforge.backends.regex.reading import Atomic, Branches, Loop, One, Part, Run, parts
from abnforge.budget import Meter
from abnforge.charset import CharSet

# Octets that a thread, a cut or a commit takes, with its place in tables; an estimate.
_OCTETS = 400
# The same for a class that is a member of a set.
_MEMBER_OCTETS = 70


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One character of some classes, given by their numbers."""

    classes: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Its items one after the other, from the one at ``at`` on."""

    items: tuple[Step, ...]
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """Its items, each tried after the one before it."""

    items: tuple[Step, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Turns of a loop that are left; ``fresh``: nothing has been read since the last one began."""

    item: Step
    min: int
    max: int | None
    fresh: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sealed:
    """A part that gives nothing back."""

    item: Step


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The end of a part that gives nothing back."""


Step = Union[Read, Chain, Either, Turns, Sealed, End]
END = End()
_NO_CLASSES: frozenset[int] = frozenset()


class Thread:
    """A stack of what is left to match: ``step``, and ``rest`` behind it (None: nothing).

    It is as deep as the pattern is nested: what is left of a sequence is one step of it.

    ``level`` counts the parts that it is in, of those that give nothing back; ``local`` is what is left up to
    the end of the innermost one, as a number, and ``outer`` what is left behind that.
    """

    __slots__ = ("classes", "fresh", "level", "local", "moved", "number", "opened", "outer", "rest", "step")

    def __init__(self, number: int, step: Step, rest: Thread | None, local: int) -> None:
        self.number = number
        self.step = step
        self.rest = rest
        self.local = local
        self.level: int = (0 if rest is None else rest.level) + (step is END)
        self.outer: Thread | None = rest if step is END or rest is None else rest.outer
        self.classes = step.classes if isinstance(step, Read) else _NO_CLASSES
        # Whether a loop in it has begun a turn in which nothing was read.
        self.fresh: bool = (isinstance(step, Turns) and step.fresh) or (rest is not None and rest.fresh)
        self.opened: Items | None = None  # what it is before the next character, once that is known
        self.moved: Thread | None = None  # the same after a character


class Cut:
    """A part in progress that gives nothing back."""

    __slots__ = ("items", "number")

    def __init__(self, number: int, items: Items) -> None:
        self.number = number
        self.items = items


class Commit:
    """Where such a part has been matched: what goes on from there, a list of the level around it."""

    __slots__ = ("items", "number")

    def __init__(self, number: int, items: Items) -> None:
        self.number = number
        self.items = items


class Accepted:
    """Nothing is left to match."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


Item = Union[Thread, Cut, Commit, Accepted]
Items = tuple[Item, ...]
ACCEPTED = Accepted()


class Store:
    """All that has been made for one pattern: each value once.

    ``meter`` is charged for what is kept. Raises LimitExceeded.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._steps: dict[object, Step] = {}
        self._threads: dict[tuple[int, int], Thread] = {}
        self._cuts: dict[Items, Cut] = {}
        self._commits: dict[Items, Commit] = {}
        self._locals: dict[tuple[int, int], int] = {}
        self._keys: dict[tuple[Cut, int], int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._chains: dict[tuple[int, int], Chain] = {}
        self._turns: dict[tuple[int, int, int | None, bool], Turns] = {}
        self._count = 0

    def thread(self, step: Step, rest: Thread | None) -> Thread:
        """The stack of ``step`` on ``rest``."""
        key = id(step), 0 if rest is None else rest.number
        found = self._threads.get(key)
        if found is None:
            if step is END:
                local = 1
            else:
                below = id(step), 0 if rest is None else rest.local
                local = self._locals.setdefault(below, len(self._locals) + 2)
            found = self._threads[key] = Thread(self._next(), step, rest, local)
        return found

    def cut(self, items: Items) -> Cut:
        """A cut of a list."""
        found = self._cuts.get(items)
        if found is None:
            found = self._cuts[items] = Cut(self._next(), items)
        return found

    def commit(self, items: Items) -> Commit:
        """A commit to a list."""
        found = self._commits.get(items)
        if found is None:
            found = self._commits[items] = Commit(self._next(), items)
        return found

    def turns(self, item: Step, minimum: int, maximum: int | None, fresh: bool) -> Turns:
        """Turns that are left of a loop."""
        key = id(item), minimum, maximum, fresh
        found = self._turns.get(key)
        if found is None:
            found = self._turns[key] = Turns(item, minimum, maximum, fresh)
        return found

    def moved(self, thread: Thread | None) -> Thread | None:
        """A stack after a character: no turn in it is one any more in which nothing was read."""
        changed: list[Thread] = []
        while thread is not None and thread.fresh and thread.moved is None:
            changed.append(thread)
            thread = thread.rest
        result = thread if thread is None or not thread.fresh else thread.moved
        for below in reversed(changed):
            step = below.step
            if isinstance(step, Turns) and step.fresh:
                step = self.turns(step.item, step.min, step.max, False)
            result = below.moved = self.thread(step, result)
        return result

    def following(self, chain: Chain, rest: Thread | None) -> Thread | None:
        """What is behind the first item of a chain."""
        at = chain.at + 1
        if at == len(chain.items):
            return rest
        if at == len(chain.items) - 1:
            return self.thread(chain.items[at], rest)
        key = id(chain.items), at
        found = self._chains.get(key)
        if found is None:
            found = self._chains[key] = Chain(chain.items, at)
        return self.thread(found, rest)

    def key(self, item: Item, depth: int = 1) -> int:
        """What decides whether an item of a cut's list ever comes to the end of its part, as a number.

        It leaves out where that leads to: what is behind the ends of ``depth`` parts.
        """
        if isinstance(item, Thread):
            if depth == 1:
                return item.local
            locals_: list[int] = []
            thread: Thread | None = item
            for _ in range(depth):
                locals_.append(0 if thread is None else thread.local)
                thread = None if thread is None else thread.outer
            return self._number(("thread", *locals_))
        if isinstance(item, Cut):
            memo = item, depth
            if memo not in self._keys:
                inner = [self._key_within(part, depth) for part in item.items]
                self._keys[memo] = self._number(("cut", *inner))
            return self._keys[memo]
        return -1  # nothing is left to match, which never fails

    def _key_within(self, item: Item, depth: int) -> int:
        """The part that an item of the list of a cut has in the cut's key."""
        if not isinstance(item, Commit):
            return self.key(item, depth + 1)
        return self._number(("commit", *[self._key_behind(part, depth) for part in item.items]))

    def _key_behind(self, item: Item, depth: int) -> int:
        if not isinstance(item, Commit):
            return self.key(item, depth)
        if depth == 1:
            return -2
        return self._number(("end", *[self._key_behind(part, depth - 1) for part in item.items]))

    def _number(self, key: tuple[object, ...]) -> int:
        """A number for a key, below those of ``Thread.local``, which are none."""
        self._meter.charge(len(key))
        return self._numbers.setdefault(key, -3 - len(self._numbers))

    def compiled(self, tree: Part, classes: list[CharSet], cuts_turns: bool) -> Step:
        """A pattern as steps over classes of characters, equal parts being the same step. No recursion.

        Cost: linear in the parts, in the ranges of the classes, and in the ranges of classes that each set of
        characters in the pattern is made of.
        """
        ranges = sorted((low, number) for number, block in enumerate(classes) for low, _ in block.ranges)
        self._meter.charge(len(ranges))
        members: dict[CharSet, frozenset[int]] = {}
        done: list[Step] = []
        for part in parts(tree):
            self._meter.charge(2)
            match part:
                case One(charset=charset):
                    if charset not in members:
                        members[charset] = self._classes_in(charset, ranges)
                    done.append(self._step(("read", members[charset]), Read(members[charset])))
                case Run(items=items) | Branches(items=items):
                    inner = tuple(done[len(done) - len(items) :])
                    del done[len(done) - len(items) :]
                    made = Chain(inner, 0) if isinstance(part, Run) else Either(inner)
                    done.append(self._step((type(made), *map(id, inner)), made))
                case Atomic():
                    done.append(self._sealed(done.pop()))
                case Loop():
                    done.append(self._loop(done.pop(), part, cuts_turns))
        (step,) = done
        return step

    def _classes_in(self, charset: CharSet, ranges: list[tuple[int, int]]) -> frozenset[int]:
        """The numbers of the classes in a set that is a union of some; ``ranges``: where each one's begin."""
        found: list[int] = []
        for low, high in charset.ranges:
            inside = ranges[bisect_left(ranges, (low,)) : bisect_left(ranges, (high + 1,))]
            self._meter.charge(1 + len(inside) // 8)
            found += [number for _, number in inside]
        members = frozenset(found)
        self._meter.hold(_MEMBER_OCTETS * len(members))
        return members

    def _loop(self, item: Step, loop: Loop, cuts_turns: bool) -> Step:
        least, most = loop.min, loop.max
        turns = self.turns(item, least, most, False)
        if not loop.possessive:
            return turns
        if isinstance(item, Read) or not cuts_turns or least == 0:
            return self._sealed(turns)
        # The turns that have to be there are cut one by one, those that may be there as a whole.
        needed = self.turns(self._sealed(item), least, least, False)
        if most == least:
            return needed
        more = self._sealed(self.turns(item, 0, None if most is None else most - least, False))
        return self._step(("chain", id(needed), id(more)), Chain((needed, more), 0))

    def _sealed(self, item: Step) -> Step:
        return self._step(("sealed", id(item)), Sealed(item))

    def _step(self, key: tuple[object, ...], step: Step) -> Step:
        return self._steps.setdefault(key, step)

    def _next(self) -> int:
        self._count += 1
        self._meter.charge(1)
        self._meter.hold(_OCTETS)
        return self._count


def in_order(items: Iterator[Item] | dict[Item, None]) -> Items:
    """A list of the outermost level, where order does not matter: sorted, so that equal sets are equal."""
    return tuple(sorted(items, key=lambda item: item.number))
