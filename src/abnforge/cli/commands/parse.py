"""``abnforge parse``: show the components or the parse tree of a string."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_file
from abnforge.cli.common.errors import UsageError, exit_status, exit_zero_option, usage_errors
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.messages import message
from abnforge.cli.common.misuse import note_files
from abnforge.cli.common.options import (
    GRAMMAR_OPTIONS,
    StringsCommand,
    file_options,
    grammar_options,
    load_rule,
    open_strings,
    strings_argument,
)
from abnforge.cli.common.output import PLAIN, Style, write
from abnforge.cli.common.pictures import destination, format_by_ending, picture_options
from abnforge.cli.common.security import mask_option, masking
from abnforge.cli.common.validation import LineEndAdvice, Tally, validate_records
from abnforge.cli.output.formats import format_option, make_report
from abnforge.teaching.derivations import ORDERS

if TYPE_CHECKING:
    from abnforge.uri import SuffixList


def _suffixes(path: str | None) -> SuffixList | None:
    if path is None:
        return None
    from abnforge.uri import suffix_list

    with usage_errors():
        return suffix_list(path)


_WITHOUT_COMPONENTS = "--format tree|svg|png|pdf|dot|html|trace|derivation|derivations"


@command(cls=StringsCommand, short_help="Parse strings into URI components or a parse tree.")
@strings_argument
@grammar_options(*GRAMMAR_OPTIONS)
@format_option(
    "structure",
    default=None,
    help="Output format: components, tree, json, trace, svg, png, pdf, dot, html, derivation or derivations."
    "  [default: components for URIs, else tree]",
    callback=format_by_ending,
)
@picture_options()
@option(
    "--full",
    is_flag=True,
    help="Print every rule and character of trees.",
    excludes="--format components|json|trace",
)
@option(
    "--ascii",
    is_flag=True,
    help="Draw trees with ASCII characters only.",
    excludes="--format components|json|svg|png|pdf|dot|html",
)
@option(
    "--order",
    type=click.Choice(ORDERS),
    help="Order of a derivation.  [default: leftmost]",
    needs="--format derivation|json",
)
@option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    help="Number of derivations.  [default: 2]",
    needs="--format derivations|json|svg|png|pdf",
)
@option(
    "--query-parameters",
    type=click.Choice(["exact", "decoded"]),
    help="Show the parameters of a query, as in forms.",
    excludes=_WITHOUT_COMPONENTS,
)
@option(
    "--suffixes",
    metavar="FILE",
    shell_complete=complete_file,
    help="Show the registrable domain by this list.",
    excludes=_WITHOUT_COMPONENTS,
)
@file_options
@mask_option
@exit_zero_option
@click.pass_context
def parse(
    ctx: click.Context,
    strings: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str | None,
    output: Path | None,
    theme: str | None,
    full: bool,
    ascii: bool,
    order: str | None,
    count: int | None,
    query_parameters: str | None,
    suffixes: str | None,
    options: Options,
    mask: bool,
    engine: str,
) -> None:
    """Parse each STRING: print the components of a URI, or the parse tree.

    Without STRING, or for "-", read one string per line from standard input. Put "--" before a string that
    starts with "-". With --whole-file, STRINGs are file names. Missing components are undefined, not empty.

    \b
    Examples:
      abnforge parse 'http://user@example.com:8080/a/b?c#d'
      abnforge parse --rule URI-reference --format tree '../up'
      abnforge parse --grammar rfc5234 --whole-file --newline crlf my.abnf
      abnforge parse http://example.com/ -o tree.svg
      abnforge parse --format derivation --rule dec-octet 255

    Exit status: 0 all valid, 1 any rejected, 2 usage error, unreadable input, or budget exceeded.
    """
    from abnforge.cli.common.outcome import Structure, with_components
    from abnforge.cli.output.trees import ComponentsOrTree

    if full:
        report_format = report_format or "tree"
    chosen, target = load_rule(grammar, rule, engine)
    structured = with_components(grammar)
    requested = {
        "--format components": report_format == "components",
        "--query-parameters": query_parameters is not None,
        "--suffixes": suffixes is not None,
    }
    if structured is None and any(requested.values()):
        from abnforge.uri.rfc_differences import NEWEST_FIRST

        option = next(name for name, is_used in requested.items() if is_used)
        raise UsageError(message("components-unavailable", option=option, grammars=tuple(NEWEST_FIRST)))
    records = open_strings(strings, options, chosen)
    tally = Tally()
    hide = masking(mask, target.rule, whole_files=options.whole_file)
    advice = LineEndAdvice()
    outcomes = advice.watch(validate_records(records, chosen, target, engine=engine, mask=hide))
    also = "derivation" if order else "derivations" if count else report_format
    extras = order or ORDERS[0], count or 2, also, query_parameters, _suffixes(suffixes)
    with destination(output, report_format) as file:
        report = (
            ComponentsOrTree(file or write, PLAIN if file else Style.detect(), full=full)
            if report_format is None
            else make_report("structure", report_format, full=full, theme=theme, destination=file)
        )
        if ascii:
            report.style = replace(report.style, ascii=True)
        counted = tally.count(outcomes)
        report.feed(Structure(outcome, chosen, engine, structured, *extras) for outcome in counted)
    advice.tell()
    if tally.rejected and not options.whole_file:
        note_files(strings)
    ctx.exit(exit_status(records, tally.rejected, tally.undecided))
