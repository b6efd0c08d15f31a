"""Component cases from the tests of other projects. Skipped if the case files are missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abnforge import uri
from tests.places import SHARED

CASES = SHARED / "cases"
FILES = ("fluent_uri.json", "iri_string.json", "components_uritools.json")

# The names of fluent-uri for the rules of a host.
HOST_KINDS = {"Ipv4": "IPv4address", "Ipv6": "IPv6address", "IpvFuture": "IPvFuture", "RegName": "reg-name"}

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no shared cases beside the project")


def cases() -> list[Any]:
    results = [
        (case["rule"], case["input"], case["components"])
        for name in FILES
        if CASES.is_dir()
        for case in json.loads((CASES / name).read_text(encoding="utf-8"))
        if case.get("components") and case["spec"] == "rfc3986"
    ]
    assert results or not CASES.is_dir(), "no component cases found"
    return results


@pytest.mark.parametrize(("rule", "text", "components"), cases())
def test_components(rule: str, text: str, components: dict[str, str | None]) -> None:
    if rule == "appendix-B-split":
        rule = "URI-reference"
        if not uri.is_valid(text, rule):
            pytest.skip("the splitter of appendix B takes texts that no rule derives")
    u = uri.parse(text, rule)
    expected = {**components}
    if "host_kind" in expected:
        expected["host_kind"] = HOST_KINDS[str(expected["host_kind"])]
    assert {name: getattr(u, name) for name in expected} == expected
