"""Answers as rules: nothing but a grammar comes of their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.errors import GrammarError
from abnforge.teaching.exercises.exercise import (
    MOST,
    answered,
    exercises,
    inlined_reference,
    misconceived,
    reference,
)
from tests.raising import raises

KNOWN = {each.id: each for each in exercises()}
PIN = KNOWN["pin"]
EXCEPT = """\
version = number "." number "." number
;@ except zero
number = 1*DIGIT
zero = "0" 1*DIGIT
"""


def test_a_rule() -> None:
    assert answered(PIN, "pin = 4*6DIGIT").matches("1234")  # the last line's end can be missing
    assert answered(PIN, "PIN = 4DIGIT\r\n").name == "PIN"
    assert answered(PIN, "other = 4DIGIT\npin = other\n").matches("1234")
    assert answered(KNOWN["link"], 'link = "<" URI ">"').matches("<a:>")
    assert reference(PIN) is reference(PIN)
    assert misconceived(PIN, 0).matches("1234567")


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
def test_what_is_none(
    text: str, code: str, data: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.abnf").write_text("other = 4*6DIGIT\n")
    monkeypatch.chdir(tmp_path)
    with raises(GrammarError, code, **data):
        answered(PIN, text)


def test_imports_that_an_exercise_allows() -> None:
    text = ';@ import rfc3986: URI\nlink = "<" URI ">"\n'
    assert answered(KNOWN["link"], text).matches("<a:>")
    with raises(GrammarError, "answer-import", grammar="rfc3987", allowed=("rfc3986",)):
        answered(KNOWN["link"], ";@ import rfc3987\nlink = IRI\n")


@pytest.mark.xfail(strict=True, reason="TE section 2: permissions of an exercise are a later issue")
def test_an_answer_in_abnf_alone() -> None:
    with pytest.raises(GrammarError):
        answered(KNOWN["semver"], EXCEPT)


def test_reasons_are_found_without_other_rules() -> None:
    for each in exercises():
        inlined = inlined_reference(each)
        assert [rule.name for rule in inlined.grammar.own_rules] == [each.rule]
        for text in (*each.valid, *each.invalid):
            assert inlined.matches(text) is reference(each).matches(text)


def test_what_cannot_be_inlined_stays() -> None:
    from dataclasses import replace

    text = 'pin = a b\na = "(" [a] ")"\nb = c\nb =/ "y"\nc = %x30-39 pin / "x"\n'
    exercise = replace(PIN, reference=text)
    inlined = inlined_reference(exercise)
    assert [rule.name for rule in inlined.grammar.own_rules] == ["pin", "a"]
    for each in ("()x", "(())y", "()1()x", "(", "()", "x"):
        assert inlined.matches(each) is reference(exercise).matches(each)


def test_a_core_rule_is_no_answer() -> None:
    """The rule has to stand in the answer, whatever else knows its name."""
    from dataclasses import replace

    with raises(GrammarError, "rule-missing", names=("pin",)):
        answered(replace(PIN, rule="DIGIT"), "pin = DIGIT")
