"""What every format is: something that is fed values and writes as it goes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from abnforge.cli.common.output import PLAIN, Style, Write

T = TypeVar("T")


class Report(Generic[T]):
    """Base of all formats: fed one value at a time, so that memory does not grow with the input.

    ``begin`` and ``finish`` write what stands around the values. Two wishes are for the formats that can
    fulfil them: ``full``, to tell everything there is, and ``null``, to end strings with NUL.
    """

    is_file = False  # whether programs read what is written: it is UTF-8, then
    shows_warnings = False  # whether there is a place for what --security says of strings that are valid

    def __init__(self, write: Write, style: Style = PLAIN, *, full: bool = False, null: bool = False) -> None:
        self.write = write
        self.style = style
        self.full = full
        self.null = null

    def begin(self) -> None:
        """Before the first value."""

    def add(self, value: T, /) -> None:
        """One value."""
        raise NotImplementedError

    def finish(self) -> None:
        """After the last value."""

    def feed(self, values: Iterable[T]) -> None:
        """All values, with what stands around them."""
        self.begin()
        for value in values:
            self.add(value)
        self.finish()
