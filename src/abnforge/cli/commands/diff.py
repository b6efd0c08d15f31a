"""``abnforge diff``: compare two grammars by the strings that they accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_assigned, complete_grammar_rule, complete_rule
from abnforge.cli.common.errors import EXIT_REJECTED, EXIT_USAGE, UsageError, exit_zero_option, usage_errors
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, grammar_options, loading, require_linkable
from abnforge.cli.common.output import print_error, print_stderr
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from abnforge.comparison.grammars import GrammarDiff, RuleDiff
    from abnforge.engine.grammar import Grammar


@command(short_help="Compare two grammars by the strings they accept.")
@click.argument("left", metavar="A[:RULE]", shell_complete=complete_grammar_rule)
@click.argument("right", metavar="B[:RULE]", shell_complete=complete_grammar_rule)
@option("--all", "show_all", is_flag=True, help="Also list equal rules.", excludes="--compat")
@option(
    "-t",
    "--translate",
    "translations",
    shell_complete=complete_assigned,
    metavar="NAME=ABNF",
    multiple=True,
    help="Compare A's rule NAME with a rule of B, or with an ABNF expression over B's rules. Repeatable.",
)
@option("--compat", is_flag=True, help="Check that B accepts every string of each rule that A exports.")
@option(
    "-r",
    "--rule",
    "rules",
    shell_complete=complete_rule,
    multiple=True,
    metavar="NAME",
    help="Also check this rule of A. Repeatable.",
    needs="--compat",
)
@format_option("difference", "compatibility")
@grammar_options("budget", "no-cache", *LINKING_OPTIONS)
@exit_zero_option
@click.pass_context
def diff(
    ctx: click.Context,
    left: str,
    right: str,
    show_all: bool,
    translations: tuple[str, ...],
    compat: bool,
    rules: tuple[str, ...],
    report_format: str,
) -> None:
    """Compare two grammars rule by rule by the strings that they accept.

    Comparisons are exact: rules are sets of strings, not text. Each difference has a shortest example, and
    the reason why the other grammar rejects it. With RULE on one side, compare only the rules of
    that name. With RULE on both sides, compare these two rules. --import, --define, --allow-undefined and
    --lists apply to A and to B.

    With --compat, A is a grammar before a change and B the grammar after it. Check that B accepts every
    string of A's start rule, of the rules that no other rule of A uses, and of --rule. A rule that B
    does not define, and a result that cannot be proved, count as not compatible.

    \b
    Examples:
      abnforge diff rfc2396 rfc3986
      abnforge diff rfc3986:URI rfc3987:IRI
      abnforge diff rfc3986:host my.abnf:hostname
      abnforge diff rfc2396 rfc3986 --translate 'hostport=host [ ":" port ]'
      abnforge diff abnf:rfc3987 rfc3987 --all --format markdown
      abnforge diff old.abnf new.abnf --compat --format github
      abnforge diff old.abnf new.abnf --import rfc3986

    Exit status: 0 all compared rules are equal, or B is backward compatible (--compat); 1 different; 2 usage
    error, unknown grammar or budget exceeded, unless --compat finds a string that B rejects.
    """
    from abnforge.comparison.grammars import differences

    require_linkable(left, right)
    translation = dict(map(_translated, translations))
    if len(translation) < len(translations):
        raise UsageError(message("translation-repeated"))
    a, left_rule = _located(left)
    b, right_rule = _located(right)
    alone = bool(left_rule or right_rule)
    if alone and translations:
        raise UsageError(message("option-excluded", option="--translate", other="A:RULE or B:RULE"))
    if compat:
        ctx.exit(_compatible(a, b, (left_rule, right_rule), rules, translation, (left, right), report_format))
    with usage_errors():
        result = differences(a, b, translation, rules=(left_rule, right_rule), named=(left, right))
    make_report("difference", report_format).feed([result if show_all or alone else result.changes()])
    print_stderr(totals.differing(result))
    if _exceeded(result.rules, result):
        ctx.exit(EXIT_USAGE)
    if not result.equal:
        ctx.exit(EXIT_REJECTED)


def _exceeded(unsettled: Iterable[RuleDiff], result: GrammarDiff) -> bool:
    """Print an error if the comparison of some rules exceeded the budget; return whether one did."""
    limits = sum(rule.limit is not None for rule in unsettled)
    if limits:
        print_error(message("incomplete-comparison", count=limits, rules=len(result.rules)))
    return limits > 0


def _compatible(
    a: Grammar,
    b: Grammar,
    alone: tuple[str | None, str | None],
    rules: tuple[str, ...],
    translation: dict[str, str],
    named: tuple[str, str],
    report_format: str,
) -> int:
    """Report whether a change is backward compatible. Return the exit status."""
    from abnforge.comparison.grammars import BROKEN, NOT_SHOWN, compatibility

    left, right = alone
    if left or right:
        first = left or str(right)
        rules = (first, *rules)
        translation |= {first: right} if right else {}
    result = compatibility(a, b, rules, translation, alone=bool(left or right), named=named)
    make_report("compatibility", report_format).feed([result])
    print_stderr(totals.differing(result.diff))
    # The structure of two rules can prove inclusion, even if equality remains open within the budget.
    exceeded = _exceeded(result.rules(NOT_SHOWN), result.diff)
    if result.compatible:
        return 0
    return EXIT_USAGE if exceeded and not result.rules(BROKEN) else EXIT_REJECTED


def _located(text: str) -> tuple[Grammar, str | None]:
    from abnforge.engine.loading import locate

    with usage_errors():
        return locate(text, **loading())


def _translated(pair: str) -> tuple[str, str]:
    from abnforge.comparison.grammars import translated

    try:
        return translated(pair)
    except ValueError:
        raise UsageError(
            message("option-malformed", option="--translate", form="NAME=ABNF", value=pair)
        ) from None
