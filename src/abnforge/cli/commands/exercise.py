"""``abnforge exercise``: list and show exercises, and grade answers."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from abnforge.cli.common.errors import (
    EXIT_REJECTED,
    EXIT_USAGE,
    UsageError,
    exit_zero_option,
    usage_errors,
)
from abnforge.cli.common.exercises import (
    Graded,
    Task,
    answers,
    complete_exercise,
    exercise_named,
    exercises,
    graded,
    own_option,
    read_answer,
)
from abnforge.cli.common.groups import CONTEXT, LazyGroup, command, option
from abnforge.cli.common.messages import message as usage_message
from abnforge.cli.common.options import budget, grammar_options, require_readable
from abnforge.cli.common.output import (
    ProgressLine,
    file_problem,
    print_error,
    print_stderr,
    write,
    write_result,
)
from abnforge.cli.output.formats import format_option, make_report
from abnforge.teaching.messages import message

KINDS = ("range", "repetition", "optional", "alternation", "recursion")
"""The kinds of generated exercises."""

MAX_SEED, MAX_COUNT = 10**9, 100


@click.group(
    cls=LazyGroup,
    short_help="Practice ABNF with graded exercises.",
    context_settings=CONTEXT,
    sections={
        "Commands": {
            "list": "abnforge.cli.commands.exercise:list_exercises",
            "show": "abnforge.cli.commands.exercise:show",
            "check": "abnforge.cli.commands.exercise:check",
            "new": "abnforge.cli.commands.exercise:new",
            "export": "abnforge.cli.commands.exercise:export",
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


@command(short_help="Show an exercise and its hints.")
@click.argument("name", metavar="ID", shell_complete=complete_exercise)
@own_option
@option("--hint", "hints", type=click.IntRange(min=0), default=0, help="Show the first N hints.")
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
    chosen = exercise_named(exercises(own), name)
    if solution and chosen.sealed:
        raise UsageError(message("solution-sealed", id=chosen.id))
    make_report("task", report_format).feed([Task(chosen, hints, solution)])


@command(short_help="Write exercises for students, without solutions.")
@click.argument("names", nargs=-1, metavar="[ID]...", shell_complete=complete_exercise)
@own_option
@option(
    "--to",
    "target",
    type=click.Choice(["toml", "moodle"]),
    default="toml",
    show_default=True,
    help="Write a file of exercises, or Moodle XML.",
)
@option("--playground", metavar="URL", help="Link each essay to the exercise in this playground.")
def export(names: tuple[str, ...], own: Path | None, target: str, playground: str | None) -> None:
    """Write exercises for students, without solutions. Without an ID, write all exercises.

    "toml" is a file for the option --file of the other commands. It has compressed minimal rules
    instead of the solutions, so that students can check their answers. Recursive exercises have no solution:
    abnforge grades them with your file only.

    "moodle" is Moodle XML: an essay for each exercise, whose notes for graders have the solution, and a
    quiz about its strings that Moodle grades. Do not give this file to students.

    \b
    Examples:
      abnforge exercise export --file mine.toml > students.toml
      abnforge exercise export pin time-24 --to moodle > moodle.xml
    """
    from abnforge.teaching.exports import to_moodle, to_toml

    if playground is not None and target != "moodle":
        raise UsageError(usage_message("option-requires", option="--playground", other="--to moodle"))
    by_id = exercises(own)
    chosen = [exercise_named(by_id, name) for name in names] or list(by_id.values())
    if sealed := next((each for each in chosen if each.sealed), None):
        raise UsageError(message("solution-sealed", id=sealed.id))
    write(to_toml(chosen) if target == "toml" else to_moodle(chosen, playground))


class DueDate(click.DateTime):
    """A local time, or the end of a day."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        time: datetime = super().convert(value, param, ctx)
        return time + timedelta(days=1) if len(str(value)) == len("2026-11-30") else time


_RIGHT, _UNDECIDED, _NOT_GRADED = "right", "undecided", "not-graded"


@command(short_help="Grade answers, with a counterexample for each wrong one.")
@click.argument("files", nargs=-1, metavar="FILE...", type=click.Path(path_type=Path))
@option(
    "-e",
    "--exercise",
    "name",
    metavar="ID",
    shell_complete=complete_exercise,
    help='Exercise ID.  [default: the line "; exercise: ID" of the answer, else the file\'s name]',
)
@option(
    "--all",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Grade the answers (ID.abnf, ID.txt) in this directory and its subdirectories.",
    excludes="FILE",
)
@option(
    "--due",
    type=DueDate(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
    help="Mark files that changed after this day or local time as late.  Requires --all.",
)
@option(
    "--pages",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write an HTML page for each student to this directory.  Requires --all.",
)
@own_option
@grammar_options("budget")
@option("--no-advice", is_flag=True, help="Skip hints on style and the search for a fix, for speed.")
@format_option("grade")
@exit_zero_option
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[Path, ...],
    name: str | None,
    folder: Path | None,
    due: datetime | None,
    pages: Path | None,
    own: Path | None,
    no_advice: bool,
    report_format: str,
) -> None:
    """Grade answers. An answer is right if it accepts exactly the required strings, in any form.

    For a wrong answer, report a shortest string that it wrongly accepts, one that it wrongly rejects, and the
    probable mistake. For recursive rules, try strings within the budget and report the limit. FILE "-" is
    standard input. An answer can import the grammars that its exercise imports.

    "matrix" is a table of students and exercises. The first directory below that of --all is the student.

    \b
    Examples:
      abnforge exercise check time-24.abnf
      abnforge exercise check --exercise time-24 - < answer.txt
      abnforge exercise check --all class --format csv > grades.csv
      abnforge exercise check --all class --due 2026-11-30 --format matrix
      abnforge exercise check --file mine.toml dates.abnf

    Exit status: 0 all right; 1 any wrong or unreadable grammar; 2 usage error, unreadable file, or budget
    exceeded.
    """
    if not files and folder is None:
        raise UsageError(usage_message("argument-missing", argument="FILE..."))
    require_readable(map(str, files))
    if folder is None and (due or pages):
        raise UsageError(
            usage_message("option-requires", option="--due" if due else "--pages", other="--all")
        )
    if folder is not None and pages is not None and folder.resolve() in pages.resolve().parents:
        raise UsageError(usage_message("pages-in-class", pages=str(pages), directory=str(folder)))
    by_id = exercises(own)
    if name is not None:
        exercise_named(by_id, name)
    paths = list(files) if folder is None else list(answers(folder, by_id))
    report, progress = make_report("grade", report_format), ProgressLine("answer")
    counts: Counter[str] = Counter()

    def found() -> Iterator[Graded]:
        for number, path in enumerate(paths, 1):
            shown = (
                "-"
                if str(path) == "-"
                else str(path)
                if folder is None
                else path.relative_to(folder).as_posix()
            )
            try:
                if folder is not None and path.is_symlink():
                    raise ValueError(message("answer-link"))
                text = _standard_input() if shown == "-" else read_answer(path)
                each = graded(by_id, shown, text, name, budget(), advice=not no_advice)
                if due is not None and path.stat().st_mtime > due.timestamp():
                    each = replace(each, late=True)
            except (OSError, ValueError) as error:
                problem = file_problem(error, shown) if isinstance(error, OSError) else str(error)
                each = Graded(shown, None, problem)
            counts[each.verdict] += 1
            progress.update(number, number - counts[_RIGHT], number, len(paths), "not right")
            progress.make_room()
            kept.append(each)
            yield each

    kept: list[Graded] = []
    students = [] if folder is None else [each.name for each in sorted(folder.iterdir()) if each.is_dir()]
    expected = [] if own is None else list(by_id.values())
    if report_format == "matrix":
        vars(report).update(students=students, exercises=expected)
    report.feed(found())
    progress.clear()
    if pages is not None:
        from abnforge.cli.output.gradebook import student_pages

        pages.mkdir(parents=True, exist_ok=True)
        for student, pieces in student_pages(kept, students, expected):
            write_result(pages / f"{student}.html", pieces)
    if len(paths) != 1:
        verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(counts.items()))
        print_stderr(f"{len(paths):,} answers{': ' if verdicts else ''}{verdicts}")
    if counts[_NOT_GRADED]:
        print_error(usage_message("answers-not-graded", count=counts[_NOT_GRADED]))
    if not paths or counts[_UNDECIDED] or counts[_NOT_GRADED]:
        ctx.exit(EXIT_USAGE)
    if counts.total() > counts[_RIGHT]:
        ctx.exit(EXIT_REJECTED)


def _standard_input() -> str:
    from abnforge.grammar.reader import decoded

    return decoded(sys.stdin.buffer, "-")


@command(short_help="Generate exercises.")
@option("--kind", type=click.Choice(KINDS), required=True, help="Kind of exercise.")
@option("--level", type=click.IntRange(1, 3), default=1, show_default=True, help="Difficulty.")
@option(
    "--seed",
    type=click.IntRange(0, MAX_SEED),
    default=0,
    show_default=True,
    help="Number of the exercise; neighboring seeds have different languages.",
)
@option(
    "-n",
    "--count",
    type=click.IntRange(1, MAX_COUNT),
    default=1,
    show_default=True,
    help="Number of exercises, with consecutive seeds.",
)
def new(kind: str, level: int, seed: int, count: int) -> None:
    """Write generated exercises as TOML, for --file of the other commands.

    Each exercise has a task, a reference, hints, and frequent wrong answers. Its valid and invalid strings
    show that each wrong answer differs from the reference. The same options always write the same exercises.

    \b
    Examples:
      abnforge exercise new --kind range --level 2 --seed 7 > mine.toml
      abnforge exercise new --kind recursion --count 3
    """
    from abnforge.teaching.exports import to_toml
    from abnforge.teaching.generated import generate

    with usage_errors():
        write(to_toml([generate(kind, level, seed + number) for number in range(count)], sealed=False))
