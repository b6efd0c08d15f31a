"""Laws of the engines on small random grammars, compared with reference code that does not parse ABNF.

1. Every engine, the pattern and the automaton match the same strings as the reference.
2. The offset of a rejection is the length of the longest viable prefix. The expected characters can follow
   that prefix. The input may end there exactly if the prefix is valid. All engines give the same rejection.
3. The tree is the preferred derivation, and events are the nodes of the tree.
4. A suggestion is valid, and is the result of its edits.
5. An exported pattern matches the same strings in its engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.charset import CharSet
from abnforge.engine.rule import ENGINES as ALL_ENGINES
from abnforge.grammar.sentences import Sentences
from abnforge.regex.dialects import DIALECTS
from tests.law import law
from tests.laws.engines import check_suggestion
from tests.laws.strings import mutant
from tests.laws.test_trees import check_trees
from tests.reference.counts import count
from tests.reference.derive import Language
from tests.reference.engines import ENGINES, holds
from tests.reference.notation import Rules, abnf, alphabet, core
from tests.reference.recognizer import Reading, Recognizer
from tests.reference.stop import stop
from tests.reference.strategies import (
    ALPHABET,
    ALPHABETS,
    FOREIGN,
    any_rules,
    recursive_rules,
    regular_rules,
    shaped_rules,
    texts,
)

LARK_LONGEST = 20  # Lark takes a millisecond per character, and much longer for ambiguous input
PREFERRED_LONGEST = 12  # the reference enumerates derivations
OTHER = (FOREIGN, "\x00", "\u00e8", "\u4e2e", "\U0001f601", "\U0010ffff")


def engines_of(rule: abnforge.Rule, lark: bool) -> list[str]:
    """Return the engines that can parse with a rule."""
    return [e for e in ALL_ENGINES if (e != "automaton" or not rule.recursive) and (e != "lark" or lark)]


def check_verdicts(rule: abnforge.Rule, text: str, valid: bool, engines: Iterable[str]) -> None:
    for engine in engines:
        assert rule.matches(text, engine=engine) is valid, engine
    if rule.regular:
        assert rule.automaton.accepts(text) is valid
        assert rule.pattern is None or (re.fullmatch(rule.pattern, text) is not None) is valid


def check_rejections(
    rule: abnforge.Rule, text: str, known: Reading, characters: str, engines: Iterable[str]
) -> None:
    """Check the rejections. Expected characters are compared only within ``characters``."""
    rejections = [rule.explain(text, suggest=False, engine=engine) for engine in engines]
    rejection, offset = rejections[0], known.offset
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (offset, text[offset : offset + 1] or None)
    expected = {char for char in characters if any(_in_class(e.chars, char) for e in rejection.expected)}
    assert expected == {char for char in characters if char in known.following}
    assert rejection.end_expected is known.end
    assert rejections.count(rejection) == len(rejections)


@cache
def _in_class(chars: str, char: str) -> bool:
    return re.match(f"[{chars}]", char) is not None


def reading(language: Language, text: str) -> Reading:
    """Return the results for a string according to the reference code."""
    strings, offset = language.strings["r0"], language.longest_viable_prefix("r0", text)
    following = CharSet.of("".join(language.following("r0", text[:offset])))
    return Reading(text in strings, offset, following, text[:offset] in strings)


def check(rules: Rules, strings: list[str], *, lark: bool, suggest: bool = False) -> dict[str, bool]:
    """Check laws 1 to 4 on some strings and on some of the shortest strings of the first rule."""
    rule = abnforge.loads(abnf(rules))["r0"]
    characters = alphabet(rules) or ALPHABET
    language = Language(core(rules), characters, 6 if len(characters) < 3 else 4)
    valid = language.strings["r0"]
    longest = (
        5 if len(characters) < 3 else 3
    )  # one less than is enumerated, because of the expected characters
    derived = sorted((text for text in valid if len(text) <= longest), key=lambda text: (len(text), text))
    engines = engines_of(rule, lark)
    tried = dict.fromkeys([*(text for text in strings if len(text) <= longest), *derived[:8]])
    for text in tried:
        check_verdicts(rule, text, text in valid, engines)
        if text in valid:
            check_trees(rule, [text], PREFERRED_LONGEST, engines)
        else:
            check_rejections(rule, text, reading(language, text), characters, engines)
    for text in (*strings, *(f" {text}" for text in derived[:2])) if suggest else ():
        check_suggestion(rule, text)
    return {text: text in valid for text in tried}


strings = st.lists(texts, min_size=4, max_size=4)


@law(regular_rules, strings, few=6, many=100)
def test_regular(rules: Rules, strings: list[str]) -> None:
    check(rules, strings, lark=True)


@law(regular_rules, strings, few=2, many=30)
def test_suggestions(rules: Rules, strings: list[str]) -> None:
    check(rules, strings, lark=True, suggest=True)


@law(recursive_rules, strings, few=2, many=100)
def test_recursive(rules: Rules, strings: list[str]) -> None:
    check(rules, strings, lark=False)


@law(recursive_rules, strings, few=2, many=30)
def test_recursive_by_lark(rules: Rules, strings: list[str]) -> None:
    with suppress(abnforge.LimitExceeded):  # not a verdict
        check(rules, strings[:2], lark=True, suggest=True)


@law(recursive_rules, few=8, many=150)
def test_short_texts_by_the_recognizer(rules: Rules) -> None:
    """All results agree for all short strings over the characters of the grammar."""
    rule = abnforge.loads(abnf(rules))["r0"]
    characters = alphabet(rules) or ALPHABET
    longest = next(n for n in (5, 4, 3, 2, 1) if n == 1 or len(characters) ** n <= 60)
    language = Language(core(rules), characters, longest)
    valid = language.strings["r0"]
    for text in all_texts(characters, longest):
        assert stop(rule, text) == (text in valid, language.longest_viable_prefix("r0", text))
    derived = sorted(valid, key=lambda text: (-len(text), text))
    check_trees(rule, derived[:: max(1, len(derived) // 4)], PREFERRED_LONGEST, ["general"])
    for text in [text for text in derived if len(text) <= 3][:1]:
        assert rule.count_derivations(text) == count(rule.grammar.core, "r0", text)


def all_texts(characters: str, longest: int) -> Iterable[str]:
    for size in range(longest + 1):
        yield from map("".join, product(characters, repeat=size))


long_rules = st.one_of(shaped_rules(ALPHABETS), shaped_rules(ALPHABETS), any_rules(recursive=True, leaves=7))


@law(long_rules, st.integers(1, 120), st.integers(0, 10**6), few=6, many=100)
def test_long_texts_by_the_recognizer(rules: Rules, size: int, seed: int) -> None:
    """Check the verdict and offset of strings and mutants with deep stacks or late decisions."""
    rule, reader = abnforge.loads(abnf(rules))["r0"], Recognizer(core(rules), "r0")
    for text in long_texts(rule, rules, Random(seed), size, 8):
        result = reader.read(text)
        assert stop(rule, text) == (result.valid, result.offset)


@law(long_rules, st.integers(1, 120), st.integers(0, 10**6), few=3, many=60)
def test_long_texts(rules: Rules, size: int, seed: int) -> None:
    """Return the results of the engines, with rejections, trees and events."""
    rule, reader = abnforge.loads(abnf(rules))["r0"], Recognizer(core(rules), "r0")
    for text in long_texts(rule, rules, Random(seed), size, 2):
        result = reader.read(text)
        engines = engines_of(rule, lark=False)
        check_verdicts(rule, text, result.valid, engines)
        if result.valid:
            check_trees(rule, [text], PREFERRED_LONGEST, engines)
        else:
            around = "".join(sorted({*alphabet(rules), *text, *OTHER}))
            check_rejections(rule, text, result, around, engines)


def long_texts(rule: abnforge.Rule, rules: Rules, source: Random, size: int, number: int) -> list[str]:
    """Return up to ``number`` strings of about ``size`` characters, and the same number of mutants."""
    characters = [*alphabet(rules), *OTHER[: source.choice((0, 0, 1, 6))]] or [*OTHER]
    try:
        sentences = Sentences(rule.grammar.core, rule.grammar.facts)
        derived = [sentences.random("r0", source, 3 * size)[:size] for _ in range(number)]
    except abnforge.LimitExceeded:
        derived = [""]  # the rule has no strings
    return list(dict.fromkeys([*derived, *(mutant(text, source, characters)[:size] for text in derived)]))


TEXTS = [*all_texts(ALPHABET + FOREIGN, 4)]


@law(st.lists(any_rules(recursive=False, leaves=8), min_size=1, max_size=2), few=3, many=60)
def test_patterns_and_exports(several: list[Rules]) -> None:
    """Check all short strings in the engines that run in this process."""
    for rules in several:
        rule = abnforge.loads(abnf(rules))["r0"]
        valid = Language(core(rules), ALPHABET + FOREIGN, 4).strings["r0"]
        for text in TEXTS:
            check_verdicts(rule, text, text in valid, ["auto"])
        check_exports(rule, {text: text in valid for text in TEXTS}, NEAR)


NEAR = ("python", "re2", "rust", "pcre2")


def check_exports(rule: abnforge.Rule, verdicts: dict[str, bool], dialects: Sequence[str]) -> None:
    """Check that each exported pattern matches, in its engine, exactly the strings of the rule."""
    for dialect in dialects:
        try:
            pattern = rule.export(dialect)
        except ValueError:
            assert not DIALECTS[dialect].linear  # a linear engine has a pattern for each regular rule
            continue
        tried = [text for text in verdicts if text.isascii() or holds(dialect, text)]
        try:
            [answers] = ENGINES[dialect]([(pattern, (), tried)])
        except pytest.skip.Exception:
            continue
        assert {text: answer is not None for text, answer in zip(tried, answers, strict=True)} == {
            text: verdicts[text] for text in tried
        }
