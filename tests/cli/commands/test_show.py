"""``abnforge show`` prints one rule with its facts, or all rules as ABNF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Seen, run

STATUSES = [
    (["show", "no-such-rule"], None, 2),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_grammar_show() -> None:
    text = run("show", "HOST").stdout
    assert text.splitlines()[0].split() == ["host", "=", "IP-literal", "/", "IPv4address", "/", "reg-name"]
    assert "uses     IP-literal, IPv4address, reg-name\n" in text
    assert "used by  authority\n" in text
    [facts] = json.loads(run("show", "--format", "json", "host").stdout)
    assert facts["used_by"] == ["authority"]


def test_grammar_show_whole_file_reads_back(grammar: str, tmp_path: Path) -> None:
    shown = run("show", "--grammar", grammar).stdout
    again = tmp_path / "again.abnf"
    again.write_text(shown)
    assert run("show", "--grammar", str(again)).stdout == shown


def test_words(seen: Seen) -> None:
    seen(run("show", "port", "--format", "words").stdout)


def test_automaton(seen: Seen) -> None:
    assert "Automaton of dec-octet" in run("show", "dec-octet", "--format", "svg").stdout
    assert run("show", "--format", "svg").exit_code == 2
    assert run("show", "URI", "--format", "svg").exit_code == 2
    recursive = run("show", "--grammar", "rfc8259", "value", "--format", "svg")
    assert (recursive.exit_code, recursive.code) == (2, "automaton-unavailable")


def test_constructions_of_a_string() -> None:
    data = json.loads(run("show", "dec-octet", "--format", "constructions", "--string", "255").stdout)
    assert (data["cyk"]["matches"], data["derivatives"][-1]["terms"]) == (True, ['""'])
    assert "cyk" not in json.loads(run("show", "dec-octet", "--format", "constructions").stdout)
    assert run("show", "dec-octet", "--format", "cyk").code == "option-requires"
    for string in ("255", ""):
        assert run("show", "dec-octet", "--string", string).code == "option-requires"
    empty = json.loads(run("show", "port", "--format", "constructions", "--string", "").stdout)
    assert (empty["cyk"]["matches"], len(empty["derivatives"])) == (True, 1)
    assert run("show", "dec-octet", "--format", "cyk", "--string", "1" * 41).code == "construction-text-long"
