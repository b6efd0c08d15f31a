"""``abnforge exercise check``: files, directories with the files of a class, formats, exit statuses."""

from __future__ import annotations

import csv
import json
import os
import re
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import run as command
from tests.cli.commands.test_exercise_list import OWN

run = partial(command, "exercise", "check")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("pin = 4*6DIGIT", 0),
        ("pin = 4DIGIT *2DIGIT\n", 0),
        ("pin = 4*DIGIT\n", 1),
        ("pin = (\n", 1),
        ("", 1),
        (b"pin = \xff", 2),
    ],
)
def test_statuses(answer: str | bytes, status: int, tmp_path: Path) -> None:
    path = tmp_path / "pin.abnf"
    path.write_bytes(answer if isinstance(answer, bytes) else answer.encode())
    assert run(str(path)).exit_code == status
    assert run("-e", "pin", "-", stdin=answer).exit_code == status


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--all", "."],  # the directory contains an empty file
        ["pin.abnf"],
        ["-e", "pni", "-"],
        ["-"],  # standard input does not name an exercise
        ["--all", ".", "-"],
        ["--all", "no/such/folder"],
        ["--format", "xml", "-"],
        ["--budget", "0x", "-"],
        ["-e", "ipv4", "--budget", "steps=1", "-"],  # not decided
    ],
)
def test_wrong_usage(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reference = "address = 4DIGIT\n"
    assert run(*arguments, stdin=reference).exit_code == 2


def test_a_class(tmp_path: Path) -> None:
    texts = {
        "anna/pin.abnf": "pin = 4*6DIGIT\n",
        "bob/first.abnf": "; exercise: pin\npin = 4*6DIGTI\n",
        "bob/pin.abnf": "pin = 4DIGIT / 6DIGIT\n",
        "carl/homework.abnf": "pin = 4*6DIGIT\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    result = run("--all", str(tmp_path), "--format", "csv")
    assert result.exit_code == 2
    assert re.findall(r"\d+", result.stderr) == ["4", "1", "1", "1", "1", "1"]
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["file"] for row in rows] == list(texts)
    assert [row["verdict"] for row in rows] == ["right", "unreadable", "wrong", "not-graded"]
    assert rows[2]["wrongly_rejected"] == '"11111"'
    plain = json.loads(run("--all", str(tmp_path), "-f", "json").stdout)
    assert [each["verdict"] for each in plain] == [row["verdict"] for row in rows]
    os.utime(tmp_path / "bob/pin.abnf", (2_000_000_000, 2_000_000_000))  # in 2033
    due = ("--all", str(tmp_path), "--due", "2030-01-01", "--format")
    assert [each["late"] for each in json.loads(run(*due, "json").stdout)] == [False, False, True, False]
    late = [row["late"] for row in csv.DictReader(run(*due, "csv").stdout.splitlines())]
    assert late == ["", "", "late", ""]
    assert run("--all", str(tmp_path / "anna"), "-f", "csv").exit_code == 0
    assert run("--all", str(tmp_path / "carl"), "-e", "pin").exit_code == 0


def test_a_link_is_reported_and_not_followed(tmp_path: Path) -> None:
    answer, folder = tmp_path / "answer.abnf", tmp_path / "class"
    answer.write_text("pin = 4*6DIGIT\n")
    folder.mkdir()
    (folder / "PIN.abnf").write_text("pin = 4*6DIGIT\n")
    (folder / "pin.abnf").symlink_to(answer)
    result = run("--all", str(folder), "--format", "json")
    assert result.exit_code == 2
    assert [(each["file"], each["verdict"]) for each in json.loads(result.stdout)] == [
        ("PIN.abnf", "right"),
        ("pin.abnf", "not-graded"),
    ]
    assert run("-e", "pin", str(folder / "pin.abnf")).exit_code == 0


def test_own_exercises_and_style(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN)
    assert run("--file", str(path), "-e", "digit", "-", stdin="number = %x30-39\n").exit_code == 0
    assert run("--file", str(path), "-e", "digit", "-", stdin="number = 1*DIGIT\n").exit_code == 1
    answer = "pin = 4DIGIT [DIGIT] [DIGIT]\n"
    assert "style: " in run("-e", "pin", "-", stdin=answer).stdout
    assert "style: " not in run("-e", "pin", "--no-advice", "-", stdin=answer).stdout
