"""The command, run in this process."""

from __future__ import annotations

import signal

import click
from click.testing import CliRunner, Result

from abnforge.cli.app import cli

VALID = "http://example.com/"
INVALID = "http://exa mple.com/"


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """What ``abnforge`` writes for these arguments, and its status; any exception but an exit fails."""
    result = CliRunner().invoke(cli, arguments, input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answers(arguments: list[str], status: int, output: str, complaint: str) -> None:
    """The status is this one; standard output and standard error hold these."""
    result = run(*arguments)
    assert result.exit_code == status
    assert output in result.stdout
    assert complaint in result.stderr


def masks_passwords_when_asked(verb: str) -> None:
    """Neither a valid string nor the reason for a rejection shows one, once it is asked for."""
    lines = "http://me:secret@h/\nhttp://me:secret@h/ x\n"
    assert "secret" in run(verb, stdin=lines).output
    masked = run(verb, "--mask-passwords", stdin=lines)
    assert "secret" not in masked.output
    assert "me:******@h" in masked.output


def offered(option: str, *verb: str) -> list[str]:
    """The names that a verb offers for an option."""
    command: click.Command = cli
    for name in verb:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    [parameter] = [parameter for parameter in command.params if f"--{option}" in parameter.opts]
    assert isinstance(parameter.type, click.Choice)
    return list(parameter.type.choices)


def heed_interrupts() -> None:
    """In the child: what runs in the background of a shell ignores them, and its children would, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
