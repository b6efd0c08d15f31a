"""``abnforge railroad`` writes a diagram, a page or a path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.command import answers, fails, run

pytest.importorskip("railroad")
VERB = ("railroad",)

STATUSES = [
    (["--rule", "port"], 0, "Railroad diagram of port", ""),
    ([], 0, "Railroad diagram of URI<", ""),
    (["--rule", "port", "x"], 1, "", 'not valid: "x"'),
    (["--rule", "none"], 2, "", "rule-name-unknown"),
    (["--format", "html", "--depth", "2"], 2, "", "option-requires"),
    (["--rule", "URI & absolute-URI"], 2, "", "railroad-rule-combined"),
    (["--rule", "port", "--format", "html"], 0, "<h1>port of rfc3986</h1>", ""),
]


@pytest.mark.parametrize(("arguments", "status", "output", "complaint"), STATUSES)
def test_answers(arguments: list[str], status: int, output: str, complaint: str) -> None:
    answers([*VERB, *arguments], status, output, complaint)


def test_a_page_has_all_rules_or_those_that_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_text('a = "x" b\nb = DIGIT\nc = ALPHA\n')
    page = run(*VERB, "--grammar", str(path), "--format", "html").stdout
    assert [f'id="rule-{key}"' in page for key in ("a", "b", "c", "digit", "alpha", "hexdig")] == [
        *[True] * 5,
        False,
    ]
    page = run(*VERB, "--grammar", str(path), "--rule", "a", "--format", "html").stdout
    assert 'id="rule-c"' not in page


def test_into_a_file(tmp_path: Path) -> None:
    path = tmp_path / "port.svg"
    assert run(*VERB, "--rule", "port", "80", "-o", str(path)).stdout == ""
    assert "rule used" in path.read_text("utf-8")
    assert run(*VERB, "--rule", "port", "-o", str(tmp_path / "no" / "where")).exit_code == 2


def test_a_rule_whose_parts_cannot_be_reported(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_text('a = a / "x"\n')
    result = run(*VERB, "--grammar", str(path), "x")
    assert result.exit_code == 2
    fails(result, "coverage-cyclic")
    assert run(*VERB, "--grammar", str(path)).exit_code == 0


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "railroad", None)
    answers([*VERB], 2, "", "railroad-missing")


def test_a_grammar_for_a_string(tmp_path: Path) -> None:
    path = tmp_path / "own.abnf"
    path.write_text("start = %x61\n", "utf-8")
    answers(["railroad", str(path)], 2, "", "file-as-string-drawn")
