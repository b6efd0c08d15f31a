"""``abnforge check``: find the invalid lines of a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from abnforge.cli.common.errors import exit_status, exit_zero_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.misuse import note_grammars
from abnforge.cli.common.options import (
    GRAMMAR_OPTIONS,
    file_options,
    files_argument,
    grammar_options,
    load,
    load_rule,
    open_inputs,
    quiet_option,
    rule_of,
    suggest_option,
)
from abnforge.cli.common.output import ProgressLine, print_stderr
from abnforge.cli.common.policies import policies_of, policy_options
from abnforge.cli.common.security import Inspector, mask_option, masking, security_options
from abnforge.cli.common.validation import LineEndAdvice, Tally, lines_matcher, matcher, validate_records
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report, showing_warnings

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


def _restricted(options: Mapping[str, Any], grammar: str, rule: Rule) -> Rule:
    """Return the rule that policies restrict."""
    for _, policy in policies_of(options, lambda name: rule_of(load(grammar), name)):
        rule = policy.rule(rule)
    return rule


@command(short_help="Validate each line of files and report the invalid ones.")
@files_argument
@grammar_options(*GRAMMAR_OPTIONS)
@format_option("outcome")
@option("-a", "--all", "report_all", is_flag=True, help="Also report valid lines.")
@option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Add expected characters and alternatives.",
    needs="--format json|jsonl",
)
@file_options
@suggest_option
@mask_option
@security_options
@policy_options
@option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Use N processes.",
)
@option("--max-errors", type=click.IntRange(min=1), help="Stop after N invalid lines.")
@quiet_option
@exit_zero_option
@click.pass_context
def check(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str,
    report_all: bool,
    options: Options,
    verbose: bool,
    suggest: bool,
    mask: bool,
    security: bool,
    allowed_ports: tuple[str, ...],
    engine: str,
    jobs: int,
    max_errors: int | None,
    quiet: bool,
    **policies: Any,
) -> None:
    """Validate every line of the files and report the invalid ones.

    Each line is one string, read verbatim: spaces count, and an empty line is the empty string. With
    --whole-file, each file is one string. Without FILE, or if FILE is "-", read standard input.

    \b
    Examples:
      abnforge check links.txt
      abnforge check --grammar rfc2396 --rule absoluteURI links.txt
      abnforge check --grammar my.abnf --rule start < strings.txt
      abnforge check --format jsonl --all links.txt > verdicts.jsonl
      abnforge check --whole-file --grammar json.abnf *.json
      find . -print0 | abnforge check --null --rule relative-ref
      abnforge check --format github links.txt      (in a GitHub workflow)
      abnforge check --security links.txt

    Exit status: 0 all valid; 1 any rejected, or any security warning with --security; 2 usage error,
    unreadable file, or budget exceeded.
    """
    restrict = partial(_restricted, policies, grammar) if any(policies.values()) else None
    chosen, target = load_rule(grammar, rule, engine, restrict)
    records = open_inputs(files, options, chosen)
    report = make_report("outcome", report_format, full=verbose)
    unit = "file" if options.whole_file else "line"
    progress = ProgressLine(unit, records.is_typed)
    total = records.bytes_total if progress.enabled else None
    tally = Tally(max_errors)
    inspect = (
        Inspector(target, report_format, showing_warnings("outcome"), allowed_ports) if security else None
    )
    if not report_all and inspect is None:
        records.skip = matcher(chosen, engine)
        records.skip_lines = lines_matcher(chosen, engine)
    records.tick = lambda: progress.update(
        tally.records + records.skipped, tally.rejected, records.bytes_read, total
    )
    report.begin()
    hide = masking(mask or security, target.rule, whole_files=options.whole_file)
    advice = LineEndAdvice()
    outcomes = advice.watch(
        validate_records(
            records,
            chosen,
            target,
            engine=engine,
            suggest=suggest,
            hypotheses=3 if verbose else 1,
            mask=hide,
            jobs=jobs,
        )
    )
    for outcome in tally.count(outcomes if inspect is None else map(inspect, outcomes)):
        if report_all or not outcome.valid or outcome.security:
            progress.make_room()
            report.add(outcome)
    progress.clear()
    report.finish()
    advice.tell()
    if tally.rejected:
        note_grammars(ctx, files)
    suspect = inspect.suspect if inspect is not None else None
    if not quiet:
        print_stderr(totals.checked(tally, records.skipped, suspect, unit))
    ctx.exit(exit_status(records, tally.rejected or suspect, tally.undecided))
