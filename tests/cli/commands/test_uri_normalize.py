"""``abnforge uri normalize``: normal forms, errors, exit statuses."""

from __future__ import annotations

import json

import pytest

from abnforge import uri
from tests.cli.command import answers, offered, run

OUTPUTS = [
    (["uri", "normalize", "HTTP://a:80/%7e/..", "%3a"], None, "http://a:80/\n%3A\n"),
    (["uri", "normalize", "--scheme-based", "HTTP://a:80"], None, "http://a/\n"),
    (["uri", "normalize", "--step", "case", "HTTP://a/%7e"], None, "http://a/%7E\n"),
    (["uri", "normalize"], "A:b\n", "a:b\n"),
]


@pytest.mark.parametrize(("arguments", "stdin", "output"), OUTPUTS)
def test_results(arguments: list[str], stdin: str | None, output: str) -> None:
    result = run(*arguments, stdin=stdin)
    assert (result.stdout, result.stderr, result.exit_code) == (output, "", 0)


STATUSES = [
    (["uri", "normalize", "a b", "C:d"], 1, "c:d\n", "<argument>:1: not valid"),
    (["uri", "normalize", "--step", "all", "a:b"], 2, "", "choice-unknown"),
]


@pytest.mark.parametrize(("arguments", "status", "output", "complaint"), STATUSES)
def test_exit_status(arguments: list[str], status: int, output: str, complaint: str) -> None:
    answers(arguments, status, output, complaint)


def test_json() -> None:
    [normal] = map(json.loads, run("uri", "normalize", "-f", "json", "A:b").stdout.splitlines())
    assert normal["normal"] == "a:b"


def test_the_steps_offered_are_the_library_s_without_the_one_that_needs_a_function() -> None:
    assert set(uri.Step) - set(offered("step", "uri", "normalize")) == {"protocol"}
