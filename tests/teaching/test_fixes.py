"""The smallest change that makes an answer right, and the probable misconception."""

from __future__ import annotations

import pytest

from abnforge.catalog import Message
from abnforge.comparison.rules import compare
from abnforge.teaching import fixes
from abnforge.teaching.exercises import exercises, load_answer, reference
from abnforge.teaching.fixes import LONGEST, repair
from abnforge.teaching.grading import grade
from abnforge.teaching.messages import message
from abnforge.teaching.vocabulary import vocabulary
from tests.law import one_in

KNOWN = {each.id: each for each in exercises()}
TOO_MANY = 'light = "red" / "amber" / "green" / "blue"'
DAY = 'greeting = "hello" / "good" SP "morning" / "evening"'
GET = 'command = get SP 1*DIGIT\nget = "get" [SP] ["all"]'
TICKET = 'ticket = ("F" / "B") DIGIT / "E" 2DIGIT ["R"]'


def found(name: str, text: str) -> Message | None:
    exercise = KNOWN[name]
    expected = reference(exercise)
    compared = compare(load_answer(exercise, text), expected)
    return repair(exercise, expected, text, compared.only_left, compared.only_right)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    one_in(
        3,
        [
            ("pin", "pin = 3*5DIGIT", ("change-count", 1, "3*5DIGIT")),
            ("pin", "pin = digits\ndigits = 3*6DIGIT", ("change-count", 2, "3*6DIGIT")),
            ("words", 'words = word *("  " word)\nword = 1*ALPHA', ("change-spaces", 1, '"  "')),
            ("pin", "pin = 4*6HEXDIG", ("change-name", 1, "HEXDIG")),
            ("method", 'method = %s"GET" / "POST"', ("change-case", 1, '"POST"')),
            ("signed-digit", 'number = ("+" / "-") DIGIT', ("change-brackets", 1, '("+" / "-")')),
            ("octal-digit", "octal = %x30-38", ("change-range", 1, "%x30-38")),
            ("traffic-light", TOO_MANY, ("change-extra", 1, '"blue"')),
            ("greeting", 'greeting = "hello" "!"', ("change-extra", 1, '"!"')),
            ("flight", TICKET, ("change-group", 1, TICKET.removeprefix("ticket = "))),
            ("good-day", DAY, ("change-group", 1, '"good" SP "morning" / "evening"')),
            ("commands", GET, ("change-extra", 2, "[SP]")),
            ("room", 'room = ALPHA 2DIGIT ["-"] ALPHA', ("change-brackets", 1, '["-"]')),
            ("greeting", 'greeting = "goodbye"', ("change-literal", 1, '"goodbye"')),
            ("pin", "pin = 3*5DIGIT ;" + "x" * LONGEST, None),
            ("balanced", 'balanced = ["(" balanced ")"]', ("change-count", 1, '["(" balanced ")"]')),
        ],
    ),
)
def test_where_the_mistake_is(name: str, text: str, expected: tuple[str, int, str] | None) -> None:
    change = found(name, text)
    if expected is None:
        assert change is None
    else:
        assert change is not None
        assert change.code == "change-one"
        change = change.data["change"]
        assert (change.code, change.data["line"], change.data["part"]) == expected


def test_grades_report_it_instead_of_what_the_strings_suggest() -> None:
    result = grade(KNOWN["lower-word"], "word = *%x61-7A")
    guess = message("accepts-empty")
    change = message("change-one", line=1, change=message("change-count", line=1, part="*%x61-7A"))
    assert result.mistake == change
    assert not result.recognized
    assert grade(KNOWN["lower-word"], "word = *%x61-7A", advice=False).mistake == guess


def test_equal_parts_have_the_same_mistake() -> None:
    change = found("flight", 'ticket = "F" DIGIT "R" / "B" DIGIT "R" / "E" 2DIGIT "R"')
    assert change is not None
    assert change.code == "change-one"
    assert (change.data["change"].code, change.data["change"].data["part"]) == ("change-brackets", 'each "R"')


def test_several_changes_show_parts_of_the_answer() -> None:
    """A change of text that an earlier change wrote is shown as a change of the part that it replaced."""
    change = found("header", 'field = 1*ALPHA ":" [SP] 1*VCHAR')
    assert change is not None
    assert (change.code, change.data["number"]) == ("change-several", 2)
    assert [(each.code, each.data["part"]) for each in change.data["changes"]] == [
        ("change-name", "SP"),
        ("change-count", "[SP]"),
    ]


@pytest.mark.slow
def test_parts_that_must_match_other_strings() -> None:
    change = found("time-24", 'time = h ":" m\nh = DIGIT DIGIT\nm = %x30-36 DIGIT')
    assert change is not None
    assert (change.code, change.data["number"]) == ("change-several", 2)
    assert [(each.code, each.data["over"]) for each in change.data["changes"]] == [
        ("change-over", '"24"'),
        ("change-over", '"61"'),
    ]


@pytest.mark.slow
def test_a_change_that_is_not_enough() -> None:
    change = found("method", 'method = "GETT" / "POST" / "PUT" / "DEL" / "X" / "Y"')
    assert change is not None
    assert (change.code, change.data["change"].code) == ("change-some", "change-case")


def test_states_and_failures_count_as_grammars(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    monkeypatch.setattr(fixes, "MOST", 60)
    monkeypatch.setattr(fixes, "load_answer", lambda *args: loaded.append(1) or load_answer(*args))
    exercise = KNOWN["link"]
    required = reference(exercise)
    text = 'link = ["("] URI [")"]'
    search = fixes._Search(exercise, required, vocabulary(required, exercise.valid))
    assert search.run(text, load_answer(exercise, text)) is None
    assert 60 <= search.tried < 120
    assert len(loaded) < 20


def test_changes_break_no_string() -> None:
    """A change of an answer whose strings are all wrong must add a right one."""
    assert found("time-24", 'time = "noon" / "midnight"') is None
