"""``abnforge exercise list`` lists the bundled exercises and a teacher's own exercises."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import fails
from tests.cli.command import run as command

run = partial(command, "exercise", "list")

OWN = """
[[exercise]]
id = "digit"
title = "A digit"
level = 1
lesson = "my own"
task = "Match a digit."
rule = "number"
reference = 'number = DIGIT'
"""


def test_text_and_json() -> None:
    text, plain = run(), json.loads(run("--format", "json").stdout)
    assert text.stderr == ""
    assert len(plain) == 40
    assert [each["id"] for each in plain] == [
        line.split()[0] for line in text.stdout.splitlines() if line.startswith("  ")
    ]


def test_own_ones(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("\ufeff" + OWN, "utf-8")
    assert run("--file", str(path)).stdout.split() == ["my", "own", "digit", "1", "A", "digit"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"[[", "exercises-not-toml"),
        (b"\xff", "exercises-not-utf8"),
        (OWN.replace("level = 1", "").encode(), "exercise-level"),
        (OWN.replace("= DIGIT'", "= DIGTI'").encode(), "exercise-reference"),
        ((OWN + 'valid = ["a"]').encode(), "reference-rejects"),
    ],
)
def test_invalid_exercises(data: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(data)
    fails(run("--file", str(path)), code)
    assert run("--file", str(tmp_path / "none")).exit_code == 2
