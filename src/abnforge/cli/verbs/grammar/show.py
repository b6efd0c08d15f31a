"""``abnforge grammar show``: rules as ABNF, with what they use and what uses them."""

from __future__ import annotations

import click

from abnforge.cli.common.options import complete_rule, grammar_option, load
from abnforge.cli.reports.formats import format_option, make_report


@click.command(short_help="Show rules as ABNF.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_option
@format_option("rule")
@click.option("--words", is_flag=True, help="Read the rules aloud, with examples and facts: --format words.")
def show(rules: tuple[str, ...], grammar: str, report_format: str, words: bool) -> None:
    """Show RULEs as ABNF, with their section, the rules they use and the rules that use them.

    Without a RULE, every rule of the grammar in its order. Names match without regard to case.

    \b
    Examples:
      abnforge grammar show host
      abnforge grammar show --grammar rfc2396 net-path server
      abnforge grammar show port --words
      abnforge grammar show --grammar my.abnf --format json
    """
    if words and report_format == "json":
        raise click.UsageError("--words says what to print; leave out --format json.")
    loaded = load(grammar)
    chosen = [loaded[name] for name in rules] if rules else list(loaded.own_rules)
    make_report("rule", "words" if words else report_format, full=bool(rules)).feed(chosen)
