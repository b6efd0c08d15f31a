"""The wheel for Pyodide requires a compiler; tests/teaching/playground/test_extension.py builds the wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import pyodide_wheel


def test_a_missing_compiler_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pyodide_wheel, "find_spec", lambda name: None)
    assert pyodide_wheel.main([str(tmp_path / "dist")]) == 1
    assert "pip install ziglang" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
