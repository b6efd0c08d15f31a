"""SARIF logs."""

from __future__ import annotations

import json

from abnforge.cli.reports.sarif import OutcomeSarif
from tests.cli.reports.outcomes import (
    ALL,
    EVIL,
    run,
)


def test_sarif() -> None:
    log = json.loads(run(OutcomeSarif, *ALL))
    assert log["version"] == "2.1.0"
    [run_] = log["runs"]
    assert run_["columnKind"] == "unicodeCodePoints"
    rules = [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    results = run_["results"]
    assert [r["ruleId"] for r in results] == ["rejected", "not-utf-8", "line-too-long"]
    assert [rules[r["ruleIndex"]] for r in results] == [r["ruleId"] for r in results]
    physical = results[0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "dir/a%20b%3Ac%2Cd.txt"}
    assert physical["region"] == {"startLine": 2, "startColumn": 2, "endColumn": 4, "snippet": {"text": EVIL}}
    assert "{{0}}" in results[0]["message"]["text"]  # single braces would be placeholders
    [change] = results[0]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": ":"}
    assert "uri" not in results[1]["locations"][0]["physicalLocation"]["artifactLocation"]


def test_an_empty_sarif_log_is_one() -> None:
    assert json.loads(run(OutcomeSarif))["runs"][0]["results"] == []
