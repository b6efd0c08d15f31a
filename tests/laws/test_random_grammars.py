"""Laws of the engine on small random grammars, against the literal reference.

1. An engine derives a string exactly if the reference does.
2. A rejection's offset is the length of the longest viable prefix; what it expects is what can follow that
   prefix; the input may end there exactly if the prefix is valid.
3. Both engines give the same rejection.
4. The tree is that of the preferred derivation.
5. A suggestion is valid, and its edits lead there.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abnforge
from tests.law import law
from tests.laws.engines import applied
from tests.reference.derivations import preferred
from tests.reference.derive import Language
from tests.reference.strategies import ALPHABET, grammars, texts
from tests.reference.trees import shape

LONGEST = 6


def check(text: str, strings: list[str], suggest: bool) -> None:
    grammar = abnforge.loads(text)
    language = Language(grammar.core, ALPHABET, LONGEST)
    rule = grammar["r0"]
    valid = language.strings["r0"]
    engines = ["lark"] if rule.recursive else ["lark", "automaton"]
    for string in strings + sorted(valid, key=lambda s: (len(s), s))[:8]:
        for engine in engines:
            assert rule.matches(string, engine=engine) is (string in valid)
        if string in valid:
            expected = preferred(grammar.core, "r0", string)
            for engine in engines:
                assert shape(rule.parse(string, engine=engine), rule.lark_names) == expected
            continue
        rejections = [rule.explain(string, engine=engine, suggest=suggest) for engine in engines]
        for rejection in rejections:
            assert rejection is not None
            offset = language.longest_viable_prefix("r0", string)
            assert rejection.offset == offset
            assert rejection.found == (string[offset : offset + 1] or None)
            classes = [f"[{expected.chars}]" for expected in rejection.expected]
            follow = {char for char in ALPHABET if any(re.match(c, char) for c in classes)}
            assert follow == language.following("r0", string[:offset])
            assert rejection.end_expected is (string[:offset] in valid)
            if rejection.suggestion is not None:
                assert rule.matches(rejection.suggestion.text)
                assert applied(string, rejection.suggestion) == rejection.suggestion.text
        assert rejections.count(rejections[0]) == len(rejections)


strings = st.lists(texts, min_size=4, max_size=4)


@law(grammars(recursive=False), strings, few=5, many=20)
def test_regular(text: str, strings: list[str]) -> None:
    check(text, strings, suggest=False)


@law(grammars(recursive=False), strings, few=1, many=6)
def test_suggestions(text: str, strings: list[str]) -> None:
    check(text, strings, suggest=True)


@law(grammars(recursive=True), strings, few=3, many=10)
def test_recursive(text: str, strings: list[str]) -> None:
    check(text, strings[:2], suggest=False)


@pytest.mark.slow
@settings(max_examples=80)
@given(grammars(recursive=False), strings)
def test_many_regular(text: str, strings: list[str]) -> None:
    check(text, strings, suggest=False)


@pytest.mark.slow
@settings(max_examples=40)
@given(grammars(recursive=True), strings)
def test_many_recursive(text: str, strings: list[str]) -> None:
    check(text, strings[:2], suggest=False)
