"""docs/comparison.md is what the grammars give, and the tool notices when a reading no longer fits."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import abnforge
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import compare_grammars as tool
from comparison import page


def test_the_page_is_current(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tool.page()
    monkeypatch.setattr(tool, "page", lambda: text)  # it takes a second
    assert tool.main(["--check"]) == 0
    stale = tmp_path / "comparison.md"
    stale.write_text(tool.PAGE.read_text("utf-8") + "more\n", "utf-8")
    monkeypatch.setattr(tool, "PAGE", stale)
    assert tool.main(["--check"]) == 1
    assert "python tools/compare_grammars.py" in capsys.readouterr().err
    assert stale.read_text("utf-8").endswith("more\n")
    assert tool.main([]) == 0
    assert tool.main(["--check"]) == 0


def test_a_reading_that_no_longer_fits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(t for t in page.TRANSLATIONS if t.rule == "rel_path")
    old, new = abnforge.load("rfc2396"), abnforge.load("rfc3986")
    for wrong in (replace(row, abnf="path-noscheme"), replace(row, exact="path-rootless")):
        monkeypatch.setattr(page, "TRANSLATIONS", (wrong,))
        with pytest.raises(ValueError, match=r"rel-path is \w+ .* read again"):
            list(page.translations(old, new))
