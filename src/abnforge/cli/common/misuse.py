"""Messages about wrong command lines, with close commands and options.

Commands that are searched for an option or a word are imported only then.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from abnforge.catalog import Message
from abnforge.cli.common.messages import message
from abnforge.cli.common.usage import UsageError, problem_of
from abnforge.errors import UnknownNameError
from abnforge.text import near_misses

# Common words for commands, and the commands.
OTHER_WORDS = {
    "convert": "export --to lark",
    "diagram": "railroad",
    "draw": "parse --format svg",
    "fuzz": "generate",
    "help": "--help",
    "init": "new",
    "learn": "exercise list",
    "lsp": "server",
    "man": "--help",
    "regex": "export",
    "tree": "parse --format tree",
    "validate": "check",
    "verify": "check",
    "version": "--version",
    "why": "explain",
}

# The same for options.
OTHER_OPTIONS = {"-V": "--version"}
_COLOUR = re.compile(r"--(no-)?colou?rs?")
LIKENESS, SURE = 0.6, 0.8  # of names that are short and few

_NOT_ONE_OF = re.compile(r"'(.*?)' is not one of ", re.DOTALL)
_NOT_A_NUMBER = re.compile(r"'(.*)' is not a valid (?:integer|float)|^(\S+) is not in the range ", re.DOTALL)
_MISSING = re.compile(r"(?:File|Directory|Path) '(.*)' does not exist", re.DOTALL)
_EXTRA = re.compile(r"[Gg]ot unexpected extra arguments? \((.*)\)", re.DOTALL)


def misuse(error: click.ClickException, root: click.Group, words: Sequence[str]) -> UsageError:
    """Return click's error with a code, and with a close name. ``words`` are the arguments of the program."""
    if isinstance(error, UsageError):
        return error
    found = UsageError(_one_hyphen(root, words) or _message(error, root))
    found.__cause__ = error
    return found


def _message(error: click.ClickException, root: click.Group) -> Message:
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error, root)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        if isinstance(error.param, click.Option):
            return message("option-missing", option=_name_of(error.param))
        return message("argument-missing", argument=_name_of(error.param))
    if isinstance(error, click.BadParameter) and error.param is not None:
        name = _name_of(error.param)
        if wrong := _NOT_ONE_OF.search(error.message):
            choices = tuple(getattr(error.param.type, "choices", ()))
            near = tuple(near_misses(wrong[1], choices, LIKENESS)[:1])
            return message("choice-unknown", option=name, choices=choices, value=wrong[1], near=near)
        if wrong := _NOT_A_NUMBER.search(error.message):
            expected = _number(error.param.type)
            return message("option-number", option=name, expected=expected, value=wrong[1] or wrong[2])
        if wrong := _MISSING.search(error.message):
            problem = f"{wrong[1]}: {os.strerror(errno.ENOENT)}"
            return message("option-value", option=name, problem=problem)
        return message("option-value", option=name, problem=_problem(error.message))
    text = error.format_message()
    if (extra := _EXTRA.search(text)) and (ctx := getattr(error, "ctx", None)) is not None:
        words = extra[1].split(" ")
        near = _as_grammar(ctx.command, ctx.command_path, words)
        return message("arguments-extra", arguments=tuple(words), near=near)
    return message("usage-invalid", problem=_problem(text))


def _number(kind: click.ParamType[Any]) -> str:
    """Return which numbers an option accepts: ``an integer from 1 to 256``."""
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    bounds = {
        (False, False): "",
        (True, False): f" of at least {least}",
        (False, True): f" of at most {most}",
        (True, True): f" from {least} to {most}",
    }
    noun = "a number" if isinstance(kind, click.types.FloatParamType) else "an integer"
    return noun + bounds[least is not None, most is not None]


def _problem(text: str) -> str:
    """Return a message of click's as one line in the manner of others."""
    line = " ".join(text.split()).removesuffix(".")
    return line[:1].lower() + line[1:]


def _name_of(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    shown = str(parameter.human_readable_name)
    return str(parameter.name).upper() if shown.startswith("[") else shown  # click lists the choices there


def unknown_verb(group: click.Group, root: click.Group, path: str, word: str) -> Message:
    """Return the message about a word that is not a command of a group, called as ``path``."""
    program = path.split(" ")[0]
    own = group.list_commands(click.Context(group))
    near = _commands_near(own, root, program, word)
    available = () if near else tuple(own)
    return message("command-unknown", command=word, near=near, commands=available)


def _commands_near(own: Sequence[str], root: click.Group, program: str, word: str) -> tuple[str, ...]:
    if sure := near_misses(word, own, SURE)[:1]:
        return tuple(sure)
    elsewhere = [found for found, _ in _verbs(root) if found[-1] == word]
    if elsewhere:
        return tuple(" ".join((program, *found)) for found in elsewhere)
    if word in OTHER_WORDS:
        return (f"{program} {OTHER_WORDS[word]}",)
    names = {found[-1]: " ".join((program, *found)) for found, _ in _verbs(root)}
    names |= {name: name for name in own}
    if near := near_misses(word, names, LIKENESS)[:1]:
        return (names[near[0]],)
    if is_file(word):
        verb = "lint" if word.lower().endswith(".abnf") else "check"
        return (f"{program} {verb} {_quoted(word)}",)
    if re.search(r"[:/@ ]", word):
        return (f"{program} explain {_quoted(word)}",)
    return ()


def verb_of(root: click.Group, words: Iterable[str]) -> tuple[tuple[str, ...], click.Command]:
    """The verb that a command line calls, as far as it can be told, and the words that call it."""
    path: tuple[str, ...] = ()
    command: click.Command = root
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-"):
            found = command.get_command(click.Context(command), word)
            if found is None:
                break
            path, command = (*path, word), found
    return path, command


def unknown_name(error: UnknownNameError, root: click.Group, words: Sequence[str]) -> Message:
    """Return the message about an unknown name, with the close option or command line."""
    if one_hyphen := _one_hyphen(root, words):
        return one_hyphen
    path, verb = verb_of(root, words)
    called = " ".join(("abnforge", *path))
    shown = str(error)
    wrong = [word for word in _before_end(words) if repr(word) in shown or f'"{word}"' in shown]
    if near := next((found for word in wrong if (found := _as_both(verb, called, word))), ()) or _as_grammar(
        verb, called, wrong
    ):
        return message("name-unknown-hint", name=wrong[0], near=near)
    return problem_of(error)


def is_file(name: str) -> bool:
    """Whether there is a file of this name, whatever the name is."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _one_hyphen(root: click.Group, words: Sequence[str]) -> Message | None:
    """Return the message about the first word that is a long option with one hyphen.

    Of ``-grammar`` click makes the option ``-g``, and ``rammar``.
    """
    _, verb = verb_of(root, words)
    long = _long_options(verb)
    for word in _before_end(words):
        name, _, _ = word.partition("=")
        if re.match(r"-[A-Za-z]{2}", name) and f"-{name}" in long:
            return message("option-unknown", option=name, near=(f"-{name}",))
    return None


def _no_such_option(error: click.NoSuchOption, root: click.Group) -> Message:
    wrong = error.option_name
    verb = root if error.ctx is None else error.ctx.command
    program = "abnforge" if error.ctx is None else error.ctx.find_root().command_path
    if value := _as_value(verb, wrong.removeprefix("--")):
        return message("option-unknown", option=wrong, near=(value,))
    if _COLOUR.fullmatch(wrong):
        return message("option-color", option=wrong)
    if wrong in OTHER_OPTIONS:
        return message("option-unknown", option=wrong, near=(f"{program} {OTHER_OPTIONS[wrong]}",))
    others = [" ".join((program, *path)) for path, other in _verbs(root) if wrong in _options(other)]
    if isinstance(verb, click.Group) and error.ctx is not None:
        others = [each for each in others if each.startswith(error.ctx.command_path)]
        if others:
            return message("option-after-command", option=wrong, commands=tuple(others))
    elif others:
        return message("option-elsewhere", option=wrong, commands=tuple(others))
    names = {name.removeprefix("--"): name for name in _long_options(verb)}
    near = tuple(names[name] for name in near_misses(wrong.lstrip("-"), names, LIKENESS)[:1])
    if not near and getattr(verb, "takes_strings", False):
        return message("option-or-string", option=wrong)
    return message("option-unknown", option=wrong, near=near)


def _as_value(verb: click.Command, wrong: str) -> str:
    """``--format json`` for ``--json``; "" if no option of the verb has such a value."""
    for option in verb.params:
        if isinstance(option, click.Option) and wrong in getattr(option.type, "choices", ()):
            return f"{max(option.opts, key=len)} {wrong}"
    return ""


def _as_grammar(verb: click.Command, path: str, names: Iterable[str], more: str = "") -> tuple[str, ...]:
    """Return the command line for the first of the names that is a grammar, if the command takes one."""
    from abnforge.engine.loading import grammar_names

    if "--grammar" not in _options(verb):
        return ()
    for name in names:
        if name in grammar_names() or (is_file(name) and not name.startswith("-")):
            return (f"{path} --grammar {_quoted(name)}{more}",)
    return ()


def _as_both(verb: click.Command, path: str, word: str) -> tuple[str, ...]:
    """Return the command line with ``--grammar G --rule R`` for ``G:R``, if the command has both options."""
    name, colon, rule = word.rpartition(":")
    if not colon or not {"--grammar", "--rule"} <= _options(verb):
        return ()
    return _as_grammar(verb, path, [name], f" --rule {_quoted(rule)}")


def _verbs(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All verbs below a group, with the words that call them. Imports them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        verb = group.get_command(context, name)
        if isinstance(verb, click.Group):
            yield (*path, name), verb
            yield from _verbs(verb, (*path, name))
        elif verb is not None:
            yield (*path, name), verb


def _options(verb: click.Command) -> set[str]:
    return {name for each in verb.params if isinstance(each, click.Option) for name in _names(each)}


def _long_options(verb: click.Command) -> list[str]:
    found = [name for each in verb.params if isinstance(each, click.Option) for name in _names(each)]
    return [name for name in [*found, "--help"] if name.startswith("--")]


def _names(option: click.Option) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def _before_end(words: Sequence[str]) -> Sequence[str]:
    """The words before ``--``: what comes behind it is no option."""
    return words[: words.index("--")] if "--" in words else words


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)
