"""Exercises out of TOML: what is read, and each error by name."""

from __future__ import annotations

from collections import Counter

from abnforge.teaching.exercises.exercise import LESSONS, Misconception, exercises, read_exercises
from tests.law import each_row
from tests.raising import raises

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
DIGIT = 'mine: exercise "digit"'
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


@each_row(
    ("text", "code", "data"),
    [
        ("[[exercise", "exercises-not-toml", {"name": "mine"}),
        ("a = " + "[" * 5000, "exercises-not-toml", {"name": "mine"}),
        ("", "exercises-not-tables", {}),
        ("exercise = []", "exercises-not-tables", {}),
        ("exercise = 1", "exercises-not-tables", {}),
        (ENTRY + "[other]\n", "exercises-not-tables", {}),
        ("exercise = [1]", "exercise-not-table", {"place": "mine: exercise 1", "type": "int"}),
        (ENTRY + ENTRY, "exercise-duplicate", {"place": 'mine: exercise "digit"'}),
        (ENTRY + "hint = []\n", "exercise-key-unknown", {"key": "hint"}),
        (ENTRY.replace('"digit"', '"A Digit"'), "exercise-id", {"place": 'mine: exercise "A Digit"'}),
        (ENTRY.replace('"digit"', '"a--b"'), "exercise-id", {}),
        (ENTRY.replace('id = "digit"', ""), "exercise-string", {"key": "id", "place": "mine: exercise 1"}),
        (ENTRY.replace('"Match a digit."', "' '"), "exercise-string", {"key": "task"}),
        (ENTRY.replace('title = "A digit"', "title = 1"), "exercise-string", {"key": "title"}),
        (ENTRY.replace("reference", "#"), "exercise-string", {"key": "reference"}),
        (ENTRY.replace("level = 1", "level = 6"), "exercise-level", {}),
        (ENTRY.replace("level = 1", "level = true"), "exercise-level", {}),
        (ENTRY.replace("level = 1", ""), "exercise-level", {}),
        (ENTRY + "hints = 'a'\n", "exercise-strings", {"key": "hints"}),
        (ENTRY + "valid = [1]\n", "exercise-strings", {"key": "valid"}),
        (ENTRY + "invalid = {}\n", "exercise-strings", {"key": "invalid"}),
        (ENTRY + "imports = 'rfc3986'\n", "exercise-strings", {"key": "imports"}),
        (ENTRY + "misconception = 1\n", "misconceptions-not-tables", {}),
        (ENTRY + "misconception = [1]\n", "misconception-keys", {"place": f"{DIGIT}: misconception 1"}),
        (
            ENTRY + MISCONCEPTION + MISCONCEPTION.replace("why", "who"),
            "misconception-keys",
            {"place": f"{DIGIT}: misconception 2"},
        ),
        (ENTRY + MISCONCEPTION.replace("'many'", "''"), "exercise-string", {"key": "why"}),
    ],
)
def test_errors_are_named(text: str, code: str, data: dict[str, object]) -> None:
    with raises(ValueError, code, **data) as caught:
        read_exercises(text, "mine")
    assert str(caught.value).startswith("mine")


def test_misuse() -> None:
    for arguments, code in (((b"",), "argument-bytes"), ((None,), "argument-type")):
        with raises(TypeError, code, name="text"):
            read_exercises(*arguments)
    with raises(TypeError, "argument-type", name="name"):
        read_exercises(ENTRY, 1)
