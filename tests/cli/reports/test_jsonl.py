"""JSON, one object a line."""

from __future__ import annotations

import json

from abnforge.cli.reports.jsonl import JsonLines
from tests.cli.reports.outcomes import (
    ALL,
    REJECTED,
    REJECTION,
    VALID,
    run,
)


def test_json_lines_tell_the_kinds_apart() -> None:
    text = run(JsonLines, *ALL)
    assert text.isascii()
    valid, rejected, undecodable, too_long = map(json.loads, text.splitlines())
    assert valid == {
        "source": VALID.record.source,
        "line": 1,
        "valid": True,
        "grammar": "rfc3986",
        "rule": "URI",
        "input": "a:é",
    }
    place = {"source": REJECTED.record.source, "line": 2, "valid": False}
    assert rejected == place | REJECTION.to_dict()
    assert rejected["position"] == {"line": 1, "column": 2}  # of a string of several lines
    always = set(rejected) - {"position"}
    assert set(undecodable) == always | {"error", "offset_unit"} == set(too_long)
    assert (undecodable["valid"], undecodable["error"], undecodable["input"]) == (False, "not-utf-8", None)
    assert (undecodable["offset"], undecodable["offset_unit"]) == (2, "bytes")
    assert (too_long["valid"], too_long["error"], too_long["offset"]) == (False, "line-too-long", 9)
