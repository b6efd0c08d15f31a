"""jsonschema: the formats of JSON-Schema-Test-Suite, and strings that jsonschema accepts by default."""

from __future__ import annotations

import json
from typing import Any

import pytest

import abnforge
from tests.places import ROOT

jsonschema = pytest.importorskip("jsonschema")

from abnforge.integrations.jsonschema import format_checker  # noqa: E402
from abnforge.integrations.rules import FORMATS  # noqa: E402
from tests.law import one_in  # noqa: E402

CASES = ROOT.parent / "shared" / "cases" / "json_schema_test_suite.json"


def problems(name: str, value: object, **options: Any) -> list[Any]:
    checker = format_checker(**options)
    return list(jsonschema.Draft202012Validator({"format": name}, format_checker=checker).iter_errors(value))


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    one_in(
        2,
        [
            ("uri", "http://a/", True),
            ("uri", "//a/", False),
            ("uri", "http://a\n", False),  # formats from jsonschema's extras accept these
            ("uri", "http://a/é", False),
            ("uri-reference", "//a/b c", False),
            ("uri-reference", "", True),
            ("iri", "http://é/", True),
            ("iri", "/é", False),
            ("iri-reference", "/é", True),
            ("iri-reference", "\\", False),
            ("ipv4", "1.2.3", False),  # jsonschema's own formats still work
        ],
    ),
)
def test_formats(name: str, text: str, valid: bool) -> None:
    assert (problems(name, text) == []) is valid


@pytest.mark.parametrize("value", [3, None, [], {}, 1.5, True])
def test_a_format_is_about_strings_alone(value: object) -> None:
    assert problems("uri", value) == []


def test_the_cause_is_the_rejection() -> None:
    (error,) = problems("uri", "http://h:80x/")
    assert isinstance(error.cause, abnforge.Rejected)
    assert error.cause.rejection.code == "port-not-digits"
    assert "'http://h:80x/'" in error.message


def test_formats_of_other_grammars() -> None:
    color = abnforge.loads('color = "#" 6HEXDIG\n')["color"]
    formats = {"color": color, "uri": "rfc3986:absolute-URI"}
    assert problems("color", "#12345G", formats=formats)
    assert problems("color", "#123456", formats=formats) == []
    assert problems("uri", "a:#b", formats=formats)
    assert "color" not in format_checker().checkers
    assert "uri" not in jsonschema.FormatChecker.checkers or problems("uri", "http://a\n")


def test_every_format_has_a_rule() -> None:
    for name, rule in FORMATS.items():
        assert abnforge.rule(rule).name, name


@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases are not here")
def test_the_test_suite() -> None:
    names = {"URI": "uri", "URI-reference": "uri-reference", "IRI": "iri", "IRI-reference": "iri-reference"}
    cases = json.loads(CASES.read_text("utf-8"))
    checker = format_checker()
    wrong = [
        case["input"]
        for case in cases
        if case["rule"] in names
        and not case.get("doubtful")
        and checker.conforms(case["input"], names[case["rule"]]) is not case["valid"]
    ]
    assert wrong == []
    assert len(cases) > 100
