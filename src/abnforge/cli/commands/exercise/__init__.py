"""``abnforge exercise``: the commands on exercises, one module each."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup

_ALONE = """\
Practice ABNF:
  abnforge exercise list                       list the exercises by lesson
  abnforge exercise show time-24               show an exercise; --hint 1 shows a hint
  abnforge exercise check time-24.abnf         grade your answer

All commands: abnforge exercise --help"""


@click.group(
    cls=LazyGroup,
    alone=_ALONE,
    short_help="Practice ABNF with graded exercises.",
    context_settings=CONTEXT,
    sections={
        "Commands": {
            "list": "abnforge.cli.commands.exercise.list:list_exercises",
            "show": "abnforge.cli.commands.exercise.show:show",
            "check": "abnforge.cli.commands.exercise.check:check",
        }
    },
)
def exercise() -> None:
    """Practice ABNF: exercises with hints, graded by the strings an answer accepts.

    \b
    Examples:
      abnforge exercise list
      abnforge exercise show time-24 --hint 1
      abnforge exercise check time-24.abnf
    """
