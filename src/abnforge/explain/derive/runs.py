"""Find runs, where a rule matches any number of characters of a set, and derive the mistakes of quotes.

``*( pchar / "/" / "?" )``, ``1*DIGIT`` and the content of a quoted string are runs; runs can contain escapes.
Most mistakes are single wrong characters in a run (``characters``). Quoted strings are runs in quotes.
"""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.explain.derive.builder import (
    MistakeBuilder,
    body,
    chars,
    choice,
    name,
    one,
    quoted_literal,
    some,
    text,
)
from abnforge.explain.derive.context import LONG, EdgeSets, FollowSets, Site
from abnforge.explain.derive.missing import sign_of, sign_of_rule
from abnforge.explain.fixes import HEX
from abnforge.explain.mistakes import ALL, END, Slot, Text, literal_text
from abnforge.explain.signs import DIGITS, LETTERS, PAIRS, QUOTES, sign_name
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
    references,
)
from abnforge.records import dataclass

MANY_KINDS = 8  # character classes that units need if some units are long

_CLOSING = CharSet.of("".join((*PAIRS.values(), *QUOTES)))

MAX_EXPANDED = 6  # the depth to which a unit is searched for percent-encoding


@dataclass(frozen=True, slots=True)
class CharacterRun:
    """A run in the rule ``key``. ``shape`` contains the facts about one unit.

    The run is ``whole`` if it is the entire rule, ``last`` if no item of the rule follows, and ``closed`` if
    a bracket or quote ends it. It ``encodes`` if percent-encoded bytes are units. It ``leads`` if the rule
    consists of single characters followed by the run, such as a letter and then letters and digits.
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
        return self.site.item

    @property
    def escapes(self) -> int:
        """The first characters of longer units, unless they are units themselves."""
        return self.shape.first & ~self.shape.alone

    @property
    def stops(self) -> int:
        """The characters that end the run because they can follow it or a rule around it."""
        outer = 0 if self.closed else self.site.outer
        return (self.site.after | outer) & ~self.shape.alone


def character_runs(context: FollowSets, key: str) -> list[CharacterRun]:
    """Return the runs of a rule except runs of whitespace."""
    whitespace = context.bits(context.whitespace)
    result: list[CharacterRun] = []
    inside: list[Repetition] = []
    for site in context.sites(key):
        if any(holds(item, site.item) for item in inside):
            continue
        if site.item.max is not None:
            continue
        shape = context.shape(site.item.element)
        if not _is_unit(shape) or not shape.alone & ~whitespace:
            continue
        inside.append(site.item)
        elements = context.grammar.rules[key].elements
        result.append(
            CharacterRun(
                key,
                site,
                shape,
                len(elements.alternatives) == 1 and len(site.concatenation.items) == 1 and site.depth == 0,
                site.last,
                bool(site.after) and not context.charset(site.after) - _CLOSING,
                _percent_encodes(context.grammar, site.item.element, 0),
                _leads(context, site),
            )
        )
    return result


def unit_rules(context: FollowSets, runs: list[CharacterRun]) -> frozenset[str]:
    """Return the rules in the units of runs, directly or indirectly; messages name the run instead."""
    waiting = [each.name.lower() for run in runs for each in references(body([run.item]))]
    reached: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in reached:
            reached.add(key)
            waiting.extend(context.names[key])
    return frozenset(reached)


def _leads(context: FollowSets, site: Site) -> bool:
    if site.depth or len(site.alternation.alternatives) > 1 or not site.last or not site.index:
        return False
    before = site.concatenation.items[: site.index]
    if context.sequence(before).first & ~context.shape(site.item.element).alone:
        return False
    return all((item.min, item.max) == (1, 1) and context.item(item).longest == 1 for item in before)


def _is_unit(shape: EdgeSets) -> bool:
    if shape.nullable or not shape.alone:
        return False
    return shape.longest < LONG or shape.alone.bit_count() >= MANY_KINDS


def holds(outer: Repetition, item: Repetition) -> bool:
    """Return whether an item is inside another item or equal to it."""
    if outer is item:
        return True
    if not isinstance(outer.element, Group | Option):
        return False
    return any(
        holds(each, item)
        for alternative in outer.element.alternation.alternatives
        for each in alternative.items
    )


def _percent_encodes(grammar: BoundGrammar, element: Element, depth: int) -> bool:
    """Return whether an alternative of an element is a percent sign followed by any two hex digits."""
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
        fixed = all(
            item.min == item.max and all(_derives(grammar, item.element, chr(code), 0) for code in HEX)
            for item in others
        )
        if fixed and digits == 2:
            return True
    return False


def _spells_percent(grammar: BoundGrammar, element: Element) -> bool:
    if isinstance(element, RuleName):
        alternatives = grammar.rules[element.name.lower()].elements.alternatives
        if len(alternatives) > 1 or len(alternatives[0].items) > 1:
            return False
        (item,) = alternatives[0].items
        return item.min == item.max == 1 and literal_text(item.element) == "%"
    return literal_text(element) == "%"


def _derives(grammar: BoundGrammar, element: Element, char: str, depth: int) -> bool:
    """Return whether an element, a choice of terminals and rules, derives only single characters."""
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
_QUOTES = {'"': "double quotes", "'": "single quotes"}
_PLAIN = LETTERS | DIGITS | CharSet.of("_-.")


def quote_mistakes(builder: MistakeBuilder, run: CharacterRun) -> None:
    """Add the mistakes of quotes if a run is between quotes."""
    context = builder.context
    mark = _mark(context, run)
    if mark is None:
        return
    rule = builder.rule_name(run.key)
    held = context.charset(run.shape.alone)
    inside = builder.helper(f"inside-of-{rule}", [some(chars(held - _OPENING))]) if held - _OPENING else None
    others = _OPENING - CharSet.of(mark) - context.charset(context.begun[run.key])
    if inside is not None and others:
        other = one(chars(others))
        builder.add(
            f"other-quotes-in-{rule}",
            (run.key,),
            [[other, name(inside.name), other]],
            f"{{all}} must be in {_QUOTES.get(mark) or f'quotes; use {quoted_literal(mark)}'}",
            fix=(Text(mark), Slot(inside.name.lower()), Text(mark)),
        )
    builder.add(
        f"missing-{sign_name(mark)}-in-{rule}",
        (run.key,),
        # The content must not end in whitespace, which belongs after the mistake.
        [[text(mark)], [text(mark), run.item, one(chars(held - context.whitespace))]],
        f"{quoted_literal(mark)} is missing at the end of the {rule}",
        blame=(END,),
        fix=(ALL, Text(mark)),
        cost=2,
    )
    if not held & LETTERS:
        return
    word = [one(chars(held & LETTERS)), some(chars(held & _PLAIN))]
    say = f"{{all}} must be in quotes; use {quoted_literal(mark)}"
    fix = (Text(mark), ALL, Text(mark))
    builder.add(f"unquoted-{rule}", (run.key,), [word], say, fix=fix, cost=2)
    if " " in held and _instead_of_words(context, run.key):
        # A single word is allowed without quotes there, so the mistake consists of several words.
        first, rest = one(chars(held & (LETTERS | DIGITS))), some(chars(held & _PLAIN))
        more = some(choice([some(text(" ").element, 1), first, rest]), 1)
        builder.add(f"unquoted-{rule}", (run.key,), [[*word, more]], say, fix=fix, is_ambiguous=True)


def _instead_of_words(context: FollowSets, key: str) -> bool:
    """Return whether some rule allows an unquoted word as an alternative to a rule."""
    letters = context.bits(LETTERS)
    return any(
        isinstance(site.item.element, RuleName)
        and site.item.element.name.lower() == key
        and len(site.concatenation.items) == 1
        and any(
            not letters & ~context.sequence(each.items).continuation
            for each in site.alternation.alternatives
            if each is not site.concatenation
        )
        for parent in context.parents[key]
        for site in context.sites(parent)
    )


def _mark(context: FollowSets, run: CharacterRun) -> str | None:
    """Return the quote around a run, if its alternative does not require other items."""
    site = run.site
    if site.depth or run.item.min:
        return None
    items = site.concatenation.items
    if site.index == 0 or site.index + 1 >= len(items):
        return None
    for index, item in enumerate(items):
        if index not in (site.index - 1, site.index, site.index + 1) and not context.item(item).nullable:
            return None
    marks = [_sign(context, items[site.index - 1]), _sign(context, items[site.index + 1])]
    return marks[0] if marks[0] in QUOTES and marks[0] == marks[1] else None


def _sign(context: FollowSets, item: Repetition) -> str | None:
    if isinstance(item.element, RuleName) and (item.min, item.max) == (1, 1):
        return sign_of_rule(context, item.element)
    return sign_of(item)
