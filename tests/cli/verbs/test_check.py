"""``abnforge check``: which lines it reports, formats, exit statuses, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from abnforge.engine import ENGINES
from tests.cli.command import INVALID, VALID, masks_passwords_when_asked, run
from tests.reference import workflow_commands

STATUSES = [
    (["check"], VALID, 0),
    (["check"], INVALID, 1),
    (["check"], "", 0),
    (["check"], "\n", 1),  # the empty string is no URI
    (["check", "--rule", "URI-reference"], "\n", 0),
    (["check", "--skip-empty"], "\n", 0),
    (["check", "-"], INVALID, 1),
    (["check", "--grammar", "rfc2396"], "../a b\n", 1),
    (["check", "--grammar", "rfc2396"], "../a#b\n", 0),  # URI-reference is its default
    (["check", "--rule", "uri-REFERENCE"], "../a\n", 0),
    (["check", "no-such-file"], None, 2),
    (["check", "--grammar", "rfc3968"], None, 2),
    (["check", "--rule", "hots"], None, 2),
    (["check", "--format", "xml"], None, 2),
    (["check", "--max-line-bytes", "0"], None, 2),
    (["check", "--engine", "lark", "--rule", "scheme"], "http\n", 0),
]


@pytest.mark.parametrize(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree(engine: str) -> None:
    result = run("check", "--engine", engine, "--rule", "port", "--format", "jsonl", stdin="80\n8x\n")
    [rejected] = map(json.loads, result.stdout.splitlines())
    assert (rejected["line"], rejected["offset"]) == (2, 1)


def test_an_engine_that_cannot_is_refused_before_reading(grammar: str) -> None:
    result = run("check", "--grammar", grammar, "--rule", "nest", "--engine", "automaton", stdin="()\n")
    assert result.exit_code == 2
    assert "recursive" in result.stderr
    assert run("check", "--grammar", grammar, "--rule", "nest", stdin="(())\n").exit_code == 0


def test_check_reports_what_is_rejected() -> None:
    result = run("check", stdin=f"{VALID}\n{INVALID}\r\n")
    assert result.stdout.startswith("<stdin>:2:11: ")
    assert result.stdout.splitlines()[1:3] == ["    http://exa mple.com/", " " * 14 + "^"]
    assert result.stdout.splitlines()[0].endswith(" (exact offset 10)")
    assert result.stderr == "2 lines, 1 rejected\n"


def test_quiet_means_no_summary() -> None:
    assert run("check", "--quiet", stdin="\n").stderr == ""


def test_check_all() -> None:
    result = run("check", "--all", "--format", "jsonl", stdin=f"{VALID}\n{INVALID}\n".encode() + b"\xff\n")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["line"], r["valid"], r.get("error")) for r in records] == [
        (1, True, None),
        (2, False, None),
        (3, False, "not-utf-8"),
    ]
    assert records[1]["input"] == INVALID
    assert records[1]["offset"] == 10


def test_max_errors_stops_early() -> None:
    result = run("check", "--max-errors", "2", "--format", "jsonl", stdin="\n" * 5)
    assert len(result.stdout.splitlines()) == 2
    assert "stopped" in result.stderr


def test_passwords_are_masked_when_asked() -> None:
    masks_passwords_when_asked("check")


def test_a_missing_file_does_not_hide_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text(INVALID)
    result = run("check", "no-such-file", str(bad))
    assert result.exit_code == 2
    assert "cannot read no-such-file: No such file or directory" in result.stderr
    assert f"{bad}:1:11:" in result.stdout


def test_byte_order_mark_is_dropped_aloud() -> None:
    result = run("check", stdin=b"\xef\xbb\xbf" + VALID.encode())
    assert result.exit_code == 0
    assert "byte order mark" in result.stderr


def test_grammar_errors_are_all_shown(tmp_path: Path) -> None:
    broken = tmp_path / "broken.abnf"
    broken.write_text("a = nowhere\nb = also-nowhere\n")
    result = run("check", "--grammar", str(broken), stdin="")
    assert result.exit_code == 2
    assert f"{broken}:1:5: " in result.stderr
    assert f"{broken}:2:5: " in result.stderr


def test_a_rule_in_prose_is_refused_with_its_place(grammar: str) -> None:
    result = run("check", "--grammar", grammar, "--rule", "prose", stdin="x")
    assert result.exit_code == 2
    assert f"{grammar}:4:1: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["check", "--grammar", "rfc3968"], "rfc3986"),
        (["check", "--rule", "hots"], "host"),
    ],
)
def test_near_misses(arguments: list[str], near: str) -> None:
    assert near in run(*arguments, stdin="").stderr


LINES = "http://www.example.com@h:25/\nhttp://h/?%2F\nhttp://h/\na b\n"


def security(*arguments: str, stdin: str = LINES) -> Result:
    return run("check", "--security", *arguments, stdin=stdin)


def test_findings_as_text() -> None:
    result = security(stdin="http://www.example.com@h:25/\nhttp://h/?%2F\nhttp://h/%00%00\n")
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


def test_findings_as_json_lines() -> None:
    first, second, third = map(json.loads, security("--format", "jsonl").stdout.splitlines())
    assert [f["code"] for f in first["security"]] == ["misleading-userinfo", "well-known-port"]
    assert (first["valid"], first["line"]) == (True, 1)
    assert [f["severity"] for f in second["security"]] == ["note"]
    assert "security" not in third
    assert not third["valid"]


@pytest.mark.parametrize(
    ("stdin", "status"), [("http://h/", 0), ("http://h/?%2F", 0), ("http://h:25/", 1), ("a b", 1)]
)
def test_exit_status_of_findings(stdin: str, status: int) -> None:
    assert security(stdin=stdin).exit_code == status


@pytest.mark.parametrize("report_format", ["text", "jsonl", "json"])
@pytest.mark.parametrize("options", [[], ["--all"], ["--show-passwords"]])
def test_passwords_beside_findings_are_never_shown(report_format: str, options: list[str]) -> None:
    text = "http://u:secret@h/%00\nhttp://u:secret@h/|\nhttp://u:secret@h/\n"
    output = security("--format", report_format, *options, stdin=text).output
    assert "password" in output
    assert "secret" not in output


RECORDS = b"/a\n/b\0/c d\n\0//h\n/e\n/\xc3\xa9 f\0"  # each of them is rejected at its first LF, if not before


def test_null_separated_strings_are_placed_in_their_file(tmp_path: Path) -> None:
    """Lines of GitHub and SARIF are those of the file; ``line`` in JSON is the string's number."""
    path = tmp_path / "strings"
    path.write_bytes(RECORDS)
    arguments = ("--null", "--no-suggest", "--grammar", "rfc3986", "--rule", "path-absolute", str(path))
    wanted = [(1, 3), (2, 6), (3, 3)]
    commands = workflow_commands.read(run("check", *arguments, "--format", "github").stdout)
    assert [(int(c.properties["line"]), int(c.properties["col"])) for c in commands] == wanted
    [log] = json.loads(run("check", *arguments, "--format", "sarif").stdout)["runs"]
    regions = [each["locations"][0]["physicalLocation"]["region"] for each in log["results"]]
    assert [(each["startLine"], each["startColumn"]) for each in regions] == wanted
    records = [json.loads(line) for line in run("check", *arguments, "--format", "jsonl").stdout.splitlines()]
    assert json.loads(run("check", *arguments, "--format", "json").stdout) == records
    assert [(r["line"], r["offset"]) for r in records] == [(1, 2), (2, 2), (3, 1)]
    assert [r.get("position") for r in records] == [{"line": 1, "column": 3}, None, {"line": 1, "column": 2}]
