"""``abnforge rule``: what a code means."""

from __future__ import annotations

import click

from abnforge.cli.common.codes import known_code
from abnforge.cli.common.completions import complete_code
from abnforge.cli.common.options import grammar_option, load
from abnforge.cli.common.output import write
from abnforge.cli.reports.findings import kind_text
from abnforge.cli.reports.formats import format_option, make_report


@click.command(short_help="Explain an error code or lint rule.")
@click.argument("codes", nargs=-1, required=True, metavar="CODE...", shell_complete=complete_code)
@grammar_option
@format_option("code")
def rule(codes: tuple[str, ...], grammar: str, report_format: str) -> None:
    """Explain each CODE: its meaning, the relevant section, and wrong and right examples.

    CODE is an error code of a grammar or a lint rule (ABNF012). "abnforge grammar mistakes" lists the error
    codes of a grammar.

    \b
    Examples:
      abnforge rule scheme-missing
      abnforge rule --grammar rfc3987 space-before
      abnforge rule --grammar my.abnf --mistakes others.abnf my-star
      abnforge rule ABNF012
    """
    from abnforge.linting.registry import find

    kinds = [find(code) if code.upper().startswith("ABNF") else None for code in codes]
    if all(kinds):
        write("\n".join(kind_text(kind) for kind in kinds if kind is not None))
        return
    loaded = load(grammar)
    make_report("code", report_format, full=True).feed([known_code(loaded, code) for code in codes])
