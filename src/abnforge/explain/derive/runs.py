"""Quoted strings: in other quotation marks than the grammar has, or in none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.charset import CharSet
from abnforge.explain.derive.builder import MistakeBuilder, chars, choice, name, one, some, text, to_write
from abnforge.explain.derive.context import LONG, EdgeSets, FollowSets, Site
from abnforge.explain.derive.delimiters import sign_of, sign_of_rule
from abnforge.explain.derive.signs import BLANKS, DIGITS, LETTERS, PAIRS, QUOTES, sign_name
from abnforge.explain.fixes import HEX
from abnforge.explain.mistakes import ALL, END, Slot, Text
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    CharVal,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)

# Runs: where a grammar reads any number of characters of a set, with or without escapes among them.
#
# ``*( pchar / "/" / "?" )`` is one, ``1*DIGIT`` another, and the inside of a quoted string. Most of what
# people write wrong is a character in such a place.


MANY_KINDS = 8
"""A unit that has long forms, too, is one of a run only if so many classes of characters are units."""

_CLOSING = CharSet.of("".join((*PAIRS.values(), *QUOTES)))

MAX_EXPANDED = 6
"""How many rules deep a unit is looked into for percent-encoding."""


@dataclass(frozen=True, slots=True)
class CharacterRun:
    """A run in the rule ``key``. ``shape`` is that of one unit.

    ``whole``: it is all that the rule derives; ``last``: nothing in the rule is behind it; ``closed``: a
    bracket or a quotation mark ends it; ``encodes``: percent-encoded octets are units; ``leads``: the rule is
    single characters and then the run, such as a letter and then letters and digits.
    """

    key: str
    site: Site
    shape: EdgeSets
    whole: bool
    last: bool
    closed: bool
    encodes: bool
    leads: bool

    @property
    def item(self) -> Repetition:
        """The repetition."""
        return self.site.item

    @property
    def escapes(self) -> int:
        """What units of several characters begin with, that is no unit itself."""
        return self.shape.first & ~self.shape.alone

    @property
    def stops(self) -> int:
        """What ends the run, since it can follow it or a rule around it."""
        outer = 0 if self.closed else self.site.outer
        return (self.site.after | outer) & ~self.shape.alone


def runs(around: FollowSets, key: str) -> list[CharacterRun]:
    """The runs of a rule, those that hold white space alone left out."""
    blanks = around.bits(BLANKS)
    found: list[CharacterRun] = []
    inside: list[Repetition] = []
    for site in around.sites(key):
        if any(holds(item, site.item) for item in inside):
            continue
        if site.item.max is not None:
            continue
        shape = around.shape(site.item.element)
        if not _is_unit(shape) or not shape.alone & ~blanks:
            continue
        inside.append(site.item)
        elements = around.grammar.rules[key].elements
        found.append(
            CharacterRun(
                key,
                site,
                shape,
                len(elements.alternatives) == 1 and len(site.concatenation.items) == 1 and site.depth == 0,
                site.last,
                bool(site.after) and not around.charset(site.after) - _CLOSING,
                _percent_encodes(around.grammar, site.item.element, 0),
                _leads(around, site),
            )
        )
    return found


def rules_of_units(around: FollowSets, found: list[CharacterRun]) -> frozenset[str]:
    """The rules that runs have as units, and those that these need: a person names the run instead."""
    waiting = [key for run in found for key in _named(run.item.element)]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            waiting.extend(around.names[key])
    return frozenset(seen)


def _leads(around: FollowSets, site: Site) -> bool:
    if site.depth or len(site.alternation.alternatives) > 1 or not site.last or not site.index:
        return False
    before = site.concatenation.items[: site.index]
    if around.sequence(before).first & ~around.shape(site.item.element).alone:
        return False
    return all((item.min, item.max) == (1, 1) and around.item(item).longest == 1 for item in before)


def _is_unit(shape: EdgeSets) -> bool:
    if shape.nullable or not shape.alone:
        return False
    return shape.longest < LONG or shape.alone.bit_count() >= MANY_KINDS


def holds(outer: Repetition, item: Repetition) -> bool:
    """Whether an item is within another one, itself included."""
    if outer is item:
        return True
    if not isinstance(outer.element, Group | Option):
        return False
    return any(
        holds(each, item)
        for alternative in outer.element.alternation.alternatives
        for each in alternative.items
    )


def _named(element: Element) -> Iterator[str]:
    match element:
        case RuleName(name=name):
            yield name.lower()
        case Group(alternation=alternation) | Option(alternation=alternation):
            for each in alternation.alternatives:
                for item in each.items:
                    yield from _named(item.element)
        case _:
            pass


def _percent_encodes(grammar: BoundGrammar, element: Element, depth: int) -> bool:
    """Whether a percent sign and any two hexadecimal digits are one of the alternatives of an element."""
    if depth > MAX_EXPANDED:
        return False
    match element:
        case RuleName(name=name):
            return _alternation_encodes(grammar, grammar.rules[name.lower()].elements, depth + 1)
        case Group(alternation=alternation):
            return _alternation_encodes(grammar, alternation, depth + 1)
        case _:
            return False


def _alternation_encodes(grammar: BoundGrammar, alternation: Alternation, depth: int) -> bool:
    for each in alternation.alternatives:
        first, *others = each.items
        if not others:
            if first.min <= 1 and first.max != 0 and _percent_encodes(grammar, first.element, depth):
                return True
            continue
        if (first.min, first.max) != (1, 1) or not _spells_percent(grammar, first.element):
            continue
        digits = sum(item.min for item in others)
        fixed = all(item.min == item.max and _is_hex(grammar, item.element, 0) for item in others)
        if fixed and digits == 2:
            return True
    return False


def _spells_percent(grammar: BoundGrammar, element: Element) -> bool:
    match element:
        case CharVal(value=value):
            return value == "%"
        case NumVal(values=values, is_range=False):
            return values == (0x25,)
        case RuleName(name=name):
            alternatives = grammar.rules[name.lower()].elements.alternatives
            return (
                len(alternatives) == 1
                and len(alternatives[0].items) == 1
                and not isinstance(alternatives[0].items[0].element, RuleName)
                and (alternatives[0].items[0].min, alternatives[0].items[0].max) == (1, 1)
                and _spells_percent(grammar, alternatives[0].items[0].element)
            )
        case _:
            return False


def _is_hex(grammar: BoundGrammar, element: Element, depth: int) -> bool:
    """Whether an element derives every hexadecimal digit."""
    return not [code for code in HEX if not _derives(grammar, element, chr(code), depth)]


def _derives(grammar: BoundGrammar, element: Element, char: str, depth: int) -> bool:
    """Whether an element derives a character alone, as far as it is a choice of terminals and rules."""
    if depth > MAX_EXPANDED:
        return False
    match element:
        case RuleName(name=name):
            alternation = grammar.rules[name.lower()].elements
        case Group(alternation=alternation):
            pass
        case CharVal(value=value, charsets=charsets):
            return len(value) == 1 and char in charsets[0]
        case NumVal(values=(low, high), is_range=True):
            return low <= ord(char) <= high
        case NumVal(values=values):
            return values == (ord(char),)
        case _:
            return False
    return any(
        len(each.items) == 1
        and (each.items[0].min, each.items[0].max) == (1, 1)
        and _derives(grammar, each.items[0].element, char, depth + 1)
        for each in alternation.alternatives
    )


_OPENING = CharSet.of("\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\xab\xbb\xb4")
_PLAIN = LETTERS | DIGITS | CharSet.of("_-.")


def quotation(drafting: MistakeBuilder, run: CharacterRun) -> None:
    """The mistakes of a rule that is a run between quotation marks; nothing for other rules."""
    around = drafting.around
    mark = _mark(around, run)
    if mark is None:
        return
    rule = drafting.shown(run.key)
    held = around.charset(run.shape.alone)
    inside = drafting.helper(f"inside-of-{rule}", [some(chars(held - _OPENING))]) if held - _OPENING else None
    others = _OPENING - CharSet.of(mark) - around.charset(around.begun[run.key])
    if inside is not None and others:
        other = one(chars(others))
        drafting.add(
            f"other-quotes-in-{rule}",
            (run.key,),
            [[other, name(inside.name), other]],
            f"the quotes around {rule} must be {to_write(mark)}",
            fix=(Text(mark), Slot(inside.name.lower()), Text(mark)),
        )
    drafting.add(
        f"missing-{sign_name(mark)}-in-{rule}",
        (run.key,),
        # What it holds does not end in white space: that stands behind it.
        [[text(mark)], [text(mark), run.item, one(chars(held - BLANKS))]],
        f"{to_write(mark)} is missing at the end of {rule}",
        blame=(END,),
        fix=(ALL, Text(mark)),
        cost=2,
    )
    if not held & LETTERS:
        return
    word = [one(chars(held & LETTERS)), some(chars(held & _PLAIN))]
    say = f"{{all}} must be in quotes; use {to_write(mark)}"
    fix = (Text(mark), ALL, Text(mark))
    drafting.add(f"unquoted-{rule}", (run.key,), [word], say, fix=fix, cost=2)
    if " " in held and _instead_of_words(around, run.key):
        # One word needs no quotation marks there, so there are several.
        more = some(choice([some(text(" ").element, 1), some(chars(held & _PLAIN), 1)]), 1)
        drafting.add(f"unquoted-{rule}", (run.key,), [[*word, more]], say, fix=fix, is_ambiguous=True)


def _instead_of_words(around: FollowSets, key: str) -> bool:
    """Whether a word without quotation marks may stand in the place of a rule somewhere."""
    letters = around.bits(LETTERS)
    return any(
        isinstance(site.item.element, RuleName)
        and site.item.element.name.lower() == key
        and len(site.concatenation.items) == 1
        and any(
            not letters & ~around.sequence(each.items).goes_on
            for each in site.alternation.alternatives
            if each is not site.concatenation
        )
        for parent in around.parents[key]
        for site in around.sites(parent)
    )


def _mark(around: FollowSets, run: CharacterRun) -> str | None:
    """The quotation mark around a run, if its rule, or an alternative, has nothing else that is not empty."""
    site = run.site
    if site.depth or run.item.min:
        return None
    items = site.concatenation.items
    if site.index == 0 or site.index + 1 >= len(items):
        return None
    for index, item in enumerate(items):
        if index not in (site.index - 1, site.index, site.index + 1) and not around.item(item).nullable:
            return None
    marks = [_sign(around, items[site.index - 1]), _sign(around, items[site.index + 1])]
    return marks[0] if marks[0] in QUOTES and marks[0] == marks[1] else None


def _sign(around: FollowSets, item: Repetition) -> str | None:
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        return sign_of_rule(around, item.element)
    return sign_of(item)
