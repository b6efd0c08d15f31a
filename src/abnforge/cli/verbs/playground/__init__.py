"""``abnforge playground``: the page to try ABNF on."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    verbs={"build": "abnforge.cli.verbs.playground.build:build"},
)
def playground() -> None:
    """Build the browser playground.

    \b
    Examples:
      abnforge playground build public
      abnforge serve public
    """
