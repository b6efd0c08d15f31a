"""``abnforge exercise new`` writes generated exercises that the other commands read."""

from __future__ import annotations

from pathlib import Path

from abnforge.cli.commands.exercise import KINDS, MAX_SEED
from abnforge.teaching import generated
from tests.cli.command import run


def test_exercises_are_readable(tmp_path: Path) -> None:
    result = run("exercise", "new", "--kind", "optional", "--level", "2", "--seed", "7", "--count", "2")
    file = tmp_path / "mine.toml"
    file.write_text(result.stdout, "utf-8")
    listed = run("exercise", "list", "--file", str(file))
    assert (listed.exit_code, listed.stdout.count("optional-2-")) == (0, 2)
    answer = tmp_path / "optional-2-8.abnf"
    answer.write_text(generated.generate("optional", 2, 8).reference, "utf-8")
    assert run("exercise", "check", "--file", str(file), str(answer)).exit_code == 0


def test_choices_are_those_of_the_library() -> None:
    assert (KINDS, MAX_SEED) == (generated.KINDS, generated.MAX_SEED)


def test_misuse() -> None:
    assert run("exercise", "new").exit_code == 2
    assert run("exercise", "new", "--kind", "range", "--level", "4").exit_code == 2
    assert run("exercise", "new", "--kind", "range", "--seed", str(MAX_SEED), "--count", "2").exit_code == 2
