"""Drawing URIs without their passwords, and what changes for them between two RFCs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abnforge.cli.common.output import Style, without_passwords
from abnforge.cli.reports.rejection import specification
from abnforge.text import draw, escape

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.rfc_differences import EditionDiff

SHOWN_COLUMNS = 2000  # so much of a text that it can be copied; a line may have a megabyte


def masked(value: object) -> str:
    """A URI with every password replaced by ``***``, safe for a terminal."""
    return shown(without_passwords(str(value)))


def shown(text: str) -> str:
    """A text, safe for a terminal; of a long one its beginning."""
    return draw(text, 0, columns=SHOWN_COLUMNS)[0]


def change_lines(found: EditionDiff, style: Style) -> list[str]:
    """One line a change: what it was and what it is now; below it, why there is nothing."""
    lines = []
    reasons = list(zip((found.old, found.new), found.rejections, found.errors, strict=True))
    for aspect, old, new in (change.masked() for change in found.changes):
        was, now = ("undefined" if text is None else shown(text) or "(empty)" for text in (old, new))
        lines.append(f"  {style.faint(aspect.ljust(9))}  {was}  ->  {now}")
        if not found.quotable:
            continue
        for name, rejection, error in reasons:
            if aspect == "valid" and rejection is not None:
                lines.append(f"             {specification(name)}: {escape(rejection.message)}")
            if aspect == "target" and rejection is None and error is not None:
                lines.append(f"             {specification(name)}: {escape(error)}")
    return lines
