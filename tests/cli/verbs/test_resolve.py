"""The verbs that make or compare URIs: results, refusals, exit statuses."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from abnforge import uri
from abnforge.cli.app import cli
from abnforge.cli.verbs.compare import LEVELS
from abnforge.cli.verbs.normalize import STEPS
from abnforge.uri.rfc3986.equivalence import LEVELS as ALL_LEVELS


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, arguments, input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


BASE = "http://a/b/c/d;p?q"

OUTPUTS = [
    (["resolve", BASE, "../g", "?y", "#s"], None, "http://a/b/g\nhttp://a/b/c/d;p?y\nhttp://a/b/c/d;p?q#s\n"),
    (["resolve", BASE], "g\n\n", "http://a/b/c/g\nhttp://a/b/c/d;p?q\n"),
    (["resolve", BASE, "-"], "g\r\n", "http://a/b/c/g\n"),
    (["resolve", "--grammar", "rfc2396", BASE, "../../../g", "?y"], None, "http://a/../g\nhttp://a/b/c/?y\n"),
    (["resolve", "--non-strict", BASE, "http:g"], None, "http://a/b/c/g\n"),
    (["resolve", "a:/b", "..//c"], None, "a:/.//c\n"),
    (["resolve", "--on-ambiguous", "literal", "a:/b", "..//c"], None, "a://c\n"),
    (["normalize", "HTTP://a:80/%7e/..", "%3a"], None, "http://a:80/\n%3A\n"),
    (["normalize", "--scheme", "HTTP://a:80"], None, "http://a/\n"),
    (["normalize", "--step", "case", "HTTP://a/%7e"], None, "http://a/%7E\n"),
    (["normalize"], "A:b\n", "a:b\n"),
]


@pytest.mark.parametrize(("arguments", "stdin", "output"), OUTPUTS)
def test_results(arguments: list[str], stdin: str | None, output: str) -> None:
    result = run(*arguments, stdin=stdin)
    assert (result.stdout, result.stderr, result.exit_code) == (output, "", 0)


STATUSES = [
    (["resolve", BASE, "a b", "g"], 1, "http://a/b/c/g\n", "<argument>:1: not valid"),
    (["resolve", "--on-ambiguous", "error", "a:/b", "..//c"], 1, "", "read as one"),
    (["resolve", "../x", "y"], 2, "", "is a relative reference"),
    (["resolve", "http://a b/", "y"], 2, "", "not valid"),
    (["resolve"], 2, "", "Missing argument"),
    (["normalize", "a b", "C:d"], 1, "c:d\n", "<argument>:1: not valid"),
    (["normalize", "--step", "all", "a:b"], 2, "", "is not one of"),
    (["compare", "a b", "c"], 2, "", "not valid"),
    (["compare", "--base", "x", "c", "c"], 2, "", "absolute-URI"),
    (["compare", "http://a", "HTTP://a:80/"], 0, "after normalization", ""),
    (["compare", "--level", "syntax", "http://a", "http://a:80/"], 1, "different at level syntax", ""),
    (["compare", "--no-fragment", "http://a/#b", "http://a/"], 0, "same string", ""),
    (["compare", "--base", BASE, "../g", "/b/g"], 0, "same string", ""),
]


@pytest.mark.parametrize(("arguments", "status", "output", "complaint"), STATUSES)
def test_exit_status(arguments: list[str], status: int, output: str, complaint: str) -> None:
    result = run(*arguments)
    assert result.exit_code == status
    assert output in result.stdout
    assert complaint in result.stderr


def test_json() -> None:
    result = run("resolve", "--format", "json", BASE, stdin=b"g\na b\n\xff\n")
    good, bad, unreadable = map(json.loads, result.stdout.splitlines())
    assert (good["target"], good["components"]["path"], good["line"]) == ("http://a/b/c/g", "/b/c/g", 1)
    assert ("target" not in bad, "error" in bad, bad["input"]) == (True, True, "a b")
    assert unreadable["input"] is None
    assert (result.exit_code, result.stderr) == (1, "")
    [normal] = map(json.loads, run("normalize", "-f", "json", "A:b").stdout.splitlines())
    assert normal["normal"] == "a:b"
    found = json.loads(run("compare", "--format", "json", "http://a/?", "http://a/").stdout)
    assert found["differences"] == [{"component": "query", "left": "", "right": None}]


def test_compare_shows_no_password() -> None:
    result = run("compare", "http://u:secret@a/", "http://u:other@a/")
    assert "secret" not in result.output
    assert result.exit_code == 1


def test_choices_are_the_library_s() -> None:
    assert set(uri.Step) - set(STEPS) == {"protocol"}
    assert [level for level in ALL_LEVELS if level != "protocol"] == list(LEVELS)
