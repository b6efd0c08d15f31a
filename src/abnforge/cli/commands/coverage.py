"""``abnforge coverage``: report which parts of a grammar strings use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from abnforge.cli.common.errors import exit_status, exit_zero_option, usage_errors
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.inputs import Inputs, Options, StringRecord
from abnforge.cli.common.misuse import note_grammars
from abnforge.cli.common.options import (
    budget,
    file_options,
    files_argument,
    grammar_options,
    load_rule,
    open_inputs,
    output_option,
    quiet_option,
)
from abnforge.cli.common.output import ProgressLine, print_stderr, write_result
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report, report_class
from abnforge.outputs import STDOUT


@command(short_help="Measure which rules and alternatives a set of strings covers.")
@files_argument
@grammar_options()
@format_option("coverage")
@output_option
@file_options
@option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if coverage is below this percentage.",
)
@quiet_option
@exit_zero_option
@click.pass_context
def coverage(
    ctx: click.Context,
    files: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str,
    output: Path | None,
    options: Options,
    fail_under: float | None,
    quiet: bool,
) -> None:
    """Report which rules, alternatives and repetition counts (zero, one, many) the input lines exercise.

    Each line is one string, as in abnforge check. For each part of the grammar, report the number of uses and
    a shortest string that uses it; for an unused part, a string that would use it. Invalid strings do not
    count.

    \b
    Examples:
      abnforge coverage links.txt
      abnforge coverage --grammar my.abnf --fail-under 90 corpus/*.txt
      abnforge coverage --whole-file --grammar json.abnf tests/*.json
      abnforge coverage --format html -o coverage.html links.txt

    Exit status: 0 success, 1 coverage below --fail-under, 2 usage error, unreadable file, or budget exceeded.
    """
    from abnforge.conformance.coverage import coverage as covered

    chosen, _ = load_rule(grammar, rule)
    records = open_inputs(files, options, chosen)
    texts = _Texts(records, "file" if options.whole_file else "line")
    with usage_errors():
        measured = covered(chosen, texts, budget=budget())
    texts.progress.clear()
    written: list[str] = []
    if output is None or str(output) == STDOUT:
        make_report("coverage", report_format).feed([measured])
    else:
        report_class("coverage", report_format)(written.append).feed([measured])
        write_result(output, written)
    if not quiet:
        print_stderr(totals.covered(measured, texts.unreadable))
    if measured.percent == 0:
        note_grammars(ctx, files)
    low = fail_under is not None and measured.percent < fail_under
    ctx.exit(exit_status(records, low, measured.undecided))


class _Texts:
    """Yields the strings of the inputs, shows progress, and counts unreadable records."""

    def __init__(self, records: Inputs, unit: str) -> None:
        self.progress = ProgressLine(unit, records.is_typed)
        self.unreadable = 0
        self._records = records
        self._total = records.bytes_total if self.progress.enabled else None

    def __iter__(self) -> Iterator[str]:
        for number, record in enumerate(self._records, 1):
            self.progress.update(number, self.unreadable, self._records.bytes_read, self._total, "unreadable")
            if isinstance(record, StringRecord):
                yield record.text
            else:
                self.unreadable += 1
