"""``abnforge test``: run the examples in a grammar."""

from __future__ import annotations

from pathlib import Path

import click

from abnforge.cli.common.completions import complete_grammar, complete_rule
from abnforge.cli.common.errors import EXIT_REJECTED, EXIT_USAGE, exit_zero_option
from abnforge.cli.common.grammar_results import FAILED, MISSING, UNDECIDED, listed, missing, numbered, results
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, grammar_options, load, quiet_option
from abnforge.cli.common.output import print_stderr, warn
from abnforge.cli.output.formats import format_option, make_report
from abnforge.text import escape


@command("test", short_help="Run the examples embedded in a grammar.")
@click.argument("grammars", nargs=-1, required=True, metavar="FILE|NAME...", shell_complete=complete_grammar)
@option(
    "-r",
    "--rule",
    "rules",
    shell_complete=complete_rule,
    multiple=True,
    metavar="NAME",
    help="Run only the examples of this rule. Repeatable.",
)
@grammar_options("budget", *LINKING_OPTIONS)
@format_option("example")
@option("--list", "listing", is_flag=True, help="List the examples without running them.")
@option(
    "--require",
    type=click.IntRange(min=1),
    help="Report rules with fewer than N matches or N non-matches: those of --rule, or the start rule and "
    "all rules that no other rule uses.",
    excludes="--list",
)
@quiet_option
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
    """Run the examples embedded in a grammar as structured comments.

    \b
      ;@ match "80", "" (RFC 3986, section 3.2.3)
      ;@ no-match "80x"
      port = *DIGIT

    Failed examples are reported with their position and the reason: the rejection of a string that must
    match, or the parse of a string that must not. Text output counts the examples of each rule; every other
    format except github has one element per example.

    \b
    Examples:
      abnforge test my.abnf
      abnforge test --rule port --require 3 my.abnf
      abnforge test --format junit *.abnf > examples.xml
      abnforge test --list rfc3986

    Exit status: 0 all examples pass; 1 any failed, or fewer than --require; 2 usage error, unreadable
    grammar, invalid examples, or budget exceeded.
    """
    from abnforge.engine.examples import chosen, tried
    from abnforge.engine.loading import is_built_in

    # Load all grammars before the report, which cannot be left incomplete.
    loaded = [(load(name, *grammars), not is_built_in(name) and Path(name).is_file()) for name in grammars]
    for grammar, _ in loaded:
        for rule in rules:
            grammar[rule]  # raises UnknownNameError
        if not grammar.examples and not quiet:
            warn(message("examples-missing", grammar=grammar.source.name))
    report = make_report("example", report_format)
    counts = {"tried": 0, FAILED: 0, UNDECIDED: 0, MISSING: 0}
    report.begin()
    for grammar, is_file in loaded:
        names = {grammar[rule].name for rule in rules} or None
        examples = chosen(grammar.examples, names)
        if listing:
            for outcome in listed(grammar, is_file, examples):
                counts["tried"] += 1
                report.add(outcome)
            continue
        for outcome in results(grammar, is_file, tried(grammar, examples, grammar.source.name)):
            counts["tried"] += 1
            counts[outcome.status] = counts.get(outcome.status, 0) + 1
            report.add(outcome)
        for outcome in missing(grammar, is_file, rules or None, require) if require else ():
            counts[MISSING] += 1
            report.add(outcome)
    report.finish()
    if not quiet:
        print_stderr(_summary(counts, listing))
    if counts[UNDECIDED]:
        ctx.exit(EXIT_USAGE)
    if counts[FAILED] or counts[MISSING]:
        ctx.exit(EXIT_REJECTED)


def _summary(counts: dict[str, int], listing: bool) -> str:
    """Return ``7 examples, 1 failed``."""
    total = numbered(counts["tried"], "example", "examples")
    if listing:
        return total
    parts = [f"{counts[FAILED]:,} failed"]
    if counts[UNDECIDED]:
        parts.append(f"{counts[UNDECIDED]:,} not decided")
    if counts[MISSING]:
        parts.append(f"{numbered(counts[MISSING], 'rule', 'rules')} with too few")
    return escape(f"{total}, {', '.join(parts)}")
