"""Sixty tasks of beginners: what the slip is stands in the first line that they read.

``tests/data/slips.toml`` has them; what each of its keys is stands there.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import abnforge
from abnforge.playground.loaded import shipped_text
from tests.cli.command import run
from tests.places import ROOT
from tests.playground.asking import ask

SLIPS = tomllib.loads((ROOT / "tests" / "data" / "slips.toml").read_text("utf-8"))["slip"]
GRAMMARS = [slip for slip in SLIPS if slip["kind"] == "grammar"]
STRINGS = [slip for slip in SLIPS if slip["kind"] == "string"]


def named(slips: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("slip", slips, ids=[slip["id"] for slip in slips])


def test_there_are_thirty_of_each() -> None:
    assert Counter(slip["kind"] for slip in SLIPS) == {"grammar": 30, "string": 30}
    assert len({slip["id"] for slip in SLIPS}) == len({slip["text"] for slip in SLIPS}) == 60


@named(SLIPS)
def test_each_says_what_the_slip_is(slip: dict[str, Any]) -> None:
    """In words: a code tells nothing to who does not know it yet."""
    assert slip["slip"]
    assert slip["says"]
    told = re.fullmatch(rf"(?P<words>.*) \[(?:ABNF\d+ )?{slip['code']}\](?: \(exact.*)?", slip["line"])
    assert told is not None
    assert all(said in told["words"] for said in slip["says"])


@named(GRAMMARS)
def test_grammar_lint(slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("grammar", "lint", "my.abnf")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"my.abnf:{slip['line']}"
    assert abnforge.lint(slip["text"])[0].name == slip["code"]


@named([slip for slip in GRAMMARS if ": error: " in slip["line"] and slip["code"] != "never-terminates"])
def test_a_grammar_that_does_not_load(
    slip: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it was wanted for."""
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_bytes(slip["text"].encode())
    result = run("check", "--grammar", "my.abnf", stdin="x\n")
    assert result.exit_code == 2
    said = slip["line"].replace("error: ", "", 1).rpartition(" [")[0]
    assert result.stderr.splitlines()[0] == f"my.abnf:{said}"


@named(STRINGS)
def test_check(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    result = run("check", "--null", "--grammar", grammar, "--rule", rule, stdin=slip["text"] + "\0")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"<stdin>:{slip['line']}"


@named(STRINGS)
def test_explain(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    lines = run("explain", "--grammar", grammar, "--rule", rule, slip["text"]).stdout.splitlines()
    words, bracket, code = lines[0].removeprefix("not valid: ").rpartition(" [")
    assert (bracket, code) == (" [", slip["code"] + "]")
    assert all(said in words for said in slip["says"])
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
    assert all(said in first["message"] for said in slip["says"])


@named(STRINGS)
def test_playground_of_a_string(slip: dict[str, Any]) -> None:
    grammar, _, rule = slip["rule"].partition(":")
    found = ask("string", text=shipped_text(grammar), rule=rule, string=slip["text"])["rejection"]
    assert found["code"] == slip["code"]
    assert all(said in found["message"] for said in slip["says"])
