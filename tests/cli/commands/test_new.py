"""``abnforge new`` writes a starter grammar to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.teaching.templates import TEMPLATES, new_grammar
from tests.cli.command import answers, offered, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_file_and_output() -> None:
    result = run("new", "settings")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("settings.abnf").read_bytes() == new_grammar("settings").text.encode()
    head, *commands = result.stdout.splitlines()
    assert head == "wrote settings.abnf; next:"
    assert [line.split()[:2] for line in commands[:2]] == [["abnforge", each] for each in ("test", "lint")]
    assert len(commands) == 3


@pytest.mark.parametrize("like", TEMPLATES)
def test_test_and_lint_are_content(like: str) -> None:
    assert run("new", "own.abnf", "--like", like).exit_code == 0
    assert run("test", "own.abnf").exit_code == 0
    assert run("lint", "--strict", "--all", "own.abnf").exit_code == 0


def test_the_templates_offered_are_the_library_s() -> None:
    assert offered("like", "new") == list(TEMPLATES)


def test_a_file_that_is_there_stays() -> None:
    Path("own.abnf").write_text("mine", "utf-8")
    answers(["new", "own"], 2, "", "file-exists")
    assert Path("own.abnf").read_text("utf-8") == "mine"
    answers(["new", "own", "--force"], 0, "wrote own.abnf", "")
    assert Path("own.abnf").read_text("utf-8") == new_grammar("own").text


@pytest.mark.parametrize(
    ("name", "file", "rule"),
    [
        ("my dates", "my dates.abnf", "my-dates"),
        ("pair", "pair.abnf", "pair-text"),
        ("a/b.abnf", "a/b.abnf", "b"),
    ],
)
def test_names(name: str, file: str, rule: str) -> None:
    Path("a").mkdir()
    result = run("new", name)
    assert Path(file).read_text("utf-8") == new_grammar(rule).text
    assert (f'"{rule}"' in result.stderr) is (Path(file).stem != rule)


def test_from_a_rule_of_a_file_elsewhere() -> None:
    Path("a").mkdir()
    Path("b").mkdir()
    Path("a/word.abnf").write_text("word = 1*ALPHA\n", "utf-8")
    assert run("new", "b/own", "--from", "a/word.abnf:word").exit_code == 0
    assert ";@ import ../a/word.abnf: word\n" in Path("b/own.abnf").read_text("utf-8")
    assert run("test", "b/own.abnf").exit_code == 0


def test_to_standard_output() -> None:
    assert run("new", "own", "-o", "-").stdout == new_grammar("own").text
    assert not Path("own.abnf").exists()
    assert ";@ import rfc3986: URI\n" in run("new", "own", "--from", "rfc3986", "-o", "-").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["123"], "rule-name-impossible"),
        (["a\0"], "os-error-file"),
        (["no/such/dir"], "output-directory-missing"),
        (["x", "--like", "dat"], "choice-unknown"),
        (["x", "--from", "rfc398"], "grammar-unknown"),
        (["x", "--from", "rfc3986:hots"], "rule-name-unknown"),
        (["x", "--from", "rfc3986:"], "rule-name-missing"),
        (["x", "--from", "rfc3986", "--like", "date"], "option-excluded"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    answers(["new", *arguments], 2, "", message)
    assert list(Path().iterdir()) == []
