"""``abnforge parse``: what a valid string is made of."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE
from abnforge.cli.common.inputs import Inputs, Options, Unreadable
from abnforge.cli.common.judge import Outcome, Target, judge
from abnforge.cli.common.options import (
    StringsCommand,
    engine_option,
    grammar_option,
    input_options,
    load_rule,
    mask_option,
    masking,
    open_strings,
    rule_option,
)
from abnforge.cli.common.output import Style, dumps, write
from abnforge.cli.reports import rejection as render
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.cli.reports.trees import Node
    from abnforge.engine.rule import Rule

# Grammars whose strings have component objects, and the module that makes them.
COMPONENT_MODULES = {"rfc3986": "abnforge.uri", "rfc2396": "abnforge.uri.rfc2396"}


@click.command(cls=StringsCommand, short_help="Take strings apart: components or parse tree.")
@click.argument("strings", nargs=-1, metavar="[STRING]...")
@grammar_option
@rule_option
@click.option(
    "-f",
    "--format",
    "result_format",
    type=click.Choice(("components", "tree", "json")),
    help="What to print; json has both, one object a line.  [default: components for URIs, else tree]",
)
@click.option("--full", is_flag=True, help="In a tree, a line of its own for every single character.")
@input_options
@mask_option
@engine_option
@click.pass_context
def parse(
    ctx: click.Context,
    strings: tuple[str, ...],
    grammar: str,
    rule: str | None,
    result_format: str | None,
    full: bool,
    null: bool,
    skip_empty: bool,
    max_line_bytes: int,
    mask: bool,
    engine: str,
) -> None:
    """Take each STRING apart: the components of a URI, or the parse tree by any grammar.

    Without a STRING, or for "-", strings are read from standard input, one a line. Put "--" before a
    string that starts with "-". A component that is not there is undefined, which is not the same as "".

    \b
    Examples:
      abnforge parse 'http://user@example.com:8080/a/b?c#d'
      abnforge parse --format tree 'http://[::1]/'
      abnforge parse --rule URI-reference '../up'
      abnforge parse --grammar rfc5234 --rule rule < one-rule.abnf
      abnforge parse --format json 'urn:isbn:0451450523' | jq .components.path

    Exit status: 0 all valid, 1 something rejected, 2 wrong usage or unreadable input.
    """
    chosen, target = load_rule(grammar, rule, engine)
    components = COMPONENT_MODULES.get(grammar)
    if result_format == "components" and components is None:
        known = " and ".join(COMPONENT_MODULES)
        raise click.UsageError(f"--format components is for {known}; try --format tree for {target.grammar}.")
    records = open_strings(strings, Options(null, skip_empty, max_line_bytes))
    view = View(chosen, target, result_format, full, engine, components)
    rejected = False
    for outcome in judge(records, chosen, target, engine=engine, mask=masking(mask)):
        rejected |= not outcome.valid
        view.show(outcome)
    if isinstance(records, Inputs) and records.failed:
        ctx.exit(EXIT_USAGE)
    if rejected:
        ctx.exit(EXIT_REJECTED)


class View:
    """Prints outcomes in one format; None is components where there are any, else a tree.

    ``components`` names the module that makes component objects for the grammar, None when there is none.
    """

    def __init__(
        self,
        rule: Rule,
        target: Target,
        result_format: str | None,
        full: bool,
        engine: str,
        components: str | None,
    ) -> None:
        self.rule = rule
        self.target = target
        self.format = result_format
        self.full = full
        self.engine = engine
        self.components = components
        self.style = Style.detect()
        self.separator = ""

    def show(self, outcome: Outcome) -> None:
        """One string's structure, or why it has none."""
        if self.format == "json":
            self._json(outcome)
            return
        write(self.separator)
        self.separator = "\n"
        if isinstance(outcome.record, Unreadable):
            write(render.unreadable(outcome.record, self.style) + "\n")
        elif outcome.rejection is not None:
            write(render.explanation(outcome.rejection, self.style) + "\n")
        else:
            self._text(outcome)

    def _text(self, outcome: Outcome) -> None:
        text = outcome.shown
        components = None if self.format == "tree" else self._components(text)
        if components is not None:
            for line in component_lines(components, self.style):
                write(line + "\n")
            return
        if self.format == "components":
            raise click.UsageError(f"{self.target.rule} has no components of its own; try --format tree.")
        from abnforge.cli.reports.trees import draw_tree

        for line in draw_tree(self._nodes(outcome), text, full=self.full, style=self.style):
            write(line + "\n")

    def _json(self, outcome: Outcome) -> None:
        if not outcome.valid:
            write(dumps(outcome.to_dict()) + "\n")
            return
        from abnforge.cli.reports.trees import tree_json

        text = outcome.shown
        plain = outcome.to_dict() | {"components": self._components(text)}
        write(dumps(plain)[:-1] + ', "tree": ')
        for piece in tree_json(self._nodes(outcome), text):
            write(piece)
        write("}\n")

    def _nodes(self, outcome: Outcome) -> list[Node]:
        from abnforge.cli.reports.trees import flatten

        names = self.rule.lark_names
        return flatten(self.rule.parse(outcome.judged, engine=self.engine), names.__getitem__)

    def _components(self, text: str) -> dict[str, Any] | None:
        """The component object as plain data; None for grammars and rules that have none.

        A masked URI is as valid as it was: both RFCs allow "*" wherever a password can stand.
        """
        if self.components is None:
            return None
        found = import_module(self.components).parse(text, rule=self.target.rule)
        return found.to_dict() if hasattr(found, "to_dict") else None


def component_lines(components: dict[str, Any], style: Style) -> list[str]:
    """One line a component: its name and its text in quotes, or that it is undefined."""
    rows = [
        (name.replace("_", " "), value) for name, value in components.items() if name not in ("rule", "text")
    ]
    columns = max(len(name) for name, _ in rows)
    head = f'{style.strong(escape(components["rule"]))}  "{escape(components["text"])}"'
    return [head, *(f"  {name.ljust(columns)}  {_value(name, value, style)}" for name, value in rows)]


def _value(name: str, value: Any, style: Style) -> str:
    if value is None:
        return style.faint("undefined")
    if isinstance(value, list):
        return "  ".join(_value(name, item, style) for item in value) or style.faint("none")
    if name.endswith("kind") or not isinstance(value, str):
        return escape(str(value))
    return f'"{escape(value)}"'
