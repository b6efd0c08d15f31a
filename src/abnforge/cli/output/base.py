"""The base of every format: a report takes values and writes them at once. JSON is the same for all kinds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from abnforge.cli.common.output import PLAIN, Style, Write, dumps

T = TypeVar("T")


class Report(Generic[T]):
    """Base of all formats: takes one value at a time, so that memory does not grow with the input.

    ``begin`` and ``finish`` write the text around the values. Two options are for the formats that can
    fulfil them: ``full``, to report all facts, and ``null``, to end strings with NUL. ``kind`` is that of the
    values, for formats of several kinds.
    """

    is_file = False  # whether programs read the output: it is UTF-8, then
    shows_warnings = False  # whether there is a place for the warnings of --security about valid strings

    def __init__(
        self, write: Write, style: Style = PLAIN, *, full: bool = False, null: bool = False, kind: str = ""
    ) -> None:
        self.write = write
        self.style = style
        self.full = full
        self.null = null
        self.kind = kind

    def begin(self) -> None:
        """Write the text before the first value."""

    def add(self, value: T, /) -> None:
        """Write one value."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write the text after the last value."""

    def feed(self, values: Iterable[T]) -> None:
        """Write all values, and the text around them."""
        self.begin()
        for value in values:
            self.add(value)
        self.finish()


class Lines(Report[T]):
    """Base of formats that write some lines for each value, a blank line between them if ``spaced``."""

    spaced = False
    _separator = ""

    def add(self, value: T, /) -> None:
        self.write(self._separator)
        for line in self.lines(value):
            self.write(f"{line}\n")
        if self.spaced:
            self._separator = "\n"

    def lines(self, value: T, /) -> Iterable[str]:
        """Return the lines of a value."""
        raise NotImplementedError


class JsonLines(Report[Any]):
    """One JSON object per line."""

    shows_warnings = True

    def add(self, value: Any) -> None:
        for each in self.objects(value):
            self.put(dumps(each))

    def put(self, text: str) -> None:
        """Write one object."""
        self.write(f"{text}\n")

    def objects(self, value: Any) -> Iterable[Any]:
        """Return the plain data of a value. The verdict on a string has all keys only in a full report."""
        if self.kind == "outcome":
            return (value.to_dict(full=self.full),)
        if self.kind == "finding":
            return (each.to_dict() for each in value.findings)
        if self.kind == "difference":
            return (each.to_dict() for each in value.rules)
        return (value.to_dict(),)


class JsonArray(JsonLines):
    """One JSON array, an element per line."""

    separator = "[\n"

    def put(self, text: str) -> None:
        self.write(self.separator + text)
        self.separator = ",\n"

    def finish(self) -> None:
        self.write("[]\n" if self.separator == "[\n" else "\n]\n")
