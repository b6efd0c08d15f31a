"""Structured comments cut up: words, texts, notes, and what is wrong with them."""

from __future__ import annotations

import pytest

from abnforge.grammar.annotations import Arguments, Directive, DirectiveError, directives
from abnforge.text import Source
from tests.law import each_row
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
    ("text", "said", "start", "end"),
    [
        ('w ""', "", 2, 4),
        ('w "a b"', "a b", 2, 7),
        ('w "a"%x0D.0A "b"', "a\r\nb", 2, 16),
        ("w %x10FFFF , x", "\U0010ffff", 2, 10),
    ],
)
def test_texts(text: str, said: str, start: int, end: int) -> None:
    found, span = arguments(text).placed_text()
    assert (found, span.start, span.end) == (said, start, end)
    assert arguments(text).text() == said


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
def test_what_is_no_text(text: str, column: int, code: str, data: dict[str, str]) -> None:
    with pytest.raises(DirectiveError) as caught:
        arguments(text).text()
    error = caught.value
    assert (error.code, error.line, error.column) == ("a-code", 1, column)
    assert (error.message.code, error.data) == (code, data)


@each_row("text", ["w (a", "w (a (b)", "w x"])
def test_what_is_no_note(text: str) -> None:
    with raises(DirectiveError, "directive-parenthesis" if "(" in text else "directive-token"):
        arguments(text).bracketed()
