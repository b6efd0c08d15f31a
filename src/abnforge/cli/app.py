"""The group of verbs, and what their failures look like.

Each verb is a module of this package, imported only when it is asked for; a new verb is
one line in the table of :data:`cli` or of ``abnforge grammar``.

Exit status: 0 nothing rejected, 1 something rejected or found, 2 wrong usage or unreadable input,
130 interrupted, 141 the reader of our output went away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from abnforge.cli.common.output import write
from abnforge.errors import GrammarError, UnknownName
from abnforge.text import escape

EXIT_REJECTED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE, likewise; 1 would claim that something was rejected

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """A group whose commands live in modules named in ``verbs`` (verb -> ``module:attribute``)."""

    def __init__(self, *args: Any, verbs: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None
        module, attribute = self.verbs[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.verbs:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.verbs)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(self.verbs)}."
            ctx.fail(f"No such command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)


class RootGroup(LazyGroup):
    """The outermost group: every failure that bad input can cause ends here, as a sentence and a status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except BrokenPipeError:
            _abandon_stdout()
            ctx.exit(EXIT_CLOSED_PIPE)
        except KeyboardInterrupt:
            complain("interrupted")
            ctx.exit(EXIT_INTERRUPTED)
        except GrammarError as error:
            for each in error.errors:
                click.echo(each.describe(), err=True)
            ctx.exit(EXIT_USAGE)
        except UnknownName as error:
            complain(str(error))
            ctx.exit(EXIT_USAGE)
        except OSError as error:
            _abandon_stdout()
            where = f"{error.filename}: " if error.filename else ""
            complain(f"{where}{error.strerror or error}")
            ctx.exit(EXIT_USAGE)


def complain(message: str) -> None:
    """One line on standard error, under the program's name."""
    click.echo(f"abnforge: {escape(message)}", err=True)


def _abandon_stdout() -> None:
    """If standard output cannot be written, send what it still buffers nowhere.

    The interpreter would otherwise fail on it again at exit.
    """
    try:
        sys.stdout.flush()
        return
    except (OSError, AttributeError, ValueError):
        pass
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, AttributeError, ValueError):
        return  # closed, or not a file (a test's)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from abnforge import __version__

        write(f"abnforge {__version__}\n")
        ctx.exit()


@click.group(
    cls=RootGroup,
    context_settings=CONTEXT,
    verbs={
        "check": "abnforge.cli.verbs.check:check",
        "explain": "abnforge.cli.verbs.explain:explain",
        "parse": "abnforge.cli.verbs.parse:parse",
        "resolve": "abnforge.cli.verbs.resolve:resolve",
        "normalize": "abnforge.cli.verbs.normalize:normalize",
        "compare": "abnforge.cli.verbs.compare:compare",
        "scan": "abnforge.cli.verbs.scan:scan_files",
        "grammar": "abnforge.cli.verbs.grammar:grammar",
    },
    epilog="Every verb has examples of its own: abnforge check --help",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Print the version and stop.",
)
def cli() -> None:
    """Exact validators out of ABNF grammars, with the reason for every rejection.

    RFC 3986 (URI) and RFC 2396 are built in; any ABNF file will do.

    \b
    Examples:
      abnforge explain 'http://exa mple.com/'
      abnforge check links.txt
      abnforge parse 'http://user@example.com:8080/a?b#c'
      abnforge check --grammar rfc2396 --rule absoluteURI < links.txt
      abnforge grammar list

    Exit status: 0 nothing rejected, 1 something rejected, 2 wrong usage or unreadable input.
    """
