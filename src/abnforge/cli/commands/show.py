"""``abnforge show``: rules as ABNF, with what they use and what uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_rule
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import grammar_option, load
from abnforge.cli.common.output import write_file
from abnforge.cli.common.usage import UsageError
from abnforge.cli.output.formats import format_option, make_report

if TYPE_CHECKING:
    from abnforge import Grammar


@click.command(short_help="Show rule definitions and cross-references.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_option
@format_option("rule")
@click.option("--words", is_flag=True, help="Describe the rules in plain English. Same as --format words.")
@click.option("--automaton", is_flag=True, help="Draw the minimal automaton of a rule. Requires --svg.")
@click.option("--svg", is_flag=True, help="Write SVG. Requires --automaton.")
def show(
    rules: tuple[str, ...], grammar: str, report_format: str, words: bool, automaton: bool, svg: bool
) -> None:
    """Show RULEs as ABNF, with their section, the rules they use and the rules that use them.

    Without RULE, show every rule of the grammar in order. Names match case-insensitively.

    \b
    Examples:
      abnforge show host
      abnforge show --grammar rfc2396 net-path server
      abnforge show port --words
      abnforge show dec-octet --automaton --svg > dec-octet.svg
      abnforge show --grammar my.abnf --format json
    """
    if words and report_format == "json":
        raise UsageError(message("option-excluded", option="--words", other="--format json"))
    if automaton != svg:
        used, needed = ("--automaton", "--svg") if automaton else ("--svg", "--automaton")
        raise UsageError(message("option-requires", option=used, other=needed))
    loaded = load(grammar)
    if automaton:
        _draw(loaded, rules)
        return
    chosen = [loaded[name] for name in rules] if rules else list(loaded.own_rules)
    make_report("rule", "words" if words else report_format, full=bool(rules)).feed(chosen)


def _draw(grammar: Grammar, rules: tuple[str, ...]) -> None:
    """The automaton of one rule."""
    from abnforge.teaching.pictures.automata import automaton_svg

    if len(rules) != 1:
        raise UsageError(message("option-requires", option="--automaton", other="one RULE"))
    rule = grammar[rules[0]]
    if not rule.regular:
        raise UsageError(message("automaton-unavailable", rule=rule.name))
    write_file(automaton_svg(rule))
