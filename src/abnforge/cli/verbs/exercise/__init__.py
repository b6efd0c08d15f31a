"""``abnforge exercise``: the verbs on exercises, one module each."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    verbs={
        "list": "abnforge.cli.verbs.exercise.list:list_exercises",
        "show": "abnforge.cli.verbs.exercise.show:show",
        "check": "abnforge.cli.verbs.exercise.check:check",
    },
)
def exercise() -> None:
    """Learn to write ABNF: tasks, hints, and answers graded by what they derive.

    \b
    Examples:
      abnforge exercise list
      abnforge exercise show time-24 --hint 1
      abnforge exercise check time-24.abnf
    """
