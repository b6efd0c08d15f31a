"""``abnforge check``: which lines of a file are not valid, and why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.judge import judge
from abnforge.cli.common.options import (
    engine_option,
    grammar_option,
    input_options,
    load_rule,
    mask_option,
    masking,
    open_inputs,
    rule_option,
    suggest_option,
)
from abnforge.cli.common.output import Style, write
from abnforge.cli.common.progress import Progress
from abnforge.cli.common.security import alarming, inspector, security_options
from abnforge.cli.reports.text import JsonLinesReport, JsonReport, Report, TextReport
from abnforge.engine import Rule

FORMATS = ("text", "jsonl", "json", "github", "sarif", "junit")


def make_report(name: str) -> Report:
    """The report of that format, writing to standard output."""
    if name == "text":
        return TextReport(write, Style.detect())
    if name == "jsonl":
        return JsonLinesReport(write)
    if name == "json":
        return JsonReport(write)
    from abnforge.cli.reports import sarif as reports_ci

    kinds: dict[str, type[Report]] = {
        "github": reports_ci.GithubReport,
        "sarif": reports_ci.SarifReport,
        "junit": reports_ci.JunitReport,
    }
    return kinds[name](write)


@click.command(short_help="Report the lines of files that are not valid.")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())
@grammar_option
@rule_option
@click.option(
    "-f",
    "--format",
    "report_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to report: for people, for programs, for build servers.",
)
@click.option("-a", "--all", "report_all", is_flag=True, help="Report valid lines too.")
@input_options
@suggest_option
@mask_option
@security_options
@engine_option
@click.option("--max-errors", type=click.IntRange(min=1), help="Stop after so many lines that are not valid.")
@click.option("-q", "--quiet", is_flag=True, help="No summary on standard error.")
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str,
    report_all: bool,
    null: bool,
    skip_empty: bool,
    max_line_bytes: int,
    suggest: bool | None,
    mask: bool,
    security: bool,
    allowed_ports: tuple[str, ...],
    engine: str,
    max_errors: int | None,
    quiet: bool,
) -> None:
    """Check every line of the files and report those that are not valid.

    Each line is one string, taken as it is: spaces count, and an empty line is the empty string.
    Without a file, or for "-", standard input is read.

    \b
    Examples:
      abnforge check links.txt
      abnforge check --grammar rfc2396 --rule absoluteURI links.txt
      abnforge check --grammar my.abnf --rule start < strings.txt
      abnforge check --format jsonl --all links.txt > verdicts.jsonl
      find . -print0 | abnforge check --null --rule relative-ref
      abnforge check --format github links.txt      (in a GitHub workflow)
      abnforge check --security links.txt

    Exit status: 0 all valid, 1 something rejected (or, with --security, found that is more than a
    note), 2 wrong usage or an unreadable file.
    """
    chosen, target = load_rule(grammar, rule, engine)
    records = open_inputs(files, Options(null, skip_empty, max_line_bytes))
    report = make_report(report_format)
    progress = Progress()
    total = records.bytes_total if progress.enabled else None
    lines = bad = suspect = 0
    inspect = inspector(target, report_format, allowed_ports) if security else None
    if not report_all and inspect is None:
        records.skip = matcher(chosen, engine)
    records.tick = lambda: progress.update(lines + records.skipped, bad, records.bytes_read, total)
    report.begin()
    search = report_format == "text" if suggest is None else suggest
    for outcome in judge(
        records, chosen, target, engine=engine, suggest=search, mask=masking(mask or security)
    ):
        lines += 1
        bad += not outcome.valid
        if inspect is not None:
            outcome = inspect(outcome)
            suspect += alarming(outcome.security)
        if report_all or not outcome.valid or outcome.security:
            progress.make_room()
            report.add(outcome)
        if bad == max_errors:
            break
    progress.clear()
    report.finish()
    lines += records.skipped
    if not quiet:
        warned = f", {suspect:,} valid with warnings" if security else ""
        stopped = f" (stopped after {bad:,}: --max-errors)" if bad == max_errors else ""
        click.echo(f"{_count(lines, 'line')}, {bad:,} rejected{warned}{stopped}", err=True)
    if records.failed:
        ctx.exit(EXIT_USAGE)
    if bad or suspect:
        ctx.exit(EXIT_REJECTED)


def matcher(rule: Rule, engine: str) -> Callable[[str], bool]:
    """The quickest way to a rule's verdict in an engine."""
    if engine != "auto":
        return partial(rule.matches, engine=engine)
    return rule.matches


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
