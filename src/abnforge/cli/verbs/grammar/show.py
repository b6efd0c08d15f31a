"""``abnforge grammar show``: rules as ABNF, with what they use and what uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from abnforge.citation import citation, specification
from abnforge.cli.common.options import complete_rule, grammar_option, load
from abnforge.cli.common.output import Style, dumps, write
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


@click.command(short_help="Show rules as ABNF.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_option
@click.option(
    "-f", "--format", "show_format", type=click.Choice(("text", "json")), default="text", show_default=True
)
def show(rules: tuple[str, ...], grammar: str, show_format: str) -> None:
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
    if show_format == "json":
        write("[\n" + ",\n".join(dumps(_facts(rule)) for rule in chosen) + "\n]\n")
        return
    style = Style.detect()
    if rules:
        write("\n".join(_describe(rule, loaded.name, style) for rule in chosen))
    else:
        for rule in chosen:
            write(_lines(rule.definition))


def _facts(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "definition": rule.definition.rstrip("\n"),
        "section": rule.section,
        "uses": list(rule.uses),
        "used_by": list(rule.used_by),
    }


def _describe(rule: Rule, grammar: str, style: Style) -> str:
    where = escape(citation(grammar, rule.section) if rule.section else specification(grammar))
    if rule.origin == "core":
        where = f"core rule, {where}"
    fields = [("from", where)]
    fields += [
        (label, ", ".join(map(escape, names)))
        for label, names in (("uses", rule.uses), ("used by", rule.used_by))
        if names
    ]
    facts = "".join(f"  {style.faint(label.ljust(7))}  {text}\n" for label, text in fields)
    return style.strong(_lines(rule.definition)) + facts


def _lines(text: str) -> str:
    """ABNF text, line by line safe for a terminal."""
    return "".join(escape(line) + "\n" for line in text.rstrip("\n").split("\n"))
