"""Options that verbs share, and what they mean: the grammar, the rule, the inputs."""

from __future__ import annotations

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
from abnforge.cli.common import inputs
from abnforge.cli.common.completions import (
    DEFAULT_GRAMMAR,
    complete_budget,
    complete_grammar,
    complete_rule,
)
from abnforge.cli.common.inputs import Inputs, Record
from abnforge.cli.common.messages import message
from abnforge.cli.common.newlines import Newline
from abnforge.cli.common.outcome import Target
from abnforge.cli.common.output import complain, is_terminal, note, warn
from abnforge.cli.common.usage import UsageError, problem_of, usage_errors
from abnforge.engine import ENGINES
from abnforge.errors import LimitExceeded
from abnforge.grammar.syntax import LISTS

if TYPE_CHECKING:
    from abnforge.engine.grammar import Grammar
    from abnforge.engine.rule import Rule

F = TypeVar("F", bound=Callable[..., Any])


def _keep_budget(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    try:
        ctx.meta[_BUDGET] = None if value is None else Budget.parse(value)
    except ValueError as error:
        raise UsageError(problem_of(error, "--budget")) from None


_BUDGET = "abnforge.budget"

budget_option = click.option(
    "--budget",
    metavar="10x|SETTINGS",
    shell_complete=complete_budget,
    is_eager=True,
    expose_value=False,
    callback=_keep_budget,
    help="Resource limit per operation: a multiple of the default (10x) or steps=20M,memory=2G,seconds=600.",
)


_MISTAKES = "abnforge.mistakes"


def _keep_mistakes(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    ctx.meta[_MISTAKES] = value


mistakes_option = click.option(
    "--mistakes",
    metavar="FILE",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_keep_mistakes,
    help="Mistakes file with error codes and messages for the grammar (see docs/mistakes.md).",
)


_NO_CACHE = "abnforge.no-cache"


def _keep_no_cache(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_NO_CACHE] = value


no_cache_option = click.option(
    "--no-cache",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_keep_no_cache,
    help="Ignore the on-disk cache.",
)

_LINKING = "abnforge.linking"


def _keep_linking(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if param.name == "define" and (malformed := [text for text in value if "=" not in text]):
        raise UsageError(
            message("option-malformed", option="--define", form="'NAME = ...'", value=malformed[0])
        )
    if value:
        ctx.meta.setdefault(_LINKING, {})[param.name] = value


# In the order in which help lists them.
_LINKING_OPTIONS = (
    click.option(
        "--import",
        "imports",
        multiple=True,
        metavar="NAME|FILE",
        is_eager=True,
        expose_value=False,
        callback=_keep_linking,
        shell_complete=complete_grammar,
        help="Take undefined rules from this grammar. Repeatable.",
    ),
    click.option(
        "--define",
        multiple=True,
        metavar="'NAME = ...'",
        is_eager=True,
        expose_value=False,
        callback=_keep_linking,
        help="Define a rule that the grammar leaves undefined. Repeatable.",
    ),
    click.option(
        "--allow-undefined",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_keep_linking,
        help="Allow undefined rules; rules that depend on them cannot be used.",
    ),
)
lists_option = click.option(
    "--lists",
    type=click.Choice(LISTS),
    is_eager=True,
    expose_value=False,
    callback=_keep_linking,
    help="Expand 1#element lists for recipients (empty elements allowed) or for senders."
    "  [default: recipient]",
)


def linking_options(function: F) -> F:
    """What a grammar of the caller's is put together with."""
    for option in reversed(_LINKING_OPTIONS):
        function = option(function)
    return function


def linking() -> dict[str, Any]:
    """What the command line says a grammar is put together with, as arguments of ``abnforge.load``."""
    found: dict[str, Any] = click.get_current_context().meta.get(_LINKING, {})
    return dict(found)


def loading() -> dict[str, Any]:
    """What the command line says of how grammars are loaded, whichever they are, as such arguments."""
    cache = not click.get_current_context().meta.get(_NO_CACHE)
    return {"budget": budget(), "cache": cache, **linking()}


def budget() -> Budget | None:
    """The budget of the command line; None for the usual one."""
    found: Budget | None = click.get_current_context().meta.get(_BUDGET)
    return found


_grammar_option = click.option(
    "-g",
    "--grammar",
    metavar="NAME|FILE",
    default=DEFAULT_GRAMMAR,
    show_default=True,
    is_eager=True,  # so that --rule is completed from it
    shell_complete=complete_grammar,
    help="Grammar to use: a built-in name (see 'abnforge list') or an ABNF file.",
)


def grammar_option(function: F) -> F:
    """``--grammar``, and what goes with it."""
    return _grammar_option(
        linking_options(lists_option(no_cache_option(mistakes_option(budget_option(function)))))
    )


rule_option = click.option(
    "-r",
    "--rule",
    metavar="NAME",
    shell_complete=complete_rule,
    help="Start rule, or a set expression of rules: 'URI & web'.  "
    "[default: URI for rfc3986, URI-reference for rfc2396, else the first]",
)

level_option = click.option(
    "--level",
    type=click.Choice(("quick", "complete", "extra")),
    default="complete",
    show_default=True,
    help="Suite size: complete; plus known library bugs; plus more of them.",
)

extra_states_option = click.option(
    "--extra-states",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Detect every deviation with up to N states more than the rule's automaton.",
)

engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    help="Force a parsing engine (same results, different speed).",
)

suggest_option = click.option(
    "--suggest/--no-suggest",
    default=True,
    help="Suggest a corrected string if one is known.  [default: yes]",
)


class StringsCommand(click.Command):
    """A command whose arguments are strings, which may look like options."""

    takes_strings = True


# In the order in which help lists them.
_STRING_OPTIONS = (
    click.option("-0", "--null", is_flag=True, help="Strings are separated by NUL, not by newlines."),
    click.option("--skip-empty", is_flag=True, help="Skip empty strings."),
    click.option(
        "--max-line-bytes",
        type=click.IntRange(min=1),
        default=inputs.DEFAULT_MAX_LINE_BYTES,
        show_default=True,
        help="Report longer lines without parsing them.",
    ),
)
_FILE_OPTIONS = (
    click.option("--whole-file", is_flag=True, help="Treat each file as one string, including line endings."),
    click.option(
        "--newline",
        type=click.Choice(get_args(Newline)),
        default="keep",
        show_default=True,
        help="With --whole-file: convert line endings to CRLF or LF, or keep them.",
    ),
    click.option(
        "--max-file-bytes",
        type=click.IntRange(min=1),
        default=inputs.DEFAULT_MAX_FILE_BYTES,
        show_default=True,
        help="With --whole-file: report larger files without parsing them.",
    ),
)


def input_options(function: F) -> F:
    """``--null``, ``--skip-empty`` and ``--max-line-bytes``, as ``options``."""
    return _gathered(function, _STRING_OPTIONS)


def file_options(function: F) -> F:
    """The same, and ``--whole-file`` with what goes with it."""
    return _gathered(function, (*_STRING_OPTIONS, *_FILE_OPTIONS))


def _gathered(function: F, options: Sequence[Callable[[Any], Any]]) -> F:
    """A verb that has these options and is given one value for them all."""

    @wraps(function)
    def verb(*arguments: Any, **values: Any) -> Any:
        names = [each.name for each in fields(inputs.Options) if each.name in values]
        _refuse_contradictions(click.get_current_context(), values.get("whole_file", False))
        chosen = inputs.Options(**{name: values.pop(name) for name in names})
        return function(*arguments, options=chosen, **values)

    for option in reversed(options):
        option(verb)
    return cast(F, verb)


def _refuse_contradictions(ctx: click.Context, whole_file: bool) -> None:
    """Raises UsageError for an option that has no meaning beside, or without, ``--whole-file``."""
    if whole_file:
        if is_on_command_line(ctx, "null"):
            raise UsageError(message("option-excluded", option="--null", other="--whole-file"))
        if is_on_command_line(ctx, "max_line_bytes"):
            raise UsageError(message("line-limit-whole-file"))
        return
    for name in ("newline", "max_file_bytes"):
        if is_on_command_line(ctx, name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(message("option-requires", option=option, other="--whole-file"))


def is_on_command_line(ctx: click.Context, name: str) -> bool:
    """Return whether the user typed an option, rather than a project's options file."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def load(grammar: str) -> Grammar:
    """The grammar by name or path; errors end in the root group's messages."""
    import abnforge

    mistakes = click.get_current_context().meta.get(_MISTAKES)
    return abnforge.load(grammar, mistakes=mistakes, **loading())


def rule_of(grammar: Grammar, text: str | None) -> Rule:
    """The rule that ``--rule`` means: the grammar's own, one of it by name, or an expression of sets."""
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


def load_rule(grammar: str, rule: str | None, engine: str = "auto") -> tuple[Rule, Target]:
    """The rule to judge by, the grammar's default one unless named.

    It is tried on the empty string: a rule that cannot be matched is refused before any input is read. Where
    only the budget does not suffice, strings are read, and each is told to be not decided.
    """
    loaded = load(grammar)
    chosen = rule_of(loaded, rule)
    with suppress(LimitExceeded), usage_errors(f"--engine {engine}"):
        chosen.matches("", engine=engine)
    judging = chosen.grammar
    return chosen, Target(judging.name, chosen.name, lambda: judging.codes)


def open_inputs(paths: Iterable[str], options: inputs.Options) -> Inputs:
    """The named files, or standard input when none is named."""
    paths = list(paths) or ["-"]
    stdin = getattr(sys.stdin, "buffer", None)
    if options.whole_file and paths.count("-") > 1:
        raise UsageError(message("stdin-repeated"))
    found = Inputs(paths, options, stdin=stdin, warn=warn, fail=complain)
    if "-" in paths and is_terminal(sys.stdin):
        found.is_typed = True
        note(message("typing-string" if options.whole_file else "typing-strings"))
    return found


def open_strings(strings: tuple[str, ...], options: inputs.Options) -> Iterable[Record]:
    """Strings from the command line; without any, or for ``-`` alone, from standard input.

    Whole files are named there.
    """
    if options.whole_file:
        return open_inputs(strings, options)
    if not strings or strings == ("-",):
        return open_inputs([], options)
    with usage_errors():
        return list(inputs.arguments(strings))
