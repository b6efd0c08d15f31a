"""``abnforge grammar``: the verbs on grammars, one module each."""

from __future__ import annotations

import click

from abnforge.cli.app import CONTEXT, LazyGroup


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    verbs={
        "list": "abnforge.cli.grammar_list:list_grammars",
        "show": "abnforge.cli.grammar_show:show",
        "compile": "abnforge.cli.grammar_compile:compile_grammar",
        "lint": "abnforge.cli.grammar_lint:lint",
        "diff": "abnforge.cli.grammar_diff:diff",
        "export": "abnforge.cli.grammar_export:export",
        "generate": "abnforge.cli.grammar_generate:generate",
    },
)
def grammar() -> None:
    """Look at grammars and compile them.

    \b
    Examples:
      abnforge grammar list
      abnforge grammar show host port
      abnforge grammar show --grammar my.abnf
      abnforge grammar compile my.abnf --rule start
    """
