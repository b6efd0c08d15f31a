"""``compare --between``: a string and what changes for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.inputs import Item, Record, Unreadable
from abnforge.cli.common.masking import Mask, masked_edition_diff, masked_record

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.rfc_differences import EditionDiff


@dataclass(frozen=True, slots=True)
class Changed:
    """A string for which something changes from one RFC to the other."""

    record: Item
    found: EditionDiff

    def to_dict(self) -> dict[str, Any]:
        """``source`` and ``line``, then what the library says."""
        return {"source": self.record.source, "line": self.record.line, **self.found.to_dict()}


class Changes:
    """What changes for strings from one RFC to the other, counted on its way to a report.

    ``editions`` are the two RFCs, ``base`` is what strings are resolved against, if anything; ``mask`` hides
    passwords.
    """

    def __init__(self, editions: tuple[str, str], base: str | None, mask: Mask | None = None) -> None:
        self.editions = editions
        self.base = base
        self.mask = mask
        self.records = 0
        self.changed = 0
        self.unread = 0

    def among(self, records: Iterable[Record]) -> Iterator[Changed | Unreadable | None]:
        """For each record, in order: what changes, None where nothing does, or why it is no string."""
        from abnforge.uri.rfc_differences import compare_editions

        for record in records:
            self.records += 1
            text = "" if isinstance(record, Unreadable) else record.text
            if self.mask is not None:
                record = masked_record(record, self.mask)
            if isinstance(record, Unreadable):
                self.unread += 1
                yield record
                continue
            found = compare_editions(text, self.base, *self.editions)
            self.changed += bool(found)
            if found and self.mask is not None:
                found = masked_edition_diff(found, self.mask, self.base)
                record = replace(record, text=found.text)
            yield Changed(record, found) if found else None
