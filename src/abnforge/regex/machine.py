"""Simulate a backtracking engine as a deterministic automaton that is built state by state.

An engine tries ways through a pattern in order of preference. The machine follows all ways at the same time,
as a list in that order.

* A :class:`Thread` is one way: the rest of the pattern. It reads one character next.
* An :class:`AtomicRun` is an atomic group in progress: the list of ways through it.
* An :class:`AtomicExit` ends such a list: the group matched up to a position, and the exit holds the ways
  that continue from there. They count if all ways before the exit fail. Engines never try ways after it.

Such a list is a state. The machine accepts the input if some way in the outermost list accepts it, since
engines try all ways. Within an atomic group, only the first way that reaches the end of the group counts.

*Number of states*. The content of an exit counts only if all ways before it in its list fail. A way in the
exit fails, too, if its steps up to the end of its group are the same as those of such a way. So ``_pruned``
removes it; otherwise ``(?>a*b|a)*`` would nest exits without end. Whether this makes the number of states
finite has not been proved; the meter stops a machine that grows without end.

The interner creates each value only once (hash consing). So equal values are the same object, and the items
of lists are compared by identity, in constant time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Union

from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.regex.ast import (
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Regex,
    postorder,
)

# Estimated sizes in bytes: a thread, run or exit with its place in tables; a class as a member of a set; a
# state as the target of another state.
_ITEM_BYTES = 400
_MEMBER_BYTES = 70
_MOVE_BYTES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Suffix:
    """The items of a concatenation from index ``at`` on."""

    items: tuple[Regex, ...]
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class StartedLoop:
    """Up to ``max`` further turns of a loop whose current turn has not read a character."""

    item: Regex
    max: int | None


class AtomicEnd:
    """The end of an atomic group."""

    __slots__ = ()


Step = Union[Regex, Suffix, StartedLoop, AtomicEnd]
END = AtomicEnd()
_NO_CLASSES: frozenset[int] = frozenset()


class Thread:
    """A stack of steps to match: ``step``, and then ``rest`` (None: nothing).

    The stack is as deep as the pattern is nested, since the rest of a concatenation is one step.

    ``level`` is the number of open atomic groups. ``local`` identifies the steps up to the end of the
    innermost group, and ``outer`` is the stack after that group.
    """

    __slots__ = ("classes", "fresh", "level", "local", "moved", "number", "opened", "outer", "rest", "step")

    def __init__(
        self, number: int, step: Step, rest: Thread | None, local: int, classes: frozenset[int]
    ) -> None:
        self.number = number
        self.step = step
        self.rest = rest
        self.local = local
        self.level: int = (0 if rest is None else rest.level) + (step is END)
        self.outer: Thread | None = rest if step is END or rest is None else rest.outer
        self.classes = classes  # the character classes that it reads next
        # True if a loop in the stack has started a turn that has not read a character.
        self.fresh: bool = isinstance(step, StartedLoop) or (rest is not None and rest.fresh)
        self.opened: Items | None = None  # ways up to the next character, if computed
        self.moved: Thread | None = None  # stack after a character, if computed


class AtomicRun:
    """An atomic group in progress."""

    __slots__ = ("items", "number")

    def __init__(self, number: int, items: Items) -> None:
        self.number = number
        self.items = items


class AtomicExit:
    """The end of an atomic group at a position: a list of the ways from there, outside the group."""

    __slots__ = ("items", "number")

    def __init__(self, number: int, items: Items) -> None:
        self.number = number
        self.items = items


class Accepted:
    """The end of a match."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


Item = Union[Thread, AtomicRun, AtomicExit, Accepted]
Items = tuple[Item, ...]
ACCEPTED = Accepted()

# The lists after a character, by the number of its class, and the list after any other character.
Moves = tuple[Mapping[int, Items], Items]


class Interner:
    """The values of one pattern, each created only once.

    The values are charged to ``meter``. Raises LimitExceeded.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._nodes: dict[tuple[object, ...], Regex] = {}
        self._loops: dict[tuple[int, int, int | None], Iteration] = {}
        self._started: dict[tuple[int, int | None], StartedLoop] = {}
        self._suffixes: dict[tuple[int, int], Suffix] = {}
        self._classes: dict[int, frozenset[int]] = {}
        self._threads: dict[tuple[int, int], Thread] = {}
        self._runs: dict[Items, AtomicRun] = {}
        self._exits: dict[Items, AtomicExit] = {}
        self._locals: dict[tuple[int, int], int] = {}
        self._keys: dict[tuple[AtomicRun, int], int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._count = 0

    def thread(self, step: Step, rest: Thread | None) -> Thread:
        key = id(step), 0 if rest is None else rest.number
        thread = self._threads.get(key)
        if thread is None:
            if step is END:
                local = 1
            else:
                below = id(step), 0 if rest is None else rest.local
                local = self._locals.setdefault(below, len(self._locals) + 2)
            classes = self._classes.get(id(step), _NO_CLASSES)
            thread = self._threads[key] = Thread(self._next(), step, rest, local, classes)
        return thread

    def run(self, items: Items) -> AtomicRun:
        run = self._runs.get(items)
        if run is None:
            run = self._runs[items] = AtomicRun(self._next(), items)
        return run

    def exit(self, items: Items) -> AtomicExit:
        end = self._exits.get(items)
        if end is None:
            end = self._exits[items] = AtomicExit(self._next(), items)
        return end

    def loop(self, item: Regex, minimum: int, maximum: int | None) -> Iteration:
        key = id(item), minimum, maximum
        loop = self._loops.get(key)
        if loop is None:
            loop = self._loops[key] = Iteration(item, minimum, maximum)
        return loop

    def started(self, item: Regex, maximum: int | None) -> StartedLoop:
        """Return the remaining turns of a loop that has started a turn."""
        key = id(item), maximum
        loop = self._started.get(key)
        if loop is None:
            loop = self._started[key] = StartedLoop(item, maximum)
        return loop

    def moved(self, thread: Thread | None) -> Thread | None:
        """Return a stack after a character: all started turns have read that character."""
        changed: list[Thread] = []
        while thread is not None and thread.fresh and thread.moved is None:
            changed.append(thread)
            thread = thread.rest
        result = thread if thread is None or not thread.fresh else thread.moved
        for below in reversed(changed):
            step = below.step
            if isinstance(step, StartedLoop):
                step = self.loop(step.item, 0, step.max)
            result = below.moved = self.thread(step, result)
        return result

    def following(self, items: tuple[Regex, ...], at: int, rest: Thread | None) -> Thread | None:
        """Return the stack after the item at ``at`` of a concatenation."""
        at += 1
        if at == len(items):
            return rest
        if at == len(items) - 1:
            return self.thread(items[at], rest)
        key = id(items), at
        suffix = self._suffixes.get(key)
        if suffix is None:
            suffix = self._suffixes[key] = Suffix(items, at)
        return self.thread(suffix, rest)

    def key(self, item: Item, depth: int = 1) -> int:
        """Return a number that identifies an item's steps up to the end of its group.

        Items with equal keys reach the end in the same cases. Steps after the ends of ``depth`` groups do not
        count.
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
        if isinstance(item, AtomicRun):
            memo = item, depth
            if memo not in self._keys:
                inner = [self._key_within(part, depth) for part in item.items]
                self._keys[memo] = self._number(("run", *inner))
            return self._keys[memo]
        return -1  # accepted, which never fails

    def _key_within(self, item: Item, depth: int) -> int:
        """Return the contribution of an item in a run to the run's key."""
        if not isinstance(item, AtomicExit):
            return self.key(item, depth + 1)
        return self._number(("exit", *[self._key_after(part, depth) for part in item.items]))

    def _key_after(self, item: Item, depth: int) -> int:
        if not isinstance(item, AtomicExit):
            return self.key(item, depth)
        if depth == 1:
            return -2
        return self._number(("end", *[self._key_after(part, depth - 1) for part in item.items]))

    def _number(self, key: tuple[object, ...]) -> int:
        """Return the number of a key, below -2, so that it differs from every ``Thread.local``."""
        self._meter.charge(len(key))
        return self._numbers.setdefault(key, -3 - len(self._numbers))

    def interned(self, tree: Regex, classes: list[CharSet]) -> Regex:
        """Return a tree whose equal nodes are the same object. The function is not recursive.

        Complexity: linear in the number of nodes, in the ranges of the classes, and in the ranges of the
        classes that each character set contains.
        """
        ranges = sorted((low, number) for number, block in enumerate(classes) for low, _ in block.ranges)
        self._meter.charge(len(ranges))
        members: dict[CharSet, frozenset[int]] = {}
        done: list[Regex] = []
        for node in postorder(tree):
            self._meter.charge(2)
            match node:
                case CharacterClass(charset=charset):
                    if charset not in members:
                        members[charset] = self._classes_in(charset, ranges)
                    character_class = self._node(("class", members[charset]), node)
                    self._classes[id(character_class)] = members[charset]
                    done.append(character_class)
                case Concat(items=items) | Alternatives(items=items):
                    inner = tuple(done[len(done) - len(items) :])
                    del done[len(done) - len(items) :]
                    done.append(self._node((type(node), *map(id, inner)), type(node)(inner)))
                case AtomicGroup():
                    item = done.pop()
                    done.append(self._node((AtomicGroup, id(item)), AtomicGroup(item)))
                case Iteration():
                    done.append(self.loop(done.pop(), node.min, node.max))
        (root,) = done
        return root

    def _classes_in(self, charset: CharSet, ranges: list[tuple[int, int]]) -> frozenset[int]:
        """Return the numbers of the classes that form a set; ``ranges`` has the ranges of all classes."""
        numbers: list[int] = []
        for low, high in charset.ranges:
            inside = ranges[bisect_left(ranges, (low,)) : bisect_left(ranges, (high + 1,))]
            self._meter.charge(1 + len(inside) // 8)
            numbers += [number for _, number in inside]
        members = frozenset(numbers)
        self._meter.hold(_MEMBER_BYTES * len(members))
        return members

    def _node(self, key: tuple[object, ...], node: Regex) -> Regex:
        return self._nodes.setdefault(key, node)

    def _next(self) -> int:
        self._count += 1
        self._meter.charge(1)
        self._meter.hold(_ITEM_BYTES)
        return self._count


class PatternMachine:
    """The states of one pattern over character classes.

    Each visit to an item of a list is one step of ``meter``. All methods raise LimitExceeded.
    """

    def __init__(self, tree: Regex, classes: list[CharSet], meter: Meter) -> None:
        self._interner = Interner(meter)
        self._meter = meter
        self._moves: dict[tuple[Items, int], Moves] = {}
        self._prunings: dict[tuple[Items, frozenset[int], int], Items] = {}
        root = self._interner.interned(tree, classes)
        self.start: Items = in_order(dict.fromkeys(self._opened(self._interner.thread(root, None))))

    def moves(self, state: Items) -> Mapping[int, Items]:
        """Return the live states after one more character, by the number of its class.

        Complexity: the number of classes that each item of the list can read.
        """
        moves, rest = self._all_moves(state, 0)
        assert not rest, "no transition on an unread character"
        return moves

    def accepts(self, state: Items) -> bool:
        for item in state:
            if item is ACCEPTED:
                return True
            if isinstance(item, AtomicRun):
                after = self._at_end(item.items)
                if after is not None and self.accepts(after):
                    return True
        return False

    def _at_end(self, items: Items) -> Items | None:
        """Return the content of the first exit of a run at the end of the input, or None."""
        for item in items:
            if isinstance(item, AtomicExit):
                return item.items
            if isinstance(item, AtomicRun):
                inner = self._at_end(item.items)
                after = None if inner is None else self._at_end(inner)
                if after is not None:
                    return after
        return None

    # Ways up to the next character

    def _opened(self, thread: Thread | None) -> Items:
        """Return the ways of a stack, each up to its next character, without recursion."""
        if thread is None:
            return (ACCEPTED,)
        waiting = [thread]
        while waiting:
            current = waiting[-1]
            if current.opened is None:
                needed = self._needed(current)
                missing = [t for t in needed if t is not None and t.opened is None]
                if missing:
                    waiting += missing
                    self._meter.charge(len(missing))
                    continue
                lists = [(ACCEPTED,) if t is None else t.opened or () for t in needed]
                current.opened = self._combined(current, lists)
            waiting.pop()
        return thread.opened or ()

    def _needed(self, thread: Thread) -> list[Thread | None]:
        """Return the stacks after a step that reads no character, in order of preference."""
        step, rest = thread.step, thread.rest
        interner, push = self._interner, self._interner.thread
        match step:
            case CharacterClass():
                return []
            case Concat(items=items) if items:
                return [push(items[0], interner.following(items, 0, rest))]
            case Suffix(items=items, at=at):
                return [push(items[at], interner.following(items, at, rest))]
            case Alternatives(items=items):
                return [push(item, rest) for item in items]
            case AtomicGroup(item=item):
                return [push(item, push(END, rest))]
            case Iteration(item=item, min=minimum, max=maximum) if maximum != 0:
                less = None if maximum is None else maximum - 1
                if minimum > 0:
                    return [
                        push(item, rest if less == 0 else push(interner.loop(item, minimum - 1, less), rest))
                    ]
                return [push(item, rest if less == 0 else push(interner.started(item, less), rest)), rest]
        return [rest]  # an empty step, a turn that ends without a character, or END

    def _combined(self, thread: Thread, lists: list[Items]) -> Items:
        step = thread.step
        if isinstance(step, CharacterClass):
            return (thread,)
        if step is END:
            return (self._interner.exit(lists[0]),)
        if isinstance(step, AtomicGroup):
            return self._run(lists[0], thread.level)
        return self._joined(lists, thread.level)

    # Lists

    def _joined(self, lists: Iterable[Items], level: int) -> Items:
        """Concatenate lists of a level up to the first exit, without repeated items."""
        joined: dict[Item, None] = {}
        for items in lists:
            self._meter.charge(1 + len(items))
            for item in items:
                joined[item] = None
                if isinstance(item, AtomicExit):
                    return tuple(joined)
        return tuple(joined) if level else in_order(joined)

    def _run(self, items: Items, level: int) -> Items:
        """Return the list outside a run whose inner list is ``items``; ``level`` is the outer level."""
        if not items:
            return ()
        if isinstance(items[0], AtomicExit):
            return items[0].items
        last = items[-1]
        if isinstance(last, AtomicExit):
            keys = frozenset([self._interner.key(item) for item in items[:-1]])
            after = self._pruned(last.items, keys, level)
            if not after:  # an exit without ways fails
                items = items[:-1]
            elif after is not last.items:
                items = (*items[:-1], self._interner.exit(after))
        return (self._interner.run(items),)

    def _pruned(self, items: Items, failing: frozenset[int], level: int) -> Items:
        """Return a list without the items that must fail if the items with the keys ``failing`` fail."""
        self._meter.charge(1 + len(items))
        memo = items, failing, level
        result = self._prunings.get(memo)
        if result is not None:
            return result
        remaining: dict[Item, None] = {}
        for item in items:
            if isinstance(item, AtomicExit):
                after = self._pruned(item.items, failing, level - 1)
                remaining[item if after is item.items else self._interner.exit(after)] = None
                break
            if self._interner.key(item) in failing:
                continue
            if not isinstance(item, AtomicRun):
                remaining[item] = None
                continue
            inner = self._pruned(item.items, failing, level + 1)
            left = (item,) if inner is item.items else self._run(inner, level)
            remaining.update(dict.fromkeys(left))
            if left and isinstance(left[-1], AtomicExit):
                break
        result = tuple(remaining) if level else in_order(remaining)
        if result == items:
            result = items
        self._prunings[memo] = result
        return result

    # Moves

    def _all_moves(self, items: Items, level: int) -> Moves:
        """Return the lists of a level after each possible next character."""
        memo = items, level
        result = self._moves.get(memo)
        if result is None:
            lists: dict[int, list[Items]] = {}  # by class
            elsewhere: list[Items] = []
            for item in items:
                moves, other = self._item_moves(item, level)
                self._meter.charge(1 + len(moves) // 4)
                for number, after in moves.items():
                    lists.setdefault(number, elsewhere[:]).append(after)
                if other:
                    elsewhere.append(other)
                    self._meter.charge(len(lists) // 4)
                    for number in lists.keys() - moves.keys():
                        lists[number].append(other)
            rest = self._joined(elsewhere, level)
            joined = ((number, self._joined(ways, level)) for number, ways in lists.items())
            result = {number: after for number, after in joined if after != rest}, rest
            self._moves[memo] = result
            self._meter.hold(sum(_MOVE_BYTES + 8 * len(after) for after in result[0].values()))
        return result

    def _item_moves(self, item: Item, level: int) -> Moves:
        """Return the lists for one item. An exit without ways is still an exit, which ends the list."""
        if isinstance(item, Thread):
            return dict.fromkeys(item.classes, self._opened(self._interner.moved(item.rest))), ()
        if isinstance(item, AtomicRun):
            moves, rest = self._all_moves(item.items, level + 1)
            runs = {number: self._run(inner, level) for number, inner in moves.items()}
            return runs, self._run(rest, level)
        if isinstance(item, AtomicExit):
            leave = self._interner.exit
            moves, rest = self._all_moves(item.items, level - 1)
            return {number: (leave(after),) for number, after in moves.items()}, (leave(rest),)
        return {}, ()


def in_order(items: Iterator[Item] | dict[Item, None]) -> Items:
    """Return a sorted list of the outermost level, where order does not matter."""
    return tuple(sorted(items, key=lambda item: item.number))
