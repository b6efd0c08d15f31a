"""Wrong command lines: the first line of the complaint says what was probably meant."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from abnforge.cli.app import cli
from abnforge.cli.common.misuse import OTHER_WORDS, asked, is_file, verb_of
from tests.cli.command import run
from tests.cli.tree import VERBS

# A command line, and how the first line on standard error goes on behind "Error: " or "abnforge: ".
LINES = [
    # verbs
    ("chekc", "No such command 'chekc'; did you mean 'check'?"),
    ("lint x.abnf", "No such command 'lint'; did you mean 'abnforge grammar lint'?"),
    ("lnt x.abnf", "No such command 'lnt'; did you mean 'abnforge grammar lint'?"),
    ("list", "No such command 'list'; did you mean 'abnforge grammar list' or 'abnforge exercise list'?"),
    ("grammar explain", "No such command 'explain'; did you mean 'abnforge explain'?"),
    ("grammar tset", "No such command 'tset'; did you mean 'test'?"),
    ("grammar lnit x", "No such command 'lnit'; did you mean 'lint'?"),
    ("man check", "No such command 'man'; did you mean 'abnforge --help'?"),
    ("exercise parse", "No such command 'parse'; did you mean 'abnforge parse'?"),
    ("validate x", "No such command 'validate'; did you mean 'abnforge check'?"),
    ("help", "No such command 'help'; did you mean 'abnforge --help'?"),
    ("http://a/b", "No such command 'http://a/b'; did you mean 'abnforge explain http://a/b'?"),
    ("own.abnf", "No such command 'own.abnf'; did you mean 'abnforge grammar lint own.abnf'?"),
    ("'a b.txt'", "No such command 'a b.txt'; did you mean \"abnforge check 'a b.txt'\"?"),
    ("qqqq", "No such command 'qqqq'. There are: check, explain, "),
    ("grammar qqqq", "No such command 'qqqq'. There are: list, new, show, "),
    # options
    ("check --gramar rfc3986", "No such option '--gramar'; did you mean '--grammar'?"),
    ("check --gramar=rfc3986", "No such option '--gramar'; did you mean '--grammar'?"),
    ("check --hlep", "No such option '--hlep'; did you mean '--help'?"),
    ("check --words", "No such option '--words' here; 'abnforge grammar show' has it."),
    ("check --frobnicate", "No such option '--frobnicate'."),
    ("explain --rul host x", "No such option '--rul'; did you mean '--rule'? Put \"--\" before strings tha"),
    ("check -w", "No such option '-w' here; 'abnforge grammar fmt' has it."),
    ("--words", "No such option '--words' before the verb; write it behind one that has it: 'abnforge gram"),
    ("--grammar rfc3986 check", "No such option '--grammar' before the verb; write it behind one that has"),
    ("grammar --strict", "No such option '--strict' before the verb; write it behind one that has it: 'abn"),
    ("check -grammar rfc3986", "No such option '-grammar'; did you mean '--grammar'?"),
    ("check -grammar=rfc3986", "No such option '-grammar'; did you mean '--grammar'?"),
    ("explain -rule host x", "No such option '-rule'; did you mean '--rule'?"),
    ("explain -format json x", "No such option '-format'; did you mean '--format'?"),
    ("-V", "No such option '-V'; did you mean 'abnforge --version'?"),
    ("check -V", "No such option '-V'; did you mean 'abnforge --version'?"),
    ("--color check", "No such option '--color'; the environment says it: NO_COLOR=1 for none, FORCE_COLOR="),
    ("check --no-colour", "No such option '--no-colour'; the environment says it: NO_COLOR=1 for none, FO"),
    ("check --colors=always", "No such option '--colors'; the environment says it: NO_COLOR=1 for none, FO"),
    ("check --json", "No such option '--json'; did you mean '--format json'?"),
    ("parse --tree x", "No such option '--tree'; did you mean '--format tree'? Put \"--\" before strings"),
    # values
    ("check --format jsn", "Invalid value for '-f' / '--format': 'jsn' is not one of 'text', 'jsonl', 'jso"),
    ("check --rule hots", "no rule 'hots' in grammar rfc3986; did you mean host?"),
    ("check --grammar rfc398", "no grammar 'rfc398'; did you mean rfc3987 or rfc3986 or rfc3339? It is nei"),
    ("check --grammar frob", "no grammar 'frob': neither a bundled one (rfc2396, "),
    ("rule scheme-mising", "rfc3986 has no code 'scheme-mising' ('abnforge grammar mistakes rfc3986' lists"),
    ("exercise show tme-24", "there is no exercise tme-24; did you mean time-24"),
    ("check --grammar rfc3986:host", "no grammar 'rfc3986:host'; did you mean 'abnforge check --grammar rf"),
    ("check --rule rfc3986:host", "no rule 'rfc3986:host'; did you mean 'abnforge check --grammar rfc3986"),
    ("check --rule rfc398:host", "no rule 'rfc398:host' in grammar rfc3986"),
    # grammars that are no option's value
    ("grammar show own.abnf", "no rule 'own.abnf' in grammar rfc3986; did you mean 'abnforge grammar show"),
    ("grammar generate own.abnf", "Got unexpected extra argument (own.abnf); did you mean 'abnforge gramma"),
    ("grammar generate rfc3339", "Got unexpected extra argument (rfc3339); did you mean 'abnforge grammar"),
    ("grammar generate no-such", "Got unexpected extra argument (no-such)"),
    # strings for files
    ("check http://a/", "cannot read http://a/: No such file or directory; strings themselves are judged b"),
    ("check mailto:x", "cannot read mailto:x: No such file or directory; strings themselves are judged by"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.abnf").write_text("start = 1*ALPHA\n", "utf-8")
    Path("a b.txt").write_text("x\n", "utf-8")


@pytest.mark.parametrize(("line", "told"), LINES)
def test_the_first_line_says_it(line: str, told: str) -> None:
    result = run(*shlex.split(line), stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    first = result.stderr.splitlines()[0]
    assert first.removeprefix("Error: ").removeprefix("abnforge: ").startswith(told)


def test_usage_comes_behind_it() -> None:
    assert run("check", "--format", "jsn").stderr.splitlines() == [
        "Error: Invalid value for '-f' / '--format': 'jsn' is not one of 'text', 'jsonl', 'json', 'github', "
        "'sarif', 'junit'; did you mean 'json'?",
        "Usage: abnforge check [OPTIONS] [FILE]...",
        "Try 'abnforge check --help' for help.",
    ]


@pytest.mark.parametrize("line", [["check", "--", "-grammar"], ["explain", "--", "-format", "x"]])
def test_behind_two_hyphens_nothing_is_an_option(line: list[str]) -> None:
    assert "No such option" not in run(*line).stderr


def test_passwords_are_not_told() -> None:
    assert "secret" not in run("http://u:secret@h/").stderr
    assert "secret" not in run("check", "--format", "http://u:secret@h/").stderr


@pytest.mark.parametrize(
    "line",
    [["\x1b[31m"], ["check", "--\x1b[31m"], ["grammar", "generate", "\x1b[31m"], ["check", "-g", "\x1b"]],
)
def test_what_is_quoted_is_safe(line: list[str]) -> None:
    result = run(*line)
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "\\x1b" in result.stderr


@pytest.mark.parametrize("words", OTHER_WORDS.values())
def test_other_words_lead_to_verbs_and_options(words: str) -> None:
    path, verb = verb_of(cli, words.split())
    rest = words.split()[len(path) :]
    assert path in VERBS
    assert not isinstance(verb, click.Group) or not path
    assert set(rest[:1]) <= {"--help", *(name for each in verb.params for name in each.opts)}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], ""),
        (["a"], "; did you mean 'a'?"),
        (["a", "b"], "; did you mean 'a' or 'b'?"),
        (["\x1b"], "; did you mean '\\x1b'?"),
    ],
)
def test_asked(names: list[str], told: str) -> None:
    assert asked(names) == told


@pytest.mark.parametrize(
    ("name", "answer"), [("own.abnf", True), (".", False), ("a\0", False), ("x" * 9999, False)]
)
def test_is_file(name: str, answer: bool) -> None:
    assert is_file(name) is answer
