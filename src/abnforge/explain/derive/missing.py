"""Mistakes of delimiters: missing, doubled, replaced, at the end of a list, or with whitespace around them.

A missing delimiter is derived if its place is visible from the characters after it or from whitespace there.
Whitespace between two items shows that a sign is missing, but often not which sign. So a fix is derived for
list separators if whitespace is allowed, and for other signs if whitespace is not allowed. If another
interpretation has a different fix, no fix is offered (``Mistake.is_ambiguous``).

This module is long because all mistakes of delimiters share their uses.

All these mistakes are local: another string replaces a delimiter, so the fix is to write the delimiter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from abnforge.charset import CharSet, union
from abnforge.explain.derive.builder import (
    EMPTY,
    MistakeBuilder,
    chars,
    name,
    one,
    quoted_literal,
    some,
    text,
    unless_others,
)
from abnforge.explain.derive.context import FollowSets, Site
from abnforge.explain.mistakes import (
    AFTER,
    ALL,
    LOOK_ALIKE,
    SPACE_FOR,
    START,
    FixPart,
    Slot,
    Text,
    literal_text,
)
from abnforge.explain.signs import (
    ASCII,
    BETWEEN_DIGITS,
    DIGITS,
    PAIRS,
    PUNCTUATION,
    QUOTES,
    SEPARATORS,
    SPACES,
    sign_name,
)
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)
from abnforge.records import dataclass

# A delimiter is a literal of one to three signs that a rule requires between or around other items.
MAX_SIGNS = 3  # longer literals are words, not delimiters
MAX_USES = 4  # with more uses in one rule, the place of a missing sign is unclear

CLEAR, PARTLY, UNCLEAR = 1, 2, 0


@dataclass(frozen=True, slots=True)
class Delimiter:
    """A delimiter ``sign`` in the definition of ``key``, at ``site``.

    ``clear`` states whether its place is visible when it is missing. A ``pair`` delimiter is a bracket or
    quote; if the sign is ``alone``, the rule consists of it, possibly with whitespace around it.
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
    whitespace = context.bits(context.whitespace)
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
    return union(CharSet.of(each.sign) for each in delimiters_of_rule)


def sign_of(item: Repetition) -> str | None:
    """Return the sign that an item requires, or None."""
    text = literal_text(item.element) if item.min == item.max == 1 else None
    return text if text and len(text) <= MAX_SIGNS and all(char in PUNCTUATION for char in text) else None


def sign_of_rule(context: FollowSets, name: RuleName) -> str | None:
    """Return the sign that a rule consists of, possibly with whitespace around it, or None."""
    alternatives = context.grammar.rules[name.name.lower()].elements.alternatives
    if len(alternatives) > 1:
        return None
    whitespace = context.bits(context.whitespace)
    items = [item for item in alternatives[0].items if context.item(item).first & ~whitespace]
    return sign_of(items[0]) if len(items) == 1 else None


def _others(site: Site) -> Iterator[Repetition]:
    for index, item in enumerate(site.concatenation.items):
        if index != site.index:
            yield item


def _needed(context: FollowSets, key: str, site: Site) -> bool:
    """Return whether some rule requires a rule that is only a sign, next to other items."""
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
    """Return whether a delimiter is a bracket or a quote with its partner in the rule."""
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

    ``label`` is the sign's name in codes, ``uses`` are its places, and ``home`` is the rule that messages
    name. ``about`` is its key if it is not the rule ``key``.
    """

    key: str
    sign: str
    label: str
    uses: tuple[Delimiter, ...]
    home: str
    alone: bool

    @property
    def about(self) -> str | None:
        return None if self.home.lower() == self.key else self.home.lower()

    @property
    def place(self) -> str:
        """The sign and its rule, as in codes; if both have the same name, it is written once."""
        return self.label if self.label == self.home.lower() else f"{self.label}-in-{self.home}"

    @property
    def quoted_sign(self) -> str:
        """The sign in quotes, as in messages."""
        return quoted_literal(self.sign)

    @property
    def where(self) -> str:
        """The part of a message that names the rule, or "" if the rule is only the sign."""
        return "" if self.alone else f" in the {self.home}"


def by_sign(builder: MistakeBuilder, delimiters_of_rule: list[Delimiter]) -> list[DelimiterUses]:
    """Group the delimiters of a rule by sign; omit signs without a name."""
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
    """Return the rule that messages name; for a rule that is only a sign, this is its only user."""
    parents = builder.context.parents[use.key]
    key = next(iter(parents)) if use.alone and len(parents) == 1 else use.key
    return builder.rule_name(key)


def missing_mistakes(builder: MistakeBuilder, uses: DelimiterUses) -> None:
    """Add the mistake of a missing sign in one rule."""
    context = builder.context
    if len(uses.uses) > MAX_USES:
        return
    if all(each.pair for each in uses.uses):
        _of_pair(builder, uses)
        return
    between = [each for each in uses.uses if _is_between(context, each)]
    if any(not each.site.optional and each not in between for each in uses.uses):
        return  # the rule begins with the sign
    visibility = _clear(between)
    space_element = _blank(context, uses.uses[0])
    is_known = visibility == CLEAR or uses.sign in SEPARATORS
    if space_element and between:
        # Whitespace is allowed instead of the sign, and required if the place is not visible otherwise.
        body = [[some(space_element, 0 if visibility == CLEAR else 1)]]
        fix = (Text(uses.sign), ALL) if is_known else None
        _add(builder, uses, body, fix, None, blame=(START,))
        return
    around_it = context.charset(_all_of(each.site.after & each.site.before for each in between)) & SPACES
    if around_it and visibility != CLEAR:
        # Whitespace shows the place.
        _add(
            builder, uses, [[some(chars(around_it), 1)]], (Text(uses.sign),) if is_known else None, uses.sign
        )
    elif visibility != UNCLEAR:
        # Otherwise, the place is not visible.
        _add(builder, uses, [[EMPTY]], (Text(uses.sign),) if visibility == CLEAR else None, uses.sign)


def replaced_by_space(builder: MistakeBuilder, uses: DelimiterUses) -> None:
    """Add the mistake of whitespace instead of a sign, where whitespace is not allowed."""
    context, delimiters = builder.context, uses.uses
    if len(delimiters) > MAX_USES:
        return
    if not any(each.pair for each in delimiters) and all(
        _keeps_out_blanks(context, each) for each in delimiters
    ):
        # Digits around a missing decimal point can be one number or two.
        digits = context.bits(DIGITS)
        is_number = uses.sign == "." and len(delimiters) == 1
        is_number = is_number and not (delimiters[0].site.before | delimiters[0].site.after) & ~digits
        builder.add(
            f"{SPACE_FOR}{uses.place}",
            (uses.key,),
            [[some(chars(SPACES), 1)]],
            f"{{all}} must be {uses.quoted_sign}{uses.where}",
            literal=uses.sign,
            fix=None if is_number else (Text(uses.sign),),
            is_ambiguous=True,
            reach=0 if is_number else None,
            about=uses.about,
        )


def _of_pair(builder: MistakeBuilder, uses: DelimiterUses) -> None:
    """Add the mistake of a missing bracket; ``runs.quote_mistakes`` handles quotes."""
    context, sign = builder.context, uses.sign
    if sign[0] in PAIRS and uses.key in context.recursive_homes:
        return  # the content can contain further brackets
    if sign[0] in QUOTES:
        return
    opens = sign[0] in PAIRS
    # The next character can begin another item, so the content can be complete.
    after = (context.after[each.key] if each.alone else each.site.after for each in uses.uses)
    other = opens and any(following & context.begun[uses.key] for following in after)
    fix = None if other else (Text(sign),)
    cost = 2 if opens else 1
    more = unless_others(CharSet.of(sign[0])) if fix is None else {}
    code = f"missing-{uses.place}"
    what = uses.quoted_sign
    more |= {"literal": sign, "fix": fix, "cost": cost, "about": uses.about}
    builder.add_missing(code, (uses.key,), [[EMPTY]], what, **more)


def _clear(between: list[Delimiter]) -> int:
    """Return whether the place of a sign is visible: in all uses, in some, or in none."""
    visibilities = [each.clear for each in between]
    if not visibilities or len(set(visibilities)) == 1:
        return visibilities[0] if visibilities else UNCLEAR
    return PARTLY


def _is_between(context: FollowSets, use: Delimiter) -> bool:
    """Return whether a delimiter is between two required items, so that its place is visible."""
    whitespace = context.bits(SPACES)
    spaced = use.site.before & use.site.after & whitespace and use.site.after & ~whitespace
    clear = CLEAR if spaced or _blank(context, use) is not None else use.clear
    if use.alone:
        return all(
            stands_between(context, site, clear)
            for parent in context.parents[use.key]
            for site in context.sites(parent)
            if isinstance(site.item.element, RuleName) and site.item.element.name.lower() == use.key
        )
    return stands_between(context, use.site, clear)


def stands_between(context: FollowSets, site: Site, clear: int) -> bool:
    """Return whether items are required on both sides of an item, or after it if it begins a repetition."""
    items, index = site.concatenation.items, site.index
    if site.item.min == 0:
        return False
    before, after = context.sequence(items[:index]), context.sequence(items[index + 1 :])
    if before.nullable and site.depth:
        return clear == CLEAR and not after.nullable  # the first item of a repetition, such as a separator
    return not before.nullable and not after.nullable


def _keeps_out_blanks(context: FollowSets, use: Delimiter) -> bool:
    """Return whether whitespace is not allowed between the neighbors of a sign."""
    site, whitespace = use.site, context.bits(SPACES)
    if use.alone or (site.before | site.after) & whitespace or not stands_between(context, site, CLEAR):
        return False
    return not any(
        other.before & site.before and other.after & site.after for other in context.whitespace_sites
    )


def _blank(context: FollowSets, use: Delimiter) -> Element | None:
    """Return the whitespace that can follow a sign in a rule without other items."""
    if not use.alone or use.site.depth or len(use.site.alternation.alternatives) > 1:
        return None
    following = use.site.concatenation.items[use.site.index + 1 :]
    if len(following) != 1 or not context.item(following[0]).nullable:
        return None
    return _run_of(context, following[0])


def _run_of(context: FollowSets, item: Repetition) -> Element | None:
    """Return the whitespace characters that an item repeats any number of times."""
    if item.max is None:
        alone = context.shape(item.element).alone
        space_element = context.charset(alone) & context.whitespace
        return (
            chars(space_element)
            if space_element and not context.charset(alone) - context.whitespace
            else None
        )
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        inner = context.grammar.rules[item.element.name.lower()].elements.alternatives
        if len(inner) == 1 and len(inner[0].items) == 1:
            return _run_of(context, inner[0].items[0])
    return None


def _all_of(sets: Iterable[int]) -> int:
    """Return the intersection of some sets."""
    result: int | None = None
    for each in sets:
        result = each if result is None else result & each
    return result or 0


def _add(
    builder: MistakeBuilder,
    uses: DelimiterUses,
    body: list[list[Repetition]],
    fix: tuple[FixPart, ...] | None,
    literal: str | None,
    blame: tuple[Slot, ...] = (ALL,),
) -> None:
    """Add a missing sign; one without a fix costs more."""
    builder.add_missing(
        f"missing-{uses.place}",
        (uses.key,),
        body,
        uses.quoted_sign,
        literal=literal,
        blame=blame,
        fix=fix,
        cost=1 if fix is not None else 2,
        is_ambiguous=body != [[EMPTY]],
        about=uses.about,
        **({} if fix is not None else unless_others(CharSet.of(uses.sign[0]))),
    )


def trailing_mistakes(builder: MistakeBuilder, key: str) -> None:
    """Add ``","`` after the last item of ``item *( "," item )``; the fix removes it."""
    context = builder.context
    rule = builder.rule_name(key)
    for site in context.sites(key):
        element = site.item.element
        if site.item.max is not None or not isinstance(element, Group):
            continue
        alternatives = element.alternation.alternatives
        if len(alternatives) != 1 or len(alternatives[0].items) < 2:
            continue
        *between, thing = alternatives[0].items
        sign = _separator(context, between)
        if sign is None or (label := sign_name(sign)) is None or context.item(thing).nullable:
            continue
        builder.add(
            f"trailing-{label}-in-{rule}",
            (key,),
            [between],
            f"{{all}} is not allowed after the last item of the {rule}; remove it",
            place=AFTER,
            part=site.item,
            fix=(Text(""),),
        )


def _separator(context: FollowSets, items: list[Repetition]) -> str | None:
    """Return the sign that some items consist of, possibly with whitespace around it, or None."""
    separators: list[str] = []
    whitespace = context.bits(context.whitespace)
    for item in items:
        shape = context.item(item)
        if shape.nullable and not shape.first & ~whitespace:
            continue
        sign = sign_of(item)
        if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
            sign = sign_of_rule(context, item.element)
        if sign is None:
            return None
        separators.append(sign)
    return separators[0] if len(separators) == 1 else None


def content_mistakes(builder: MistakeBuilder, key: str, delimiters: list[Delimiter]) -> None:
    """Add wrong content between the brackets of a rule, without a fix.

    Recursive rules do not have this mistake, since a string could contain it any number of times.
    """
    context = builder.context
    if key in context.recursive or len(delimiters) != 2 or any(each.site.depth for each in delimiters):
        return
    first, last = delimiters
    items = first.site.concatenation.items
    if PAIRS.get(first.sign) != last.sign or first.site.index or last.site.index != len(items) - 1:
        return
    if len(first.site.alternation.alternatives) > 1 or context.sequence(items[1:-1]).longest < 2:
        return
    rule = builder.rule_name(key)
    other = ~(
        CharSet.of(last.sign)
        | (context.charset(context.outer[key]) - context.charset(context.shapes[key].alone))
    )
    inside = builder.helper(f"content-of-{rule}", [some(chars(other), 1)])
    slot = Slot(inside.name.lower())
    builder.add(
        f"content-in-{rule}",
        (key,),
        [[text(first.sign), name(inside.name), text(last.sign)]],
        f"{{{slot}}} is not allowed between the brackets of {rule}",
        blame=(slot,),
    )


_BACKSLASH, _COMMA = CharSet.of("\\"), CharSet.of(",")


class DelimiterMistakes:
    """Derive the mistakes of delimiters."""

    def __init__(self, builder: MistakeBuilder, signs: frozenset[str], has_escapes: bool) -> None:
        self._builder = builder
        self._has_escapes = has_escapes  # true if a run of the grammar is percent-encoded
        self._signs = signs  # all signs of the grammar

    def derive(self, delimiters: list[Delimiter]) -> None:
        """Add the mistakes of one rule's delimiters."""
        for uses in by_sign(self._builder, delimiters):
            if uses.sign * 2 not in self._signs:
                self._doubled(uses)
            if not all(_opens_text(self._builder.context, each) for each in uses.uses):
                self._look_alike(uses)
                missing_mistakes(self._builder, uses)

    def spaced(self, delimiters: list[Delimiter]) -> None:
        """Add whitespace around the delimiters of one rule."""
        for uses in by_sign(self._builder, delimiters):
            self._spaced(uses)
            replaced_by_space(self._builder, uses)

    def _doubled(self, uses: DelimiterUses) -> None:
        say = f"{{all}} must be one {uses.quoted_sign}{uses.where}"
        extra = self._builder.helper(f"extra-{uses.place}", [some(text(uses.sign).element, 1, 2)])
        doubled = [[text(uses.sign), name(extra.name)]]
        blame = (Slot(extra.name.lower()),)
        code, use = f"doubled-{uses.place}", uses.uses[0]
        # Either of two nested brackets can be unclosed, so a fix is not possible. If the string can be
        # continued, it is reported as incomplete.
        is_nested = uses.sign[0] in PAIRS and uses.key in self._builder.context.recursive_homes
        if is_nested:
            say = f"{{all}} is not closed{uses.where}"
        if use.alone and len(uses.uses) == 1 and not use.site.depth:
            if not is_nested:
                self._add(code, uses, doubled, say, blame=blame)
            body = [[some(RuleName(uses.key), 2, 3)]]  # with whitespace between the signs
            again: dict[str, Any] = {"blame": (Slot(uses.key, 2),), "fix": (Slot(uses.key),)}
            more = {"reach": 0} if is_nested else again
            self._builder.add(code, (uses.key,), body, say, about=uses.about, **more)
        elif is_nested:
            self._add(code, uses, doubled, say, fixed=False)
        else:
            self._add(code, uses, doubled, say, blame=blame)

    def _look_alike(self, uses: DelimiterUses) -> None:
        context, sign = self._builder.context, uses.sign
        similar = context.look_alikes(sign) if len(sign) == 1 else CharSet()
        digits = context.bits(DIGITS)
        if all(each.site.after and not each.site.after & ~digits for each in uses.uses):
            similar |= BETWEEN_DIGITS.get(sign, CharSet())
        if self._has_escapes:
            similar -= _BACKSLASH  # fixes in a run percent-encode it; fixes are consistent
        if sign == "." and "," in self._signs:
            similar -= _COMMA  # it is another separator
        for each in uses.uses:
            if sign in PAIRS and each.site.first:  # omit characters that begin another item
                similar -= context.charset(context.begun[each.key])
            if each.site.last:  # omit characters of the content before it
                similar -= context.charset(each.site.before)
        if sign in QUOTES and all(each.pair for each in uses.uses):
            similar -= ASCII  # quote_mistakes handles pairs
        if len(sign) == 1 and not similar:
            return
        if len(sign) == 1:
            body = [[one(chars(similar))]]
        else:
            body = [[one(chars(context.look_alikes(char) | CharSet.of(char))) for char in sign]]
        say = f"{{all}} must be {uses.quoted_sign}{uses.where}"
        following = (context.charset(each.site.allowed) for each in uses.uses)
        if union(following) - context.whitespace - CharSet.of(sign[0]):
            say = f"{{all}} looks like {uses.quoted_sign}; write {uses.quoted_sign}{uses.where}"
        self._add(f"{LOOK_ALIKE}{uses.place}", uses, body, say)

    def _spaced(self, uses: DelimiterUses) -> None:
        """Add whitespace around a delimiter, or on one side of it."""
        whitespace = self._builder.context.bits(SPACES)
        pair = any(each.pair for each in uses.uses)
        if any(each.site.before & whitespace for each in uses.uses):
            return
        if pair and (uses.sign[0] not in PAIRS or not all(each.site.index for each in uses.uses)):
            return  # only before an opening sign that follows an item
        spaces = some(chars(SPACES), 1)
        body = [[spaces, text(uses.sign)]]
        if not pair and not any(each.site.after & whitespace for each in uses.uses):
            body += [[text(uses.sign), spaces], [spaces, text(uses.sign), spaces]]
        say = f"whitespace is not allowed around {uses.quoted_sign}{uses.where}; remove it"
        self._add(f"space-around-{uses.place}", uses, body, say)

    def _add(
        self,
        code: str,
        uses: DelimiterUses,
        body: list[list[Repetition]],
        say: str,
        *,
        fixed: bool = True,
        blame: tuple[Slot, ...] = (ALL,),
    ) -> None:
        more: dict[str, Any] = {"fix": (Text(uses.sign),)} if fixed else {"reach": 0}
        more |= {"literal": uses.sign, "about": uses.about, "blame": blame}
        self._builder.add(code, (uses.key,), body, say, **more)


def _opens_text(context: FollowSets, use: Delimiter) -> bool:
    """Return whether a rule begins with a sign and continues with almost any string, as comments do.

    If another sign is written instead, the mistake cannot be recognized.
    """
    following = use.site.concatenation.items[use.site.index + 1 :]
    if use.pair or use.site.index or not following or following[0].max is not None:
        return False
    return context.charset(context.shape(following[0].element).alone).almost_all


def space_mistakes(builder: MistakeBuilder, key: str) -> None:
    """Add the mistakes at the single spaces of one rule: missing, doubled, or other whitespace."""
    context, rule = builder.context, builder.rule_name(key)
    whitespace = context.bits(context.whitespace)
    items: list[Repetition] = []
    for site in context.sites(key):
        shape = context.item(site.item)
        if shape.longest != 1 or shape.nullable or shape.first & ~whitespace or site.item in items:
            continue
        element = site.item.element
        if " " not in context.charset(shape.first) or (site.item.min, site.item.max) != (1, 1):
            continue
        if not isinstance(element, RuleName) and element not in (CharVal(" "), NumVal("x", (0x20,))):
            continue
        items.append(site.item)
        part = site.item if isinstance(element, RuleName) else None
        sign, fix = " " if part is None else None, (Text(" "),)
        if not site.after & whitespace:
            others = context.whitespace - context.charset(shape.first)
            body = [[some(chars(context.whitespace), 2)], [one(chars(others))]]
            say = f"{{all}} must be one space{builder.location(key)}"
            builder.add(f"doubled-space-in-{rule}", (key,), body, say, literal=sign, part=part, fix=fix)
        if site.after and not site.after & site.before and stands_between(context, site, CLEAR):
            code, at = f"missing-space-in-{rule}", [[EMPTY]]
            builder.add_missing(code, (key,), at, "a space", literal=sign, part=part, fix=fix)
