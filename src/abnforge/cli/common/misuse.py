"""Report wrong command lines in one line, with a similar name or a corrected command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from abnforge.catalog import Message
from abnforge.cli.common.errors import UsageError, for_command_line, problem_of
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import note
from abnforge.errors import UnknownNameError
from abnforge.text import near_misses

LIKENESS = 0.6  # similarity cutoff, chosen for a few short names
# commands of other programs
_GUESSES = {
    "grammars": "list",
    "help": "--help",
    "ingest": "split",
    "rules": "show",
    "validate": "check",
    "version": "--version",
}
_COLOR = re.compile(r"--(no-)?colou?rs?")
_NOT_ONE_OF = re.compile(r"'(.*?)' is not one of ", re.DOTALL)
_NOT_A_NUMBER = re.compile(
    r"'(.*)' is not a valid (?:integer|float|UUID)|^(\S+) is not in the range ", re.DOTALL
)
_MISSING = re.compile(r"(?:File|Directory|Path) '(.*)' does not exist", re.DOTALL)
_DIRECTORY = re.compile(r"File '(.*)' is a directory", re.DOTALL)
_EXTRA = re.compile(r"[Gg]ot unexpected extra arguments? \((.*)\)", re.DOTALL)


def misuse(error: click.ClickException) -> UsageError:
    """Return click's error as one line with a code and a remedy."""
    if isinstance(error, UsageError):
        return error
    usage = UsageError(_message(error))
    usage.__cause__ = error
    return usage


def _message(error: click.ClickException) -> Message:
    if isinstance(error, click.exceptions.NoSuchCommand):
        return _no_such_command(error)
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error)
    parameter = error.param if isinstance(error, click.BadParameter) else None
    if parameter is not None:
        name = _name_of(parameter)
        if isinstance(error, click.MissingParameter):
            if isinstance(parameter, click.Option):
                return message("option-missing", option=name)
            return message("argument-missing", argument=name)
        if wrong := _NOT_ONE_OF.search(error.message):
            choices = tuple(getattr(parameter.type, "choices", ()))
            near = tuple(near_misses(wrong[1], choices, LIKENESS)[:1])
            return message("choice-unknown", option=name, choices=choices, value=wrong[1], near=near)
        if wrong := _NOT_A_NUMBER.search(error.message):
            expected = _number(parameter.type)
            return message("option-number", option=name, expected=expected, value=wrong[1] or wrong[2])
        if wrong := _MISSING.search(error.message):
            return message("file-missing", path=wrong[1], hints=())
        if wrong := _DIRECTORY.search(error.message):
            return message("file-is-directory", path=wrong[1])
        return message("option-value", option=name, problem=_problem(error.message))
    text = error.format_message()
    if (extra := _EXTRA.search(text)) and (ctx := getattr(error, "ctx", None)) is not None:
        words = extra[1].split(" ")
        near = _as_grammar(ctx.command, ctx.command_path, words)
        if not near and (value := _as_value(ctx.command, words[0])):
            near = (f"{ctx.command_path} {value}",)
        usage = " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))
        return message(
            "arguments-extra",
            arguments=extra[1],
            kind="argument" if len(words) == 1 else "arguments",
            near=near,
            hints=() if near else (message("arguments-extra-usage", usage=usage),),
        )
    return message("usage-invalid", problem=_problem(text))


def _number(kind: click.ParamType[Any]) -> str:
    """Return the numbers that an option accepts, such as ``an integer from 1 to 256``; a UUID is a number."""
    if kind is click.UUID:
        return "a UUID"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    bounds = {
        (False, False): "",
        (True, False): f" {'above' if getattr(kind, 'min_open', False) else 'of at least'} {least}",
        (False, True): f" of at most {most}",
        (True, True): f" from {least} to {most}",
    }
    noun = "a number" if isinstance(kind, click.types.FloatParamType) else "an integer"
    return noun + bounds[least is not None, most is not None]


def _problem(text: str) -> str:
    line = " ".join(text.split()).removesuffix(".")
    return line[:1].lower() + line[1:]


def _name_of(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    shown = str(parameter.human_readable_name)
    return str(parameter.name).upper() if shown.startswith("[") else shown  # click shows the choices instead


def _no_such_command(error: click.exceptions.NoSuchCommand) -> Message:
    """Return the message, which suggests a similar command, or a command for this file or string."""
    word, ctx = error.command_name, error.ctx
    assert ctx is not None
    root = ctx.find_root()
    near: tuple[str, ...]
    if word in _GUESSES:
        near = (f"{root.command_path} {_GUESSES[word]}",)
    else:
        near = tuple((error.possibilities or ())[:1])
        if not near or ctx is not root:  # prefer the same name in another group to a similar name
            near = tuple(_in_groups(root, word)) or near
    if not near and is_file(word):
        verb = "lint" if word.lower().endswith(".abnf") else "check"
        near = (f"{root.command_path} {verb} {shlex.quote(word)}",)
    elif not near and re.search(r"[:/@ ]", word):
        near = (f"{root.command_path} explain {shlex.quote(word)}",)
    hints = () if near else (message("command-unknown-help", command=ctx.command_path),)
    return message("command-unknown", command=word, near=near, hints=hints)


def _in_groups(root: click.Context, word: str) -> Iterable[str]:
    group = root.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(root):
        if name == word:
            yield f"{root.command_path} {name}"
        elif isinstance(
            command := group.get_command(root, name), click.Group
        ) and word in command.list_commands(root):
            yield f"{root.command_path} {name} {word}"


def _no_such_option(error: click.NoSuchOption) -> Message:
    wrong, ctx = error.option_name, error.ctx
    if _COLOR.fullmatch(wrong):
        return message("option-color", option=wrong)
    if ctx is not None and isinstance(ctx.command, click.Group) and not error.possibilities:
        return message("option-after-command", option=wrong)
    if ctx is not None and (value := _guessed(ctx.command, wrong) or _as_value(ctx.command, wrong[2:])):
        return message("option-unknown", option=wrong, near=(value,))
    if not error.possibilities and ctx is not None and getattr(ctx.command, "takes_strings", False):
        return message("option-or-string", option=wrong)
    names = {name.lstrip("-"): name for name in error.possibilities or ()}
    near = near_misses(wrong.lstrip("-"), names, LIKENESS)[:1]
    return message("option-unknown", option=wrong, near=tuple(names[name] for name in near))


def _guessed(command: click.Command, wrong: str) -> str:
    """Return the option that means the same as an unknown one, with its argument; "" if there is none."""
    for option in command.params:
        if wrong in getattr(option, "guesses", ()):
            return f"{max(option.opts, key=len)} {option.metavar or ''}".rstrip()
    return ""


def _as_value(command: click.Command, wrong: str) -> str:
    """Return ``--format json`` for ``--json``; "" if no option of the command has such a value."""
    for option in command.params:
        if isinstance(option, click.Option) and wrong in getattr(option.type, "choices", ()):
            return f"{max(option.opts, key=len)} {wrong}"
    return ""


def _as_grammar(command: click.Command, path: str, names: Iterable[str], more: str = "") -> tuple[str, ...]:
    """Return the command line for the first name that is a grammar, if the command takes a grammar."""
    from abnforge.engine.loading import grammar_names

    if all(parameter.name != "grammar" for parameter in command.params):
        return ()
    for name in names:
        if name in grammar_names() or (is_file(name) and not name.startswith("-")):
            return (f"{path} --grammar {shlex.quote(name)}{more}",)
    return ()


def unknown_name(error: UnknownNameError, root: click.Group, words: Sequence[str]) -> Message:
    """Return the message about an unknown name, with a command line for ``GRAMMAR:RULE`` or a file."""
    path, command = called(root, words)
    line = " ".join(("abnforge", *path))
    shown = str(error)
    for word in words:
        if repr(word) in shown or f'"{word}"' in shown:
            name, colon, rule = word.rpartition(":")
            near = _as_grammar(command, line, [name], f" --rule {shlex.quote(rule)}") if colon else ()
            if near := near or _as_grammar(command, line, [word]):
                return message("name-unknown-hint", name=word, near=near)
    problem = problem_of(error)
    return problem if problem.data.get("near") else for_command_line(problem, _grammar_option(problem, words))


def _grammar_option(problem: Message, words: Iterable[str]) -> str:
    """Return the option for the grammar that a message is about, as the command line names it."""
    for word in words:
        value = word.partition("=")[2]  # for options, and for TYPE=GRAMMAR:RULE
        for name in (word, word.rpartition(":")[0], value, value.rpartition(":")[0]):
            if name and problem.data.get("grammar") in (name, Path(name).stem):
                return f" --grammar {shlex.quote(name)}"
    return ""


def called(root: click.Group, words: Iterable[str]) -> tuple[tuple[str, ...], click.Command]:
    """Return the command that a command line calls, and the words that name it."""
    path: tuple[str, ...] = ()
    command: click.Command = root
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-"):
            subcommand = command.get_command(click.Context(command), word)
            if subcommand is None:
                break
            path, command = (*path, word), subcommand
    return path, command


def is_file(name: str) -> bool:
    """Return whether a file with this name exists; any string is allowed."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def note_files(strings: Iterable[str]) -> None:
    """Note that the first rejected string that is the name of a file was not opened."""
    if (path := next(filter(is_file, strings), None)) is not None:
        note(message("file-as-string", path=path, name=shlex.quote(path)))


def note_grammars(ctx: click.Context, files: Iterable[str]) -> None:
    """Note that the first rejected file that looks like a grammar was not used as one."""
    if ctx.get_parameter_source("grammar") is ParameterSource.COMMANDLINE:
        return
    if (path := next((each for each in files if each.lower().endswith(".abnf")), None)) is not None:
        note(message("grammar-as-input", path=path, name=shlex.quote(path)))
