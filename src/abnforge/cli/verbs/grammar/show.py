"""``abnforge grammar show``: rules as ABNF, with what they use and what uses them."""

from __future__ import annotations

import click

from abnforge.cli.common.options import complete_rule, grammar_option, load
from abnforge.cli.reports.formats import format_option, make_report


@click.command(short_help="Show rules as ABNF.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_option
@format_option("rule")
def show(rules: tuple[str, ...], grammar: str, report_format: str) -> None:
    """Show RULEs as ABNF, with their section, the rules they use and the rules that use them.

    Without a RULE, every rule of the grammar in its order. Names match without regard to case.

    \b
    Examples:
      abnforge grammar show host
      abnforge grammar show --grammar rfc2396 net-path server
      abnforge grammar show --grammar my.abnf --format json
    """
    loaded = load(grammar)
    chosen = [loaded[name] for name in rules] if rules else list(loaded.own_rules)
    make_report("rule", report_format, full=bool(rules)).feed(chosen)
