"""``abnforge exercise show``: one task, with as many hints as are asked for."""

from __future__ import annotations

from pathlib import Path

import click

from abnforge.cli.common.exercises import Task, complete_exercise, exercise_named, exercises, own_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.output.formats import format_option, make_report


@command(short_help="Show an exercise and its hints.")
@click.argument("name", metavar="ID", shell_complete=complete_exercise)
@own_option
@option("--hint", "hints", metavar="N", type=click.IntRange(min=0), default=0, help="Show the first N hints.")
@option("--solution", is_flag=True, help="Also show the reference solution.")
@format_option("task")
def show(name: str, own: Path | None, hints: int, solution: bool, report_format: str) -> None:
    """Show the task of an exercise, the required rule, and examples of valid and invalid strings.

    \b
    Examples:
      abnforge exercise show time-24
      abnforge exercise show time-24 --hint 2
      abnforge exercise show dates --file mine.toml --solution
    """
    found = exercise_named(exercises(own), name)
    make_report("task", report_format).feed([Task(found, hints, solution)])
