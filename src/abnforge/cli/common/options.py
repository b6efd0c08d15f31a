"""Options that commands share: the grammar, the rule, the inputs."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from abnforge.budget import Budget
from abnforge.charset import BYTES
from abnforge.cli.common import inputs
from abnforge.cli.common.completions import (
    DEFAULT_GRAMMAR,
    complete_grammar,
    complete_rule,
    complete_whole_file,
)
from abnforge.cli.common.config import read_options_file
from abnforge.cli.common.errors import UsageError, problem_of, usage_errors
from abnforge.cli.common.groups import GrammarOption, LazyChoice, SectionedCommand, option
from abnforge.cli.common.inputs import Inputs, Record
from abnforge.cli.common.lines import Newline
from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Target
from abnforge.cli.common.output import OutputPath, is_terminal, note, print_error, warn
from abnforge.engine import ENGINES
from abnforge.errors import LimitExceeded
from abnforge.grammar.syntax import LISTS

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule

F = TypeVar("F", bound=Callable[..., Any])

_KEPT = "abnforge.grammar-options"
_BUDGET_TEXT = "budget as given"
_UNUSED_IF_BUILT_IN = ("imports", "define", "allow_undefined")
_LINKING = (*_UNUSED_IF_BUILT_IN, "lists", "alphabet")
# Project options about the project's grammar, which do not apply to another --grammar.
_ABOUT_GRAMMAR = ("rule", "imports", "define", "mistakes")


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Keep the value of a grammar option for ``load``; return it for commands that take it as an argument."""
    name = str(param.name)
    from_project = ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    if name in _ABOUT_GRAMMAR and from_project and is_on_command_line(ctx, "grammar"):
        value = () if param.multiple else None
    if name == "define" and (malformed := [text for text in value if "=" not in text]):
        raise UsageError(
            message("option-malformed", option="--define", form="'NAME = ...'", value=malformed[0])
        )
    if name == "budget" and value is not None:
        ctx.meta.setdefault(_KEPT, {})[_BUDGET_TEXT] = value
        try:
            value = Budget.parse(value)
        except ValueError as error:
            raise UsageError(problem_of(error, "--budget")) from None
    ctx.meta.setdefault(_KEPT, {})[name] = value
    return value


def _option(*names: str, is_argument: bool = False, **attributes: Any) -> Callable[[F], F]:
    """Return a grammar option; it is an argument of the command's function only if it ``is_argument``.

    It is eager, so that --rule is completed from --grammar.
    """
    return option(
        *names, cls=GrammarOption, is_eager=True, callback=_keep, expose_value=is_argument, **attributes
    )


# in the order of the help page
GRAMMAR_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "grammar": _option(
        "-g",
        "--grammar",
        is_argument=True,
        metavar="NAME|FILE",
        default=DEFAULT_GRAMMAR,
        show_default=True,
        shell_complete=complete_grammar,
        help="Use this grammar.",
    ),
    "rule": _option(
        "-r",
        "--rule",
        is_argument=True,
        metavar="NAME",
        shell_complete=complete_rule,
        help="Match this rule, or a set: 'URI - absolute-URI'.  [default: the start rule]",
    ),
    "import": _option(
        "--import",
        "imports",
        multiple=True,
        metavar="NAME|FILE",
        shell_complete=complete_grammar,
        help="Import undefined rules. Repeatable.",
    ),
    "define": _option(
        "--define", multiple=True, metavar="NAME=ABNF", help="Define an undefined rule. Repeatable."
    ),
    "mistakes": _option(
        "--mistakes",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Read error codes and messages from this file.",
    ),
    "allow-undefined": _option(
        "--allow-undefined", is_flag=True, help="Allow undefined rules that no match needs."
    ),
    "lists": _option(
        "--lists",
        type=click.Choice(LISTS),
        metavar="|".join(LISTS),
        help="Expand 1#x for this role.  [default: recipient]",
    ),
    "bytes": _option(
        "--bytes", "alphabet", flag_value="bytes", help="Treat each byte as one character, %x00-FF."
    ),
    "budget": _option("--budget", metavar="10x|LIMITS", help="Raise limits: 10x, or steps=20M,memory=2G."),
    "no-cache": _option("--no-cache", is_flag=True, help="Ignore the on-disk cache."),
    "engine": _option(
        "--engine",
        is_argument=True,
        type=click.Choice(ENGINES),
        metavar="NAME",
        default="auto",
        help=f"Use {', '.join(ENGINES[1:-1])} or {ENGINES[-1]} (same results).",
    ),
}


def grammar_options(*names: str) -> Callable[[F], F]:
    """Add the grammar options with these names; without names, all except ``engine``."""

    def with_options(function: F) -> F:
        for name in reversed([each for each in GRAMMAR_OPTIONS if each in names or not names]):
            if names or name != "engine":
                function = GRAMMAR_OPTIONS[name](function)
        return function

    return with_options


LINKING_OPTIONS = ("import", "define", "allow-undefined", "lists", "bytes")


def _kept(name: str) -> Any:
    return click.get_current_context().meta.get(_KEPT, {}).get(name)


def linking() -> dict[str, Any]:
    """Return the arguments of ``abnforge.load`` for linking a grammar, from the command line."""
    return {name: value for name in _LINKING if (value := _kept(name))}


def loading() -> dict[str, Any]:
    """Return the arguments of ``abnforge.load``, from the command line."""
    return {"budget": budget(), "cache": not _kept("no_cache"), **linking()}


def given_options(rule: str | None) -> list[str]:
    """Return the options that load a grammar as now, except ``--grammar`` and a ``--rule`` that is a name.

    Absolute paths become file names.
    """
    from abnforge.engine.export import path_as_given
    from abnforge.engine.set_algebra import is_expression

    options: list[str] = []
    if rule is not None and is_expression(rule):
        options = ["--rule", re.sub(r"(?<![\w./-])/[^\s:]*/", "", rule)]
    options += [word for path in _kept("imports") for word in ("--import", path_as_given(path))]
    options += [word for text in _kept("define") for word in ("--define", text)]
    options += ["--allow-undefined"] if _kept("allow_undefined") else []
    options += ["--lists", lists] if (lists := _kept("lists")) else []
    options += ["--bytes"] if _kept("alphabet") else []
    return options + (["--budget", text] if (text := _kept(_BUDGET_TEXT)) else [])


def budget() -> Budget | None:
    """Return the budget from the command line; None for the default."""
    value: Budget | None = _kept("budget")
    return value


def mistakes_file() -> Path | None:
    """Return the mistakes file from the command line."""
    value: Path | None = _kept("mistakes")
    return value


def suite_options(needs: str = "") -> Callable[[F], F]:
    """Add ``--level`` and ``--extra-states`` of a test suite."""

    def with_options(function: F) -> F:
        function = option(
            "--extra-states",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Allow N more states than the rule has.",
            needs=needs,
        )(function)
        return option(
            "--level",
            type=LazyChoice("abnforge.conformance.suites:LEVELS"),
            default="complete",
            metavar="SIZE",
            help="Use a quick, complete or extra suite.",
            needs=needs,
        )(function)

    return with_options


quiet_option = option("-q", "--quiet", is_flag=True, help="Suppress the summary on standard error.")

output_option = option(
    "-o", "--output", type=OutputPath(), help="Write to this file instead of standard output."
)

config_option = option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=read_options_file,
    help="Read default options from a TOML file.",
)

files_argument = click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())

strings_argument = click.argument(
    "strings", nargs=-1, metavar="[STRING]...", shell_complete=complete_whole_file
)

suggest_option = option("--suggest/--no-suggest", default=True, help="Suggest corrections.  [default: yes]")


class StringsCommand(SectionedCommand):
    """A command whose arguments are strings, which may look like options."""

    takes_strings = True


max_bytes_option = option(
    "--max-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Report longer lines or files without parsing.  [default: 1 MiB; 64 MiB]",
)

# in the order of the help page
_STRING_OPTIONS = (
    option(
        "-0",
        "--null",
        is_flag=True,
        help="Separate strings by NUL, not by newlines.",
        excludes="--whole-file",
    ),
    option("--skip-empty", is_flag=True, help="Skip empty strings."),
    max_bytes_option,
)
_FILE_OPTIONS = (
    option("--whole-file", is_flag=True, help="Treat each file as one string."),
    option(
        "--newline",
        type=click.Choice(get_args(Newline)),
        default="keep",
        help="Convert line endings.",
        needs="--whole-file",
    ),
)


def input_options(function: F) -> F:
    """Add ``--null``, ``--skip-empty`` and ``--max-bytes``, passed on as ``options``."""
    return _gathered(function, _STRING_OPTIONS)


def file_options(function: F) -> F:
    """Add the options of ``input_options``, ``--whole-file`` and ``--newline``, passed on as ``options``."""
    return _gathered(function, (*_STRING_OPTIONS, *_FILE_OPTIONS))


def _gathered(function: F, options: Sequence[Callable[[Any], Any]]) -> F:
    @wraps(function)
    def command(*arguments: Any, **values: Any) -> Any:
        names = [each.name for each in fields(inputs.Options) if each.name in values]
        chosen = inputs.Options(**{name: values.pop(name) for name in names})
        return function(*arguments, options=chosen, **values)

    for each in reversed(options):
        each(command)
    return cast(F, command)


def is_on_command_line(ctx: click.Context, name: str) -> bool:
    """Return whether the user typed an option, rather than a project's options file."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def require_linkable(*grammars: str) -> None:
    """Raise UsageError if linking options are on the command line, but all grammars are built-in.

    Each argument is the name of a grammar or a path, optionally with a rule: ``rfc3986:URI``.
    """
    from abnforge.engine.loading import is_built_in

    ctx = click.get_current_context()
    typed = [name for name in _UNUSED_IF_BUILT_IN if is_on_command_line(ctx, name)]
    if typed and all(map(is_built_in, grammars)):
        option = f"--{typed[0].replace('_', '-').replace('imports', 'import')}"
        raise UsageError(message("grammar-file-required", option=option, grammar=grammars[0]))


def load(grammar: str, *others: str) -> Grammar:
    """Load a grammar by name or path with the options of the command line. ``others`` will be loaded too."""
    import abnforge

    if ":" not in (_kept("rule") or ""):  # an expression can name a grammar that is a file
        require_linkable(grammar, *others)
    return abnforge.load(grammar, mistakes=mistakes_file(), **loading())


def rule_of(grammar: Grammar, text: str | None) -> Rule:
    """Return the rule that ``--rule`` names, or that a set expression combines; by default the start rule."""
    from abnforge.engine.set_algebra import evaluate, is_expression

    if text is None:
        return grammar.start
    if not is_expression(text):
        return grammar[text]

    def named(name: str) -> Rule:
        other, _, rule = name.rpartition(":")
        return (load(other) if other else grammar)[rule]

    with usage_errors():
        return evaluate(text, named)


def load_rule(
    grammar: str,
    rule: str | None,
    engine: str = "auto",
    restrict: Callable[[Rule], Rule] | None = None,
) -> tuple[Rule, Target]:
    """Return the rule that validates, by default the grammar's start rule; ``restrict`` applies policies.

    The rule is tried on the empty string, so that a rule that cannot be matched fails before input is read. A
    rule that exceeds the budget does not fail here: each string is then undecided.
    """
    loaded = load(grammar)
    chosen = rule_of(loaded, rule)
    if restrict is not None:
        with usage_errors():
            chosen = restrict(chosen)
    with suppress(LimitExceeded), usage_errors():
        chosen.matches(chosen._as_input(""), engine=engine)
    judging = chosen.grammar
    return chosen, Target(judging.name, chosen.name, lambda: judging.codes)


def require_readable(paths: Iterable[str]) -> None:
    """Raise UsageError if none of the files can be read; otherwise each is reported when it is read."""
    problems = []
    for path in paths:
        try:
            if path == "-" or not stat.S_ISDIR(os.stat(path).st_mode):
                return
            problems.append(message("file-is-directory", path=path))
        except (OSError, ValueError) as error:
            problems.append(inputs.input_problem(error, path))
    for problem in problems[:-1]:
        print_error(problem)
    if problems:
        raise UsageError(problems[-1])


def open_inputs(paths: Iterable[str], options: inputs.Options, rule: Rule | None = None) -> Inputs:
    """Open the named files, or standard input if there are none. Their strings are inputs of the rule."""
    options.of_bytes = _reads_bytes(rule)
    paths = list(paths) or ["-"]
    stdin = getattr(sys.stdin, "buffer", None)
    if paths.count("-") > 1:
        raise UsageError(message("stdin-repeated"))
    require_readable(paths)
    opened = Inputs(paths, options, stdin=stdin, warn=warn, fail=print_error)
    if "-" in paths and is_terminal(sys.stdin):
        opened.is_typed = True
        note(message("typing-string" if options.whole_file else "typing-strings"))
    return opened


def _reads_bytes(rule: Rule | None) -> bool:
    return rule is not None and rule.grammar.alphabet == BYTES


def open_strings(
    strings: tuple[str, ...], options: inputs.Options, rule: Rule | None = None
) -> Iterable[Record]:
    """Return the strings of the command line; without any, or for ``-`` alone, those of standard input.

    With ``--whole-file``, the arguments are files.
    """
    if options.whole_file:
        return open_inputs(strings, options, rule)
    if not strings or strings == ("-",):
        return open_inputs([], options, rule)
    with usage_errors():
        return list(inputs.arguments(strings, of_bytes=_reads_bytes(rule)))
