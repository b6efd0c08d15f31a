"""A command line that makes no sense, and what was probably meant: the first line of the complaint says it.

Verbs that are looked through for an option, or for a word, are imported only then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from abnforge.cli.common.output import tell
from abnforge.drawing import escape
from abnforge.near_misses import near_misses

# Words that people try, and what does that here.
OTHER_WORDS = {
    "convert": "grammar compile",
    "diagram": "grammar railroad",
    "draw": "parse --svg",
    "format": "grammar fmt",
    "fuzz": "grammar generate",
    "help": "--help",
    "init": "grammar new",
    "learn": "exercise list",
    "lsp": "grammar language-server",
    "man": "--help",
    "regex": "grammar export",
    "tree": "parse --format tree",
    "validate": "check",
    "verify": "check",
    "version": "--version",
    "why": "explain",
}

# The same for options.
OTHER_OPTIONS = {"-V": "--version"}
_COLOUR = re.compile(r"--(no-)?colou?rs?")
_COLOURED = "the environment says it: NO_COLOR=1 for none, FORCE_COLOR=1 for colours anywhere"

MOST_VERBS = 4  # that a hint names
LIKENESS, SURE = 0.6, 0.8  # of names that are short and few

_NOT_ONE_OF = re.compile(r"'(.*?)' is not one of ", re.DOTALL)
_EXTRA = re.compile(r"[Gg]ot unexpected extra arguments? \((.*)\)", re.DOTALL)


class MisuseError(click.UsageError):
    """A usage error that says first what is wrong, and then how the verb is used."""

    def show(self, file: IO[Any] | None = None) -> None:
        message = f"Error: {self.format_message()}"
        tell("\n".join(map(escape, message.split("\n"))))  # it may quote anything
        if self.ctx is not None:
            tell(self.ctx.get_usage())
            tell(f"Try '{self.ctx.command_path} --help' for help.")


def misuse(error: click.UsageError, root: click.Group, words: Sequence[str]) -> MisuseError:
    """The error with what was probably meant. ``words`` are those behind the program's name."""
    message = error.format_message()
    ctx = error.ctx
    if one_hyphen := _one_hyphen(root, words):
        message = one_hyphen
    elif isinstance(error, click.NoSuchOption):
        message = _no_such_option(error, root)
    elif isinstance(error, click.BadParameter) and (wrong := _NOT_ONE_OF.search(error.message)):
        choices = getattr(error.param and error.param.type, "choices", ())
        near = near_misses(wrong[1], choices, LIKENESS)[:1]
        message = message.rstrip(".") + (asked(near) or ".")
    elif (extra := _EXTRA.search(message)) and ctx is not None:
        message += _as_grammar(ctx.command, ctx.command_path, extra[1].split(" "))
    found = MisuseError(message, ctx)
    found.__cause__ = error
    return found


def unknown_verb(group: click.Group, root: click.Group, path: str, word: str) -> str:
    """What to say of a word that is no verb of a group. ``path`` is how the group is called."""
    program = path.split(" ")[0]
    own = group.list_commands(click.Context(group))
    said = f"No such command {word!r}"
    if sure := near_misses(word, own, SURE)[:1]:
        return said + asked(sure)
    elsewhere = [found for found, _ in _verbs(root) if found[-1] == word]
    if elsewhere:
        return said + asked([" ".join((program, *found)) for found in elsewhere])
    if word in OTHER_WORDS:
        return said + asked([f"{program} {OTHER_WORDS[word]}"])
    names = {found[-1]: " ".join((program, *found)) for found, _ in _verbs(root)}
    names |= {name: name for name in own}
    if near := near_misses(word, names, LIKENESS)[:1]:
        return said + asked([names[near[0]]])
    if is_file(word):
        verb = "grammar lint" if word.lower().endswith(".abnf") else "check"
        return said + asked([f"{program} {verb} {_quoted(word)}"])
    if re.search(r"[:/@ ]", word):
        return said + asked([f"{program} explain {_quoted(word)}"])
    return said + f". There are: {', '.join(own)}."


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


def unknown_name(message: str, root: click.Group, words: Sequence[str]) -> str:
    """The complaint about a name that nothing has, with what was probably meant."""
    if one_hyphen := _one_hyphen(root, words):
        return one_hyphen
    path, verb = verb_of(root, words)
    called = " ".join(("abnforge", *path))
    wrong = [word for word in _before_end(words) if repr(word) in message]
    for word in wrong:
        kind = next((kind for kind in ("grammar", "rule") if message.startswith(f"no {kind} {word!r}")), None)
        if kind is not None and (hint := _as_both(verb, called, word)):
            return f"no {kind} {word!r}{hint}"
    return message + _as_grammar(verb, called, wrong)


def asked(names: Sequence[str]) -> str:
    """``; did you mean 'a' or 'b'?``; "" without names."""
    return f"; did you mean {' or '.join(repr(name) for name in names)}?" if names else ""


def is_file(name: str) -> bool:
    """Whether there is a file of this name, whatever the name is."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _one_hyphen(root: click.Group, words: Sequence[str]) -> str:
    """A complaint about the first word that is a long option with one hyphen; "" if there is none.

    Of ``-grammar`` click makes the option ``-g``, and ``rammar``.
    """
    _, verb = verb_of(root, words)
    long = _long_options(verb)
    for word in _before_end(words):
        name, _, _ = word.partition("=")
        if re.match(r"-[A-Za-z]{2}", name) and f"-{name}" in long:
            return f"No such option {name!r}{asked([f'-{name}'])}"
    return ""


def _no_such_option(error: click.NoSuchOption, root: click.Group) -> str:
    wrong = error.option_name
    said = f"No such option {wrong!r}"
    _, put, more = error.message.partition(" Put ")  # as verbs say whose arguments may look like options
    more = put + more
    verb = root if error.ctx is None else error.ctx.command
    program = "abnforge" if error.ctx is None else error.ctx.find_root().command_path
    if value := _as_value(verb, wrong.removeprefix("--")):
        return said + asked([value]) + more
    if _COLOUR.fullmatch(wrong):
        return f"{said}; {_COLOURED}.{more}"
    if wrong in OTHER_OPTIONS:
        return said + asked([f"{program} {OTHER_OPTIONS[wrong]}"]) + more
    others = [" ".join((program, *path)) for path, other in _verbs(root) if wrong in _options(other)]
    if isinstance(verb, click.Group) and error.ctx is not None:
        others = [each for each in others if each.startswith(error.ctx.command_path)]
        if others:
            return f"{said} before the verb; write it behind one that has it: {_listed(others)}.{more}"
    elif others:
        return f"{said} here; {_listed(others)} {'has' if len(others) == 1 else 'have'} it.{more}"
    names = {name.removeprefix("--"): name for name in _long_options(verb)}
    near = near_misses(wrong.lstrip("-"), names, LIKENESS)[:1]
    return said + (asked([names[name] for name in near]) or ".") + more


def _as_value(verb: click.Command, wrong: str) -> str:
    """``--format json`` for ``--json``; "" if no option of the verb has such a value."""
    for option in verb.params:
        if isinstance(option, click.Option) and wrong in getattr(option.type, "choices", ()):
            return f"{max(option.opts, key=len)} {wrong}"
    return ""


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    shown = found[:MOST_VERBS]
    more = [f"{len(found) - MOST_VERBS} more"] if len(found) > MOST_VERBS else []
    *head, last = [*(repr(name) for name in shown), *more]
    return f"{', '.join(head)} and {last}" if head else last


def _as_grammar(verb: click.Command, path: str, names: Iterable[str], more: str = "") -> str:
    """A hint at the first of the names that is a grammar's, where the verb takes that as an option."""
    from abnforge.engine.loading import grammar_names

    if "--grammar" not in _options(verb):
        return ""
    for name in names:
        if name in grammar_names() or (is_file(name) and not name.startswith("-")):
            return asked([f"{path} --grammar {_quoted(name)}{more}"])
    return ""


def _as_both(verb: click.Command, path: str, word: str) -> str:
    """A hint at ``--grammar G --rule R`` for ``G:R``, where the verb has both options."""
    name, colon, rule = word.rpartition(":")
    if not colon or not {"--grammar", "--rule"} <= _options(verb):
        return ""
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
