"""``abnforge coverage``: inputs, formats, exit statuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import Seen, fails
from tests.cli.command import run as command

run = partial(command, "coverage")

STATUSES = [
    (["--rule", "port"], 0),
    (["--rule", "port", "--fail-under", "50"], 0),
    (["--rule", "URI", "--fail-under", "1"], 1),
    (["--rule", "port", "no/such/file"], 2),
    (["--rule", "prot"], 2),
    (["--rule", "port & host"], 2),
    (["--fail-under", "101"], 2),
    (["--format", "xml"], 2),
    (["--null", "--whole-file"], 2),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES)
def test_statuses(arguments: list[str], status: int) -> None:
    assert run(*arguments, stdin="80\n\n8\n").exit_code == status


def test_text_and_summary(seen: Seen) -> None:
    result = run("--rule", "port", stdin="80\n443\nx\n")
    seen(result.stderr)
    seen(result.stdout)
    seen(result.stdout)
    assert run("--rule", "port", "-q", stdin="80\n").stderr == ""


def test_inputs(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"80\n\n")
    second.write_bytes(b"4\xff\n1")
    files = [str(first), str(second)]
    result = partial(run, "--rule", "port", "-f", "json", "-q")
    assert json.loads(result(*files).stdout)["texts"] == 3
    assert json.loads(result("--skip-empty", *files).stdout)["texts"] == 2
    whole = run("--rule", "port", "--whole-file", *files)
    assert "2 strings, 1 rejected, 1 unreadable" in whole.stderr
    assert json.loads(result("--null", stdin="80\0" + "8\0").stdout)["parts"][3]["count"] == 1


@pytest.mark.parametrize("report_format", ["text", "json", "html"])
def test_a_file_instead_of_standard_output(report_format: str, tmp_path: Path) -> None:
    if report_format == "html":
        pytest.importorskip("jinja2")
    target = tmp_path / "told"
    options = ["--rule", "port", "-q", "-f", report_format]
    assert run(*options, "-o", str(target), stdin="80\n").output == ""
    assert target.read_text("utf-8") == run(*options, stdin="80\n").stdout
    assert run(*options, "-o", "-", stdin="80\n").stdout == target.read_text("utf-8")
    assert run(*options, "-o", str(tmp_path), stdin="80\n").exit_code == 2


def test_infinitely_ambiguous_rules_are_rejected(tmp_path: Path) -> None:
    grammar = tmp_path / "own.abnf"
    grammar.write_text('a = a / "x"\n', "utf-8")
    result = run("-g", str(grammar), stdin="x\n")
    assert result.exit_code == 2
    fails(result, "coverage-cyclic")


def test_strings_that_exceed_the_budget(tmp_path: Path) -> None:
    grammar = tmp_path / "own.abnf"
    grammar.write_text('a = "a" *a "b" / a a / "c"\n', "utf-8")
    result = run("-g", str(grammar), "--budget", "steps=3k", stdin="acb" * 1000 + "\nc\n")
    assert result.exit_code == 2
    assert "1 not decided" in result.stderr


def test_a_grammar_for_texts(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "own.abnf"
    path.write_text("start = %x61\n", "utf-8")
    seen(command("coverage", str(path)).stderr)
    assert "looks like" not in command("coverage", "--grammar", str(path), str(path)).stderr
