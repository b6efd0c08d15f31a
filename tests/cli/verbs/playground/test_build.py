"""``playground build``: what it says; tests/teaching/playground has what it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abnforge.teaching.playground import building
from abnforge.teaching.playground.building import BuildError, Built
from abnforge.teaching.playground.messages import message
from tests.cli.command import fails, run


def test_what_was_built_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def build(folder: Path, *, modules: Path | None = None) -> Built:
        return Built(folder, {"a": (1_000_000, 400_000), "b": (500_000, 50_000)})

    monkeypatch.setattr(building, "build", build)
    result = run("playground", "build", str(tmp_path / "site"))
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{tmp_path / 'site'}: ")
    assert re.findall(r"[\d.]+", result.stdout.partition(": ")[2]) == ["2", "1.5", "0.5"]
    assert "abnforge serve" in result.stderr


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def build(folder: Path, *, modules: Path | None = None) -> Built:
        raise BuildError(message("program-missing", program="npm"))

    monkeypatch.setattr(building, "build", build)
    result = run("playground", "build", str(tmp_path / "site"))
    fails(result, "program-missing", program="npm")


def test_a_folder_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = run("playground", "build", str(tmp_path))
    fails(result, "directory-not-empty", directory=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
