"""Who is asked."""

from __future__ import annotations

import re

import pytest

from abnforge.conformance.judges import Answer, Judge, as_judge, named, parses
from tests.raising import raises


def test_functions_and_patterns() -> None:
    judge = as_judge(lambda text: text and int(text))
    assert list(judge.answers(["1", "0", "", "x"]))[:3] == [Answer(True), Answer(False), Answer(False)]
    answer = judge.ask("x")
    assert answer is not None
    assert not answer.yes
    assert (answer.error or "").startswith("ValueError: invalid literal")
    assert judge("1")
    assert as_judge(re.compile("a$")).ask("a\n") == Answer(False)  # the whole is matched
    assert as_judge(judge) is judge


def test_what_parses_says_no_by_raising() -> None:
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
    for name, told in (
        ("int", "judge-name"),
        ("os:nothing", "judge-import"),
        ("sys:path", "judge-import"),
    ):
        with raises(ValueError, told):
            named(name)


class Lines(Judge):
    def answers(self, texts):  # type: ignore[no-untyped-def]
        return (None if "\n" in text else Answer(text == "a") for text in texts)


def test_what_cannot_be_asked() -> None:
    assert Lines()("a")
    with raises(ValueError, "judge-unsupported", text="\n"):
        Lines()("\n")


def test_what_is_no_judge() -> None:
    with raises(TypeError, "argument-type", name="judge", type="str"):
        as_judge("[0-9]*")  # type: ignore[arg-type]
    with raises(TypeError, "argument-bytes", name="judge", type="bytes"):
        as_judge(re.compile(b"a"))  # type: ignore[arg-type]


def test_interrupts_pass() -> None:
    def stop(text: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        as_judge(stop).ask("a")


def test_who_ends_the_process_has_said_no() -> None:
    def judge(text: str) -> bool:
        raise SystemExit(0)

    assert as_judge(judge).ask("a") == Answer(False, "SystemExit: 0")


async def coroutine(text: str) -> bool:
    return True


def generator(text: str) -> object:
    yield True


class Callable:
    async def __call__(self, text: str) -> bool:
        return True


@pytest.mark.parametrize("judge", [coroutine, generator, Callable(), Callable().__call__])
def test_what_gives_no_answer_is_told(judge: object) -> None:
    with raises(TypeError, "judge-async"):
        as_judge(judge)  # type: ignore[arg-type]
