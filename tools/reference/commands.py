"""Pages about commands, generated from their definitions: one page for each command and its subcommands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import PurePosixPath
from posixpath import relpath

import click

from abnforge.cli.app import COMMANDS, cli
from abnforge.cli.common.groups import GrammarOption
from abnforge.cli.output.codes import code, plain

FOLDER = "docs/commands"
GUIDES = 4  # maximum number of links to pages that use a command
_INDEX = """\
# Commands

Each page has the synopsis, examples, options and exit statuses of a command: the text of `--help`.
[Command line](../cli.md) describes inputs, output formats, configuration files and exit statuses.
"""
# Parts of help texts that are code: quoted strings, and options with their values.
_LITERAL = re.compile(r"(?<!\w)'([^']+)'(?!\w)|(?<![\w`-])(--?[a-z][\w-]*(?: [a-z]+(?:\|[a-z]+)+)?)")
_NOTE = re.compile(r"\s*\[(?=default: |[x\d]+ ?[<>]|required)|; (?=[x\d]+ ?[<>])")
_RANGE = re.compile(r"(?:(\d+)<=)?x(?:>=(\d+)|<=(\d+))?")
_FENCED_OR_MENTION = re.compile(
    r"^(`{3,}|~{3,}).*?^\1$|^#.*?$|(?<![\[`])`abnforge ([a-z]+)(?: ([a-z]+))?`(?!`)", re.MULTILINE | re.DOTALL
)


def command_pages(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the pages of all commands and the index page, by path; ``texts`` are pages that use commands."""
    context = click.Context(cli, info_name="abnforge")
    index, pages = [_INDEX], {}
    for section, names in COMMANDS.items():
        index.append(f"\n## {section}\n\n| Command | Purpose |\n| --- | --- |\n")
        for name in names:
            command = cli.get_command(context, name)
            assert command is not None
            index.append(f"| [`abnforge {name}`]({name}.md) | {plain(command.get_short_help_str(100))} |\n")
            pages[f"{FOLDER}/{name}.md"] = "".join([*_sections(command, name, context), _guides(name, texts)])
    return {f"{FOLDER}/index.md": "".join(index), **pages}


def link_commands(page: str, text: str) -> str:
    """Return a page with links for the commands that its sentences mention, such as `abnforge uri scan`."""
    folder = relpath(FOLDER, PurePosixPath(page).parent.as_posix())

    def link(match: re.Match[str]) -> str:
        _, name, subcommand = match.groups()
        command = cli.get_command(click.Context(cli), name) if name else None
        if command is None or page == f"{FOLDER}/{name}.md":
            return match[0]
        if subcommand and subcommand not in getattr(command, "places", ()):
            return match[0]
        anchor = f"#abnforge-{name}-{subcommand}" if subcommand else ""
        return f"[{match[0]}]({folder}/{name}.md{anchor})"

    return _FENCED_OR_MENTION.sub(link, text)


def _sections(command: click.Command, name: str, parent: click.Context, level: str = "#") -> Iterator[str]:
    """Yield the sections of a command and of its subcommands."""
    context = click.Context(command, parent, info_name=name)
    synopsis = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"{level} {context.command_path}\n\n```text\n{synopsis}\n```\n\n"
    statuses: list[str] = []
    for paragraph in cleandoc(command.help or "").replace("\b\n", "").split("\n\n"):
        title, _, body = paragraph.partition("\n")
        if title.endswith(":") and body.startswith(" "):
            comments = re.sub(r" {3,}\(?(\S.*?)\)?$", r"   # \1", cleandoc(body), flags=re.MULTILINE)
            yield f"{level}# {title.removesuffix(':')}\n\n```sh\n{comments}\n```\n\n"
        elif paragraph.startswith("Exit status: "):
            statuses = re.split(r"[;,] (?=\d )", " ".join(paragraph.split()).removeprefix("Exit status: "))
        else:
            yield f"{_text(paragraph)}\n\n"
    yield from _options(command, context, level)
    if statuses:
        rows = (each.removesuffix(".").partition(" ") for each in statuses)
        table = "".join(f"| {status} | {_text(meaning)} |\n" for status, _, meaning in rows)
        yield f"{level}# Exit status\n\n| Status | Meaning |\n| --: | --- |\n{table}\n"
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            subcommand = command.get_command(context, each)
            assert subcommand is not None
            yield from _sections(subcommand, each, context, f"{level}#")


def _options(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    """Yield the options of a command, each with an anchor and an index entry."""
    groups: dict[str, list[tuple[str, str]]] = {"Options": [], "Grammar options": []}
    for option in command.params:
        record = option.get_help_record(context)
        if isinstance(option, click.Option) and record:
            groups["Grammar options" if isinstance(option, GrammarOption) else "Options"].append(record)
    for title, records in groups.items():
        if records:
            yield f"{level}# {title}\n\n```{{program}} {context.command_path}\n```\n\n"
        for names, text in records:
            effect, *notes = _NOTE.split(text)
            ending = "".join(f" {_note(each.rstrip(']'))}" for each in notes)
            yield f"```{{option}} {names.replace(' / ', ', ')}\n{_text(effect)}{ending}\n```\n\n"


def _note(text: str) -> str:
    """Return a sentence for a default or a range."""
    if match := _RANGE.fullmatch(text):
        low, high = match[1] or match[2], match[3]
        return f"From {low} to {high}." if low and high else f"At least {low}." if low else f"At most {high}."
    label, _, value = text.partition(": ")
    value = plain(value) if " " in value else code(value)
    return f"{label.capitalize()}: {value}."


def _text(text: str) -> str:
    """Return help text as Markdown: options and quoted strings are code."""
    pieces, end = [], 0
    text = " ".join(text.split())
    for match in _LITERAL.finditer(text):
        pieces += [plain(text[end : match.start()]), code(match[1] or match[2])]
        end = match.end()
    return "".join([*pieces, plain(text[end:])])


def _guides(name: str, texts: Mapping[str, str]) -> str:
    """Return links to the pages that use a command most often, at least twice."""
    counts = {page: len(re.findall(rf"\babnforge {name}\b", text)) for page, text in texts.items()}
    pages = [page for page in texts if page.startswith("docs/") and counts[page] > 1]
    pages.sort(key=lambda page: -counts[page])
    links = (
        f"[{texts[page].partition(chr(10))[0].lstrip('# ')}]({relpath(page, FOLDER)})"
        for page in pages[:GUIDES]
    )
    listed = ", ".join(links)
    return f"See also: {listed}.\n" if listed else ""
