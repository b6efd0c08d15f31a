"""``--scheme``, ``--require-host`` and others: what is asked of URIs beside their syntax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abnforge.cli.common.completions import complete_other_rule
from abnforge.cli.common.groups import option

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.uri.policies import Policy

F = TypeVar("F", bound=Callable[..., Any])

# Grammars whose rules a policy is for, beside the one that --grammar names.
GRAMMARS_OF_URIS = ("rfc3986", "rfc3987", "rfc2396", "rfc2396bis-07", "rfc6874")

_OPTIONS = (
    option("--scheme", "schemes", metavar="NAME,NAME", help="Accept only these URI schemes."),
    option("--require-host", is_flag=True, help="Require a non-empty host."),
    option("--max-port", type=click.IntRange(0), metavar="N", help="Reject ports above N."),
    option("--max-length", type=click.IntRange(0), metavar="N", help="Reject URIs longer than N characters."),
    option(
        "--also",
        multiple=True,
        metavar="[GRAMMAR:]RULE",
        shell_complete=complete_other_rule,
        help="Also require this rule to match. Repeatable.",
    ),
)


def policy_options(function: F) -> F:
    """The options, of which :func:`policy_of` makes a policy."""
    for each in reversed(_OPTIONS):
        function = each(function)
    return function


def policy_of(given: Mapping[str, Any], rule: Callable[[str], Rule]) -> Policy | None:
    """The policy that was asked for, if one was. ``rule`` gives a rule by its name."""
    from abnforge.uri.policies import policy

    names = given["schemes"]
    asked = policy(
        schemes=None if names is None else [name.strip() for name in names.split(",")],
        require_host=given["require_host"],
        max_port=given["max_port"],
        max_length=given["max_length"],
        rules=list(map(rule, given["also"])),
    )
    return None if asked == policy() else asked


def policy_told(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they were given, for a journal and a summary."""
    names = {"schemes": "scheme", "max_port": "max-port", "max_length": "max-length"}
    names |= {"require_host": "require-host", "also": "also"}
    return {option: given[name] for name, option in names.items() if given[name] not in (None, False, ())}
