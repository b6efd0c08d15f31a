"""What rules made of others say of what they reject: facts of their own, and their operands' words."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.rejection import Rejection
from tests.law import each_row

RFC3986 = abnforge.load("rfc3986")
URI, HOST, PORT = RFC3986["URI"], RFC3986["host"], RFC3986["port"]
OTHER = abnforge.loads('http = ("http" / "https") ":" *%x0-10FFFF\nshort = *5%x0-10FFFF\n', name="mine")
HTTP, SHORT = OTHER["http"], OTHER["short"]


def explained(rule: abnforge.Rule, text: str | bytes, **options: object) -> Rejection:
    rejection = rule.explain(text, **options)  # type: ignore[arg-type]
    assert rejection is not None
    assert rejection.code in (*rule.grammar.codes, "not-utf-8")  # type: ignore[attr-defined]
    assert (rejection.rule, rejection.grammar) == (rule.name, rule.grammar.name)
    return rejection


# The rule, a string, and of the rejection: code, offset, and what it blames.
CASES = [
    (URI & HTTP, "ftp:", "outside-http", 0, "f"),
    (URI - HTTP, "http:", "excluded-http", 4, "http:"),
    (~HTTP, "http:", "excluded-http", 4, "http:"),
    (PORT.at_most(2), "123", "over-length", 2, "3"),
    (~(URI | HOST), "a", "excluded-URI-host", 1, "a"),
    (URI & SHORT & HTTP, "http:x", "outside-short", 5, "http:x"),
    (URI & SHORT & HTTP, "urn:", "outside-http", 0, "u"),
]


@pytest.mark.parametrize(("rule", "text", "code", "offset", "blamed"), CASES)
def test_refusals(rule: abnforge.Rule, text: str, code: str, offset: int, blamed: str) -> None:
    rejection = explained(rule, text)
    assert (rejection.code, rejection.offset) == (code, offset)
    assert rejection.hypotheses[0].message == rejection.message
    start, end = rejection.span
    assert text[start:end] == blamed
    assert rejection.suggestion is None
    octets = explained(rule, text.encode())
    assert octets == rejection.to_byte_offsets()
    assert rule.grammar.codes[code].meaning  # type: ignore[attr-defined]


@each_row("text", ["http://h:80x/", "http://a b/", "", "https", "http://[::1/"])
@each_row("rule", [URI & HTTP, (URI - SHORT).at_most(2000)])
def test_the_left_operand_says_what_it_rejects(rule: abnforge.Rule, text: str) -> None:
    """All that is a judgement is the operand's; all that is a fact about the set is the rule's own."""
    rejection, plain = explained(rule, text), URI.explain(text)
    assert plain is not None
    for name in ("input", "code", "message", "section", "hypotheses", "rule_path", "other_mistakes"):
        assert getattr(rejection, name) == getattr(plain, name)
    assert rejection.suggestion in (plain.suggestion, None)
    assert rejection.offset <= plain.offset
    if rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)


def test_a_suggestion_is_in_the_set() -> None:
    assert URI.explain("http:// a/") != explained(URI & SHORT, "http:// a/")
    for text in ("ftp://h /", "ftp://a/b|c"):
        plain = URI.explain(text)
        assert plain is not None
        if plain.suggestion is not None:
            assert explained(URI & HTTP, text).suggestion is None
            assert explained(URI - HTTP, text).suggestion == plain.suggestion


def test_what_is_expected_is_told_in_the_words_of_the_rules() -> None:
    rejection = explained(URI & HTTP, "httq:")
    assert [(each.rule, each.chars) for each in rejection.expected] == [("ALPHA", "Pp")]
    rejection = explained(URI & HTTP, "http")
    assert (rejection.found, [each.chars for each in rejection.expected]) == (None, [":", "Ss"])
    assert [each.rule for each in rejection.expected] == ["URI", "ALPHA"]
    rejection = explained(HOST | PORT, "/")
    assert {"ALPHA", "DIGIT"} <= {each.rule for each in rejection.expected}
    rejection = explained(~PORT, "8")
    assert rejection.expected[0].rule == "~port"
    assert not rejection.end_expected


def test_of_alternatives_the_one_says_it_that_reads_more() -> None:
    first, second = PORT, abnforge.loads('word = "12" ALPHA\n')["word"]
    for made in (first | second, second | first):
        assert explained(made, "12-").code == explained(made, "12-", engine="general").code
    assert explained(first | second, "12-").message == first.explain("12-").message  # type: ignore[union-attr]
    assert explained(second | first, "12-").message == second.explain("12-").message  # type: ignore[union-attr]


@pytest.mark.parametrize("engine", ["auto", "automaton", "general", "lark"])
def test_every_lane_says_the_same(engine: str) -> None:
    for text in ("ftp:", "http:// ", "x"):
        assert explained(URI & HTTP, text, engine=engine) == explained(URI & HTTP, text)
    assert (URI & HTTP).explain("http:", engine=engine) is None


def test_steps() -> None:
    lesson = (URI & HTTP).lesson("http://h/a b")
    assert lesson is not None
    assert lesson.parts == URI.lesson("http://h/a b").parts  # type: ignore[union-attr]
    assert lesson.rejection == explained(URI & HTTP, "http://h/a b")
    lesson = (URI & HTTP).lesson("urn:x")
    assert lesson is not None
    assert (lesson.parts, lesson.code and lesson.code.code) == ((), "outside-http")
    assert (URI & HTTP).lesson("http:") is None
