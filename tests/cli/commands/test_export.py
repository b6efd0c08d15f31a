"""``abnforge export``: output files, all components, unsupported rules."""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from abnforge.integrations import sql
from abnforge.integrations.sql import DATABASES
from abnforge.regex.dialects import DIALECTS
from tests.cli.command import Seen, fails
from tests.cli.command import run as command
from tests.law import each_row

run = partial(command, "export")


def test_the_pattern_alone_goes_to_standard_output() -> None:
    result = run("--rule", "scheme", "--to", "rust")
    assert result.stdout == r"\A(?:[A-Za-z][+\-.0-9A-Za-z]*)\z" + "\n"
    assert "Regex::new" in result.stderr
    assert run("--rule", "scheme", "--to", "rust", "--quiet").stderr == ""
    assert run("--rule", "scheme", "--to", "rust", "--no-anchors").stdout == "[A-Za-z][+\\-.0-9A-Za-z]*\n"


COMPONENTS = [
    ("rfc3986", "URI", {"scheme", "authority", "userinfo", "host", "port", "query", "fragment"}),
    ("rfc2396", "absoluteURI", {"scheme", "authority", "userinfo", "host", "port", "query", "abs_path"}),
    ("rfc3987", "IRI", {"scheme", "iauthority", "iuserinfo", "ihost", "port", "iquery", "ifragment"}),
]


@pytest.mark.parametrize(("grammar", "rule", "names"), COMPONENTS)
def test_all_components(grammar: str, rule: str, names: set[str]) -> None:
    pattern = run("-g", grammar, "-r", rule, "--to", "re2", "--groups", "all-components").stdout
    assert names <= set(re.findall(r"\(\?P<(\w+)>", pattern))


FAILURES = [
    (["--to", "perl"], "choice-unknown"),
    (["--to", "re2", "--rule", "hots"], "rule-name-unknown"),
    (["--to", "re2", "--groups", "host,prot"], "rule-name-unknown"),
    (["--to", "sql", "--groups", "host"], "export-groups"),
    (
        ["--to", "re2", "--rule", "pchar", "--groups", "all-components"],
        "groups-unavailable",
    ),
    (["--to", "re2", "--grammar", "rfc5234"], "rule-not-regular"),
    ([], "export-target-missing"),
    (
        ["--to", "re2", "--check", "duckdb", "--column", "url"],
        "option-excluded",
    ),
    (["--to", "re2", "--column", "url"], "option-requires"),
    (["--check", "duckdb"], "constraint-column-missing"),
    (["--check", "duckdb", "--column", ""], "option-empty"),
    (["--check", "duckdb", "--column", "url", "--groups", "host"], "option-excluded"),
    (["--check", "duckdb", "--column", "url", "--no-anchors"], "option-excluded"),
    (["--check", "oracle", "--column", "url"], "choice-unknown"),
    (["--check", "duckdb", "--column", "url", "--grammar", "rfc5234"], "rule-not-regular"),
]


@each_row(("arguments", "message"), FAILURES)
def test_failures(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    fails(result, message)
    assert result.stdout == ""


@pytest.mark.parametrize("database", DATABASES)
def test_a_constraint_and_what_it_needs(database: str) -> None:
    result = run("--rule", "scheme", "--check", database.upper(), "--column", "the column")
    assert result.exit_code == 0
    assert result.stdout == sql.check("rfc3986:scheme", database, "the column") + "\n"
    assert DATABASES[database].needs in result.stderr
    assert run("--rule", "scheme", "--check", database, "--column", "url", "--quiet").stderr == ""


def test_help_lists_targets_and_databases() -> None:
    text = run("--help").stdout
    assert all(f"\n    {name} " in text for name in DIALECTS)
    assert all(name in text for name in DATABASES)


def test_a_limit_is_told_by_its_setting(tmp_path: Path, seen: Seen) -> None:
    """The message names the option, and not the share of the budget for the automaton that was exceeded."""
    path = tmp_path / "large.abnf"
    path.write_text('s = *( "a" / "b" ) "a" 20( "a" / "b" )\n')
    message = run("--grammar", str(path), "--to", "java").stderr
    seen(message)
    seen(message)


def test_a_lark_grammar(grammar: str, tmp_path: Path) -> None:
    from lark import Lark

    whole = run("--to", "lark", "--grammar", grammar).stdout
    target = tmp_path / "out.lark"
    assert run("--to", "lark", "-g", grammar, "--rule", "start", "-o", str(target)).stdout == ""
    part = target.read_text()
    assert "nest" in whole
    assert "nest" not in part
    assert Lark(part, start="start").parse("ab,c").data == "start"


def test_the_budget_counts(tmp_path: Path) -> None:
    path = tmp_path / "small.abnf"
    path.write_text('small = "x"\n')
    result = run("--to", "lark", "-g", str(path), "--budget", "steps=5")
    assert result.stdout == ""
    fails(result, "limit-steps")


@each_row(
    "options",
    [
        "--rule URI --part scheme",
        "--rule 'scheme - host' --name only_scheme",
        "--grammar spec/small.abnf --rule d --allow-undefined --lists sender --budget 10x",
        "--grammar spec/small.abnf --import more.abnf --define 'b = c'",
    ],
)
def test_the_command_in_a_file_writes_the_file(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec").mkdir(exist_ok=True)
    Path("spec/small.abnf").write_text('a = 1#"a" / b\nd = 1#"a"\n')
    Path("more.abnf").write_text('c = "c"\nOWS = *SP\n')
    assert run("--to", "code-python", *shlex.split(options), "-o", "spec/rule.py").stderr == ""
    written = Path("spec/rule.py").read_text()
    header = written.partition("\n# Grammar: ")[0].partition("# Command: abnforge export ")[2]
    Path("spec/rule.py").unlink()
    assert run(*shlex.split(header.replace("\n#", ""))).stderr == ""
    assert Path("spec/rule.py").read_text() == written


def test_a_file_shows_its_linked_rules_and_no_folders(tmp_path: Path) -> None:
    path = tmp_path / "small.abnf"
    path.write_text("a = b\n")
    files = []
    for text in ('b = "b"', 'b = "c"'):
        file = run("-g", str(path), "--define", text, "--to", "code-c", "-o", str(tmp_path / "a.h"))
        assert file.stderr == ""
        files.append((tmp_path / "a.h").read_text())
    assert str(tmp_path) not in "".join(files)
    digests = [re.findall(r"SHA-256 of [\w ]+: \w{64}", file) for file in files]
    assert digests[0][0] == digests[1][0]
    assert digests[0][1] != digests[1][1]
