"""``abnforge uri``: resolve, normalize, compare and find URIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import click

from abnforge.cli.common.completions import DEFAULT_GRAMMAR
from abnforge.cli.common.errors import EXIT_REJECTED, UsageError, exit_status, exit_zero_option, usage_errors
from abnforge.cli.common.groups import CONTEXT, LazyChoice, LazyGroup, command, option
from abnforge.cli.common.inputs import Inputs, Options, Record, StringRecord, Unreadable
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import (
    StringsCommand,
    files_argument,
    input_options,
    max_bytes_option,
    open_inputs,
    open_strings,
    quiet_option,
)
from abnforge.cli.common.output import ProgressLine, print_stderr, stderr_style, warn
from abnforge.cli.common.security import (
    Mask,
    always_masking,
    mask_option,
    masked_equivalence,
    masked_error,
    masked_places,
    masking,
)
from abnforge.cli.common.validation import Tally
from abnforge.cli.output import totals
from abnforge.cli.output.formats import format_option, make_report
from abnforge.cli.output.rejection import unreadable
from abnforge.text import escape


@click.group(
    cls=LazyGroup,
    short_help="Resolve, normalize, compare and find URIs.",
    context_settings=CONTEXT,
    sections={
        "Commands": {
            "resolve": "abnforge.cli.commands.uri:resolve",
            "normalize": "abnforge.cli.commands.uri:normalize",
            "compare": "abnforge.cli.commands.uri:compare",
            "scan": "abnforge.cli.commands.uri:scan_files",
        }
    },
)
def uri() -> None:
    """Resolve, normalize, compare and find URIs, by RFC 3986 or RFC 2396.

    \b
    Examples:
      abnforge uri resolve http://a/b/c/d ../g
      abnforge uri normalize eXAMPLE://a/./b/../b/%63
      abnforge uri compare http://a/%7e HTTP://a/~
      abnforge uri scan README.md
    """


@command(cls=StringsCommand, short_help="Resolve references against a base URI.")
@click.argument("base")
@click.argument("references", nargs=-1, metavar="[REF]...")
@option(
    "-g",
    "--grammar",
    type=LazyChoice("abnforge.uri.rfc_differences:NEWEST_FIRST"),
    default=DEFAULT_GRAMMAR,
    show_default=True,
    help="Use the algorithm of this specification; results differ.",
)
@option("--non-strict", is_flag=True, help="Ignore the scheme of a reference if it equals that of BASE.")
@option(
    "--on-ambiguous",
    type=LazyChoice("abnforge.uri.common.components:OnAmbiguous"),
    default="guard",
    show_default=True,
    help='Handle a path that parses as an authority: write "/." before it, keep it, or reject it.',
)
@format_option("result")
@input_options
@mask_option
@exit_zero_option
@click.pass_context
def resolve(
    ctx: click.Context,
    base: str,
    references: tuple[str, ...],
    grammar: str,
    non_strict: bool,
    on_ambiguous: Any,
    report_format: str,
    options: Options,
    mask: bool,
) -> None:
    """Resolve each REF against BASE and print the target URIs.

    BASE is an absolute URI; its fragment is ignored. Without REF, or if REF is "-", read one reference per
    line from standard input. Put "--" before a string that starts with "-". Standard error explains
    references that cannot be resolved.

    \b
    Examples:
      abnforge uri resolve 'http://a/b/c/d;p?q' '../g' '?y' '#s'
      abnforge uri resolve http://example.com/docs/ < links.txt
      abnforge uri resolve --grammar rfc2396 'http://a/b/c/d' '../../../g'
      abnforge uri resolve --on-ambiguous error a:/b ..//c

    Exit status: 0 all resolved, 1 any rejected, 2 invalid BASE, usage error or unreadable input.
    """
    from abnforge.uri.rfc_differences import EDITIONS

    edition = EDITIONS[grammar]
    hide = masking(mask)
    try:
        start = edition.parse(base)
        edition.resolve(start, "")
    except ValueError as error:
        if hide is not None:
            error = masked_error(error, hide)
        raise _invalid("BASE", "an absolute URI", error) from None
    records = open_strings(references, options)
    function = partial(edition.resolve, start, strict=not non_strict, on_ambiguous=on_ambiguous)
    rejected = _transformed(records, report_format, function, "target", edition.parse, hide)
    ctx.exit(exit_status(records, rejected))


def _transformed(records: Iterable[Record], report_format: str, *arguments: Any) -> int:
    """Report the results of ``transform`` for records; return the number of rejected ones."""
    from abnforge.cli.common.uris import transform

    tally = Tally()
    make_report("result", report_format).feed(tally.count(transform(records, *arguments)))
    return tally.rejected


@command(cls=StringsCommand, short_help="Normalize URIs.")
@click.argument("strings", nargs=-1, metavar="[URI]...")
@option(
    "-s",
    "--step",
    "steps",
    type=LazyChoice("abnforge.uri:Step", without="protocol"),
    multiple=True,
    help="Apply only this step. Repeatable.  [default: case, percent-encoding, dot-segments, empty-port]",
)
@option(
    "--scheme-based/--no-scheme-based",
    "by_scheme",
    default=False,
    help="Also apply scheme rules: default ports, empty paths.  [default: no]",
)
@format_option("result")
@input_options
@mask_option
@exit_zero_option
@click.pass_context
def normalize(
    ctx: click.Context,
    strings: tuple[str, ...],
    steps: tuple[str, ...],
    by_scheme: bool,
    report_format: str,
    options: Options,
    mask: bool,
) -> None:
    """Normalize each URI (RFC 3986, section 6.2.2; with --scheme-based also 6.2.3).

    Changes are only those that the specification allows. Without URI, or if URI is "-", read one string per
    line from standard input. A relative reference keeps its dot-segments; resolve it first. Standard error
    explains strings that are not URI references.

    \b
    Examples:
      abnforge uri normalize 'eXAMPLE://a/./b/../b/%63/%7bfoo%7d'
      abnforge uri normalize --scheme-based http://example.com:80
      abnforge uri normalize --step case --step ipv6 'HTTP://[0:0::1]/%3a'
      abnforge uri normalize < links.txt | sort -u

    Exit status: 0 all normalized, 1 any rejected, 2 usage error or unreadable input.
    """
    from abnforge import uri

    records = open_strings(strings, options)
    function = partial(uri.normalize, steps=steps or uri.SYNTAX_BASED, scheme=by_scheme)
    rejected = _transformed(records, report_format, function, "normal", uri.parse, masking(mask))
    ctx.exit(exit_status(records, rejected))


@command(cls=StringsCommand, short_help="Check whether two URIs are equivalent.")
@click.argument("strings", nargs=-1, metavar="A B | [STRING]...")
@option(
    "-l",
    "--level",
    type=LazyChoice("abnforge.uri.rfc3986.equivalence:LEVELS", without="protocol"),
    metavar="STEP",
    default="scheme",
    show_default=True,
    help="Compare up to string, case, percent-encoding, dot-segments, empty-port, syntax or scheme.",
    excludes="--between",
)
@option("-b", "--base", metavar="URI", help="Resolve A and B against this URI first.")
@option(
    "--between",
    nargs=2,
    type=LazyChoice("abnforge.uri.rfc_differences:EDITIONS"),
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
@format_option("equivalence", "change")
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
      abnforge uri compare --between rfc2396 rfc3986 --base http://a/b/c '?y'
      abnforge uri compare --between rfc2396 rfc3986 --file links.txt

    Exit status: 0 equivalent, 1 different (with --between: any change), 2 usage error or not a URI reference.
    """
    if between:
        if between[0] == between[1]:
            raise UsageError(message("editions-equal", rfc=between[0]))
        records = open_inputs(files, Options()) if files else open_strings(strings, Options())
        ctx.exit(_changes(records, between, base, report_format, masking(mask)))
    if len(strings) != 2:
        raise UsageError(message("uris-required"))
    left, right = strings

    from abnforge import uri

    for name, text in (("A", left), ("B", right), *([] if base is None else [("--base", base)])):
        try:
            uri.parse(text)
        except ValueError as error:
            raise _invalid(name, "a URI reference", masked_error(error, always_masking())) from None
    with usage_errors():
        equivalence = uri.equivalent(left, right, level, base=base, fragment=not no_fragment)
    hide = masking(mask or report_format == "text")
    make_report("equivalence", report_format).feed(
        [equivalence if hide is None else masked_equivalence(equivalence, hide)]
    )
    if not equivalence:
        ctx.exit(EXIT_REJECTED)


def _invalid(name: str, expected: str, error: ValueError) -> UsageError:
    return UsageError(message("uri-invalid", name=name, expected=expected, problem=str(error)))


def _changes(
    records: Iterable[Record],
    editions: tuple[str, str],
    base: str | None,
    report_format: str,
    hide: Mask | None,
) -> int:
    """Report every string whose validity, components or target changes. Return the exit status."""
    from abnforge.cli.common.uris import Changes

    report = make_report("change", report_format)
    progress = ProgressLine(typed=isinstance(records, Inputs) and records.is_typed)
    total = records.bytes_total if progress.enabled and isinstance(records, Inputs) else None
    changes = Changes(editions, base, hide)
    report.begin()
    for change in changes.among(records):
        progress.make_room()
        if isinstance(change, Unreadable):
            progress.clear()
            print_stderr(f"{escape(change.source)}:{change.line}: {unreadable(change, stderr_style())}")
        elif change is not None:
            report.add(change)
        if isinstance(records, Inputs):
            progress.update(changes.records, changes.changed, records.bytes_read, total, "changed")
    progress.clear()
    report.finish()
    print_stderr(totals.compared(changes.records, changes.changed, editions))
    return exit_status(records, changes.changed or changes.unread)


@command("scan", short_help="Find URIs in text files.")
@files_argument
@format_option("place")
@option(
    "--add-scheme",
    "schemes",
    metavar="NAME",
    multiple=True,
    help="Accept this scheme without '//', in addition to mailto, tel, urn and others. Repeatable.",
)
@option(
    "--any-scheme",
    is_flag=True,
    help="Accept every scheme without '//', as in 'note:this'.",
    excludes="--add-scheme",
)
@max_bytes_option
@mask_option
@quiet_option
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
    from abnforge.policies import policy
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
        located = places(block, believed)
        for place in located if hide is None else masked_places(block, located, hide):
            count += 1
            progress.make_room()
            report.add(place)
        progress.update(block.line, count, records.bytes_read, total, "URIs")
    progress.clear()
    report.finish()
    if not quiet:
        print_stderr(totals.scanned(count))
    ctx.exit(exit_status(records, passed))


def _lines(records: Iterable[Record], unreadable: Callable[[Unreadable], None]) -> Iterator[StringRecord]:
    """Yield every line; an unreadable line becomes an empty one, so that earlier lines are scanned first."""
    for record in records:
        if isinstance(record, StringRecord):
            yield record
        else:
            yield StringRecord(record.source, record.line, "")
            unreadable(record)
