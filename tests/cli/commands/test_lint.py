"""``abnforge lint``: exit statuses and formats."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from abnforge.linting.finding import KINDS
from tests.cli.command import Seen
from tests.cli.command import run as command
from tests.law import one_in
from tests.reference import sarif

CODE = KINDS["unused-rule"].code

run = partial(command, "lint")

BAD = 'a = *( *DIGIT )\nb = a "{x}" ; abnforge: allow ambiguous (on, purpose: {})\n'
GIVEN_UP = "x = 999999999*ALPHA *ALPHA\n"
# Ambiguity of recursive rules is undecidable in general.
ENDED = 'x = side side\nside = "(" side ")" side / "[" side "]" side / "x"\n'
ACCEPTED = "a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n"
INFO = 'a = %s"u" / "v"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        "bad": BAD,
        "accepted": ACCEPTED,
        "info": INFO,
        "broken": "a = /\n",
        "given-up": GIVEN_UP,
        "given-up-accepted": f"; abnforge: allow check-incomplete (no search ends)\n{GIVEN_UP}",
        "ended": ENDED,
        "own": ';@ of port; blame all; fix ""\nword = 1*ALPHA\n',
    }
    for name, text in files.items():
        (tmp_path / f"{name}.abnf").write_text(text)
    return tmp_path


STATUSES = [
    (["accepted.abnf"], 0),
    (["accepted.abnf", "--strict", "--all"], 0),
    (["info.abnf"], 0),
    (["info.abnf", "--strict"], 1),
    (["bad.abnf"], 1),
    (["info.abnf", "bad.abnf"], 1),
    (["broken.abnf"], 1),
    (["given-up.abnf"], 0),
    (["given-up.abnf", "--strict"], 2),
    (["bad.abnf", "given-up.abnf"], 1),
    (["bad.abnf", "given-up.abnf", "--strict"], 2),
    (["given-up-accepted.abnf", "--all"], 0),
    (["ended.abnf"], 0),
    (["ended.abnf", "--strict"], 1),
    (["rfc3339"], 0),
    (["rfc3339", "--start", "full-date"], 1),
    (["rfc3339", "--start", "nothing"], 2),
    (["missing.abnf"], 2),
    (["own.abnf"], 1),  # every rule in the file declares a mistake
    (["own.abnf", "--grammar", "rfc3986"], 0),
    (["own.abnf", "--grammar", "info.abnf"], 1),
    (["own.abnf", "--grammar", "rfc398"], 2),
    (["rfc3986", "--grammar", "rfc3986"], 2),
    (["rfc3968"], 2),
    ([], 2),
]


@pytest.mark.parametrize(("arguments", "status"), one_in(3, STATUSES))
def test_exit_status(folder: Path, arguments: list[str], status: int) -> None:
    assert run(*arguments).exit_code == status


def test_text_underlines_the_place_and_accepted_findings_wait_for_all(folder: Path) -> None:
    output = run("bad.abnf", "accepted.abnf").stdout
    assert "bad.abnf:1:5: warning: " in output
    assert "    a = *( *DIGIT )\n        ^^^^^^^^^^^\n" in output
    assert "accepted.abnf" not in output
    assert "  because  on purpose\n" in run("--all", "accepted.abnf").stdout


def test_json_and_sarif_agree(folder: Path) -> None:
    findings = json.loads(run("--all", "--format", "json", "bad.abnf", "accepted.abnf").stdout)
    assert [f["name"] for f in findings] == ["nullable-loop", "useless-allow", "nullable-loop"]
    [sarif] = json.loads(run("--all", "--format", "sarif", "bad.abnf", "accepted.abnf").stdout)["runs"]
    assert [r["ruleId"] for r in sarif["results"]] == [f["code"] for f in findings]
    assert sarif["results"][2]["suppressions"] == [{"kind": "inSource", "justification": "on purpose"}]
    location = sarif["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "bad.abnf"}
    assert location["region"] == {"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 16}
    assert json.loads(run("--format", "json", "accepted.abnf").stdout) == []


def test_github(folder: Path) -> None:
    first = run("--format", "github", "bad.abnf").stdout.splitlines()[0]
    place = "file=bad.abnf,line=1,endLine=1,col=5,endColumn=15"
    assert first.startswith(f"::warning {place},title=ABNF017 nullable-loop::")


def test_many_findings_of_a_kind_are_counted(folder: Path) -> None:
    lines = [f"r{n} = s{n}\ns{n} = r{n} / %d{n % 10}\n" for n in range(300)]
    (folder / "many.abnf").write_text("".join(["a = *( *DIGIT )\n", *lines]))
    options = ["--start", "a", "many.abnf"]
    few, every, plain = (run(*options, *more) for more in ([], ["--all"], ["--format", "json"]))
    unused = [finding for finding in json.loads(plain.stdout) if finding["name"] == "unused-rule"]
    assert len(unused) == 600
    assert few.stdout.count(f"[{CODE} unused-rule]\n") == 20
    more = f"many.abnf: 580 more findings [{CODE} unused-rule]; use --all or --format json\n"
    assert more in few.stdout
    assert "nullable-loop]\n" in few.stdout
    assert every.stdout.count(f"[{CODE} unused-rule]\n") == 600
    assert " more finding" not in every.stdout
    assert few.exit_code == every.exit_code == plain.exit_code == 1
    assert few.stderr == every.stderr == plain.stderr


SLIPS = b"\xef\xbb\xbfa = 'x' | b+ ; kept\r\nB = DIGIT\r\n"
FIXED = b'\xef\xbb\xbfa = "x" / 1*b ; kept\r\nB = DIGIT\r\n'


def test_fix_writes_the_file_and_reports_the_rest(folder: Path, seen: Seen) -> None:
    (folder / "slips.abnf").write_bytes(SLIPS)
    result = run("--fix", "slips.abnf")
    assert (folder / "slips.abnf").read_bytes() == FIXED
    assert result.exit_code == 0
    assert result.stderr.startswith("slips.abnf: 3 ")
    assert "slips.abnf:1:13: info: " in result.stdout
    (folder / "slips.abnf").chmod(0o444)
    assert run("--fix", "slips.abnf").exit_code == 0  # there is nothing to write


def test_diff_shows_and_changes_nothing(folder: Path) -> None:
    (folder / "slips.abnf").write_bytes(SLIPS)
    result = run("--diff", "slips.abnf")
    assert (folder / "slips.abnf").read_bytes() == SLIPS
    assert result.exit_code == 1
    lines = result.stdout_bytes.decode().split("\n")
    assert lines[:2] == ["--- a/slips.abnf", "+++ b/slips.abnf"]
    assert lines[3:5] == ["-a = 'x' | b+ ; kept\r", '+a = "x" / 1*b ; kept\r']
    assert run("--diff", "info.abnf").stdout == ""
    assert run("--diff", "info.abnf").exit_code == 0


def test_a_run_without_fix_writes_nothing_and_shows_that_there_are_edits(folder: Path, seen: Seen) -> None:
    (folder / "slips.abnf").write_bytes(SLIPS)
    result = run("slips.abnf")
    assert (folder / "slips.abnf").read_bytes() == SLIPS
    assert "  edits    2: " in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize("arguments", ["--fix --diff bad.abnf", "--fix rfc3986", "--diff rfc3986"])
def test_fix_is_for_files_alone(folder: Path, arguments: str) -> None:
    assert run(*arguments.split()).exit_code == 2


def test_a_file_that_is_not_utf_8_is_not_fixed(folder: Path) -> None:
    (folder / "bytes.abnf").write_bytes(b"a = '\xff'\n")
    assert run("--fix", "bytes.abnf").exit_code == 1
    assert (folder / "bytes.abnf").read_bytes() == b"a = '\xff'\n"


def test_json_and_sarif_have_the_edits(folder: Path) -> None:
    (folder / "slips.abnf").write_bytes(SLIPS)
    findings = json.loads(run("--format", "json", "slips.abnf").stdout)
    by_column = {finding["column"]: finding["edits"] for finding in findings}
    assert by_column[5] == [{"start": 4, "end": 7, "text": '"x"'}]
    assert by_column[9] == [{"start": 8, "end": 9, "text": "/"}]
    assert by_column[12] == [{"start": 10, "end": 10, "text": "1*"}, {"start": 11, "end": 12, "text": ""}]
    results = sarif.read(run("--format", "sarif", "slips.abnf").stdout)
    assert all(len(result["fixes"]) == 1 for result in results)
    [change] = results[0]["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "slips.abnf"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 8},
            "insertedContent": {"text": '"x"'},
        }
    ]
