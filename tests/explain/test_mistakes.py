"""Mistakes: slots in their bodies and messages."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from abnforge.explain.mistakes import ALL, Slot, fill, neighbor, slots
from abnforge.explain.reading import Interpreter
from abnforge.grammar.reader import read
from tests.explain.random_mistakes import bind_to
from tests.law import each_row

TEXTS = {Slot("a"): "x", Slot("a", 2): "\n", ALL: "y" * 100, Slot("b", 3): "z" * 40}
# template, sentence
SENTENCES = [
    ("a {a} and {a.2}", 'a "x" and U+000A LINE FEED'),
    ("{{a}} {b}.", "{a} ."),
    ("{b.3}", f'"{"z" * 40}"'),
    ("{all}", f'"{"y" * 20}...{"y" * 20}"'),
    ("[{a}], {a}-{b.3} and 0{a}", f"[x], x-{'z' * 40} and 0x"),
    ("({a}), {b}{a}{a}: {a};", '("x"), "xx": "x";'),
    ("{a}{a.2}: {a}:{a}", '"x\\n": x:x'),
    ("say {a.2}{a}!", "say \\nx!"),
    ("", ""),
]


@each_row(("template", "sentence"), SENTENCES)
def test_sentences(template: str, sentence: str) -> None:
    assert fill(template, TEXTS) == sentence


# Directives of the mistake "1". The right string is a letter.
@pytest.mark.parametrize("directive", ['say "{one} is not a letter"', 'say "{all} is {{1}}"', "cost 2"])
def test_message_of_a_directive(directive: str, snapshot: SnapshotAssertion) -> None:
    results = bind_to('x = ALPHA "!"\n', f';@ of x; blame one; fix none; {directive}\nm = one\none = "1"\n')
    (result,) = Interpreter(results, "x").interpret("1").mistakes
    assert result.message("1") == snapshot


def test_message_without_a_directive(snapshot: SnapshotAssertion) -> None:
    reader = Interpreter(bind_to('x = y "!"\ny = *ALPHA\n', ';@ of y; blame end; fix none\nm = "1"\n'), "x")
    texts = ("1", '1"', "1!", "")
    assert [result.message(text) for text in texts for result in reader.interpret(text).mistakes] == snapshot


# The body of a mistake; the minimum and maximum number of occurrences of each slot.
BODIES = [
    ("a b", {"a": (1, 1), "b": (1, 1)}),
    ('a "-" A', {"a": (2, 2)}),
    ("a [ b ]", {"a": (1, 1), "b": (0, 1)}),
    ("a / b b", {"a": (0, 1), "b": (0, 2)}),
    ("*a 2*3b", {"a": (0, None), "b": (2, 3)}),
    ("2( a [ b ] ) c", {"a": (2, 2), "b": (0, 2), "c": (1, 1)}),
    ("*( a / b ) a", {"a": (1, None), "b": (0, None)}),
    ('"a" %x20 <a word>', {}),
    ("0a b", {"a": (0, 0), "b": (1, 1)}),
]


@each_row(("body", "expected"), BODIES)
def test_uses(body: str, expected: dict[str, tuple[int, int | None]]) -> None:
    result = slots(read(f"x = {body}\n").rules[0].elements)
    assert {key: (uses.least, uses.most) for key, uses in result.items()} == expected


@each_row(
    ("text", "offset", "place"),
    [
        ("ab", 2, ' after "ab"'),
        ("x-y", 2, ' after "x-"'),
        ("(y", 0, ' before "("'),
        ("\r\n", 0, " before U+000D CARRIAGE RETURN"),
        ("\r\n", 1, " before U+000A LINE FEED"),
        ("\r\n", 2, " after U+000A LINE FEED"),
        (" \nx", 2, ' before "x"'),
        ("12\r\n\r\n12", 4, " before U+000D CARRIAGE RETURN"),
        (" \r\n", 0, ' before " " (space)'),
        ("a  b", 3, ' after "a"'),
        ("1\n\nx", 2, " before U+000A LINE FEED"),
        ("1\n x", 2, ' before " " (space)'),
        (" 1", 0, ' before " " (space)'),
        ("1 ", 2, ' after "1"'),
        ("1\n", 2, ' after "1" and a line break'),
        ("", 0, ""),
    ],
)
def test_the_place_of_a_missing_part(text: str, offset: int, place: str) -> None:
    assert neighbor(text, offset) == place
