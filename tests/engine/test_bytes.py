"""Results for ``bytes`` equal those for ``str``, with byte offsets."""

from __future__ import annotations

import json

import pytest
from hypothesis import strategies as st

import abnforge
from tests.law import each_row, law, one_in

URI = abnforge.load("rfc3986")["URI"]
GRAMMAR = abnforge.loads(
    'any = *%x0-10FFFF\nword = 1*%xE9 "x"\nlatin = *%x80-FF\nnested = "é" / "(" nested ")"\n'.replace(
        '"é"', "%xE9"
    )
)
# Rule, bytes, then the byte offset, the character there and the code, or None if the bytes are valid.
CASES = [
    (URI, b"http://h/a", None),
    (URI, b"http://h/\xc3\xa9", (9, "é", "non-ascii-in-path")),
    (URI, b"http://h/\xff", (9, "\udcff", "not-utf-8")),
    (URI, b"http://h/a\xc3", (10, "\udcc3", "not-utf-8")),
    (URI, b"http://h/ \xff", (9, " ", "space-in-path")),
    (URI, b"\xff", (0, "\udcff", "not-utf-8")),
    (URI, b"\xc0\xaf", (0, "\udcc0", "not-utf-8")),
    (URI, b"urn:\xed\xa0\x80", (4, "\udced", "not-utf-8")),
    (GRAMMAR["any"], "aé😀".encode(), None),
    (GRAMMAR["any"], "é\ud800".encode(errors="surrogatepass"), (2, "\udced", "not-utf-8")),
    (GRAMMAR["word"], "ééx".encode(), None),
    (GRAMMAR["word"], "ééy".encode(), (4, "y", "unreadable-word")),
    (GRAMMAR["word"], "éé".encode(), (4, None, "unreadable-word")),
    (GRAMMAR["word"], "éé".encode() + b"\xc3", (4, "\udcc3", "not-utf-8")),
    (GRAMMAR["latin"], "é".encode(), None),
    (
        GRAMMAR["latin"],
        b"\xe9",
        (0, "\udce9", "not-utf-8"),
    ),  # no byte is expected
    (GRAMMAR["nested"], "((é))".encode(), None),
    (GRAMMAR["nested"], "((é)".encode(), (5, None, "missing-right-parenthesis-in-nested")),
    (GRAMMAR["nested"], b"((\xe9))", (2, "\udce9", "not-utf-8")),
    (GRAMMAR["nested"], b"(x\xe9))", (1, "x", "first-character-in-nested")),
]


@each_row("kind", one_in(3, [bytes, bytearray, memoryview]))
@each_row(("rule", "octets", "wrong"), CASES)
def test_bytes(kind, rule: abnforge.Rule, octets: bytes, wrong: tuple[int, str | None, str] | None) -> None:
    given = kind(octets)
    for engine in abnforge.engine.rule.ENGINES:
        if engine == "automaton" and rule.recursive:
            continue
        assert rule.matches(given, engine=engine) is (wrong is None)
        rejection = rule.explain(given, engine=engine)
        if wrong is None:
            assert rejection is None
            rule.check(given, engine=engine)
            tree = rule.parse(given, engine=engine)
            assert tree == rule.parse(octets.decode(), engine=engine)
            continue
        assert rejection
        assert (rejection.offset, rejection.found) == wrong[:2]
        assert rejection.code == wrong[2]
        assert rejection.input.encode(errors="surrogateescape") == octets
        for verb in (rule.parse, rule.check):
            with pytest.raises(abnforge.Rejected) as caught:
                verb(given, engine=engine)
            assert caught.value.rejection == rejection


def test_what_follows_the_part_that_is_utf_8_is_reported() -> None:
    rejection = GRAMMAR["word"].explain("é".encode() + b"\xff")
    assert rejection
    assert [(e.rule, e.chars) for e in rejection.expected] == [("word", "Xx\\xE9")]
    assert (rejection.end_expected, rejection.suggestion) == (False, None)
    whole = GRAMMAR["word"].explain(b"\xc3\xa9x\xff")
    assert whole
    assert (whole.expected, whole.end_expected) == ((), True)


def test_the_unit_is_said_where_it_is_the_byte() -> None:
    text, octets = URI.explain("a b"), URI.explain(b"a b")
    assert text
    assert octets
    assert (text.offset_unit, octets.offset_unit) == ("code points", "bytes")
    data = json.loads(json.dumps(octets.to_dict()))
    assert data == {**text.to_dict(), "offset_unit": "bytes"} == json.loads(json.dumps(data))
    assert "offset_unit" not in text.to_dict()
    assert octets == text.to_byte_offsets() == octets.to_byte_offsets()


def test_positions_in_trees_are_bytes() -> None:
    tree = GRAMMAR["nested"].parse("((é))".encode())
    places = [(token.start_pos, token.end_pos) for token in tree.scan_values(lambda value: True)]
    assert places == [(0, 1), (1, 2), (2, 4), (4, 5), (5, 6)]


texts = st.text(st.sampled_from("aé😀x%/:( )\u0301"), max_size=12)


@law(st.sampled_from([URI, *GRAMMAR.own_rules]), texts, few=20, many=3000)
def test_octets_of_a_text_are_that_text(rule: abnforge.Rule, text: str) -> None:
    octets = text.encode()
    here, there = rule.explain(text), rule.explain(octets)
    assert rule.matches(octets) is rule.matches(text) is (here is None)
    if here is None:
        assert there is None
        return
    assert there
    assert octets[: there.offset] == text[: here.offset].encode()
    assert (there.message, there.found, there.expected) == (here.message, here.found, here.expected)
    for ours, theirs in zip(there.hypotheses, here.hypotheses, strict=True):
        assert octets[ours.offset : ours.end] == text[theirs.offset : theirs.end].encode()
    if there.suggestion is not None:
        fixed = bytearray(octets)
        for edit in reversed(there.suggestion.edits):
            fixed[edit.start : edit.end] = edit.text.encode()
        assert fixed.decode() == there.suggestion.text
        assert rule.matches(fixed)
