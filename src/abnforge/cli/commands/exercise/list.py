"""``abnforge exercise list``: the exercises that there are."""

from __future__ import annotations

from pathlib import Path

from abnforge.cli.common.exercises import exercises, own_option
from abnforge.cli.common.groups import command
from abnforge.cli.output.formats import format_option, make_report


@command("list", short_help="List the exercises.")
@own_option
@format_option("exercise")
def list_exercises(own: Path | None, report_format: str) -> None:
    """List the exercises by lesson, with levels from 1 (easy) to 5 (hard).

    With --file, also check that each reference agrees with the strings of its task.

    \b
    Examples:
      abnforge exercise list
      abnforge exercise list --file mine.toml
      abnforge exercise list --format json
    """
    make_report("exercise", report_format).feed(exercises(own).values())
