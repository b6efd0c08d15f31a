"""``abnforge compare --between``: what changes for strings from one RFC to the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from abnforge.cli.app import EXIT_REJECTED, EXIT_USAGE
from abnforge.cli.common.inputs import Inputs, Options, Unreadable
from abnforge.cli.common.options import open_inputs, open_strings
from abnforge.cli.common.output import Style, dumps, write
from abnforge.cli.common.progress import Progress
from abnforge.cli.reports.rejection import specification, unreadable
from abnforge.text import draw, escape

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.editions import Between

EDITIONS = ("rfc2396", "rfc3986")
SHOWN_COLUMNS = 2000  # so much of a component that it can be copied; a line may have a megabyte

between_option = click.option(
    "--between",
    nargs=2,
    type=click.Choice(EDITIONS),
    metavar="RFC RFC",
    help="Tell instead what changes from one to the other (rfc2396, rfc3986) for each string.",
)


def compare_between(
    editions: tuple[str, str],
    strings: tuple[str, ...],
    files: tuple[str, ...],
    base: str | None,
    result_format: str,
) -> int:
    """Report every string that validity, components or target change for; returns the exit status.

    Strings are those given, or the lines of the files, or of standard input without either. In JSON, one
    object a string with changes, with passwords as they are; text does not show them.
    """
    from abnforge.uri.editions import between

    if strings and files:
        raise click.UsageError("Give strings or --file, not both.")
    records = open_inputs(files, Options()) if files else open_strings(strings, Options())
    style, progress = Style.detect(), Progress()
    total = records.bytes_total if progress.enabled and isinstance(records, Inputs) else None
    count = changed = unread = 0
    for record in records:
        count += 1
        progress.make_room()
        if isinstance(record, Unreadable):
            unread += 1
            progress.clear()
            click.echo(f"{escape(record.source)}:{record.line}: {unreadable(record)}", err=True)
            continue
        found = between(record.text, base, *editions)
        changed += bool(found)
        if found and result_format == "json":
            write(dumps({"source": record.source, "line": record.line, **found.to_dict()}) + "\n")
        elif found:
            place = f"{escape(record.source)}:{record.line}:"
            write(f"{style.strong(place)} {_shown(record.text)}\n{describe(found, style)}\n")
        if isinstance(records, Inputs):
            progress.update(count, changed, records.bytes_read, total, "changed")
    progress.clear()
    what = f"{count:,} string{'' if count == 1 else 's'}, {changed:,} changed"
    click.echo(f"{what} between {specification(editions[0])} and {specification(editions[1])}", err=True)
    if isinstance(records, Inputs) and records.failed:
        return EXIT_USAGE
    return EXIT_REJECTED if changed or unread else 0


def describe(found: Between, style: Style) -> str:
    """One line a change: what it was and what it is now; below it, why there is nothing."""
    lines = []
    reasons = list(zip((found.old, found.new), found.rejections, found.errors, strict=True))
    for aspect, old, new in found.changes:
        hide = _MASKS.get(aspect, _masked)
        was, now = ("undefined" if value is None else _shown(value, hide) for value in (old, new))
        lines.append(f"  {style.faint(aspect.ljust(9))}  {was}  ->  {now}")
        if _masked(found.text) != found.text:
            continue  # a reason quotes characters of the text, maybe of its password
        for name, rejection, error in reasons:
            if aspect == "valid" and rejection is not None:
                lines.append(f"             {specification(name)}: {escape(rejection.message)}")
            if aspect == "target" and rejection is None and error is not None:
                lines.append(f"             {specification(name)}: {escape(error)}")
    return "\n".join(lines)


def _masked(text: str) -> str:
    from abnforge.uri.common.password import mask_userinfo

    return mask_userinfo(text, "***", keep_length=False)


# A password is recognised by what stands around it in a URI.
_MASKS: dict[str, Callable[[str], str]] = {
    "authority": lambda text: _masked(f"//{text}")[2:],
    "userinfo": lambda text: _masked(f"//{text}@")[2:-1],
}


def _shown(text: str, hide: Callable[[str], str] = _masked) -> str:
    return draw(hide(text), 0, columns=SHOWN_COLUMNS)[0] or "(empty)"
