"""Lint of grammars by name or path."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.engine.lint import lint_named


def test_a_file_is_linted_even_if_it_does_not_load(tmp_path: Path) -> None:
    path = tmp_path / "broken.abnf"
    path.write_text("a = /\n")
    findings, is_file = lint_named(str(path))
    assert [finding.name for finding in findings] == ["syntax-error"]
    assert is_file


def test_a_bundled_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rfc3986").write_text("a = /\n")
    findings, is_file = lint_named("rfc3986", ["URI-reference"])
    assert findings == abnforge.load("rfc3986").lint(["URI-reference"])
    assert not is_file
    assert lint_named("./rfc3986").is_file


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(abnforge.UnknownName, match="rfc3986"):
        lint_named("rfc3968")
    with pytest.raises(FileNotFoundError):
        lint_named("missing.abnf")
