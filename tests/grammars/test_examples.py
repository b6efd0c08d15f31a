"""The RFCs' own examples, in our grammar texts.

Verdicts come from another implementation's matcher.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.grammars.texts import matches
from tests.law import each_row, one_in
from tests.places import DATA

CASES = {
    name: tomllib.loads((DATA / f"examples_{name}.toml").read_text(encoding="utf-8"))["case"]
    for name in ("rfc2396", "rfc3986")
}
EXAMPLES = one_in(2, [(name, case) for name in CASES for case in CASES[name]])
assert len(EXAMPLES) > 200, "the tables of examples are empty or lost"

FIVE = ("scheme", "authority", "path", "query", "fragment")
# RFC 3986, appendix B; RFC 2396, appendix B.
SPLIT = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?")


@pytest.mark.parametrize("name", CASES)
def test_names_of_examples_are_unique(name: str) -> None:
    names = [case["name"] for case in CASES[name]]
    assert len(set(names)) == len(names)


@each_row(("name", "case"), EXAMPLES)
def test_example(name: str, case: dict[str, Any]) -> None:
    assert matches(name, case["rule"], case["text"]) is case["valid"]
    for key in ("target", "target_nonstrict"):
        if key in case:
            assert matches(name, "URI-reference", case[key])
    if "equivalent" in case:
        assert matches(name, case["rule"], case["equivalent"])


@each_row(
    ("name", "case"), [e for e in EXAMPLES if isinstance(e.values[1], dict) and "components" in e.values[1]]
)
def test_components_of_example(name: str, case: dict[str, Any]) -> None:
    stated = case["components"] | dict.fromkeys(case.get("undefined", ()))
    assert case["valid"]
    assert not case["components"].keys() & set(case.get("undefined", ()))
    split = SPLIT.match(case["text"])
    assert split
    for key, part in zip(FIVE, split.group(2, 4, 5, 7, 9), strict=True):
        assert stated.get(key, part) == part
    if isinstance(stated.get("authority"), str) and "host" in stated:
        userinfo, port = stated["userinfo"], stated["port"]
        assert stated["authority"] == (
            (f"{userinfo}@" if userinfo is not None else "")
            + stated["host"]
            + (f":{port}" if port is not None else "")
        )
    for rule in ("scheme", "authority", "userinfo", "host", "port", "query", "fragment"):
        if stated.get(rule) is not None:
            assert matches(name, rule, stated[rule])
