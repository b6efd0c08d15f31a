"""``abnforge grammar test``: the examples beside a grammar's rules, tried."""

from __future__ import annotations

from pathlib import Path

import click

from abnforge.cli.common.completions import complete_grammar, complete_rule
from abnforge.cli.common.examples import FAILED, MISSING, UNDECIDED, listed, missing, numbered, results
from abnforge.cli.common.options import (
    budget_option,
    linking_options,
    lists_option,
    load,
)
from abnforge.cli.common.output import complain, tell
from abnforge.cli.common.status import EXIT_REJECTED, EXIT_USAGE, exit_zero_option
from abnforge.cli.reports.formats import format_option, make_report
from abnforge.drawing import escape


@click.command("test", short_help="Try the examples beside a grammar's rules.")
@click.argument("grammars", nargs=-1, required=True, metavar="FILE|NAME...", shell_complete=complete_grammar)
@click.option(
    "-r",
    "--rule",
    "rules",
    shell_complete=complete_rule,
    multiple=True,
    metavar="NAME",
    help="Try the examples of this rule alone. May be repeated.",
)
@linking_options
@lists_option
@budget_option
@format_option("example")
@click.option("--list", "listing", is_flag=True, help="List the examples, and try none.")
@click.option(
    "--require",
    type=click.IntRange(min=1),
    metavar="N",
    help="Report rules with fewer than N matches or N non-matches: those of --rule, or the start and all "
    "that no other rule refers to.",
)
@click.option("-q", "--quiet", is_flag=True, help="No summary on standard error.")
@exit_zero_option
@click.pass_context
def test(
    ctx: click.Context,
    grammars: tuple[str, ...],
    rules: tuple[str, ...],
    report_format: str,
    listing: bool,
    require: int | None,
    quiet: bool,
) -> None:
    """Try the examples that stand beside a grammar's rules in structured comments.

    \b
      ;@ match "80", "" (RFC 3986, section 3.2.3)
      ;@ no-match "80x"
      port = *DIGIT

    An example that is not what it says is told with its place, and why: the rejection of what should match,
    or what else a string is read as. Text tells how many each rule has; every other format but github has one
    element an example.

    \b
    Examples:
      abnforge grammar test my.abnf
      abnforge grammar test --rule port --require 3 my.abnf
      abnforge grammar test --format junit *.abnf > examples.xml
      abnforge grammar test --list rfc3986

    Exit status: 0 every example is what it says, 1 some are not or --require found fewer, 2 wrong usage, an
    unreadable grammar, examples that cannot be understood, or the budget ran out.
    """
    from abnforge.abnf.bundled import bundled_names
    from abnforge.engine.examples import chosen, tried

    # All are read before anything is told: a report that has begun has an end.
    loaded = [(load(name), name not in bundled_names() and Path(name).is_file()) for name in grammars]
    for grammar, _ in loaded:
        for rule in rules:
            grammar[rule]  # raises UnknownNameError
        if not grammar.examples and not quiet:
            complain(f'{grammar.source.name} has no examples; write ;@ match "text" above a rule')
    report = make_report("example", report_format)
    counts = {"tried": 0, FAILED: 0, UNDECIDED: 0, MISSING: 0}
    report.begin()
    for grammar, is_file in loaded:
        names = {grammar[rule].name for rule in rules} or None
        examples = chosen(grammar.examples, names)
        if listing:
            for told in listed(grammar, is_file, examples):
                counts["tried"] += 1
                report.add(told)
            continue
        for told in results(grammar, is_file, tried(grammar, examples, grammar.source.name)):
            counts["tried"] += 1
            counts[told.status] = counts.get(told.status, 0) + 1
            report.add(told)
        for told in missing(grammar, is_file, rules or None, require) if require else ():
            counts[MISSING] += 1
            report.add(told)
    report.finish()
    if not quiet:
        tell(_summary(counts, listing))
    if counts[UNDECIDED]:
        ctx.exit(EXIT_USAGE)
    if counts[FAILED] or counts[MISSING]:
        ctx.exit(EXIT_REJECTED)


def _summary(counts: dict[str, int], listing: bool) -> str:
    """``7 examples, 1 failed``."""
    total = numbered(counts["tried"], "example", "examples")
    if listing:
        return total
    parts = [f"{counts[FAILED]:,} failed"]
    if counts[UNDECIDED]:
        parts.append(f"{counts[UNDECIDED]:,} not decided")
    if counts[MISSING]:
        parts.append(f"{numbered(counts[MISSING], 'rule', 'rules')} with too few")
    return escape(f"{total}, {', '.join(parts)}")
