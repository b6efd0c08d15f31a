"""``abnforge show`` and ``abnforge list``: the rules of a grammar, and the grammars that load by name."""

from __future__ import annotations

import click

from abnforge.cli.common.completions import complete_rule
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.grammar_results import listed_grammars
from abnforge.cli.common.groups import command
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, grammar_options, load
from abnforge.cli.output.formats import format_option, make_report


@command(short_help="Show rule definitions and cross-references.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_options("grammar", "mistakes", "budget", "no-cache", *LINKING_OPTIONS)
@format_option("rule", default="abnf", help="Output format; svg draws the automaton of a rule.")
def show(rules: tuple[str, ...], grammar: str, report_format: str) -> None:
    """Show RULEs, with their section, the rules they use and the rules that use them.

    Without RULE, show every rule of the grammar in order. Names match case-insensitively.

    \b
    Examples:
      abnforge show host
      abnforge show --grammar rfc2396 net-path server
      abnforge show --format words port
      abnforge show --format svg dec-octet > dec-octet.svg
      abnforge show --grammar my.abnf --format json
    """
    if report_format == "svg" and len(rules) != 1:
        raise UsageError(message("option-requires", option="--format svg", other="one RULE"))
    loaded = load(grammar)
    chosen = [loaded[name] for name in rules] if rules else list(loaded.own_rules)
    if report_format == "svg" and not chosen[0].regular:
        raise UsageError(message("automaton-unavailable", rule=chosen[0].name))
    make_report("rule", report_format, full=bool(rules)).feed(chosen)


@command("list", short_help="List the available grammars.")
@format_option("grammar")
def list_grammars(report_format: str) -> None:
    """List the grammars that load by name.

    Names with the prefix "abnf:" are grammars of the package "abnf".

    \b
    Examples:
      abnforge list
      abnforge check --grammar abnf:rfc5322 --rule addr-spec addresses.txt
    """
    make_report("grammar", report_format).feed(listed_grammars())
