"""``abnforge grammar export``: a rule as a regular expression for another engine, or a CHECK constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from abnforge.cli.common.completions import complete_rules
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import grammar_option, load_rule, rule_option
from abnforge.cli.common.output import note, write_file
from abnforge.cli.common.usage import UsageError, usage_errors
from abnforge.integrations.sql import DATABASES, check, database_named
from abnforge.regex.dialects import DIALECTS

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

ALL_COMPONENTS = "all-components"


def complete_dialect(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Dialects by name."""
    return [
        CompletionItem(d.name, help=d.engines) for d in DIALECTS.values() if d.name.startswith(incomplete)
    ]


def complete_database(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Databases by name."""
    return [CompletionItem(d.name, help=d.needs) for d in DATABASES.values() if d.name.startswith(incomplete)]


def _table() -> str:
    width = max(map(len, [*DIALECTS, *DATABASES]))
    rows = [f"  {d.name.ljust(width)}  {d.engines}\n  {' ' * width}  {d.usage}" for d in DIALECTS.values()]
    dialects = "\b\nDialects, and how to use them:\n" + "\n".join(rows)
    needs = [f"  {d.name.ljust(width)}  {d.needs}" for d in DATABASES.values()]
    return dialects + "\n\n\b\nDatabases, and what their constraints need:\n" + "\n".join(needs)


@click.command(short_help="Export a rule as a regular expression or SQL constraint.", epilog=_table())
@grammar_option
@rule_option
@click.option(
    "-t", "--to", "dialect", metavar="DIALECT", shell_complete=complete_dialect,
    help=f"One of {', '.join(DIALECTS)}.",
)  # fmt: skip
@click.option(
    "--check", "database", metavar="DATABASE", shell_complete=complete_database,
    help=f"Write an SQL CHECK constraint for one of {', '.join(DATABASES)}.",
)  # fmt: skip
@click.option("--column", metavar="NAME", help="Column to constrain. Requires --check.")
@click.option(
    "--groups",
    shell_complete=complete_rules,
    metavar="RULES",
    help=f"Add named groups for these rules, separated by commas; {ALL_COMPONENTS} for URI components.",
)
@click.option(
    "--anchors/--no-anchors",
    default=True,
    show_default=True,
    help="Anchor the expression; omit anchors only for functions that match the whole string.",
)
@click.option("-q", "--quiet", is_flag=True, help="Suppress the hint on standard error.")
def export(
    grammar: str,
    rule: str | None,
    dialect: str | None,
    database: str | None,
    column: str | None,
    groups: str | None,
    anchors: bool,
    quiet: bool,
) -> None:
    """Export a rule as a regular expression that accepts exactly the same strings.

    Expressions never accept a trailing newline, and match in linear time. With --check, print an SQL
    constraint for a column.

    \b
    Examples:
      abnforge grammar export --to re2
      abnforge grammar export --rule URI-reference --to java --groups scheme,host,port
      abnforge grammar export --grammar my.abnf --rule start --to ecmascript
      abnforge grammar export --rule URI --check postgresql --column url
    """
    if dialect is not None and database is not None:
        raise UsageError(message("option-excluded", option="--to", other="--check"))
    if dialect is None and database is None:
        raise UsageError(message("export-target-missing"))
    if database is None and column is not None:
        raise UsageError(message("option-requires", option="--column", other="--check"))
    if database is not None and (groups or not anchors):
        option = "--groups" if groups else "--no-anchors"
        raise UsageError(message("option-excluded", option=option, other="--check"))
    chosen, _ = load_rule(grammar, rule)
    with usage_errors():
        if database is not None:
            if column is None:
                raise UsageError(message("constraint-column-missing"))
            written, hint = check(chosen, database, column), database_named(database).hint
        else:
            assert dialect is not None
            written = chosen.export(dialect, groups=_groups(chosen, groups), anchored=anchors)
            named = DIALECTS[dialect.lower()]
            hint = f"for {named.engines}; use: {named.usage}"
    write_file(written + "\n")
    if not quiet:
        note(hint)


def _groups(rule: Rule, wanted: str | None) -> list[str]:
    if wanted != ALL_COMPONENTS:
        return [name.strip() for name in wanted.split(",")] if wanted else []
    from abnforge.uri.common import component_rules

    found = component_rules(rule)
    if not found:
        raise UsageError(message("groups-unavailable", rule=rule.name))
    return found
