"""SARIF logs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.cli.common.inputs import StringRecord
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.output.ci import file_uri
from abnforge.cli.output.diagnostic import SNIPPET_COLUMNS
from abnforge.linting.finding import KINDS, Kind, Linted
from abnforge.text import escape
from tests.cli.output.outcomes import TEXT, WHOLE, rejected, written
from tests.law import each_row, law, one_in
from tests.reference import sarif

NAMES = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=8)


@law(NAMES, st.text(max_size=8), st.integers(0, 8), st.integers(0, 8), few=25, many=1_000)
def test_logs_about_any_string_follow_the_standard(source: str, text: str, start: int, end: int) -> None:
    [result] = sarif.read(written("outcome", "sarif", rejected(source, text, start, end)))
    message = result["message"]["text"].replace("{{", "{").replace("}}", "}")
    assert message.startswith(escape(f"wrong: {text}"))


@each_row(
    "name, uri",
    [
        ("a b", "a%20b"),
        ("a:b", "a%3Ab"),
        ("a\udc80", "a%80"),
        ("\ud800", "%ED%A0%80"),
        ("/\ud800", "file:///%ED%A0%80"),
    ],
)
def test_names_of_files_are_uri_references(name: str, uri: str) -> None:
    assert file_uri(name) == uri


@each_row("kind", one_in(4, KINDS.values()))
def test_logs_about_grammars_follow_the_standard(kind: Kind) -> None:
    findings = abnforge.lint(kind.bad)
    text = written("finding", "sarif", Linted(findings, True, kind.bad), Linted(findings, False, kind.bad))
    codes = [finding.code for finding in findings]
    results = sarif.read(text)
    assert [result["ruleId"] for result in results] == codes * 2
    edited = [bool(finding.edits) for finding in findings]
    assert ["fixes" in result for result in results] == edited + [False] * len(edited)


def test_a_whole_file() -> None:
    """The snippet is a part of the line. An edit that would change all line ends of a file is not a fix."""
    [result] = sarif.read(written("outcome", "sarif", WHOLE))
    region = {"startLine": 2, "startColumn": 6, "endColumn": 6, "snippet": {"text": "  tru,"}}
    assert result["locations"][0]["physicalLocation"]["region"] == region
    assert result["properties"]["newline"] == "crlf"
    assert "fixes" not in result
    kept = replace(WHOLE, record=StringRecord("f", 1, TEXT, whole=True))
    [result] = sarif.read(written("outcome", "sarif", kept))
    assert "newline" not in result["properties"]
    [fix] = result["fixes"]
    assert fix["description"] == {"text": "line 2:   true,"}
    [replacement] = fix["artifactChanges"][0]["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 2, "startColumn": 6, "endColumn": 6}


def test_a_long_line_of_a_whole_file_is_not_shown() -> None:
    for length, shown in ((SNIPPET_COLUMNS, True), (SNIPPET_COLUMNS + 1, False)):
        text = "a" * length
        outcome = replace(
            rejected("f", f"\n{text}\nb", 1, 1), record=StringRecord("f", 1, f"\n{text}\nb", whole=True)
        )
        [result] = sarif.read(written("outcome", "sarif", outcome))
        assert ("snippet" in result["locations"][0]["physicalLocation"]["region"]) is shown


# Mistakes in a port, and the description of their code in the log.
SHARED = [
    (
        ';@ of port; code odd; blame all; fix none; say "no {all}"; section 2\none = "x"\n',
        {
            "shortDescription": {"text": "no the string"},
            "fullDescription": {"text": "no the string (odd, section 2)"},
        },
    ),
    (
        ';@ of port; code odd-port; blame all; fix none; say "no x"\none = "x"\n'
        ';@ of port; code odd-port; blame all; fix none; say "no y"; section 3\ntwo = "y"\n'
        ';@ of port; code odd-port; blame all; fix none; say "no x"\nthree = "xx"\n',
        {"shortDescription": {"text": "odd port"}, "fullDescription": {"text": "no x; or no y"}},
    ),
]


@pytest.mark.parametrize(("mistakes", "expected"), SHARED)
def test_meaning_of_a_code(mistakes: str, expected: dict[str, dict[str, str]]) -> None:
    grammar = abnforge.loads("port = *DIGIT\n" + mistakes, name="odd")
    rejection = grammar["port"].explain("x")
    outcome = Outcome(StringRecord("f", 1, "x"), Target("odd", "port", lambda: grammar.codes), rejection)
    [rule] = json.loads(written("outcome", "sarif", outcome))["runs"][0]["tool"]["driver"]["rules"]
    assert rule == {"id": rejection.code if rejection else "", **expected}
