"""Results of the commands on URIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from abnforge.catalog import ArgumentError
from abnforge.cli.common.errors import for_command_line, problem_of
from abnforge.cli.common.inputs import Record, StringRecord, Unreadable
from abnforge.cli.common.security import Mask, masked_edition_diff, masked_error, masked_like, masked_record
from abnforge.errors import Rejected

if TYPE_CHECKING:
    from abnforge.uri.rfc_differences import EditionDiff


@dataclass(frozen=True, slots=True)
class Result:
    """The result for a record: a component object, called ``name``, or the error."""

    record: Record
    name: str
    value: Any = None
    error: ValueError | None = None

    @property
    def valid(self) -> bool:
        return self.error is None and not isinstance(self.record, Unreadable)

    def to_dict(self) -> dict[str, Any]:
        """Return ``source``, ``line``, ``input``; then ``name`` and ``components``, or ``error``."""
        plain: dict[str, Any] = {"source": self.record.source, "line": self.record.line}
        if isinstance(self.record, Unreadable):
            return plain | {"input": None, "error": self.record.message}
        plain |= {"input": self.record.text}
        if self.error is not None:
            return plain | {"error": str(self.error)}
        return plain | {self.name: str(self.value), "components": self.value.to_dict()}


def transform(
    records: Iterable[Record],
    function: Callable[[str], Any],
    name: str,
    parse: Callable[[str], Any],
    mask: Mask | None = None,
) -> Iterator[Result]:
    """Yield the result of ``function`` for each string; it returns a component object or raises ValueError.

    With a ``mask``, ``parse`` creates the component objects of masked strings, which remain valid.
    """
    for record in records:
        shown = record if mask is None else masked_record(record, mask)
        if isinstance(record, Unreadable):
            yield Result(shown, name)
            continue
        try:
            value = function(record.text)
        except ValueError as raised:
            error = raised
            if not isinstance(error, Rejected):
                error = ArgumentError(for_command_line(problem_of(error)))
            if mask is not None:
                error = masked_error(error, mask)
                shown = masked_like(shown, error)
            yield Result(shown, name, error=error)
        else:
            yield Result(shown, name, value if mask is None else parse(mask(str(value))))


@dataclass(frozen=True, slots=True)
class Changed:
    """A string that two RFCs treat differently."""

    record: StringRecord
    found: EditionDiff

    def to_dict(self) -> dict[str, Any]:
        """Return ``source``, ``line`` and the differences."""
        return {"source": self.record.source, "line": self.record.line, **self.found.to_dict()}


class Changes:
    """Finds and counts the strings that two RFCs treat differently.

    ``editions`` are the two RFCs, ``base`` is the base URI for resolution, if any, and ``mask`` hides
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
        """Yield, for each record, the differences, None without any, or the record if it is unreadable."""
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
            difference = compare_editions(text, self.base, *self.editions)
            self.changed += bool(difference)
            if difference and self.mask is not None:
                difference = masked_edition_diff(difference, self.mask, self.base)
                record = replace(record, text=difference.text)
            yield Changed(record, difference) if difference else None
