"""``abnforge export``: export a rule as a regular expression, as source code or as a CHECK constraint."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from abnforge.cli.common.completions import complete_rule, complete_rules
from abnforge.cli.common.errors import UsageError, usage_errors
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import given_options, grammar_options, load, load_rule, output_option
from abnforge.cli.common.output import note, warn, write_result
from abnforge.engine.export import (
    CODE_TARGETS,
    LARK,
    TARGETS,
    notation_text,
    parts_unsupported,
    source_code,
)
from abnforge.engine.export import export as export_pattern
from abnforge.integrations.sql import DATABASES, check, database_named
from abnforge.notations.notation import NOTATIONS
from abnforge.outputs import STDOUT
from abnforge.regex.dialects import DIALECTS

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule

ALL_COMPONENTS = "all-components"
_NO_PATTERN = f"--check or --to {'|'.join((LARK, *NOTATIONS, *CODE_TARGETS))}"
_NO_CODE = f"--check or --to {'|'.join((LARK, *NOTATIONS))}"


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete targets."""
    targets = {**{each.name: each.engines for each in DIALECTS.values()}, LARK: "Lark"}
    targets |= {each.name: each.engines for each in NOTATIONS.values()}
    targets |= {each.name: f"{each.language} source code" for each in CODE_TARGETS.values()}
    return [CompletionItem(name, help=of) for name, of in targets.items() if name.startswith(incomplete)]


def complete_database(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete databases."""
    return [CompletionItem(d.name, help=d.needs) for d in DATABASES.values() if d.name.startswith(incomplete)]


def _table() -> str:
    engines = {each.name: each.engines for each in DIALECTS.values()}
    engines |= {each.name: each.engines for each in NOTATIONS.values()}
    units: dict[str, list[str]] = {}
    for code in CODE_TARGETS.values():
        units.setdefault(code.unit, []).append(code.name)
    names = ", ".join(f"{' '.join(each)} ({unit})" for unit, each in units.items())
    engines["code-..."] = f"one source file; units of offsets: {names}"
    width = max(map(len, engines))
    rows = [
        fill(text, 76, initial_indent=f"  {name:{width}}  ", subsequent_indent=" " * (width + 4))
        for name, text in engines.items()
    ]
    return "\b\nTargets, and their engines:\n" + "\n".join(rows)


@command(short_help="Export a rule as a pattern, source code or SQL constraint.", epilog=_table())
@grammar_options()
@option(
    "-t", "--to", "target", type=click.Choice(TARGETS, case_sensitive=False), metavar="TARGET",
    shell_complete=complete_target, help="Export for this target; see below.", excludes="--check",
    guesses=("--target", "--dialect", "--format"),
)  # fmt: skip
@option(
    "--check", "database", type=click.Choice(tuple(DATABASES), case_sensitive=False), metavar="DATABASE",
    shell_complete=complete_database, help=f"Write a CHECK constraint for {', '.join(DATABASES)}.",
)  # fmt: skip
@option("--column", metavar="NAME", help="Constrain this column.", needs="--check")
@option(
    "--groups",
    shell_complete=complete_rules,
    metavar="RULES",
    help=f"Add groups for rules, or {ALL_COMPONENTS}.",
    excludes=_NO_PATTERN,
)
@option(
    "--anchors/--no-anchors",
    default=True,
    help="Anchor the expression.  [default: yes]",
    excludes=_NO_PATTERN,
)
@option(
    "--allow-backtracking",
    is_flag=True,
    help="Allow a pattern that can take longer.",
    excludes=_NO_PATTERN,
)
@option(
    "--part",
    "parts",
    multiple=True,
    shell_complete=complete_rule,
    metavar="RULE",
    help="Locate this rule in source code. Repeatable.",
    excludes=_NO_CODE,
)
@option(
    "--name", metavar="NAME", help="Use this name in source code.",
    excludes=_NO_CODE,
)  # fmt: skip
@output_option
@option("-q", "--quiet", is_flag=True, help="Suppress the hint on standard error.")
def export(
    grammar: str,
    rule: str | None,
    target: str | None,
    database: str | None,
    column: str | None,
    groups: str | None,
    anchors: bool,
    allow_backtracking: bool,
    parts: tuple[str, ...],
    name: str | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Export a rule as a pattern, a grammar or a source file that accepts exactly the same strings.

    Patterns never accept a trailing newline, and match in linear time. Source files also report the offset
    of the first error and the expected characters. With --check, print an SQL constraint for a column.
    "--to lark" exports any grammar, or with --rule a rule and its dependencies, as a Lark grammar.

    \b
    Examples:
      abnforge export --to re2
      abnforge export --rule URI-reference --to java --groups scheme,host,port
      abnforge export --rule URI --check postgresql --column url
      abnforge export --rule URI --to code-c --part scheme --part host -o uri.h
      abnforge export --grammar my.abnf --to lark -o my.lark
    """
    if target is None and database is None:
        raise UsageError(message("export-target-missing"))
    if target == LARK:
        loaded = load(grammar)
        write_result(output, [loaded.lark_text if rule is None else loaded[rule].export(LARK)])
        return
    chosen, _ = load_rule(grammar, rule)
    sources: tuple[str, ...] = ()
    with usage_errors():
        if database is not None:
            if column is None:
                raise UsageError(message("constraint-column-missing"))
            written, hint = check(chosen, database, column), database_named(database).hint
        else:
            assert target is not None
            file = None if output is None or str(output) == STDOUT else str(output)
            if target in CODE_TARGETS:
                written = source_code(chosen, target, parts, name, given_options(rule), file)
                write_result(output, [written])
                return
            if target in NOTATIONS:
                write_result(output, [notation_text(chosen, target, given_options(rule), file)])
                if not quiet:
                    note(f"for {NOTATIONS[target].engines}; use: {NOTATIONS[target].usage}")
                return
            if parts or name is not None:
                raise parts_unsupported(target)
            selected = frozenset(chosen.grammar[name].key for name in _groups(chosen, groups))
            named = DIALECTS[target]
            written, sources = export_pattern(chosen, named, selected, anchors, allow_backtracking)
            hint = f"for {named.engines}; use: {named.usage}"
    write_result(output, [written, "\n"])
    if sources:
        warn(message("export-backtracking", rules=sources))
    if not quiet:
        note(hint)


def _groups(rule: Rule, names: str | None) -> list[str]:
    if names != ALL_COMPONENTS:
        return [name.strip() for name in names.split(",")] if names else []
    from abnforge.uri.common import component_rules

    components = component_rules(rule)
    if not components:
        raise UsageError(message("groups-unavailable", rule=rule.name))
    return components
