"""Calls of implementations are cached, counted and repeated."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.conformance.judges import (
    MAX_REPEATS,
    Answer,
    BlackBox,
    Judge,
    Raised,
    UnsteadyError,
    as_judge,
    named,
    parses,
)
from abnforge.conformance.learning import learn
from abnforge.errors import LimitExceeded
from tests.raising import raises


def test_functions_and_patterns() -> None:
    judge = as_judge(lambda text: text and int(text))
    assert list(judge.answers(["1", "0", "", "x"]))[:3] == [Answer(True), Answer(False), Answer(False)]
    answer = judge.ask("x")
    assert answer is not None
    assert not answer.yes
    assert (answer.error or "").startswith("ValueError: invalid literal")
    assert judge("1")
    assert as_judge(re.compile("a$")).ask("a\n") == Answer(False)  # the pattern must match the whole string
    assert as_judge(judge) is judge


def test_parsers_reject_by_raising() -> None:
    assert as_judge(int).ask("0") == Answer(False)
    assert parses(int).ask("0") == Answer(True)
    answer = parses(int).ask("x")
    assert answer is not None
    assert (answer.error or "").startswith("ValueError: ")
    with raises(TypeError, "argument-type", name="function", type="str"):
        parses("int")  # type: ignore[arg-type]


def test_a_function_by_name() -> None:
    assert named("builtins:int", raises=True).ask("0") == Answer(True)
    assert named("os.path:isabs")("/")
    for name, result in (
        ("int", "judge-name"),
        ("os:nothing", "judge-import"),
        ("sys:path", "judge-import"),
    ):
        with raises(ValueError, result):
            named(name)


@pytest.mark.parametrize("module", ["def f(s) return 1", "import sys; sys.exit(3)", "1 / 0"])
def test_a_module_that_cannot_be_imported(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_judge.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    with raises(ValueError, "judge-import", name="own_judge:f"):
        named("own_judge:f")


class Lines(Judge):
    """An implementation that reads one string per line."""

    def answers(self, texts):  # type: ignore[no-untyped-def]
        return (None if "\n" in text else Answer(text == "a") for text in texts)


def test_unsupported_strings() -> None:
    assert Lines()("a")
    with raises(ValueError, "judge-unsupported", text="\n"):
        Lines()("\n")


def test_invalid_judges() -> None:
    with raises(TypeError, "argument-type", name="judge", type="str"):
        as_judge("[0-9]*")  # type: ignore[arg-type]
    with raises(TypeError, "argument-bytes", name="judge", type="bytes"):
        as_judge(re.compile(b"a"))  # type: ignore[arg-type]


def test_interrupts_pass() -> None:
    def stop(text: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        as_judge(stop).ask("a")


def test_system_exit_is_a_rejection() -> None:
    def judge(text: str) -> bool:
        raise SystemExit(0)

    assert as_judge(judge).ask("a") == Answer(False, "SystemExit: 0")


async def coroutine(text: str) -> bool:
    return True


def generator(text: str) -> object:
    yield True


class CallableJudge:
    """An object with an asynchronous ``__call__``."""

    async def __call__(self, text: str) -> bool:
        return True


@pytest.mark.parametrize("judge", [coroutine, generator, CallableJudge(), CallableJudge().__call__])
def test_asynchronous_judges_are_rejected(judge: object) -> None:
    with raises(TypeError, "judge-async"):
        as_judge(judge)  # type: ignore[arg-type]


def box(judge: object, errors: str = "no", most: int = 100, **budget: int) -> BlackBox:
    meter = Budget(**budget).meter("asking")
    return BlackBox(judge, errors, most, meter)  # type: ignore[arg-type]


def test_each_string_is_validated_once() -> None:
    asked: list[str] = []
    one = box(lambda text: asked.append(text) or text == "a")
    assert [one.accepts(text) for text in ("a", "b", "a", "b", "")] == [True, False, True, False, False]
    assert asked == one.texts == ["a", "b", ""]
    assert one.asked == 3


@pytest.mark.parametrize(
    ("judge", "expected"),
    [(re.compile("a*"), [True, False]), (lambda t: [] if "b" in t else [0], [True, False])],
)
def test_results_that_accept(judge: object, expected: list[bool]) -> None:
    one = box(judge)
    assert [one.accepts(text) for text in ("aa", "ab")] == expected


def picky(text: str) -> bool:
    return bool(text.encode()) and int(text) > 0


@pytest.mark.parametrize(("errors", "expected"), [("no", False), ("yes", True)])
def test_exceptions_are_a_verdict_and_are_reported(errors: str, expected: bool) -> None:
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


def test_base_exceptions_propagate() -> None:
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
    calls: list[str] = []
    one = box(lambda text: calls.append(text) or True, most=10_000)
    for number in range(3 * MAX_REPEATS):
        one.accepts(str(number))
    one.repeat()
    again = calls[3 * MAX_REPEATS :]
    assert 0 < len(again) <= MAX_REPEATS
    assert again[0] == "0"
    assert again[-1] > "2900"


def changing() -> Callable[[str], bool]:
    calls: set[str] = set()

    def judge(text: str) -> bool:
        result = text in calls
        calls.add(text)
        return result if text == "b" else not text

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
