"""``abnforge check --security``: formats, exit statuses, and nothing of a password anywhere."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from abnforge.cli.app import cli

LINES = "http://www.example.com@h:25/\nhttp://h/?%2F\nhttp://h/\na b\n"


def run(*arguments: str, stdin: str = LINES) -> Result:
    result = CliRunner().invoke(cli, ["check", "--security", *arguments], input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_text() -> None:
    result = run(stdin="http://www.example.com@h:25/\nhttp://h/?%2F\nhttp://h/%00%00\n")
    assert result.stdout == (
        "<stdin>:1:8: warning: 'www.example.com' reads like a host but is userinfo; the host is 'h' "
        "[misleading-userinfo, RFC 3986, section 7.6]\n"
        "    http://www.example.com@h:25/\n"
        "           ^^^^^^^^^^^^^^^\n"
        "<stdin>:1:26: warning: the well-known port 25 does not belong to http: "
        "it is kept for another protocol, or for none [well-known-port, RFC 3986, section 7.2]\n"
        "    http://www.example.com@h:25/\n"
        "                             ^^\n"
        "<stdin>:2:11: note: a percent-encoded delimiter in the query; decoded before the URI is split, it "
        "delimits [encoded-delimiter, RFC 3986, section 7.3]\n"
        "    http://h/?%2F\n"
        "              ^^^\n"
        "<stdin>:3:10: error: a percent-encoded NUL in the path; whatever does not expect raw data there "
        "should reject it (1 more like it) [encoded-nul, RFC 3986, section 7.3]\n"
        "    http://h/%00%00\n"
        "             ^^^\n"
    )
    assert result.stderr == "3 lines, 0 rejected, 2 valid with warnings\n"


def test_json_lines() -> None:
    first, second, third = map(json.loads, run("--format", "jsonl").stdout.splitlines())
    assert [f["code"] for f in first["security"]] == ["misleading-userinfo", "well-known-port"]
    assert (first["valid"], first["line"]) == (True, 1)
    assert [f["severity"] for f in second["security"]] == ["note"]
    assert "security" not in third
    assert not third["valid"]


@pytest.mark.parametrize(
    ("stdin", "status"), [("http://h/", 0), ("http://h/?%2F", 0), ("http://h:25/", 1), ("a b", 1)]
)
def test_exit_status(stdin: str, status: int) -> None:
    assert run(stdin=stdin).exit_code == status


@pytest.mark.parametrize("report_format", ["text", "jsonl", "json"])
@pytest.mark.parametrize("options", [[], ["--all"], ["--show-passwords"]])
def test_passwords_are_never_shown(report_format: str, options: list[str]) -> None:
    text = "http://u:secret@h/%00\nhttp://u:secret@h/|\nhttp://u:secret@h/\n"
    output = run("--format", report_format, *options, stdin=text).output
    assert "password" in output
    assert "secret" not in output


def test_ports_can_be_allowed() -> None:
    assert run("--allow-port", "HTTP:25", stdin="http://h:25/").exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grammar", "rfc2396"], "--security is about rfc3986's rules"),
        (["--rule", "host"], "--security is about rfc3986's rules"),
        (["--format", "sarif"], "not as sarif"),
        (["--allow-port", "25"], "such as http:81"),
        (["--allow-port", "http:" + "9" * 5000], "such as http:81"),
    ],
)
def test_wrong_usage(options: list[str], message: str) -> None:
    result = run(*options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
