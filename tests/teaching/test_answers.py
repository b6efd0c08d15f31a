"""Answers as rules: nothing but a grammar comes of their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.errors import GrammarError
from abnforge.teaching.answers import MOST, answered, misconceived, reference
from abnforge.teaching.exercises import exercises

KNOWN = {each.id: each for each in exercises()}
PIN = KNOWN["pin"]


def test_a_rule() -> None:
    assert answered(PIN, "pin = 4*6DIGIT").matches("1234")  # the last line's end can be missing
    assert answered(PIN, "PIN = 4DIGIT\r\n").name == "PIN"
    assert answered(PIN, "other = 4DIGIT\npin = other\n").matches("1234")
    assert answered(KNOWN["link"], 'link = "<" URI ">"').matches("<a:>")
    assert reference(PIN) is reference(PIN)
    assert misconceived(PIN, 0).matches("1234567")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("", "syntax-error", "defines no rule"),
        ("pinn = 4DIGIT", "undefined-rule", "no rule pin"),
        ("digit-s = DIGIT", "undefined-rule", "no rule pin"),
        ("pin = 4*6(DIGIT", "syntax-error", ""),
        ("pin = <four digits>", "prose-val", ""),
        ("pin = other", "undefined-rule", "other"),
        ("pin = 4DIGIT ; " + "x" * MOST, "file-too-large", "100,000"),
        (";@ import ./other.abnf\npin = other", "import-directive", "'./other.abnf' is none"),
        (";@ import /etc/passwd\npin = 4DIGIT", "import-directive", "'/etc/passwd' is none"),
        (";@ import abnf:rfc9110\npin = 4DIGIT", "import-directive", "is none"),
    ],
)
def test_what_is_none(
    text: str, code: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.abnf").write_text("other = 4*6DIGIT\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GrammarError) as caught:
        answered(PIN, text)
    assert caught.value.code == code
    assert told in caught.value.message


def test_a_core_rule_is_no_answer() -> None:
    """The rule has to stand in the answer, whatever else knows its name."""
    from dataclasses import replace

    with pytest.raises(GrammarError, match="defines no rule DIGIT"):
        answered(replace(PIN, rule="DIGIT"), "pin = DIGIT")
