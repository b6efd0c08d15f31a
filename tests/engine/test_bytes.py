"""Results for ``bytes`` equal those for ``str``, with byte offsets."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from tests.law import each_row, law, one_in
from tests.raising import raises

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


# The alphabet "bytes": each byte is one character.

BYTES = abnforge.loads(
    ';@ alphabet bytes\ndata = 1*OCTET\nnested = %xE9 / "(" nested ")"\nlong = "k" 1*8%xC0-FF\n'
    'text = 1*( ALPHA / %xC3 %xA9 )\nlist = %x81 [ "," list ] %x82\n'
    'word = *ALPHA\npair = ALPHA "|" ALPHA\n'
)
# Rule, bytes, then the offset, the byte there and the code, or None if the bytes are valid.
OF_BYTES = [
    ("data", b"\xff\xfe", None),
    ("data", b"", (0, None, "unreadable-data")),
    ("nested", b"((\xe9))", None),
    ("nested", "((é))".encode(), (2, "\xc3", "first-character-in-nested")),
    ("nested", b"((\xe9)", (4, None, "missing-right-parenthesis-in-nested")),
    ("text", "aé".encode(), None),
    ("text", b"a\xe9", (1, "\xe9", "non-ascii-in-text")),
    ("long", b"k\xc0\xff", None),
    ("long", b"k\xc0\x80\xb5", (2, "\x80", "text-after")),
    ("long", b"k\xad", (1, "\xad", "unreadable-long")),
    ("list", b"\x81,\x81\x82\x82", None),
    ("list", b"\x81,\x81\x82", (4, None, "unreadable-list")),
    # A byte from 0x80 on is not whitespace, a control character, a similar sign or a quote.
    ("word", b"a\xa0", (1, "\xa0", "non-ascii-in-word")),
    ("word", b"a ", (1, " ", "space-after")),
    ("word", b"\x85a", (0, "\x85", "non-ascii-in-word")),
    ("word", b"a\x80", (1, "\x80", "non-ascii-in-word")),
    ("word", b"a\x7f", (1, "\x7f", "control-in-word")),
    ("word", b"\xabab\xbb", (0, "\xab", "non-ascii-in-word")),
    ("pair", b"a\xa6b", (1, "\xa6", "unreadable-pair")),
]


@each_row("rule, octets, wrong", OF_BYTES)
def test_each_byte_is_a_character(rule: str, octets: bytes, wrong: tuple[int, str, str] | None) -> None:
    of_bytes = BYTES[rule]
    for engine in abnforge.engine.rule.ENGINES:
        if engine == "automaton" and of_bytes.recursive:
            continue
        for given in (octets, bytearray(octets), memoryview(octets)):
            assert of_bytes.matches(given, engine=engine) is (wrong is None)
        rejection = of_bytes.explain(octets, engine=engine)
        if wrong is None:
            assert rejection is None
            assert of_bytes.events(octets, engine=engine)[0] == (rule, 0, len(octets))
            continue
        assert rejection is not None
        assert (rejection.offset, rejection.found, rejection.code) == wrong
        assert rejection.input.encode("latin-1") == octets
        assert (rejection.offset_unit, rejection.alphabet) == ("bytes", "bytes")
        plain = rejection.to_dict()
        assert (plain["offset_unit"], plain["alphabet"]) == ("bytes", "bytes")


def test_messages_about_bytes(snapshot: SnapshotAssertion) -> None:
    rejections = [(octets, BYTES[rule].explain(octets)) for rule, octets, wrong in OF_BYTES if wrong]
    assert [(octets, rejection and rejection.message) for octets, rejection in rejections] == snapshot


def test_pieces_are_bytes() -> None:
    assert BYTES["data"].matches([b"\xff", b"", bytearray(b"\xfe")])
    assert not BYTES["list"].matches(iter([b"\x81", b","]))
    with raises(TypeError, "argument-not-bytes", name="each piece of text"):
        BYTES["data"].matches(["x"])


@each_row("verb", ["matches", "explain", "check", "parse", "events", "lesson", "attempts", "derivations"])
def test_a_str_is_not_bytes(verb: str) -> None:
    for rule in ("data", "list"):
        for each in (BYTES[rule], BYTES["data"] - BYTES["long"]):
            with raises(TypeError, "argument-not-bytes", name="text", type="str"):
                getattr(each, verb)("x")
    with raises(TypeError, "argument-not-bytes"):
        BYTES["data"].components("x", ["data"])


def test_results_of_bytes() -> None:
    assert str(BYTES["long"].parse(b"k\xc0").children[0]) == "k\xc0"
    assert BYTES["list"].components(b"\x81\x82", ["list"]) == {"list": (0, 2)}
    assert (
        len(list(BYTES["list"].derivations(b"\x81\x82"))) == BYTES["list"].count_derivations(b"\x81\x82") == 1
    )
    rejection = BYTES["long"].explain(b"k\xe9 ")
    assert rejection is not None
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "k\xe9"
    assert [each.text for each in rejection.repairs] == ["k\xe9", "k\xe9\xd7"]
    assert BYTES["nested"].attempts(b"(\xe9)").end == 3
    lesson = BYTES["long"].lesson(b"k\x80")
    assert lesson is not None
    assert lesson.rejection.message.isascii()


def test_sets_of_bytes_end_at_the_last_byte() -> None:
    other = ~BYTES["long"]
    assert other.matches(b"\x00\xff")
    assert not other.matches(b"k\xff")
    assert other.automaton.accepts("\xff")
    assert not other.automaton.accepts("\u0100")
    shorter = BYTES["data"].at_most(2) - BYTES["long"]
    assert [shorter.matches(each) for each in (b"\xff\xff", b"k\xff", b"\xff\xff\xff")] == [
        True,
        False,
        False,
    ]
    assert (BYTES["data"] & BYTES["long"]).explain(b"k").offset == 1
    assert (BYTES["data"] | BYTES["long"]).events(b"\xff")[0] == ("data", 0, 1)
    with raises(ValueError, "rule-alphabets", rules=("long", "URI")):
        BYTES["long"] & URI


def test_the_alphabet_of_a_grammar() -> None:
    assert (BYTES.alphabet, URI.grammar.alphabet) == ("bytes", "unicode")
    text = ";@ alphabet bytes\na = OCTET\n"
    assert abnforge.loads(text, alphabet="unicode")["a"].matches("\xff")
    assert abnforge.loads(text) == abnforge.loads(text)
    assert abnforge.loads(text) != abnforge.loads(text, alphabet="unicode")
    uri = abnforge.load("rfc3986", alphabet="bytes")
    assert uri is abnforge.load("rfc3986", alphabet="bytes")
    assert uri is not abnforge.load("rfc3986", alphabet="unicode") is URI.grammar
    assert uri["URI"].matches(b"http://h/")
    assert abnforge.load("rfc9110", lists="sender", alphabet="bytes")["field-value"].matches(b"\xff")
    # A grammar of characters can import rules of a grammar of bytes.
    user = abnforge.loads("b = 1*data\n", imports=[BYTES])
    assert user["b"].matches("\xff")
    with raises(ValueError, "argument-choice", name="alphabet"):
        abnforge.loads(text, alphabet="ascii")


# Text, then the code of the message, and line and column
WRONG = [
    ("a = %x100\n", "value-not-byte", 1, 5),
    ('a = "x" / %x41-3B1\n', "value-not-byte", 1, 11),
    ("a = OCTET / %x41.3B1\n", "value-not-byte", 1, 13),
    (";@ import toml-1.0.0: non-ascii\na = non-ascii\n", "value-not-byte-imported", 1, 11),
    (";@ import toml-1.0.0\na = comment\n", "value-not-byte-imported", 1, 11),
    (";@ alphabet bytes\n;@ alphabet unicode\na = OCTET\n", "alphabet-twice", 2, 4),
    (";@ alphabet\na = OCTET\n", "directive-incomplete", 1, 12),
    (";@ alphabet bytes, unicode\na = OCTET\n", "directive-token", 1, 18),
]


@each_row("text, code, line, column", WRONG)
def test_errors_of_alphabets(text: str, code: str, line: int, column: int) -> None:
    with raises(abnforge.GrammarError, code) as caught:
        abnforge.loads(text, alphabet="bytes")
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_terminal_beyond_the_last_byte_is_fixed() -> None:
    with raises(abnforge.GrammarError, "value-not-byte") as caught:
        abnforge.loads("a = %x41.3B1\n", alphabet="bytes")
    [edit] = caught.value.edits
    fixed = abnforge.loads(f"a = {edit.text}\n", alphabet="bytes")["a"]
    assert fixed.matches("A\u03b1".encode())


def test_terminals_of_other_grammars_beyond_the_last_byte() -> None:
    with raises(abnforge.GrammarError, "value-not-byte"):
        abnforge.load("rfc3987", alphabet="bytes")
    with raises(abnforge.GrammarError, "value-not-byte") as caught:
        abnforge.loads("a = b\n", define=["b = %x100"], alphabet="bytes")
    assert (caught.value.path, caught.value.column) == ("<define>", 5)


def test_pickles_of_bytes() -> None:
    built_in = abnforge.load("rfc3986", alphabet="bytes")["URI"]
    for rule in (BYTES["data"], BYTES["list"], ~BYTES["data"], built_in):
        copy = pickle.loads(pickle.dumps(rule))
        assert copy == rule
        matches = pickle.loads(pickle.dumps(rule.matches))
        assert matches(b"\x81\x82") is rule.matches(b"\x81\x82")
        with raises(TypeError, "argument-not-bytes"):
            matches("x")
