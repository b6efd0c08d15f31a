"""``abnforge grammar export``: a rule as a regular expression for another engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from abnforge.backends.regex.dialects import DIALECTS
from abnforge.cli.common.options import grammar_option, load_rule, rule_option
from abnforge.cli.common.output import complain, write
from abnforge.errors import GrammarError

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

ALL_COMPONENTS = "all-components"


def complete_dialect(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Dialects by name."""
    return [
        CompletionItem(d.name, help=d.engines) for d in DIALECTS.values() if d.name.startswith(incomplete)
    ]


def _table() -> str:
    width = max(map(len, DIALECTS))
    rows = [f"  {d.name.ljust(width)}  {d.engines}\n  {' ' * width}  {d.usage}" for d in DIALECTS.values()]
    return "\b\nDialects, and how to use them:\n" + "\n".join(rows)


@click.command(short_help="Write a rule as a regular expression for another engine.", epilog=_table())
@grammar_option
@rule_option
@click.option(
    "-t", "--to", "dialect", metavar="DIALECT", required=True, shell_complete=complete_dialect,
    help=f"One of {', '.join(DIALECTS)}.",
)  # fmt: skip
@click.option(
    "--groups",
    metavar="RULES",
    help=f"Named groups for these rules, separated by commas; {ALL_COMPONENTS}: those of a URI.",
)
@click.option(
    "--anchors/--no-anchors",
    default=True,
    show_default=True,
    help="Without anchors it is for functions that match the whole text anyway, and for nothing else.",
)
@click.option("-q", "--quiet", is_flag=True, help="No hint on standard error.")
def export(
    grammar: str, rule: str | None, dialect: str, groups: str | None, anchors: bool, quiet: bool
) -> None:
    """Write a rule as a regular expression that accepts exactly what the rule derives.

    A trailing newline is never forgiven, and no text takes more than linear time.

    \b
    Examples:
      abnforge grammar export --to re2
      abnforge grammar export --rule URI-reference --to java --groups scheme,host,port
      abnforge grammar export --grammar my.abnf --rule start --to ecmascript
    """
    chosen, _ = load_rule(grammar, rule)
    try:
        pattern = chosen.export(dialect, groups=_groups(chosen, groups), anchored=anchors)
    except GrammarError:
        raise  # a ValueError too, but with a place in the grammar to show
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    write(pattern + "\n")
    if not quiet:
        complain(f"for {DIALECTS[dialect.lower()].engines}; use: {DIALECTS[dialect.lower()].usage}")


def _groups(rule: Rule, wanted: str | None) -> list[str]:
    if wanted != ALL_COMPONENTS:
        return [name.strip() for name in wanted.split(",")] if wanted else []
    from abnforge.uri.common.grammars import component_rules

    found = component_rules(rule)
    if not found:
        raise click.UsageError(f"{rule.name} uses no rule that is a component of a URI: name the groups.")
    return found
