"""The vocabulary of an exercise: words, signs, ranges of characters, counts and elements of required strings.

``changes`` inserts them into a wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from abnforge.engine.grammar import sentences
from abnforge.engine.rule import Rule
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
    references,
    walk,
)

MOST_WORDS = 12  # maximum number of words, and of signs, that are tried as literals

_SAMPLE = 40  # number of required strings whose words and signs are tried

# The rules and ranges that are tried for a character.
CLASSES = (
    *("ALPHA", "CHAR", "CRLF", "DIGIT", "HEXDIG", "HTAB", "LF", "SP", "VCHAR", "WSP"),
    *("%x61-7A", "%x41-5A"),
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words and signs of required strings, their ranges of characters, and whether their case matters.

    ``counts`` are the repetitions of the reference. ``leading_zeros`` is true if some of these strings can
    begin a number of several digits with 0.
    ``items`` and ``alternatives`` are those of the reference that name no rule of it.
    ``names`` are the rules of a recursive answer. ``imported`` are characters that replace imported rules.
    """

    words: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    case_sensitive: bool = False
    names: tuple[str, ...] = ()
    counts: tuple[tuple[int, int | None], ...] = ()
    leading_zeros: bool = False
    items: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    imported: Mapping[str, str] = field(default_factory=dict)

    def literals(self) -> tuple[str, ...]:
        """Return the words and signs as elements of ABNF."""
        return tuple(self.literal(each) for each in (*self.words, *self.signs))

    def literal(self, text: str) -> str:
        """Return a string as an element of ABNF."""
        if text in self.imported:
            return self.imported[text]
        if not text.isprintable() or '"' in text:
            return "%x" + ".".join(f"{ord(char):X}" for char in text)
        prefix = "%s" if self.case_sensitive and text.upper() != text.lower() else ""
        return "SP" if text == " " else f'{prefix}"{text}"'


NONE = Vocabulary()
"""A vocabulary without words, for changes that insert nothing."""


def vocabulary(required: Rule, texts: Iterable[str], refused: str | None = None) -> Vocabulary:
    """Return the words and signs of some strings, and of short strings that a rule matches.

    The characters of a string that the answer wrongly rejects are signs, too.
    """
    texts = list(dict.fromkeys([*texts, *islice(sentences(required, systematic=True), _SAMPLE)]))
    words: dict[str, None] = {}
    signs = dict.fromkeys([*re.findall("[0-9]+", refused or ""), *(refused or "")])
    for text in texts:
        letters = "".join(char if char.isalpha() else " " for char in text)
        words |= dict.fromkeys(letters.split())
        signs |= dict.fromkeys(char for char in text if not char.isalnum())
    sensitive = any(
        text != text.swapcase() and not required.matches(text.swapcase(), engine="general")
        for text in texts
        if required.matches(text, engine="general")
    )
    if not sensitive:
        words = dict.fromkeys(word.lower() for word in words)
    few = [tuple(each)[:MOST_WORDS] for each in (words, signs, _ranges_of(required))]
    zeros = any(
        required.matches(f"{text[: run.start()]}0{text[run.start() + 1 :]}", engine="general")
        for text in texts
        for run in re.finditer("[1-9][0-9]+", text)
        if required.matches(text, engine="general")
    )
    items, alternatives = _parts_of(required)
    return Vocabulary(
        *(few[0], few[1], few[2], sensitive, (), _counts_of(required), zeros, items, alternatives)
    )


def _items(required: Rule) -> Iterator[Repetition]:
    """Yield the items in the definitions of the reference."""
    for each in required.grammar.own_rules:
        for rule in read(f"{each.definition}\n").rules:
            yield from walk(rule.elements)


def literals_of(required: Rule) -> set[str]:
    """Return the literals in the definitions of the reference, in lower case."""
    return {literal_value(item.element).lower() for item in _items(required)} - {""}


def literal_value(element: Element) -> str:
    """Return the string that a literal or the number of a character matches; "" for another element."""
    if isinstance(element, CharVal):
        return element.value
    return "".join(map(chr, element.values)) if isinstance(element, NumVal) and not element.is_range else ""


def signs_in(texts: Iterable[str]) -> set[str]:
    """Return the characters of some strings that are not letters, digits or whitespace."""
    return {char for char in "".join(texts) if char.isprintable() and not char.isalnum()} - {" "}


def _counts_of(required: Rule) -> tuple[tuple[int, int | None], ...]:
    """Return the counts of repetitions in the reference."""
    counts = dict.fromkeys((each.min, each.max) for each in _items(required))
    return tuple(each for each in counts if each != (1, 1))[:MOST_WORDS]


def _ranges_of(required: Rule) -> list[str]:
    """Return the ranges of characters that a rule can read, as elements of ABNF."""
    if required.regular:
        automaton = required.automaton
        rows = range(0, len(automaton.table), automaton.width)
        spans = [span for row in rows for span in automaton.expected(row).spans()]
    else:
        spans = [
            (each.values[0], each.values[1])
            for each in (item.element for item in _items(required))
            if isinstance(each, NumVal) and each.is_range
        ]
    ranges = [f"%x{first:X}-{last:X}" for first, last in spans if first < last]
    groups = [item.element for item in _items(required) if is_class(item.element)]
    choices = [f"({print_alternation(each.alternation)})" for each in groups if isinstance(each, Group)]
    return list(dict.fromkeys([*ranges, *choices]))


def _parts_of(required: Rule) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the items, and the alternatives, of the reference that do not name its rules."""
    names = {each.name.lower() for each in required.grammar.own_rules}
    items: dict[str, None] = {}
    alternatives: dict[str, None] = {}
    for each in required.grammar.own_rules:
        for rule in read(f"{each.definition}\n").rules:
            for elements in (rule.elements, *alternations(rule.elements)):
                for way in elements.alternatives:
                    parts = [Concatenation((item,)) for item in way.items]
                    own = [(way, alternatives)] if len(elements.alternatives) > 1 else []
                    for part, kept in [*((part, items) for part in parts), *own]:
                        whole = Alternation((part,))
                        if not names & {used.name.lower() for used in references(whole)}:
                            kept[print_alternation(whole)] = None
    return tuple(items)[:MOST_WORDS], tuple(alternatives)[:MOST_WORDS]


def is_class(element: Element) -> bool:
    """Return whether an element is a choice of single characters, without other rules."""
    if isinstance(element, Group):
        ways = [each.items for each in element.alternation.alternatives]
        return all(
            len(items) == 1 and items[0].min == items[0].max == 1 and is_class(items[0].element)
            for items in ways
        )
    if isinstance(element, RuleName):
        return element.name.upper() in CLASSES
    if isinstance(element, CharVal):
        return len(element.value) == 1
    return isinstance(element, NumVal) and (element.is_range or len(element.values) == 1)


def alternations(elements: Alternation) -> Iterator[Alternation]:
    for item in walk(elements):
        if isinstance(item.element, Group | Option):
            yield item.element.alternation
