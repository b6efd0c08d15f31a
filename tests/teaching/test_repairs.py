"""Where one change makes an answer right."""

from __future__ import annotations

from itertools import islice

import pytest

import abnforge
from abnforge.comparison.rules import compare
from abnforge.teaching.answers import answered, reference
from abnforge.teaching.exercises import exercises
from abnforge.teaching.grading import grade
from abnforge.teaching.repairs import LONGEST, changes, repair
from tests.law import one_in

KNOWN = {each.id: each for each in exercises()}


def found(name: str, text: str) -> str | None:
    exercise = KNOWN[name]
    wanted = reference(exercise)
    compared = compare(answered(exercise, text), wanted)
    return repair(exercise, wanted, text, compared.only_left, compared.only_right)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    one_in(
        3,
        [
            ("pin", "pin = 3*5DIGIT", "1: look at how often 3*5DIGIT stands there."),
            ("pin", "pin = digits\ndigits = 3*6DIGIT", "2: look at how often 3*6DIGIT stands there."),
            ("pin", "pin = 4*6HEXDIG", "1: look at whether HEXDIG is the right name."),
            ("method", 'method = %s"GET" / "POST"', '1: look at whether case matters in "POST".'),
            ("signed-digit", 'number = ("+" / "-") DIGIT', "can be left out."),
            ("octal-digit", "octal = %x30-38", "1: look at where the range %x30-38 begins and ends."),
            ("traffic-light", 'light = "red" / "amber" / "green" / "blue"', "belongs there."),
            ("greeting", 'greeting = "hello" "!"', '1: look at whether "!" belongs there.'),
            ("flight", 'ticket = ("F" / "B") DIGIT / "E" 2DIGIT ["R"]', "slashes of"),
            ("good-day", 'greeting = "hello" / "good" SP "morning" / "evening"', None),
            ("room", 'room = ALPHA 2DIGIT ["-"] ALPHA', '1: look at whether ["-"] can be left out.'),
            ("greeting", 'greeting = "goodbye"', None),
            ("pin", "pin = 3*5DIGIT ;" + "x" * LONGEST, None),
            ("balanced", 'balanced = ["(" balanced ")"]', None),  # no automaton could prove it
        ],
    ),
)
def test_where_the_mistake_is(name: str, text: str, told: str | None) -> None:
    said = found(name, text)
    assert (said is None) is (told is None)
    if told is not None:
        assert said is not None
        assert said.startswith("One change would do, in line ")
        assert told in said


def test_changes_are_grammars() -> None:
    """Each is another text, and all but a few of them are read: what was changed stays in its place."""
    text = 'x = "a" *y / [ 2*3%x30-39 ( "b" / %s"c" ) ] 1*2( y )\ny = DIGIT ["e" / "f" "g"]\n'
    tried = list(changes(text))
    assert len(tried) > 60
    for each in tried:
        changed = text[: each.span.start] + each.text + text[each.span.end :]
        assert changed != text
        assert abnforge.loads(changed, cache=False)
    kinds = {each.about for each in islice(changes(text), 1000)}
    assert len(kinds) == 7


def test_grades_tell_it_beside_what_the_strings_suggest() -> None:
    told = grade(KNOWN["lower-word"], "word = *%x61-7A")
    assert told.mistake is not None
    assert told.mistake.startswith("The empty string is accepted: ")
    assert told.mistake.endswith("One change would do, in line 1: look at how often *%x61-7A stands there.")
    assert not told.recognized
    plain = grade(KNOWN["lower-word"], "word = *%x61-7A", advice=False).mistake
    assert plain is not None
    assert "One change" not in plain
