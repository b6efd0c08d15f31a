"""The verbs, run in this process: options, formats, exit statuses, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from abnforge.cli.app import cli
from abnforge.cli.common.options import ENGINES

VALID = "http://example.com/"
INVALID = "http://exa mple.com/"


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, arguments, input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def grammar(tmp_path: Path) -> str:
    path = tmp_path / "list.abnf"
    path.write_text(
        'start = word *("," word)\nword = 1*ALPHA\nnest = "(" [nest] ")"\nprose = <see elsewhere>\n'
    )
    return str(path)


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
    (["explain", VALID], None, 0),
    (["explain", VALID, INVALID], None, 1),
    (["explain"], INVALID, 1),
    (["explain", "-"], VALID, 0),
    (["explain", "--", "-x:y"], None, 1),
    (["explain", "a\udcff:"], None, 2),
    (["parse", VALID], None, 0),
    (["parse", INVALID], None, 1),
    (["parse", "--grammar", "rfc5234", "--format", "components", "x"], None, 2),
    (["grammar", "list"], None, 0),
    (["grammar", "show", "no-such-rule"], None, 2),
    (["grammar", "compile", "no-such-file.abnf"], None, 2),
    (["chekc"], None, 2),
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


def test_engine_names_are_the_library_s() -> None:
    from abnforge.engine import rule as grammar

    assert grammar.ENGINES == ENGINES


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


def test_no_suggest() -> None:
    with_, without = (
        json.loads(run("explain", "--format", "jsonl", *option, INVALID).stdout)["suggestion"]
        for option in ([], ["--no-suggest"])
    )
    assert with_ is not None
    assert without is None


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_passwords_are_masked_when_asked(verb: str) -> None:
    lines = "http://me:secret@h/\nhttp://me:secret@h/ x\n"
    assert "secret" in run(verb, stdin=lines).output
    masked = run(verb, "--mask-passwords", stdin=lines)
    assert "secret" not in masked.output
    assert "me:******@h" in masked.output


def test_a_masked_string_need_not_be_valid_itself(tmp_path: Path) -> None:
    path = tmp_path / "letters.abnf"
    path.write_text('login = "//" 1*ALPHA ":" 1*ALPHA "@" 1*ALPHA\n')
    masked = ("parse", "--mask-passwords", "--grammar", str(path), "//me:secret@h")
    assert run(*masked).stdout.startswith('login  "//me:******@h"\n')
    [record] = map(json.loads, run(*masked, "--format", "json").stdout.splitlines())
    assert record["valid"] is True
    assert "secret" not in json.dumps(record)


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


def test_parse_components() -> None:
    lines = run("parse", "http://u@0x7f.1:/a/?q").stdout.splitlines()
    rows = dict(line.split(maxsplit=1) for line in lines[1:] if "kind" not in line)
    assert lines[0] == 'URI  "http://u@0x7f.1:/a/?q"'
    assert rows["scheme"] == '"http"'
    assert rows["port"] == '""'
    assert rows["fragment"] == "undefined"
    assert any(line.split() == ["host", "kind", "reg-name"] for line in lines)


def test_parse_by_rfc_2396() -> None:
    assert '"a"' in run("parse", "--grammar", "rfc2396", "http://a/b").stdout


def test_parse_tree(grammar: str) -> None:
    result = run("parse", "--grammar", grammar, "ab,c")
    assert result.stdout == (
        'start  "ab,c"\n  word  "ab"\n    ALPHA  "ab"  (2 times)\n  ","\n  word  "c"\n    ALPHA  "c"\n'
    )


def test_parse_tree_speaks_abnf() -> None:
    assert "  hier-part  " in run("parse", "--format", "tree", VALID).stdout


def test_parse_json() -> None:
    valid, invalid = map(json.loads, run("parse", "--format", "json", VALID, INVALID).stdout.splitlines())
    assert valid["components"]["host"] == "example.com"
    assert (valid["tree"]["rule"], valid["tree"]["end"]) == ("URI", len(VALID))
    assert invalid["valid"] is False


def test_a_rule_without_components_has_a_tree() -> None:
    assert run("parse", "--rule", "port", "80").stdout.startswith('port  "80"\n')
    assert "--format tree" in run("parse", "--rule", "port", "--format", "components", "80").stderr


def test_deeply_nested_input(grammar: str) -> None:
    deep = "(" * 300 + ")" * 300
    result = run("parse", "--grammar", grammar, "--rule", "nest", deep)
    assert result.exit_code == 0
    assert "(level " in result.stdout


def test_grammar_list() -> None:
    assert "rfc3986 " in run("grammar", "list").stdout
    rows = {row["name"]: row for row in json.loads(run("grammar", "list", "--format", "json").stdout)}
    assert rows["rfc3986"]["default_rule"] == "URI"
    assert rows["rfc2396"]["rules"] > 40
    assert rows["abnf:rfc9110"]["origin"] == "abnf"


def test_grammar_show() -> None:
    text = run("grammar", "show", "HOST").stdout
    assert text.splitlines()[0].split() == ["host", "=", "IP-literal", "/", "IPv4address", "/", "reg-name"]
    assert "uses     IP-literal, IPv4address, reg-name\n" in text
    assert "used by  authority\n" in text
    [facts] = json.loads(run("grammar", "show", "--format", "json", "host").stdout)
    assert facts["used_by"] == ["authority"]


def test_grammar_show_whole_file_reads_back(grammar: str, tmp_path: Path) -> None:
    shown = run("grammar", "show", "--grammar", grammar).stdout
    again = tmp_path / "again.abnf"
    again.write_text(shown)
    assert run("grammar", "show", "--grammar", str(again)).stdout == shown


def test_grammar_compile(grammar: str, tmp_path: Path) -> None:
    from lark import Lark

    whole = run("grammar", "compile", grammar).stdout
    target = tmp_path / "out.lark"
    assert run("grammar", "compile", grammar, "--rule", "start", "-o", str(target)).stdout == ""
    part = target.read_text()
    assert "nest" in whole
    assert "nest" not in part
    assert Lark(part, start="start").parse("ab,c").data == "start"


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
        (["chekc"], "check"),
        (["grammar", "shwo"], "show"),
        (["explain", "-x"], '"--"'),
    ],
)
def test_near_misses(arguments: list[str], near: str) -> None:
    assert near in run(*arguments, stdin="").stderr


@pytest.mark.parametrize("verb", [["check"], ["explain"], ["parse"], ["grammar"], ["grammar", "list"]])
def test_help_has_examples(verb: list[str]) -> None:
    assert run(*verb, "-h").stdout == run(*verb, "--help").stdout
    assert "Examples:\n" in run(*verb, "-h").stdout


def test_version() -> None:
    from abnforge import __version__

    assert run("--version").stdout == f"abnforge {__version__}\n"


def test_completion() -> None:
    from click.shell_completion import ShellComplete

    complete = ShellComplete(cli, {}, "abnforge", "_ABNFORGE_COMPLETE")
    grammars = [item.value for item in complete.get_completions(["check", "--grammar"], "rfc39")]
    assert "rfc3986" in grammars
    rules = [item.value for item in complete.get_completions(["check", "-g", "rfc2396", "--rule"], "abs")]
    assert rules == ["absoluteURI", "abs-path"]
    assert complete.get_completions(["check", "-g", "no-such", "--rule"], "a") == []
    shown = [item.value for item in complete.get_completions(["grammar", "show"], "IPv4")]
    assert shown == ["IPv4address"]
