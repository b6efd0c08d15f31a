"""Which derivation: the choice among all those of a string.

The contract (RFC 3986 3.2.2 "first match wins", RFC 2396 4.3 "greedy"): among the derivations of
the *whole* string, the first alternative in declaration order that leads to one;
repetitions take as much as they can while the rest can still be derived; decided from left to
right. An optional iteration that matches the empty string is not taken.

This module does not parse. It is told which parts of the text each rule derives (``Spans``, from
a parser that found all of them) and walks the core form once, from left to right, asking at each
decision whether the rest can still be derived. That question depends only on the place where a
part ends, so sets of ends answer it exactly: bit ``e`` of an integer stands for offset ``e``.

Cost: linear in the text for grammars whose rules have few ends per start (all of RFC 3986); at worst
quadratic in the number of spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abnforge.analysis.core_form import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Core,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
)
from abnforge.analysis.facts import Facts
from abnforge.engine.lanes.trees import Event

# rule key -> start offset -> ends, as bits
Spans = Mapping[str, Mapping[int, int]]


def bits(value: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while value:
        low = value & -value
        yield low.bit_length() - 1
        value ^= low


class Ends:
    """Where a part of a rule can end, given where it starts. Everything is memoised."""

    def __init__(self, core: Core, facts: Facts, text: str, spans: Spans) -> None:
        self._facts = facts
        self._text = text
        self._spans = spans
        self._memo: dict[tuple[int, int, int], int] = {}
        self.core = core

    def of(self, node: Node, start: int) -> int:
        """The ends of a node that starts at ``start``."""
        match node:
            case Chars(charset=charset):
                return 2 << start if start < len(self._text) and self._text[start] in charset else 0
            case Ref(key=key):
                ends = self._spans.get(key, {}).get(start, 0)
                return ends | 1 << start if key in self._facts.nullable else ends
            case Prose():
                return 0
            case Seq():
                return self.of_rest(node, 0, start)
            case Choice(items=items):
                result = 0
                for item in items:
                    result |= self.of(item, start)
                return result
            case Repeat():
                return self._of_repeat(node, start)

    def of_rest(self, node: Seq, index: int, start: int) -> int:
        """The ends of ``node.items[index:]`` when it starts at ``start``."""
        if index == len(node.items):
            return 1 << start
        if index == len(node.items) - 1:
            return self.of(node.items[index], start)
        key = (id(node), index, start)
        found = self._memo.get(key)
        if found is None:
            found = 0
            for end in bits(self.of(node.items[index], start)):
                found |= self.of_rest(node, index + 1, end)
            self._memo[key] = found
        return found

    def _of_repeat(self, node: Repeat, start: int) -> int:
        key = (id(node), -1, start)
        found = self._memo.get(key)
        if found is None:
            if node.max is None and node.min == 0:
                found = self._of_star(node, start)
            else:
                found = 0
                for front in self.fronts(node, start)[self.minimum(node) :]:
                    found |= front
            self._memo[key] = found
        return found

    def _of_star(self, node: Repeat, start: int) -> int:
        """The closure of the item's ends. Fills the memo for every place on the way, last ones first."""
        order: list[int] = []
        seen = {start}
        stack = [start]
        while stack:
            place = stack.pop()
            order.append(place)
            for end in bits(self.of(node.item, place) & ~(1 << place)):
                if end not in seen and (id(node), -1, end) not in self._memo:
                    seen.add(end)
                    stack.append(end)
        for place in sorted(order, reverse=True):
            found = 1 << place
            for end in bits(self.of(node.item, place) & ~(1 << place)):
                found |= self._memo[(id(node), -1, end)]
            self._memo[(id(node), -1, place)] = found
        return self._memo[(id(node), -1, start)]

    def minimum(self, node: Repeat) -> int:
        """The iterations a repetition must have.

        A nullable item can do all its work in one iteration a character, so a larger minimum asks
        for nothing but empty iterations; beyond MAX_EMPTY_ITERATIONS they are left out of the tree.
        """
        if self._facts.is_nullable(node.item):
            return min(node.min, MAX_EMPTY_ITERATIONS)
        return node.min

    def fronts(self, node: Repeat, start: int) -> list[int]:
        """Element k: where k iterations can end. Stops when no further count adds anything."""
        minimum = self.minimum(node)
        result = [1 << start]
        while node.max is None or len(result) <= node.max:
            front = 0
            for place in bits(result[-1]):
                ends = self.of(node.item, place)
                # Beyond the minimum an iteration must consume something.
                front |= ends if len(result) <= minimum else ends & ~(1 << place)
            if not front:
                break
            result.append(front)
        return result


class _Stack:
    """What is left to do: a linked list, so that an earlier one can be returned to in O(1).

    ``task`` is one of: a node to derive; ``(seq, index)``, a sequence from an item on;
    ``(repeat, counts)``, a repetition with its allowed fronts; a rule key, the end of that rule's tree node,
    which began at ``start``. ``ends`` are the offsets at which the task may end.
    """

    __slots__ = ("ends", "rest", "start", "task")

    def __init__(self, task: _Task, ends: int, start: int, rest: _Stack | None) -> None:
        self.task = task
        self.ends = ends
        self.start = start
        self.rest = rest


_Task = Node | str | tuple[Seq, int] | tuple[Repeat, int, list[int] | None]


def choose(core: Core, facts: Facts, start: str, text: str, spans: Spans) -> list[Event]:
    """The preferred derivation of ``text`` from the rule ``start`` (a key), as the begins and ends of rules.

    ``spans`` must hold every span that takes part in a derivation of the whole text. Raises
    ValueError when there is none. A string has infinitely many derivations from a rule that derives
    itself and nothing else; a derivation never repeats such a step at the same place and with the
    same ends allowed.
    """
    ends = Ends(core, facts, text, spans)
    goal = 1 << len(text)
    if not ends.of(Ref(start), 0) & goal:
        raise ValueError(f"the text is not derived from {core.names[start]}")
    events: list[Event] = []
    todo: _Stack | None = _Stack(Ref(start), goal, 0, None)
    position = 0
    # Decisions that can be taken back: what to do instead, from which place. Needed only where
    # rules derive themselves; everywhere else the first decision is known to be right.
    cyclic = not facts.cyclic.isdisjoint(facts.reachable(start))
    undo: list[tuple[_Stack, int, int]] = []

    while todo is not None:
        task, allowed, begin, rest = todo.task, todo.ends, todo.start, todo.rest
        match task:
            case str():
                events.append(("", position))
                todo = rest
            case Chars():
                position += 1
                todo = rest
            case Ref(key=key):
                if cyclic and _repeats(todo, key, position):
                    todo, position, length = undo.pop()
                    del events[length:]
                    continue
                events.append((key, position))
                todo = _Stack(core.rules[key], allowed, position, _Stack(key, allowed, position, rest))
            case Choice(items=items):
                options = [item for item in items if ends.of(item, position) & allowed]
                if cyclic:
                    undo += [
                        (_Stack(item, allowed, position, rest), position, len(events))
                        for item in reversed(options[1:])
                    ]
                todo = _Stack(options[0], allowed, position, rest)
            case Seq():
                todo = _Stack((task, 0), allowed, position, rest)
            case (Seq() as seq, index):
                if index == len(seq.items):
                    todo = rest
                    continue
                here = 0
                for end in bits(ends.of(seq.items[index], position)):
                    if ends.of_rest(seq, index + 1, end) & allowed:
                        here |= 1 << end
                todo = _Stack(
                    seq.items[index], here, position, _Stack((seq, index + 1), allowed, begin, rest)
                )
            case Repeat():
                if task.max is None and task.min == 0:
                    todo = _Stack((task, 0, None), allowed, position, rest)
                else:
                    todo = _Stack(
                        (task, 0, _allowed_fronts(ends, task, position, allowed)), allowed, position, rest
                    )
            case (Repeat() as repeat, count, fronts):
                here = 0
                mandatory = count < ends.minimum(repeat)
                for end in bits(ends.of(repeat.item, position)):
                    if end == position and not mandatory:
                        continue
                    if fronts is None:
                        viable = ends.of(repeat, end) & allowed
                    else:
                        viable = count + 1 < len(fronts) and fronts[count + 1] >> end & 1
                    if viable:
                        here |= 1 << end
                if not here:
                    todo = rest
                    continue
                if cyclic and not mandatory and allowed >> position & 1:
                    assert rest is not None
                    undo.append((rest, position, len(events)))
                again = _Stack((repeat, count + 1, fronts), allowed, begin, rest)
                todo = _Stack(repeat.item, here, position, again)
            case _:
                raise AssertionError(f"no derivation passes through {task!r}")
    return events


def _repeats(todo: _Stack, key: str, position: int) -> bool:
    """Whether the rule is already being derived from this place with the same ends allowed."""
    above = todo.rest
    while above is not None and above.start >= position:
        if above.task == key and above.start == position and above.ends == todo.ends:
            return True
        above = above.rest
    return False


def _allowed_fronts(ends: Ends, node: Repeat, start: int, allowed: int) -> list[int]:
    """Element k: where k iterations may end so that further ones, or none, end in ``allowed``."""
    fronts = ends.fronts(node, start)
    minimum = ends.minimum(node)
    following = 0
    for count in range(len(fronts) - 1, -1, -1):
        front = fronts[count] & allowed if count >= minimum else 0
        for place in bits(fronts[count]):
            if ends.of(node.item, place) & following:
                front |= 1 << place
        fronts[count] = following = front
    return fronts
