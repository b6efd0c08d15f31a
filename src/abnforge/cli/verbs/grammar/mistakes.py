"""``abnforge grammar mistakes``: what people write instead of a grammar's rules."""

from __future__ import annotations

import click

from abnforge.cli.common.codes import known_codes
from abnforge.cli.common.completions import DEFAULT_GRAMMAR, complete_grammar
from abnforge.cli.common.options import (
    budget_option,
    load,
    mistakes_option,
)
from abnforge.cli.reports.formats import format_option, make_report


@click.command(short_help="List the error codes of a grammar.")
@click.argument("grammar", metavar="[NAME|FILE]", default=DEFAULT_GRAMMAR, shell_complete=complete_grammar)
@mistakes_option
@budget_option
@format_option("code")
@click.option("-v", "--verbose", is_flag=True, help="Everything there is to say about each.")
@click.option("--derived", is_flag=True, help="Those that follow from the grammar's rules, too.")
def mistakes(grammar: str, report_format: str, verbose: bool, derived: bool) -> None:
    """List the mistakes that a grammar knows: code, meaning, and what is wrong and right.

    They are declared among its rules, in a file NAME.mistakes.abnf beside it, or with --mistakes in another
    one, and are listed in the order in which they are preferred. Where nobody has declared any, those that
    follow from the rules are listed: blanks, delimiters, counts, words. "abnforge grammar lint
    NAME.mistakes.abnf" tells what is doubtful about a file of mistakes.

    \b
    Examples:
      abnforge grammar mistakes
      abnforge grammar mistakes my.abnf --mistakes my-own.abnf
      abnforge grammar mistakes rfc3986 --format markdown > codes.md
    """
    report = make_report("code", report_format, full=verbose)
    loaded = load(grammar)
    declared = list(known_codes(loaded))
    rest = known_codes(loaded, derived=True) if derived or not declared else ()
    report.feed([*declared, *rest])
