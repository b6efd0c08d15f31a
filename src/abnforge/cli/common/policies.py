"""Options of policies: ``--scheme``, ``--require-host`` and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abnforge.cli.common.completions import complete_file, complete_other_rule
from abnforge.cli.common.groups import PolicyOption, option

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.policies import Policy

F = TypeVar("F", bound=Callable[..., Any])

# Grammars to whose rules the options apply, in addition to the grammar of --grammar.
GRAMMARS = {
    "URIs": ("rfc3986", "rfc3987", "rfc2396", "rfc2396bis-07", "rfc6874"),
    "email addresses": ("rfc5321",),
    "date-times": ("rfc3339",),
}

_of_uris = partial(option, cls=PolicyOption, shared_help="Restrict URIs; also match RULE (repeatable).")
_of_others = partial(option, cls=PolicyOption, shared_help="Restrict email addresses; check leap seconds.")

_OPTIONS = (
    _of_uris("--scheme", "schemes", metavar="NAME,..."),
    _of_uris("--require-host", is_flag=True),
    _of_uris("--max-port", type=click.IntRange(0), metavar="N"),
    _of_uris("--max-length", type=click.IntRange(0), metavar="N"),
    _of_uris("--also", multiple=True, metavar="RULE", shell_complete=complete_other_rule),
    _of_others("--address-limits", is_flag=True),
    _of_others("--leap-seconds", metavar="utc|FILE", shell_complete=complete_file),
)


def policy_options(function: F) -> F:
    """Add the options from which :func:`policy_of` builds a policy."""
    for each in reversed(_OPTIONS):
        function = each(function)
    return function


def policies_of(options: Mapping[str, Any], rule: Callable[[str], Rule]) -> Iterator[tuple[str, Policy]]:
    """Yield the policies of the options, each with the strings that it is about.

    ``rule`` returns a rule by name.
    """
    from abnforge.policies import UTC, policy

    names, leap_seconds = options["schemes"], options["leap_seconds"]
    of_uris = policy(
        schemes=None if names is None else [name.strip() for name in names.split(",")],
        require_host=options["require_host"],
        max_port=options["max_port"],
        max_length=options["max_length"],
        rules=list(map(rule, options["also"])),
    )
    of_times = policy(leap_seconds=leap_seconds if leap_seconds in (None, UTC) else Path(leap_seconds))
    of_addresses = policy(address_limits=options["address_limits"])
    for kind, each in zip(GRAMMARS, (of_uris, of_addresses, of_times), strict=True):
        if each != policy():
            yield kind, each


def is_about(kind: str, grammar: str, usual: str) -> bool:
    """Return whether a policy of a kind applies to a grammar: one of the kind, or that of --grammar."""
    others = (name for other, names in GRAMMARS.items() if other != kind for name in names)
    return grammar in GRAMMARS[kind] or (grammar == usual and grammar not in others)


def set_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as the user set them, for the state of a job and its summary."""
    from abnforge.policies import UTC, policy

    names = {"schemes": "scheme", "max_port": "max-port", "max_length": "max-length"}
    names |= {"require_host": "require-host", "also": "also"}
    names |= {"address_limits": "address-limits", "leap_seconds": "leap-seconds"}
    values = dict(options)
    if values["leap_seconds"] not in (None, UTC):  # the content of the file
        values["leap_seconds"] = ",".join(
            policy(leap_seconds=Path(values["leap_seconds"])).leap_seconds or ()
        )
    return {option: values[name] for name, option in names.items() if values[name] not in (None, False, ())}
