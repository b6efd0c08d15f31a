"""Policies on the command line: the columns that they apply to, and the rows that they reject."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
    fails(run("split", "in.csv", *options), "policy-without-column")


def test_another_policy_is_another_job() -> None:
    from abnforge.cli.common.policies import set_options

    nothing: dict[str, Any] = {"schemes": None, "require_host": False, "max_port": None, "max_length": None}
    nothing |= {"also": (), "address_limits": False, "leap_seconds": None}
    assert set_options(nothing) == {}
    assert set_options(nothing | {"schemes": "http"}) == {"scheme": "http"}


LEAP = "2016-12-31T16:59:60-08:00"
LOCAL = f"{'a' * 65}@b.example"


def test_addresses_and_leap_seconds() -> None:
    Path("in.csv").write_text(f"mail,sent,url\n{LOCAL},{LEAP},x:{LOCAL}\n")
    columns = ["-c", "mail:rfc5321:Mailbox", "-c", "sent:rfc3339:date-time", "-c", "url"]
    Path("leaps").write_text("3644697600 36 # 1 Jul 2015\n3692217600 37 # 1 Jan 2017\n")
    status, codes, _ = ingest(*columns, "--address-limits", "--leap-seconds", "leaps")
    assert (status, codes) == (1, ["policy-local-part", "policy-leap-second"])
    options = json.loads(Path("s.json").read_text())["options"]
    assert (options["address-limits"], options["leap-seconds"]) == (True, "2016-12-31")


@pytest.mark.parametrize(
    ("text", "rule", "option", "code"),
    [
        (LOCAL, "rfc5321:Mailbox", "--address-limits", "policy-local-part"),
        (LEAP, "rfc3339:date-time-strict", "--leap-seconds=utc", "policy-leap-second"),
        ("ftp://a/", "rfc3986:URI", "--scheme=http", "policy-scheme"),
    ],
)
def test_check(text: str, rule: str, option: str, code: str) -> None:
    Path("in.txt").write_text(f"{text}\n")
    grammar, _, name = rule.partition(":")
    result = run("check", "in.txt", "-g", grammar, "-r", name, option, "--format", "jsonl")
    assert (result.exit_code, json.loads(result.stdout)["code"]) == (1, code)


def test_leap_seconds_need_a_list() -> None:
    status, _, complaint = ingest("-c", "sent:rfc3339:date-time", "--leap-seconds", "none")
    assert (status, "none" in complaint) == (2, True)
