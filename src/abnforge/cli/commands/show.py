"""``abnforge show``, ``list`` and ``code``: show rules, available grammars, and codes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abnforge.charset import BYTES
from abnforge.cli.common.codes import KnownCode, bundled_with, known_code, known_codes, unknown_code
from abnforge.cli.common.completions import complete_code, complete_rule
from abnforge.cli.common.errors import UsageError, usage_errors
from abnforge.cli.common.grammar_results import listed_grammars
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import LINKING_OPTIONS, grammar_options, load
from abnforge.cli.common.pictures import DRAWN, destination, ending_of, format_by_ending, picture_options
from abnforge.cli.output.formats import format_option, make_report

FOR_STRING = ("derivatives", "cyk")
"""Formats that show one rule and a string."""

WITH_STRING = (*FOR_STRING, "constructions", "lecture")
"""Formats that can show a string."""

OF_AUTOMATA = ("svg", "png", "pdf", "dot", "jff", "transitions", "csv", "html")
"""Formats that show the minimal automaton of a rule."""

OF_CONSTRUCTIONS = ("tables", "steps", "left-recursion", "normal-form", *FOR_STRING)
"""Formats that show one construction as text; as a diagram in a file with the ending of an image."""

FOR_ONE_RULE = (*OF_AUTOMATA, *OF_CONSTRUCTIONS, *WITH_STRING)
"""Formats that show one rule."""


@command(short_help="Show rule definitions and cross-references.")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@grammar_options("grammar", "mistakes", "budget", "no-cache", *LINKING_OPTIONS)
@format_option(
    "rule",
    default="abnf",
    help="Output format: abnf, json, words. For one rule: svg, png, pdf, html, dot (Graphviz), jff (JFLAP) "
    "are its automaton, transitions and csv its table, steps the way to it. First and follow sets are "
    "tables. Both left-recursion and normal-form (Chomsky) show equivalent grammars. Formats derivatives and "
    "cyk (a table of substrings) require --string. All of these: constructions as JSON, lecture as a page.",
    callback=format_by_ending,
)
@option(
    "--string",
    metavar="STRING",
    help="Show the derivatives and the table of this string.",
    needs=f"--format {'|'.join(WITH_STRING)}",
    allow_empty=True,
)
@picture_options(*OF_CONSTRUCTIONS)
def show(
    rules: tuple[str, ...],
    grammar: str,
    report_format: str,
    string: str | None,
    output: Path | None,
    theme: str | None,
) -> None:
    """Show RULEs, with their section, the rules they use and the rules that use them.

    Without RULE, show every rule of the grammar in order. Names match case-insensitively.

    \b
    Examples:
      abnforge show host
      abnforge show --grammar rfc2396 net-path server
      abnforge show --format words port
      abnforge show dec-octet -o dec-octet.svg
      abnforge show dec-octet -o dec-octet.jff
      abnforge show --format tables authority
      abnforge show --format steps dec-octet
      abnforge show --format steps dec-octet -o steps.svg
      abnforge show --format derivatives --string 255 dec-octet
      abnforge show --format cyk --string 1.5 --grammar rfc8259 number
      abnforge show --format lecture --string 255 dec-octet > dec-octet.html
      abnforge show --grammar my.abnf --format json
    """
    if report_format in FOR_ONE_RULE and len(rules) != 1:
        raise UsageError(message("option-requires", option=f"--format {report_format}", other="one RULE"))
    if report_format in FOR_STRING and string is None:
        raise UsageError(message("option-requires", option=f"--format {report_format}", other="--string"))
    loaded = load(grammar)
    chosen: list[Any] = [loaded[name] for name in rules] if rules else list(loaded.own_rules)
    if report_format in OF_AUTOMATA and not chosen[0].regular:
        raise UsageError(message("automaton-unavailable", format=report_format, rule=chosen[0].name))
    if report_format in WITH_STRING:
        chosen = [(rule, _input(rule, string)) for rule in chosen]
    image = None
    if report_format in OF_CONSTRUCTIONS and output is not None and ending_of(output) in DRAWN:
        image = ending_of(output)
    elif report_format in OF_CONSTRUCTIONS and theme is not None:
        raise UsageError(message("option-requires", option="--theme", other="--output FILE.svg"))
    with usage_errors(), destination(output, image or report_format) as file:
        if image is not None and file is not None:
            from abnforge.teaching.pictures.constructions import construction_svg

            rule, text = chosen[0] if report_format in FOR_STRING else (chosen[0], None)
            for piece in construction_svg(report_format, rule, text, theme or "light"):
                file(piece)
            return
        report = make_report("rule", report_format, full=bool(rules), theme=theme, destination=file)
        report.feed(chosen)


def _input(rule: Rule, string: str | None) -> str | bytes | None:
    return string if string is None or rule.grammar.alphabet != BYTES else os.fsencode(string)


@command("list", short_help="List the available grammars.")
@format_option("grammar")
def list_grammars(report_format: str) -> None:
    """List the grammars that load by name.

    Names with the prefix "abnf:" are grammars of the package "abnf".

    \b
    Examples:
      abnforge list
      abnforge check --grammar abnf:rfc5322 --rule addr-spec addresses.txt
    """
    make_report("grammar", report_format).feed(listed_grammars())


if TYPE_CHECKING:
    from abnforge.cli.common.codes import MessageCode
    from abnforge.engine.rule import Rule
    from abnforge.linting.finding import Kind


@command(short_help="Explain codes of rejections, lint rules and errors.")
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=complete_code)
@grammar_options("grammar", "mistakes", "budget", "no-cache", *LINKING_OPTIONS)
@format_option("code")
@option("--list", "listing", is_flag=True, help="List the error codes of the grammar.", excludes="CODE")
@option("--derived", is_flag=True, help="Include codes derived from the rules.", needs="--list")
@option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show all details of each code.",
    needs="--list",
    excludes="--format json|markdown",
)
def code(
    codes: tuple[str, ...], grammar: str, report_format: str, listing: bool, derived: bool, verbose: bool
) -> None:
    """Explain codes: of rejections, of lint rules and of errors.

    Print the meaning, source and examples of a rejection, a bad and a good grammar for a lint rule (by code
    or name), or the message of an error.

    With --list, list the error codes of a grammar in order of preference: those of the grammar, of
    NAME.mistakes.abnf next to it, and of the file of --mistakes. If there are none, list codes derived from
    its rules.

    \b
    Examples:
      abnforge code scheme-missing
      abnforge code --grammar rfc3987 space-before
      abnforge code ABNF012 unused-rule
      abnforge code argument-type
      abnforge code --list
      abnforge code --list --grammar my.abnf --mistakes my-own.abnf
      abnforge code --list --grammar rfc3986 --format markdown > codes.md
    """
    if not listing:
        if not codes:
            raise UsageError(message("argument-missing", argument="CODE..."))
        make_report("code", report_format, full=True).feed([_known(each, grammar) for each in codes])
        return
    report = make_report("code", report_format, full=verbose)
    loaded = load(grammar)
    declared = list(known_codes(loaded))
    rest = known_codes(loaded, derived=True) if derived or not declared else ()
    report.feed([*declared, *rest])


def _known(code: str, grammar: str) -> KnownCode | Kind | MessageCode:
    from abnforge.cli.common.codes import message_code
    from abnforge.linting.finding import find

    kind = find(code)
    if kind is not None and kind.code.lower() == code.strip().lower():
        return kind
    own = load(grammar)
    entry = known_code(own, code) or kind or message_code(code)
    for other in () if entry else bundled_with(code):
        if entry := known_code(other, code):
            return entry
    if entry is None:
        raise unknown_code(own, code)
    return entry
