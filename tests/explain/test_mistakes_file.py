"""Mistakes files: directives, strings, and errors."""

from __future__ import annotations

import copy
import pickle

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.explain.mistakes import (
    ALL,
    END,
    START,
    Mapped,
    MistakeExample,
    Mistakes,
    Near,
    Slot,
    Substituted,
    Text,
)
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.grammar.reader import read
from tests.law import each_row

FULL = r"""
; RFC 9999, section 1.2
;@ of port host; blame junk digits.2 end; fix digits ":" drop(junk, ok) %x41.42 "c"
;@ cost 3; about authority; inner digits; unwanted
; an ordinary comment
;@ say "a port has {junk}, {{not}} {all}"; seen "a tracker"; seen "another one"
;@ example "a:x" -> "a:"; example URI "b" %x20 ";" -> none
;@ near "c"; near host "d"
port-junk = digits junk [ ":" digits ]
digits = *DIGIT
junk = 1*ALPHA
ok = "x"
"""


def test_several_rules_may_have_one_code() -> None:
    result = read_mistakes(
        ';@ each T: a b; of T; code x-in-c; blame all; fix none\nx-in-T = "x"\n'
        ';@ of c; code d-T; blame all; fix none\ny = "y"\n'
    )
    assert [mistake.code for mistake in result.mistakes] == ["x-in-c", "x-in-c", "d-T"]
    assert [mistake.key for mistake in result.mistakes] == ["x-in-a", "x-in-b", "y"]
    result = read_mistakes(';@ each T: a b; of c; code m-T; blame all; fix none\nx-T = "x"\n')
    assert [mistake.code for mistake in result.mistakes] == ["m-a", "m-b"]


def test_everything_that_can_be_said() -> None:
    result = read_mistakes(FULL, "a file")
    (mistake,) = result.mistakes
    assert (result.name, [rule.name for rule in result.helpers]) == ("a file", ["digits", "junk", "ok"])
    assert (mistake.code, mistake.key, mistake.family, mistake.order) == ("port-junk", "port-junk", None, 0)
    assert (mistake.place, mistake.targets, mistake.literal) == ("of", ("port", "host"), None)
    assert mistake.blame == (Slot("junk"), Slot("digits", 2), END)
    assert mistake.fix == (Slot("digits"), Text(":"), Mapped("drop", Slot("junk"), "ok"), Text("ABc"))
    assert (mistake.cost, mistake.about, mistake.unwanted) == (3, "authority", True)
    assert mistake.inner == frozenset({"digits"})
    assert mistake.say == "a port has {junk}, {{not}} {all}"
    assert mistake.section == "RFC 9999, section 1.2"
    assert mistake.examples == (MistakeExample("a:x", "a:", None), MistakeExample("b ;", None, "uri"))
    assert mistake.near == (Near("c", None), Near("d", "host"))
    assert mistake.sources == ("a tracker", "another one")


def test_what_is_not_said() -> None:
    (mistake,) = read_mistakes(';@before *;blame all; fix none ;\nx = "x"\n').mistakes
    assert (mistake.place, mistake.targets, mistake.fix, mistake.cost) == ("before", ("*",), None, 1)
    assert (mistake.about, mistake.inner, mistake.unwanted, mistake.say) == (None, frozenset(), False, None)
    assert (mistake.section, mistake.examples, mistake.near, mistake.sources) == (None, (), (), ())


@pytest.mark.parametrize(
    ("head", "directive", "section"),
    [
        ("; Section 3.2", "", "3.2"),
        ("; Appendix C", "", "appendix C"),
        ("; Appendix C.1", "", "appendix C.1"),
        ("; RFC 1, appendix A", "", "RFC 1, appendix A"),
        ("; Section 3.2", "; section appendix C", "appendix C"),
    ],
)
def test_what_reports_what_is_right(head: str, directive: str, section: str) -> None:
    (mistake,) = read_mistakes(f'{head}\n;@ before *; blame all; fix none{directive}\nx = "x"\n').mistakes
    assert mistake.section == section


def test_literals_maps_and_substitutions() -> None:
    text = ';@ of host "::"; blame start; fix subst(a, "x", b, %x3A) encode(b, s) decode(a)\nx = a b\n'
    (mistake,) = read_mistakes(text).mistakes
    assert mistake.literal == "::"
    assert mistake.fix == (
        Substituted((("a", "x"), ("b", ":"))),
        Mapped("encode", Slot("b"), "s"),
        Mapped("decode", Slot("a"), None),
    )


def test_families() -> None:
    text = """
;@ each T: query user-info
;@ of T; blame spaces; fix encode(all, ok-T) ; about T
;@ say "{T}: {spaces} in {all}"
space-in-T = ok-T spaces T-rest
;@ each T: query user-info
ok-T = *T-char
spaces = 1*SP
"""
    result = read_mistakes(text)
    assert [mistake.code for mistake in result.mistakes] == ["space-in-query", "space-in-user-info"]
    assert {mistake.family for mistake in result.mistakes} == {"space-in-T"}
    assert [mistake.targets for mistake in result.mistakes] == [("query",), ("user-info",)]
    assert [mistake.say for mistake in result.mistakes] == [
        "query: {spaces} in {all}",
        "user-info: {spaces} in {all}",
    ]
    assert [rule.name for rule in result.helpers] == ["ok-query", "ok-user-info", "spaces"]
    again = "space-in-user-info = ok-user-info spaces user-info-rest\n"
    assert result.mistakes[1].rule.elements == read(again).rules[0].elements


def test_members_with_strings() -> None:
    """In a fix, a parameter means the member's string. Elsewhere, it means the member's name."""
    text = """
;@ each T: may "0" %x35 june "06" sum
;@ of p; blame all; fix b "-" T; say "{T}"
m-T = b T
"""
    result = read_mistakes(text).mistakes
    assert [(each.code, each.fix, each.say) for each in result] == [
        ("m-may", (Slot("b"), Text("-"), Text("05")), "may"),
        ("m-june", (Slot("b"), Text("-"), Text("06")), "june"),
        ("m-sum", (Slot("b"), Text("-"), Slot("sum")), "sum"),
    ]
    assert result[0].rule.elements == read("m-may = b may\n").rules[0].elements


def test_members_with_strings_for_messages() -> None:
    """If the fix does not use the parameter, a member's string is its name in messages."""
    text = """
;@ each T: may "the {month}" june
;@ of p; blame all; fix none; say "{T}: {b}"
m-T = b T
"""
    assert [each.say for each in read_mistakes(text).mistakes] == ["the {{month}}: {b}", "june: {b}"]


def test_a_file_of_mistakes_is_abnf() -> None:
    rules = read(FULL).rules
    result = read_mistakes(FULL)
    assert list(rules) == [result.mistakes[0].rule, *result.helpers]


def test_directives_for_others_are_left_to_them() -> None:
    text = ';@ allow ambiguous (so be it)\n;@ match "a; b"\nx = "x"\n'
    assert (read_mistakes(text).mistakes, len(read_mistakes(text).helpers)) == ((), 1)


def test_mistakes_travel() -> None:
    result = read_mistakes(FULL)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), read_mistakes(FULL)):
        assert (again, hash(again)) == (result, hash(result))
    assert read_mistakes(FULL + 'more = "x"\n') != result


M = "of p; blame all; fix none"
# Source, and the line, column and code of each error. The code is None if another package reports the error.
ERRORS = [
    (";@ off p\nx = a\n", [(1, 4, "directive-misspelled")]),
    (";@ zzzzz\nx = a\n", [(1, 4, "directive-misspelled")]),
    (";@ of\nx = a\n", [(1, 6, None)]),
    (";@ of p; fix none\nx = a\n", [(2, 1, "directive-missing")]),
    (";@ of p; blame all\nx = a\n", [(2, 1, "directive-missing")]),
    (";@ blame all\nx = a\n", [(1, 4, "place-missing")]),
    (f";@ {M}; before p\nx = a\n", [(1, 31, "places-several")]),
    (f";@ {M}; of q\nx = a\n", [(1, 31, "directive-repeated-for-rule")]),
    (";@ of *; blame all; fix none\nx = a\n", [(1, 7, None)]),
    (';@ before p "x"; blame all; fix none\nx = a\n', [(1, 13, None)]),
    (";@ of p.2; blame all; fix none\nx = a\n", [(1, 7, "rule-with-number")]),
    (f";@ {M}; code a.2\nx = a\n", [(1, 36, "code-with-number")]),
    (";@ of p; blame b; fix none\nx = a\n", [(1, 16, "slot-unknown")]),
    (";@ of p; blame abd; fix none\nx = abc\n", [(1, 16, "slot-unknown")]),
    (";@ of p; blame a.2; fix none\nx = a\n", [(1, 16, "slot-number")]),
    (";@ of p; blame a.3; fix none\nx = a a\n", [(1, 16, "slot-number")]),
    (";@ of p; blame a.0; fix none\nx = *a\n", [(1, 16, "slot-zero")]),
    (
        ";@ of p; blame all; fix a\nx = *a\n",
        [(1, 25, "fix-loses-text")],
    ),
    (";@ of p; blame all; fix a a\nx = a\n", [(1, 21, "fix-copies-twice")]),
    (";@ of p; blame all; fix none a\nx = a\n", [(1, 30, None)]),
    (
        ";@ of p; blame all; fix encod(a, b)\nx = a\n",
        [(1, 25, "map-unknown")],
    ),
    (
        ";@ of p; blame all; fix rot(a, b)\nx = a\n",
        [(1, 25, "map-unknown")],
    ),
    (";@ of p; blame all; fix encode(a)\nx = a\n", [(1, 33, None)]),
    (";@ of p; blame all; fix encode(a, b\nx = a\n", [(1, 36, None)]),
    (';@ of p; blame all; fix subst(a.2, "x")\nx = a a\n', [(1, 31, "subst-slot")]),
    (';@ of p; blame all; fix subst(a, "", a, "")\nx = a\n', [(1, 38, "subst-slot")]),
    (f";@ {M}; cost 0\nx = a\n", [(1, 36, "cost-out-of-range")]),
    (f";@ {M}; cost 1001\nx = a\n", [(1, 36, "cost-out-of-range")]),
    (f";@ {M}; cost 1.5\nx = a\n", [(1, 36, "cost-out-of-range")]),
    (f";@ {M}; cost {'9' * 5000}\nx = a\n", [(1, 36, "cost-out-of-range")]),
    (f";@ {M}; unwanted yes\nx = a\n", [(1, 40, None)]),
    (f";@ {M}; inner b\nx = a\n", [(1, 37, "slot-unknown")]),
    (f';@ {M}; say "{{b}}"\nx = a\n', [(1, 31, "slot-unknown")]),
    (f';@ {M}; say "{{"\nx = a\n', [(1, 31, "brace-alone")]),
    (f';@ {M}; say "a\nx = a\n', [(1, 35, None)]),
    (f';@ {M}; example "a"\nx = a\n', [(1, 42, None)]),
    (f';@ {M}; example "a" -> no\nx = a\n', [(1, 46, None)]),
    (f";@ {M}; near %x110000\nx = a\n", [(1, 36, None)]),
    (f";@ {M}; section\nx = a\n", [(1, 38, None)]),
    (";@ each T: a b\nx = T\n", [(2, 1, "name-part-missing")]),
    (";@ each T a b\nx-T = T\n", [(1, 11, None)]),
    (';@ each T: "a"\nx-T = T\n', [(1, 12, None)]),
    (";@ each T: a a\nx-T = T\n", [(2, 1, "rule-duplicate")]),
    (f";@ {M}\nx = a\n;@ {M}\nx = b\n", [(4, 1, "rule-duplicate")]),
    ("x = a\nX = b\n", [(2, 1, "rule-duplicate")]),
    (";@ of p\n\nx = a\n", [(1, 4, "directive-without-rule")]),
    ("x = a\n;@ of p\n", [(2, 4, "directive-without-rule")]),
    ("x = a\n    ;@ of p\n    b\n", [(2, 5, "directive-in-rule")]),
    ('x = ";@ a"\n    ;@ b\n    c\n', [(2, 5, "directive-in-rule")]),
    ("x = a ;@ of p\n", [(1, 7, "directive-in-rule")]),
    (";@ complete\nx = a\n", [(1, 4, "directive-of-file")]),
    (";@ complete now\n\nx = a\n", [(1, 13, None)]),
    (";@ withhold now\nx = a\n", [(1, 13, None)]),
    (";@ withhold; cost 2\nx = a\n", [(1, 14, "place-missing")]),
    (";@ withhold\n\nx = a\n", [(1, 4, "directive-without-rule")]),
    (";@ complete; complete\n\nx = a\n", [(1, 14, "directive-repeated")]),
    (";@ complete\n\nx = a\n\n;@ complete\n", [(5, 4, "directive-repeated")]),
    ("x = a\n    ;@ complete\n    b\n", [(2, 5, "directive-in-rule")]),
    (";@ complete; of p\n\nx = a\n", [(1, 14, "directive-without-rule")]),
    ("x = a /\n;@ off\ny = b", [(1, 8, None), (2, 4, "directive-misspelled")]),
]


@each_row(("text", "errors"), ERRORS)
def test_errors(text: str, errors: list[tuple[int, int, str | None]]) -> None:
    with pytest.raises(GrammarError) as raised:
        read_mistakes(text, "file")
    result = raised.value.errors
    assert [(each.line, each.column) for each in result] == [(line, column) for line, column, _ in errors]
    for each, (_, _, code) in zip(result, errors, strict=True):
        assert code is None or getattr(each.message, "code", None) == code
    assert {each.path for each in result} == {"file"}


@pytest.mark.parametrize(
    ("head", "complete"),
    [
        ("", False),
        (";@ complete\n\n", True),
        (";@ adopt rfc3986; complete; only template-in-query\n\n", True),
    ],
)
def test_complete_files(head: str, complete: bool) -> None:
    result = read_mistakes(f"; a file\n{head}x = a\n")
    assert (result.complete, len(result.adopts)) == (complete, head.count("adopt"))
    assert result.followed_by(Mistakes("others", (), ())).complete is complete
    assert Mistakes("others", (), ()).followed_by(result).complete is complete


WORDS = ("all", "start", "end")


@pytest.mark.parametrize("word", WORDS)
def test_derived_mistakes(word: str) -> None:
    rule = abnforge.loads(f'{word} = "(" 1*DIGIT ")"\n')[word]
    rejection = rule.explain('"(12)"')
    assert rejection is not None
    assert rejection.code == "wrapped"
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "(12)"


@pytest.mark.parametrize("word", WORDS)
def test_declared_mistakes(word: str) -> None:
    """A word with a number refers to the rule of that name, even if it is a keyword of directives."""
    text = f"""
;@ of list; blame {word}.1 {word}; fix drop({word}.1, {word}); say "{{{word}.1}}"
bad = "<" {word} ">"
"""
    grammar = abnforge.loads(f'list = {word}\n{word} = DIGIT / "x"\n', mistakes=text)
    (mistake,) = read_mistakes(text).mistakes
    assert mistake.blame == (Slot(word), {"all": ALL, "start": START, "end": END}[word])
    assert mistake.fix == (Mapped("drop", Slot(word), word),)
    rejection = grammar["list"].explain("<7>")
    assert rejection is not None
    assert (rejection.code, rejection.hypotheses[0].offset, rejection.hypotheses[0].end) == ("bad", 1, 2)
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "7"
