"""Exercises: their files, their verification, and answers as rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from abnforge.errors import GrammarError
from abnforge.teaching.exercises import (
    LESSONS,
    MOST,
    PERMISSIONS,
    Exercise,
    Misconception,
    NotAllowedError,
    exercises,
    inlined_reference,
    load_answer,
    load_misconception,
    read_exercises,
    reference,
    verify,
)
from abnforge.teaching.grading import grade
from tests.law import each_row, one_in
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


def test_contents_of_an_exercise() -> None:
    [result] = read_exercises(ENTRY + "hints = ['DIGIT']\nvalid = ['1']\ninvalid = ['']\n" + MISCONCEPTION)
    assert (result.id, result.rule, result.reference) == ("digit", "digit-rule", "digit-rule = DIGIT\n")
    assert result.misconceptions == (Misconception("digit-rule = 1*DIGIT\n", "many"),)
    assert (result.hints, result.valid, result.invalid, result.imports) == (("DIGIT",), ("1",), ("",), ())
    plain = result.to_dict()
    assert plain["hints"] == 1
    assert "DIGIT" not in str(plain)  # nothing reveals the answer


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
        (ENTRY + "allow = 'imports'\n", "exercise-strings", {"key": "allow"}),
        (ENTRY + "allow = ['import']\n", "exercise-permission", {"value": "import", "near": ("imports",)}),
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


def test_misuse_of_read_exercises() -> None:
    for arguments, code in (((b"",), "argument-bytes"), ((None,), "argument-type")):
        with raises(TypeError, code, name="text"):
            read_exercises(*arguments)
    with raises(TypeError, "argument-type", name="name"):
        read_exercises(ENTRY, 1)


DIGITS = Exercise(
    "digits",
    "Digits",
    1,
    "my own",
    "Match digits.",
    "digits",
    "digits = 1*DIGIT\n",
    valid=("1",),
    invalid=("",),
)


@pytest.mark.parametrize("exercise", one_in(3, exercises()), ids=lambda each: each.id)
def test_those_that_are_shipped(exercise: Exercise) -> None:
    verify(exercise)


@each_row(
    ("changes", "code", "data"),
    [
        ({"reference": "digits = \n"}, "exercise-reference", {}),
        ({"reference": "digit = DIGIT\n"}, "exercise-reference", {}),
        ({"reference": "digits = <some>\n"}, "exercise-reference", {}),
        ({"imports": ("rfc1",)}, "exercise-import", {}),
        ({"valid": ("1", "a")}, "reference-rejects", {"string": '"a"'}),
        ({"invalid": ("12",)}, "reference-accepts", {"string": '"12"'}),
        ({"misconceptions": (Misconception("digits = x\n", "so"),)}, "misconception-broken", {"number": 1}),
        (
            {"misconceptions": (Misconception("digits = DIGIT *DIGIT\n", "so"),)},
            "misconception-right",
            {"number": 1},
        ),
    ],
)
def test_unsound_exercises(changes: dict[str, object], code: str, data: dict[str, object]) -> None:
    verify(DIGITS)
    with raises(ValueError, code, id="digits", **data):
        verify(replace(DIGITS, **changes))


def test_the_error_of_a_reference_has_a_code() -> None:
    with raises(ValueError, "exercise-reference") as caught:
        verify(replace(DIGITS, reference="digit = DIGIT\n"))
    assert caught.value.error.code == "rule-missing"


def test_misuse_of_verify() -> None:
    with raises(TypeError, "argument-type", name="exercise"):
        verify("digits")


KNOWN = {each.id: each for each in exercises()}
PIN = KNOWN["pin"]
EXCEPT = """\
version = number "." number "." number
;@ except zero
number = 1*DIGIT
zero = "0" 1*DIGIT
"""


def test_a_rule() -> None:
    assert load_answer(PIN, "pin = 4*6DIGIT").matches("1234")  # the end of the last line can be missing
    assert load_answer(PIN, "PIN = 4DIGIT\r\n").name == "PIN"
    assert load_answer(PIN, "other = 4DIGIT\npin = other\n").matches("1234")
    assert load_answer(KNOWN["link"], 'link = "<" URI ">"').matches("<a:>")
    assert reference(PIN) is reference(PIN)
    assert load_misconception(PIN, 0).matches("1234567")


@pytest.mark.parametrize(
    ("text", "code", "data"),
    [
        ("", "syntax-error", {}),
        ("pinn = 4DIGIT", "undefined-rule", {"rule": None, "names": ("pinn",), "part": "answer"}),
        ("digit-s = DIGIT", "undefined-rule", {"names": ("digit-s",)}),
        ("pin = 4*6(DIGIT", "syntax-error", {}),
        ("pin = <four digits>", "prose-val", {}),
        ("pin = other", "undefined-rule", {}),
        ("pin = 4DIGIT ; " + "x" * MOST, "file-too-large", {"limit": MOST}),
        (";@ import ./other.abnf\npin = other", "import-directive", {"grammar": "./other.abnf"}),
        (";@ import /etc/passwd\npin = 4DIGIT", "import-directive", {"grammar": "/etc/passwd"}),
        (";@ import abnf:rfc9110\npin = 4DIGIT", "import-directive", {"grammar": "abnf:rfc9110"}),
        (";@ import rfc3986: port\npin = port", "answer-import-any", {"grammar": "rfc3986"}),
        (";@ import rfc8259\npin = <number>", "answer-import-any", {"grammar": "rfc8259"}),
    ],
)
def test_invalid_answers(
    text: str, code: str, data: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.abnf").write_text("other = 4*6DIGIT\n")
    monkeypatch.chdir(tmp_path)
    with raises(GrammarError, code, **data):
        load_answer(PIN, text)


def test_imports_that_an_exercise_allows() -> None:
    text = ';@ import rfc3986: URI\nlink = "<" URI ">"\n'
    assert load_answer(KNOWN["link"], text).matches("<a:>")
    with raises(GrammarError, "answer-import", grammar="rfc3987", allowed=("rfc3986",)):
        load_answer(KNOWN["link"], ";@ import rfc3987\nlink = IRI\n")


NO_CORE = replace(PIN, allow=())


@each_row(
    ("exercise", "text", "code", "line"),
    [
        (KNOWN["semver"], EXCEPT, "answer-directive", 2),
        (PIN, "pin = 4*6DIGIT ;@ alphabet bytes\n", "answer-directive", 1),
        (KNOWN["ipv4"], ";@ import rfc3986: IPv4address\naddress = IPv4address\n", "answer-import-any", 1),
        (KNOWN["json-number"], ";@ import rfc8259\nnumber = <number>\n", "answer-import-any", 1),
        (NO_CORE, "pin = 4*6DIGIT\n", "answer-core-rule", 1),
        (NO_CORE, "pin = 4*6digits\ndigits = *1(DIGIT)\n", "answer-core-rule", 2),
    ],
)
def test_notation_that_an_exercise_does_not_allow(
    exercise: Exercise, text: str, code: str, line: int
) -> None:
    with raises(NotAllowedError, code) as caught:
        load_answer(exercise, text)
    assert caught.value.line == line
    result = grade(exercise, text)
    assert (result.verdict, result.witness, result.mistake) == ("wrong", None, None)
    assert [(each.message.code, each.line) for each in result.findings] == [(code, line)]
    assert load_answer(replace(exercise, allow=PERMISSIONS), text)


def test_notation_that_every_exercise_allows() -> None:
    for line in (';@ match "1234"', '  ;@ no-match "12"', "; abnforge: allow unused-rule"):
        assert load_answer(PIN, f"{line}\npin = 4*6DIGIT\n").matches("1234")
    assert load_answer(NO_CORE, "pin = 4*6digit\ndigit = %x30-39\n").matches("1234")


def test_reasons_are_found_without_other_rules() -> None:
    for each in exercises():
        inlined = inlined_reference(each)
        assert [rule.name for rule in inlined.grammar.own_rules] == [each.rule]
        for text in (*each.valid, *each.invalid):
            assert inlined.matches(text) is reference(each).matches(text)


def test_recursive_rules_are_not_inlined() -> None:
    from dataclasses import replace

    text = 'pin = a b\na = "(" [a] ")"\nb = c\nb =/ "y"\nc = %x30-39 pin / "x"\n'
    exercise = replace(PIN, reference=text)
    inlined = inlined_reference(exercise)
    assert [rule.name for rule in inlined.grammar.own_rules] == ["pin", "a"]
    for each in ("()x", "(())y", "()1()x", "(", "()", "x"):
        assert inlined.matches(each) is reference(exercise).matches(each)


def test_a_core_rule_is_no_answer() -> None:
    """The answer must define the rule, even if another grammar has a rule of this name."""
    from dataclasses import replace

    with raises(GrammarError, "rule-missing", names=("pin",)):
        load_answer(replace(PIN, rule="DIGIT"), "pin = DIGIT")
