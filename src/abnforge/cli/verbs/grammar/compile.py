"""``abnforge grammar compile``: the Lark grammar that an ABNF grammar becomes."""

from __future__ import annotations

from pathlib import Path

import click

from abnforge.cli.common.completions import complete_grammar, complete_rule
from abnforge.cli.common.options import budget_option, linking_options, load
from abnforge.cli.common.output import output_option, write_result


@click.command("compile", short_help="Compile ABNF to a Lark grammar.")
@click.argument("grammar", metavar="FILE|NAME", shell_complete=complete_grammar)
@linking_options
@budget_option
@click.option(
    "-r",
    "--rule",
    metavar="NAME",
    shell_complete=complete_rule,
    help="Compile only this rule and its dependencies.",
)
@output_option
def compile_grammar(grammar: str, rule: str | None, output: Path | None) -> None:
    """Compile an ABNF grammar to a Lark grammar.

    Lark names are made from ABNF names, as Lark allows fewer characters.

    \b
    Examples:
      abnforge grammar compile my.abnf
      abnforge grammar compile my.abnf --rule start -o start.lark
    """
    loaded = load(grammar)
    text = loaded.lark_text if rule is None else loaded[rule].lark_text
    write_result(output, [text])
