"""``check --security``: what section 7 of RFC 3986 warns of, in lines that are valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import click

from abnforge.cli.common.judge import Outcome, Target

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.security import SecurityFinding

FORMATS = ("text", "jsonl", "json")  # the others have no place for findings about valid lines
GRAMMAR = "rfc3986"
RULES = ("URI", "URI-reference", "absolute-URI", "relative-ref")

F = TypeVar("F", bound=Callable[..., object])


def security_options(function: F) -> F:
    """``--security`` and ``--allow-port``."""
    for option in (
        click.option(
            "--allow-port",
            "allowed_ports",
            metavar="SCHEME:PORT",
            multiple=True,
            help="With --security: this well-known port belongs to the scheme too.",
        ),
        click.option(
            "--security",
            is_flag=True,
            help="Report what RFC 3986, section 7, warns of in valid lines too; hides passwords.",
        ),
    ):
        function = option(function)
    return function


def inspector(target: Target, report_format: str, allowed: Iterable[str]) -> Callable[[Outcome], Outcome]:
    """A function that adds to a valid outcome what there is to warn of.

    Raises UsageError for a rule that derives no references, for a format that cannot show findings, and
    for a port that cannot be read.
    """
    from abnforge.uri.rfc3986.schemes import LAST_WELL_KNOWN_PORT, WELL_KNOWN_PORTS
    from abnforge.uri.security import security

    if target.grammar != GRAMMAR or target.rule not in RULES:
        raise click.UsageError(f"--security is about {GRAMMAR}'s rules {', '.join(RULES)}.")
    if report_format not in FORMATS:
        raise click.UsageError(f"--security is reported as {', '.join(FORMATS)}, not as {report_format}.")
    ports = {scheme: set(known) for scheme, known in WELL_KNOWN_PORTS.items()}
    for text in allowed:
        scheme, _, port = text.rpartition(":")
        if not scheme or not (port.isascii() and port.isdigit()) or len(port) > 5:
            hint = f"write a scheme, a colon and a port up to {LAST_WELL_KNOWN_PORT}, such as http:81"
            raise click.UsageError(f"--allow-port {text!r}: {hint}.")
        ports.setdefault(scheme.lower(), set()).add(int(port))

    def inspect(outcome: Outcome) -> Outcome:
        if not outcome.valid:
            return outcome
        return replace(outcome, security=tuple(security(outcome.judged, ports)))

    return inspect


def alarming(findings: Iterable[SecurityFinding]) -> bool:
    """Whether there is more than notes among them."""
    from abnforge.uri.security import Severity

    return any(finding.severity.at_least(Severity.WARNING) for finding in findings)
