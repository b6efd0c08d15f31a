"""Groups of commands: time of imports, and the form of failures."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner, Result

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import LateChoice, LazyGroup, RootGroup
from abnforge.errors import GrammarError, UnknownNameError
from tests.raising import raises

FAILURES = {
    "interrupt": (KeyboardInterrupt(), 130, "error: interrupted\n"),
    "pipe": (BrokenPipeError(), 141, ""),
    "name": (UnknownNameError("no rule 'x\x1b'"), 2, "error: no rule 'x\\x1b'\n"),
    "file": (FileNotFoundError(2, "No such file", "a.abnf"), 2, "error: no such file: a.abnf\n"),
    "disk": (OSError("disk is full"), 2, "error: disk is full\n"),
    "grammar": (GrammarError("not ABNF", path="a.abnf"), 2, "error: a.abnf: not ABNF\n"),
}


@click.group(cls=RootGroup, sections={"Commands": {"nowhere": "abnforge.no_such_module:verb"}})
def root() -> None:
    pass


def run(*arguments: str) -> Result:
    return CliRunner().invoke(root, arguments)


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_sentence_and_a_status(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error, status, message = FAILURES[name]

    @click.command()
    def verb() -> None:
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda self, ctx, name: verb)
    result = run("nowhere")
    assert (result.exit_code, result.stdout, result.stderr) == (status, "", message)


def test_a_verb_is_imported_when_it_is_asked_for() -> None:
    with raises(UsageError, "command-unknown", near=("nowhere",)):
        root.main(["nowere"], standalone_mode=False)
    assert isinstance(run("nowhere").exception, ModuleNotFoundError)


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def command(asked: list[str]) -> click.Command:
    def names() -> list[str]:
        asked.append("names")
        return ["one", "two"]

    @click.command()
    @click.option("--number", type=LateChoice(names))
    @click.option("--flag", is_flag=True)
    def command(number: str | None, flag: bool) -> None:
        click.echo(f"{number} {flag}")

    return command


def test_nobody_is_asked_without_need(command: click.Command, asked: list[str]) -> None:
    assert CliRunner().invoke(command, ["--flag"]).output == "None True\n"
    assert asked == []


def test_the_names_are_asked_for_once(command: click.Command, asked: list[str]) -> None:
    assert CliRunner().invoke(command, ["--number", "two"]).output == "two False\n"
    assert "'one', 'two'" in CliRunner().invoke(command, ["--number", "three"]).output
    assert "[one|two]" in CliRunner().invoke(command, ["--help"]).output
    assert asked == ["names"]
