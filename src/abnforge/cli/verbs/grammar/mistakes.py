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
@click.option("-v", "--verbose", is_flag=True, help="Show all details of each code.")
@click.option("--derived", is_flag=True, help="Also list codes derived from the rules.")
def mistakes(grammar: str, report_format: str, verbose: bool, derived: bool) -> None:
    """List the error codes of a grammar: code, meaning, and wrong and right examples.

    Error codes are declared in the grammar, in NAME.mistakes.abnf next to it, or in the file of --mistakes.
    They are listed in order of preference. A grammar without declarations has derived codes: spaces,
    delimiters, counts, words. Lint a mistakes file with "abnforge grammar lint NAME.mistakes.abnf".

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
