"""Wrong command lines: the error names close commands and options."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from abnforge.cli.app import cli
from abnforge.cli.common.misuse import OTHER_WORDS, is_file, verb_of
from tests.cli.command import fails, run
from tests.cli.tree import VERBS

# A command line, and the code and the data of its error.
LINES: list[tuple[str, str, dict[str, object]]] = [
    ("chekc", "command-unknown", {"near": ("check",)}),
    ("lnt x.abnf", "command-unknown", {"near": ("lint",)}),
    ("uri explain", "command-unknown", {"near": ("abnforge explain",)}),
    ("uri scna", "command-unknown", {"near": ("scan",)}),
    ("scan x", "command-unknown", {"near": ("abnforge uri scan",)}),
    ("man check", "command-unknown", {"near": ("abnforge --help",)}),
    ("exercise parse", "command-unknown", {"near": ("abnforge parse",)}),
    ("validate x", "command-unknown", {"near": ("abnforge check",)}),
    ("help", "command-unknown", {"near": ("abnforge --help",)}),
    ("http://a/b", "command-unknown", {"near": ("abnforge explain http://a/b",)}),
    ("own.abnf", "command-unknown", {"near": ("abnforge lint own.abnf",)}),
    ("'a b.txt'", "command-unknown", {"near": ("abnforge check 'a b.txt'",)}),
    ("qqqq", "command-unknown", {}),
    ("uri qqqq", "command-unknown", {}),
    ("check --gramar rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("check --gramar=rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("check --hlep", "option-unknown", {"near": ("--help",)}),
    ("check --compat", "option-elsewhere", {"commands": ("abnforge diff",)}),
    ("check --frobnicate", "option-unknown", {}),
    ("explain --rul host x", "option-unknown", {"near": ("--rule",)}),
    ("check -w", "option-elsewhere", {"commands": ("abnforge format",)}),
    ("--compat", "option-after-command", {"commands": ("abnforge diff",)}),
    ("--grammar rfc3986 check", "option-after-command", {}),
    ("uri --any-scheme", "option-after-command", {"commands": ("abnforge uri scan",)}),
    ("check -grammar rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("check -grammar=rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("explain -rule host x", "option-unknown", {"near": ("--rule",)}),
    ("explain -format json x", "option-unknown", {"near": ("--format",)}),
    ("-V", "option-unknown", {"near": ("abnforge --version",)}),
    ("check -V", "option-unknown", {"near": ("abnforge --version",)}),
    ("--color check", "option-color", {}),
    ("check --no-colour", "option-color", {}),
    ("check --colors=always", "option-color", {}),
    ("check --json", "option-unknown", {"near": ("--format json",)}),
    ("parse --tree x", "option-unknown", {"near": ("--format tree",)}),
    (
        "check --format jsn",
        "choice-unknown",
        {"choices": ("text", "jsonl", "json", "github", "sarif", "junit"), "near": ("json",)},
    ),
    ("check --define x", "option-malformed", {"option": "--define"}),
    ("conform --known none.toml -- true", "option-value", {"option": "--known"}),
    ("check --rule hots", "rule-name-unknown", {"near": ("host",)}),
    ("check --grammar rfc398", "grammar-unknown", {}),
    ("check --grammar frob", "grammar-unknown", {}),
    ("code scheme-mising", "code-unknown", {"grammar": "rfc3986", "near": ("scheme-missing",)}),
    ("exercise show tme-24", "exercise-unknown", {}),
    (
        "check --grammar rfc3986:host",
        "name-unknown-hint",
        {"near": ("abnforge check --grammar rfc3986 --rule host",)},
    ),
    (
        "check --rule rfc3986:host",
        "name-unknown-hint",
        {"near": ("abnforge check --grammar rfc3986 --rule host",)},
    ),
    ("check --rule rfc398:host", "rule-name-unknown", {}),
    ("show own.abnf", "name-unknown-hint", {"near": ("abnforge show --grammar own.abnf",)}),
    (
        "generate own.abnf",
        "arguments-extra",
        {"arguments": ("own.abnf",), "near": ("abnforge generate --grammar own.abnf",)},
    ),
    (
        "generate rfc3339",
        "arguments-extra",
        {"arguments": ("rfc3339",), "near": ("abnforge generate --grammar rfc3339",)},
    ),
    ("generate no-such", "arguments-extra", {"arguments": ("no-such",)}),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.abnf").write_text("start = 1*ALPHA\n", "utf-8")
    Path("a b.txt").write_text("x\n", "utf-8")


@pytest.mark.parametrize(("line", "code", "data"), LINES)
def test_wrong_command_lines(line: str, code: str, data: dict[str, object]) -> None:
    result = run(*shlex.split(line), stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    fails(result, code, **data)


@pytest.mark.parametrize("line", [["check", "--", "-grammar"], ["explain", "--", "-format", "x"]])
def test_behind_two_hyphens_nothing_is_an_option(line: list[str]) -> None:
    assert run(*line).code != "option-unknown"


def test_passwords_are_not_told() -> None:
    assert "secret" not in run("http://u:secret@h/").stderr
    assert "secret" not in run("check", "--format", "http://u:secret@h/").stderr


@pytest.mark.parametrize(
    "line",
    [["\x1b[31m"], ["check", "--\x1b[31m"], ["generate", "\x1b[31m"], ["check", "-g", "\x1b"]],
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
    ("name", "answer"), [("own.abnf", True), (".", False), ("a\0", False), ("x" * 9999, False)]
)
def test_is_file(name: str, answer: bool) -> None:
    assert is_file(name) is answer
