"""Implementations asked: once, counted, and again."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from random import Random

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.conformance.judges import MAX_REPEATS, BlackBox, Raised, UnsteadyError
from abnforge.conformance.learning import learn
from abnforge.errors import LimitExceeded
from tests.raising import raises


def box(judge: object, errors: str = "no", most: int = 100, **budget: int) -> BlackBox:
    meter = Budget(**budget).meter("asking")
    return BlackBox(judge, errors, most, meter)  # type: ignore[arg-type]


def test_each_string_is_asked_once() -> None:
    asked: list[str] = []
    one = box(lambda text: asked.append(text) or text == "a")
    assert [one.accepts(text) for text in ("a", "b", "a", "b", "")] == [True, False, True, False, False]
    assert asked == one.texts == ["a", "b", ""]
    assert one.asked == 3


@pytest.mark.parametrize(
    ("judge", "expected"),
    [(re.compile("a*"), [True, False]), (lambda t: [] if "b" in t else [0], [True, False])],
)
def test_what_counts_as_yes(judge: object, expected: list[bool]) -> None:
    one = box(judge)
    assert [one.accepts(text) for text in ("aa", "ab")] == expected


def picky(text: str) -> bool:
    return bool(text.encode()) and int(text) > 0


@pytest.mark.parametrize(("errors", "expected"), [("no", False), ("yes", True)])
def test_exceptions_are_a_verdict_and_are_told(errors: str, expected: bool) -> None:
    one = box(picky, errors)
    answers = [one.accepts(text) for text in ("1", "bb", "\ud800\ud800", "\ud800", "b", "1", "b")]
    assert answers == [True, expected, expected, expected, expected, True, expected]
    assert one.raised == (Raised("UnicodeEncodeError", 2, "\ud800"), Raised("ValueError", 2, "b"))


def test_an_exception_can_be_the_end() -> None:
    with pytest.raises(ValueError, match="invalid literal") as caught:
        box(picky, "raise").accepts("b")
    (note,) = caught.value.__notes__
    assert isinstance(note, Message)
    assert (note.code, note.data) == ("judge-note", {"text": "b"})


def test_what_is_no_exception_goes_through() -> None:
    def stopped(text: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        box(stopped).accepts("a")


def test_questions_are_limited() -> None:
    one = box(bool, most=2)
    assert [one.accepts(text) for text in ("a", "b", "a", "b")] == [True] * 4
    with raises(LimitExceeded, "limit-queries", operation="asking", limit=2) as e:
        one.accepts("c")
    assert (e.value.setting, e.value.used, e.value.limit) == ("queries", 3, 2)
    assert one.asked == 2


def test_so_is_work() -> None:
    one = box(bool, steps=200)
    with raises(LimitExceeded, "limit-exceeded"):
        [one.accepts("a" * size) for size in range(20)]


def test_a_steady_one() -> None:
    asked: list[str] = []
    one = box(lambda text: asked.append(text) or True, most=10_000)
    for number in range(3 * MAX_REPEATS):
        one.accepts(str(number))
    one.repeat()
    again = asked[3 * MAX_REPEATS :]
    assert 0 < len(again) <= MAX_REPEATS
    assert again[0] == "0"
    assert again[-1] > "2900"


def changing() -> Callable[[str], bool]:
    asked: set[str] = set()

    def judge(text: str) -> bool:
        known = text in asked
        asked.add(text)
        return known if text == "b" else not text

    return judge


def test_an_unsteady_one_is_named() -> None:
    one = box(changing())
    for text in ("", "a", "b", "c"):
        one.accepts(text)
    with raises(UnsteadyError, "judge-unsteady-reject", text="b") as caught:
        one.repeat()
    assert (caught.value.text, caught.value.first) == ("b", False)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (str(copied), copied.text) == (str(caught.value), "b")


WRONG = [
    ({"judge": None}, TypeError, "argument-type"),
    ({"judge": re.compile(b"a")}, TypeError, "argument-bytes"),
    ({"errors": "maybe"}, ValueError, "argument-choice"),
    ({"errors": None}, TypeError, "argument-type"),
]


@pytest.mark.parametrize(("changed", "error", "code"), WRONG)
def test_misuse(changed: dict[str, object], error: type[Exception], code: str) -> None:
    with raises(error, code):
        box(**{"judge": bool, **changed})  # type: ignore[arg-type]


def test_who_answers_at_random_is_named_soon() -> None:
    pytest.importorskip("aalpy")
    source = Random(1)
    with raises(UnsteadyError, "judge-unsteady", text="[1"):
        learn(
            lambda text: text.isdigit() ^ (source.random() < 0.001),
            abnforge.load("rfc3986")["port"],
            queries=60_000,
        )
