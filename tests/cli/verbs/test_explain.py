"""``abnforge explain``: explanations, formats, exit statuses."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import INVALID, VALID, masks_passwords_when_asked, run

STATUSES = [
    (["explain", VALID], None, 0),
    (["explain", VALID, INVALID], None, 1),
    (["explain"], INVALID, 1),
    (["explain", "-"], VALID, 0),
    (["explain", "--", "-x:y"], None, 1),
    (["explain", "a\udcff:"], None, 2),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_explain_text() -> None:
    first, second = run("explain", VALID, INVALID).stdout.split("\n\n")
    assert first == f"valid: URI (RFC 3986)\n    {VALID}"
    assert "read so far" in second
    assert second.splitlines()[3] == " " * 14 + "^"


def test_explain_json() -> None:
    records = json.loads(run("explain", "--format", "json", VALID, INVALID).stdout)
    assert [(r["source"], r["line"], r["valid"]) for r in records] == [
        ("<argument>", 1, True),
        ("<argument>", 2, False),
    ]


def test_no_suggest() -> None:
    with_, without = (
        json.loads(run("explain", "--format", "jsonl", *option, INVALID).stdout)["suggestion"]
        for option in ([], ["--no-suggest"])
    )
    assert with_ is not None
    assert without is None


def test_passwords_are_masked_when_asked() -> None:
    masks_passwords_when_asked("explain")


def test_near_miss_of_a_string_that_looks_like_an_option() -> None:
    assert '"--"' in run("explain", "-x", stdin="").stderr
