"""``compare --between``: what changes for each of many strings from one RFC to the other."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from abnforge.cli.app import cli
from abnforge.uri import rfc2396
from tests.reference.examples import BASE


def run(*arguments: str, stdin: str | None = None) -> Result:
    command = ["compare", "--between", "rfc2396", "rfc3986", *arguments]
    result = CliRunner().invoke(cli, command, input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_command_line() -> None:
    reasons = [rfc2396.explain(text, "URI-reference") for text in ("?y", "http://[::1]/")]
    assert all(reasons)
    first, second = (reason.message for reason in reasons if reason)
    result = run("--base", BASE, "?y", "http://[::1]/", "a")
    assert result.stdout == (
        "<argument>:1: ?y\n"
        "  valid      no  ->  yes\n"
        f"             RFC 2396: {first}\n"
        "  target     http://a/b/c/?y  ->  http://a/b/c/d;p?y\n"
        "<argument>:2: http://[::1]/\n"
        "  valid      no  ->  yes\n"
        f"             RFC 2396: {second}\n"
        "  target     undefined  ->  http://[::1]/\n"
    )
    assert result.stderr == "3 strings, 2 changed between RFC 2396 and RFC 3986\n"
    assert result.exit_code == 1


def test_command_line_reads_files(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.write_bytes(b"mailto:a?b\n\xff\nfile:///\n")
    result = run("--file", str(links), "--format", "json")
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["changes"] == [
        {"aspect": "path", "old": "a?b", "new": "a"},
        {"aspect": "query", "old": None, "new": "b"},
    ]
    assert "links:2: byte 0xFF" in result.stderr
    assert result.exit_code == 1
    assert run("--file", str(links), "a").exit_code == 2
    assert run("--file", "no-such-file").exit_code == 2
    assert run(stdin="a\nfile:///\n").exit_code == 0


def test_command_line_shows_no_password() -> None:
    result = run("--base", BASE, "http://u:secret@a_b/", "//u:sec|ret@a_b/", "//u:secret@[::1]/")
    assert "a_b" in result.stdout
    assert "u:***@[::1]" in result.stdout
    assert "sec" not in result.output


def test_the_ladder_takes_two() -> None:
    result = CliRunner().invoke(cli, ["compare", "a"])
    assert result.exit_code == 2
    assert "Give two URIs to compare" in result.stderr
