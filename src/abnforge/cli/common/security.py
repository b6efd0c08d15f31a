"""``check --security``: what section 7 of RFC 3986 warns of, in lines that are valid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import click

from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.usage import UsageError, usage_errors

F = TypeVar("F", bound=Callable[..., object])


def security_options(function: F) -> F:
    """``--security`` and ``--allow-port``."""
    for option in (
        click.option(
            "--allow-port",
            "allowed_ports",
            metavar="SCHEME:PORT",
            multiple=True,
            help="With --security: accept this port. Repeatable.",
        ),
        click.option(
            "--security",
            is_flag=True,
            help="Also report valid but risky URIs; mask passwords.",
        ),
    ):
        function = option(function)
    return function


class Inspector:
    """Adds to a valid outcome what there is to warn of; counts in ``suspect`` those with more than notes.

    Raises UsageError for a rule that derives no references, for a format that cannot show findings (``able``
    are those that can), and for a port that cannot be read.
    """

    def __init__(
        self, target: Target, report_format: str, able: Collection[str], allowed: Iterable[str]
    ) -> None:
        from abnforge.uri.rfc3986.parse import GRAMMAR
        from abnforge.uri.security import RULES, alarming, ports_with, security

        if target.grammar != GRAMMAR or target.rule not in RULES:
            raise UsageError(message("security-rule", grammar=GRAMMAR, rules=tuple(RULES)))
        if report_format not in able:
            raise UsageError(message("security-format", formats=tuple(able), format=report_format))
        with usage_errors("--allow-port"):
            ports = ports_with(allowed)
        self._findings = partial(security, ports=ports)
        self._alarming = alarming
        self.suspect = 0

    def __call__(self, outcome: Outcome) -> Outcome:
        if not outcome.valid:
            return outcome
        found = tuple(self._findings(outcome.judged))
        self.suspect += self._alarming(found)
        return replace(outcome, security=found)
