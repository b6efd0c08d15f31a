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
    """A page to write ABNF on: findings, trees, derivations, diagrams, exercises, all in the browser.

    \b
    Examples:
      abnforge playground build public
      abnforge serve public
    """
