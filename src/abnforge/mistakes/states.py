"""What is left to read, with prices: the states of a grammar whose rules may be read by their mistakes.

The states are those of ``automaton.derivative`` (what is left to read, as a linked list with a mark where a
rule that has begun will end), over more ways to go on: a mistake's body instead of a rule, before or after
it, for the mistake's price; and anything at all, for a price that grows with its length. What begins and ends
on the way to a character is kept beside the move. Nothing is expanded before a text leads there.
"""

from __future__ import annotations

from bisect import insort
from typing import Union

from abnforge.charset import ANY, CharSet
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Node,
    Ref,
    Repeat,
    Seq,
)
from abnforge.mistakes.augmented import Augmented, Place
from abnforge.mistakes.events import END, SLOT_END, Begin, CatchAll, End, Event, SlotBegin, SlotEnd, Way
from abnforge.mistakes.messages import message
from abnforge.mistakes.model import Mistake

UNIT = 1_000_000
"""The weight of a price of one. Below it is room for the order of mistakes, which decides between equals."""

MAX_FOLLOWED = 20_000
"""States followed between two characters. Mistakes that hold themselves, reading nothing, are that many."""

CATCH_ALL, CATCH_ALL_CHARACTER = 4 * UNIT, UNIT // 2
"""What reading anything at all in the place of a rule weighs, and each character of it.

Dearer than a declared mistake or two; and per character, so that a short span with declared mistakes around
it is preferred to a long one.
"""


class Closing:
    """The mark where a rule ends."""

    __slots__ = ("place",)

    def __init__(self, place: Place) -> None:
        self.place = place


Task = Union[Node, Closing, CatchAll, End, SlotEnd]


class State:
    """``task``, in a sequence its items from ``index`` on, then ``rest``. Equal states are identical.

    ``depth`` is the number of rules that are open, within a mistake of those that are open within it.
    """

    __slots__ = ("depth", "index", "rest", "task", "ways")

    def __init__(self, task: Task, rest: State | None, index: int) -> None:
        self.task = task
        self.rest = rest
        self.index = index
        around = 0 if rest is None or isinstance(task, End) else rest.depth
        self.depth: int = around + isinstance(task, Closing)
        self.ways: tuple[int, list[tuple[int, State | None, Event | None]]] | None = None  # see States

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that are open, outermost first, with the one that is to begin here.

        Within a mistake, those that are open within it.
        """
        found: list[str] = []
        state: State | None = self
        while state is not None and not isinstance(state.task, End):
            if isinstance(state.task, Closing):
                found.append(state.task.place.key)
            elif isinstance(state.task, Ref) and state is self:
                found.append(state.task.key[1:])  # without its sign: "" is the rule that is read
            state = state.rest
        return tuple(reversed(found))


class Arc:
    """A move: one of ``charset`` is read on the way to ``target``. ``late`` is its rank among equals."""

    __slots__ = ("charset", "late", "target", "way", "weight")

    def __init__(self, charset: CharSet, target: State | None, weight: int, late: int, way: Way) -> None:
        self.charset = charset
        self.target = target
        self.weight = weight
        self.late = late
        self.way = way


class Follow:
    """What can be read next from a state for at most some weight: arcs, lightest and preferred ones first.

    ``final`` is what it takes to end there: weight, rank among equals and way; None if the text cannot end.
    ``cost`` is the number of states that were followed. ``classes`` are the arcs, each with the classes of
    characters that it reads, once they are asked for, and ``of_class`` the arcs that read a class.
    """

    __slots__ = ("arcs", "classes", "cost", "final", "of_class")

    def __init__(self, arcs: tuple[Arc, ...], final: tuple[int, int, Way] | None, cost: int) -> None:
        self.arcs = arcs
        self.final = final
        self.cost = cost
        self.classes: list[tuple[Arc, frozenset[int]]] | None = None
        self.of_class: dict[int, tuple[Arc, ...]] = {}


class States:
    """The states of one augmented grammar, without the mistakes of some codes."""

    def __init__(self, augmented: Augmented, without: frozenset[str] = frozenset()) -> None:
        self.augmented = augmented
        self._without = without
        self._begin = Ref("*")
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._closings: dict[Place, Closing] = {}
        self._catch_alls: dict[str, CatchAll] = {}
        self._inner: dict[str, Ref] = {}
        self.forget()

    def forget(self) -> None:
        """Drop every state. Those from before must not be mixed with later ones."""
        self._states: dict[tuple[int, int, int], State] = {}
        self.start = self.state(self._begin, None)

    def __len__(self) -> int:
        return len(self._states)

    def follow(self, origin: State | None, heaviest: int) -> Follow:
        """Everything that reads nothing followed from a state on, down to characters.

        The lightest ways first, and among equals the preferred ones: first the rule itself, then its mistakes
        in the order of the file. So the first way to a state is the best one. Raises LimitExceeded.
        """
        arcs: list[Arc] = []
        final: tuple[int, int, Way] | None = None
        seen: set[State | None] = set()
        waiting: dict[int, list[tuple[State | None, Way]]] = {0: [(origin, None)]}
        weights = [0]
        while weights:
            weight = weights[0]
            if not waiting[weight]:
                del waiting[weight]
                weights.pop(0)
                continue
            state, way = waiting[weight].pop()
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > MAX_FOLLOWED:
                raise too_many_ways(len(seen))
            if state is None:
                final = weight, _late(weight, way), way
                continue
            task = state.task
            if isinstance(task, Chars):
                arcs.append(Arc(task.charset, self.awaiting(state.rest), weight, _late(weight, way), way))
                continue
            if isinstance(task, CatchAll):
                heavier = weight + CATCH_ALL_CHARACTER
                if heavier <= heaviest:
                    arcs.append(Arc(ANY, state, heavier, _late(heavier, way), way))
            for more, following, event in reversed(self._ways(state, heaviest - weight, origin)):
                heavier = weight + more
                if heavier > heaviest:
                    continue
                if heavier not in waiting:
                    waiting[heavier] = []
                    insort(weights, heavier)
                waiting[heavier].append((following, way if event is None else (event, way)))
        arcs.sort(key=lambda arc: arc.weight)
        return Follow(tuple(arcs), final, len(seen))

    def _ways(
        self, state: State, most: int, origin: State | None
    ) -> list[tuple[int, State | None, Event | None]]:
        """Where a state leads without a character: weights, states, what begins or ends; preferred first.

        Ways that weigh more than ``most`` may be left out. ``origin`` is where the last character led: what
        comes behind a rule stands in those open there.
        """
        task = state.task
        if isinstance(task, Closing):
            if not task.place.after:
                return [(0, state.rest, None)]
            where = origin if origin is not None and _leads(origin, state) else state
            return [(0, state.rest, None), *self._mistakes(task.place.after, where, state.rest, most)]
        if state.ways is None or state.ways[0] < most:
            state.ways = most, self._find_ways(state, most)
        return state.ways[1]

    def _find_ways(self, state: State, most: int) -> list[tuple[int, State | None, Event | None]]:
        task, rest = state.task, state.rest
        match task:
            case CatchAll() | End():
                return [(0, rest, END)]
            case SlotEnd():
                return [(0, rest, SLOT_END)]
            case Ref(key=key):
                return self._reference(key, state, most)
            case Seq(items=items):
                if not items:
                    return [(0, rest, None)]
                more = state.index + 1 < len(items)
                behind = self.state(task, rest, state.index + 1) if more else rest
                return [(0, self.state(items[state.index], behind), None)]
            case Choice(items=items):
                return [(0, self.state(item, rest), None) for item in items]
            case Repeat():
                return self._repetition(state, task)
            case _:
                return []  # prose: what it derives is not known

    def _reference(self, key: str, state: State, most: int) -> list[tuple[int, State | None, Event | None]]:
        rest = state.rest
        if key[0] not in "*+-=":
            if "/" not in key or '"' in key:  # a literal in a rule may have a slash
                return [(0, self.state(self.augmented.plain(key), rest), None)]
            slot = self.augmented.slot(key)
            inside = self.state(slot.reference, self.state(SLOT_END, rest))
            return [(0, inside, SlotBegin(slot.name))]
        place = self.augmented.place(key.removeprefix("="))
        inside = self.state(self.closing(place), rest)
        ways: list[tuple[int, State | None, Event | None]] = [(0, self.state(place.body, inside), None)]
        if most < UNIT:
            return ways
        ways += self._mistakes(place.of, inside, inside, most)
        if place.catch_all:
            catch_all = self.catch_all(place)
            # Behind all that is declared; of rules that begin in one place, the outermost.
            order = self.augmented.bound.count + inside.depth
            ways.append((CATCH_ALL + order, self.state(catch_all, inside), Begin(catch_all, inside)))
        if key[0] != "=" and place.before:
            own = self.state(self.without_before(key), rest)
            ways += self._mistakes(place.before, state, own, most)
        return ways

    def _mistakes(
        self, mistakes: tuple[Mistake, ...], state: State, rest: State | None, most: int
    ) -> list[tuple[int, State | None, Event | None]]:
        """The bodies of some mistakes, with ``rest`` behind them."""
        return [
            (
                mistake.cost * UNIT + mistake.order,
                self.state(self.augmented.body(mistake), self.state(END, rest)),
                Begin(mistake, state),
            )
            for mistake in mistakes
            if mistake.cost * UNIT <= most and mistake.code not in self._without
        ]

    def _repetition(self, state: State, task: Repeat) -> list[tuple[int, State | None, Event | None]]:
        again = self.again(task)
        behind = state if again is task else state.rest if again is None else self.state(again, state.rest)
        ways: list[tuple[int, State | None, Event | None]] = [(0, self.state(task.item, behind), None)]
        if task.min == 0:
            ways.append((0, state.rest, None))
        return ways

    def again(self, task: Repeat) -> Repeat | None:
        """What is left of a repetition when one of its items is to be read; None if nothing is."""
        low, high = task.min, task.max
        if high is None and low == 0:
            return task
        if high == 1:
            return None
        nullable = low > MAX_EMPTY_ITERATIONS and self.augmented.bound.facts.is_nullable(task.item)
        low = MAX_EMPTY_ITERATIONS if nullable else low
        key = id(task.item), max(0, low - 1), None if high is None else high - 1
        return self._repeats.setdefault(key, Repeat(task.item, *key[1:]))

    def opened(self, key: str) -> tuple[Closing | None, Node]:
        """What a reference leads to without a mistake: the mark where its rule ends, and the rule's body."""
        if key[0] not in "*+-=":
            return None, self.augmented.plain(key)
        place = self.augmented.place(key)
        return self.closing(place), place.body

    def closing(self, place: Place) -> Closing:
        """The mark where a rule ends."""
        return self._closings.setdefault(place, Closing(place))

    def catch_all(self, place: Place) -> CatchAll:
        """Anything in the place of a rule."""
        return self._catch_alls.setdefault(place.key, CatchAll(place.key))

    def without_before(self, key: str) -> Ref:
        """A reference to a rule with its mistakes, but for those that stand before it."""
        return self._inner.setdefault(key, Ref(f"={key}"))

    def awaiting(self, state: State | None) -> State | None:
        """A state without the marks of rules that nothing can follow: fewer states, and no less is known."""
        while state is not None and isinstance(state.task, Closing) and not state.task.place.after:
            state = state.rest
        return state

    def state(self, task: Task, rest: State | None, index: int = 0) -> State:
        """The state of a task before ``rest``."""
        key = id(task), id(rest), index
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = State(task, rest, index)
        return found


def too_many_ways(used: int) -> LimitExceeded:
    """The error where there are more than ``MAX_FOLLOWED`` ways to read a character."""
    return LimitExceeded(
        message("characters-too-many", limit=MAX_FOLLOWED),
        operation="finding mistakes before a character",
        used=used,
        limit=MAX_FOLLOWED,
        setting="MAX_FOLLOWED",
    )


def _late(weight: int, way: Way) -> int:
    """The rank of a way among equals: a mistake that begins on it is preferred to one that began before, and
    that to one behind a rule, which takes what follows as far as it can.
    """
    if not weight:
        return 1
    while way is not None:
        event, way = way
        if isinstance(event, Begin) and isinstance(event.what, Mistake) and event.what.place == "after":
            return 2
    return 0


def _leads(origin: State, state: State) -> bool:
    """Whether what is left at one state ends with what is left at another, and no mistake ends between."""
    at: State | None = origin
    while at is not None and at is not state and not isinstance(at.task, End):
        at = at.rest
    return at is state
