"""A grammar with error productions, and the weighted automaton that searches for the cheapest mistakes.

``ErrorGrammar`` expands each reference to alternatives (Aho and Peterson 1972): the rule itself, its mistakes
with their costs, and any string (a *catch-all*). The cost of a catch-all grows with its length. Rules in a
mistake's body cannot contain mistakes, except the rules that its ``inner`` names.

``ErrorStates`` is its automaton, built on demand. A state is the unread part of a derivation as a linked
list, with a marker where each open rule ends, as in ``automata.derivatives``. The beginnings and ends of
mistakes and slots are events on the moves between characters.

A reference has a key. ``host`` is the plain rule; ``+host`` includes mistakes. ``-host`` includes mistakes in
its parts, but not its own; ``=host`` includes all mistakes except those before it. ``code/host`` is a slot of
a mistake, and ``*`` is the start rule. Rule names do not contain these characters.

This module is long because states and transitions form one automaton.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Union

from abnforge.charset import ANY, CharSet
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import BoundMistakes
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
    EPSILON,
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
)
from abnforge.grammar.facts import Facts, terminals
from abnforge.grammar.loops import NONEMPTY, Corner, LeftCorners
from abnforge.messages import message
from abnforge.records import NamedTuple

if TYPE_CHECKING:
    from abnforge.explain.program import OpenRules

_WHITESPACE = CharSet.from_ranges([(0x09, 0x0D), (0x20, 0x20)])


class ErrorSite:
    """A rule at a place where its mistakes are allowed.

    ``body`` is the grammar's definition; ``of``, ``before`` and ``after`` are the mistakes by place. ``key``
    is the rule's key. With ``catch_all``, any string may replace the rule.
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


class SlotUse(NamedTuple):
    """The use of a rule in a mistake's body: the rule's name, and the reference in the body."""

    name: str
    reference: Ref


class ErrorGrammar:
    """The rules of a grammar and its mistakes, for one start rule."""

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.bound = bound
        self.core = bound.core
        self._stored = stored = bound.stored
        self._start = start
        self._plain: dict[str, Node] = {}
        self._sites: dict[str, ErrorSite] = {}
        self._slots: dict[str, SlotUse] = {}
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
        self._corners = self._marked_corners = None
        if bound.facts.left_recursive if stored is None else stored.is_left_recursive:
            self._corners = LeftCorners(bound.facts)
            rules = {**self.core.rules, **bound.marked}
            self._marked_corners = LeftCorners(Facts(Core(rules, self.core.names)))
        # The rests of left-recursive rules, each represented as a rule, with and without mistakes.
        self._rests: dict[tuple[Corner, bool], Ref] = {}
        self._corners_of_rests: dict[str, tuple[Corner, bool]] = {}

    def plain(self, key: str) -> Node:
        """Return the definition of a rule without mistakes."""
        body = self._plain.get(key)
        if body is None:
            if key in self._corners_of_rests:
                body = self._expanded(*self._corners_of_rests[key])
            else:
                corners = self._corners
                rule = self.core.rules[key] if corners is None else corners.body(key)
                body = self._expanded(rule, False)
            self._plain[key] = body
        return body

    def site(self, reference: str) -> ErrorSite:
        """Return the site of a reference whose key begins with a sign."""
        site = self._sites.get(reference)
        if site is None:
            site = self._sites[reference] = self._make_site(reference)
        return site

    def slot(self, reference: str) -> SlotUse:
        """Return the slot of a reference in a mistake's body."""
        return self._slots[reference]

    def body(self, mistake: Mistake) -> Node:
        """Return the body of a mistake, with its slots."""
        body = self._bodies.get(mistake.key)
        if body is None:
            slots = named_slots(mistake) if self._stored is None else self._stored.named_slots(mistake)

            def change(key: str) -> str:
                reference = key
                if key in mistake.inner and key in self._touched:
                    reference = f"{'-' if key in mistake.targets else '+'}{key}"
                if key not in slots:
                    return reference
                slot = f"{mistake.key}/{key}"
                self._slots.setdefault(slot, SlotUse(key, Ref(reference)))
                return slot

            body = self._bodies[mistake.key] = self._changed(mistake.key, change)
        return body

    def _changed(self, key: str, change: Callable[[str], str]) -> Node:
        """Return a rule with every reference changed."""
        rules = self.core.rules
        if isinstance(rules, StoredRules):
            return rules.changed(key, change)
        return _map_references(rules[key], change)

    def _make_site(self, reference: str) -> ErrorSite:
        name = self._start if reference == "*" else reference[1:]
        key = name.rstrip(NONEMPTY)
        if self._marked_corners is None:
            body = self._expanded(self.bound.marked.get(key, self.core.rules[key]), True)
        else:
            body = self._expanded(self._marked_corners.body(name), True)
        if reference.startswith("-"):
            return ErrorSite(key, body, (), (), (), False)

        of, before, after = (self._declared(place, key, reference == "*") for place in (OF, BEFORE, AFTER))
        return ErrorSite(key, body, of, before, after, reference == "*" or key in self._long)

    def _declared(self, place: str, key: str, is_start: bool = False) -> tuple[Mistake, ...]:
        """Return the mistakes of a rule that have one place, in order."""
        own = self._mistakes.get((place, key), [])
        if is_start:
            both = {each.key: each for each in (*own, *self._mistakes.get((place, ANY_RULE), []))}
            own = sorted(both.values(), key=lambda mistake: mistake.order)
        return tuple(own)

    def _with_mistakes(self, key: str) -> str:
        """Return the reference to a rule with its mistakes, or to the plain rule if it cannot contain any."""
        return f"+{key}" if key.rstrip(NONEMPTY) in self._touched else key

    def _expanded(self, body: Node | Corner, has_mistakes: bool) -> Node:
        """Return the body of a rule, or of the rest of a left-recursive rule, without left recursion."""
        if not isinstance(body, Corner):
            return _map_references(body, self._with_mistakes) if has_mistakes else body
        alternatives: list[Node] = []
        for node, corner in body.moves:
            part = self._expanded(node, has_mistakes)
            if has_mistakes and corner.key != corner.goal:
                part = self._inner(corner.key, part, is_whole=not body.key)
            alternatives.append(Seq((part, self._rest(corner, has_mistakes))))
        return Choice((*alternatives, *((EPSILON,) if body.is_end else ())))

    def _rest(self, corner: Corner, has_mistakes: bool) -> Ref:
        """Return the reference to the rest of a rule after a left corner."""
        reference = self._rests.get((corner, has_mistakes))
        if reference is None:
            reference = self._rests[corner, has_mistakes] = Ref(f"{NONEMPTY}{len(self._rests)}")
            self._corners_of_rests[reference.key] = corner, has_mistakes
        return reference

    def _inner(self, key: str, body: Node, is_whole: bool) -> Ref:
        """Return the reference to a rule inside another one that begins with it.

        ``is_whole`` means that the body is the whole rule, which a mistake can replace.
        """
        reference = f"+{NONEMPTY}{len(self._sites)}"
        of = self._declared(OF, key) if is_whole else ()
        after = self._declared(AFTER, key)
        site = ErrorSite(key, body, of, (), after, is_whole and key in self._long)
        self._sites[reference] = site
        return Ref(reference)


def _key(mistake: Mistake, target: str) -> str:
    """Return the key of the rule, or of the literal in it, that a mistake is about."""
    return target if mistake.literal is None else literal_key(target, mistake.literal)


def touched_rules(bound: BoundMistakes, mistakes: Iterable[Mistake], long: frozenset[str]) -> frozenset[str]:
    """Return the rules that can contain one of some mistakes or a catch-all (for the rules in ``long``)."""
    touched = {_key(mistake, target) for mistake in mistakes for target in mistake.targets} | long
    edges = dict(bound.facts.references)
    for key, body in bound.marked.items():
        edges[key] = (*edges[key], *_references(body))
    has_grown = True
    while has_grown:
        more = {key for key, named in edges.items() if key not in touched and touched & set(named)}
        touched |= more
        has_grown = bool(more)
    return frozenset(touched)


def named_slots(mistake: Mistake) -> frozenset[str]:
    """Return the names of the slots in a mistake's directives."""
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
    keys: list[str] = []

    def record(key: str) -> str:
        keys.append(key)
        return key

    _map_references(node, record)
    return tuple(keys)


def _map_references(node: Node, change: Callable[[str], str]) -> Node:
    """Return a node with every reference changed."""
    return with_references(node, lambda reference: Ref(change(reference.key)))


def long_rules(bound: BoundMistakes) -> frozenset[str]:
    """Return the rules that derive a string of at least two characters and more than whitespace.

    A catch-all is useful for these.
    """
    rules = bound.core.rules
    longest = dict.fromkeys(bound.grammar.rules, 0)  # length of a longest string; 2 means 2 or more

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
    return frozenset({key for key, size in longest.items() if size == 2} - _whitespace_rules(bound))


def _whitespace_rules(bound: BoundMistakes) -> set[str]:
    """Return the rules that derive only ASCII whitespace, which users do not replace by other characters."""
    keys = {
        key
        for key in bound.grammar.rules
        if not any(charset - _WHITESPACE for charset in terminals((bound.core.rules[key],)))
    }

    def update(key: str) -> bool:
        if key not in keys or keys.issuperset(bound.facts.references[key]):
            return False
        keys.remove(key)
        return True

    bound.facts.fixpoint(update)
    return keys


class Wildcard:
    """A task that matches any string instead of the rule ``key``."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


class MistakeBegin:
    """The event that a mistake begins within the open rules of ``state``."""

    __slots__ = ("state", "what")

    def __init__(self, what: Mistake | Wildcard, state: ErrorState | OpenRules) -> None:
        self.what = what
        self.state = state


class MistakeEnd:
    """The event that the innermost open mistake ends."""

    __slots__ = ()


class SlotBegin:
    """The event that a slot of the innermost open mistake begins."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class SlotEnd:
    """The event that the open slot ends."""

    __slots__ = ()


Event = Union[MistakeBegin, MistakeEnd, SlotBegin, SlotEnd]
Path = Union[tuple[Event, "Path"], None]  # the events between two characters, last event first

END, SLOT_END = MistakeEnd(), SlotEnd()


def ordered_events(path: Path) -> tuple[Event, ...]:
    """Return the events of a path in order."""
    events: list[Event] = []
    while path is not None:
        event, path = path
        events.append(event)
    return tuple(reversed(events))


UNIT = 1_000_000
"""The weight of cost 1. Its lower digits encode the order of mistakes, which decides between equal costs."""

MAX_FOLLOWED = 20_000
"""The maximum number of states between two characters; mistakes that derive themselves exceed it."""

CATCH_ALL, CATCH_ALL_CHARACTER = 4 * UNIT, UNIT // 2
"""The weight of a catch-all, and of each of its characters.

A catch-all costs more than one or two declared mistakes. Its length counts, so that a short catch-all with
declared mistakes is preferred to a long catch-all.
"""


class EndMarker:
    """A task that marks the end of a rule."""

    __slots__ = ("site",)

    def __init__(self, site: ErrorSite) -> None:
        self.site = site


Task = Union[Node, EndMarker, Wildcard, MistakeEnd, SlotEnd]


class ErrorState:
    """The unread part of a derivation: ``task`` (for a sequence, its items from ``index``), then ``rest``.

    Equal states are identical. ``depth`` is the number of open rules; inside a mistake, only rules within it
    count.
    """

    __slots__ = ("depth", "index", "rest", "task", "transitions")

    def __init__(self, task: Task, rest: ErrorState | None, index: int) -> None:
        self.task = task
        self.rest = rest
        self.index = index
        outer_depth = 0 if rest is None or isinstance(task, MistakeEnd) else rest.depth
        self.depth: int = outer_depth + isinstance(task, EndMarker)
        self.transitions: tuple[int, list[Transition]] | None = None  # see ErrorStates

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the open rules, outermost first, and of the rule that begins here.

        Inside a mistake, only the keys of rules within it.
        """
        keys: list[str] = []
        state: ErrorState | None = self
        while state is not None and not isinstance(state.task, MistakeEnd):
            if isinstance(state.task, EndMarker):
                keys.append(state.task.site.key)
            elif isinstance(state.task, Ref) and state is self:
                keys.append(state.task.key[1:])
            state = state.rest
        return tuple(reversed(keys))


Transition = tuple[int, "ErrorState | None", "Event | None"]
"""A move without a character: its weight, the next state, and the event on it."""


class ErrorArc:
    """A move that matches one character of ``charset``; ``rank`` decides between equal weights."""

    __slots__ = ("charset", "path", "rank", "target", "weight")

    def __init__(
        self, charset: CharSet, target: ErrorState | None, weight: int, rank: int, path: Path
    ) -> None:
        self.charset = charset
        self.target = target
        self.weight = weight
        self.rank = rank
        self.path = path


class Follow:
    """The moves from a state up to some weight, lightest first.

    ``final`` is the weight, rank and path to the end of the string, or None. ``cost`` is the number of
    visited states. ``classes`` are the arcs with their character classes, computed on demand; ``of_class``
    has the arcs of each class.
    """

    __slots__ = ("arcs", "classes", "cost", "final", "of_class")

    def __init__(self, arcs: tuple[ErrorArc, ...], final: tuple[int, int, Path] | None, cost: int) -> None:
        self.arcs = arcs
        self.final = final
        self.cost = cost
        self.classes: list[tuple[ErrorArc, frozenset[int]]] | None = None
        self.of_class: dict[int, tuple[ErrorArc, ...]] = {}


class ErrorStates:
    """The states of one error grammar, without the mistakes of the ``excluded`` codes."""

    def __init__(self, grammar: ErrorGrammar, excluded: frozenset[str] = frozenset()) -> None:
        self.grammar = grammar
        self._excluded = excluded
        self._begin = Ref("*")
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._end_markers: dict[ErrorSite, EndMarker] = {}
        self._catch_alls: dict[str, Wildcard] = {}
        self._without_before: dict[str, Ref] = {}
        self.forget()

    def forget(self) -> None:
        """Drop every state. Do not mix earlier states with later ones."""
        self._states: dict[tuple[int, int, int], ErrorState] = {}
        self.start = self.state(self._begin, None)

    def __len__(self) -> int:
        return len(self._states)

    def follow(self, origin: ErrorState | None, max_weight: int) -> Follow:
        """Return the moves from a state, up to some weight.

        Dijkstra's algorithm runs over moves without a character.

        At equal weight, the rule itself comes before its mistakes, and mistakes come in file order. The first
        path to a state is the best one. Raises LimitExceeded.
        """
        arcs: list[ErrorArc] = []
        final: tuple[int, int, Path] | None = None
        visited: set[ErrorState | None] = set()
        waiting: dict[int, list[tuple[ErrorState | None, Path]]] = {0: [(origin, None)]}
        weights = [0]
        while weights:
            weight = weights[0]
            if not waiting[weight]:
                del waiting[weight]
                weights.pop(0)
                continue
            state, path = waiting[weight].pop()
            if state in visited:
                continue
            visited.add(state)
            if len(visited) > MAX_FOLLOWED:
                raise too_many_paths(len(visited))
            if state is None:
                final = weight, _rank(weight, path), path
                continue
            task = state.task
            if isinstance(task, Chars):
                arcs.append(
                    ErrorArc(
                        task.charset, self.without_ended_rules(state.rest), weight, _rank(weight, path), path
                    )
                )
                continue
            if isinstance(task, Wildcard):
                total = weight + CATCH_ALL_CHARACTER
                if total <= max_weight:
                    arcs.append(ErrorArc(ANY, state, total, _rank(total, path), path))
            for cost, target, event in reversed(self._transitions(state, max_weight - weight, origin)):
                total = weight + cost
                if total > max_weight:
                    continue
                if total not in waiting:
                    waiting[total] = []
                    insort(weights, total)
                waiting[total].append((target, path if event is None else (event, path)))
        arcs.sort(key=lambda arc: arc.weight)
        return Follow(tuple(arcs), final, len(visited))

    def _transitions(self, state: ErrorState, max_weight: int, origin: ErrorState | None) -> list[Transition]:
        """Return the moves of a state without a character, preferred ones first.

        The result can omit moves heavier than ``max_weight``. ``origin`` is the state after the last
        character: a mistake after a rule belongs to the rules that are open there.
        """
        task = state.task
        if isinstance(task, EndMarker):
            if not task.site.after:
                return [(0, state.rest, None)]
            opened = origin if origin is not None and _continues(origin, state) else state
            return [(0, state.rest, None), *self._mistakes(task.site.after, opened, state.rest, max_weight)]
        if state.transitions is None or state.transitions[0] < max_weight:
            state.transitions = max_weight, self._find_transitions(state, max_weight)
        return state.transitions[1]

    def _find_transitions(self, state: ErrorState, max_weight: int) -> list[Transition]:
        task, rest = state.task, state.rest
        match task:
            case Wildcard() | MistakeEnd():
                return [(0, rest, END)]
            case SlotEnd():
                return [(0, rest, SLOT_END)]
            case Ref(key=key):
                return self._reference(key, state, max_weight)
            case Seq(items=items):
                if not items:
                    return [(0, rest, None)]
                has_more = state.index + 1 < len(items)
                following = self.state(task, rest, state.index + 1) if has_more else rest
                return [(0, self.state(items[state.index], following), None)]
            case Choice(items=items):
                return [(0, self.state(item, rest), None) for item in items]
            case Repeat():
                return self._repetition(state, task)
            case _:
                return []  # prose matches nothing

    def _reference(self, key: str, state: ErrorState, max_weight: int) -> list[Transition]:
        rest = state.rest
        if key[0] not in "*+-=":
            if "/" not in key or '"' in key:
                return [(0, self.state(self.grammar.plain(key), rest), None)]
            slot = self.grammar.slot(key)
            inside = self.state(slot.reference, self.state(SLOT_END, rest))
            return [(0, inside, SlotBegin(slot.name))]
        site = self.grammar.site(key.removeprefix("="))
        inside = self.state(self.end_marker(site), rest)
        transitions: list[Transition] = [(0, self.state(site.body, inside), None)]
        if max_weight < UNIT:
            return transitions
        transitions += self._mistakes(site.of, inside, inside, max_weight)
        if site.catch_all:
            catch_all = self.catch_all(site)
            # A catch-all comes after all mistakes. If rules begin at the same place, the outermost comes
            # first.
            order = self.grammar.bound.count + inside.depth
            transitions.append(
                (CATCH_ALL + order, self.state(catch_all, inside), MistakeBegin(catch_all, inside))
            )
        if key[0] != "=" and site.before:
            without_before = self.state(self.without_before(key), rest)
            transitions += self._mistakes(site.before, state, without_before, max_weight)
        return transitions

    def _mistakes(
        self, mistakes: tuple[Mistake, ...], state: ErrorState, rest: ErrorState | None, max_weight: int
    ) -> list[Transition]:
        """Return the moves into some mistakes, followed by ``rest``."""
        return [
            (
                mistake.cost * UNIT + mistake.order,
                self.state(self.grammar.body(mistake), self.state(END, rest)),
                MistakeBegin(mistake, state),
            )
            for mistake in mistakes
            if mistake.cost * UNIT <= max_weight and mistake.code not in self._excluded
        ]

    def _repetition(self, state: ErrorState, task: Repeat) -> list[Transition]:
        rest_task = self.rest_of_repetition(task)
        following = (
            state
            if rest_task is task
            else state.rest
            if rest_task is None
            else self.state(rest_task, state.rest)
        )
        transitions: list[Transition] = [(0, self.state(task.item, following), None)]
        if task.min == 0:
            transitions.append((0, state.rest, None))
        return transitions

    def rest_of_repetition(self, task: Repeat) -> Repeat | None:
        """Return the repetition that remains after one iteration, or None."""
        low, high = task.min, task.max
        if high is None and low == 0:
            return task
        if high == 1:
            return None
        nullable = low > MAX_EMPTY_ITERATIONS and self.grammar.bound.facts.is_nullable(task.item)
        low = MAX_EMPTY_ITERATIONS if nullable else low
        key = id(task.item), max(0, low - 1), None if high is None else high - 1
        return self._repeats.setdefault(key, Repeat(task.item, *key[1:]))

    def expansion(self, key: str) -> tuple[EndMarker | None, Node]:
        """Return the expansion of a reference without mistakes: its end marker, if any, and its body."""
        if key[0] not in "*+-=":
            return None, self.grammar.plain(key)
        site = self.grammar.site(key)
        return self.end_marker(site), site.body

    def end_marker(self, site: ErrorSite) -> EndMarker:
        return self._end_markers.setdefault(site, EndMarker(site))

    def catch_all(self, site: ErrorSite) -> Wildcard:
        return self._catch_alls.setdefault(site.key, Wildcard(site.key))

    def without_before(self, key: str) -> Ref:
        """Return a reference to a rule without the mistakes before it."""
        return self._without_before.setdefault(key, Ref(f"={key}"))

    def without_ended_rules(self, state: ErrorState | None) -> ErrorState | None:
        """Drop leading end markers that no mistake can follow, so that equivalent states are merged."""
        while state is not None and isinstance(state.task, EndMarker) and not state.task.site.after:
            state = state.rest
        return state

    def state(self, task: Task, rest: ErrorState | None, index: int = 0) -> ErrorState:
        """Return the state of a task followed by ``rest``."""
        key = id(task), id(rest), index
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = ErrorState(task, rest, index)
        return state


def too_many_paths(used: int) -> LimitExceeded:
    """Return the error for more than ``MAX_FOLLOWED`` states between two characters."""
    return LimitExceeded(
        message("characters-too-many", limit=MAX_FOLLOWED),
        operation="finding mistakes before a character",
        used=used,
        limit=MAX_FOLLOWED,
        setting="MAX_FOLLOWED",
    )


def _rank(weight: int, path: Path) -> int:
    """Return the rank of a path among equal weights.

    Paths on which a mistake begins come first, then paths inside an earlier mistake, then mistakes after a
    rule, so that the rule itself matches as much as it can.
    """
    if not weight:
        return 1
    while path is not None:
        event, path = path
        if (
            isinstance(event, MistakeBegin)
            and isinstance(event.what, Mistake)
            and event.what.place == "after"
        ):
            return 2
    return 0


def _continues(origin: ErrorState, state: ErrorState) -> bool:
    """Return whether ``origin`` ends with ``state``, and no mistake ends between them."""
    rest: ErrorState | None = origin
    while rest is not None and rest is not state and not isinstance(rest.task, MistakeEnd):
        rest = rest.rest
    return rest is state
