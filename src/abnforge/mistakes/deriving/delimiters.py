"""Delimiters that are missing, written twice, or mistaken for a sign that looks like them.

A delimiter is a literal of one to three signs that a rule needs between other things or around them. What
is derived is local: in its place stands nothing, or another sign; so every fix is the delimiter itself, and
right. That what follows is what should follow is seen by the reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)
from abnforge.charset import CharSet, union
from abnforge.mistakes.deriving.bodies import EMPTY, chars, one, some, text
from abnforge.mistakes.deriving.drafting import Drafting, quoted
from abnforge.mistakes.deriving.signs import (
    ASCII,
    BETWEEN_DIGITS,
    BLANKS,
    DIGITS,
    PAIRS,
    PUNCTUATION,
    QUOTES,
    SPACES,
    look_alikes,
    sign_name,
)
from abnforge.mistakes.deriving.surroundings import Site, Surroundings
from abnforge.mistakes.model import ALL, START, Part, Slot, Text

MAX_SIGNS = 3
"""A longer literal of signs is no delimiter, but a word in some language."""

MAX_USES = 4
"""A literal that a rule has so often is in many similar ways to write it: what is missing is not clear."""

_BACKSLASH = CharSet.of("\\")

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


def delimiters(around: Surroundings, key: str) -> list[Delimiter]:
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


def sign_of_rule(around: Surroundings, name: RuleName) -> str | None:
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


def _needed(around: Surroundings, key: str, site: Site) -> bool:
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


class Signs:
    """Derives the mistakes of delimiters."""

    def __init__(self, drafting: Drafting, known: frozenset[str], encodes: bool) -> None:
        self._drafting = drafting
        self._encodes = encodes  # whether some run of the grammar is percent-encoded
        self._known = known  # signs of the whole grammar

    def derive(self, found: list[Delimiter]) -> None:
        """The mistakes of one rule's delimiters."""
        for sign, uses in _by_sign(found).items():
            called = sign_name(sign)
            if called is None or len(uses) > MAX_USES:
                continue
            home = self._home(uses[0])
            if sign + sign not in self._known:
                self._doubled(sign, called, uses, home)
            self._look_alike(sign, called, uses, home)
            self._missing(sign, called, uses, home)

    def spaced(self, found: list[Delimiter]) -> None:
        """White space beside the delimiters of one rule."""
        for sign, uses in _by_sign(found).items():
            called = sign_name(sign)
            if called is not None and len(uses) <= MAX_USES:
                self._spaced(sign, called, uses, self._home(uses[0]))

    def _home(self, use: Delimiter) -> str:
        """The rule that a person would name: of a rule that is a sign alone, the only one that names it."""
        parents = self._drafting.around.parents[use.key]
        key = next(iter(parents)) if use.alone and len(parents) == 1 else use.key
        return self._drafting.shown(key)

    def _where(self, use: Delimiter, home: str) -> str:
        return "" if use.alone and home == self._drafting.shown(use.key) else f" in {home}"

    def _missing(self, sign: str, called: str, uses: list[Delimiter], home: str) -> None:
        around = self._drafting.around
        code, key = f"missing-{_place(called, home)}", uses[0].key
        say = f"{_said(sign)} is missing{self._where(uses[0], home)}"
        if all(each.pair for each in uses):
            if sign[0] in PAIRS and key in around.recursive_homes:
                return  # what is in it could be it again: any text would have any number of them
            if sign[0] not in QUOTES:  # nobody sees where a string begins without its mark: see ``quotes``
                cost = 2 if sign[0] in PAIRS else 1
                self._add(code, key, [[EMPTY]], say, sign, (Text(sign),), cost)
            return
        between = [each for each in uses if self._is_between(each)]
        if any(not each.site.optional and each not in between for each in uses):
            return  # a sign that the rule begins with, as one in pairs
        blank = self._blank(uses[0])
        clear = max((each.clear for each in between), default=UNCLEAR, key=(UNCLEAR, PARTLY, CLEAR).index)
        if blank and between:
            # White space may stand in its place, and has to, where it could not be seen without.
            body = [[some(blank, 0 if clear == CLEAR else 1)]]
            self._add(code, key, body, say, None, (Text(sign), Slot(ALL)), 1, (Slot(START),))
            return
        around_it = around.charset(_all_of(each.site.after & each.site.before for each in between)) & SPACES
        if around_it and clear != CLEAR:
            # White space is there, and shows the place.
            self._add(code, key, [[some(chars(around_it), 1)]], say, sign, (Text(sign),), 1)
        elif clear != UNCLEAR:
            fix = (Text(sign),) if clear == CLEAR else None  # else one does not see where it should be
            self._add(code, key, [[EMPTY]], say, sign, fix, 1 if clear == CLEAR else 2)

    def _is_between(self, use: Delimiter) -> bool:
        """Whether something has to stand on both sides of a delimiter: one sees where it should be."""
        around = self._drafting.around
        if use.alone:
            clear = CLEAR if self._blank(use) is not None else use.clear
            return all(
                _stands_between(around, site, clear)
                for parent in around.parents[use.key]
                for site in around.sites(parent)
                if isinstance(site.item.element, RuleName) and site.item.element.name.lower() == use.key
            )
        blanks = around.bits(SPACES)
        spaced = use.site.before & use.site.after & blanks and use.site.after & ~blanks
        return _stands_between(around, use.site, CLEAR if spaced else use.clear)

    def _blank(self, use: Delimiter) -> Element | None:
        """The white space that may follow a sign in a rule that is nothing but that and white space."""
        around = self._drafting.around
        if not use.alone or use.site.depth or len(use.site.alternation.alternatives) > 1:
            return None
        behind = use.site.concatenation.items[use.site.index + 1 :]
        if len(behind) != 1 or not around.item(behind[0]).nullable:
            return None
        return _run_of(around, behind[0])

    def _doubled(self, sign: str, called: str, uses: list[Delimiter], home: str) -> None:
        say = f"{_said(sign)} stands here more than once{self._where(uses[0], home)}"
        code = f"doubled-{_place(called, home)}"
        key = uses[0].key
        if uses[0].alone and len(uses) == 1 and not uses[0].site.depth:
            body = [[some(RuleName(key), 2, 3)]]
            self._add(code, key, body, say, None, (Slot(key),), 1)
        else:
            self._add(code, key, [[some(text(sign).element, 2, 3)]], say, sign, (Text(sign),), 1)

    def _look_alike(self, sign: str, called: str, uses: list[Delimiter], home: str) -> None:
        around = self._drafting.around
        alike = look_alikes(sign) if len(sign) == 1 else CharSet()
        digits = around.bits(DIGITS)
        if all(each.site.after and not each.site.after & ~digits for each in uses):
            alike |= BETWEEN_DIGITS.get(sign, CharSet())
        if self._encodes:
            alike -= _BACKSLASH  # in a run it would be percent-encoded, and all of a text are mended alike
        if sign in QUOTES and all(each.pair for each in uses):
            alike -= ASCII  # both are seen together: see ``quotes``
        if len(sign) == 1:
            body = [[one(chars(alike))]]
        else:
            body = [[one(chars(look_alikes(char) | CharSet.of(char))) for char in sign]]
        say = f"{{all}} stands in the place of {_said(sign)}{self._where(uses[0], home)}"
        self._add(f"look-alike-{_place(called, home)}", uses[0].key, body, say, sign, (Text(sign),), 1)

    def _spaced(self, sign: str, called: str, uses: list[Delimiter], home: str) -> None:
        """White space around a delimiter that has none, or none on one side."""
        blanks = self._drafting.around.bits(SPACES)
        if any(each.pair or each.site.before & blanks for each in uses):
            return
        spaces = some(chars(SPACES), 1)
        body = [[spaces, text(sign)]]
        if not any(each.site.after & blanks for each in uses):
            body += [[text(sign), spaces], [spaces, text(sign), spaces]]
        say = f"white space stands beside {_said(sign)}{self._where(uses[0], home)}"
        self._add(f"space-around-{_place(called, home)}", uses[0].key, body, say, sign, (Text(sign),), 1)

    def spaces(self, key: str) -> None:
        """Single spaces that a rule needs between things: missing, more than one, or other white space."""
        around, rule = self._drafting.around, self._drafting.shown(key)
        blanks = around.bits(BLANKS)
        seen: list[Repetition] = []
        for site in around.sites(key):
            shape = around.item(site.item)
            if shape.longest != 1 or shape.nullable or shape.first & ~blanks or site.item in seen:
                continue
            element = site.item.element
            if " " not in around.charset(shape.first) or (site.item.min, site.item.max) != (1, 1):
                continue
            if not isinstance(element, RuleName) and element not in (CharVal(" "), NumVal("x", (0x20,))):
                continue
            seen.append(site.item)
            part = site.item if isinstance(element, RuleName) else None
            sign = " " if part is None else None
            if not site.after & blanks:
                body = [[some(chars(BLANKS), 2)], [one(chars(BLANKS - around.charset(shape.first)))]]
                say = f"{rule} has one space here"
                fix = (Text(" "),)
                self._drafting.add(
                    f"doubled-space-in-{rule}", (key,), body, say, literal=sign, part=part, fix=fix
                )
            if site.after and not site.after & site.before and _stands_between(around, site, CLEAR):
                say = f"a space is missing in {rule}"
                self._drafting.add(
                    f"missing-space-in-{rule}",
                    (key,),
                    [[EMPTY]],
                    say,
                    literal=sign,
                    part=part,
                    fix=(Text(" "),),
                    cost=2,
                )

    def _add(
        self,
        code: str,
        key: str,
        body: list[list[Repetition]],
        say: str,
        literal: str | None,
        fix: tuple[Part, ...] | None,
        cost: int,
        blame: tuple[Slot, ...] = (Slot(ALL),),
    ) -> None:
        self._drafting.add(code, (key,), body, say, literal=literal, fix=fix, cost=cost, blame=blame)


def _stands_between(around: Surroundings, site: Site, clear: int) -> bool:
    items, index = site.concatenation.items, site.index
    if site.item.min == 0:
        return False
    left, right = around.sequence(items[:index]), around.sequence(items[index + 1 :])
    if left.nullable and site.depth:
        return clear == CLEAR and not right.nullable  # the first of a repetition, such as a separator
    return not left.nullable and not right.nullable


def _run_of(around: Surroundings, item: Repetition) -> Element | None:
    """The white space that an item holds any number of: a character of it."""
    if item.max is None:
        alone = around.shape(item.element).alone
        blank = around.charset(alone) & BLANKS
        return chars(blank) if blank and not around.charset(alone) - BLANKS else None
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        inner = around.grammar.rules[item.element.name.lower()].elements.alternatives
        if len(inner) == 1 and len(inner[0].items) == 1:
            return _run_of(around, inner[0].items[0])
    return None


def _all_of(sets: Iterable[int]) -> int:
    """What some sets of classes share."""
    found: int | None = None
    for each in sets:
        found = each if found is None else found & each
    return found or 0


def _by_sign(found: list[Delimiter]) -> dict[str, list[Delimiter]]:
    result: dict[str, list[Delimiter]] = {}
    for each in found:
        result.setdefault(each.sign, []).append(each)
    return result


def _place(called: str, home: str) -> str:
    """A delimiter in a rule, as codes have it; a rule that is called as its sign is said once."""
    return called if called == home.lower() else f"{called}-in-{home}"


def _said(sign: str) -> str:
    """A delimiter as a sentence names it."""
    return "the double quote" if sign == '"' else f'"{quoted(sign)}"'
