"""``abnforge new``: create a starter grammar."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.completions import complete_grammar_rule
from abnforge.cli.common.errors import UsageError, usage_errors
from abnforge.cli.common.groups import LazyChoice, command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import OutputPath, note, write, write_file
from abnforge.outputs import STDOUT, write_output
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.teaching.templates import NewGrammar


@command(short_help="Create a starter grammar.")
@click.argument("name")
@option(
    "--like",
    type=LazyChoice("abnforge.teaching.templates:TEMPLATES"),
    metavar="TEMPLATE",
    help="Start from this template: key-value, date, list or uri.  [default: key-value]",
    excludes="--from",
)
@option(
    "--from",
    "origin",
    metavar="GRAMMAR[:RULE]",
    shell_complete=complete_grammar_rule,
    help="Start from a rule of this grammar, with its shortest strings as examples.",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputPath(),
    help="Write to this file; - for standard output.  [default: NAME.abnf]",
)
@option("--force", is_flag=True, help="Overwrite an existing file.")
def new(name: str, like: str | None, origin: str | None, output: Path | None, force: bool) -> None:
    """Create NAME.abnf: a small grammar with explanatory comments, and with examples that are tests.

    Change the grammar as you like. The first rule is NAME; hyphens replace characters that are not allowed
    in rule names. An existing file stays unchanged.

    \b
    Examples:
      abnforge new settings
      abnforge new dates --like date
      abnforge new links --from rfc3986:URI
      abnforge new colors --like list --output -

    Exit status: 0 success, 2 usage error, or a file that exists or cannot be written.
    """
    stem = name[:-5] if name.lower().endswith(".abnf") else name
    path = output or Path(f"{stem}.abnf")
    grammar = _made(Path(stem).name, like, origin, path.parent)
    if str(path) == STDOUT:
        write_file(grammar.text)
        return
    if os.path.lexists(path) and not force:
        raise UsageError(message("file-exists", path=str(path)))
    write_output(path, grammar.text.encode())
    if grammar.rule != path.stem:
        note(message("first-rule", rule=grammar.rule))
    file_name = escape(shlex.quote(str(path)))
    write(
        f"wrote {escape(str(path))}; next:\n"
        f"  abnforge test {file_name}\n"
        f"  abnforge lint {file_name}\n"
        f"  abnforge explain --grammar {file_name} 'some text'\n"
    )


def _made(name: str, like: str | None, origin: str | None, folder: Path) -> NewGrammar:
    """Return the grammar for a file in ``folder``; imports are relative to it."""
    from abnforge.engine.loading import locate
    from abnforge.grammar.shipped import bundled_names
    from abnforge.teaching.templates import grammar_from, new_grammar, rule_name

    with usage_errors():
        rule = rule_name(name)
        if origin is None:
            return new_grammar(rule, like or "key-value")
        grammar, rule_text = locate(origin)
    chosen = grammar.start if rule_text is None else grammar[rule_text]
    source = origin if rule_text is None else origin[: -len(rule_text) - 1]
    if source not in bundled_names() and Path(source).is_file():
        source = Path(os.path.relpath(source, folder)).as_posix()
    return grammar_from(rule, chosen, source)
