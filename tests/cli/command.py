"""Helpers that run the command in this process."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NoReturn, cast

import click
from click.testing import CliRunner, Result

from abnforge.catalog import CodedError
from abnforge.cli.app import cli

VALID = "http://example.com/"
INVALID = "http://exa mple.com/"


class _Recorded:
    """The command; ``error`` is the error that ended it, or None."""

    name = cli.name

    def __init__(self) -> None:
        self.error: click.ClickException | None = None

    def main(self, args: Sequence[str], prog_name: str) -> NoReturn:
        try:
            status = cli.main(args, prog_name, standalone_mode=False)
        except click.ClickException as error:
            self.error = error
            error.show()
            sys.exit(error.exit_code)
        sys.exit(status)


class Ran(Result):
    """The output and exit status of the command, and the code and data of its error."""

    error: CodedError | None

    @property
    def code(self) -> str | None:
        """Return the code of the error, or None without an error."""
        return None if self.error is None else self.error.code

    @property
    def data(self) -> dict[str, Any]:
        """Return the data of the error."""
        return {} if self.error is None else self.error.data


def run(*arguments: str, stdin: str | bytes | None = None) -> Ran:
    """Run ``abnforge ARGUMENTS`` and return its output and exit status. An unexpected exception fails."""
    command = _Recorded()
    result = CliRunner().invoke(cast(click.Command, command), arguments, input=stdin, prog_name="abnforge")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    ran = copy(result)
    ran.__class__ = Ran
    ran.error = command.error if isinstance(command.error, CodedError) else None
    return ran


def answers(arguments: list[str], status: int, output: str, complaint: str) -> None:
    """Check the exit status, and that standard output contains ``output``.

    ``complaint`` is the error code if the status is 2, and a part of standard error otherwise.
    """
    result = run(*arguments)
    assert result.exit_code == status
    assert output in result.stdout
    assert result.code == complaint if status == 2 else complaint in result.stderr


def fails(result: Ran, code: str, **data: object) -> None:
    """Check that the command ended with an error with this code and at least this data."""
    assert (result.exit_code, result.code) == (2, code)
    assert {name: result.data.get(name) for name in data} == data


Seen = Callable[[object], None]


def masks_passwords_when_asked(verb: str) -> None:
    """Check that with the option, neither valid strings nor rejections show a password."""
    lines = "http://me:secret@h/\nhttp://me:secret@h/ x\n"
    assert "secret" in run(verb, stdin=lines).output
    masked = run(verb, "--mask-passwords", stdin=lines)
    assert "secret" not in masked.output
    assert "me:******@h" in masked.output


def offered(option: str, *verb: str) -> list[str]:
    """Return the values that a command offers for an option."""
    command: click.Command = cli
    for name in verb:
        assert isinstance(command, click.Group)
        result = command.get_command(click.Context(command), name)
        assert result is not None
        command = result
    [parameter] = [parameter for parameter in command.params if f"--{option}" in parameter.opts]
    assert isinstance(parameter.type, click.Choice)
    return list(parameter.type.choices)


def heed_interrupts() -> None:
    """Make a child handle interrupts, which background jobs of a shell and their children ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
