"""Compute the characters before and after each part of a grammar: FIRST and FOLLOW sets of all rules.

The sets are those of predictive parsing (Aho, Sethi and Ullman 1986, "Compilers", section 4.4), over
characters and with further facts about each item. A set is an integer with one bit for each class of
characters that no terminal distinguishes. The sets decide which mistakes are worth deriving; no proof depends
on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abnforge._lazy import cached_property
from abnforge.budget import Meter
from abnforge.charset import BYTES, CharSet, partition, union
from abnforge.explain.signs import ASCII, INVISIBLE, WHITESPACE, look_alikes
from abnforge.grammar.facts import components
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleName,
    walk,
)
from abnforge.records import dataclass

LONG = 24  # strings of at least this length count as unlimited; escapes and words are shorter


class EdgeSets(NamedTuple):
    """Facts about the strings of an element.

    ``nullable`` is whether the element matches the empty string, and ``longest`` is the maximum length.
    ``first`` are the characters at the beginning of strings, ``continuation`` those that can follow a whole
    string in a longer one. ``alone`` are the characters that are strings by themselves, and ``chars`` are all
    characters.
    """

    nullable: bool
    first: int
    continuation: int
    alone: int
    chars: int
    longest: int


_NOTHING = EdgeSets(False, 0, 0, 0, 0, 0)
_EMPTY = EdgeSets(True, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Site:
    """An item of a rule's definition, at ``index`` of ``concatenation``, an alternative of ``alternation``.

    ``before`` are characters that could continue the string before the item. ``after`` are characters that
    can follow the item, and ``outer`` those that can follow any rule around it. ``allowed`` are all
    characters that the grammar allows where the item begins. ``depth`` is 0 in the rule's outermost
    alternation.

    If the item is ``optional``, the rule has strings without it. If it is ``first``, all items before it are
    optional; if it ``opens`` the rule, none can precede it. If it is ``last``, none can follow it.
    """

    item: Repetition
    index: int
    concatenation: Concatenation
    alternation: Alternation
    before: int
    after: int
    outer: int
    allowed: int
    depth: int
    optional: bool
    first: bool
    opens: bool
    last: bool

    @property
    def others(self) -> bool:
        """Return whether the item begins one of several alternatives."""
        return self.index == 0 and len(self.alternation.alternatives) > 1


class FollowSets:
    """The sets and sites of all rules that ``start`` needs. Cost: linear, for each level of recursion."""

    def __init__(self, grammar: BoundGrammar, start: str, meter: Meter) -> None:
        self.grammar = grammar
        self.start = start
        # A byte from 80 on is part of a character, and not a space, a control character or a similar sign.
        self.characters = ASCII if grammar.alphabet == BYTES else ~CharSet()
        self.whitespace = WHITESPACE & self.characters
        self.blanks = self.whitespace | (INVISIBLE & self.characters)
        self.names: dict[str, tuple[str, ...]] = {}
        sets: dict[CharSet, None] = {}
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in self.names:
                named: dict[str, None] = {}
                _collect(grammar.rules[key].elements, named, sets)
                self.names[key] = tuple(named)
                waiting.extend(reversed(named))
                meter.charge(1 + len(named))
        self._known = sets
        self._blocks = partition(sets)
        self._samples = [block.min() for block in self._blocks]
        self._bits: dict[CharSet, int] = {}
        self._sets: dict[int, CharSet] = {}
        self._terminals: dict[int, EdgeSets] = {}  # by identity of grammar nodes, which stay alive
        self.everything = (1 << len(self._blocks)) - 1
        self.shapes = dict.fromkeys(self.names, _NOTHING)
        groups = list(components(self.names))
        self.recursive = frozenset(
            key for group in groups for key in group if len(group) > 1 or key in self.names[key]
        )
        self.parents: dict[str, dict[str, None]] = {key: {} for key in self.names}
        for key, others in self.names.items():
            for other in others:
                self.parents[other][key] = None
        for group in groups:
            self._settle(group, meter)
        self.before = dict.fromkeys(self.names, 0)
        self.after = dict.fromkeys(self.names, 0)
        self.outer = dict.fromkeys(self.names, 0)
        self.recursive_homes = self.recursive | {
            key for key in self.names if any(parent in self.recursive for parent in self.parents[key])
        }
        self.begun = {key: shape.first for key, shape in self.shapes.items()}
        self.allowed = dict(self.begun)
        self._found: dict[str, tuple[Site, ...]] = {}
        self._within: dict[str, tuple[int, ...]] = {}
        self._whitespace_sites: list[Site] | None = None
        for group in reversed(groups):
            self._spread(group, meter)

    def bits(self, charset: CharSet) -> int:
        """Return the classes that contain a character of a set."""
        bits = self._bits.get(charset)
        if bits is None:
            is_union = charset in self._known  # the set is a union of classes
            bits = 0
            for number, block in enumerate(self._blocks):
                if self._samples[number] in charset or (not is_union and block & charset):
                    bits |= 1 << number
            self._bits[charset] = bits
        return bits

    def charset(self, bits: int) -> CharSet:
        """Return the characters of some classes."""
        charset = self._sets.get(bits)
        if charset is None:
            charset = union(block for number, block in enumerate(self._blocks) if bits >> number & 1)
            self._sets[bits] = charset
        return charset

    def look_alikes(self, sign: str) -> CharSet:
        """Return the characters of the alphabet that users write instead of a sign."""
        return look_alikes(sign) & self.characters

    def blocks(self, charset: CharSet) -> list[CharSet]:
        """Split a set by classes."""
        return [part for block in self._blocks if (part := block & charset)]

    def shape(self, element: Element) -> EdgeSets:
        if isinstance(element, RuleName):
            return self.shapes[element.name.lower()]
        if isinstance(element, Group):
            return self.alternation(element.alternation)
        if isinstance(element, Option):
            return self.alternation(element.alternation)._replace(nullable=True)
        shape = self._terminals.get(id(element))
        if shape is None:
            shape = self._terminals[id(element)] = self._terminal(element)
        return shape

    def _terminal(self, element: CharVal | NumVal | ProseVal) -> EdgeSets:
        match element:
            case CharVal(value=value, charsets=charsets):
                return self._letters(charsets) if value else _EMPTY
            case NumVal(values=(low, high), is_range=True):
                return self._letters((CharSet.from_ranges([(low, high)]),))
            case NumVal(values=values):
                return self._letters(tuple(CharSet.from_ranges([(code, code)]) for code in values))
            case _:
                return _NOTHING

    def item(self, item: Repetition) -> EdgeSets:
        shape, low, high = self.shape(item.element), item.min, item.max
        if low == high == 1:
            return shape
        if high == 0:
            return _EMPTY
        more = high is None or high > low
        longest = LONG if high is None and shape.longest else min(LONG, shape.longest * (high or 0))
        return EdgeSets(
            low == 0 or shape.nullable,
            shape.first,
            shape.continuation | (shape.first if more or shape.nullable else 0),
            shape.alone if low <= 1 or shape.nullable else 0,
            shape.chars,
            longest,
        )

    def alternation(self, alternation: Alternation) -> EdgeSets:
        shapes = [self.sequence(each.items) for each in alternation.alternatives]
        if len(shapes) == 1:
            return shapes[0]
        nullable, first, continuation, alone, chars, longest = shapes[0]
        for each in shapes[1:]:
            nullable = nullable or each.nullable
            first |= each.first
            continuation |= each.continuation
            alone |= each.alone
            chars |= each.chars
            longest = max(longest, each.longest)
        return EdgeSets(nullable, first, continuation, alone, chars, longest)

    def sequence(self, items: tuple[Repetition, ...]) -> EdgeSets:
        result = _EMPTY
        for item in items:
            result = _joined(result, self.item(item))
        return result

    def sites(self, key: str) -> tuple[Site, ...]:
        """Return the items of a rule's definition, outer items before inner items."""
        sites = self._found.get(key)
        if sites is None:
            elements = self.grammar.rules[key].elements
            context = self.before[key], self.after[key], self.outer[key], self.allowed[key]
            sites = self._found[key] = tuple(self._sites(elements, *context))
        return sites

    def within(self, key: str, site: Site) -> int:
        """Return the characters that can follow an item in a string of its rule."""
        return self._followers(key, site) & self.everything

    def can_end(self, key: str, site: Site) -> bool:
        """Return whether a string of a rule can end after an item."""
        return self._followers(key, site) > self.everything

    def _followers(self, key: str, site: Site) -> int:
        """Return the result of ``within``, with an additional bit if the rule can end there."""
        within = self._within.get(key)
        if within is None:
            inner_sites = self._sites(self.grammar.rules[key].elements, 0, self.everything + 1, 0, 0)
            within = self._within[key] = tuple(each.after for each in inner_sites)
        return within[next(place for place, each in enumerate(self.sites(key)) if each is site)]

    @cached_property
    def always_after(self) -> dict[str, int]:
        """For each rule, the characters that can follow it in all of its uses."""
        common = dict.fromkeys(self.names, self.everything)
        common[self.start] = 0
        waiting = dict.fromkeys(self.names)
        while waiting:
            parent = next(iter(waiting))
            del waiting[parent]
            for site in self.sites(parent):
                if not isinstance(site.item.element, RuleName):
                    continue
                key = site.item.element.name.lower()
                after = self.within(parent, site) | (common[parent] if self.can_end(parent, site) else 0)
                if common[key] & ~after:
                    common[key] &= after
                    waiting[key] = None
        return common

    @property
    def whitespace_sites(self) -> list[Site]:
        """The items that match only whitespace, in rules that also match other characters."""
        if self._whitespace_sites is None:
            inside = self.bits(self.whitespace)
            more = [key for key in self.names if self.shapes[key].first & ~inside]
            shapes = ((site, self.item(site.item).first) for key in more for site in self.sites(key))
            self._whitespace_sites = [site for site, first in shapes if first and not first & ~inside]
        return self._whitespace_sites

    def _sites(
        self,
        alternation: Alternation,
        before: int,
        after: int,
        outer: int,
        allowed: int,
        depth: int = 0,
        optional: bool = False,
        first: bool = True,
        opens: bool = True,
        last: bool = True,
    ) -> Iterator[Site]:
        optional = optional or len(alternation.alternatives) > 1
        whole = self.alternation(alternation)
        allowed |= whole.first | (after if whole.nullable else 0)
        for concatenation in alternation.alternatives:
            items = concatenation.items
            shapes = [self.item(item) for item in items]
            followers = [after] * len(items)
            following = after
            for index in range(len(items) - 1, -1, -1):
                followers[index] = following
                shape = shapes[index]
                following = shape.first | (following if shape.nullable else 0)
            left_set, here_set, is_first = before, allowed, first
            for index, item in enumerate(items):
                is_last = last and index == len(items) - 1
                yield Site(
                    item,
                    index,
                    concatenation,
                    alternation,
                    left_set,
                    followers[index],
                    outer,
                    here_set,
                    depth,
                    optional,
                    is_first,
                    opens and not index,
                    is_last,
                )
                element = item.element
                if isinstance(element, Group | Option):
                    inner = self.shape(element)
                    is_repeated = item.max is None or item.max > 1
                    yield from self._sites(
                        element.alternation,
                        left_set | (inner.continuation if is_repeated else 0),
                        followers[index] | (inner.first if is_repeated else 0),
                        outer,
                        here_set | (inner.continuation | followers[index] if is_repeated else 0),
                        depth + 1,
                        optional or item.min == 0 or isinstance(element, Option),
                        is_first,
                        opens and not index and not is_repeated,
                        is_last and not is_repeated,
                    )
                shape = shapes[index]
                is_first = is_first and shape.nullable
                left_set = shape.continuation | (left_set if shape.nullable else 0)
                here_set = shape.continuation | followers[index] | (here_set if shape.nullable else 0)

    def _settle(self, group: list[str], meter: Meter) -> None:
        """Compute the sets of mutually recursive rules, after all other rules that they need."""
        members = set(group)
        waiting = dict.fromkeys(group)
        while waiting:
            key = next(iter(waiting))
            del waiting[key]
            meter.charge(4 + 2 * len(self.names[key]))
            shape = self.alternation(self.grammar.rules[key].elements)
            if key in self.recursive and shape.longest:
                shape = shape._replace(longest=LONG)
            if shape != self.shapes[key]:
                self.shapes[key] = shape
                # Only rules that use this rule can change.
                waiting.update(dict.fromkeys(other for other in self.parents[key] if other in members))

    def _spread(self, group: list[str], meter: Meter) -> None:
        """Compute the context of the rules that a group uses, after the context of the group."""
        waiting = dict.fromkeys(reversed(group))
        while waiting:
            key = next(iter(waiting))
            del waiting[key]
            self._found.pop(key, None)  # its context may have grown
            meter.charge(8 + 4 * len(self.names[key]))
            for site in self.sites(key):
                element = site.item.element
                if isinstance(element, RuleName):
                    named = element.name.lower()
                    if self._grow(named, key, site) and key in self.recursive and named in self.recursive:
                        waiting[named] = None

    def _grow(self, key: str, parent: str, site: Site) -> bool:
        """Add the context of one use of a rule; return whether it adds characters."""
        shape = self.shapes[key]
        is_repeated = site.item.max is None or site.item.max > 1
        before = self.before[key] | site.before | (shape.continuation if is_repeated else 0)
        after = self.after[key] | site.after | (shape.first if is_repeated else 0)
        outer = self.outer[key] | after | site.outer
        allowed = self.allowed[key] | site.allowed | (shape.continuation | site.after if is_repeated else 0)
        openings = self.begun[key] | (self.begun[parent] if site.first else 0)
        if all(self.item(item).nullable for item in site.concatenation.items[: site.index]):
            openings |= self.alternation(site.alternation).first
        new = before, after, outer, allowed, openings
        is_new = new != (
            self.before[key],
            self.after[key],
            self.outer[key],
            self.allowed[key],
            self.begun[key],
        )
        self.before[key], self.after[key], self.outer[key], self.allowed[key], self.begun[key] = new
        return is_new

    def _letters(self, charsets: tuple[CharSet, ...]) -> EdgeSets:
        first, chars = self.bits(charsets[0]), 0
        for each in charsets:
            chars |= self.bits(each)
        return EdgeSets(False, first, 0, first if len(charsets) == 1 else 0, chars, min(LONG, len(charsets)))


def _joined(one: EdgeSets, other: EdgeSets) -> EdgeSets:
    return EdgeSets(
        one.nullable and other.nullable,
        one.first | (other.first if one.nullable else 0),
        other.continuation | (one.continuation | other.first if other.nullable else 0),
        (one.alone if other.nullable else 0) | (other.alone if one.nullable else 0),
        one.chars | other.chars,
        min(LONG, one.longest + other.longest),
    )


def _collect(alternation: Alternation, named: dict[str, None], sets: dict[CharSet, None]) -> None:
    """Collect the rules and the character sets in a definition."""
    for item in walk(alternation):
        match item.element:
            case RuleName(name=name):
                named[name.lower()] = None
            case CharVal(charsets=charsets):
                sets.update(dict.fromkeys(charsets))
            case NumVal(values=(low, high), is_range=True):
                sets[CharSet.from_ranges([(low, high)])] = None
            case NumVal(values=values):
                sets.update(dict.fromkeys(CharSet.from_ranges([(code, code)]) for code in values))
            case _:
                pass
