"""Delimiters: literals of one to three signs that a rule requires between or around other items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.charset import CharSet, union
from abnforge.explain.derive.builder import MistakeBuilder, quoted_literal
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.derive.signs import PAIRS, PUNCTUATION, QUOTES, WHITESPACE, sign_name
from abnforge.explain.mistakes import literal_text
from abnforge.grammar.syntax import (
    Alternation,
    Group,
    Option,
    Repetition,
    RuleName,
)

MAX_SIGNS = 3
"""A longer literal of signs is a word, not a delimiter."""

MAX_USES = 4
"""A literal with more uses in one rule belongs to many similar forms; a missing one is not clear."""

CLEAR, PARTLY, UNCLEAR = 1, 2, 0


@dataclass(frozen=True, slots=True)
class Delimiter:
    """A delimiter ``sign`` in the definition of ``key``, at ``site``.

    ``clear`` is whether its place is visible when it is missing. A ``pair`` delimiter opens or closes; a rule
    that is ``alone`` is this sign, possibly with whitespace around it.
    """

    key: str
    sign: str
    site: Site
    clear: int
    pair: bool
    alone: bool


def delimiters(context: FollowSets, key: str) -> list[Delimiter]:
    """Return the delimiters in the definition of a rule."""
    result: list[Delimiter] = []
    whitespace = context.bits(WHITESPACE)
    for site in context.sites(key):
        sign = sign_of(site.item)
        if sign is None:
            continue
        alone = all(not context.item(item).first & ~whitespace for item in _others(site))
        if alone and not _needed(context, key, site):
            continue
        clear = UNCLEAR
        if site.after & ~site.before:
            clear = PARTLY if site.after & site.before & ~whitespace else CLEAR
        result.append(Delimiter(key, sign, site, clear, _is_pair(site, sign, alone), alone))
    return result


def signs(delimiters_of_rule: list[Delimiter]) -> CharSet:
    """Return the signs in some delimiters."""
    return union(CharSet.of(each.sign) for each in delimiters_of_rule)


def sign_of(item: Repetition) -> str | None:
    """Return the sign that an item is, if it is required."""
    text = literal_text(item.element) if item.min == item.max == 1 else None
    return text if text and len(text) <= MAX_SIGNS and all(char in PUNCTUATION for char in text) else None


def sign_of_rule(context: FollowSets, name: RuleName) -> str | None:
    """Return the sign that a rule is, possibly with whitespace around it."""
    alternatives = context.grammar.rules[name.name.lower()].elements.alternatives
    if len(alternatives) > 1:
        return None
    whitespace = context.bits(WHITESPACE)
    items = [item for item in alternatives[0].items if context.item(item).first & ~whitespace]
    return sign_of(items[0]) if len(items) == 1 else None


def _others(site: Site) -> Iterator[Repetition]:
    for index, item in enumerate(site.concatenation.items):
        if index != site.index:
            yield item


def _needed(context: FollowSets, key: str, site: Site) -> bool:
    """Return whether a rule that is only a sign is required next to other items somewhere."""
    if site.depth or len(site.alternation.alternatives) > 1:
        return False
    return any(_needs(context.grammar.rules[parent].elements, key) for parent in context.parents[key])


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
    """Return whether a delimiter opens or closes: a bracket or a quote with its partner in the rule."""
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
    """One sign in the definition of the rule ``key``.

    ``label`` is its name in codes, ``uses`` are its places, and ``home`` is the rule that a message names.
    """

    key: str
    sign: str
    label: str
    uses: tuple[Delimiter, ...]
    home: str
    alone: bool

    @property
    def place(self) -> str:
        """The sign in its rule, as in codes; a rule with the name of its sign occurs once."""
        return self.label if self.label == self.home.lower() else f"{self.label}-in-{self.home}"

    @property
    def quoted_sign(self) -> str:
        """The sign in quotes, as messages show it."""
        return quoted_literal(self.sign)

    @property
    def where(self) -> str:
        """Its rule as part of a message, if this says more than the sign."""
        return "" if self.alone else f" in {self.home}"


def by_sign(builder: MistakeBuilder, delimiters_of_rule: list[Delimiter]) -> list[DelimiterUses]:
    """Return the delimiters of a rule by sign, if the sign has a name."""
    by_text: dict[str, list[Delimiter]] = {}
    for each in delimiters_of_rule:
        by_text.setdefault(each.sign, []).append(each)
    result: list[DelimiterUses] = []
    for sign, uses in by_text.items():
        label = sign_name(sign)
        if label is not None:
            home = _home(builder, uses[0])
            alone = uses[0].alone and home == builder.rule_name(uses[0].key)
            result.append(DelimiterUses(uses[0].key, sign, label, tuple(uses), home, alone))
    return result


def _home(builder: MistakeBuilder, use: Delimiter) -> str:
    """Return the rule that a message names: the only user of a rule that is only a sign, or the rule."""
    parents = builder.context.parents[use.key]
    key = next(iter(parents)) if use.alone and len(parents) == 1 else use.key
    return builder.rule_name(key)
