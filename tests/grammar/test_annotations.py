"""Annotations (``;@``): directives, examples, exceptions, and errors."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from abnforge.grammar import annotations
from abnforge.grammar.annotations import (
    Arguments,
    Directive,
    DirectiveError,
    Example,
    directives,
    read_examples,
    read_exceptions,
    text_written,
    written,
)
from abnforge.grammar.reader import read, read_partial
from abnforge.text import Source
from tests.law import each_row, law
from tests.raising import raises


def cut(text: str, *elsewhere: str) -> list[Directive]:
    return list(directives(Source(text), 0, len(text), "a-code", elsewhere))


def arguments(text: str) -> Arguments:
    [directive] = cut(text)
    return Arguments(Source(text), directive, "word TEXT", "a-code")


@each_row(
    ("text", "words"),
    [
        ("", []),
        (" ; ;", []),
        ('of port; say "a; b"; fix none', ["of", "say", "fix"]),
        ('of port; other "not closed', ["of"]),
        ('other "not closed', []),
        ("-> x", ["->"]),
    ],
)
def test_directives(text: str, words: list[str]) -> None:
    assert [each.word for each in cut(text, "other")] == words


@each_row(
    ("text", "message", "start", "end"),
    [
        ('w ""', "", 2, 4),
        ('w "a b"', "a b", 2, 7),
        ('w "a"%x0D.0A "b"', "a\r\nb", 2, 16),
        ("w %x10FFFF , x", "\U0010ffff", 2, 10),
    ],
)
def test_strings(text: str, message: str, start: int, end: int) -> None:
    result, span = arguments(text).placed_text()
    assert (result, span.start, span.end) == (message, start, end)
    assert arguments(text).text() == message


@each_row(("text", "note"), [("w (a note)", "a note"), ("w ( a (b) c ) x", "a (b) c"), ("w ()", "")])
def test_notes(text: str, note: str) -> None:
    assert arguments(text).bracketed() == note


@each_row(
    ("text", "column", "code", "data"),
    [
        ("w", 2, "directive-incomplete", {"usage": "word TEXT"}),
        ("w x", 3, "directive-token", {"found": "x", "usage": "word TEXT"}),
        ("w %x110000", 3, "value-too-large", {"value": "%x110000"}),
        ('w "a', 3, "string-unclosed", {}),
    ],
)
def test_invalid_strings(text: str, column: int, code: str, data: dict[str, str]) -> None:
    with pytest.raises(DirectiveError) as caught:
        arguments(text).text()
    error = caught.value
    assert (error.code, error.line, error.column) == ("a-code", 1, column)
    assert (error.message.code, error.data) == (code, data)


@each_row("text", ["w (a", "w (a (b)", "w x"])
def test_invalid_notes(text: str) -> None:
    with raises(DirectiveError, "directive-parenthesis" if "(" in text else "directive-token"):
        arguments(text).bracketed()


def found(text: str, *known: str) -> tuple[list[Example], list[str]]:
    rulelist, _ = read_partial(text)
    some, errors = read_examples(
        rulelist.source, rulelist.annotations, known or {rule.name.lower() for rule in rulelist.rules}
    )
    assert all(error.code == "example-directive" for error in errors)
    return some, [f"{error.line}:{error.column} {error.message.code}" for error in errors]


# Source, and strings that a rule must match (+) or must not match (-).
EXAMPLES = [
    (';@ match "1"\na = DIGIT\n', "a+1"),
    (';@match "1"\na = DIGIT\n', "a+1"),
    (';@ match "1"\n; a comment\n;@ no-match "x"\na = DIGIT\n', "a+1 a-x"),
    ('a = DIGIT\n;@ match "1"\n', "a+1"),
    ('a = DIGIT\n;@ match "1"\n\nb = ALPHA\n', "a+1"),
    ('a = DIGIT\n\n;@ match "x"\nb = ALPHA\n', "b+x"),
    ('a = DIGIT\n;@ match "x"\nb = ALPHA\n', "b+x"),
    ('a = DIGIT\n  ;@ match "1"\nb = ALPHA\n', "a+1"),
    ('a = DIGIT ;@ match "1"\nb = ALPHA\n', "a+1"),
    ('a = DIGIT /\n  ;@ match "1"\n  "x" ;@ no-match "y"\nb = ALPHA\n', "a+1 a-y"),
    ('a = ";@ match"\nb = <;@ match "x">\n', ""),
    ('a = DIGIT\n;@ match "x"\na =/ "x"\n', "a+x"),
    (';@ match "1", "2"; no-match "3" , "4"\na = "1" / "2"\n', "a+1 a+2 a-3 a-4"),
    (';@ match "1"\r\na = DIGIT\r\n;@ no-match "x"\r\n', "a+1 a-x"),
    (';@ import rfc3986: host\n;@ except b\n; match "1"\n;@ each T: x\na = DIGIT\n', ""),
    ("a = DIGIT\n", ""),
    ("", ""),
]


@each_row(("text", "expected"), EXAMPLES)
def test_which_rule_an_example_is_about(text: str, expected: str) -> None:
    some, errors = found(text)
    assert errors == []
    assert " ".join(f"{e.rule}{'+' if e.valid else '-'}{e.text}" for e in some) == expected


def test_places_and_notes() -> None:
    some, errors = found(';@ match "a"%x0D , "" (RFC 1, (b)), "c"\na = *VCHAR\n')
    assert errors == []
    assert some == [
        Example("a", "a\r", True, 1, 10, 17, "RFC 1, (b)"),
        Example("a", "", True, 1, 20, 22, "RFC 1, (b)"),
        Example("a", "c", True, 1, 37, 40, None),
    ]


REFUSED = [
    (';@ match "1"\n\na = DIGIT\n', "1:1 example-without-rule"),
    (';@ match "1"\n', "1:1 example-without-rule"),
    ("a = DIGIT\n\n;@ no-match\n", "3:1 example-without-rule"),
    (";@ match\na = DIGIT\n", "1:9 directive-incomplete"),
    (";@ match 1\na = DIGIT\n", "1:10 directive-token"),
    (';@ match "1" note\na = DIGIT\n', "1:14 directive-token"),
    (';@ match "1",\na = DIGIT\n', "1:14 directive-incomplete"),
    (';@ match "1" (note\na = DIGIT\n', "1:14 directive-parenthesis"),
    (';@ match "1\na = DIGIT\n', "1:10 string-unclosed"),
    (";@ match %x110000\na = DIGIT\n", "1:10 value-too-large"),
    (";@ match %d49\na = DIGIT\n", "1:10 directive-token"),
    (';@ macth "1"\na = DIGIT\n', "1:4 directive-misspelled"),
    (';@ nomatch "1"\na = DIGIT\n', "1:4 directive-misspelled"),
    (';@ match "1"; say "x"\na = DIGIT\n', "1:15 directive-not-allowed"),
]


@each_row(("text", "message"), REFUSED)
def test_invalid_examples(text: str, message: str) -> None:
    _, errors = found(text)
    assert errors == [message]


def test_every_error_is_found_and_the_rest_is_read() -> None:
    some, errors = found(';@ match 1\n;@ match "2"\n;@ match\na = DIGIT\n')
    assert [each.text for each in some] == ["2"]
    assert [error[:3] for error in errors] == ["1:1", "3:9"]


def test_a_mistake_has_examples_of_its_own() -> None:
    _, errors = found(';@ match "x"\nb = ALPHA\n', "a")
    assert errors == ["1:1 example-of-mistake"]


def test_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotations, "MAX_EXAMPLES", 3)
    text = ';@ match "", "", ""\na = ""\n'
    assert len(found(text)[0]) == 3
    some, errors = found(f'{text};@ match ""\n;@ match\n')
    assert len(some) == 3
    assert errors == ["3:1 example-limit"]


@each_row(
    ("text", "message"),
    [
        ("", '""'),
        ("a b", '"a b"'),
        ('a"b', '"a"%x22"b"'),
        ("\r\n", "%x0D.0A"),
        ("é\u202e", "%xE9.202E"),
        ("\ud800", "%xD800"),
    ],
)
def test_strings_as_they_are_written(text: str, message: str) -> None:
    assert text_written(text) == message


NOTES = st.none() | st.from_regex(r"[a-z](?:[a-z ,.]*[a-z])?", fullmatch=True)


@law(
    st.lists(st.tuples(st.text(max_size=6), st.booleans(), NOTES), max_size=4),
    st.booleans(),
    few=8,
    many=500,
)
def test_what_is_written_reads_back(cases: list[tuple[str, bool, str | None]], above: bool) -> None:
    expected = [Example("a", text, valid, 0, 0, 0, note) for text, valid, note in cases]
    lines = written(expected)
    some, errors = found(f"{lines}a = *VCHAR\n" if above else f"a = *VCHAR\n{lines}")
    assert errors == []
    assert [(each.text, each.valid, each.note) for each in some] == cases


@law(st.text(alphabet=';@ "()%x0D,match-no\n=a\r', max_size=40), few=25, many=1_500)
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    for some in (text, f";@ match {text}\na = DIGIT\n"):
        rulelist, _ = read_partial(some)
        found_there, errors = read_examples(rulelist.source, rulelist.annotations, {"a"})
        lines = some.split("\n")
        for example in found_there:
            line = lines[example.line - 1]
            assert 1 <= example.column < example.end_column <= len(line) + 1
        assert all(1 <= error.line <= len(lines) and error.column >= 1 for error in errors)


# Source, rules that are valid without the other rules, number of errors.
EXCEPTIONS = [
    ('a = "x"\n', {}, 0),
    (';@ except b\na = "x"\nb = "y"\n', {"a": ["b"]}, 0),
    (';@except b , c\na = "x"\nb = "y"\n', {"a": ["b", "c"]}, 0),
    ('a = "x" ;@ except B\nb = "y"\n', {"a": ["B"]}, 0),
    ('a = "x"\n  ;@ except b\n  / "z"\nb = "y"\n', {"a": ["b"]}, 0),
    (';@ except b\n;@ match "x"\n; a comment\n;@ except c\nA = "x"\n', {"a": ["b", "c"]}, 0),
    (';@ excepted b\na = "x"\n', {}, 0),
    ('; @ except b\na = "x"\n', {}, 0),
    ('\n;@ except b\n\na = "x"\n', {}, 1),
    (';@ except b,\na = "x"\n', {}, 1),
    (';@ except "b"\na = "x"\n', {}, 1),
]


@each_row(("text", "expected", "errors"), EXCEPTIONS)
def test_places(text: str, expected: dict[str, list[str]], errors: int) -> None:
    rulelist = read(text)
    results = {rule.name.lower() for rule in rulelist.rules}
    result, wrong = read_exceptions(rulelist.source, rulelist.annotations, results)
    assert {key: [name.name for name in names] for key, names in result.items()} == expected
    assert len(wrong) == errors
    for names in result.values():
        for name in names:
            assert text[name.span.start : name.span.end] == name.name
