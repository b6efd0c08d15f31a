"""``abnforge rule``: explain codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abnforge.cli.common.codes import KnownCode, known_code
from abnforge.cli.common.completions import complete_code
from abnforge.cli.common.options import grammar_option, load
from abnforge.cli.reports.formats import format_option, make_report
from abnforge.errors import UnknownNameError

if TYPE_CHECKING:
    from abnforge.cli.common.catalogs import MessageCode
    from abnforge.linting.registry import Kind


@click.command(short_help="Explain codes.")
@click.argument("codes", nargs=-1, required=True, metavar="CODE...", shell_complete=complete_code)
@grammar_option
@format_option("code")
def rule(codes: tuple[str, ...], grammar: str, report_format: str) -> None:
    """Explain codes: of rejections, of lint rules and of errors.

    Print the meaning, source and examples of a rejection, a bad and a good grammar for a lint rule (by code
    or name), or the message of an error. "abnforge grammar mistakes" lists the codes of a grammar.

    \b
    Examples:
      abnforge rule scheme-missing
      abnforge rule --grammar rfc3987 space-before
      abnforge rule --grammar my.abnf --mistakes others.abnf my-star
      abnforge rule ABNF012 unused-rule
      abnforge rule argument-type
    """
    make_report("code", report_format, full=True).feed([_known(code, grammar) for code in codes])


def _known(code: str, grammar: str) -> KnownCode | Kind | MessageCode:
    """Return the meaning of a code: of a lint rule, of a rejection of the grammar, or of an error."""
    from abnforge.cli.common.catalogs import message_code
    from abnforge.linting.registry import find

    kind = find(code)
    if kind is not None and kind.code.lower() == code.strip().lower():
        return kind
    try:
        return known_code(load(grammar), code)
    except UnknownNameError:
        if (found := kind or message_code(code)) is None:
            raise
        return found
