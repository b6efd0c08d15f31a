"""Sixty beginner mistakes: the first line of the output names the mistake.

``tests/data/slips.toml`` contains the mistakes and explains each key.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.teaching.playground.loaded import shipped_text
from tests.cli.command import run
from tests.law import each_row
from tests.places import ROOT
from tests.teaching.playground.calls import ask

SLIPS = tomllib.loads((ROOT / "tests" / "data" / "slips.toml").read_text("utf-8"))["slip"]
GRAMMARS = [slip for slip in SLIPS if slip["kind"] == "grammar"]
NOT_LOADED = {
    "syntax-error",
    "undefined-rule",
    "duplicate-rule",
    "incremental-without-base",
    "empty-range",
}
STRINGS = [slip for slip in SLIPS if slip["kind"] == "string"]


def named(slips: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("slip", slips, ids=[slip["id"] for slip in slips])


def test_there_are_thirty_of_each() -> None:
    assert Counter(slip["kind"] for slip in SLIPS) == {"grammar": 30, "string": 30}
    assert len({slip["id"] for slip in SLIPS}) == len({slip["text"] for slip in SLIPS}) == 60


@named(GRAMMARS)
def test_grammar_lint(
    slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("lint", "my.abnf")
    assert result.exit_code == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith(f"my.abnf:{slip['place']}: ")
    assert first.endswith(f" {slip['code']}]")
    assert first == snapshot
    assert abnforge.lint(slip["text"])[0].name == slip["code"]


@each_row("slip", [slip for slip in GRAMMARS if slip["code"] in NOT_LOADED])
def test_a_grammar_that_does_not_load(
    slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that use the grammar report its first lint finding as an error."""
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("check", "--grammar", "my.abnf", stdin="x\n")
    assert result.exit_code == 2
    finding = abnforge.lint(slip["text"])[0]
    assert f"my.abnf:{slip['place']}: {finding.message}" in result.stderr.splitlines()[0]


@named(STRINGS)
def test_check(slip: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    result = run("check", "--null", "--grammar", grammar, "--rule", rule, stdin=slip["text"] + "\0")
    assert result.exit_code == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith(f"<stdin>:{slip['place']}: ")
    assert f" [{slip['code']}]" in first
    assert first == snapshot


@each_row("slip", STRINGS)
def test_explain(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    lines = run("explain", "--grammar", grammar, "--rule", rule, slip["text"]).stdout.splitlines()
    rejection = abnforge.rule(slip["rule"]).explain(slip["text"])
    assert rejection is not None
    assert lines[0].endswith(f"{rejection.message} [{slip['code']}]")
    assert any(line.startswith(f"  rule          {rule} (") for line in lines)


@each_row("slip", STRINGS)
def test_in_python(slip: dict[str, Any]) -> None:
    rule = abnforge.rule(slip["rule"])
    rejection = rule.explain(slip["text"])
    assert rejection is not None
    assert rejection.code == slip["code"]
    assert rejection.code in rule.grammar.codes  # type: ignore[attr-defined]


@each_row("slip", GRAMMARS)
def test_playground_of_a_grammar(slip: dict[str, Any]) -> None:
    first = ask("grammar", text=slip["text"])["findings"][0]
    assert (first["name"], first["message"]) == (slip["code"], abnforge.lint(slip["text"])[0].message)


@each_row("slip", STRINGS)
def test_playground_of_a_string(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    result = ask("string", text=shipped_text(grammar), rule=rule, string=slip["text"])["rejection"]
    rejection = abnforge.rule(slip["rule"]).explain(slip["text"])
    assert rejection is not None
    assert (result["code"], result["message"]) == (slip["code"], rejection.message)
