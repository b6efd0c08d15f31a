"""``grammar export``: what goes where, all components, refusals."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from abnforge.backends.regex.dialects import DIALECTS
from tests.cli.command import run as command

run = partial(command, "grammar", "export")


def test_the_pattern_alone_goes_to_standard_output() -> None:
    result = run("--rule", "scheme", "--to", "rust")
    assert result.stdout == r"\A(?:[A-Za-z][+\-.0-9A-Za-z]*)\z" + "\n"
    assert "Regex::new" in result.stderr
    assert run("--rule", "scheme", "--to", "rust", "--quiet").stderr == ""
    assert run("--rule", "scheme", "--to", "rust", "--no-anchors").stdout == "[A-Za-z][+\\-.0-9A-Za-z]*\n"


COMPONENTS = [
    ("rfc3986", "URI", {"scheme", "authority", "userinfo", "host", "port", "query", "fragment"}),
    ("rfc2396", "absoluteURI", {"scheme", "authority", "userinfo", "host", "port", "query", "abs_path"}),
    ("rfc3987", "IRI", {"scheme", "iauthority", "iuserinfo", "ihost", "port", "iquery", "ifragment"}),
]


@pytest.mark.parametrize(("grammar", "rule", "names"), COMPONENTS)
def test_all_components(grammar: str, rule: str, names: set[str]) -> None:
    pattern = run("-g", grammar, "-r", rule, "--to", "re2", "--groups", "all-components").stdout
    assert names <= set(re.findall(r"\(\?P<(\w+)>", pattern))


FAILURES = [
    (["--to", "perl"], "no dialect 'perl'; there are python, re2, rust"),
    (["--to", "re2", "--rule", "hots"], "no rule 'hots' in grammar rfc3986; did you mean host?"),
    (["--to", "re2", "--groups", "host,prot"], "no rule 'prot'"),
    (["--to", "sql", "--groups", "host"], "sql has no named groups"),
    (
        ["--to", "re2", "--rule", "pchar", "--groups", "all-components"],
        "pchar uses no rule that is a component",
    ),
    (["--to", "re2", "--grammar", "rfc5234"], "rulelist is recursive in a way that no regular expression"),
    ([], "--to"),
]


@pytest.mark.parametrize(("arguments", "message"), FAILURES)
def test_failures(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_help_lists_the_dialects() -> None:
    text = run("--help").stdout
    assert all(f"\n  {' ' * 2}{name} " in text for name in DIALECTS)


def test_a_limit_is_told_by_its_setting(tmp_path: Path) -> None:
    """It was no automaton that was asked for, and a share of the budget is called one."""
    path = tmp_path / "large.abnf"
    path.write_text('s = *( "a" / "b" ) "a" 20( "a" / "b" )\n')
    message = run("--grammar", str(path), "--to", "java").stderr
    assert "no pattern of s for java: whether one is right is not decided: the automaton of s" in message
    assert "180 000 steps (15% of budget.steps; budget=, or --budget 10x, allows more)" in message
