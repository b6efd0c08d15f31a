"""``abnforge grammar``: the commands on grammars, one module each."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup

_ALONE = """\
Inspect grammars:
  abnforge grammar list                        list the available grammars
  abnforge grammar show host port              show rules of RFC 3986; --words describes them
  abnforge grammar diff rfc2396 rfc3986        compare two grammars

Write grammars:
  abnforge grammar new dates                   create dates.abnf, with tests
  abnforge grammar lint dates.abnf             lint it
  abnforge grammar test dates.abnf             run its embedded examples
  abnforge grammar generate --grammar dates.abnf     generate matching strings

All commands: abnforge grammar --help"""


@click.group(
    cls=LazyGroup,
    alone=_ALONE,
    short_help="Lint, format, test, compare and export grammars.",
    context_settings=CONTEXT,
    verbs={
        "list": "abnforge.cli.verbs.grammar.list:list_grammars",
        "new": "abnforge.cli.verbs.grammar.new:new",
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
    """Write, inspect, test, compare and convert grammars.

    \b
    Examples:
      abnforge grammar list
      abnforge grammar show host port
      abnforge grammar new dates
      abnforge grammar show --grammar my.abnf
      abnforge grammar compile my.abnf --rule start
    """
