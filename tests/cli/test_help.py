"""Examples in help texts: click parses all of them, and the tests run all that can be run."""

from __future__ import annotations

import re
import shlex
from inspect import cleandoc
from pathlib import Path

import click
import pytest

from abnforge.cli.app import cli
from abnforge.cli.common.groups import CONTEXT, GrammarOption, PolicyOption
from abnforge.cli.common.misuse import called
from tests.cli.command import run
from tests.cli.command_tree import VERBS
from tests.law import each_row, one_in

GRAMMAR = """\
;@ match "80", "1", ""
;@ no-match "x", "8x", " "
port = *DIGIT
start = message
message = "some text" / 1*word
word = 1*ALPHA
hostname = word *( "." word )
"""
MISTAKES = ';@ of port; blame all; fix none; say "a star"\nmy-star = "*"\n'
MINE = """\
[[exercise]]
id = "dates"
title = "Dates"
level = 1
lesson = "ours"
task = "Match a date."
rule = "date"
reference = 'date = 4DIGIT "-" 2DIGIT'
hints = ["Count."]
valid = ["2026-11"]
invalid = ["2026"]
"""
TIME = 'time = 2DIGIT ":" 2DIGIT\n'  # a listed misconception, which is recognized quickly
DRAFT = "# A\n\n~~~ abnf\npair = name\nname = 1*ALPHA\n~~~\n"
RFC = '1.  Grammar\n\n   pair  = name "=" name\n   name  = 1*ALPHA\n\n2.  End\n'
# Files for the examples.
FILES = {
    **dict.fromkeys(("my.abnf", "json.abnf", "old.abnf", "new.abnf"), GRAMMAR),
    **dict.fromkeys(("others.abnf", "my-own.abnf", "my-own.mistakes.abnf"), MISTAKES),
    "known.toml": "",
    "nightly.toml": "source = ['links.txt']\ncolumn = ['line']\n",
    "links.txt": "http://h/\na b\n",
    "notes.txt": "see http://h/\n",
    "mail.txt": "see http://h/\n",
    "README.md": "see http://h/\n",
    "docs/a.md": "see http://h/\n",
    "strings.txt": "some text\n",
    "settings.json": "some text",
    "corpus/a.txt": "some text\n",
    "tests/a.json": "80",
    "addresses.txt": "a@example.com\n",
    "other.ebnf": 'pair = name, "=", name;\nname = "a" | "b";\n',
    "rfc9110.txt": RFC,
    "draft.md": DRAFT,
    "http.md": "``` abnf\nHTTP-message = *VCHAR CRLF\n```\n\n``` http-message\nx\n```\n",
    "draft-ietf-example.xml": "<rfc><middle><sourcecode type='abnf'>a = 1*ALPHA</sourcecode></middle></rfc>",
    "time-24.abnf": TIME,
    "answer.txt": TIME,
    "class/a.abnf": f"; exercise: time-24\n{TIME}",
    "mine.toml": MINE,
    "exercises.toml": MINE,
    "dates.abnf": 'date = 4DIGIT "-" 2DIGIT\n',
    "all.toml": "[implementations.int]\npython = 'builtins:int'\nraises = true\n",
    "check.py": "import re, sys\nsys.exit(not re.fullmatch('[0-9]*', sys.argv[1]))\n",
}
# Commands whose examples are only parsed: command -> reason.
READ = {
    "split": "columns are files of other libraries; tests of split run such lines",
    "playground": "it goes on until it is interrupted, and what it needs is fetched",
    "server": "it goes on until an editor says no more",
    "completion": "it writes into the home folder",
}
# Examples that are only parsed: example -> program that it requires.
READ_EXAMPLES = {
    "conform --rule URI --protocol jsonl --jobs 2 -- node check.js": "Node.js",
    "conform --rule port --known known.toml --format junit -- ./check": "a program",
}


def examples(help: str) -> list[str]:
    """Return the lines below ``Examples:``, without their explanations."""
    block = re.search(r"^Examples:\n((?: .*\n?)*)", cleandoc(help), re.MULTILINE)
    lines = block[1].splitlines() if block else []
    return [re.split(r" {3,}", line.strip())[0] for line in lines if line.strip()]


# Substrings that identify slow examples, which take seconds.
LONG = ("--kind suite --rule URI", "code --grammar rfc3987", "code --list", "exercise new --kind recursion")

ALL = [(words, line) for words, verb in VERBS.items() for line in examples(verb.help or "")]


def commands(line: str) -> list[tuple[list[str], str | None]]:
    """Return the abnforge commands in a shell line, each with the file that it reads.

    In the examples, only abnforge writes to pipes whose content matters. Other pipes, and redirections to
    files, are ignored.
    """
    results = []
    for part in re.split(r" \| ", line):
        if not part.startswith("abnforge "):
            continue
        part, _, _ = part.partition(" > ")
        part, _, source = part.partition(" < ")
        words = shlex.split(part)[1:]
        results.append((words, source or None))
    return results


HELP_LINES = {(): 40, ("split",): 62}  # maximum number of lines of top-level help
WIDTH = 78  # click keeps 2 of the 80 columns free


def test_help_fits(capsys: pytest.CaptureFixture[str]) -> None:
    """Grammar options have their own section, and lines have at most 80 columns."""
    for words, verb in VERBS.items():
        with pytest.raises(SystemExit):
            cli.main([*words, "--help"], prog_name="abnforge", terminal_width=WIDTH)
        text = capsys.readouterr().out
        lines = text.splitlines()
        assert len(lines) <= HELP_LINES.get(words, 60), words
        assert [line for line in lines if len(line) > 80] == []
        assert not re.search(r"\b(INTEGER|FLOAT|RANGE)\b", text), words
        _, title, grammar = text.partition("\nGrammar options:\n")
        options = [each for each in verb.params if isinstance(each, GrammarOption)]
        assert bool(options) is bool(title), words
        assert all(f" {each.opts[-1]} " in grammar for each in options), words


def test_check_has_few_options_of_its_own() -> None:
    parameters = VERBS["check",].params
    own = [each for each in parameters if isinstance(each, click.Option)]
    assert len([each for each in own if not isinstance(each, GrammarOption | PolicyOption)]) <= 16


def test_every_command_has_some() -> None:
    assert [words for words, verb in VERBS.items() if words and not examples(verb.help or "")] == []
    assert len(ALL) > 100


@each_row(("words", "line"), one_in(3, ALL))
def test_an_example_is_of_its_command(words: tuple[str, ...], line: str) -> None:
    """An example calls the documented command or a related command."""
    paths = [called(cli, command)[0] for command, _ in commands(line)]
    assert paths
    assert all(paths)


def folder(path: Path) -> None:
    for name, text in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, "utf-8")


def expanded(words: list[str]) -> list[str]:
    """Expand file name patterns as a shell would, in a directory with one grammar."""
    results: list[str] = []
    for word in words:
        names = ["my.abnf", "new.abnf"] if word == "*.abnf" else sorted(map(str, Path().glob(word)))
        results += names or [word]
    return results


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.slow if any(part in line for part in LONG) or place % 5 else ())
        for place, line in enumerate(sorted({line for _, line in ALL}))
    ],
)
def test_examples_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Successful commands exit with 0, or with 1 if they found something."""
    folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    for words, source in commands(line):
        words = expanded(words) if "*" in line and "'" not in line else words
        path, verb = called(cli, words)
        if " ".join(path) in READ or " ".join(words) in READ_EXAMPLES:
            verb.make_context("abnforge", words[len(path) :], parent=click.Context(cli, **CONTEXT))
            continue
        if "railroad" in words:
            pytest.importorskip("railroad")
        if "html" in words:
            pytest.importorskip("jinja2")
        if "new" in words:
            Path("dates.abnf").unlink()
        result = run(*words, stdin=Path(source).read_text("utf-8") if source else "http://h/\n")
        assert result.exit_code in (0, 1), result.stderr
        assert "Traceback" not in result.output


def test_examples_that_do_not_run_exist() -> None:
    assert all(any(part in line for _, line in ALL) for part in LONG)
    shown = {" ".join(words) for _, line in ALL for words, _ in commands(line)}
    assert shown >= READ_EXAMPLES.keys()
    assert {" ".join(words) for words in VERBS} >= READ.keys()
