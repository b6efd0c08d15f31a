"""``abnforge scan``: the URIs in running text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE, complain
from abnforge.cli.common.inputs import DEFAULT_MAX_LINE_BYTES, Item, Options, Unreadable
from abnforge.cli.common.options import mask_option, masking, open_inputs
from abnforge.cli.common.output import Style, dumps, write
from abnforge.cli.common.progress import Progress
from abnforge.text import Source, escape

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.scan import Found

# Lines of text are scanned together up to the next blank one, which no URI reaches across, so that memory
# does not grow with the file. A text without blank lines is cut at a line's end behind this many characters.
MAX_BLOCK_CHARS = 1 << 20


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a source that are scanned together; ``line`` is the number of the first one."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A URI and where it stands; lines and columns count from 1, an end is behind the last column."""

    source: str
    found: Found
    pieces: tuple[tuple[int, int, int], ...]  # line, column, end column: a piece has no line end in it
    hyphens: tuple[tuple[int, int], ...]

    def to_dict(self, mask: Callable[[str], str]) -> dict[str, Any]:
        """As plain data; the keys are stable."""
        found = self.found
        return {
            "source": self.source,
            "line": self.pieces[0][0],
            "column": self.pieces[0][1],
            "uri": mask(found.uri),
            "wrapper": found.wrapper.value,
            "prefix": found.prefix,
            "joined": found.joined,
            "cut": found.cut,
            "pieces": [{"line": n, "column": c, "end_column": end} for n, c, end in self.pieces],
            "hyphens": [{"line": n, "column": c} for n, c in self.hyphens],
            "without_hyphens": None if found.without_hyphens is None else mask(found.without_hyphens),
        }

    def describe(self, mask: Callable[[str], str], style: Style) -> str:
        """One line: the place, the URI, and what there is to know about it."""
        notes = []
        if self.found.joined:
            notes.append(f"joined from {len(self.pieces)} pieces")
        if self.found.without_hyphens is not None:
            notes.append(f"or {escape(mask(self.found.without_hyphens))}, if a hyphen only ends its line")
        if self.found.cut:
            notes.append("the text goes on with a character that no URI has there")
        note = style.faint(f"  ({'; '.join(notes)})") if notes else ""
        place = f"{escape(self.source)}:{self.pieces[0][0]}:{self.pieces[0][1]}:"
        return f"{style.strong(place)} {escape(mask(self.found.uri))}{note}"


def blocks(records: Iterable[Item | Unreadable], unreadable: Callable[[Unreadable], None]) -> Iterator[Block]:
    """Lines put together up to the next blank one; a line that is no text ends a block too."""
    held: list[str] = []
    source, first, size = "", 0, 0
    for record in records:
        text = record.text if isinstance(record, Item) else ""
        if held and (record.source != source or not text.strip() or size > MAX_BLOCK_CHARS):
            yield Block(source, first, "\n".join(held))
            held, size = [], 0
        if isinstance(record, Unreadable):
            unreadable(record)
        elif text.strip():
            if not held:
                source, first = record.source, record.line
            held.append(text)
            size += len(text)
    if held:
        yield Block(source, first, "\n".join(held))


def places(block: Block, schemes: Iterable[str] | None) -> Iterator[Place]:
    """Every URI of a block with its lines and columns."""
    lines = Source(block.text)

    def at(offset: int) -> tuple[int, int]:
        line, column = lines.position(offset)
        return block.line + line - 1, column

    from abnforge.uri.scan import scan

    for found in scan(block.text, None if schemes is None else frozenset(schemes)):
        pieces = tuple((*at(piece.start), at(piece.end)[1]) for piece in found.pieces)
        yield Place(block.source, found, pieces, tuple(map(at, found.hyphens)))


@click.command("scan", short_help="Find the URIs in running text.")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())
@click.option(
    "-f",
    "--format",
    "report_format",
    type=click.Choice(("text", "uris", "jsonl")),
    default="text",
    show_default=True,
    help="Places and URIs for people, the URIs alone, or one JSON object a URI.",
)
@click.option(
    "--scheme",
    "schemes",
    metavar="NAME",
    multiple=True,
    help="Believe this scheme without '//' too; mailto, tel, urn and some more are believed as it is.",
)
@click.option("--any-scheme", is_flag=True, help="Believe every scheme: 'note:this' is a URI by the grammar.")
@click.option(
    "--max-line-bytes",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_LINE_BYTES,
    show_default=True,
    help="Longer lines are reported, not read.",
)
@mask_option
@click.option("-q", "--quiet", is_flag=True, help="No summary on standard error.")
@click.pass_context
def scan_files(
    ctx: click.Context,
    files: tuple[str, ...],
    report_format: str,
    schemes: tuple[str, ...],
    any_scheme: bool,
    max_line_bytes: int,
    mask: bool,
    quiet: bool,
) -> None:
    """Find the URIs of RFC 3986 in text files, by its appendix C.

    URIs stand in angle brackets, in double quotes or in plain text. Between delimiters they may be
    broken over lines; "URL:" before them is left out. Punctuation at the end of one in plain text is the
    sentence's. Relative references are not looked for: every word is one.

    \b
    Examples:
      abnforge scan README.md docs/*.md
      abnforge scan --format uris mail.txt | abnforge check --security
      abnforge scan --format jsonl < notes.txt | jq 'select(.joined)'

    Exit status: 0 all read, 1 some lines are no UTF-8 or too long, 2 wrong usage or an unreadable file.
    """
    from abnforge.uri.scan import PLAIN_SCHEMES

    records = open_inputs(files, Options(max_line_bytes=max_line_bytes))
    believed = None if any_scheme else PLAIN_SCHEMES | {name.lower() for name in schemes}
    hide = masking(mask) or str
    style = Style.detect()
    progress = Progress()
    total = records.bytes_total if progress.enabled else None
    skipped: list[Unreadable] = []
    count = 0

    def unreadable(record: Unreadable) -> None:
        progress.clear()
        complain(f"{record.source}:{record.line}: {record.message}; the line is not scanned")
        skipped.append(record)

    for block in blocks(records, unreadable):
        for place in places(block, believed):
            count += 1
            progress.make_room()
            if report_format == "jsonl":
                write(dumps(place.to_dict(hide)) + "\n")
            elif report_format == "uris":
                write(hide(place.found.uri) + "\n")
            else:
                write(place.describe(hide, style) + "\n")
        progress.update(block.line, count, records.bytes_read, total, "URIs")
    progress.clear()
    if not quiet:
        click.echo(f"{count:,} URI{'' if count == 1 else 's'} found", err=True)
    if records.failed:
        ctx.exit(EXIT_USAGE)
    if skipped:
        ctx.exit(EXIT_REJECTED)
