"""The examples of the RFCs, from the tables in tests/data."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.places import DATA

# The base of the examples in section 5.4 of RFC 3986 and in appendix C of RFC 2396.
BASE = "http://a/b/c/d;p?q"


def cases(grammar: str) -> list[dict[str, Any]]:
    """Return the rows of the table for an RFC."""
    table: list[dict[str, Any]] = tomllib.loads((DATA / f"examples_{grammar}.toml").read_text("utf-8"))[
        "case"
    ]
    return table


def examples(grammar: str, key: str) -> list[Any]:
    """Return parameters: the input and the value of ``key``, for every row that has the key."""
    results = [
        pytest.param(case["text"], case[key], id=case["name"]) for case in cases(grammar) if key in case
    ]
    assert results
    return results
