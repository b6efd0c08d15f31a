"""Groups of commands: import time, and the form of errors."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner, Result

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import LazyChoice, LazyGroup, RootGroup
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


def test_commands_are_imported_on_demand() -> None:
    with raises(UsageError, "command-unknown", near=("nowhere",)):
        root.main(["nowere"], standalone_mode=False)
    assert isinstance(run("nowhere").exception, ModuleNotFoundError)


@pytest.mark.parametrize(
    ("place", "arguments", "output"),
    [
        ("abnforge.no_such_module:NAMES", ["--flag"], "None True\n"),
        ("abnforge.conformance.suites:LEVELS", ["--name", "quick"], "quick False\n"),
        ("abnforge.conformance.suites:LEVELS", ["--name", "slow"], "'quick', 'complete', 'extra'"),
        ("abnforge.uri.common.components:OnAmbiguous", ["--help"], "[guard|error]"),
    ],
)
def test_names_are_imported_when_they_are_needed(place: str, arguments: list[str], output: str) -> None:
    @click.command()
    @click.option("--name", type=LazyChoice(place, without="literal"))
    @click.option("--flag", is_flag=True)
    def command(name: str | None, flag: bool) -> None:
        click.echo(f"{name} {flag}")

    assert output in CliRunner().invoke(command, arguments).output
