"""``abnforge uri resolve``: targets, errors, exit statuses."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from abnforge.uri.common.components import OnAmbiguous
from abnforge.uri.rfc_differences import EDITIONS
from tests.cli.command import answers, offered, run
from tests.law import each_row
from tests.reference.examples import BASE

OUTPUTS = [
    (
        ["uri", "resolve", BASE, "../g", "?y", "#s"],
        None,
        "http://a/b/g\nhttp://a/b/c/d;p?y\nhttp://a/b/c/d;p?q#s\n",
    ),
    (["uri", "resolve", BASE], "g\n\n", "http://a/b/c/g\nhttp://a/b/c/d;p?q\n"),
    (["uri", "resolve", BASE, "-"], "g\r\n", "http://a/b/c/g\n"),
    (
        ["uri", "resolve", "--grammar", "rfc2396", BASE, "../../../g", "?y"],
        None,
        "http://a/../g\nhttp://a/b/c/?y\n",
    ),
    (["uri", "resolve", "--non-strict", BASE, "http:g"], None, "http://a/b/c/g\n"),
    (["uri", "resolve", "a:/b", "..//c"], None, "a:/.//c\n"),
    (["uri", "resolve", "--on-ambiguous", "literal", "a:/b", "..//c"], None, "a://c\n"),
]


@each_row(("arguments", "stdin", "output"), OUTPUTS)
def test_results(arguments: list[str], stdin: str | None, output: str) -> None:
    result = run(*arguments, stdin=stdin)
    assert (result.stdout, result.stderr, result.exit_code) == (output, "", 0)


STATUSES = [
    (["uri", "resolve", BASE, "a b", "g"], 1, "http://a/b/c/g\n", "<argument>:1: not valid"),
    (["uri", "resolve", "--on-ambiguous", "error", "a:/b", "..//c"], 1, "", "..//c"),
    (["uri", "resolve", "../x", "y"], 2, "", "uri-invalid"),
    (["uri", "resolve", "http://a b/", "y"], 2, "", "uri-invalid"),
    (["uri", "resolve"], 2, "", "argument-missing"),
]


@pytest.mark.parametrize(("arguments", "status", "output", "complaint"), STATUSES)
def test_exit_status(arguments: list[str], status: int, output: str, complaint: str) -> None:
    answers(arguments, status, output, complaint)


def test_json() -> None:
    result = run("uri", "resolve", "--format", "json", BASE, stdin=b"g\na b\n\xff\n")
    good, bad, unreadable = map(json.loads, result.stdout.splitlines())
    assert (good["target"], good["components"]["path"], good["line"]) == ("http://a/b/c/g", "/b/c/g", 1)
    assert ("target" not in bad, "error" in bad, bad["input"]) == (True, True, "a b")
    assert unreadable["input"] is None
    assert (result.exit_code, result.stderr) == (1, "")


def test_the_choices_offered_are_the_library_s() -> None:
    assert sorted(offered("grammar", "uri", "resolve")) == sorted(EDITIONS)
    assert offered("on-ambiguous", "uri", "resolve") == list(get_args(OnAmbiguous))
