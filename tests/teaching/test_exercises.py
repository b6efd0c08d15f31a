"""Exercises out of TOML: what is read, and each error by name."""

from __future__ import annotations

from collections import Counter

import pytest

from abnforge.teaching.exercises import LESSONS, Misconception, exercises, read_exercises

ENTRY = """
[[exercise]]
id = "digit"
title = "A digit"
level = 1
lesson = "my own"
task = "Match a digit."
rule = "digit-rule"
reference = 'digit-rule = DIGIT'
"""
MISCONCEPTION = "[[exercise.misconception]]\nabnf = 'digit-rule = 1*DIGIT'\nwhy = 'many'\n"


def test_forty_are_shipped_from_easy_to_hard() -> None:
    shipped = exercises()
    assert Counter(each.lesson for each in shipped) == dict.fromkeys(LESSONS, 5)
    assert len({each.id for each in shipped}) == 40
    order = [(LESSONS.index(each.lesson), each.level) for each in shipped]
    assert order == sorted(order)
    assert {each.level for each in shipped} == {1, 2, 3, 4, 5}
    for each in shipped:
        assert each.hints
        assert each.valid
        assert each.invalid
        assert len(each.misconceptions) >= 2


def test_what_is_read() -> None:
    [found] = read_exercises(ENTRY + "hints = ['DIGIT']\nvalid = ['1']\ninvalid = ['']\n" + MISCONCEPTION)
    assert (found.id, found.rule, found.reference) == ("digit", "digit-rule", "digit-rule = DIGIT\n")
    assert found.misconceptions == (Misconception("digit-rule = 1*DIGIT\n", "many"),)
    assert (found.hints, found.valid, found.invalid, found.imports) == (("DIGIT",), ("1",), ("",), ())
    plain = found.to_dict()
    assert plain["hints"] == 1
    assert "DIGIT" not in str(plain)  # nothing gives the answer away


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[exercise", "mine is no TOML"),
        ("a = " + "[" * 5000, "mine is no TOML"),
        ("", "one at least"),
        ("exercise = []", "one at least"),
        ("exercise = 1", "one at least"),
        (ENTRY + "[other]\n", "and nothing else"),
        ("exercise = [1]", "exercise 1: an exercise is a table"),
        (ENTRY + ENTRY, "exercise 'digit': there is one of this id before it"),
        (ENTRY + "hint = []\n", "exercise 'digit': there is no 'hint'; there are hints, id"),
        (ENTRY.replace('"digit"', '"A Digit"'), "exercise 'A Digit': id is made of"),
        (ENTRY.replace('"digit"', '"a--b"'), "id is made of"),
        (ENTRY.replace('id = "digit"', ""), "exercise 1: id is missing"),
        (ENTRY.replace('"Match a digit."', "' '"), "exercise 'digit': task is missing"),
        (ENTRY.replace('title = "A digit"', "title = 1"), "title is missing"),
        (ENTRY.replace("reference", "#"), "reference is missing"),
        (ENTRY.replace("level = 1", "level = 6"), "level is a number from 1"),
        (ENTRY.replace("level = 1", "level = true"), "level is a number from 1"),
        (ENTRY.replace("level = 1", ""), "level is a number from 1"),
        (ENTRY + "hints = 'a'\n", "hints is a list of texts"),
        (ENTRY + "valid = [1]\n", "valid is a list of texts"),
        (ENTRY + "invalid = {}\n", "invalid is a list of texts"),
        (ENTRY + "imports = 'rfc3986'\n", "imports is a list of texts"),
        (ENTRY + "misconception = 1\n", "misconceptions are tables"),
        (ENTRY + "misconception = [1]\n", "misconception 1 is a table with abnf and why"),
        (ENTRY + MISCONCEPTION + MISCONCEPTION.replace("why", "who"), "misconception 2 is a table with"),
        (ENTRY + MISCONCEPTION.replace("'many'", "''"), "misconception 1: why is missing"),
    ],
)
def test_errors_are_named(text: str, told: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_exercises(text, "mine")
    assert str(caught.value).startswith("mine")
    assert told in str(caught.value)


def test_misuse() -> None:
    for arguments in ((b"",), (None,), (ENTRY, 1)):
        with pytest.raises(TypeError, match=" is a str, not "):
            read_exercises(*arguments)
