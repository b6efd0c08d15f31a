"""Commands and groups of commands: lazy imports, sections of help, errors and exit statuses."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from itertools import islice
from typing import IO, Any, TypeVar, get_args

import click
from click.core import ParameterSource

from abnforge.catalog import CodedError, Message
from abnforge.cli.common.errors import (
    EXIT_CLOSED_PIPE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    UsageError,
    is_zero_instead,
)
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import (
    file_problem,
    note,
    print_error,
    print_error_lines,
    print_stderr,
    stderr_style,
)
from abnforge.errors import GrammarError, LimitExceeded, UnknownNameError, described

F = TypeVar("F", bound=Callable[..., Any])

MAX_SHOWN_ERRORS = 5
_WORDS = "abnforge.words"
_WORD = re.compile("[A-Z]+")

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Option(click.Option):
    """An option that may require another option (``needs``) or exclude it (``excludes``).

    Each names options or arguments of the command: ``--list``, ``--format json|jsonl``, ``FILE``, or several
    with " or " between them. The help text ends with the required option. ``guesses`` are options that users
    try instead. The value must not be empty, unless ``allow_empty`` is true. Consecutive options with the
    same ``shared_help`` are one entry of the help.
    """

    def __init__(
        self,
        *args: Any,
        needs: str = "",
        excludes: str = "",
        guesses: Sequence[str] = (),
        allow_empty: bool = False,
        shared_help: str = "",
        **attributes: Any,
    ) -> None:
        if shared_help:
            attributes.setdefault("help", shared_help)
        if needs:
            text, default, value = attributes["help"].partition("  [default")
            attributes["help"] = f"{text} Requires {needs}.{default}{value}"
        if isinstance(click.types.convert_type(attributes.get("type")), click.types.IntParamType):
            attributes.setdefault("metavar", "N")
        super().__init__(*args, **attributes)
        self._collects = not (self.multiple or self.count or (self.is_flag and not self.secondary_opts))
        self.needs = needs
        self.excludes = excludes
        self.guesses = guesses
        self.allow_empty = allow_empty
        self.shared_help = shared_help

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Collect all values of an option with one value; click would use the last one."""
        if not self._collects:
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            for names, value in ((self.opts, True), (self.secondary_opts, False)):
                parser.add_option(self, names, self.name, "append_const", const=value)
        else:
            parser.add_option(self, self.opts, self.name, "append", self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        if self._collects and self.name in opts:
            *others, value = opts[self.name]
            if others and not ctx.resilient_parsing:
                raise UsageError(message("option-repeated", option=max(self.opts, key=len)))
            opts = {**opts, self.name: value}
        value, source = super().consume_value(ctx, opts)
        is_empty = source is not ParameterSource.DEFAULT and "" in (value if self.multiple else (value,))
        if is_empty and not self.allow_empty and not ctx.resilient_parsing:
            raise UsageError(message("option-empty", option=max(self.opts, key=len)))
        return value, source


def option(*names: str, cls: type[Option] = Option, **attributes: Any) -> Callable[[F], F]:
    """Declare an option, as ``click.option`` does."""
    return click.option(*names, cls=cls, **attributes)


class GrammarOption(Option):
    """An option for loading grammars, which a project's file can set."""


class PolicyOption(Option):
    """An option of a policy, which restricts the strings of a rule."""


class SectionedCommand(click.Command):
    """A command whose help lists the grammar options in their own section."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        parameters = [each for each in self.params if isinstance(each, GrammarOption)]
        if parameters and not ctx.resilient_parsing:
            from abnforge.cli.common.config import project_options

            ctx.default_map = {**(ctx.default_map or {}), **project_options(parameters)}
        if not ctx.resilient_parsing and (option := self._option_without_argument(args)) is not None:
            raise UsageError(message("argument-of-option-missing", option=option))
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            self._check_effects(ctx)
        return rest

    def _check_effects(self, ctx: click.Context) -> None:
        """Raise UsageError for an option without its required option, or with an excluded one."""
        options = [each for each in self.params if isinstance(each, Option)]
        for option, name in ((each, name) for each in options for name in (*each.opts, *each.secondary_opts)):
            if not name.startswith("--") or not _is_set(ctx, option, name):
                continue
            if option.needs and not any(self._holds(ctx, each) for each in option.needs.split(" or ")):
                raise UsageError(message("option-requires", option=name, other=option.needs))
            for other in filter(None, option.excludes.split(" or ")):
                if present := self._holds(ctx, other):
                    raise UsageError(message("option-excluded", option=name, other=present))

    def _holds(self, ctx: click.Context, condition: str) -> str:
        """Return the option or argument if it is set, or if it has a value that ``name`` lists; else ""."""
        name, _, values = condition.partition(" ")
        for each in self.params:
            if name in (*each.opts, *each.secondary_opts, *_WORD.findall(str(each.human_readable_name))):
                if not values:
                    return name if _is_set(ctx, each, name) else ""
                value = str(ctx.params[str(each.name)]).lower()
                return f"{name} {value}" if value in values.split("|") else ""
        return ""  # the option belongs to another command

    def _option_without_argument(self, args: Sequence[str]) -> str | None:
        """Return the first option that is followed by another option instead of its argument."""
        options = {name: each for each in self.params if isinstance(each, click.Option) for name in each.opts}
        words = iter(args)
        for word in words:
            if word == "--":
                break
            if (option := options.get(word)) is not None and not (option.is_flag or option.count):
                for value in islice(words, option.nargs):
                    if value.startswith("--") and value in options:
                        return word
        return None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then the grammar options."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Grammar options": []}
        before = ""
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                is_of_grammar = isinstance(parameter, GrammarOption)
                records = sections["Grammar options" if is_of_grammar else "Options"]
                shared = getattr(parameter, "shared_help", "")
                if shared and shared == before:
                    names, _ = records.pop()
                    record = (_joined(names, record[0]), shared)
                before = shared
                records.append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=24)


def _joined(names: str, more: str) -> str:
    """Join the names of options; a placeholder that both have is written once, after the last name."""
    before, _, placeholder = names.rpartition(" ")
    if placeholder == more.rpartition(" ")[2]:
        names = before
    return f"{names}, {more}"


def _is_set(ctx: click.Context, parameter: click.Parameter, name: str) -> bool:
    """Return whether the command line or an options file sets a parameter under this name."""
    is_default = ctx.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT
    value = ctx.params.get(str(parameter.name))
    return not is_default and (value == "" or bool(value)) is (name not in parameter.secondary_opts)


def command(
    name: str | None = None, cls: type[click.Command] = SectionedCommand, **attributes: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command, as ``click.command`` does."""
    return click.command(name, cls, **attributes)


class NoCommandError(click.UsageError):
    """An error for a command line without a command, which shows the available commands."""

    def show(self, file: IO[Any] | None = None) -> None:
        print_stderr(self.message)


class LazyGroup(click.Group):
    """A group that imports its commands lazily.

    Each section of its help maps commands to ``module:attribute``. ``alone`` is printed if no command is
    named; if it is empty, a missing command is an error.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, str]], alone: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.places = {name: place for section in sections.values() for name, place in section.items()}
        self.alone = alone

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            if self.alone:
                raise NoCommandError(self.alone, ctx)
            raise UsageError(message("command-missing", commands=tuple(self.places)))
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, attribute = self.places[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and then the options, with only titles between sections."""
        helps = {name: self._short_help(ctx, name) for name in self.places}
        spacing = max(map(len, helps)) + 4
        formatter.write_paragraph()
        for title, section in self.sections.items():
            formatter.write(f"{title}:\n")
            formatter.indent()
            formatter.write_dl([(name.ljust(spacing - 4), helps[name]) for name in section])
            formatter.dedent()
        click.Command.format_options(self, ctx, formatter)

    def _short_help(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(limit=100)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.resilient_parsing and args and args[0] not in self.places:
            return None, None, args  # a shell requests completions
        if args and not args[0].startswith("-") and args[0] not in self.places:
            raise click.exceptions.NoSuchCommand(args[0], possibilities=self.places, ctx=ctx)
        return super().resolve_command(ctx, args)


class RootGroup(LazyGroup):
    """The root group. It turns every failure that bad input can cause into one message and an exit status."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.ClickException as error:
            raise self._told(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except click.exceptions.Exit as error:
            if is_zero_instead(ctx, error.exit_code):
                ctx.exit(0)
            raise
        except BrokenPipeError:
            _abandon_stdout()
            ctx.exit(EXIT_CLOSED_PIPE)
        except KeyboardInterrupt:
            print_error(message("interrupted"))
            ctx.exit(EXIT_INTERRUPTED)
        except GrammarError as error:
            if isinstance(error, LimitExceeded) and error.setting.startswith("budget."):
                raise UsageError(_with_budget_option(error)) from None
            for each in error.errors[:MAX_SHOWN_ERRORS]:
                print_error_lines(described(each, stderr_style().encoding))
            if remaining := len(error.errors[MAX_SHOWN_ERRORS:]):
                note(message("more-errors", count=remaining))
            ctx.exit(EXIT_USAGE)
        except click.ClickException as error:
            raise self._told(error) from None
        except UnknownNameError as error:
            from abnforge.cli.common.misuse import unknown_name

            raise UsageError(unknown_name(error, self, ctx.meta.get(_WORDS, []))) from None
        except OSError as error:
            _abandon_stdout()
            if isinstance(error, CodedError):
                raise UsageError(error.message) from None
            raise UsageError(file_problem(error)) from None

    def _told(self, error: click.ClickException) -> click.ClickException:
        """Return the error with a code, and with a similar command or option."""
        if isinstance(error, NoCommandError):
            return error
        from abnforge.cli.common.misuse import misuse

        return misuse(error)


def _with_budget_option(error: LimitExceeded) -> Message:
    """Append the option that raises the budget to a message."""
    return Message(f"{error} (--budget)", getattr(error.message, "code", "") or error.code, error.data)


def _abandon_stdout() -> None:
    """Discard the buffer of a failed standard output, so that the interpreter does not fail at exit."""
    try:
        sys.stdout.flush()
        return
    except (OSError, AttributeError, ValueError):
        pass
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, AttributeError, ValueError):
        return  # standard output is closed, or not a file, as in tests
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)


class LazyChoice(click.Choice[str]):
    """A choice between the names in ``module:attribute``, which is imported when they are first needed.

    The attribute holds names or is a ``Literal`` of them; ``without`` is excluded.
    """

    def __init__(self, place: str, without: str = "") -> None:
        super().__init__(())
        del self.choices
        self._place = place
        self._without = without

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names as plain strings."""
        module, attribute = self._place.split(":")
        value = getattr(import_module(module), attribute)
        return tuple(name for name in map(str, get_args(value) or value) if name != self._without)
