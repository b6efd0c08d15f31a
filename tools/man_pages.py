"""Write a manual page for each verb of the command, from its help.

    python tools/man_pages.py DIR         abnforge.1, abnforge-check.1, abnforge-grammar-lint.1, ... into DIR

For those who package abnforge. The pages' date is that of SOURCE_DATE_EPOCH (seconds), where it is set, so
that the same sources make the same pages; and today's otherwise.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from inspect import cleandoc
from pathlib import Path

import click

from abnforge import __version__
from abnforge.cli.app import cli
from abnforge.cli.common.groups import CONTEXT

_PROGRAM = "abnforge"
_SECTION = "1"
_ESCAPES = {
    "\\": "\\e",
    "-": "\\-",
    "'": "\\(aq",
    "`": "\\(ga",
    "^": "\\(ha",
    "~": "\\(ti",
    '"': "\\(dq",
}
_HEADS = {"Examples:": "EXAMPLES", "Exit status:": "EXIT STATUS"}


def pages(date: str) -> dict[str, str]:
    """The pages by the names of their files. ``date`` is ``YYYY-MM-DD``."""
    return {f"{'-'.join(ctx.command_path.split())}.{_SECTION}": page(ctx, date) for ctx in _contexts(cli)}


def page(ctx: click.Context, date: str) -> str:
    """The page of one verb or group."""
    command = ctx.command
    name = "-".join(ctx.command_path.split())
    found = [
        f'.TH {escaped(name.upper())} {_SECTION} {date} "{_PROGRAM} {__version__}" "{_PROGRAM} manual"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(_short(command))}",
        ".SH SYNOPSIS",
        f".B {escaped(ctx.command_path)}",
        escaped(" ".join(command.collect_usage_pieces(ctx))),
    ]
    sections = _sections(command.help or "")
    found += [".SH DESCRIPTION", *sections.pop("DESCRIPTION")]
    if isinstance(command, click.Group):
        found.append(".SH VERBS")
        for each in _contexts(command, ctx.parent, ctx.info_name, 1):
            if each.command is not command:
                page_name = "-".join(each.command_path.split())
                found += [".TP", f".BR {escaped(page_name)} ({_SECTION})", escaped(_short(each.command))]
    found.append(".SH OPTIONS")
    for option in command.get_params(ctx):
        record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
        if record is not None:
            found += [".TP", f".B {escaped(record[0])}", escaped(" ".join(record[1].split()))]
    if command.epilog:
        found += [".SH NOTES", *_sections(command.epilog)["DESCRIPTION"]]
    for head, lines in sections.items():
        found += [f".SH {head}", *lines]
    found += [".SH SEE ALSO", *_see_also(ctx)]
    return "\n".join(found) + "\n"


def escaped(text: str) -> str:
    """A text as roff shows it to the letter: signs that it reads otherwise, or shows otherwise, are written
    out, and a line cannot begin with what would be a request.
    """
    shown = "".join(
        _ESCAPES.get(char, char if " " <= char <= "~" else f"\\[u{ord(char):04X}]") for char in text
    )
    return f"\\&{shown}" if shown.startswith(".") else shown


def _sections(help: str) -> dict[str, list[str]]:
    """The lines of a help text by the section that they go to. A paragraph that begins with ``\\b`` keeps its
    own.
    """
    found: dict[str, list[str]] = {"DESCRIPTION": []}
    for paragraph in re.split(r"\n[ ]*\n", cleandoc(help)):
        lines = paragraph.split("\n")
        kept = lines[0].strip() == "\b"
        lines = lines[kept:]
        section = "DESCRIPTION"
        for head, name in _HEADS.items():
            if lines and lines[0].startswith(head):
                section = name
                rest = lines[0].removeprefix(head).strip()
                lines = [rest, *lines[1:]] if rest else lines[1:]
        body = found.setdefault(section, [])
        if body:
            body.append(".PP")
        if kept:
            body += [".nf", *(escaped(line) or "\\&" for line in lines), ".fi"]
        else:
            body += [escaped(line.strip()) for line in lines]
    return found


def _short(command: click.Command) -> str:
    text = command.short_help or cleandoc(command.help or "").split("\n\n")[0]
    return " ".join(text.split()).rstrip(".")


def _contexts(
    command: click.Command, parent: click.Context | None = None, name: str | None = _PROGRAM, depth: int = 9
) -> Iterator[click.Context]:
    """The context of a command, and those of all verbs below it."""
    ctx = click.Context(command, info_name=name, parent=parent, **CONTEXT)  # type: ignore[arg-type]
    yield ctx
    if isinstance(command, click.Group) and depth:
        for verb in command.list_commands(ctx):
            found = command.get_command(ctx, verb)
            assert found is not None
            yield from _contexts(found, ctx, verb, depth - 1)


def _see_also(ctx: click.Context) -> Iterator[str]:
    """The page above, and those beside it."""
    above = ctx.parent
    if above is None:
        yield "The documentation is in docs/ of the sources."
        return
    names = [above.command_path]
    assert isinstance(above.command, click.Group)
    names += [f"{above.command_path} {verb}" for verb in above.command.list_commands(above)]
    others = [each for each in names if each != ctx.command_path]
    for each in others:
        comma = "," if each is not others[-1] else ""
        yield f".BR {escaped('-'.join(each.split()))} ({_SECTION}){comma}"


def main(arguments: list[str]) -> int:
    """Write the pages into the folder that is named; the status is 2 where none is."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(int(seconds), UTC)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    made = pages(moment.date().isoformat())
    for name, text in made.items():
        (folder / name).write_text(text, "ascii", newline="\n")
    print(f"{len(made)} pages in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
