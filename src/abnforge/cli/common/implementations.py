"""The implementation that a command line names: a program, a server, a function or a pattern."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from abnforge.conformance.judges import Judge

PROTOCOLS = ("exit", "lines", "jsonl")
"""How a program answers: by its exit status, started for each string; or line by line, started once."""


@contextmanager
def judging(
    command: Sequence[str],
    *,
    url: str | None,
    function: str | None,
    raises: bool,
    protocol: str,
    stdin: bool,
    seconds: float,
    jobs: int,
    here: bool,
) -> Iterator[tuple[Judge, str]]:
    """Who is asked, and what it is called; programs end with the context. Raises UsageError."""
    given = [each for each in (command, url, function) if each]
    if len(given) != 1:
        raise click.UsageError("Name one implementation: a program behind --, or --url, or --python.")
    if raises and not function:
        raise click.UsageError("--raises is for --python.")
    with ExitStack() as stack:
        try:
            if function:
                judge, name = _function(function, raises), function
            else:
                judge, name = _judge(stack, command, url, protocol, stdin, seconds, jobs, here)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        yield judge, name


def _judge(
    stack: ExitStack,
    command: Sequence[str],
    url: str | None,
    protocol: str,
    stdin: bool,
    seconds: float,
    jobs: int,
    here: bool,
) -> tuple[Judge, str]:
    from abnforge.conformance import Command, Process, Url

    if url:
        return stack.enter_context(Url(url, seconds=seconds)), url
    name = shlex.join(command)
    if protocol == "exit":
        return Command(command, stdin=stdin, seconds=seconds, jobs=jobs, here=here), name
    if stdin:
        raise click.UsageError(f"--stdin is for --protocol exit; --protocol {protocol} always reads it.")
    process = Process(command, protocol=protocol, seconds=seconds, jobs=jobs, here=here)
    return stack.enter_context(process), name


def _function(name: str, raises: bool) -> Judge:
    from abnforge.conformance.judges import named

    sys.path.insert(0, "")  # as python -m does: what is in the current folder is there
    try:
        return named(name, raises=raises)
    except ValueError as error:
        raise ValueError(f"--python {error}") from None
    finally:
        sys.path.remove("")
