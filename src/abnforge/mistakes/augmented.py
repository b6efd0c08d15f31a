"""A grammar whose rules may be read by their mistakes: what can be read in the place of each reference.

Within a mistake's body rules are read as the grammar has them, but for those that its ``inner`` names. Keys
of references tell how a rule is read: ``host`` as it stands; ``+host`` with its mistakes; ``-host`` with
those of the rules in it, but none of its own; ``code/host`` as a slot of a mistake; ``*`` the rule that the
text is read by. No name has such a character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abnforge.charset import CharSet
from abnforge.errors import GrammarError
from abnforge.grammar.core import (
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
from abnforge.mistakes.bound import BoundMistakes
from abnforge.mistakes.messages import message
from abnforge.mistakes.model import (
    AFTER,
    BEFORE,
    OF,
    WHATEVER,
    Mapped,
    Mistake,
    Slot,
    Substituted,
    literal_key,
)
from abnforge.mistakes.templates import slots_said
from abnforge.records import NamedTuple

_BLANKS = CharSet.from_ranges([(0x09, 0x0D), (0x20, 0x20)])


class Place:
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


class Augmented:
    """The rules of a grammar with its mistakes, as one rule is read by them.

    Raises GrammarError where the rule, or one that it needs, begins with itself by way of others: such rules
    are not read.
    """

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.bound = bound
        self.core = bound.core
        self._known = known = bound.known
        self._start = start
        self._plain: dict[str, Node] = {}
        self._places: dict[str, Place] = {}
        self._slots: dict[str, SlotOf] = {}
        self._bodies: dict[str, Node] = {}
        self._mistakes: dict[tuple[str, str], list[Mistake]] = {}
        for mistake in bound.mistakes.mistakes:
            for target in mistake.targets:
                self._mistakes.setdefault((mistake.place, _key(mistake, target)), []).append(mistake)
        self._long = long_rules(bound) if known is None else known.long_rules
        if known is None:
            self._touched = touched_rules(bound, bound.mistakes.mistakes, self._long)
        else:
            self._touched = known.touched_rules
        if known is None or known.is_left_recursive:
            self._refuse_left_recursion()

    def plain(self, key: str) -> Node:
        """The body of a rule as the grammar has it."""
        found = self._plain.get(key)
        if found is None:
            found = self._plain[key] = without_left_recursion(key, self.core.rules[key])
        return found

    def place(self, reference: str) -> Place:
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
            wanted = named_slots(mistake) if self._known is None else self._known.named_slots(mistake)

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

    def _make_place(self, reference: str) -> Place:
        key = self._start if reference == "*" else reference[1:]
        body = self.bound.marked.get(key, self.core.rules[key])
        body = _map_references(without_left_recursion(key, body), self._with_mistakes)
        if reference.startswith("-"):
            return Place(key, body, (), (), (), False)

        def declared(place: str) -> tuple[Mistake, ...]:
            own = self._mistakes.get((place, key), [])
            if reference == "*":
                both = {each.key: each for each in (*own, *self._mistakes.get((place, WHATEVER), []))}
                own = sorted(both.values(), key=lambda mistake: mistake.order)
            return tuple(own)

        catch_all = reference == "*" or key in self._long
        return Place(key, body, declared(OF), declared(BEFORE), declared(AFTER), catch_all)

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
    wanted = {slot.name for slot in mistake.blame}
    for part in mistake.fix or ():
        match part:
            case Slot(name=name):
                wanted.add(name)
            case Mapped(slot=slot):
                wanted.add(slot.name)
            case Substituted(pairs=pairs):
                wanted |= {name for name, _ in pairs}
    return frozenset(wanted | {slot.name for slot in slots_said(mistake)})


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

    grown = True
    while grown:
        grown = False
        for key, before in longest.items():
            if before < 2 and (now := min(2, length(rules[key]))) > before:
                longest[key] = now
                grown = True
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
    shrunk = True
    while shrunk:
        others = {key for key in found if not found.issuperset(bound.facts.references[key])}
        found -= others
        shrunk = bool(others)
    return found
