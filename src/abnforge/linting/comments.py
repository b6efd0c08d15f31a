"""Findings about comments that disagree with their rule.

Comments are prose: only phrases that state a fact are compared with the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Node
from abnforge.grammar.facts import Facts
from abnforge.grammar.sentences import Sentences
from abnforge.grammar.syntax import (
    BoundGrammar,
    BoundRule,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Repetition,
    RuleName,
)
from abnforge.linting.finding import (
    Finding,
    concatenations,
    label,
    make,
    own_alternatives,
    own_rules,
    repetitions,
)
from abnforge.linting.messages import message
from abnforge.parsing.recognizer.machine import Machine, Plan
from abnforge.text import Source, Span

COMMENT = re.compile(r'"[^"\n]*"|<[^>\n]*>?|;(?P<comment>[^\n]*)')
_ABOVE = re.compile(r"^(?:[ \t]*;[^\n]*\n)+\Z", re.MULTILINE)
SENSITIVE = re.compile(  # without a negation before it in the same sentence
    r"(?:\A|[.;:])(?:(?!\b(?:not|never|no|non)\b|n't\b|insensitive)[^.;:])*\bcase[- ]sensitive\b(?!\s*\?)",
    re.IGNORECASE,
)
_LOWER = re.compile(r"\b(?P<case>lower|upper)[- ]?case\b", re.IGNORECASE)
_LETTERS = re.compile(r"\b(?:letters?|ascii|only|restricted)\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"insensitive|should|prefer|convert|compar|normal|canonical|equivalent|either|both|\bor\b|\bmap|\bnot\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*[\"']?(?P<low>[!-~])[\"']?\s?-\s?[\"']?(?P<high>[!-~])[\"']?\s*(?:$|[,;(])")
_QUOTED = re.compile(r"\"([!-~])\"|'([!-~])'")
_ONE = re.compile(r"\s*(?:\"([!-~])\"|'([!-~])'|([^\sA-Za-z0-9\"']))\s*\Z")
_CODE_POINT = re.compile(r"\bU\+([0-9A-Fa-f]{4,6})\b")
_COUNT = re.compile(
    r"\b(?:(?P<most>at most|up to|no more than|maximum of)|(?P<least>at least|minimum of|no fewer than))\s+"
    r"(?P<count>\d{1,6})\b",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:any|anything|all|every)\b[\w\s-]*?\b(?:but|except|other than|excluding)\b:?(?P<list>.*)",
    re.IGNORECASE,
)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)}
_EXACTLY = re.compile(
    rf"\s*(?:exactly\s+)?(?P<count>\d{{1,6}}|{'|'.join(_NUMBERS)})[ -](?:(?:hex|hexadecimal|decimal)[ -]?)?"
    r"(?:digits?|letters?|characters?)\s*(?:$|[.,;(])(?!.*\bor\b)",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    r"(?<![\w.:%-])(?P<low>\d{1,18})(?:\s?(?:-|\.\.|\u2013)\s?|\s+(?:to|through)\s+)(?P<high>\d{1,18})"
    r"(?![\w%:-]|\.\d)(?!\s+(?:hex|decimal|digit|char|letter|octet|byte|times|element|item|label|bit))"
)
_OF_VALUES = re.compile(r"\b(?:range|between|values?)\b\D{0,20}\Z|^\W*\Z", re.IGNORECASE)
_NAMED = {"CR": "\r", "LF": "\n", "SP": " ", "HTAB": "\t", "TAB": "\t", "NUL": "\0", "DQUOTE": '"'}
_LISTED = re.compile(
    r"<?\b(?P<name>CR|LF|SP|HTAB|TAB|NUL|DQUOTE)\b>?|(?<!\S)[\"']?(?P<char>[^\w\s.,;()\"'<>-])[\"']?(?=[\s,;]|$)"
)


@dataclass(frozen=True, slots=True)
class RuleComment:
    """A comment and its subject: the line before it, or the whole rule if it has its own line."""

    text: str
    span: Span
    about: Span


# A phrase that excludes words, with the rest of its sentence.
_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?|but not|other than|excluding|reserved|(?:must|shall|can|may|is|are) ?not)"
    r"(?: for)?\b(?P<rest>.*?)(?:[.!](?=\s|$)|$)",
    re.IGNORECASE | re.DOTALL,
)
_STRUCTURED = re.compile(r"^[ \t]*(?:@|abnforge:).*", re.MULTILINE)
_OF_PARTS = re.compile(
    r"\b(?:begin|start|end(?:s|ing)?\b|contain|includ|follow(?:s|ed)\b|preced|prefix|suffix)", re.IGNORECASE
)
_WORD = re.compile(r"\"(?P<a>[^\"\s;]{2,64})\"|'(?P<b>[^'\s;]{2,64})'|`(?P<c>[^`\s]{2,64})`")
_NAME = re.compile(r"\W*(?:(?:an?|the|any|those of|rule)\s+)?(?P<name>[A-Za-z][\w-]+)>?(?=[\s,;)]|$)")


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A range of numbers in a comment that its rule does not check, such as "01-12" for ``2DIGIT``."""

    rule: str
    numbers: str
    remark: RuleComment
    lowest: int
    highest: int | None


def comments(grammar: BoundGrammar) -> Iterator[Finding]:
    """Yield the findings about comments, at most one for each comment.

    Complexity: linear in the size of rules and comments.
    """
    for _, rule in own_rules(grammar):
        if rule.rule.incremental:
            continue
        items = list(repetitions(rule))
        for remark in _remarks(grammar.source, rule):
            start, end = remark.about.start, remark.about.end
            near = [item for item in items if start <= item.span.start < end]
            finding = next(_checks(grammar, rule, remark, near), None)
            if finding is not None:
                yield finding
        for each in _unchecked(grammar, rule):
            facts = {"rule": rule.name, "numbers": each.numbers, "least": each.lowest}
            yield make(
                grammar.source,
                rule.name,
                rule.rule.name_span,
                message("range-in-comment-open", **facts)
                if each.highest is None
                else message("range-in-comment", **facts, most=each.highest),
                related=[(each.remark.span, message("comment-here"))],
                fix=message("range-in-comment-fix"),
            )


def reserved_words(
    grammar: BoundGrammar, facts: Facts, bodies: Mapping[str, Node], budget: Budget
) -> Iterator[Finding]:
    """Yield the findings about words that a comment excludes but the rule matches: one for each comment.

    Cost: that of reading the excluded words by the rules.
    """
    recognizer: Machine | None = None
    limited = {key for key, rule in grammar.rules.items() if rule.excepted}
    for key, rule in own_rules(grammar):
        for remark in _remarks(grammar.source, rule):
            about = [
                remark.about.start <= each.span.start < remark.about.end for each in own_alternatives(rule)
            ]
            excluded = (
                list(_excluded_words(grammar, key, _STRUCTURED.sub("", remark.text))) if all(about) else []
            )
            if not excluded or not limited.isdisjoint(facts.reachable(key)):
                continue
            try:
                recognizer = recognizer or Machine(Plan(facts, bodies, budget))
                sentences = Sentences(facts.core, facts, budget)
                words = [(word or sentences.shortest(name or ""), name) for word, name in excluded]
                matches = [each for each in words if each[0] and recognizer.read(key, (each[0],)).accepting]
            except LimitExceeded:
                continue
            if matches:
                word, name = matches[0]
                yield make(
                    grammar.source,
                    rule.name,
                    rule.rule.name_span,
                    message("reserved-word", rule=rule.name, word=word),
                    related=[(remark.span, message("comment-here"))],
                    witness=word,
                    fix=message("reserved-word-fix", name=grammar.rules[name].name)
                    if name is not None
                    else message("reserved-word-fix-define"),
                )


def _excluded_words(grammar: BoundGrammar, key: str, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the words that a comment excludes, each with the key of a rule that matches nothing else.

    Instead of a word, the comment can name a rule; then the word is empty.
    """
    if _OF_PARTS.search(text):  # such as: begins with "/" but not "//"
        return
    for match in _EXCEPT.finditer(text):
        for found in _WORD.finditer(match["rest"]):
            word = found["a"] or found["b"] or found["c"]
            yield word, next((name for name, rule in own_rules(grammar) if _is_word(rule, word)), None)
        named = _NAME.match(match["rest"])
        name = named["name"].lower() if named else key
        rule = grammar.rules.get(name)
        if rule is not None and rule.name == (named and named["name"]) and name != key:
            yield "", name


def _is_word(rule: BoundRule, word: str) -> bool:
    """Return whether a rule is a string or number sequence that matches only a word."""
    items = [item for each in own_alternatives(rule) for item in each.items]
    if len(items) != 1 or (items[0].min, items[0].max) != (1, 1):
        return False
    match items[0].element:
        case CharVal(value=value) as string:
            return value == word if string.case_sensitive else value.lower() == word.lower()
        case NumVal(values=values, is_range=False):
            return "".join(map(chr, values)) == word
        case _:
            return False


def unchecked_ranges(grammar: BoundGrammar, keys: Iterable[str]) -> list[Unchecked]:
    """Return the ranges in comments that these rules do not check. Comments of imported rules are unknown."""
    rules = [grammar.rules[key] for key in keys]
    return [each for rule in rules if rule.origin == "file" for each in _unchecked(grammar, rule)]


def _unchecked(grammar: BoundGrammar, rule: BoundRule) -> Iterator[Unchecked]:
    alternatives = [_interval(grammar, each) for each in own_alternatives(rule)]
    for remark in _remarks(grammar.source, rule):
        matches = list(_INTERVAL.finditer(remark.text))
        if not matches or not _OF_VALUES.search(remark.text[: matches[0].start()]):
            continue
        about = [
            interval
            for each, interval in zip(own_alternatives(rule), alternatives, strict=True)
            if remark.about.start <= each.span.start < remark.about.end
        ]
        intervals = [each for each in about if each is not None]
        if not intervals or len(intervals) < len(about):
            continue
        lowest = min(low for low, _ in intervals)
        highest = (
            None if any(high is None for _, high in intervals) else max(high or 0 for _, high in intervals)
        )
        ends = [(int(each["low"]), int(each["high"])) for each in matches]
        least, most = min(low for low, _ in ends), max(high for _, high in ends)
        if (lowest, least, most) == (0, 0, 9):  # the digits, not a number
            continue
        if least < most and (lowest < least or highest is None or highest > most):
            numbers = ", ".join(each[0] for each in matches)
            yield Unchecked(rule.name, numbers, remark, lowest, highest)


def _interval(grammar: BoundGrammar, alternative: Concatenation) -> tuple[int, int | None] | None:
    """Return the least and the greatest number that an alternative of digits matches; None for others."""
    least = most = ""
    endless = False
    for item in alternative.items:
        digits = _digit_set(grammar, item.element)
        if digits is None or len(most) > 18:
            return None
        endless = endless or item.max is None
        least += digits[0] * item.min
        most += digits[1] * min(item.min if item.max is None else item.max, 19)
    return (int(least or "0"), None if endless else int(most)) if most or endless else None


def _digit_set(grammar: BoundGrammar, element: Element) -> tuple[str, str] | None:
    """Return the least and the greatest string of an element that matches a fixed number of digits."""
    if isinstance(element, RuleName):
        rule = grammar.rules.get(element.name.lower())
        if rule is None or rule.name.upper() != "DIGIT":
            return None
        return "0", "9"
    if isinstance(element, CharVal) and element.value.isascii() and element.value.isdigit():
        return element.value, element.value
    if isinstance(element, NumVal) and all(0x30 <= value <= 0x39 for value in element.values):
        chars = "".join(map(chr, element.values))
        return (chars[0], chars[-1]) if element.is_range else (chars, chars)
    return None


def _remarks(source: Source, rule: BoundRule) -> Iterator[RuleComment]:
    text, span = source.text, rule.rule.span
    above = _ABOVE.search(
        text, max(0, text.rfind("\n\n", 0, span.start)), text.rfind("\n", 0, span.start) + 1
    )
    if above:
        yield RuleComment(above[0].replace(";", " "), Span(*above.span()), span)
    newline = text.find("\n", span.end)
    column = span.start - text.rfind("\n", 0, span.start)
    deeper = re.compile(rf"(?:\n[ \t]{{{column},}};[^\n]*)*")
    behind = deeper.match(text, newline if newline >= 0 else len(text))
    for match in COMMENT.finditer(text, span.start, behind.end() if behind else len(text)):
        if match["comment"] is not None:
            line = max(text.rfind("\n", 0, match.start()) + 1, span.start)
            alone = not text[line : match.start()].strip()
            about = span if alone else Span(line, match.start())
            yield RuleComment(match["comment"], Span(*match.span()), about)


def _checks(
    grammar: BoundGrammar, rule: BoundRule, remark: RuleComment, items: list[Repetition]
) -> Iterator[Finding]:
    def disagrees(problem: Message, span: Span, fix: str | None = None) -> Finding:
        related = [(remark.span, message("comment-here"))]
        return make(grammar.source, rule.name, span, problem, related=related, fix=fix)

    strings = [each.element for each in items if isinstance(each.element, CharVal)]
    values = [each.element for each in items if isinstance(each.element, NumVal)]
    text = remark.text
    if SENSITIVE.search(text) and not any(each.prefix for each in strings):
        for string in strings:
            if string.value.lower() != string.value.upper():
                problem = message("comment-disagrees-case", literal=string.value)
                yield disagrees(problem, string.span, f'%s"{string.value}"')
    case = _LOWER.search(text)
    if (
        case
        and _LETTERS.search(text)
        and not _VAGUE.search(text)
        and len({match["case"].lower() for match in _LOWER.finditer(text)}) == 1
    ):
        for item in items:
            name = _core_name(item)
            if name in ("ALPHA", "HEXDIG"):
                first = 0x61 if case["case"].lower() == "lower" else 0x41
                letters = (
                    f"%x{first:X}-{first + 25:X}"
                    if name == "ALPHA"
                    else f"( DIGIT / %x{first:X}-{first + 5:X} )"
                )
                problem = message("comment-disagrees-letters", case=case["case"].lower(), rule=name)
                yield disagrees(problem, item.element.span, letters)
    yield from (disagrees(*each) for each in _characters(grammar.source, text, items, values, strings))
    yield from (disagrees(*each) for each in _counts(grammar.source, text, rule, items))
    yield from (disagrees(*each) for each in _excluded(text, rule, values))
    for value in values:
        yield from _octets(grammar, rule, remark, value)


def _characters(
    source: Source, text: str, items: list[Repetition], values: list[NumVal], strings: list[CharVal]
) -> Iterator[tuple[Message, Span, str | None]]:
    """Yield values that are not the characters of their comment."""
    if len(items) != len(values) or not values or strings:
        return
    written = source.text[values[0].span.start : values[0].span.end]
    named = _RANGE.match(text)
    if named and len(values) == 1 and values[0].is_range:
        ends = ord(named["low"]), ord(named["high"])
        if ends != values[0].values and ends[0] < ends[1]:
            fix = f"%x{ends[0]:X}-{ends[1]:X}"
            first, last = map(chr, values[0].values)
            problem = message(
                "comment-disagrees-range",
                low=named["low"],
                high=named["high"],
                value=written,
                first=first,
                last=last,
            )
            yield problem, values[0].span, fix
        return
    if any(value.is_range or len(value.values) > 1 for value in values):
        return
    one = _ONE.match(text)
    quoted = [a or b for a, b in _QUOTED.findall(text)]
    if one and len(values) == 1:
        quoted = [next(filter(None, one.groups()))]
    elif len(quoted) < 2:
        return
    have = [chr(value.values[0]) for value in values]
    wrong = [value for value in values if chr(value.values[0]) not in quoted]
    missing = [char for char in quoted if char not in have]
    if len(quoted) == len(values) and len(wrong) == len(missing) == 1 and (len(values) > 1 or one):
        written = source.text[wrong[0].span.start : wrong[0].span.end]
        char = chr(wrong[0].values[0])
        problem = message("comment-disagrees-character", char=missing[0], value=written, found=char)
        yield problem, wrong[0].span, f"%x{ord(missing[0]):X}"


def _counts(
    source: Source, text: str, rule: BoundRule, items: list[Repetition]
) -> Iterator[tuple[Message, Span, str | None]]:
    """Yield counts that disagree: ``3*`` and "at most 3"; ``x *3( "," x )`` and "at most 3"."""
    counts = list(_COUNT.finditer(text))
    exactly = _EXACTLY.match(text)
    if exactly and len(items) == 1 == len(own_alternatives(rule)):
        word, item = exactly["count"].lower(), items[0]
        count = _NUMBERS.get(word) or int(word)
        if _core_name(item) and (item.min, item.max) != (count, count):
            written = source.text[item.span.start : item.span.end]
            yield (
                message("comment-disagrees-count", count=word, repeat=written),
                item.span,
                f"{count}{_element(source, item)}",
            )
        return
    repeated = [item for item in items if (item.min, item.max) not in ((1, 1), (0, None), (1, None), (0, 1))]
    if not counts or len(repeated) != 1:
        return
    item = repeated[0]
    written = source.text[item.span.start : item.span.end]
    element = _element(source, item)
    most = next((int(match["count"]) for match in counts if match["most"]), None)
    least = next((int(match["count"]) for match in counts if match["least"]), None)
    if most is not None and least is None and item.max is None and item.min == most:
        yield message("comment-disagrees-least", count=most, repeat=written), item.span, f"*{most}{element}"
    elif least is not None and most is None and item.min == 0 and item.max == least:
        yield message("comment-disagrees-most", count=least, repeat=written), item.span, f"{least}*{element}"
    elif most is not None and least is None and item.max is not None and item.max > most:
        yield (
            message("comment-disagrees-maximum", count=most, repeat=written, found=item.max),
            item.span,
            f"{most}{element}" if item.min >= most else f"{item.min or ''}*{most}{element}",
        )
    elif least is not None and most is None and item.max is not None and 0 < item.min < least <= item.max:
        yield (
            message("comment-disagrees-minimum", count=least, repeat=written, found=item.min),
            item.span,
            f"{least}*{item.max}{element}",
        )
    elif most is not None and item.max == most and _one_more(rule, item):
        fix = f"{item.min - 1 if item.min else ''}*{most - 1}{element}"
        yield (message("comment-disagrees-one-more", count=most, repeat=written), item.span, fix)


def _element(source: Source, item: Repetition) -> str:
    return label(source, item.element.span)


def _core_name(item: Repetition) -> str | None:
    """Return the name of the core rule of letters or digits that an item repeats."""
    name = item.element.name.upper() if isinstance(item.element, RuleName) else None
    return name if name in ("ALPHA", "DIGIT", "HEXDIG") else None


def _one_more(rule: BoundRule, item: Repetition) -> bool:
    """Return whether an item repeats a separator and the element before the item."""
    if not isinstance(item.element, Group):
        return False
    alternatives = item.element.alternation.alternatives
    for each in concatenations(own_alternatives(rule)):
        if item in each.items and each.items.index(item) > 0:
            before = each.items[each.items.index(item) - 1]
            inner = alternatives[0].items
            return (
                len(alternatives) == 1
                and len(inner) > 1
                and isinstance(inner[0].element, CharVal)
                and isinstance(before.element, RuleName)
                and inner[-1].element == before.element
                and (before.min, before.max) == (1, 1)
            )
    return False


def _excluded(text: str, rule: BoundRule, values: list[NumVal]) -> Iterator[tuple[Message, Span, str | None]]:
    """Yield the finding for a set that contains a character that the comment excludes."""
    exclusion = _BUT.search(text)
    alternatives = own_alternatives(rule)
    if exclusion is None or any(len(each.items) > 1 for each in alternatives):
        return
    for match in _LISTED.finditer(exclusion["list"]):
        char = _NAMED[match["name"]] if match["name"] else match["char"]
        for value in values:
            chars = CharSet.from_ranges([(value.values[0], value.values[-1])])
            if (len(value.values) == 1 or value.is_range) and char in chars:
                yield message("comment-disagrees-exclusion", char=char), value.span, None


def _octets(grammar: BoundGrammar, rule: BoundRule, remark: RuleComment, value: NumVal) -> Iterator[Finding]:
    """``%xCE.BB ; U+03BB``: the UTF-8 bytes of a character, although values are code points."""
    code_point = _CODE_POINT.search(remark.text)
    if code_point is None or value.is_range or len(value.values) < 2 or max(value.values) > 0xFF:
        return
    try:
        char = bytes(value.values).decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(char) == 1 and ord(char) == int(code_point[1], 16):
        yield make(
            grammar.source,
            rule.name,
            value.span,
            message(
                "utf8-octets",
                value=grammar.source.text[value.span.start : value.span.end],
                code_point=f"U+{ord(char):04X}",
            ),
            related=[(remark.span, message("comment-here"))],
            fix=message("utf8-octets-fix", written=f"%x{ord(char):X}"),
        )
