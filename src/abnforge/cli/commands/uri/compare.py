"""``abnforge uri compare``: whether two URIs are equivalent, and which step of the ladder shows it."""

from __future__ import annotations

from collections.abc import Iterable

import click

from abnforge.cli.common.errors import EXIT_REJECTED, UsageError, exit_status, exit_zero_option, usage_errors
from abnforge.cli.common.groups import LateChoice, command, option
from abnforge.cli.common.inputs import Inputs, Options, Record, Unreadable
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import StringsCommand, open_inputs, open_strings
from abnforge.cli.common.output import complain_as_shown, tell, telling
from abnforge.cli.common.progress import ProgressLine
from abnforge.cli.common.security import (
    Mask,
    always_masking,
    mask_option,
    masked_equivalence,
    masked_error,
    masking,
)
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report
from abnforge.cli.output.rejection import refusal, unreadable
from abnforge.text import escape


def _levels() -> Iterable[str]:
    """All levels but the one that needs a function."""
    from abnforge.uri import Step
    from abnforge.uri.rfc3986.equivalence import LEVELS

    return (level for level in LEVELS if level != Step.PROTOCOL)


def _editions() -> Iterable[str]:
    from abnforge.uri.rfc_differences import EDITIONS

    return EDITIONS


@command(cls=StringsCommand, short_help="Check whether two URIs are equivalent.")
@click.argument("strings", nargs=-1, metavar="A B | [STRING]...")
@option(
    "-l",
    "--level",
    type=LateChoice(_levels),
    default="scheme",
    show_default=True,
    help="Compare up to this step of the ladder.",
    excludes="--between",
)
@option("-b", "--base", metavar="URI", help="Resolve A and B against this URI first.")
@option(
    "--between",
    nargs=2,
    type=LateChoice(_editions),
    metavar="RFC RFC",
    help="Report how each string changes between two RFCs (rfc2396, rfc3986).",
)
@option(
    "--file",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(),
    help="Read strings from this file. Repeatable.",
    needs="--between",
    excludes="STRING",
)
@option("--no-fragment", is_flag=True, help="Ignore fragments.", excludes="--between")
@mask_option
@format_option("equivalence", "change", help="Output format.")
@exit_zero_option
@click.pass_context
def compare(
    ctx: click.Context,
    strings: tuple[str, ...],
    level: str,
    base: str | None,
    between: tuple[str, str] | None,
    files: tuple[str, ...],
    no_fragment: bool,
    mask: bool,
    report_format: str,
) -> None:
    """Compare the URIs A and B using the comparison ladder of RFC 3986, section 6.2.

    Report the step that makes them equal, or the remaining differences. Equivalent URIs identify the same
    resource; different ones may do so too. Text output masks passwords; JSON output requires
    --mask-passwords. Put "--" before a string that starts with "-".

    \b
    Examples:
      abnforge uri compare http://example.com HTTP://EXAMPLE.com:80/
      abnforge uri compare --level syntax 'http://a/%7Eb' 'http://a/~b'
      abnforge uri compare --base http://a/b/c ../d /d
      abnforge uri compare --format json 'http://a/?' http://a/
      abnforge uri compare --between rfc2396 rfc3986 --base http://a/b/c '?y' 'http://[::1]/'
      abnforge uri compare --between rfc2396 rfc3986 --file links.txt

    Exit status: 0 equivalent, 1 different (with --between: any change), 2 usage error or not a URI reference.
    """
    if between:
        records = open_inputs(files, Options()) if files else open_strings(strings, Options())
        ctx.exit(_changes(records, between, base, report_format, masking(mask)))
    if len(strings) != 2:
        raise UsageError(message("uris-required"))
    left, right = strings

    from abnforge import uri

    always = always_masking()
    for text in (left, right, *([] if base is None else [base])):
        try:
            uri.parse(text)
        except ValueError as error:
            told = masked_error(error, always)
            complain_as_shown(refusal(always(text), told, telling()))
            raise UsageError(message("references-required")) from None
    with usage_errors():
        found = uri.equivalent(left, right, level, base=base, fragment=not no_fragment)
    hide = masking(mask or report_format == "text")
    make_report("equivalence", report_format).feed(
        [found if hide is None else masked_equivalence(found, hide)]
    )
    if not found:
        ctx.exit(EXIT_REJECTED)


def _changes(
    records: Iterable[Record],
    editions: tuple[str, str],
    base: str | None,
    report_format: str,
    hide: Mask | None,
) -> int:
    """Report every string that validity, components or target change for; returns the exit status."""
    from abnforge.cli.common.uris import Changes

    report = make_report("change", report_format)
    progress = ProgressLine(typed=isinstance(records, Inputs) and records.is_typed)
    total = records.bytes_total if progress.enabled and isinstance(records, Inputs) else None
    changes = Changes(editions, base, hide)
    report.begin()
    for found in changes.among(records):
        progress.make_room()
        if isinstance(found, Unreadable):
            progress.clear()
            tell(f"{escape(found.source)}:{found.line}: {unreadable(found, telling())}")
        elif found is not None:
            report.add(found)
        if isinstance(records, Inputs):
            progress.update(changes.records, changes.changed, records.bytes_read, total, "changed")
    progress.clear()
    report.finish()
    tell(totals.compared(changes.records, changes.changed, editions))
    return exit_status(records, changes.changed or changes.unread)
