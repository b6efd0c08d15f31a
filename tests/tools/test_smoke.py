"""The smoke test of wheels fails only for the wrong implementation."""

from __future__ import annotations

import sys

import pytest

import abnforge
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import smoke


def test_the_installed_package_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert smoke.main([abnforge.KERNEL]) == 0
    assert capsys.readouterr().out == ""


def test_another_extension_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    other = {"compiled": "python", "python": "compiled"}[abnforge.KERNEL]
    assert smoke.main([other]) == 1
    assert capsys.readouterr().out == f"KERNEL is {abnforge.KERNEL!r}, not {other!r}\n"
