"""``abnforge grammar``: the verbs on grammars, one module each."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    verbs={
        "list": "abnforge.cli.verbs.grammar.list:list_grammars",
        "show": "abnforge.cli.verbs.grammar.show:show",
        "compile": "abnforge.cli.verbs.grammar.compile:compile_grammar",
        "lint": "abnforge.cli.verbs.grammar.lint:lint",
        "fmt": "abnforge.cli.verbs.grammar.fmt:fmt",
        "extract": "abnforge.cli.verbs.grammar.extract:extract",
        "diff": "abnforge.cli.verbs.grammar.diff:diff",
        "railroad": "abnforge.cli.verbs.grammar.railroad:railroad",
        "coverage": "abnforge.cli.verbs.grammar.coverage:coverage",
        "export": "abnforge.cli.verbs.grammar.export:export",
        "mistakes": "abnforge.cli.verbs.grammar.mistakes:mistakes",
        "test": "abnforge.cli.verbs.grammar.test:test",
        "generate": "abnforge.cli.verbs.grammar.generate:generate",
        "conform": "abnforge.cli.verbs.grammar.conform:conform",
        "language-server": "abnforge.cli.verbs.grammar.language_server:language_server",
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
