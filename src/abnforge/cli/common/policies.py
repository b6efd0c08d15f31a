"""Options of URI policies: ``--scheme``, ``--require-host`` and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abnforge.cli.common.completions import complete_other_rule
from abnforge.cli.common.groups import option

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.uri.policies import Policy

F = TypeVar("F", bound=Callable[..., Any])

# Grammars to whose rules a policy applies, in addition to the grammar of --grammar.
GRAMMARS_OF_URIS = ("rfc3986", "rfc3987", "rfc2396", "rfc2396bis-07", "rfc6874")

_policy_option = partial(option, shared_help="Restrict columns of URIs. Repeat --also.")

_OPTIONS = (
    _policy_option("--scheme", "schemes", metavar="NAME,..."),
    _policy_option("--require-host", is_flag=True),
    _policy_option("--max-port", type=click.IntRange(0), metavar="N"),
    _policy_option("--max-length", type=click.IntRange(0), metavar="N"),
    _policy_option("--also", multiple=True, metavar="RULE", shell_complete=complete_other_rule),
)


def policy_options(function: F) -> F:
    """Add the options from which :func:`policy_of` builds a policy."""
    for each in reversed(_OPTIONS):
        function = each(function)
    return function


def policy_of(options: Mapping[str, Any], rule: Callable[[str], Rule]) -> Policy | None:
    """Return the policy of the options, None without any. ``rule`` returns a rule by name."""
    from abnforge.uri.policies import policy

    names = options["schemes"]
    asked = policy(
        schemes=None if names is None else [name.strip() for name in names.split(",")],
        require_host=options["require_host"],
        max_port=options["max_port"],
        max_length=options["max_length"],
        rules=list(map(rule, options["also"])),
    )
    return None if asked == policy() else asked


def set_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as the user set them, for the state of a job and its summary."""
    names = {"schemes": "scheme", "max_port": "max-port", "max_length": "max-length"}
    names |= {"require_host": "require-host", "also": "also"}
    return {option: options[name] for name, option in names.items() if options[name] not in (None, False, ())}
