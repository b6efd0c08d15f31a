"""``abnforge lint``: report likely mistakes in grammars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_grammar, complete_rule
from abnforge.cli.common.errors import EXIT_REJECTED, EXIT_USAGE, UsageError, exit_zero_option
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, budget, grammar_options, linking, require_linkable
from abnforge.cli.common.output import print_stderr, replace_text, unified_diff, warn, write_file
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding


@command("lint", short_help="Lint ABNF grammars.")
@click.argument("grammars", nargs=-1, required=True, metavar="FILE|NAME...", shell_complete=complete_grammar)
@option(
    "-s",
    "--start",
    "starts",
    shell_complete=complete_rule,
    multiple=True,
    metavar="RULE",
    guesses=("-r", "--rule"),
    help="Start rule. Repeatable.  [default: all rules that no other rule uses]",
)
@option(
    "-g",
    "--grammar",
    "about",
    metavar="NAME|FILE",
    shell_complete=complete_grammar,
    help="Grammar of the mistakes files.  [default: NAME of NAME.mistakes.abnf]",
)
@grammar_options("budget", *LINKING_OPTIONS)
@format_option("finding")
@option(
    "-a",
    "--all",
    "all_",
    is_flag=True,
    help="List all findings, including suppressed ones and more than 20 of a kind.",
)
@option("--first-match", is_flag=True, help="Report alternatives that a first-match parser (PEG) cuts off.")
@option("--strict", is_flag=True, help="Fail on info findings too.")
@option(
    "--fix", "fixing", is_flag=True, help="Apply safe fixes in place; report the rest.", excludes="--diff"
)
@option(
    "--diff",
    "diffing",
    is_flag=True,
    help="Show the changes --fix would make, as a diff.",
    excludes="--all or --strict or --format json|github|sarif",
)
@exit_zero_option
@click.pass_context
def lint(
    ctx: click.Context,
    grammars: tuple[str, ...],
    starts: tuple[str, ...],
    about: str | None,
    report_format: str,
    all_: bool,
    first_match: bool,
    strict: bool,
    fixing: bool,
    diffing: bool,
) -> None:
    """Lint grammars: report errors, ambiguities, unreachable alternatives and non-terminating rules.

    To accept findings of a kind, write a comment "; abnforge: allow NAME (reason)" before or in a rule. Text
    output shows the first 20 findings of a kind and counts the others; every other format lists all findings.

    --fix replaces whole files; comments, layout and line endings stay unchanged. --diff writes a unified diff
    instead of a report; the exit status is 1 if there is any difference.

    \b
    Examples:
      abnforge lint my.abnf
      abnforge lint --start message --format github *.abnf
      abnforge lint --diff my.abnf
      abnforge lint --grammar rfc3986 my-own.mistakes.abnf

    Exit status: 0 no findings; 1 errors or warnings that are not accepted; 2 usage error, unreadable file,
    or, with --strict, a check that exceeded the budget (check-incomplete) and is not accepted.
    """
    import abnforge
    from abnforge.engine.loading import lintable
    from abnforge.linting.finding import Linted

    report = make_report("finding", report_format, full=all_)
    shown: list[Finding] = []
    hidden = 0
    differs = False
    require_linkable(*grammars)
    if not diffing:
        report.begin()
    for grammar in grammars:
        source = lintable(grammar, budget())
        text = ""
        if isinstance(source, Path):
            findings, text, changed = _lint_file(source, starts, about, fixing, diffing, first_match)
            differs = differs or changed
        elif about is not None:
            raise UsageError(message("lint-grammar-about", grammar=grammar))
        elif fixing or diffing:
            option = "--fix" if fixing else "--diff"
            raise UsageError(message("grammar-file-required", option=option, grammar=grammar))
        else:
            findings = abnforge.lint(source, starts or None, budget=budget(), first_match=first_match)
        linted = Linted(findings, isinstance(source, Path), text)
        reported = linted if all_ else linted.without_accepted()
        if not diffing:
            report.add(reported)
        shown += reported.findings
        hidden += len(linted.findings) - len(reported.findings)
    if diffing:
        ctx.exit(EXIT_REJECTED if differs else 0)
    report.finish()
    print_stderr(totals.linted(shown, hidden))
    if any(finding.name == "check-incomplete" and finding.accepted is None for finding in shown):
        warn(message("incomplete-check"))
        if strict:
            ctx.exit(EXIT_USAGE)
    if any(finding.is_failure(strict=strict) for finding in shown):
        ctx.exit(EXIT_REJECTED)


def _lint_file(
    path: Path, starts: tuple[str, ...], about: str | None, fixing: bool, diffing: bool, first_match: bool
) -> tuple[list[Finding], str, bool]:
    """Return the findings about a file, its text, and whether there are edits. Apply or print the edits."""
    import abnforge
    from abnforge.grammar.files import grammar_in, linked
    from abnforge.grammar.reader import read_file
    from abnforge.linting.finding import fix
    from abnforge.linting.source import lint_text, without_lists

    options = linked(**linking())

    def findings(text: str) -> list[Finding]:
        name = path.stem
        grammar = grammar_in(text, path)
        results = lint_text(
            grammar,
            str(path),
            name,
            starts or None,
            budget=budget(),
            about=about,
            linking=options,
            first_match=first_match,
        )
        return without_lists(results) if "lists" in linking() else results

    try:
        text = read_file(path)
        grammar_in(text, path)
    except abnforge.GrammarError:
        return abnforge.lint(path), "", False
    if not fixing and not diffing:
        return findings(text), text, False
    fixed = fix(text, findings)
    if fixed.text == text:
        return fixed.findings, text, False
    if diffing:
        write_file(unified_diff(str(path), text, fixed.text))
    else:
        replace_text(path, fixed.text)
        print_stderr(f"{escape(str(path))}: {totals.counted(fixed.corrected, 'finding')} fixed")
    return fixed.findings, fixed.text, True
