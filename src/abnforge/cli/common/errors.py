"""Errors and exit statuses of the command line.

Status 0: nothing was rejected. Status 1: something was rejected or found (0 with --exit-zero). Status 2:
usage error, unreadable input or exceeded budget. Status 3: too many rejects and no output. Status 130:
interrupted. Status 141: closed pipe. Status 143: killed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from abnforge.catalog import CodedError, Message
from abnforge.cli.common.inputs import Inputs, Record
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import print_error
from abnforge.errors import GrammarError


class UsageError(CodedError, click.UsageError):  # type: ignore[misc]  # message is final in click
    """A command that cannot run with its arguments, or that fails."""

    is_shown = False  # True if the error was shown in another form

    def show(self, file: IO[Any] | None = None) -> None:
        if not self.is_shown:
            print_error(str(self.message))


@contextmanager
def usage_errors(option: str = "") -> Iterator[None]:
    """Convert ValueErrors to UsageErrors, whose messages start with ``option``.

    GrammarErrors are also ValueErrors, but are not converted, since they have a position to show.
    """
    try:
        yield
    except (GrammarError, UsageError):
        raise
    except ValueError as error:
        raise UsageError(for_command_line(problem_of(error, option))) from None


def problem_of(error: Exception, option: str = "") -> Message:
    """Return the message of an error with its code and data, after the option that it is about."""
    original = getattr(error, "message", None)
    text = f"{option}: {error}" if option else str(error)
    if isinstance(original, Message):
        return original.reworded(text)
    return Message(text, "usage-invalid", {"problem": text})


def for_command_line(problem: Message, grammar: str = "") -> Message:
    """Return a message of the library with options instead of parameters, and with command-line remedies.

    ``grammar`` is the option that loads the grammar, if it is on the command line.
    """
    data = problem.data
    if code := _REMEDIES.get(problem.code):
        return problem.reworded(message(code, **data | {"problem": problem, "option": grammar}))
    if "parameter" not in data:
        return problem
    from abnforge.ingest.messages import message as job_message

    if problem.code not in job_message.templates:
        return problem
    for name in ("parameter", "other"):
        if name in data:
            data[name] = _OPTIONS.get(data[name]) or f"--{data[name].replace('_', '-')}"
    return job_message(problem.code, **data)


# library code -> code of the message with a command-line remedy
_REMEDIES = {
    "grammar-unknown": "grammar-unknown-hint",
    "package-grammar-unknown": "grammar-unknown-hint",
    "path-joins-authority": "path-joins-authority-option",
    "path-reads-as-authority": "path-reads-as-authority-option",
    "rule-name-unknown": "rule-name-unknown-hint",
    "rule-not-regular": "rule-not-regular-hint",
    "rule-recursive": "rule-recursive-option",
}

# library parameter -> its option, if that has another name
_OPTIONS = {
    "columns": "--column",
    "names": "--header",
    "names=()": "--no-header",
    "samples": "--sample-rejects",
    "sources": "SOURCE...",
}


EXIT_REJECTED = 1
EXIT_USAGE = 2
EXIT_NOTHING_PUBLISHED = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE; 1 would mean that something was rejected


_ZERO = "abnforge.exit-zero"


exit_zero_option = click.option(
    "--exit-zero",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, param, value: ctx.meta.update({_ZERO: value}),
    help=f"Exit with 0 instead of {EXIT_REJECTED}.",
)


def is_zero_instead(ctx: click.Context, status: object) -> bool:
    """Return whether the command exits with 0 instead of ``status``, as with ``--exit-zero``."""
    return status == EXIT_REJECTED and bool(ctx.meta.get(_ZERO))


def exit_status(records: Iterable[Record], rejected: object, undecided: int = 0) -> int:
    """Return 2 if an input could not be read or validated, 1 if a record was rejected, else 0."""
    if undecided or (isinstance(records, Inputs) and records.failed):
        return EXIT_USAGE
    return EXIT_REJECTED if rejected else 0
