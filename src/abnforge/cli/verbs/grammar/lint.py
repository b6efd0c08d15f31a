"""``abnforge grammar lint``: what is doubtful about grammars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from abnforge.cli.app import EXIT_REJECTED
from abnforge.cli.common.options import complete_grammar, load
from abnforge.cli.common.output import Style, write
from abnforge.cli.reports.lint import REPORTS

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding


@click.command("lint", short_help="Find what is doubtful about grammars.")
@click.argument("grammars", nargs=-1, metavar="FILE|NAME...", shell_complete=complete_grammar)
@click.option(
    "-s",
    "--start",
    "starts",
    multiple=True,
    metavar="RULE",
    help="A rule the grammar is for; may be repeated.  [default: all that no other rule refers to]",
)
@click.option(
    "-f", "--format", "lint_format", type=click.Choice(tuple(REPORTS)), default="text", show_default=True
)
@click.option("-a", "--all", "all_", is_flag=True, help="List also findings that the grammar accepts.")
@click.option("--strict", is_flag=True, help="Findings of severity info fail the run, too.")
@click.option("--explain", metavar="CODE|NAME", help="Explain a kind of finding, and stop.")
@click.pass_context
def lint(
    ctx: click.Context,
    grammars: tuple[str, ...],
    starts: tuple[str, ...],
    lint_format: str,
    all_: bool,
    strict: bool,
    explain: str | None,
) -> None:
    """Find what is doubtful about grammars: errors, ambiguities, alternatives that never win, rules without
    end.

    A comment "; abnforge: allow NAME (reason)" before a rule, or in it, accepts findings of that name.

    \b
    Examples:
      abnforge grammar lint my.abnf
      abnforge grammar lint --start message --format github *.abnf
      abnforge grammar lint --explain ambiguous

    Exit status: 0 nothing found, 1 errors or warnings that are not accepted, 2 wrong usage or unreadable
    file.
    """
    if explain is not None:
        write(explanation(explain))
        return
    if not grammars:
        raise click.UsageError("Missing argument 'FILE|NAME...'.")
    report = REPORTS[lint_format](write, Style.detect())
    shown: list[Finding] = []
    hidden = 0
    report.begin()
    for grammar in grammars:
        found, is_file = _findings(grammar, starts or None)
        for finding in found:
            if all_ or finding.accepted is None:
                shown.append(finding)
                report.add(finding, is_file)
            else:
                hidden += 1
    report.finish()
    click.echo(summary(shown, hidden), err=True)
    if any(f.counts or (strict and f.accepted is None) for f in shown):
        ctx.exit(EXIT_REJECTED)


def _findings(grammar: str, starts: Sequence[str] | None) -> tuple[list[Finding], bool]:
    """What is found in a grammar by name or path, and whether it is a file of the user's."""
    import abnforge

    if grammar not in abnforge.grammar_names() and Path(grammar).is_file():
        return abnforge.lint(Path(grammar), starts), True
    return load(grammar).lint(starts), False


def summary(findings: Sequence[Finding], hidden: int) -> str:
    """``2 findings: 1 error, 1 info (3 accepted)``."""
    counts = Counter("accepted" if f.accepted is not None else f.severity for f in findings)
    accepted = counts.pop("accepted", 0) + hidden
    total = sum(counts.values())
    parts = [f"{counts[name]} {name}" for name in ("error", "warning", "info") if counts[name]]
    text = f"{total} finding{'s' * (total != 1)}" + (f": {', '.join(parts)}" if parts else "")
    return text + (f" ({accepted} accepted)" if accepted else "")


def explanation(code_or_name: str) -> str:
    """Everything the registry says about one kind of finding. Raises UsageError for an unknown one."""
    from abnforge.linting.registry import KINDS, find

    kind = find(code_or_name)
    if kind is None:
        from difflib import get_close_matches

        near = get_close_matches(code_or_name.lower(), KINDS)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(KINDS)}."
        raise click.UsageError(f"No kind of finding is called {code_or_name!r}. {hint}")
    lines = [f"{kind.code} {kind.name} ({kind.severity})", "", kind.summary, "", fill(kind.explanation, 88)]
    for title, grammar in (("Reported:", kind.bad), ("Not reported:", kind.good)):
        if grammar:
            lines += ["", title, "", *(f"    {line}" for line in grammar.rstrip("\n").split("\n"))]
    return "\n".join(lines) + "\n"
