"""``abnforge railroad``: draw rules as railroad diagrams."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.errors import EXIT_REJECTED, UsageError, exit_zero_option, problem_of
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.misuse import is_file
from abnforge.cli.common.options import grammar_options, load, rule_of
from abnforge.cli.common.output import print_error_lines, stderr_style, write_file
from abnforge.cli.common.pictures import destination, format_by_ending, picture_options
from abnforge.cli.output.rejection import refusal
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import GrammarError, LimitExceeded, Rejected

if TYPE_CHECKING:
    from abnforge.teaching.pictures.railroad import Path


@command(short_help="Draw rules as railroad diagrams.")
@click.argument("string", required=False)
@grammar_options()
@option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(["svg", "png", "pdf", "html"]),
    default="svg",
    show_default=True,
    help="Output format: one rule (svg, png, pdf), or a page of the rule and its dependencies (html).",
    callback=format_by_ending,
)
@option(
    "--depth",
    type=click.IntRange(0, 20),
    default=0,
    show_default=True,
    help="Inline this many levels of rules.",
    needs="--format svg|png|pdf",
)
@picture_options()
@exit_zero_option
@click.pass_context
def railroad(
    ctx: click.Context,
    string: str | None,
    grammar: str,
    rule: str | None,
    kind: str,
    depth: int,
    output: FilePath | None,
    theme: str | None,
) -> None:
    """Draw a rule, or with --format html a grammar, as railroad diagrams. Requires abnforge[railroad].

    With STRING, highlight the parts of the rule that match it.

    \b
    Examples:
      abnforge railroad --rule authority > authority.svg
      abnforge railroad --rule host --depth 2 -o host.svg
      abnforge railroad --grammar my.abnf -o my.html
      abnforge railroad --rule host --depth 1 127.0.0.1 > localhost.svg
    """
    from abnforge.teaching.pictures.railroad import available, path_of, rule_svg

    try:
        available()
    except ModuleNotFoundError as error:
        raise UsageError(problem_of(error)) from None
    loaded = load(grammar)
    start = rule_of(loaded, rule)
    if expression_of(start) is not None:
        raise UsageError(message("railroad-rule-combined", rule=start.name))
    try:
        path = None if string is None else path_of(start, string)
    except Rejected as error:
        if is_file(string or ""):
            name = shlex.quote(string or "")
            raise UsageError(message("file-as-string-drawn", path=string, name=name)) from None
        print_error_lines(refusal(string or "", error, stderr_style()))
        ctx.exit(EXIT_REJECTED)
    except (GrammarError, LimitExceeded):
        raise
    except ValueError as error:
        raise UsageError(problem_of(error)) from None
    with destination(output, kind) as file:
        if kind == "html":
            whole = rule is None and string is None
            pieces = _page(start, whole=whole, string=string, path=path, theme=theme or "auto")
        else:
            pieces = iter((rule_svg(start, depth=depth, path=path, theme=theme or "light"),))
        for piece in pieces:
            (file or write_file)(piece)


def _page(start: Rule, *, whole: bool, string: str | None, path: Path | None, theme: str) -> Iterator[str]:
    """Return a page with a rule, or with all rules of the grammar, and their dependencies."""
    from abnforge.teaching.pictures.page import rules_page

    compilation, grammar = start.grammar.compilation, start.grammar
    own = [key for key, bound in compilation.bound.rules.items() if bound.origin == "file"]
    needed = {each for key in (own if whole else [start.key]) for each in compilation.facts.reachable(key)}
    rules = [grammar[key] for key in compilation.bound.rules if key in needed]
    title = f"Rules of {grammar.name}" if whole else f"{start.name} of {grammar.name}"
    return rules_page(title, rules, text=string, path=path, theme=theme)
