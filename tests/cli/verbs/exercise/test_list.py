"""``abnforge exercise list``: those that are shipped, and a teacher's own."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

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
    ("data", "named"),
    [
        (b"[[", "mine.toml"),
        (b"\xff", "mine.toml"),
        (OWN.replace("level = 1", "").encode(), "mine.toml: exercise 'digit': level"),
        (OWN.replace("= DIGIT'", "= DIGTI'").encode(), '"digit": reference: '),
        ((OWN + 'valid = ["a"]').encode(), '"a"'),
    ],
)
def test_what_is_wrong_with_them(data: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(data)
    result = run("--file", str(path))
    assert result.exit_code == 2
    assert named in result.stderr
    assert run("--file", str(tmp_path / "none")).exit_code == 2
