"""Near misses: each is one edit away from a string of the rule, and is rejected."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.conformance import near_misses, run
from abnforge.conformance.near_misses import inserted_characters, mutate, sentences_of, with_words
from tests.raising import raises

URI = abnforge.load("rfc3986")
NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / 1*DIGIT\nw = <words>\n')
ALL = frozenset(map(chr, range(0x110000)))
# A rule and its number of near misses.
COUNTS = [("port", 1), ("scheme", 4), ("dec-octet", 14), ("IPv4address", 62)]


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, before = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


@pytest.mark.parametrize(("rule", "count"), COUNTS)
def test_regular_rules(rule: str, count: int) -> None:
    strings = list(near_misses(URI[rule]))
    assert len(strings) == count
    check(URI[rule], strings, ALL)


def test_rules_that_recurse() -> None:
    strings = list(near_misses(NESTED["v"]))
    assert len(strings) > 50
    check(NESTED["v"], strings, frozenset("[,]0123456789"))


def check(rule: abnforge.Rule, found: list, usual: frozenset[str]) -> None:  # type: ignore[type-arg]
    texts = [each.text for each in found]
    assert texts == sorted(set(texts), key=lambda text: (not usual.issuperset(text), len(text), text))
    for each in found:
        assert not rule.matches(each.text)
        assert rule.matches(each.sample)
        assert distance(each.text, each.sample) == 1
        assert each.valid is False
        assert each.code in rule.grammar.codes
        assert 0 <= each.offset <= len(each.text)


def test_sections_are_reported() -> None:
    assert {each.section for each in near_misses(URI["port"])} == {"3.2.3"}


def test_arguments_that_are_not_rules() -> None:
    with raises(TypeError, "argument-type", name="rule", type="str"):
        next(near_misses("rfc3986:URI"))  # type: ignore[arg-type]
    with raises(abnforge.GrammarError, "prose-val"):
        next(near_misses(NESTED["w"]))


JSON = abnforge.loads("""
text = ws value ws
value = %s"false" / %s"null" / %s"true" / object / array / number / string
object = "{" ws [ member *( ws "," ws member ) ] ws "}"
member = string ws ":" ws value
array = "[" ws [ value *( ws "," ws value ) ] ws "]"
number = [ "-" ] ( "0" / %x31-39 *DIGIT ) [ "." 1*DIGIT ] [ %s"e" [ "-" / "+" ] 1*DIGIT ]
string = DQUOTE *( %x20-21 / %x23-5B / %x5D-10FFFF / "\\" ( DQUOTE / "\\" / "/" / %s"n" ) ) DQUOTE
ws = *( SP / HTAB / LF / CR )
""")["text"]


def test_sentences_are_derived_and_the_same_each_time() -> None:
    texts = list(sentences_of(JSON, 200, 1))
    assert all(map(JSON.matches, texts))
    assert texts == list(sentences_of(JSON, 200, 1))
    assert {"[]", "{}", "0"} <= {text.strip() for text in texts}


def test_spoilt_ones_are_near() -> None:
    texts = list(sentences_of(JSON, 100, 1))
    characters = inserted_characters(JSON)
    results = list(mutate(texts, characters, 300, 2))
    assert results == list(mutate(texts, characters, 300, 2))
    assert 100 < sum(not JSON.matches(text) for text in results) < 300
    assert list(mutate([], characters, 10, 1)) == []


def test_words_stand_in_place_of_words() -> None:
    assert {"NaN", "[NaN]", "+1,2"} <= set(with_words(["[true]", "0", "2,2", "[]"]))
    assert list(with_words(["[]", ""])) == []


def test_what_a_library_adds_is_found() -> None:
    def judge(text: str) -> bool:
        json.loads(text)
        return True

    report = run(JSON, judge)
    wrong = {deviation.text for deviation in report.deviations if not deviation.valid}
    assert {"NaN", "Infinity"} <= wrong
