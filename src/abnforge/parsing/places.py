"""Places in a grammar: what is left to read within one call, and what can be done there, in order of
preference.

A place is a linked list of things still to be read, with a mark where each rule ends that was written out: a
partial derivative (Antimirov 1996), as the states of the automaton are. But some rules are *called*: what
they read is not written out, and the list ends where the call does. Only as many rules are called as
recursion asks for, so there are finitely many places in a grammar whose repetitions have small counts.

The *closure* of a place is what can be done there before a character is read: read one, call a rule, or end
the call, each behind the begins and ends of rules on the way. It comes in the order of preference of the
contract (depth first, alternatives in order, another iteration before none), and does not depend on what
comes next. A place that can be reached in two ways is kept with the first of them, since all that follows is
the same.

A called rule that can be empty is called, and passed as well: its preferred empty derivation stands between
what it does before it would end, and what it does instead of ending (its closure's ``cut``).

Cost of a closure: linear in the parts of the grammar that it passes; at most MAX_CLOSURE places. It recurses
with rules that can be empty and begin with others of the kind (``Frames`` bounds how many).
"""

from __future__ import annotations

from collections.abc import Mapping

from abnforge.automata.derivatives import EventPaths
from abnforge.charset import CharSet
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
    factored,
)
from abnforge.grammar.facts import Facts
from abnforge.parsing.trace import CALL, END, RETURN, TOO_WIDE, TransducerError

# Places that one closure may pass.
MAX_CLOSURE = 4_000

# Passing one, in steps of the budget.
FOLLOW_COST = 3

Events = tuple[str, ...]


class Read:
    """A character out of a set is read; then ``rest`` is left. ``events`` are on the way to the character."""

    __slots__ = ("charset", "events", "rest")

    def __init__(self, charset: CharSet, events: Events, rest: Place | None) -> None:
        self.charset = charset
        self.events = events
        self.rest = rest


class Call:
    """A rule is called; then ``rest`` is left. ``behind``: what the rule does instead of ending at once."""

    __slots__ = ("behind", "events", "key", "rest")

    def __init__(self, key: str, events: Events, rest: Place | None, behind: bool) -> None:
        self.key = key
        self.events = events
        self.rest = rest
        self.behind = behind


class Closure:
    """What can be done at a place. ``final`` are the events on the way to the end of the call, None where it
    cannot end here; then ``cut`` is the number of steps that are preferred to ending.

    ``twice``: something here can be reached in two ways that read the same.
    """

    __slots__ = ("cost", "cut", "final", "steps", "twice")

    def __init__(
        self, steps: tuple[Read | Call, ...], final: Events | None, cut: int, twice: bool, cost: int
    ) -> None:
        self.steps = steps
        self.final = final
        self.cut = cut
        self.twice = twice
        self.cost = cost


class Place:
    """A task (of a sequence its items from ``index`` on; a rule's key: its end), then ``rest``.

    ``ends``: nothing is left but the ends of rules.
    """

    __slots__ = ("closure", "ends", "index", "rest", "task")

    def __init__(self, task: Node | str, index: int, rest: Place | None) -> None:
        self.task = task
        self.index = index
        self.rest = rest
        self.ends: bool = isinstance(task, str) and (rest is None or rest.ends)
        self.closure: Closure | None = None


class Places:
    """The places of one grammar. ``facts`` are about its rules as they are read; ``marks`` stand in them for
    events; ``called`` are the rules that are called.
    """

    def __init__(self, facts: Facts, marks: Mapping[Node, str], called: frozenset[str]) -> None:
        self._facts = facts
        self._bodies = facts.core.rules
        self._marks = marks
        self._called = called
        self._known: dict[tuple[int | str, int, int], Place] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._all_productive = not marks and len(facts.productive) == len(facts.core.rules)
        self._nullable: dict[Node, bool] = {}
        self._productive: dict[Node, bool] = {}
        self._events: dict[Events, Events] = {}
        self._alternatives: dict[Choice, tuple[Node, ...]] = {}

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self._known)

    def forget(self) -> None:
        """Drop all places."""
        self._known.clear()
        self._repeats.clear()
        self._events.clear()
        self._alternatives.clear()

    def start(self, key: str) -> Place:
        """Where reading a text by a rule begins."""
        return self._place(Ref(key), None)

    def entry(self, key: str) -> Place:
        """Where a called rule begins."""
        return self._place(self._bodies[key], None)

    def closure(self, place: Place) -> Closure:
        """What can be done at a place. Raises TransducerError when that is too much."""
        if place.closure is None:
            place.closure = self._follow(place)
        return place.closure

    def _follow(self, origin: Place) -> Closure:
        steps: list[Read | Call] = []
        final: Events | None = None
        cut = 0
        twice = False
        factoring = 0  # alternatives that need not be followed, but were looked at: a step each
        paths = EventPaths()
        seen: set[tuple[Place, int]] = set()
        reading: set[Place] = set()
        # With the iterations begun in which nothing was read yet: they are inside all others, so the marks
        # behind these are the first ones that are met, and are not passed.
        stack: list[tuple[Place | Call | None, int, int]] = [(origin, 0, 0)]
        while stack:
            place, unread, way = stack.pop()
            if place is None:
                if final is None:
                    final, cut = self._shared(paths.events(way)), len(steps)
                else:
                    twice = True
                continue
            if isinstance(place, Call):
                steps.append(place)
                continue
            task, rest = place.task, place.rest
            if task is _READ_SOMETHING and unread:
                continue
            if (place, unread) in seen:
                twice = True
                continue
            seen.add((place, unread))
            if len(seen) > MAX_CLOSURE:
                raise TransducerError(TOO_WIDE)
            match task:
                case str():
                    stack.append((rest, unread, paths.add(END, way)))
                case Chars(charset=charset):
                    if place in reading:
                        twice = True
                    else:
                        reading.add(place)
                        steps.append(Read(charset, self._shared(paths.events(way)), rest))
                case Seq(items=items):
                    if place.index == len(items):
                        if task in self._marks:
                            way = paths.add(self._marks[task], way)
                        stack.append((rest, unread, way))
                    elif place.index or self._is_productive(task):
                        last = place.index == len(items) - 1
                        following = rest if last else self._place(task, rest, place.index + 1)
                        stack.append((self._place(items[place.index], following), unread, way))
                case Choice():
                    items = self._items_of(task)
                    factoring += len(task.items) - len(items)
                    stack.extend((self._place(item, rest), unread, way) for item in reversed(items))
                case Repeat(item=item, min=minimum):
                    again = self._again(place, task)
                    if minimum == 0:
                        stack.append((rest, unread, way))
                        if self._is_nullable(item):
                            again = self._place(_READ_SOMETHING, again)
                            unread += 1
                    if self._is_productive(item):
                        stack.append((self._place(item, again), unread, way))
                case Ref(key=key) if key not in self._facts.productive:
                    pass
                case Ref(key=key) if key not in self._called:
                    inside = self._place(self._bodies[key], self._place(key, rest))
                    stack.append((inside, unread, paths.add(key, way)))
                case Ref(key=key) if rest is None or rest.ends:
                    # A tail call: nothing is left here but ends, which are told by the return.
                    stack.append((self.entry(key), unread, paths.add(key, way)))
                case Ref(key=key):
                    way = paths.add(key, paths.add(CALL, way))
                    if place in reading:
                        twice = True
                    else:
                        reading.add(place)
                        steps.append(Call(key, self._shared(paths.events(way)), rest, False))
                        if key in self._facts.nullable:
                            behind = Call(key, self._shared(paths.events(way)), rest, True)
                            stack.append((behind, unread, way))
                    if key in self._facts.nullable:
                        empty = self.closure(self.entry(key))
                        assert empty.final is not None
                        twice = twice or empty.twice
                        for event in (*empty.final, RETURN):
                            way = paths.add(event, way)
                        stack.append((rest, unread, way))
                case Prose():
                    pass
        return Closure(tuple(steps), final, cut, twice, FOLLOW_COST * len(seen) + factoring)

    def _items_of(self, choice: Choice) -> tuple[Node, ...]:
        """Return the alternatives of a choice, with literals that begin the same way factored."""
        items = self._alternatives.get(choice)
        if items is None:
            items = self._alternatives[choice] = factored(choice)
        return items

    def _again(self, place: Place, task: Repeat) -> Place | None:
        """What is left to read after one more iteration."""
        if task.max is None and task.min == 0:
            return place
        if task.max == 1:
            return place.rest
        most = None if task.max is None else task.max - 1
        least = task.min
        if least > MAX_EMPTY_ITERATIONS and self._is_nullable(task.item):
            least = MAX_EMPTY_ITERATIONS
        key = (id(task.item), max(0, least - 1), most)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(task.item, *key[1:])
        return self._place(found, place.rest)

    def _place(self, task: Node | str, rest: Place | None, index: int = 0) -> Place:
        name: int | str
        if isinstance(task, str):
            name = task
        elif isinstance(task, Ref):
            name = "<" + task.key  # "<" is in no rule's name
        else:
            name = id(task)
        key = (name, index, id(rest))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Place(task, index, rest)
        return found

    def _shared(self, events: Events) -> Events:
        return self._events.setdefault(events, events)

    def _is_nullable(self, node: Node) -> bool:
        found = self._nullable.get(node)
        if found is None:
            found = self._nullable[node] = self._facts.is_nullable(node)
        return found

    def _is_productive(self, node: Node) -> bool:
        if self._all_productive:
            return True
        found = self._productive.get(node)
        if found is None:
            found = self._productive[node] = self._facts.is_productive(node)
        return found


# What stands behind an optional iteration that can be empty: passed only when it was not.
_READ_SOMETHING = Seq(())
