"""``abnforge explain``: explanations, formats, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import INVALID, VALID, Seen, fails, masks_passwords_when_asked, run
from tests.law import each_row

STATUSES = [
    (["explain", VALID], None, 0),
    (["explain", VALID, INVALID], None, 1),
    (["explain"], INVALID, 1),
    (["explain", "-"], VALID, 0),
    (["explain", "--", "-x:y"], None, 1),
    (["explain", "a\udcff:"], None, 2),
]


@each_row(("arguments", "stdin", "status"), STATUSES)
def test_exit_status(arguments: list[str], stdin: str | None, status: int) -> None:
    assert run(*arguments, stdin=stdin).exit_code == status


def test_explain_text(seen: Seen) -> None:
    first, second = run("explain", VALID, INVALID).stdout.split("\n\n")
    assert first == f"valid: URI (RFC 3986)\n    {VALID}"
    seen(second)
    assert second.splitlines()[2] == " " * 14 + "^"


def test_explain_json() -> None:
    records = json.loads(run("explain", "--format", "json", VALID, INVALID).stdout)
    assert [(r["source"], r["line"], r["valid"]) for r in records] == [
        ("<argument>", 1, True),
        ("<argument>", 2, False),
    ]


def test_no_suggest() -> None:
    with_, without = (
        json.loads(run("explain", "--format", "jsonl", *option, "http://a/b c").stdout)["suggestion"]
        for option in ([], ["--no-suggest"])
    )
    assert with_ is not None
    assert without is None


def test_all_fixes(seen: Seen) -> None:
    arguments = ["--grammar", "rfc8259", "--rule", "JSON-text", "--all-fixes"]
    output = run("explain", *arguments, "[[1,2").stdout
    seen(output[output.index("  all fixes") : output.index("  see")])
    (record,) = json.loads(run("explain", *arguments, "--format", "json", "[[1,2").stdout)
    assert record["repairs"][0]["text"] == "[[1,2]]"
    assert [each["text"] for each in record["repairs"][0]["edits"]] == ["]", "]"]
    assert {each["cost"] for each in record["repairs"]} == {2}
    assert record["repairs_complete"] is True
    (record,) = json.loads(run("explain", "--format", "json", "a b").stdout)
    assert "repairs" not in record
    fails(
        run("explain", "--all-fixes", "--teach", "a b"),
        "option-excluded",
        option="--all-fixes",
        other="--teach",
    )


def test_passwords_are_masked_on_request() -> None:
    masks_passwords_when_asked("explain")


def test_near_miss_of_a_string_that_looks_like_an_option() -> None:
    fails(run("explain", "-x", stdin=""), "option-or-string", option="-x")


def test_whole_files_are_explained_behind_their_names(json_grammar: str, tmp_path: Path, seen: Seen) -> None:
    bad, good, broken = (tmp_path / name for name in ("bad", "good", "broken"))
    bad.write_text("[1,\n 2,\n 3,\n nul]\n")
    good.write_text("[\n]\n")
    broken.write_bytes(b"[\n\xff]")
    paths = [str(path) for path in (bad, good, broken)]
    arguments = ("explain", "--whole-file", "--grammar", json_grammar, "--no-suggest", *paths)
    result = run(*arguments)
    first, second, third = result.stdout.split("\n\n")
    lines = first.split("\n")
    seen(lines[0])
    assert lines[1:5] == ["    2 |  2,", "    3 |  3,", "    4 |  nul]", "         ^^^"]
    assert second == f"{good}: valid: JSON-text (json)\n    [\\n]\\n"
    seen(third)
    assert result.exit_code == 1
    records = json.loads(run(*arguments, "--format", "json").stdout)
    assert [(r["source"], r["line"], r["column"]) for r in records] == [
        (paths[0], 4, 2),
        (paths[1], 1, 1),
        (paths[2], 2, 1),
    ]


def test_whole_files_advise_a_conversion(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "f"
    path.write_bytes(b'a = "x"\r\n')
    grammar = tmp_path / "g.abnf"
    grammar.write_text("doc = 1*( 1*VCHAR *( SP 1*VCHAR ) LF )\n")
    arguments = ("explain", "--whole-file", "--grammar", str(grammar), str(path))
    seen(run(*arguments).stderr)
    assert run(*arguments, "--newline", "lf").exit_code == 0
