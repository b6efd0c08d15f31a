"""What the command's exit status says.

0 nothing rejected, 1 something rejected or found (0 with --exit-zero), 2 wrong usage, unreadable input or
the budget, 3 too many rejects and nothing published, 130 interrupted, 141 the reader of our output went away.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from abnforge.cli.common.inputs import Inputs, Record

EXIT_REJECTED = 1
EXIT_USAGE = 2
EXIT_NOTHING_PUBLISHED = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE, likewise; 1 would claim that something was rejected


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
    """The status behind all records: whether every input could be read and judged, then whether any was
    ``rejected``.
    """
    if undecided or (isinstance(records, Inputs) and records.failed):
        return EXIT_USAGE
    return EXIT_REJECTED if rejected else 0
