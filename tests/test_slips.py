"""Sixty mistakes of beginners: the first line that they read has the code and the place of the mistake.

``tests/data/slips.toml`` has the mistakes, and explains its keys. The snapshot has the lines, by which a
person judges the messages.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.linting.registry import KINDS
from abnforge.playground.loaded import shipped_text
from tests.cli.command import run
from tests.places import ROOT
from tests.playground.asking import ask

SLIPS = tomllib.loads((ROOT / "tests" / "data" / "slips.toml").read_text("utf-8"))["slip"]
GRAMMARS = [slip for slip in SLIPS if slip["kind"] == "grammar"]
NO_STRING = "never-terminates"  # such a grammar loads
STRINGS = [slip for slip in SLIPS if slip["kind"] == "string"]


def named(slips: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("slip", slips, ids=[slip["id"] for slip in slips])


def test_there_are_thirty_of_each() -> None:
    assert Counter(slip["kind"] for slip in SLIPS) == {"grammar": 30, "string": 30}
    assert len({slip["id"] for slip in SLIPS}) == len({slip["text"] for slip in SLIPS}) == 60


@named(GRAMMARS)
def test_grammar_lint(slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("grammar", "lint", "my.abnf")
    assert result.exit_code == 1
    first = abnforge.lint(slip["text"])[0]
    assert (first.name, f"{first.line}:{first.column}") == (slip["code"], slip["at"])
    line = f"my.abnf:{slip['at']}: {first.severity}: {first.message} [{first.code} {first.name}]"
    assert result.stdout.splitlines()[0] == line


@named([slip for slip in GRAMMARS if KINDS[slip["code"]].severity == "error" and slip["code"] != NO_STRING])
def test_a_grammar_that_does_not_load(
    slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the grammar is used for."""
    first = abnforge.lint(slip["text"])[0]
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("check", "--grammar", "my.abnf", stdin="x\n")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0] == f"my.abnf:{slip['at']}: {first.message}"


@named(STRINGS)
def test_check(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    result = run("check", "--null", "--grammar", grammar, "--rule", rule, stdin=slip["text"] + "\0")
    assert result.exit_code == 1
    rejection = abnforge.rule(slip["rule"]).explain(slip["text"])
    assert rejection is not None
    assert (rejection.code, rejection.offset) == (slip["code"], slip["offset"])
    line = f"<stdin>:{slip['at']}: {rejection.message} [{slip['code']}] (exact offset {slip['offset']})"
    assert result.stdout.splitlines()[0] == line


@named(STRINGS)
def test_explain(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    lines = run("explain", "--grammar", grammar, "--rule", rule, slip["text"]).stdout.splitlines()
    assert lines[0].endswith(f" [{slip['code']}]")
    assert any(line.startswith(f"  rule          {rule} (") for line in lines)


@named(STRINGS)
def test_in_python(slip: dict[str, Any]) -> None:
    rule = abnforge.rule(slip["rule"])
    rejection = rule.explain(slip["text"])
    assert rejection is not None
    assert rejection.code == slip["code"]
    assert rejection.code in rule.grammar.codes  # type: ignore[attr-defined]


@named(GRAMMARS)
def test_playground_of_a_grammar(slip: dict[str, Any]) -> None:
    first = ask("grammar", text=slip["text"])["findings"][0]
    assert first["name"] == slip["code"]
    assert first["message"] == abnforge.lint(slip["text"])[0].message


@named(STRINGS)
def test_playground_of_a_string(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    found = ask("string", text=shipped_text(grammar), rule=rule, string=slip["text"])["rejection"]
    rejection = abnforge.rule(slip["rule"]).explain(slip["text"])
    assert rejection is not None
    assert (found["code"], found["message"]) == (slip["code"], rejection.message)


def test_first_lines(snapshot: SnapshotAssertion) -> None:
    """What a person reads first of each mistake."""
    lines = {slip["id"]: f"{slip['slip']}: {abnforge.lint(slip['text'])[0].message}" for slip in GRAMMARS}
    for slip in STRINGS:
        rejection = abnforge.rule(slip["rule"]).explain(slip["text"])
        assert rejection is not None
        lines[slip["id"]] = f"{slip['slip']}: {rejection.message}"
    assert lines == snapshot
