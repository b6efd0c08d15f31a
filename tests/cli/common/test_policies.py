"""Policies on the command line: the columns that they apply to, and the rows that they reject."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy")
from tests.cli.command import fails, run

ROWS = """\
url,sent
http://a/,2026-11-22T16:00:00Z
javascript:x,2026-11-22T16:00:00Z
http:///x,
https://a:99999/,
http://a/b c,
http://a.example/which/is/long,
"""
WANTED = ("--scheme", "http, https", "--require-host", "--max-port", "65535", "--max-length", "20")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(ROWS)


def ingest(*options: str) -> tuple[int, list[str], str]:
    """Run a job and return its exit status, the codes of rejected rows, and the messages."""
    result = run(
        "split", "in.csv", *options, "-o", "good.csv", "--rejects", "bad.jsonl", "--summary", "s.json"
    )
    rows = Path("bad.jsonl").read_text().splitlines() if Path("bad.jsonl").exists() else []
    return (
        result.exit_code,
        [each["code"] for row in rows for each in json.loads(row)["_errors"]],
        result.stderr,
    )


def test_the_syntax_rejects_first_and_then_the_policy() -> None:
    status, codes, _ = ingest("-c", "url", "-c", "sent:rfc3339:date-time", *WANTED)
    assert status == 1
    assert codes == ["policy-scheme", "policy-host", "policy-port", "space-in-path", "policy-length"]
    options = json.loads(Path("s.json").read_text())["options"]
    assert (options["scheme"], options["max-port"], options["require-host"]) == ("http, https", 65535, True)


def test_a_rule_of_ones_own() -> None:
    Path("mine.abnf").write_text('mine = "http" ["s"] "://a" *%x0-10FFFF\n')
    assert ingest("-c", "url", "--also", "mine.abnf:mine")[1] == [
        "policy-rule",
        "policy-rule",
        "space-in-path",
    ]


WRONG = [
    (["-c", "url", "--scheme", "h ttp"], "h ttp"),
    (["-c", "url:relative-ref", "--scheme", "http"], "relative-ref"),
    (["-c", "url", "--also", "hots"], "hots"),
    (["-c", "url", "--max-port", "-1"], "--max-port"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_invalid_policies(options: list[str], message: str) -> None:
    status, _, complaint = ingest(*options)
    assert status == 2
    assert message in complaint


def test_a_policy_requires_uris() -> None:
    options = [
        "-c",
        "sent:rfc3339:date-time",
        "--scheme",
        "http",
        "-o",
        "good.csv",
        "--rejects",
        "bad.jsonl",
    ]
    fails(run("split", "in.csv", *options), "policy-without-uris")


def test_another_policy_is_another_job() -> None:
    from abnforge.cli.common.policies import set_options

    nothing = {"schemes": None, "require_host": False, "max_port": None, "max_length": None, "also": ()}
    assert set_options(nothing) == {}
    assert set_options(nothing | {"schemes": "http"}) == {"scheme": "http"}
