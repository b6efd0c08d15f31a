"""``abnforge parse``: what a valid string is made of."""

from __future__ import annotations

from dataclasses import replace

import click

from abnforge.cli.common.completions import complete_whole_file
from abnforge.cli.common.inputs import Options
from abnforge.cli.common.judge import Tally, judge
from abnforge.cli.common.line_ends import LineEndAdvice
from abnforge.cli.common.masking import mask_option, masking
from abnforge.cli.common.messages import message
from abnforge.cli.common.notes import note_files
from abnforge.cli.common.options import (
    StringsCommand,
    engine_option,
    file_options,
    grammar_option,
    load_rule,
    open_strings,
    rule_option,
)
from abnforge.cli.common.output import Style, write
from abnforge.cli.common.status import exit_status, exit_zero_option
from abnforge.cli.common.usage import UsageError
from abnforge.cli.output.formats import format_option, make_report
from abnforge.teaching.derivations import ORDERS


@click.command(cls=StringsCommand, short_help="Parse strings into URI components or a parse tree.")
@click.argument("strings", nargs=-1, metavar="[STRING]...", shell_complete=complete_whole_file)
@grammar_option
@rule_option
@format_option(
    "structure",
    default=None,
    help="Output format; json has components and tree, one object per line.  "
    "[default: components for URIs, else tree]",
)
@click.option("--full", is_flag=True, help="Print every rule and character on its own line (tree).")
@click.option(
    "--ascii",
    is_flag=True,
    help="Draw trees with ASCII characters only.",
)
@click.option("--svg", is_flag=True, help="Same as --format svg.")
@click.option("--derivation", is_flag=True, help="Show the derivation step by step.")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="leftmost",
    show_default=True,
    help="Derivation order.",
)
@click.option("--trace", is_flag=True, help="Show which alternatives were tried at each position.")
@click.option(
    "--derivations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Count the derivations and show the first N parse trees.",
)
@file_options
@mask_option
@engine_option
@exit_zero_option
@click.pass_context
def parse(
    ctx: click.Context,
    strings: tuple[str, ...],
    grammar: str,
    rule: str | None,
    report_format: str | None,
    full: bool,
    ascii: bool,
    svg: bool,
    derivation: bool,
    order: str,
    trace: bool,
    derivations: int | None,
    options: Options,
    mask: bool,
    engine: str,
) -> None:
    """Parse each STRING: print the components of a URI, or the parse tree for any grammar.

    Without STRING, or if STRING is "-", read one string per line from standard input. Put "--" before a
    string that starts with "-". With --whole-file, each STRING is a file name. Missing components are
    undefined, which differs from empty ("").

    \b
    Examples:
      abnforge parse 'http://user@example.com:8080/a/b?c#d'
      abnforge parse --format tree 'http://[::1]/'
      abnforge parse --rule URI-reference '../up'
      abnforge parse --grammar rfc5234 --whole-file --newline crlf my.abnf
      abnforge parse --format json 'urn:isbn:0451450523' | jq .components.path
      abnforge parse --svg http://example.com/ > tree.svg
      abnforge parse --derivation --grammar rfc3339 --rule full-date 2026-11-23

    Exit status: 0 all valid, 1 any rejected, 2 usage error, unreadable input, or budget exceeded.
    """
    from abnforge.cli.common.structure import Structure, with_components
    from abnforge.cli.output.trees import ComponentsOrTree

    options_of = {
        "svg": svg,
        "derivation": derivation,
        "derivations": derivations is not None,
        "trace": trace,
    }
    asked = [name for name, given in options_of.items() if given]
    report_format = _format(report_format, asked)
    chosen, target = load_rule(grammar, rule, engine)
    structured = with_components(grammar)
    if report_format == "components" and structured is None:
        from abnforge.uri.rfc_differences import NEWEST_FIRST

        raise UsageError(message("components-unavailable", grammars=tuple(NEWEST_FIRST)))
    records = open_strings(strings, options)
    tally = Tally()
    report = (
        ComponentsOrTree(write, Style.detect(), full=full)
        if report_format is None
        else make_report("structure", report_format, full=full)
    )
    if ascii:
        report.style = replace(report.style, ascii=True)
    hide = masking(mask, target.rule, whole_files=options.whole_file)
    advice = LineEndAdvice()
    outcomes = advice.watch(judge(records, chosen, target, engine=engine, mask=hide))
    wanted = order, derivations or 2, next(iter(asked), None)
    report.feed(Structure(outcome, chosen, engine, structured, *wanted) for outcome in tally.count(outcomes))
    advice.tell()
    if tally.rejected and not options.whole_file:
        note_files(strings)
    ctx.exit(exit_status(records, tally.rejected, tally.undecided))


def _format(name: str | None, asked: list[str]) -> str | None:
    """The format that is meant by ``--format`` and the options that stand for one. JSON tells of both."""
    if len(asked) > 1:
        raise UsageError(message("option-excluded", option=f"--{asked[0]}", other=f"--{asked[1]}"))
    if asked and name not in (None, asked[0]) and not (name == "json" and asked[0].startswith("derivation")):
        raise UsageError(message("option-excluded", option=f"--{asked[0]}", other=f"--format {name}"))
    return name or next(iter(asked), None)
