"""The implementation that a command line names: a program, a function or a pattern."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from abnforge.cli.common.messages import message
from abnforge.cli.common.options import budget
from abnforge.cli.common.usage import UsageError, usage_errors

if TYPE_CHECKING:
    from abnforge.conformance import Pattern
    from abnforge.conformance.judges import Judge
    from abnforge.engine.rule import Rule

PROTOCOLS = ("exit", "jsonl")
"""How a program answers: by its exit status, started for each string; or line by line, started once."""


DIALECTS = ("python", "javascript", "pcre", "java", "re2")
HOW = ("fullmatch", "match", "search")


@contextmanager
def implementation(
    command: Sequence[str],
    *,
    pattern: str | None,
    dialect: str,
    how: str,
    flags: str,
    rule: str | None,
    function: str | None,
    raises: bool,
    protocol: str,
    stdin: bool,
    seconds: float,
    jobs: int,
) -> Iterator[tuple[Judge | Pattern | Rule, str]]:
    """Who is asked, or what is compared, and what it is called; programs end with the context. Raises
    UsageError.
    """
    given = [each for each in (command or None, function, pattern, rule) if each is not None]
    if len(given) != 1:
        raise UsageError(message("implementation-missing"))
    if raises and not function:
        raise UsageError(message("option-requires", option="--raises", other="--python"))
    with ExitStack() as stack:
        with usage_errors():
            found: Judge | Pattern | Rule
            if function is not None:
                found, name = _function(function, raises), function
            elif pattern is not None:
                found, name = _pattern(pattern, dialect, how, flags), pattern
            elif rule is not None:
                found, name = _rule(rule), rule
            else:
                found, name = _judge(stack, command, protocol, stdin, seconds, jobs)
        yield found, name


def _judge(
    stack: ExitStack,
    command: Sequence[str],
    protocol: str,
    stdin: bool,
    seconds: float,
    jobs: int,
) -> tuple[Judge, str]:
    from abnforge.conformance import Command, Process

    name = shlex.join(command)
    if protocol == "exit":
        return Command(command, stdin=stdin, seconds=seconds, jobs=jobs), name
    if stdin:
        raise UsageError(message("option-excluded", option="--stdin", other=f"--protocol {protocol}"))
    process = Process(command, seconds=seconds, jobs=jobs)
    return stack.enter_context(process), name


def _pattern(text: str, dialect: str, how: str, flags: str) -> Pattern:
    from abnforge.conformance import pattern

    with usage_errors("--pattern"):
        return pattern(text, dialect, how, flags)


def _rule(name: str) -> Rule:
    from abnforge.engine.loading import locate

    grammar, rule = locate(name, budget())
    return grammar.start if rule is None else grammar[rule]


def _function(name: str, raises: bool) -> Judge:
    from abnforge.conformance.judges import named

    sys.path.insert(0, "")  # as python -m does: what is in the current folder is there
    try:
        with usage_errors("--python"):
            return named(name, raises=raises)
    finally:
        sys.path.remove("")
