"""Sentences about mistakes: templates with the texts of slots."""

from __future__ import annotations

import pytest

from abnforge.mistakes.messages import fill
from abnforge.mistakes.model import Slot
from abnforge.mistakes.reader import Reader
from tests.mistakes.small import bind_to

TEXTS = {Slot("a"): "x", Slot("a", 2): "\n", Slot("all"): "y" * 100, Slot("b", 3): "z" * 40}

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


@pytest.mark.parametrize(("template", "sentence"), SENTENCES)
def test_sentences(template: str, sentence: str) -> None:
    assert fill(template, TEXTS) == sentence


# directives of a mistake "1" of the rule that is read, which is a letter, and the sentence about "1"
SAID = [
    ('say "{one} is no letter"', '"1" is no letter'),
    ('say "{all} is {{1}}"', '"1" is {1}'),
    ("cost 2", '"1" does not fit x: m'),
]


@pytest.mark.parametrize(("directive", "sentence"), SAID)
def test_what_is_said(directive: str, sentence: str) -> None:
    made = bind_to('x = ALPHA "!"\n', f';@ of x; blame one; fix none; {directive}\nm = one\none = "1"\n')
    (found,) = Reader(made, "x").read("1").found
    assert found.message("1") == sentence


def test_what_is_said_of_what_nothing_reads() -> None:
    reader = Reader(bind_to('x = y "!"\ny = *ALPHA\n', ';@ of y; blame end; fix none\nm = "1"\n'), "x")
    assert [found.message("1") for found in reader.read("1").found] == ['"1" cannot be read as x']
    assert [found.message("1!") for found in reader.read("1!").found] == [
        "what stands at offset 1 does not fit y: m"
    ]
    assert [found.message("") for found in reader.read("").found] == ["x is missing at offset 0"]
