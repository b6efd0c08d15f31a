"""``abnforge check``: rejected lines, formats, exit statuses, messages."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from abnforge.engine import ENGINES
from tests.cli.command import INVALID, VALID, Seen, fails, masks_passwords_when_asked, offered, run
from tests.law import each_row
from tests.reference import workflow_commands

STATUSES = [
    (["check"], VALID, 0),
    (["check"], INVALID, 1),
    (["check"], "", 0),
    (["check"], "\n", 1),  # the empty string does not match URI
    (["check", "--rule", "URI-reference"], "\n", 0),
    (["check", "--skip-empty"], "\n", 0),
    (["check", "-"], INVALID, 1),
    (["check", "--grammar", "rfc2396"], "../a b\n", 1),
    (["check", "--grammar", "rfc2396"], "../a#b\n", 0),  # URI-reference is the default of rfc3986
    (["check", "--rule", "uri-REFERENCE"], "../a\n", 0),
    (["check", "no-such-file"], None, 2),
    (["check", "--grammar", "rfc3968"], None, 2),
    (["check", "--rule", "hots"], None, 2),
    (["check", "--format", "xml"], None, 2),
    (["check", "--max-bytes", "0"], None, 2),
    (["check", "--engine", "lark", "--rule", "scheme"], "http\n", 0),
]


@each_row(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree(engine: str) -> None:
    result = run("check", "--engine", engine, "--rule", "port", "--format", "jsonl", stdin="80\n8x\n")
    [rejected] = map(json.loads, result.stdout.splitlines())
    assert (rejected["line"], rejected["offset"]) == (2, 1)


def test_an_engine_that_cannot_is_rejected_before_reading(grammar: str) -> None:
    result = run("check", "--grammar", grammar, "--rule", "nest", "--engine", "automaton", stdin="()\n")
    assert result.exit_code == 2
    fails(result, "rule-recursive")
    assert run("check", "--grammar", grammar, "--rule", "nest", stdin="(())\n").exit_code == 0


def test_check_reports_rejections() -> None:
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


def test_passwords_are_masked_on_request() -> None:
    masks_passwords_when_asked("check")


def test_a_missing_file_does_not_hide_the_others(tmp_path: Path, seen: Seen) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text(INVALID)
    result = run("check", "no-such-file", str(bad))
    assert result.exit_code == 2
    seen(result.stderr)
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


def test_a_rule_in_prose_is_rejected_with_its_place(grammar: str) -> None:
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


def test_findings_as_text(seen: Seen) -> None:
    result = security(stdin="http://www.example.com@h:25/\nhttp://h/?%2F\nhttp://h/%00%00\n")
    seen(result.stdout)
    seen(result.stderr)


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


@each_row("report_format", ["text", "jsonl", "json"])
@each_row("options", [[], ["--all"]])
def test_passwords_next_to_findings_are_never_shown(report_format: str, options: list[str]) -> None:
    text = "http://u:secret@h/%00\nhttp://u:secret@h/|\nhttp://u:secret@h/\n"
    output = security("--format", report_format, *options, stdin=text).output
    assert "password" in output
    assert "secret" not in output


RECORDS = b"/a\n/b\0/c d\n\0//h\n/e\n/\xc3\xa9 f\0"  # each is rejected at or before its first LF


def test_null_separated_strings_are_placed_in_their_file(tmp_path: Path) -> None:
    """GitHub annotations and SARIF give lines of the file, but ``line`` in JSON counts strings."""
    path = tmp_path / "strings"
    path.write_bytes(RECORDS)
    arguments = ("--null", "--no-suggest", "--grammar", "rfc3986", "--rule", "path-absolute", str(path))
    expected = [(1, 3), (2, 6), (3, 3)]
    commands = workflow_commands.read(run("check", *arguments, "--format", "github").stdout)
    assert [(int(c.properties["line"]), int(c.properties["col"])) for c in commands] == expected
    [log] = json.loads(run("check", *arguments, "--format", "sarif").stdout)["runs"]
    regions = [each["locations"][0]["physicalLocation"]["region"] for each in log["results"]]
    assert [(each["startLine"], each["startColumn"]) for each in regions] == expected
    records = [json.loads(line) for line in run("check", *arguments, "--format", "jsonl").stdout.splitlines()]
    assert json.loads(run("check", *arguments, "--format", "json").stdout) == records
    assert [(r["line"], r["offset"]) for r in records] == [(1, 2), (2, 2), (3, 1)]
    assert [r.get("position") for r in records] == [{"line": 1, "column": 3}, None, {"line": 1, "column": 2}]


BAD = '{\n  "a": "漢",\n  "b": [1, 2],\n  "c": tru,\n  "d": {}\n}\n'
GOOD = '{\n  "a": 1\n}\n'


@pytest.fixture
def documents(json_grammar: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Arguments for an invalid document and a valid one."""
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text(BAD, "utf-8")
    Path("good.json").write_text(GOOD, "utf-8")
    return ("check", "--whole-file", "--grammar", json_grammar, "bad.json", "good.json")


def test_whole_files(documents: tuple[str, ...], seen: Seen) -> None:
    result = run(*documents)
    assert (result.exit_code, result.stderr) == (1, "2 files, 1 rejected\n")
    head, *drawing = result.stdout.splitlines()
    assert head.startswith("bad.json:4:8: ")
    seen(head)
    assert drawing[:5] == [
        '    2 |   "a": "漢",',
        '    3 |   "b": [1, 2],',
        '    4 |   "c": tru,',
        "               ^^^",
        '    5 |   "d": {}',
    ]


def test_every_format_has_the_place_in_the_file(documents: tuple[str, ...]) -> None:
    outputs = {name: run(*documents, "--format", name).stdout for name in offered("format", "check")}
    place = (4, 8)
    assert outputs["text"].startswith("bad.json:4:8: ")
    [line] = map(json.loads, outputs["jsonl"].splitlines())
    assert json.loads(outputs["json"]) == [line]
    assert list(line)[:4] == ["source", "line", "column", "valid"]
    assert (line["line"], line["column"]) == place
    assert line["position"] == {"line": 4, "column": 11}
    assert line["input"] == BAD
    [command] = workflow_commands.read(outputs["github"])
    assert (int(command.properties["line"]), int(command.properties["col"])) == place
    [result] = json.loads(outputs["sarif"])["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == place
    assert region["snippet"] == {"text": '  "c": tru,'}
    assert ">bad.json:4:8: " in outputs["junit"]


def test_valid_whole_files(documents: tuple[str, ...]) -> None:
    assert "good.json: valid: JSON-text (json)\n" in run(*documents, "--all").stdout
    result = run(*documents, "--all", "--format", "jsonl").stdout.splitlines()
    assert [(r["valid"], r["line"], r["column"]) for r in map(json.loads, result)] == [
        (False, 4, 8),
        (True, 1, 1),
    ]


def test_what_is_no_document(documents: tuple[str, ...], seen: Seen) -> None:
    Path("latin.json").write_bytes('["ok",\n "é"]\n'.encode("latin-1"))
    result = run(*documents, "latin.json", ".", "missing", "--max-bytes", "20", "--format", "json")
    assert result.exit_code == 2
    assert [
        (r["source"], r["line"], r["column"], r["error"], r["offset"]) for r in json.loads(result.stdout)
    ] == [
        ("bad.json", 1, 1, "file-too-large", 20),
        ("latin.json", 2, 3, "not-utf-8", 9),
    ]
    seen(result.stderr.splitlines())
    seen(run(*documents[:-2], "latin.json").stdout)


@pytest.mark.parametrize("name", [(), ("-",)])
def test_standard_input_as_one_string(json_grammar: str, name: tuple[str, ...]) -> None:
    arguments = ("check", "--whole-file", "--grammar", json_grammar, *name)
    assert run(*arguments, stdin=GOOD).stderr == "1 file, 0 rejected\n"
    assert run(*arguments, stdin="[1,\n x]").stdout.startswith("<stdin>:2:2: ")
    assert run(*arguments, stdin="").stdout.startswith("<stdin>:1:1: ")
    assert run(*arguments, "--skip-empty", stdin="").stderr == "0 files, 0 rejected\n"


def test_line_ends_that_the_grammar_does_not_have(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "rules"
    path.write_bytes(b"one = two\n\ntwo = !\n")
    arguments = ("check", "--grammar", "rfc5234", "--whole-file", str(path), "--format", "jsonl")
    result = run(*arguments)
    assert json.loads(result.stdout)["offset"] == 9
    seen(result.stderr.splitlines()[:-1])
    result = run(*arguments, "--newline", "crlf")
    data = json.loads(result.stdout)
    assert (data["line"], data["column"], data["newline"]) == (3, 7, "crlf")
    assert data["input"] == "one = two\r\n\r\ntwo = !\r\n"
    assert data["offset"] == data["input"].index("!")
    seen(result.stderr.splitlines()[:-1])


LARGE = {
    "automaton": ('s = *( "a" / "b" ) "a" 20( "a" / "b" )\n', ["--budget", "steps=1"]),
    "closure": (
        "".join(f"r{n} = r{n + 1} / r{n + 1} r{n + 1}\n" for n in range(40)) + 'r40 = "a"\n',
        ["--budget", "steps=20"],
    ),
}


@pytest.mark.parametrize("report_format", ["text", "jsonl", "json", "github", "sarif", "junit"])
@pytest.mark.parametrize(("text", "options"), LARGE.values(), ids=list(LARGE))
def test_a_rule_that_the_budget_does_not_suffice_for(
    text: str, options: list[str], report_format: str, tmp_path: Path, seen: Seen
) -> None:
    """If the budget is exceeded before the first string, every string is undecided."""
    path = tmp_path / "large.abnf"
    path.write_text(text)
    result = run("check", "--grammar", str(path), *options, "--format", report_format, stdin="b\naa\n")
    assert result.exit_code == 2
    seen(result.stderr)
    match report_format:
        case "jsonl":
            results = [json.loads(line) for line in result.stdout.splitlines()]
            assert [(each["valid"], each["error"]) for each in results] == [(None, "limit-exceeded")] * 2
        case "json":
            assert [each["error"] for each in json.loads(result.stdout)] == ["limit-exceeded"] * 2
        case "sarif":
            [log] = json.loads(result.stdout)["runs"]
            assert [each["ruleId"] for each in log["results"]] == ["limit-exceeded"] * 2
        case "junit":
            cases = ElementTree.fromstring(result.stdout).iter("testcase")
            assert [each.find("error") is not None for each in cases] == [True] * 2
        case "github":
            commands = workflow_commands.read(result.stdout)
            assert [each.properties["title"].split()[0] for each in commands] == ["limit-exceeded"] * 2
        case "text":
            seen(result.stdout.count("not decided: reading one more character of a text by "))


@pytest.mark.parametrize("option", ["--suggest", "--no-suggest"])
def test_formats_say_one_sentence_where_they_search_alike(option: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.abnf"
    path.write_text("line = 1*4ALPHA\n")
    arguments = ("check", "--null", "--grammar", str(path), option, "--format")
    for text in ("ab9\n", "a b", "abcdefg", ""):
        [result] = [
            json.loads(line)["message"]
            for line in run(*arguments, "jsonl", stdin=f"{text}\0").stdout.splitlines()
        ]
        shown = run(*arguments, "text", stdin=f"{text}\0").stdout
        assert result in shown
        [command] = workflow_commands.read(run(*arguments, "github", stdin=f"{text}\0").stdout)
        assert command.data.startswith(result)


def test_several_processes_say_the_same() -> None:
    lines = "\n".join(f"http://h/{number}{' ' * (number % 2)}" for number in range(300))
    alone = run("check", "--format", "jsonl", stdin=lines)
    beside = run("check", "--format", "jsonl", "--jobs", "2", stdin=lines)
    assert (beside.stdout, beside.stderr, beside.exit_code) == (alone.stdout, alone.stderr, alone.exit_code)
    assert beside.exit_code == 1


def test_columns_of_bytes_count_characters(tmp_path: Path) -> None:
    """Viewers of SARIF decode the file; a line that is not UTF-8 has columns of bytes."""
    (tmp_path / "fields.txt").write_bytes(b"caf\xc3\xa9\x01x\ncaf\xe9\x01x\n")
    options = ("--bytes", "--grammar", "rfc9110", "--rule", "field-value", "--format", "sarif")
    result = run("check", *options, str(tmp_path / "fields.txt"))
    regions = [
        each["locations"][0]["physicalLocation"]["region"]
        for each in json.loads(result.stdout)["runs"][0]["results"]
    ]
    assert [each["startColumn"] for each in regions] == [5, 5]
    assert regions[0]["snippet"]["text"] == "caf\u00e9\x01x"


def test_bytes(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    path = tmp_path / "bytes.abnf"
    path.write_text(';@ match "#"%xFF.FE (any byte)\n;@ no-match "#", %xE9\nframe = "#" 1*OCTET\n')
    lines = b"\xef\xbb\xbf#\n#\xff\xfe\n#\n\xe9\xc3\r\n"  # a byte order mark is a part of the first string
    options = ("--bytes", "--grammar", str(path))
    checked = run("check", *options, stdin=lines)
    assert checked.exit_code == 1
    assert checked.stdout == snapshot
    assert run("check", *options, "--all", "--format", "jsonl", stdin=lines).stdout == snapshot
    assert run("check", *options, "--jobs", "2", stdin=lines).stdout == checked.stdout
    assert run("check", *options, "--whole-file", stdin=b"#\n\xff").exit_code == 0
    for name in ("explain", "parse"):
        assert run(name, *options, "#\udcff\udce9", "\u00e9").stdout == snapshot
    assert run("test", "--bytes", str(path)).exit_code == 0
    assert run("generate", *options, "--count", "1", "--how", "transitions").stdout_bytes == b"##\n"
    assert run("coverage", *options, stdin=lines).stdout == snapshot
