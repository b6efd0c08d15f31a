"""Findings about grammars that say something else than their authors are likely to mean.

Each check asks for evidence that has hardly another reading: a warning about a grammar that is right costs
more than one that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from abnforge.abnf.model import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Repetition,
    RuleName,
)
from abnforge.abnf.names import BoundGrammar, BoundRule
from abnforge.linting.finding import Finding, make
from abnforge.linting.messages import message
from abnforge.linting.sites import concatenations, inside, own_alternatives, own_rules, repetitions

MIN_SEQUENCE = 8
"""Consecutive characters of a string that stands for their set; of one that is repeated, half as many."""

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", '"': '"', "'": "'"}
_SET_NAME = re.compile(
    r"(?:^|-)(?:digits|letters|chars|characters|symbols|specials|punctuation|vowels|alphabet)$", re.I
)
_LINE_NAME = re.compile(
    r"(?:^|-)(?:nl|lf|cr|crlf|eol|newlines?|line-?(?:end|break|feed)(?:ing)?|tab|white-?space|ws)$", re.I
)
_ESCAPE = re.compile(r"(?:\\[nrtfv0])+")
_ESCAPES = {"n": "LF", "r": "CR", "t": "HTAB", "f": "%x0C", "v": "%x0B", "0": "%x00"}

# What the ends of a range are, as written -> what somebody who writes them in this base means.
_WRONG_BASE = {
    ("d", 30, 39): "%x30-39",
    ("x", 0x48, 0x57): "%d48-57",
    ("x", 0x65, 0x90): "%d65-90",
    ("x", 0x97, 0x122): "%d97-122",
}
_HEX_LETTERS = {(0x41, 0x46), (0x61, 0x66)}
SURROGATES = (0xD800, 0xDFFF)


def slips(grammar: BoundGrammar) -> Iterator[Finding]:
    """All findings of this module. Cost: linear."""
    for _, rule in own_rules(grammar):
        yield from _alternatives(grammar, rule)
        for item in repetitions(rule):
            if isinstance(item.element, NumVal) and item.element.is_range:
                yield from _range(grammar, rule, item.element)
        yield from _sets(grammar, rule)
        yield from _letters(grammar, rule)


def _alternatives(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """``"(" a / b ")"``: a bracket that one alternative opens and another closes."""
    own = own_alternatives(rule)
    groups = [own] + [
        inner.alternatives
        for each in concatenations(own)
        for item in each.items
        if (inner := inside(item.element)) is not None
    ]
    for alternatives in groups:
        first, last = alternatives[0], alternatives[-1]
        opener = _character(first.items[0])
        closer = _PAIRS.get(opener)
        if len(alternatives) < 2 or closer is None or _character(last.items[-1]) != closer:
            continue
        if len(first.items) < 2 or len(last.items) < 2:
            continue
        own_count = 1 if opener == closer else 0
        if (
            _count(first, closer) == own_count
            and _count(last, opener) == own_count
            and _count(first, opener) == 1
        ):
            yield make(
                "unbalanced-alternatives",
                message("unbalanced-alternatives", opener=opener, closer=closer),
                grammar.source,
                first.span,
                rule.name,
                related=[(last.span, message("closed-here"))],
                fix=message("unbalanced-alternatives-fix", opener=opener, closer=closer),
            )


def _character(item: Repetition) -> str:
    """The character that an item is, once; "" for anything else."""
    element = item.element
    if (item.min, item.max) != (1, 1):
        return ""
    if isinstance(element, RuleName) and element.name.upper() == "DQUOTE":
        return '"'
    if isinstance(element, NumVal) and len(element.values) == 1:
        return chr(element.values[0])
    return element.value if isinstance(element, CharVal) and len(element.value) == 1 else ""


def _count(alternative: Concatenation, char: str) -> int:
    """How often a character occurs in an alternative, whatever is in brackets included."""
    return sum(_occurs(item.element, char) for each in concatenations([alternative]) for item in each.items)


def _occurs(element: Element, char: str) -> int:
    match element:
        case CharVal(value=value):
            return value.count(char)
        case NumVal(values=values, is_range=False):
            return values.count(ord(char))
        case RuleName(name=name):
            return int(name.upper() == "DQUOTE" and char == '"')
        case _:
            return 0


def _range(grammar: BoundGrammar, rule: BoundRule, value: NumVal) -> Iterator[Finding]:
    """Ranges whose ends were written in another base, or hold what is no character."""
    low, high = value.values
    written = grammar.source.text[value.span.start : value.span.end]
    meant = _WRONG_BASE.get((value.base, low, high))
    if meant is not None:
        base = "decimal" if value.base == "x" else "hexadecimal"
        yield make(
            "suspicious-range",
            message("suspicious-range", range=written, low=f"U+{low:04X}", high=f"U+{high:04X}", base=base),
            grammar.source,
            value.span,
            rule.name,
            fix=meant,
        )
    if low < SURROGATES[0] and high > SURROGATES[1]:
        prefix = f"%x{low:X}-D7FF", f"%xE000-{high:X}"
        yield make(
            "surrogates-in-range",
            message("surrogates-in-range", range=written),
            grammar.source,
            value.span,
            rule.name,
            fix=" / ".join(prefix),
        )


def _sets(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """Strings that list the characters of a set: a string is one after the other."""
    alternatives = own_alternatives(rule)
    sole = len(alternatives) == 1 and len(alternatives[0].items) == 1
    for item in repetitions(rule):
        string = item.element
        repeated = item.max is None
        if isinstance(string, Group) and repeated and (inner := _only(string.alternation)) is not None:
            string = inner
        if not isinstance(string, CharVal):
            continue
        value = string.value
        length = MIN_SEQUENCE // 2 if repeated else MIN_SEQUENCE
        run = len(value) >= length and _is_run(value)
        distinct = len(set(value)) == len(value) >= 3
        signs = distinct and not any(char.isalnum() or char == " " for char in value)
        if run or (signs and repeated) or (distinct and sole and _SET_NAME.search(rule.name)):
            yield make(
                "string-as-set",
                message("string-as-set", string=value),
                grammar.source,
                string.span,
                rule.name,
                witness=value,
                fix=_choice(value) if len(value) <= MIN_SEQUENCE or run else None,
            )
        elif _LINE_NAME.search(rule.name) and _ESCAPE.fullmatch(value):
            meant = " ".join(_ESCAPES[char] for char in value[1::2])
            yield make(
                "escape-in-string",
                message("escape-in-string", string=value),
                grammar.source,
                string.span,
                rule.name,
                witness=value,
                fix="CRLF" if meant == "CR LF" else meant,
            )


def _only(alternation: Alternation) -> CharVal | None:
    """The string that is all of what stands in brackets."""
    items = [item for each in alternation.alternatives for item in each.items]
    element = items[0].element
    plain = len(items) == 1 and (items[0].min, items[0].max) == (1, 1)
    return element if plain and isinstance(element, CharVal) else None


def _is_run(value: str) -> bool:
    """Whether the characters of a string follow one another."""
    return all(ord(b) - ord(a) == 1 for a, b in pairwise(value))


def _choice(value: str) -> str:
    """ABNF for one of some characters."""
    if value == "0123456789":
        return "DIGIT"
    if _is_run(value):
        return f"%x{ord(value[0]):X}-{ord(value[-1]):X}"
    return " / ".join(f'"{char}"' for char in value)


def _letters(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Finding]:
    """``%x0-9 / %xA-F`` for hexadecimal digits, and ``%x61-66 / %x41-47``: letters of two cases that
    differ.
    """
    ranges = [
        item.element
        for item in repetitions(rule)
        if isinstance(item.element, NumVal) and item.element.is_range and item.element.base == "x"
    ]
    ends = {(each.values[0], each.values[1]): each for each in ranges}
    digits = ends.get((0x0, 0x9))
    others = set(ends) - {(0x0, 0x9), (0xA, 0xF)}
    named = re.search(r"digit|number|integer|octal|decimal|hex", rule.name, re.IGNORECASE)
    if digits is not None and not others and (named or (0xA, 0xF) in ends):
        yield make(
            "suspicious-range",
            message("suspicious-range-control", range="%x0-9", characters="digits"),
            grammar.source,
            digits.span,
            rule.name,
            fix="DIGIT",
        )
    letters = ends.get((0xA, 0xF))
    if letters is not None and all(low >= 0x20 for low, _ in set(ends) - {(0xA, 0xF)}):
        written = grammar.source.text[letters.span.start : letters.span.end]
        meant = {"a-f": "%x61-66", "A-F": "%x41-46"}.get(written[2:])  # whoever writes 0A means the value
        if meant is not None:
            yield make(
                "suspicious-range",
                message("suspicious-range-control", range=written, characters="letters"),
                grammar.source,
                letters.span,
                rule.name,
                fix=meant,
            )
    upper = [end for end in ends if end[0] == 0x41 and end[1] <= 0x5A]
    lower = [end for end in ends if end[0] == 0x61 and end[1] <= 0x7A]
    if len(upper) == len(lower) == 1 and abs(upper[0][1] + 0x20 - lower[0][1]) == 1:
        wide = upper[0] if upper[0][1] + 0x20 > lower[0][1] else lower[0]
        pair = [f"{chr(low)}-{chr(high)}" for low, high in (upper[0], lower[0])]
        yield make(
            "suspicious-range",
            message("suspicious-range-cases", upper=pair[0], lower=pair[1]),
            grammar.source,
            ends[wide].span,
            rule.name,
            related=[
                (ends[each].span, message("other-case")) for each in (upper[0], lower[0]) if each != wide
            ],
        )
