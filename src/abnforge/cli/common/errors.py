"""Errors and exit statuses of the command line.

Status 0: nothing was rejected. Status 1: something was rejected or found (0 with --exit-zero). Status 2:
usage error, unreadable input or exceeded budget. Status 3: too many rejects and no output. Status 130:
interrupted. Status 141: closed pipe. Status 143: killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from abnforge.catalog import ArgumentError, CodedError, Message
from abnforge.cli.common.inputs import Inputs, Record
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import complain
from abnforge.errors import GrammarError, Rejected


class UsageError(CodedError, click.UsageError):  # type: ignore[misc]  # message is final in click
    """A command that cannot run with its arguments, or that fails."""

    is_shown = False  # True if the error was shown in another form

    def show(self, file: IO[Any] | None = None) -> None:
        if not self.is_shown:
            complain(str(self.message))


@contextmanager
def usage_errors(option: str = "", *, hints: bool = False) -> Iterator[None]:
    """Raise ValueErrors as UsageError, with ``option`` before the message and perhaps a hint after it.

    GrammarErrors, which are ValueErrors too, pass unchanged: they show a position in a file.
    """
    try:
        yield
    except (GrammarError, UsageError):
        raise
    except ValueError as error:
        problem = problem_of(error, option)
        raise UsageError(with_hint(problem) if hints else problem) from None


def problem_of(error: Exception, option: str = "") -> Message:
    """Return the message of an error with its code and data, after the option that it is about."""
    found = getattr(error, "message", None)
    text = f"{option}: {error}" if option else str(error)
    if isinstance(found, Message):
        return found.reworded(text)
    return Message(text, "usage-invalid", {"problem": text})


def with_hint(problem: Message, grammar: str = "") -> Message:
    """Add the command line's remedy to a message of the library, if the catalog has one.

    ``grammar`` is the option that loads the grammar, if it is on the command line.
    """
    hint = _HINTS.get(problem.code)
    return problem if hint is None else problem.reworded(message(hint, problem=problem, option=grammar))


_HINTS = {
    "grammar-unknown": "grammar-unknown-hint",
    "package-grammar-unknown": "grammar-unknown-hint",
    "rule-name-unknown": "rule-name-unknown-hint",
    "rule-not-regular": "rule-not-regular-hint",
}


_VALUE = re.compile(r'\b([a-z_]+)=("\w+"(?: or "\w+")*)')


def _as_option(parameter: re.Match[str]) -> str:
    name, values = parameter[1].replace("_", "-"), parameter[2].replace('"', "")
    return f"--{name} {values}"


def with_option_names(error: ValueError) -> ValueError:
    """Replace parameters in an error by options, such as ``--on-ambiguous guard``."""
    text = _VALUE.sub(_as_option, str(error))
    if isinstance(error, Rejected) or text == str(error):
        return error
    return ArgumentError(problem_of(error).reworded(text))


# parameters of the library with other names on the command line
_OPTIONS = {
    "columns": "--column",
    "names": "--header",
    "names=()": "--no-header",
    "samples": "--sample-rejects",
    "sources": "SOURCE...",
}
_PARAMETERS = ("parameter", "other")


def with_options(error: CodedError) -> Message:
    """Return the message of a job's error with options instead of parameters of the library."""
    from abnforge.ingest.messages import message as job_message

    data = error.data
    if error.code not in job_message.templates or not any(name in data for name in _PARAMETERS):
        return problem_of(error)
    for name in _PARAMETERS:
        if name in data:
            data[name] = _OPTIONS.get(data[name]) or f"--{data[name].replace('_', '-')}"
    return job_message(error.code, **data)


EXIT_REJECTED = 1
EXIT_USAGE = 2
EXIT_NOTHING_PUBLISHED = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE; 1 would mean that something was rejected


_ZERO = "abnforge.exit-zero"


def _keep_exit_zero(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_ZERO] = value


exit_zero_option = click.option(
    "--exit-zero",
    is_flag=True,
    expose_value=False,
    callback=_keep_exit_zero,
    help=f"Exit with 0 instead of {EXIT_REJECTED}.",
)


def is_zero_instead(ctx: click.Context, status: object) -> bool:
    """Return whether the command exits with 0 instead of a status."""
    return status == EXIT_REJECTED and bool(ctx.meta.get(_ZERO))


def exit_status(records: Iterable[Record], rejected: object, undecided: int = 0) -> int:
    """Return 2 if an input could not be read or validated, 1 if a record was rejected, else 0."""
    if undecided or (isinstance(records, Inputs) and records.failed):
        return EXIT_USAGE
    return EXIT_REJECTED if rejected else 0
