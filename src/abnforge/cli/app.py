"""The group of all verbs. A new verb is a file in ``verbs`` and a line in the table here.

Each is imported only when it is asked for.
"""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, RootGroup
from abnforge.cli.common.output import write


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from abnforge import __version__

        write(f"abnforge {__version__}\n")
        ctx.exit()


_ALONE = """\
abnforge validates strings against ABNF grammars and explains rejections. Try:

  abnforge explain 'http://exa mple.com/'      why is this not a URI?
  abnforge check links.txt                     which lines are invalid?
  abnforge grammar show --words host           describe a rule in plain English

Write grammars:
  abnforge grammar new dates                   create a starter grammar with tests
  abnforge grammar lint dates.abnf             lint it

Learn ABNF:
  abnforge exercise show time-24               show an exercise ("abnforge exercise list" shows all)
  abnforge serve --open                        open the playground in a browser

Help:
  abnforge --help                              list all commands
  abnforge check --help                        show options and examples of a command
  abnforge completion --install                install shell completion"""


@click.group(
    cls=RootGroup,
    alone=_ALONE,
    context_settings=CONTEXT,
    verbs={
        "check": "abnforge.cli.verbs.check:check",
        "explain": "abnforge.cli.verbs.explain:explain",
        "parse": "abnforge.cli.verbs.parse:parse",
        "resolve": "abnforge.cli.verbs.resolve:resolve",
        "normalize": "abnforge.cli.verbs.normalize:normalize",
        "compare": "abnforge.cli.verbs.compare:compare",
        "split": "abnforge.cli.verbs.split:split",
        "scan": "abnforge.cli.verbs.scan:scan_files",
        "rule": "abnforge.cli.verbs.rule:rule",
        "grammar": "abnforge.cli.verbs.grammar:grammar",
        "exercise": "abnforge.cli.verbs.exercise:exercise",
        "playground": "abnforge.cli.verbs.playground:playground",
        "serve": "abnforge.cli.verbs.serve:serve",
        "completion": "abnforge.cli.verbs.completion:completion",
    },
    epilog="Run 'abnforge COMMAND --help' for options and examples.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Print the version and exit.",
)
def cli() -> None:
    """Validate strings against ABNF grammars, and explain every rejection.

    RFC 3986 (URI) is the default grammar; others are built in, and any ABNF file works.

    \b
    Examples:
      abnforge explain 'http://exa mple.com/'
      abnforge check links.txt
      abnforge parse 'http://user@example.com:8080/a?b#c'
      abnforge check --grammar rfc2396 --rule absoluteURI < links.txt
      abnforge grammar list

    Exit status: 0 all valid, 1 any rejected, 2 usage error or unreadable input.
    """
