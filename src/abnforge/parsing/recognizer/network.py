"""The network of a grammar: what can be read in one frame of the stack, determinized as it is met.

A recursive transition network (Woods 1970): within the body of a rule reading goes on as in a finite
automaton; a rule that is *called* (``calls``) is read in a frame of its own, and its body's end returns to
what stands behind the call. An ``Item`` is what is left to read in a frame, a partial derivative (Antimirov
1996) as a linked list, like the dotted items of Earley (1970). A ``FrameState`` is a set of items, the subset
construction within the frame.

A called rule that can be empty is also passed by where it is called. So no frame ever ends where it began:
this alone makes hidden left recursion, cycles, and rules that can be empty exact.

*Items.* Of items that differ in the counts of their repetitions alone, those are dropped of which another one
derives all strings, too: ``*998x`` after five iterations is part of the same after four. Where ``x`` can be
empty, or several of it are one ``x`` again, all 998 counts would be alive at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Node, Prose, Ref, Repeat, Seq, factored
from abnforge.grammar.facts import Facts, components

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


# What finding out where an item leads takes, in steps of the budget for each item met.
FOLLOW_COST = 3


class FrameState:
    """A set of items that wait for a character or a call, and whether the frame may end: a state of one
    frame.

    ``pure``: the frame can do nothing but end. Equal states are identical.
    """

    __slots__ = ("_calls", "_covers", "_joined", "_moves", "_network", "final", "items", "number", "pure")

    def __init__(self, network: Network, items: frozenset[Item], final: bool) -> None:
        self._network = network
        self._calls: tuple[tuple[str, FrameState], ...] | None = None
        self._covers: dict[FrameState, bool] = {self: True}
        self._joined: dict[FrameState, FrameState] = {}
        self._moves: dict[str, FrameState | None] = {}
        self.items = items
        self.final = final
        self.number = network.count()
        self.pure = final and not items

    def step(self, char: str) -> FrameState | None:
        """The state after a character, which stands for its class; None when no item reads it."""
        try:
            return self._moves[char]
        except KeyError:
            found = self._moves[char] = self._network.step(self, char)
            return found

    @property
    def calls(self) -> tuple[tuple[str, FrameState], ...]:
        """The rules called here, each with the state to return to."""
        if self._calls is None:
            self._calls = self._network.returns(self)
        return self._calls

    def join(self, other: FrameState) -> FrameState:
        """The union of two states."""
        if other is self:
            return self
        found = self._joined.get(other)
        if found is None:
            found = self._network.state(self.items | other.items, self.final or other.final)
            self._joined[other] = found
        return found

    def covers(self, other: FrameState) -> bool:
        """Whether it is known to lead wherever the other one does: it has the same items, or some that their
        counts allow.
        """
        found = self._covers.get(other)
        if found is None:
            found = self.final >= other.final and allow(self.items, other.items)
            self._covers[other] = found
        return found


class Network:
    """The items and frame states of one grammar. ``bodies`` are what its rules are read by, ``called`` the
    rules that have frames.

    What one item leads to may cost ``budget.steps``; whatever follows items raises LimitExceeded beyond it.
    """

    def __init__(
        self,
        facts: Facts,
        bodies: Mapping[str, Node],
        called: frozenset[str],
        classes: Iterable[CharSet],
        budget: Budget,
    ) -> None:
        self.facts = facts
        self.called = called
        self._bodies = bodies
        self._budget = budget
        self._symbols = [charset.min() for charset in classes]
        self._members: dict[int, frozenset[str]] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._factored: dict[int, tuple[Node, ...]] = {}
        self._nullable: dict[int, bool] = {}
        self._productive: dict[int, bool] = {}
        self.count = count().__next__  # what is made is numbered, so that its order is always the same
        self.forget()

    def forget(self) -> None:
        """Drop all items and states. Those in use stay valid; equal ones made later are different objects."""
        self._items: dict[tuple[int | str, int, int], Item] = {}
        self._shapes: dict[tuple[object, ...], Shape] = {}
        self._states: dict[tuple[frozenset[Item], bool], FrameState] = {}
        self._entries: dict[str, FrameState] = {}
        self._corners: dict[str, Corners] = {}

    @property
    def size(self) -> int:
        """How many items and states there are."""
        return len(self._items) + len(self._states)

    def entry(self, key: str) -> FrameState:
        """The state that a rule's frame begins in."""
        found = self._entries.get(key)
        if found is None:
            if self.facts.productive.isdisjoint((key,)):
                found = self.state(frozenset(), False)
            else:
                found = self.state(*self._closure(self._item(self._bodies[key], None)))
            self._entries[key] = found
        return found

    def corners(self, key: str) -> Corners:
        """The left corners of a called rule: what it calls before any character is read."""
        found = self._corners.get(key)
        if found is None:
            self._find_corners(key)
            found = self._corners[key]
        return found

    def _find_corners(self, key: str) -> None:
        edges: dict[str, tuple[str, ...]] = {}
        waiting = [key]
        while waiting:
            rule = waiting.pop()
            if rule not in edges:
                edges[rule] = tuple(name for name, _ in self.entry(rule).calls)
                waiting += edges[rule]
        for group in components(edges):
            if group[0] in self._corners:
                continue
            members = tuple(group)
            reached: set[str] = set(members)
            for member in members:
                for corner in edges[member]:
                    if corner not in reached:
                        reached |= self._corners[corner].reached
            recursive = len(members) > 1 or members[0] in edges[members[0]]
            # A group is known after all that it leads to: callers have higher ranks.
            made = Corners(members, frozenset(reached), len(self._corners), recursive)
            self._corners.update(dict.fromkeys(members, made))

    def state(self, items: frozenset[Item], final: bool) -> FrameState:
        """The state of a set of items."""
        key = (items, final)
        found = self._states.get(key)
        if found is None:
            kept = undominated(items)
            found = FrameState(self, items, final) if kept is items else self.state(kept, final)
            self._states[key] = found
        return found

    def step(self, state: FrameState, char: str) -> FrameState | None:
        """The state after a character; None when no item reads it. Cost: the items of the state."""
        items: set[Item] = set()
        final = False
        for item in state.items:
            if char in item.reads:
                more, ends = item.behind or self._behind(item)
                items.update(more)
                final = final or ends
        return self.state(frozenset(items), final) if items or final else None

    def returns(self, state: FrameState) -> tuple[tuple[str, FrameState], ...]:
        """The rules called in a state, each with the state to return to."""
        found: dict[str, tuple[frozenset[Item], bool]] = {}
        for item in state.items:
            if type(item.task) is Ref:
                items, final = item.behind or self._behind(item)
                known, ends = found.get(item.task.key, (frozenset(), False))
                found[item.task.key] = known | items, ends or final
        return tuple((key, self.state(*found[key])) for key in sorted(found))

    def _behind(self, item: Item) -> tuple[frozenset[Item], bool]:
        """What waits behind an item once it has read."""
        item.behind = self._closure(item.rest)
        return item.behind

    def _readable(self, node: Chars) -> frozenset[str]:
        """The characters standing for classes that a node reads."""
        found = self._members.get(id(node))
        if found is None:
            found = frozenset(char for char in self._symbols if char in node.charset)
            self._members[id(node)] = found
        return found

    def _closure(self, item: Item | None) -> tuple[frozenset[Item], bool]:
        """The items that wait for a character or a call, behind everything that reads nothing; and whether
        the frame may end there.
        """
        if item is None:
            return frozenset(), True
        if item.closed is None:
            item.closed = self._follow(item)
        return item.closed

    def _follow(self, origin: Item) -> tuple[frozenset[Item], bool]:
        result: list[Item] = []
        final = False
        most = self._budget.steps // FOLLOW_COST
        seen: set[Item] = set()
        stack: list[Item | None] = [origin]
        while stack:
            item = stack.pop()
            if item is None:
                final = True
                continue
            if item in seen:
                continue
            seen.add(item)
            if len(seen) > most:
                self._budget.meter("lookahead of the grammar").charge(FOLLOW_COST * len(seen))
            task, rest = item.task, item.rest
            match task:
                case Chars():
                    item.reads = self._readable(task)
                    result.append(item)
                case Ref(key=key):
                    if key in self.called:
                        if key in self.facts.productive:
                            result.append(item)
                        if key in self.facts.nullable:
                            stack.append(rest)
                    elif key in self.facts.productive:
                        stack.append(self._item(self._bodies[key], rest))
                case Seq(items=items):
                    if item.index == len(items):
                        stack.append(rest)
                    elif item.index or self._is_productive(task):
                        last = item.index == len(items) - 1
                        behind = rest if last else self._item(task, rest, item.index + 1)
                        stack.append(self._item(items[item.index], behind))
                case Choice():
                    stack.extend(self._item(one, rest) for one in self._alternatives(task))
                case Repeat(item=one):
                    # Iterations that a minimum asks for can be empty where the item can.
                    least = 0 if self._is_nullable(one) else task.min
                    if least == 0:
                        stack.append(rest)
                    if task.max != 0 and self._is_productive(one):
                        again = self._again(item, task, least)
                        stack.append(self._item(one, again))
                        if least == 0 and again is not None and again is not rest:
                            # Behind an iteration that read nothing: no more than what begins here.
                            seen.add(again)
                case Prose():
                    pass
        return undominated(frozenset(result)), final

    def _again(self, item: Item, task: Repeat, least: int) -> Item | None:
        """What is left to read after one more iteration."""
        if task.max is None and task.min == 0:
            return item
        if task.max == 1:
            return item.rest
        most = None if task.max is None else task.max - 1
        return self._item(self._repeat(task.item, max(0, least - 1), most), item.rest)

    def _repeat(self, item: Node, least: int, most: int | None) -> Repeat:
        key = (id(item), least, most)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(item, least, most)
        return found

    def _item(self, task: Node, rest: Item | None, index: int = 0) -> Item:
        key = (task.key if type(task) is Ref else id(task), index, id(rest))
        found = self._items.get(key)
        if found is None:
            counts = () if rest is None else rest.counts
            below = None if rest is None else rest.shape
            look: tuple[object, ...]
            if type(task) is Repeat and (task.min, task.max) not in ((0, None), (0, 1)):
                look = ("count", id(task.item), below, None)
                counts = ((task.min, ENDLESS if task.max is None else task.max), *counts)
            else:
                look = (key[0], index, below)
            shape = self._shapes.get(look)
            if shape is None:
                shape = self._shapes[look] = Shape()
            found = self._items[key] = Item(task, index, rest, shape, counts)
        return found

    def _alternatives(self, choice: Choice) -> tuple[Node, ...]:
        found = self._factored.get(id(choice))
        if found is None:
            # What was made stays, as long as it is known by its identity.
            found = self._factored[id(choice)] = factored(choice)
        return found

    def _is_nullable(self, node: Node) -> bool:
        found = self._nullable.get(id(node))
        if found is None:
            found = self._nullable[id(node)] = self.facts.is_nullable(node)
        return found

    def _is_productive(self, node: Node) -> bool:
        found = self._productive.get(id(node))
        if found is None:
            found = self._productive[id(node)] = self.facts.is_productive(node)
        return found


class Corners:
    """A group of called rules that call one another before any character is read; most have one member.

    ``reached`` are the rules that they call so, themselves included; ``rank`` is higher than that of every
    group reached from here. ``recursive``: the members are left-recursive.
    """

    __slots__ = ("members", "rank", "reached", "recursive")

    def __init__(self, members: tuple[str, ...], reached: frozenset[str], rank: int, recursive: bool) -> None:
        self.members = members
        self.reached = reached
        self.rank = rank
        self.recursive = recursive
