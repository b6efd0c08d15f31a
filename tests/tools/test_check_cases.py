"""Other projects' cases, run by tools/check_cases.py. Skipped where they are not beside the project."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.places import ROOT

TOOL = ROOT / "tools" / "check_cases.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_cases", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


check_cases = load_tool()


@pytest.mark.slow
@pytest.mark.skipif(not check_cases.DEFAULT.is_dir(), reason="no shared cases beside the project")
def test_shared_cases() -> None:
    report = check_cases.run(check_cases.DEFAULT)
    assert report.failures == []
    assert sum(n for (_, what), n in report.total.items() if what == "verdict") > 700
    assert sum(n for (_, what), n in report.total.items() if what == "components") > 150
    assert sum(n for (_, what), n in report.total.items() if what.startswith("target ")) == 257
    assert report.total["normalization_fluent_uri", "normal form"] == 26
    assert report.share("explanations", "hypothesis") >= 0.70


def test_absent_cases_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_cases.main([str(tmp_path / "none")]) == 0
    assert check_cases.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("skipped") == 2


def test_a_wrong_verdict_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = '[{"spec": "rfc3986", "rule": "URI", "input": "http://a b/", "valid": true}]'
    (tmp_path / "fluent_uri.json").write_text(case, "utf-8")
    assert check_cases.main([str(tmp_path)]) == 1
    assert "expected True, got False" in capsys.readouterr().out
