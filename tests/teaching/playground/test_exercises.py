"""The page has the exercises of the command, with the same grading."""

from __future__ import annotations

from abnforge.teaching.exercises import LESSONS, PAGES, exercises
from abnforge.teaching.grading import BY_THE_ANSWER
from tests.teaching.playground.calls import ask, refused


def test_all_are_listed_by_lesson_without_their_solutions() -> None:
    result = ask("exercises")
    assert {each["id"] for each in result} == {each.id for each in exercises()}
    assert list(dict.fromkeys(each["lesson"] for each in result)) == list(LESSONS)
    assert [each["page"] for each in result] == [PAGES[each["lesson"]] for each in result]
    assert all("reference" not in each for each in result)


def test_references_are_right() -> None:
    for each in exercises():
        assert ask("grade", exercise=each.id, text=each.reference)["verdict"] == "right", each.id


def test_a_wrong_answer_has_the_string_that_teaches_more_first() -> None:
    result = ask("grade", exercise="pin", text="pin = 4DIGIT")
    assert (result["verdict"], [each["kind"] for each in result["witnesses"]]) == ("wrong", ["refused"])
    assert result["witnesses"][0]["reason"].startswith(BY_THE_ANSWER)


def test_an_answer_that_does_not_read() -> None:
    result = ask("grade", exercise="pin", text="pin = 4DIGIT |")
    assert result["verdict"] == "unreadable"
    assert result["findings"][0]["line"] == 1
    assert refused("grade", exercise="nope", text="")["code"] == "call-exercise"
