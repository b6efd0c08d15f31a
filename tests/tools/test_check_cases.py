"""tools/check_cases.py runs test cases of other projects. Skipped if they are not next to the project."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tools import check_cases


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
    assert report.share("explanations_other", "hypothesis") >= 0.75


WILD = check_cases.DEFAULT / "wild_abnf.jsonl"


@pytest.mark.skipif(not WILD.is_file(), reason="no shared cases beside the project")
def test_mistakes_in_abnf() -> None:
    report = check_cases.run(check_cases.DEFAULT, ["wild_abnf"])
    assert report.failures == []
    assert [report.total["wild_abnf", what] for what in ("line", "edits", "to the point")] == [40, 40, 25]
    without_edits, expected, without_finding = (
        check_cases.KNOWN[key] for key in ("without-edits", "expected-finding", "without-finding")
    )
    ids = {json.loads(line)["id"] for line in WILD.read_text("utf-8").splitlines()}
    assert {*without_edits, *expected, *without_finding} <= ids
    assert len(report.decisions) == len(without_edits) + len(without_finding)


@pytest.mark.slow
@pytest.mark.skipif(
    not (check_cases.DEFAULT.parent / "grammars" / "suites").is_dir(), reason="no suites beside the project"
)
def test_suites_of_grammars() -> None:
    report = check_cases.Report()
    check_cases.check_suites(report, check_cases.DEFAULT.parent / "grammars")
    assert report.failures == []
    assert Counter(line.partition(":")[0] for line in report.decisions) == {
        "toml": 101,
        "sf-list": 2,
        "sf-dictionary": 3,
        "sf-item": 7,
    }


def test_a_suite_is_held_to_its_verdicts(tmp_path: Path) -> None:
    """A verdict that differs from the grammar's fails, unless the case is known to go beyond grammars."""
    folder = tmp_path / "suites" / "toml"
    folder.mkdir(parents=True)
    (tmp_path / "g.abnf").write_text('s = "[" *s "]"\n', "utf-8")
    (folder / "META.json").write_text('{"grammar": "g.abnf", "rule": "s"}', "utf-8")
    cases = [("a", "[]", True), ("b", "[[]", True), ("valid/utf8-bom-01.toml", "x", True), ("c", "[x", None)]
    lines = [json.dumps({"id": name, "text": text, "expect": expect}) for name, text, expect in cases]
    (folder / "cases.jsonl").write_text("\n".join(lines), "utf-8")
    report = check_cases.Report()
    check_cases.check_suites(report, tmp_path)
    (failure,) = report.failures
    assert failure.split()[0] == "toml:"
    assert "'b'" in failure
    assert len(report.decisions) == 1
    assert report.total["toml", "one rejection"] == 3


def test_absent_cases_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_cases.main([str(tmp_path / "none")]) == 0
    assert check_cases.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("skipped") == 2


def test_a_wrong_verdict_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = '[{"spec": "rfc3986", "rule": "URI", "input": "http://a b/", "valid": true}]'
    (tmp_path / "fluent_uri.json").write_text(case, "utf-8")
    assert check_cases.main([str(tmp_path)]) == 1
    assert "expected True, got False" in capsys.readouterr().out
