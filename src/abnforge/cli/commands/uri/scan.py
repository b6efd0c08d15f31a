"""``abnforge uri scan``: the URIs in running text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import click

from abnforge.cli.common.errors import exit_status, exit_zero_option, usage_errors
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.inputs import Options, Record, StringRecord, Unreadable
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import max_bytes_option, open_inputs
from abnforge.cli.common.output import tell, warn
from abnforge.cli.common.progress import ProgressLine
from abnforge.cli.common.security import mask_option, masked_places, masking
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report


@command("scan", short_help="Find URIs in text files.")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())
@format_option("place", help="Output format.")
@option(
    "--scheme",
    "schemes",
    metavar="NAME",
    multiple=True,
    help="Accept this scheme without '//', in addition to mailto, tel, urn and others. Repeatable.",
)
@option(
    "--any-scheme",
    is_flag=True,
    help="Accept every scheme without '//', as in 'note:this'.",
    excludes="--scheme",
)
@max_bytes_option
@mask_option
@option("-q", "--quiet", is_flag=True, help="Suppress the summary on standard error.")
@exit_zero_option
@click.pass_context
def scan_files(
    ctx: click.Context,
    files: tuple[str, ...],
    report_format: str,
    schemes: tuple[str, ...],
    any_scheme: bool,
    max_bytes: int | None,
    mask: bool,
    quiet: bool,
) -> None:
    """Find URIs in text files, following RFC 3986, appendix C.

    URIs occur in angle brackets, in double quotes or in plain text. Between delimiters, they may span lines;
    "URL:" before them is dropped. In plain text, punctuation at the end of a URI is not part of it. Relative
    references are not found, as every word is one.

    \b
    Examples:
      abnforge uri scan README.md docs/*.md
      abnforge uri scan --format uris mail.txt | abnforge check --security
      abnforge uri scan --format jsonl < notes.txt | jq 'select(.joined)'

    Exit status: 0 success, 1 some lines are not UTF-8 or too long, 2 usage error or unreadable file.
    """
    from abnforge.uri.policies import policy
    from abnforge.uri.scan import PLAIN_SCHEMES, blocks, places

    with usage_errors():
        more = policy(schemes=schemes).schemes if schemes else ()

    records = open_inputs(files, Options(max_bytes=max_bytes))
    believed = None if any_scheme else PLAIN_SCHEMES.union(more or ())
    hide = masking(mask)
    report = make_report("place", report_format)
    progress = ProgressLine(typed=records.is_typed)
    total = records.bytes_total if progress.enabled else None
    passed: list[Unreadable] = []
    count = 0

    def unreadable(record: Unreadable) -> None:
        progress.clear()
        warn(message("line-skipped", source=record.source, line=record.line, problem=record.message))
        passed.append(record)

    report.begin()
    for block in blocks(_lines(records, unreadable)):
        found = places(block, believed)
        for place in found if hide is None else masked_places(block, found, hide):
            count += 1
            progress.make_room()
            report.add(place)
        progress.update(block.line, count, records.bytes_read, total, "URIs")
    progress.clear()
    report.finish()
    if not quiet:
        tell(totals.scanned(count))
    ctx.exit(exit_status(records, passed))


def _lines(records: Iterable[Record], unreadable: Callable[[Unreadable], None]) -> Iterator[StringRecord]:
    """Every line; one that is no text is blank, so that what is before it is scanned first."""
    for record in records:
        if isinstance(record, StringRecord):
            yield record
        else:
            yield StringRecord(record.source, record.line, "")
            unreadable(record)
