"""``abnforge list`` lists the grammars that load by name."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import run

STATUSES = [
    (["list"], None, 0),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_grammar_list() -> None:
    assert "rfc3986 " in run("list").stdout
    rows = {row["name"]: row for row in json.loads(run("list", "--format", "json").stdout)}
    assert rows["rfc3986"]["default_rule"] == "URI"
    assert rows["rfc2396"]["rules"] > 40
    assert rows["abnf:rfc9110"]["origin"] == "abnf"
