"""``abnforge generate``: strings match, are reproducible, and are separated unambiguously."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import abnforge
from tests.cli.command import Seen, fails
from tests.cli.command import run as command
from tests.law import each_row

run = partial(command, "generate")


def test_lines_are_valid() -> None:
    result = run("--rule", "authority", "-n", "50")
    lines = result.stdout.split("\n")
    assert len(lines) == 51
    assert all(map(abnforge.load("rfc3986")["authority"].matches, lines[:-1]))


def test_a_seed_gives_the_same_strings() -> None:
    first, second, other = (run("--seed", seed).stdout for seed in ("1", "1", "2"))
    assert first == second != other


def test_systematic() -> None:
    result = run("--grammar", "rfc3986", "--rule", "port", "--how", "alternatives")
    assert result.stdout == "\n0\n9\n"


def test_json_and_nul_keep_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "lines.abnf"
    path.write_text("lines = *( %x61 LF )\n")
    arguments = ("--grammar", str(path), "-n", "5", "--seed", "1")
    strings = json.loads(run(*arguments, "--format", "json").stdout)
    assert any("\n" in text for text in strings)
    null = run(*arguments, "--null")
    assert null.stdout == "".join(text + "\0" for text in strings)
    assert null.stderr == ""
    assert "--null or --format json" in run(*arguments).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rule", "hots"), "rule-name-unknown"),
        (("--count", "0"), "option-number"),
        (("--size", "-1"), "option-number"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], message: str) -> None:
    fails(run(*arguments), message)


def test_a_rule_without_strings(tmp_path: Path) -> None:
    path = tmp_path / "loop.abnf"
    path.write_text('loop = "x" loop\n')
    result = run("--grammar", str(path))
    assert result.exit_code == 2
    assert "loop" in result.stderr


@pytest.mark.parametrize("how", [["--seed", "1"], ["--how", "alternatives"]])
def test_the_budget_counts(how: list[str], tmp_path: Path) -> None:
    """The budget limits both the time before the first string and the time for each string."""
    path = tmp_path / "long.abnf"
    path.write_text("long = 500DIGIT\n")
    assert run("--grammar", str(path), *how, "--budget", "steps=2000").exit_code == 0
    few = run("--grammar", str(path), *how, "--budget", "steps=200")
    assert (few.stdout, few.exit_code) == ("", 2)
    fails(few, "limit-steps")
    none = run("--grammar", str(path), *how, "--budget", "steps=1")
    fails(none, "limit-steps")


def test_near_misses_and_suites() -> None:
    assert run("--kind", "near-misses", "--rule", "port").stdout == "a\n"
    suite = run("--kind", "suite", "--level", "quick", "--rule", "port")
    assert suite.stdout == "+ \n+ 1\n- a\n- a1\n- aa\n"
    assert run("--kind", "suite", "--rule", "port", "-n", "2").stdout.count("\n") >= 2
    array = json.loads(run("--kind", "suite", "--level", "quick", "--rule", "port", "-f", "json").stdout)
    assert array[2] == {"text": "a", "valid": False}
    [vector] = map(
        json.loads, run("--kind", "near-misses", "--rule", "port", "-f", "jsonl").stdout.splitlines()
    )
    assert (vector["text"], vector["rule"], vector["code"]) == ("a", "rfc3986:port", "port-not-digits")


def test_how_they_are_chosen(tmp_path: Path, seen: Seen) -> None:
    assert run("--rule", "scheme", "--how", "transitions").stdout.split() == ["a", "a1", "aa"]


@each_row(
    ("arguments", "message"),
    [
        (("--how", "pairs", "--grammar", "rfc8259"), "regular-required"),
        (("--kind", "suite", "--grammar", "rfc8259", "--extra-states", "1"), "suite-not-regular"),
    ],
)
def test_choices_that_make_no_sense(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    fails(result, message)
