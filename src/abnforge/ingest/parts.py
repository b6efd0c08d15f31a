"""What a part of a source is, whatever its format: rows, and what is asked of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abnforge.ingest.selection import Column

Array = Any  # of pyarrow, which has no types that a checker could read
Table = Any


class Position(NamedTuple):
    """A place between two rows: which source, and rows, lines and octets of it that lie before."""

    source: int = 0
    row: int = 0
    line: int = 0
    offset: int = 0
    digest: str = ""  # of what of standard input was read


class Reason(NamedTuple):
    """Why a row is rejected. ``column`` and ``rule`` are None where the row as a whole is the reason."""

    column: str | None
    code: str
    rule: str | None
    offset: int | None
    message: str
    section: str | None = None
    suggestion: str | None = None
    text: str | bytes | None = None  # the input, for samples; not written to rejects
    start: int | None = None
    end: int | None = None
    found: str | None = None
    family: str | None = None  # no code has one yet, nor a component
    component: str | None = None


class Texts(NamedTuple):
    """The texts of a column: ``rows`` tells for each the row it is of, and ``places`` which element of the
    row's list; None where there is one text for each row.
    """

    values: Array
    rows: Array = None
    places: Array = None


class Origin(NamedTuple):
    """Where a row is from: its number in the source, and its line and octet, where there are such.

    ``source`` is None for that of the part. ``masked`` tells whether something of the row was hidden when it
    was written to rejects, None where nothing could be.
    """

    row: int
    line: int | None
    byte_offset: int | None
    id: object = None
    source: str | None = None
    masked: bool | None = None


@dataclass
class Part(ABC):
    """Rows that lie next to each other in a source."""

    source: str
    rows: int
    after: Position
    octets: int  # of the source, for progress
    broken: dict[int, Reason] = field(default_factory=dict)  # rows that cannot be read, and why

    @abstractmethod
    def texts(self, column: Column) -> Texts:
        """The texts of a column; of rows that cannot be read they are missing."""

    @abstractmethod
    def wrong_kinds(self, column: Column) -> Mapping[int, str]:
        """Rows whose value is no text, and what is to be said of that."""

    @abstractmethod
    def kept(self, good: Array) -> Any:
        """The rows for which ``good`` is true, as the sink of accepted rows takes them."""

    @abstractmethod
    def flagged(self, reasons: Mapping[int, Sequence[Reason]]) -> Any:
        """All rows, with what is to be said of each in one more column, as that sink takes them."""

    @abstractmethod
    def origins(self, rows: Sequence[int]) -> list[Origin]:
        """Where some rows are from."""

    def places(self, rows: Sequence[int]) -> list[Origin]:
        """Where some rows stand in what is read, which may hold rows that are from elsewhere."""
        return self.origins(rows)

    @abstractmethod
    def as_json(self, rows: Sequence[int]) -> list[str]:
        """Some rows as objects of JSON, each without its last brace; rows that cannot be read as ``_row``."""

    @abstractmethod
    def as_table(self, rows: Sequence[int]) -> Table:
        """Some rows as a RecordBatch; with a column ``_row`` for rows that cannot be read."""
