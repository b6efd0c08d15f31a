"""Groups of verbs that are imported when they are asked for, and what their failures look like."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from abnforge.cli.common.output import complain, without_passwords
from abnforge.cli.common.status import EXIT_CLOSED_PIPE, EXIT_INTERRUPTED, EXIT_USAGE
from abnforge.errors import GrammarError, LimitExceeded, UnknownName

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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.ClickException as error:
            _hide_passwords(error)
            raise

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
            if isinstance(error, LimitExceeded) and error.knob.startswith("budget."):
                complain(str(error))
            else:
                for each in error.errors:
                    click.echo(each.describe(), err=True)
            ctx.exit(EXIT_USAGE)
        except click.ClickException as error:
            _hide_passwords(error)
            raise
        except UnknownName as error:
            complain(str(error))
            ctx.exit(EXIT_USAGE)
        except OSError as error:
            _abandon_stdout()
            where = f"{error.filename}: " if error.filename else ""
            complain(f"{where}{error.strerror or error}")
            ctx.exit(EXIT_USAGE)


def _hide_passwords(error: click.ClickException) -> None:
    """A wrong command line is quoted in the message about it."""
    vars(error)["message"] = without_passwords(error.message)


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
