"""Diagnostics of every kind, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.common.grammar_results import (
    FAILED,
    LISTED,
    MISSING,
    PASSED,
    UNDECIDED,
    ConformanceResult,
    MatrixResult,
)
from abnforge.cli.common.output import Style
from abnforge.cli.output import diagnostic
from abnforge.cli.output.diagnostic import SOURCES
from abnforge.cli.output.formats import FORMATS
from abnforge.comparison.grammars import compatibility, differences
from abnforge.conformance import Deviation, run
from abnforge.conformance.matrix import run_all
from abnforge.conformance.running import Known, Triage
from abnforge.linting.finding import Linted
from tests.cli.output.outcomes import ALL, NOT_DECIDED, SEVERAL_LINES, WHOLE, example, written
from tests.reference import junit, sarif, workflow_commands

LINT = """\
a = *( *DIGIT )
b = c / ( a / "v" / %s"u" ) ; abnforge: allow ambiguous (an <entry>, {really})
c = 1*2DIGIT / 2*DIGIT ; %x41-5A
d = %x41-40 ; 100%
"""
OLD = abnforge.loads('a = "x" / "|"\nb = <words>\nc = "z"\nd = "e"\ngone = "g"\n', name="old")
NEW = abnforge.loads('c = "z" / "%"\na = "x"\n  / "y"\nb = "b"\nd = "e"\n', name="new")
PORT = abnforge.loads("port = 1*3DIGIT\n", name="own")["port"]


def conformed(*known: tuple[str, str]) -> ConformanceResult:
    """Return the report on an implementation, some of whose deviations are known."""
    report = run(PORT, lambda text: text in ("", "1", "1\x1b"))
    reasons = dict(known)
    deviations = report.deviations
    new = tuple(each for each in deviations if each.text not in reasons)
    accepted = tuple((each, reasons[each.text]) for each in deviations if each.text in reasons)
    return ConformanceResult(report, Triage(new, accepted, (Known("g\x1bone", True, "old"),)), "judge:<is>")


VALUES: dict[str, list[Any]] = {
    "outcome": [*ALL, SEVERAL_LINES, NOT_DECIDED, WHOLE],
    "finding": [
        Linted(abnforge.lint(LINT), True, LINT),
        Linted(abnforge.lint(LINT.replace("%x41-40", "a_b"), ["b"]), True, LINT.replace("%x41-40", "a_b")),
        Linted(abnforge.lint(LINT.replace("%x41-40", "a")), False),
    ],
    "example": [
        *map(example, (PASSED, FAILED, LISTED, UNDECIDED)),
        example(MISSING, None, None),
        example(MISSING, None, None, line=0),
    ],
    "conformed": [conformed(("", "so {it} <is>"))],
    "matrix": [MatrixResult(run_all(PORT, {"one": str.isdigit}, "quick"), [conformed()])],
    "difference": [differences(OLD, NEW)],
    "compatibility": [compatibility(OLD, NEW)],
}
EMITTERS = ("text", "json", "jsonl", "github", "sarif", "junit")
ROWS = [(kind, name) for kind in VALUES for name in EMITTERS if name in FORMATS[kind]]


def test_every_source_of_diagnostics_has_values() -> None:
    assert VALUES.keys() == SOURCES.keys()


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_diagnostics(kind: str, name: str, snapshot: SnapshotAssertion) -> None:
    output = written(kind, name, *VALUES[kind])
    assert output == snapshot
    match name:
        case "sarif":
            assert sarif.read(output)
        case "junit":
            assert junit.read(output)
        case "github":
            assert workflow_commands.read(output)
        case "json" | "jsonl":
            assert (
                [json.loads(line) for line in output.splitlines()] if name == "jsonl" else json.loads(output)
            )


def test_a_finding_reports_both_derivations() -> None:
    [result] = abnforge.lint("a = b / c\nb = 1*2DIGIT\nc = 2*DIGIT\n", ["a"])
    rows = [line for line in diagnostic.finding(result).lines() if line.startswith(("  either", "  or"))]
    assert [line[11:] for line in rows] == list(result.derivations)


@pytest.mark.parametrize(
    ("grammar", "severity", "color"),
    [
        ("a = ( \n", "error", "\x1b[31m"),
        ("a = *( *DIGIT )\n", "warning", "\x1b[33m"),
        ('a = %s"u" / "b"\n', "info", "\x1b[2m"),
        ("a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n", "accepted", "\x1b[2m"),
    ],
)
def test_a_severity_has_its_color(grammar: str, severity: str, color: str) -> None:
    """Without colors, errors would be hard to find among warnings."""
    result = next(iter(abnforge.lint(grammar)))
    drawing = "\n".join(diagnostic.finding(result).lines(Style(color=True)))
    assert f"{severity}\x1b[0m: " in drawing
    assert color in drawing
    assert ("\x1b[31m" in drawing) is (severity == "error")


def test_an_example_without_a_place() -> None:
    [result] = diagnostic.examples(example(MISSING, line=0))
    assert result.where == "a\\x1b.abnf"
    assert len(list(result.lines())) == 2


def test_deviations_have_the_code_of_the_rejection() -> None:
    uri = abnforge.load("rfc3986")["URI"]
    wrong = diagnostic.deviation(Deviation(uri, "http://h:80x\x1b", False, 1_234, 11, "so\n"))
    assert wrong.code == "unreadable-authority"
    lines = list(wrong.lines())
    assert lines[0].startswith("accepted (and 1,233 more): ")
    assert (lines[1], lines[4]) == ("    http://h:80x\\x1b", "  error    so\\n")
    assert diagnostic.deviation(Deviation(uri, "a:", True, 1, 2)).code == "rejected"


def test_rules_that_differ_have_their_place_in_the_new_grammar(tmp_path: Path) -> None:
    for grammar in (OLD, NEW):
        (tmp_path / f"{grammar.name}.abnf").write_text(grammar.source.text, "utf-8")
    old, new = (abnforge.load(str(tmp_path / f"{name}.abnf")) for name in ("old", "new"))
    results = list(diagnostic.changes(compatibility(old, new)))
    assert {each.path for each in results} == {str(tmp_path / "new.abnf")}
    assert [(each.title, each.place and each.place.line) for each in results] == [
        ("broken: a", 2),
        ("broken: gone", None),
        ("not-shown: b", 4),
        ("compatible: c", 1),
    ]
