"""``abnforge explain``: everything there is to say about why a string is rejected."""

from __future__ import annotations

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE
from abnforge.cli.common.inputs import Inputs, Options, Unreadable
from abnforge.cli.common.judge import Outcome, judge
from abnforge.cli.common.options import (
    StringsCommand,
    engine_option,
    grammar_option,
    input_options,
    load_rule,
    mask_option,
    masking,
    open_strings,
    rule_option,
    suggest_option,
)
from abnforge.cli.common.output import Style, write
from abnforge.cli.reports import rejection as render
from abnforge.cli.reports.text import JsonLinesReport, JsonReport, Report, Write


class ExplanationReport(Report):
    """Full explanations, a blank line between them."""

    separator = ""

    def __init__(self, write: Write, style: Style) -> None:
        super().__init__(write)
        self.style = style

    def add(self, outcome: Outcome) -> None:
        self.write(f"{self.separator}{self._text(outcome)}\n")
        self.separator = "\n"

    def _text(self, outcome: Outcome) -> str:
        if isinstance(outcome.record, Unreadable):
            return render.unreadable(outcome.record, self.style)
        if outcome.rejection is None:
            return render.accepted(outcome.record.text, outcome.target, self.style)
        return render.explanation(outcome.rejection, self.style)


@click.command(cls=StringsCommand, short_help="Explain why strings are rejected.")
@click.argument("strings", nargs=-1, metavar="[STRING]...")
@grammar_option
@rule_option
@click.option(
    "-f",
    "--format",
    "report_format",
    type=click.Choice(("text", "json", "jsonl")),
    default="text",
    show_default=True,
    help="Text for people; one JSON array, or one JSON object a line, for programs.",
)
@input_options
@suggest_option
@mask_option
@engine_option
@click.pass_context
def explain(
    ctx: click.Context,
    strings: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str,
    null: bool,
    skip_empty: bool,
    max_line_bytes: int,
    suggest: bool | None,
    mask: bool,
    engine: str,
) -> None:
    """Explain why each STRING is rejected: what is wrong, where, and what would be right.

    Without a STRING, or for "-", strings are read from standard input, one a line. Put "--" before a
    string that starts with "-".

    \b
    Examples:
      abnforge explain 'http://exa mple.com/'
      abnforge explain --rule IPv6address '1:2:3:4:5:6:7'
      abnforge explain --grammar my.abnf --rule start 'some text'
      abnforge explain --format json 'http://[::1/' | jq .[0].hypotheses

    Exit status: 0 all valid, 1 something rejected, 2 wrong usage or unreadable input.
    """
    chosen, target = load_rule(grammar, rule, engine)
    records = open_strings(strings, Options(null, skip_empty, max_line_bytes))
    report: Report
    if report_format == "text":
        report = ExplanationReport(write, Style.detect())
    else:
        report = JsonReport(write) if report_format == "json" else JsonLinesReport(write)
    rejected = False
    report.begin()
    for outcome in judge(
        records, chosen, target, engine=engine, suggest=suggest is not False, mask=masking(mask)
    ):
        rejected |= not outcome.valid
        report.add(outcome)
    report.finish()
    if isinstance(records, Inputs) and records.failed:
        ctx.exit(EXIT_USAGE)
    if rejected:
        ctx.exit(EXIT_REJECTED)
