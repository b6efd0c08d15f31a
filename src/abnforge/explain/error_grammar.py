"""What is left to read, with prices: the states of a grammar whose rules may be read by their mistakes.

The states are those of ``automaton.derivative`` (what is left to read, as a linked list with a mark where a
rule that has begun will end), over more ways to go on: a mistake's body instead of a rule, before or after
it, for the mistake's price; and anything at all, for a price that grows with its length. What begins and ends
on the way to a character is kept beside the move. Nothing is expanded before a text leads there.

Longer than others: states, and the ways between them, are one automaton.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from typing import Protocol, Union

from abnforge.charset import ANY, CharSet
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.messages import message
from abnforge.explain.mistakes import (
    AFTER,
    ANY_RULE,
    BEFORE,
    OF,
    Mapped,
    Mistake,
    Slot,
    Substituted,
    literal_key,
    message_slots,
)
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Core,
    Literal,
    Node,
    Ref,
    Repeat,
    Seq,
    StoredRules,
    with_references,
    without_left_recursion,
)
from abnforge.grammar.facts import Facts, terminals
from abnforge.records import NamedTuple

# A grammar whose rules may be read by their mistakes: what can be read in the place of each reference.
#
# Within a mistake's body rules are read as the grammar has them, but for those that its ``inner`` names.
# Keys of references tell how a rule is read: ``host`` as it stands; ``+host`` with its mistakes; ``-host``
# with those of the rules in it, but none of its own; ``code/host`` as a slot of a mistake; ``*`` the rule
# that the text is read by. No name has such a character.


_BLANKS = CharSet.from_ranges([(0x09, 0x0D), (0x20, 0x20)])


class ErrorSite:
    """A rule where its mistakes count: ``body`` in the grammar's own terms, and what may be read beside it.

    ``key`` is the rule's; ``catch_all`` tells whether anything at all may stand in its place, for a price.
    """

    __slots__ = ("after", "before", "body", "catch_all", "key", "of")

    def __init__(
        self,
        key: str,
        body: Node,
        of: tuple[Mistake, ...],
        before: tuple[Mistake, ...],
        after: tuple[Mistake, ...],
        catch_all: bool,
    ) -> None:
        self.key = key
        self.body = body
        self.of = of
        self.before = before
        self.after = after
        self.catch_all = catch_all


class SlotOf(NamedTuple):
    """A use of a rule by a mistake's body: ``reference`` is how it is read."""

    name: str
    reference: Ref


class ErrorGrammar:
    """The rules of a grammar with its mistakes, as one rule is read by them.

    Raises GrammarError where the rule, or one that it needs, begins with itself by way of others: such rules
    are not read.
    """

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.bound = bound
        self.core = bound.core
        self._stored = stored = bound.stored
        self._start = start
        self._plain: dict[str, Node] = {}
        self._places: dict[str, ErrorSite] = {}
        self._slots: dict[str, SlotOf] = {}
        self._bodies: dict[str, Node] = {}
        self._mistakes: dict[tuple[str, str], list[Mistake]] = {}
        for mistake in bound.mistakes.mistakes:
            for target in mistake.targets:
                self._mistakes.setdefault((mistake.place, _key(mistake, target)), []).append(mistake)
        self._long = long_rules(bound) if stored is None else stored.long_rules
        if stored is None:
            self._touched = touched_rules(bound, bound.mistakes.mistakes, self._long)
        else:
            self._touched = stored.touched_rules
        if stored is None or stored.is_left_recursive:
            self._refuse_left_recursion()

    def plain(self, key: str) -> Node:
        """The body of a rule as the grammar has it."""
        found = self._plain.get(key)
        if found is None:
            found = self._plain[key] = without_left_recursion(key, self.core.rules[key])
        return found

    def place(self, reference: str) -> ErrorSite:
        """The place that a reference with a sign leads to."""
        found = self._places.get(reference)
        if found is None:
            found = self._places[reference] = self._make_place(reference)
        return found

    def slot(self, reference: str) -> SlotOf:
        """The slot that a reference of a mistake's body is."""
        return self._slots[reference]

    def body(self, mistake: Mistake) -> Node:
        """The body of a mistake, with its slots."""
        found = self._bodies.get(mistake.key)
        if found is None:
            wanted = named_slots(mistake) if self._stored is None else self._stored.named_slots(mistake)

            def change(key: str) -> str:
                reference = key
                if key in mistake.inner and key in self._touched:
                    reference = f"{'-' if key in mistake.targets else '+'}{key}"
                if key not in wanted:
                    return reference
                slot = f"{mistake.key}/{key}"
                self._slots.setdefault(slot, SlotOf(key, Ref(reference)))
                return slot

            found = self._bodies[mistake.key] = self._changed(mistake.key, change)
        return found

    def _changed(self, key: str, change: Callable[[str], str]) -> Node:
        """A rule with every reference changed."""
        rules = self.core.rules
        if isinstance(rules, StoredRules):
            return rules.changed(key, change)
        return _map_references(rules[key], change)

    def _make_place(self, reference: str) -> ErrorSite:
        key = self._start if reference == "*" else reference[1:]
        body = self.bound.marked.get(key, self.core.rules[key])
        body = _map_references(without_left_recursion(key, body), self._with_mistakes)
        if reference.startswith("-"):
            return ErrorSite(key, body, (), (), (), False)

        def declared(place: str) -> tuple[Mistake, ...]:
            own = self._mistakes.get((place, key), [])
            if reference == "*":
                both = {each.key: each for each in (*own, *self._mistakes.get((place, ANY_RULE), []))}
                own = sorted(both.values(), key=lambda mistake: mistake.order)
            return tuple(own)

        catch_all = reference == "*" or key in self._long
        return ErrorSite(key, body, declared(OF), declared(BEFORE), declared(AFTER), catch_all)

    def _with_mistakes(self, key: str) -> str:
        """How a rule is read where mistakes count: plainly if there can be none in it."""
        return f"+{key}" if key in self._touched else key

    def _refuse_left_recursion(self) -> None:
        left_recursive = _left_recursive(self.core)
        starts = (self._start, *(mistake.key for mistake in self.bound.mistakes.mistakes))
        for start in starts if left_recursive else ():
            for key in self.bound.facts.reachable(start):
                if key in left_recursive:
                    names = self.core.names
                    raise GrammarError(
                        message("left-recursion", rule=names[self._start], other=names[key]),
                        code="left-recursion-indirect",
                        rule=names[key],
                    )


def is_left_recursive(core: Core) -> bool:
    """Return whether a rule begins with itself by way of others."""
    return bool(_left_recursive(core))


def _left_recursive(core: Core) -> frozenset[str]:
    rules = {key: without_left_recursion(key, node) for key, node in core.rules.items()}
    return Facts(Core(rules, core.names)).left_recursive


def _key(mistake: Mistake, target: str) -> str:
    """The key of the rule, or of the literal in it, that a mistake is about."""
    return target if mistake.literal is None else literal_key(target, mistake.literal)


def touched_rules(bound: BoundMistakes, mistakes: Iterable[Mistake], long: frozenset[str]) -> frozenset[str]:
    """The rules in which one of some mistakes is possible, or a catch-all: that is ``long_rules``."""
    touched = {_key(mistake, target) for mistake in mistakes for target in mistake.targets} | long
    edges = dict(bound.facts.references)
    for key, body in bound.marked.items():
        edges[key] = (*edges[key], *_references(body))
    grown = True
    while grown:
        more = {key for key, named in edges.items() if key not in touched and touched & set(named)}
        touched |= more
        grown = bool(more)
    return frozenset(touched)


def named_slots(mistake: Mistake) -> frozenset[str]:
    """The names of the slots that a mistake's directives name."""
    named = [*mistake.blame, *message_slots(mistake)]
    for part in mistake.fix or ():
        match part:
            case Slot():
                named.append(part)
            case Mapped(slot=slot):
                named.append(slot)
            case Substituted(pairs=pairs):
                named += [Slot(name) for name, _ in pairs]
    return frozenset([slot.name for slot in named if slot.turn])


def _references(node: Node) -> tuple[str, ...]:
    found: list[str] = []

    def note(key: str) -> str:
        found.append(key)
        return key

    _map_references(node, note)
    return tuple(found)


def _map_references(node: Node, change: Callable[[str], str]) -> Node:
    """A node with every reference changed."""
    return with_references(node, lambda reference: Ref(change(reference.key)))


def long_rules(bound: BoundMistakes) -> frozenset[str]:
    """The grammar's rules that derive a string of two characters or more, and not white space alone: a
    catch-all is of use for them.
    """
    rules = bound.core.rules
    longest = dict.fromkeys(bound.grammar.rules, 0)  # characters of a longest string, 2 standing for more

    def length(node: Node) -> int:
        match node:
            case Ref(key=key):
                return longest[key]
            case Chars():
                return 1
            case Literal():
                return 2
            case Seq(items=items):
                return min(2, sum(map(length, items)))
            case Choice(items=items):
                return max(map(length, items))
            case Repeat(item=item, max=high):
                return length(item) * 2 if high is None else min(2, length(item) * high)
            case _:
                return 0

    def update(key: str) -> bool:
        before = longest.get(key, 2)
        if before < 2:
            longest[key] = min(2, length(rules[key]))
        return longest.get(key, 2) > before

    bound.facts.fixpoint(update)
    return frozenset({key for key, size in longest.items() if size == 2} - _blank_rules(bound))


def _blank_rules(bound: BoundMistakes) -> set[str]:
    """The grammar's rules that derive white space of ASCII and nothing else: nobody writes what is not white
    space in their place.
    """
    found = {
        key
        for key in bound.grammar.rules
        if not any(charset - _BLANKS for charset in terminals((bound.core.rules[key],)))
    }

    def update(key: str) -> bool:
        if key not in found or found.issuperset(bound.facts.references[key]):
            return False
        found.remove(key)
        return True

    bound.facts.fixpoint(update)
    return found


# What begins and ends on the way to a character: mistakes, and their slots.


class OpenMistake(Protocol):
    """Where a mistake begins."""

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that are open there, outermost first."""


class Wildcard:
    """Anything in the place of a rule. ``key`` is the rule's."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


class MistakeBegin:
    """A mistake begins: ``what`` it is, in the rules that are open in ``state``."""

    __slots__ = ("state", "what")

    def __init__(self, what: Mistake | Wildcard, state: OpenMistake) -> None:
        self.what = what
        self.state = state


class MistakeEnd:
    """The mistake that began last ends."""

    __slots__ = ()


class SlotBegin:
    """A slot of the mistake that began last begins."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class SlotEnd:
    """The slot that began last ends."""

    __slots__ = ()


Event = Union[MistakeBegin, MistakeEnd, SlotBegin, SlotEnd]
Way = Union[tuple[Event, "Way"], None]
"""What begins and ends on a way, the last first."""

END, SLOT_END = MistakeEnd(), SlotEnd()


def in_order(way: Way) -> tuple[Event, ...]:
    """What begins and ends on a way, the first first."""
    events: list[Event] = []
    while way is not None:
        event, way = way
        events.append(event)
    return tuple(reversed(events))


UNIT = 1_000_000
"""The weight of a price of one. Below it is room for the order of mistakes, which decides between equals."""

MAX_FOLLOWED = 20_000
"""States followed between two characters. Mistakes that hold themselves, reading nothing, are that many."""

CATCH_ALL, CATCH_ALL_CHARACTER = 4 * UNIT, UNIT // 2
"""What reading anything at all in the place of a rule weighs, and each character of it.

Dearer than a declared mistake or two; and per character, so that a short span with declared mistakes around
it is preferred to a long one.
"""


class EndMarker:
    """The mark where a rule ends."""

    __slots__ = ("place",)

    def __init__(self, place: ErrorSite) -> None:
        self.place = place


Task = Union[Node, EndMarker, Wildcard, MistakeEnd, SlotEnd]


class ErrorState:
    """``task``, in a sequence its items from ``index`` on, then ``rest``. Equal states are identical.

    ``depth`` is the number of rules that are open, within a mistake of those that are open within it.
    """

    __slots__ = ("depth", "index", "rest", "task", "ways")

    def __init__(self, task: Task, rest: ErrorState | None, index: int) -> None:
        self.task = task
        self.rest = rest
        self.index = index
        around = 0 if rest is None or isinstance(task, MistakeEnd) else rest.depth
        self.depth: int = around + isinstance(task, EndMarker)
        self.ways: tuple[int, list[tuple[int, ErrorState | None, Event | None]]] | None = None  # see States

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that are open, outermost first, with the one that is to begin here.

        Within a mistake, those that are open within it.
        """
        found: list[str] = []
        state: ErrorState | None = self
        while state is not None and not isinstance(state.task, MistakeEnd):
            if isinstance(state.task, EndMarker):
                found.append(state.task.place.key)
            elif isinstance(state.task, Ref) and state is self:
                found.append(state.task.key[1:])  # without its sign: "" is the rule that is read
            state = state.rest
        return tuple(reversed(found))


class ErrorArc:
    """A move: one of ``charset`` is read on the way to ``target``. ``late`` is its rank among equals."""

    __slots__ = ("charset", "late", "target", "way", "weight")

    def __init__(self, charset: CharSet, target: ErrorState | None, weight: int, late: int, way: Way) -> None:
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

    def __init__(self, arcs: tuple[ErrorArc, ...], final: tuple[int, int, Way] | None, cost: int) -> None:
        self.arcs = arcs
        self.final = final
        self.cost = cost
        self.classes: list[tuple[ErrorArc, frozenset[int]]] | None = None
        self.of_class: dict[int, tuple[ErrorArc, ...]] = {}


class ErrorStates:
    """The states of one augmented grammar, without the mistakes of some codes."""

    def __init__(self, augmented: ErrorGrammar, without: frozenset[str] = frozenset()) -> None:
        self.augmented = augmented
        self._without = without
        self._begin = Ref("*")
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._closings: dict[ErrorSite, EndMarker] = {}
        self._catch_alls: dict[str, Wildcard] = {}
        self._inner: dict[str, Ref] = {}
        self.forget()

    def forget(self) -> None:
        """Drop every state. Those from before must not be mixed with later ones."""
        self._states: dict[tuple[int, int, int], ErrorState] = {}
        self.start = self.state(self._begin, None)

    def __len__(self) -> int:
        return len(self._states)

    def follow(self, origin: ErrorState | None, heaviest: int) -> Follow:
        """Everything that reads nothing followed from a state on, down to characters.

        The lightest ways first, and among equals the preferred ones: first the rule itself, then its mistakes
        in the order of the file. So the first way to a state is the best one. Raises LimitExceeded.
        """
        arcs: list[ErrorArc] = []
        final: tuple[int, int, Way] | None = None
        seen: set[ErrorState | None] = set()
        waiting: dict[int, list[tuple[ErrorState | None, Way]]] = {0: [(origin, None)]}
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
                arcs.append(
                    ErrorArc(task.charset, self.awaiting(state.rest), weight, _late(weight, way), way)
                )
                continue
            if isinstance(task, Wildcard):
                heavier = weight + CATCH_ALL_CHARACTER
                if heavier <= heaviest:
                    arcs.append(ErrorArc(ANY, state, heavier, _late(heavier, way), way))
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
        self, state: ErrorState, most: int, origin: ErrorState | None
    ) -> list[tuple[int, ErrorState | None, Event | None]]:
        """Where a state leads without a character: weights, states, what begins or ends; preferred first.

        Ways that weigh more than ``most`` may be left out. ``origin`` is where the last character led: what
        comes behind a rule stands in those open there.
        """
        task = state.task
        if isinstance(task, EndMarker):
            if not task.place.after:
                return [(0, state.rest, None)]
            where = origin if origin is not None and _leads(origin, state) else state
            return [(0, state.rest, None), *self._mistakes(task.place.after, where, state.rest, most)]
        if state.ways is None or state.ways[0] < most:
            state.ways = most, self._find_ways(state, most)
        return state.ways[1]

    def _find_ways(self, state: ErrorState, most: int) -> list[tuple[int, ErrorState | None, Event | None]]:
        task, rest = state.task, state.rest
        match task:
            case Wildcard() | MistakeEnd():
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

    def _reference(
        self, key: str, state: ErrorState, most: int
    ) -> list[tuple[int, ErrorState | None, Event | None]]:
        rest = state.rest
        if key[0] not in "*+-=":
            if "/" not in key or '"' in key:  # a literal in a rule may have a slash
                return [(0, self.state(self.augmented.plain(key), rest), None)]
            slot = self.augmented.slot(key)
            inside = self.state(slot.reference, self.state(SLOT_END, rest))
            return [(0, inside, SlotBegin(slot.name))]
        place = self.augmented.place(key.removeprefix("="))
        inside = self.state(self.closing(place), rest)
        ways: list[tuple[int, ErrorState | None, Event | None]] = [(0, self.state(place.body, inside), None)]
        if most < UNIT:
            return ways
        ways += self._mistakes(place.of, inside, inside, most)
        if place.catch_all:
            catch_all = self.catch_all(place)
            # Behind all that is declared; of rules that begin in one place, the outermost.
            order = self.augmented.bound.count + inside.depth
            ways.append((CATCH_ALL + order, self.state(catch_all, inside), MistakeBegin(catch_all, inside)))
        if key[0] != "=" and place.before:
            own = self.state(self.without_before(key), rest)
            ways += self._mistakes(place.before, state, own, most)
        return ways

    def _mistakes(
        self, mistakes: tuple[Mistake, ...], state: ErrorState, rest: ErrorState | None, most: int
    ) -> list[tuple[int, ErrorState | None, Event | None]]:
        """The bodies of some mistakes, with ``rest`` behind them."""
        return [
            (
                mistake.cost * UNIT + mistake.order,
                self.state(self.augmented.body(mistake), self.state(END, rest)),
                MistakeBegin(mistake, state),
            )
            for mistake in mistakes
            if mistake.cost * UNIT <= most and mistake.code not in self._without
        ]

    def _repetition(
        self, state: ErrorState, task: Repeat
    ) -> list[tuple[int, ErrorState | None, Event | None]]:
        again = self.again(task)
        behind = state if again is task else state.rest if again is None else self.state(again, state.rest)
        ways: list[tuple[int, ErrorState | None, Event | None]] = [(0, self.state(task.item, behind), None)]
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

    def opened(self, key: str) -> tuple[EndMarker | None, Node]:
        """What a reference leads to without a mistake: the mark where its rule ends, and the rule's body."""
        if key[0] not in "*+-=":
            return None, self.augmented.plain(key)
        place = self.augmented.place(key)
        return self.closing(place), place.body

    def closing(self, place: ErrorSite) -> EndMarker:
        """The mark where a rule ends."""
        return self._closings.setdefault(place, EndMarker(place))

    def catch_all(self, place: ErrorSite) -> Wildcard:
        """Anything in the place of a rule."""
        return self._catch_alls.setdefault(place.key, Wildcard(place.key))

    def without_before(self, key: str) -> Ref:
        """A reference to a rule with its mistakes, but for those that stand before it."""
        return self._inner.setdefault(key, Ref(f"={key}"))

    def awaiting(self, state: ErrorState | None) -> ErrorState | None:
        """A state without the marks of rules that nothing can follow: fewer states, and no less is known."""
        while state is not None and isinstance(state.task, EndMarker) and not state.task.place.after:
            state = state.rest
        return state

    def state(self, task: Task, rest: ErrorState | None, index: int = 0) -> ErrorState:
        """The state of a task before ``rest``."""
        key = id(task), id(rest), index
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = ErrorState(task, rest, index)
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
        if (
            isinstance(event, MistakeBegin)
            and isinstance(event.what, Mistake)
            and event.what.place == "after"
        ):
            return 2
    return 0


def _leads(origin: ErrorState, state: ErrorState) -> bool:
    """Whether what is left at one state ends with what is left at another, and no mistake ends between."""
    at: ErrorState | None = origin
    while at is not None and at is not state and not isinstance(at.task, MistakeEnd):
        at = at.rest
    return at is state
