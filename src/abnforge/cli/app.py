"""The group of all commands. A new command needs a module in ``commands`` and an entry in this table.

A module is imported only when its command is called.
"""

from __future__ import annotations

import sys

import click

from abnforge.cli.common.groups import CONTEXT, RootGroup
from abnforge.cli.common.output import write


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from abnforge import KERNEL, __version__

        implementation = {"compiled": "C extension", "python": "pure Python"}[KERNEL]
        write(
            f"abnforge {__version__} ({implementation}, {sys.implementation.name} {sys.version.split()[0]})\n"
        )
        ctx.exit()


_ALONE = """\
abnforge validates strings against ABNF grammars and explains rejections. Try:

  abnforge explain 'http://exa mple.com/'      why is this not a URI?
  abnforge check links.txt                     which lines are invalid?
  abnforge show --format words host     describe a rule in plain English

Write grammars:
  abnforge new dates                           create a starter grammar with tests
  abnforge lint dates.abnf                     lint it

Learn ABNF:
  abnforge exercise show time-24               show an exercise ("abnforge exercise list" shows all)
  abnforge playground --open                   open the playground in a browser

Help:
  abnforge --help                              list all commands
  abnforge check --help                        show options and examples of a command
  abnforge completion bash                     print a shell completion script"""

COMMANDS = {
    "Validate": {
        "check": "abnforge.cli.commands.check:check",
        "explain": "abnforge.cli.commands.explain:explain",
        "parse": "abnforge.cli.commands.parse:parse",
        "split": "abnforge.cli.commands.split:split",
    },
    "Write grammars": {
        "new": "abnforge.cli.commands.new:new",
        "lint": "abnforge.cli.commands.lint:lint",
        "format": "abnforge.cli.commands.format:format_files",
        "test": "abnforge.cli.commands.test:test",
        "show": "abnforge.cli.commands.show:show",
        "diff": "abnforge.cli.commands.diff:diff",
        "extract": "abnforge.cli.commands.extract:extract",
        "list": "abnforge.cli.commands.show:list_grammars",
    },
    "Use grammars": {
        "generate": "abnforge.cli.commands.generate:generate",
        "export": "abnforge.cli.commands.export:export",
        "railroad": "abnforge.cli.commands.railroad:railroad",
        "coverage": "abnforge.cli.commands.coverage:coverage",
        "conform": "abnforge.cli.commands.conform:conform",
    },
    "URIs": {
        "uri": "abnforge.cli.commands.uri:uri",
    },
    "Learn": {
        "exercise": "abnforge.cli.commands.exercise:exercise",
        "playground": "abnforge.cli.commands.playground:playground",
    },
    "Tools": {
        "code": "abnforge.cli.commands.show:code",
        "server": "abnforge.cli.commands.tools:server",
        "completion": "abnforge.cli.commands.tools:completion",
    },
}


@click.group(
    cls=RootGroup,
    alone=_ALONE,
    context_settings=CONTEXT,
    sections=COMMANDS,
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Print the version and the implementation.",
)
def cli() -> None:
    """Validate strings against ABNF grammars, and explain every rejection.

    Run 'abnforge COMMAND --help' for options and examples. Exit status: 0 all valid, 1 any
    rejected, 2 usage error or unreadable input.
    """
