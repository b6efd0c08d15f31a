"""Complete grammars, rules, codes and files in a shell. After an error, nothing is completed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from abnforge.budget import Budget

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar

DEFAULT_GRAMMAR = "rfc3986"

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

# a small budget, since the user is waiting
_BUDGET = Budget(seconds=2)

# larger files are not read for completion
MAX_COMPLETED_OCTETS = 4_000_000

_DEFINED = re.compile(r"^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*=", re.MULTILINE)


def _beginning(names: Iterable[str], incomplete: str, *, before: str = "", behind: str = "") -> list[Any]:
    """Return completions for the names that start with ``incomplete``, ignoring case."""
    folded = incomplete.lower()
    return [CompletionItem(before + name + behind) for name in names if name.lower().startswith(folded)]


def _file(incomplete: str) -> CompletionItem:
    return CompletionItem(incomplete, type="file")


def _grammars() -> list[str]:
    import abnforge

    return [*abnforge.grammar_names(), *abnforge.package_names()]


def grammar_of(name: str) -> Grammar | None:
    """Return a grammar by name, or from a small file; None if it cannot be loaded."""
    import abnforge

    path = Path(name).expanduser()
    try:
        if name not in abnforge.grammar_names() and ":" not in name:
            if not path.is_file() or path.stat().st_size > MAX_COMPLETED_OCTETS:
                return None
            name = str(path)
        return abnforge.load(name, allow_undefined=path.is_file(), budget=_BUDGET)
    except (OSError, KeyError, ValueError):
        return None


def rules_of(name: str) -> list[str]:
    """Return the rules of a grammar; for a file that does not load, the names that its lines define."""
    grammar = grammar_of(name)
    if grammar is not None:
        return list(grammar.rules)
    path = Path(name).expanduser()
    try:
        if not path.is_file() or path.stat().st_size > MAX_COMPLETED_OCTETS:
            return []
        return list(dict.fromkeys(_DEFINED.findall(path.read_text("utf-8", "replace"))))
    except (OSError, ValueError):
        return []


def _named(ctx: click.Context) -> list[str]:
    """Return the grammars on the command line: in arguments, in ``--grammar``, or the default."""
    arguments = {param.name for param in ctx.command.params if isinstance(param, click.Argument)}
    grammars: list[str] = []
    for key in ("grammars", "grammar", "left"):
        value = ctx.params.get(key)
        if not value and key in arguments:
            # click leaves them in ``args`` after an option
            value = ctx.args[: None if key == "grammars" else 1]
        grammars += [value] if isinstance(value, str) else value or []
        if key == "left" and value and grammar_of(grammars[0]) is None:
            grammars = [grammars[0].rpartition(":")[0]]  # A:RULE
    return grammars or ([] if arguments & {"grammars", "left"} else [DEFAULT_GRAMMAR])


def _rules(ctx: click.Context) -> list[str]:
    return list(dict.fromkeys(rule for name in _named(ctx) for rule in rules_of(name)))


def complete_grammar(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete grammar names and files."""
    names = _beginning(_grammars(), incomplete)
    if not names:
        return [_file(incomplete)]
    files = [path + "/" * Path(path).is_dir() for path in glob(f"{escape(incomplete)}*")]
    return [*names, *_beginning(files, "")]  # bash drops names that come with the type "file"


def complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete rules of the grammar on the command line; in an expression of sets, the current operand."""
    *_, name = re.split(r"[\s&|~()]", incomplete)
    before = incomplete[: len(incomplete) - len(name)]
    return _beginning(_rules(ctx), name, before=before)


def complete_assigned(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the rule in ``RULE=VALUE``."""
    return [] if "=" in incomplete else _beginning(_rules(ctx), incomplete, behind="=")


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the last of several rules separated by commas."""
    before, comma, name = incomplete.rpartition(",")
    return _beginning(_rules(ctx), name, before=before + comma)


def complete_grammar_rule(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete ``GRAMMAR[:RULE]``."""
    return [*complete_grammar(ctx, param, incomplete), *_behind_colon(incomplete)]


def complete_other_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ``[GRAMMAR:]RULE``."""
    if completions := _behind_colon(incomplete):
        return completions
    return [*_beginning(_rules(ctx), incomplete), *_beginning(_grammars(), incomplete, behind=":")]


def complete_column(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the rule in ``NAME[:[GRAMMAR:]RULE]``. The column's name may contain an escaped colon."""
    column = re.match(r"((?:[^:\\]|\\.)+:)(.*)", incomplete)
    if column is None:
        return []
    completions = complete_other_rule(ctx, param, column[2])
    return [CompletionItem(column[1] + item.value, type=item.type) for item in completions]


def _behind_colon(incomplete: str) -> list[Any]:
    """Return completions for the rule in ``GRAMMAR:RULE``."""
    name, colon, rule = incomplete.rpartition(":")
    return _beginning(rules_of(name), rule, before=name + colon) if name else []


def complete_warning(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a code or a family of security findings."""
    from abnforge.uri.security import ALL_CODES, SECURITY_CODES

    families = (each.family for each in SECURITY_CODES.values())
    return _beginning(dict.fromkeys([ALL_CODES, *sorted(families), *SECURITY_CODES]), incomplete)


def complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete codes of the grammar on the command line, or codes of findings if the word starts with "A"."""
    from abnforge.cli.common.codes import other_codes
    from abnforge.linting.finding import KINDS

    codes = (kind.code for kind in KINDS.values()) if incomplete[:1] in ("A", "a") else ()
    own = _codes(ctx)
    return _beginning(dict.fromkeys([*own, *other_codes(), *codes]), incomplete)


def _codes(ctx: click.Context) -> list[str]:
    grammars = [loaded for name in _named(ctx) if (loaded := grammar_of(name)) is not None]
    return [code for grammar in grammars for code in grammar.codes]


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files."""
    return [_file(incomplete)]


def complete_whole_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete files if the arguments are file names."""
    return [_file(incomplete)] if ctx.params.get("whole_file") else []
