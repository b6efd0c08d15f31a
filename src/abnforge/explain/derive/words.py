"""Mistakes in words, which are literals of letters: wrong case, misspellings, or other words.

A misspelling differs from the word by one letter that is missing, added or changed, or by two swapped letters
(Damerau 1964, "A technique for computer detection and correction of spelling errors"). It is derived if no
other word of the same choice is equally close.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from abnforge.catalog import listed
from abnforge.charset import CharSet
from abnforge.explain.derive.builder import (
    EMPTY,
    MistakeBuilder,
    chars,
    choice,
    one,
    quoted_literal,
    some,
    unless_others,
)
from abnforge.explain.derive.context import FollowSets
from abnforge.explain.mistakes import Text, literal_text
from abnforge.explain.signs import DIGITS, LETTERS
from abnforge.grammar.syntax import Alternation, CharVal, Group, Repetition, RuleName
from abnforge.records import dataclass

MAX_LISTED = 6  # words listed by a message
MAX_MISSPELLED = 64  # misspelled words per grammar, each in about fifty ways

MIN_LETTERS, MAX_LETTERS = 3, 16
"""The lengths of words whose misspellings are derived; shorter words are similar to too many words."""

MAX_KEPT = 4_096  # cached words and pairs of words, which the start rules of a grammar mostly share

_MAX_DEEP = 4


@dataclass(frozen=True, slots=True)
class RequiredWord:
    """A word of a choice, and whether it is case-sensitive."""

    text: str
    exact: bool


class WordMistakes:
    """Derive the mistakes in words."""

    def __init__(self, builder: MistakeBuilder) -> None:
        self._builder = builder
        self._slips = 0
        self._near: dict[str, frozenset[str]] = {}  # word -> rules with another, too similar word

    def unclear(self, keys: list[str]) -> None:
        """Record similar words in the choices of some rules, which a misspelling does not distinguish."""
        context = self._builder.context
        for key in keys:
            words = [word for word in choice_of_words(context, key) if word is not None]
            close = [
                (one, two)
                for place, one in enumerate(words[:MAX_MISSPELLED])
                for two in words[place + 1 : MAX_MISSPELLED]
                if _alike(one.text.lower(), two.text.lower())
            ]
            for pair in close:
                for each in pair:
                    self._near[each.text.lower()] = self._near.get(each.text.lower(), frozenset()) | {key}

    def derive(self, key: str) -> None:
        """Add the mistakes in one rule's words."""
        context, builder = self._builder.context, self._builder
        rule = builder.rule_name(key)
        words_by_text: dict[str, RequiredWord] = {}
        for site in context.sites(key):
            word = _literal(site.item)
            if word is not None and any(map(str.isalpha, word.text)):
                words_by_text.setdefault(word.text, word)
        is_only_word = len(words_by_text) == 1 and context.shapes[key].longest <= max(map(len, words_by_text))
        for word in words_by_text.values():
            label = rule if is_only_word else f"{_code(word.text)}-in-{rule}"
            variants = [other for other in words_by_text if other.lower() == word.text.lower()]
            if word.exact and len(variants) == 1:
                builder.add(
                    f"case-in-{rule}" if is_only_word else f"case-of-{label}",
                    (key,),
                    [[one(CharVal(word.text))]],
                    f"{{all}} must be written as {quoted_literal(word.text)}",
                    literal=word.text,
                    fix=(Text(word.text),),
                )
            if self._has_slips(word):
                self._slips += 1
                letters = LETTERS | (DIGITS if set(word.text) & set("0123456789") else CharSet())
                builder.add(
                    f"misspelled-{label}",
                    (key,),
                    misspellings(word.text, letters),
                    f"{{all}} is misspelled; write {quoted_literal(word.text)}",
                    literal=word.text,
                    fix=(Text(word.text),),
                )
        self._unknown(key, rule)

    def _has_slips(self, word: RequiredWord) -> bool:
        return (
            MIN_LETTERS <= len(word.text) <= MAX_LETTERS
            and self._slips < MAX_MISSPELLED
            and word.text.lower() not in self._near
            and sum(map(str.isalpha, word.text)) >= MIN_LETTERS
            and word.text[0].isalpha()
        )

    def _unknown(self, key: str, rule: str) -> None:
        """Add an unknown word instead of a choice of words."""
        context, builder = self._builder.context, self._builder
        alternatives = list(choice_of_words(context, key))
        words = [word for word in alternatives if word is not None]
        if not words or all(len(word.text) == 1 for word in words):
            return
        letters = LETTERS
        for each in words:
            letters |= DIGITS if set(each.text) & set("0123456789") else CharSet()
            letters |= CharSet.of("".join(set(each.text) & set("-_")))
        if len(words) < len(alternatives) and _others_begin(context, key) & context.bits(LETTERS):
            return
        listed_words = [quoted_literal(word.text) for word in words[:MAX_LISTED]]
        if len(words) > MAX_LISTED or len(words) < len(alternatives):
            listed_words.append("another")
        builder.add(
            f"word-in-{rule}",
            (key,),
            [[one(chars(LETTERS)), some(chars(letters))]],
            f"{{all}} is not a valid {rule}; use {listed(listed_words, 'or')}",
            cost=2 if context.begun[key] == context.shapes[key].first else 3,
            **(
                {} if "another" in listed_words else unless_others(context.charset(context.shapes[key].first))
            ),
        )


def misspellings(word: str, letters: CharSet) -> list[list[Repetition]]:
    """Return all strings that are one edit from a word, case-insensitively.

    Misspellings of a word of three letters contain all its letters; signs in a word are unchanged.
    """
    short = len(word) <= MIN_LETTERS
    any_letter = one(chars(letters))

    def rest(start: int) -> list[Repetition]:
        return [one(CharVal(word[start:]))] if start < len(word) else [EMPTY]

    tail: list[list[Repetition]] = [[any_letter]]
    for at in range(len(word) - 1, -1, -1):
        current = one(CharVal(word[at]))
        heads = [[current, one(choice(*tail))], [any_letter, *rest(at)]]
        if not short and word[at].isalnum():
            heads += [[any_letter, *rest(at + 1)]]
            heads += [rest(at + 1)]
        if word[at : at + 2].isalnum() and len(set(word[at : at + 2])) > 1:
            heads += [[one(CharVal(word[at + 1])), current, *rest(at + 2)]]
        tail = heads
    return tail


def choice_of_words(context: FollowSets, key: str) -> Iterator[RequiredWord | None]:
    """Yield the alternatives of a rule: words, and None for other alternatives."""
    yield from _alternatives(context, context.grammar.rules[key].elements, 0)


def _alternatives(context: FollowSets, alternation: Alternation, depth: int) -> Iterator[RequiredWord | None]:
    for each in alternation.alternatives:
        if len(each.items) != 1 or (each.items[0].min, each.items[0].max) != (1, 1):
            yield None
            continue
        element = each.items[0].element
        word = _word(each.items[0])
        if word is not None:
            yield word
        elif isinstance(element, RuleName) and depth < _MAX_DEEP:
            inner = context.grammar.rules[element.name.lower()].elements
            if len(inner.alternatives) == 1:
                yield from _alternatives(context, inner, depth + 1)
            else:
                yield None
        elif isinstance(element, Group):
            yield from _alternatives(context, element.alternation, depth + 1)
        else:
            yield None


def _others_begin(context: FollowSets, key: str) -> int:
    """Return the first characters of the alternatives that are not words."""
    first = 0
    for each in context.grammar.rules[key].elements.alternatives:
        words = list(_alternatives(context, Alternation((each,)), 0))
        if None in words:
            first |= context.sequence(each.items).first
    return first


def _word(item: Repetition) -> RequiredWord | None:
    """Return the word of letters, digits and hyphens that an item requires, or None."""
    word = _literal(item)
    if word is None or not word.text[0].isalpha():
        return None
    return word if word.text.replace("-", "").replace("_", "").isalnum() else None


def _literal(item: Repetition) -> RequiredWord | None:
    """Return the ASCII literal that an item requires, or None."""
    text = literal_text(item.element) if item.min == item.max == 1 else None
    exact = not isinstance(item.element, CharVal) or item.element.case_sensitive
    return RequiredWord(text, exact) if text and text.isascii() else None


def _code(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum() or char == "-").strip("-")


@lru_cache(maxsize=MAX_KEPT)
def _alike(one: str, two: str) -> bool:
    """Return whether a string exists that is at most one edit from both words."""
    if abs(len(one) - len(two)) > 2:
        return False
    patterns = _patterns(one), _patterns(two)
    return any(_meet(one_pattern, two_pattern) for one_pattern in patterns[0] for two_pattern in patterns[1])


@lru_cache(maxsize=MAX_KEPT)
def _patterns(word: str) -> frozenset[str]:
    """Return the strings at most one edit from a word; ``?`` represents any letter."""
    patterns = {word}
    for at in range(len(word) + 1):
        patterns.add(f"{word[:at]}?{word[at:]}")
        if at < len(word):
            patterns.add(f"{word[:at]}?{word[at + 1 :]}")
            patterns.add(word[:at] + word[at + 1 :])
        if at + 1 < len(word):
            patterns.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return frozenset(patterns)


def _meet(one: str, two: str) -> bool:
    return len(one) == len(two) and all(a == b or "?" in (a, b) for a, b in zip(one, two, strict=True))
