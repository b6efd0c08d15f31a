"""Delimiters: literals of one to three signs that a rule needs between other things or around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.charset import CharSet, union
from abnforge.explain.derive.builder import MistakeBuilder, to_write
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.derive.signs import BLANKS, PAIRS, PUNCTUATION, QUOTES, sign_name
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)

MAX_SIGNS = 3
"""A longer literal of signs is no delimiter, but a word in some language."""

MAX_USES = 4
"""A literal that a rule has so often is in many similar ways to write it: what is missing is not clear."""

CLEAR, PARTLY, UNCLEAR = 1, 2, 0


@dataclass(frozen=True, slots=True)
class Delimiter:
    """A delimiter ``sign`` in the definition of ``key``, at ``site``. ``clear``: whether its place can be
    seen when it is missing; ``pair``: whether it opens or closes what a partner closes or opens;
    ``alone``: whether the rule is this sign, with white space around it or not."""

    key: str
    sign: str
    site: Site
    clear: int
    pair: bool
    alone: bool


def delimiters(around: FollowSets, key: str) -> list[Delimiter]:
    """The delimiters in the definition of one rule."""
    found: list[Delimiter] = []
    blanks = around.bits(BLANKS)
    for site in around.sites(key):
        sign = sign_of(site.item)
        if sign is None:
            continue
        alone = all(not around.item(item).first & ~blanks for item in _others(site))
        if alone and not _needed(around, key, site):
            continue
        clear = UNCLEAR
        if site.after & ~site.before:
            clear = PARTLY if site.after & site.before & ~blanks else CLEAR
        found.append(Delimiter(key, sign, site, clear, _is_pair(site, sign, alone), alone))
    return found


def signs(found: list[Delimiter]) -> CharSet:
    """The signs of which some delimiters are made."""
    return union(CharSet.of(each.sign) for each in found)


def sign_of(item: Repetition) -> str | None:
    """The sign that an item is, if it is one that has to be there."""
    if (item.min, item.max) != (1, 1):
        return None
    match item.element:
        case CharVal(value=value):
            pass
        case NumVal(values=values, is_range=False):
            value = "".join(map(chr, values))
        case _:
            return None
    if 0 < len(value) <= MAX_SIGNS and all(char in PUNCTUATION for char in value):
        return value
    return None


def sign_of_rule(around: FollowSets, name: RuleName) -> str | None:
    """The sign that a rule is alone, with or without white space around it."""
    alternatives = around.grammar.rules[name.name.lower()].elements.alternatives
    if len(alternatives) > 1:
        return None
    blanks = around.bits(BLANKS)
    items = [item for item in alternatives[0].items if around.item(item).first & ~blanks]
    return sign_of(items[0]) if len(items) == 1 else None


def _others(site: Site) -> Iterator[Repetition]:
    for index, item in enumerate(site.concatenation.items):
        if index != site.index:
            yield item


def _needed(around: FollowSets, key: str, site: Site) -> bool:
    """Whether a rule that is a sign and nothing else stands between or around things somewhere."""
    if site.depth or len(site.alternation.alternatives) > 1:
        return False
    return any(_needs(around.grammar.rules[parent].elements, key) for parent in around.parents[key])


def _needs(alternation: Alternation, key: str) -> bool:
    for each in alternation.alternatives:
        for item in each.items:
            element = item.element
            if isinstance(element, RuleName) and element.name.lower() == key:
                if (item.min, item.max) == (1, 1) and len(each.items) > 1:
                    return True
            elif isinstance(element, Group | Option) and _needs(element.alternation, key):
                return True
    return False


def _is_pair(site: Site, sign: str, alone: bool) -> bool:
    """Whether a delimiter opens or closes: a bracket or a quotation mark with its partner in the rule."""
    char = sign[0]
    if char not in PAIRS and char not in PAIRS.values() and char not in QUOTES:
        return False
    if alone:
        return True
    partner = PAIRS.get(char) or next((one for one, two in PAIRS.items() if two == char), char)
    others = (sign_of(item) for item in _others(site))
    return any(other is not None and other[0] == partner for other in others)


@dataclass(frozen=True, slots=True)
class DelimiterUses:
    """One sign in the definition of the rule ``key``: ``called`` is its name in codes, ``uses`` are its
    places, and ``home`` is the rule that a person would name.
    """

    key: str
    sign: str
    called: str
    uses: tuple[Delimiter, ...]
    home: str
    alone: bool

    @property
    def place(self) -> str:
        """The sign in its rule, as codes have it; a rule that is called as its sign is said once."""
        return self.called if self.called == self.home.lower() else f"{self.called}-in-{self.home}"

    @property
    def shown(self) -> str:
        """The sign in quotes, as messages show what to write."""
        return to_write(self.sign)

    @property
    def where(self) -> str:
        """Its rule as a part of messages, if that says more than the sign."""
        return "" if self.alone else f" in {self.home}"


def by_sign(drafting: MistakeBuilder, found: list[Delimiter]) -> list[DelimiterUses]:
    """The delimiters of one rule by sign, those that have a name."""
    together: dict[str, list[Delimiter]] = {}
    for each in found:
        together.setdefault(each.sign, []).append(each)
    result: list[DelimiterUses] = []
    for sign, uses in together.items():
        called = sign_name(sign)
        if called is not None:
            home = _home(drafting, uses[0])
            alone = uses[0].alone and home == drafting.shown(uses[0].key)
            result.append(DelimiterUses(uses[0].key, sign, called, tuple(uses), home, alone))
    return result


def _home(drafting: MistakeBuilder, use: Delimiter) -> str:
    """The rule that a person would name: of a rule that is a sign alone, the only one that names it."""
    parents = drafting.around.parents[use.key]
    key = next(iter(parents)) if use.alone and len(parents) == 1 else use.key
    return drafting.shown(key)
