"""The available exercises, and the exercise that a file solves."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.exercises import (
    Graded,
    answers,
    complete_exercise,
    exercise_named,
    exercises,
    graded,
    read_answer,
    stem_of,
)
from abnforge.cli.common.groups import CONTEXT
from tests.law import each_row
from tests.raising import raises

KNOWN = exercises(None)
PIN = "pin = 4*6DIGIT\n"


@each_row(
    ("file", "text", "name", "exercise"),
    [
        ("pin.abnf", PIN, None, "pin"),
        ("anna/pin.abnf", PIN, None, "pin"),
        ("x.abnf", f"; exercise: pin\n{PIN}", None, "pin"),
        ("x.abnf", f"{PIN};Exercise:pin\r\n", None, "pin"),
        ("point.abnf", f"; exercise: room\n{PIN}", "pin", "pin"),
        ("-", PIN, "pin", "pin"),
        ("PIN.abnf", PIN, None, "pin"),
        ("x.abnf", f"; exercise: Pin\n{PIN}", None, "pin"),
        ("x.abnf", PIN, "PIN", "pin"),
    ],
)
def test_exercises_of_answers(file: str, text: str, name: str | None, exercise: str) -> None:
    result = graded(KNOWN, file, text, name, None, advice=True)
    assert result.grade is not None
    assert (result.grade.exercise.id, result.verdict) == (exercise, "right")


def test_nothing_that_is_known() -> None:
    result = graded(KNOWN, "time24.abnf", PIN, None, None, advice=True)
    assert (result.grade, result.verdict) == (None, "not-graded")
    assert result.problem is not None
    assert result.problem.data == {"name": "time24", "near": ("time-24",)}
    assert result.to_dict()["problem"] == result.problem
    assert Graded("x", None, "gone").to_dict()["verdict"] == "not-graded"
    with raises(UsageError, "exercise-unknown", name="pni"):
        exercise_named(KNOWN, "pni")


def test_a_file_that_names_two_exercises() -> None:
    """An answer to an easy exercise does not replace the answer that the name of the file announces."""
    result = graded(KNOWN, "anna/point.abnf", f"; exercise: pin\n{PIN}", None, None, advice=True)
    assert (result.grade, result.verdict) == (None, "not-graded")
    assert result.problem is not None
    assert result.problem.data == {"file": "point", "line": "pin"}


OTHERS = "PIN.ABNF", "Pin.txt", "x.abnf.txt"


def test_files_of_a_class(tmp_path: Path) -> None:
    folder, outside = tmp_path / "class", tmp_path / "secret.abnf"
    for name in (
        "b/pin.abnf",
        "a/pin.abnf",
        "a/deep/pin.abnf",
        "a/notes.txt",
        "b/PIN.ABNF",
        "b/Pin.txt",
        "b/x.abnf.txt",
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PIN)
    outside.write_text(PIN)
    (folder / "link.abnf").symlink_to(outside)
    (folder / "folder.abnf").mkdir()
    (folder / "c").symlink_to(folder / "a")
    results = [path.relative_to(folder).as_posix() for path in answers(folder, {"pin"})]
    rest = sorted(f"b/{each}" for each in ("pin.abnf", *OTHERS))
    assert results == ["a/deep/pin.abnf", "a/pin.abnf", *rest, "c", "link.abnf"]


@pytest.mark.parametrize("file", ["pin.abnf", "a/PIN.ABNF", "pin.abnf.txt", "pin.txt", "pin.md", "pin"])
def test_endings_of_answers(file: str) -> None:
    assert stem_of(file).lower() == "pin"


def test_answers_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "pin.abnf"
    path.write_bytes(b"pin = \xff")
    with pytest.raises(ValueError, match="UTF-8"):
        read_answer(path)


def test_completion(tmp_path: Path) -> None:
    command = click.Command("check")
    context = click.Context(command, **CONTEXT)
    option = click.Option(["--exercise"])
    result = complete_exercise(context, option, "p")
    assert [each.value for each in result] == ["point", "pin", "pairs-of-a", "percentage"]
    context.params["own"] = tmp_path / "missing"
    assert complete_exercise(context, option, "p") == []
