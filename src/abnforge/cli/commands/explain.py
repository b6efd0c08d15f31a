"""``abnforge explain``: explain why strings are rejected."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from abnforge.cli.common.errors import exit_status, exit_zero_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.misuse import note_files
from abnforge.cli.common.options import (
    GRAMMAR_OPTIONS,
    StringsCommand,
    file_options,
    grammar_options,
    load_rule,
    open_strings,
    strings_argument,
    suggest_option,
)
from abnforge.cli.common.security import mask_option, masking
from abnforge.cli.common.validation import LineEndAdvice, Tally, validate_records
from abnforge.cli.output.attempts import teaching
from abnforge.cli.output.formats import format_option, make_report


@command(cls=StringsCommand, short_help="Explain why strings are rejected.")
@strings_argument
@grammar_options(*GRAMMAR_OPTIONS)
@format_option("explanation", help="Output format: text, a JSON array, or JSON Lines.")
@option(
    "--teach",
    is_flag=True,
    help="Explain step by step how parsing stopped.",
    needs="--format text",
    excludes="--mask-passwords",
)
@option(
    "--all-fixes",
    is_flag=True,
    help="List all fixes with the fewest changed characters.",
    excludes="--teach or --mask-passwords",
)
@option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Add the failed alternatives of the rule at fault.",
    needs="--format json|jsonl",
)
@file_options
@suggest_option
@mask_option
@exit_zero_option
@click.pass_context
def explain(
    ctx: click.Context,
    strings: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str,
    teach: bool,
    all_fixes: bool,
    verbose: bool,
    options: Options,
    suggest: bool,
    mask: bool,
    engine: str,
) -> None:
    """Explain why each STRING is rejected: the mistake, its position, and the fix.

    Without STRING, or if STRING is "-", read one string per line from standard input. Put "--" before a
    string that starts with "-". With --whole-file, each STRING is a file name.

    \b
    Examples:
      abnforge explain 'http://exa mple.com/'
      abnforge explain --teach 'http://host:80x/'
      abnforge explain --all-fixes 'http://[::1/'
      abnforge explain --rule IPv6address '1:2:3:4:5:6:7'
      abnforge explain --grammar my.abnf --rule start 'some text'
      abnforge explain --grammar json.abnf --whole-file settings.json
      abnforge explain --format json 'http://[::1/' | jq .[0].hypotheses

    Exit status: 0 all valid, 1 any rejected, 2 usage error, unreadable input, or budget exceeded.
    """
    chosen, target = load_rule(grammar, rule, engine)
    records = open_strings(strings, options, chosen)
    tally = Tally()
    hide = masking(mask, target.rule, whole_files=options.whole_file)
    advice = LineEndAdvice()
    outcomes = validate_records(
        records, chosen, target, engine=engine, suggest=suggest, hypotheses=3, mask=hide
    )
    if all_fixes:
        outcomes = (replace(outcome, all_fixes=True) for outcome in outcomes)
    report = make_report("explanation", report_format, full=verbose)
    counted = tally.count(advice.watch(outcomes))
    if teach:
        teaching(report, counted, partial(chosen.lesson, engine=engine))
    else:
        report.feed(counted)
    advice.tell()
    if tally.rejected and not options.whole_file:
        note_files(strings)
    ctx.exit(exit_status(records, tally.rejected, tally.undecided))
