"""Strings of rules that recurse."""

from __future__ import annotations

import json

import abnforge
from abnforge.conformance import run
from abnforge.conformance.near_misses import sentences_of, spoilt, with_words

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
    found = list(spoilt(JSON, texts, 300, 2))
    assert found == list(spoilt(JSON, texts, 300, 2))
    assert 100 < sum(not JSON.matches(text) for text in found) < 300
    assert list(spoilt(JSON, [], 10, 1)) == []


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
