"""CSV and TSV: a header, then rows of as many cells (RFC 4180); an unquoted empty cell is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from abnforge.ingest import cutting, plain_json
from abnforge.ingest.cutting import CsvCutter, Rows
from abnforge.ingest.failures import JobError
from abnforge.ingest.formats import DELIMITERS
from abnforge.ingest.parts import Position, Reason, Table, Texts
from abnforge.ingest.reasons import REJECT, ROW, json_reasons
from abnforge.ingest.selection import Column, meant
from abnforge.ingest.texts import TextPart, TextReader, string_array, usable, whole_row, with_row_column
from abnforge.rejection import MALFORMED_ROW


class CsvReader(TextReader):
    """Files with one header."""

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        self.delimiter = DELIMITERS[self.sources[0].format.name]
        self._cutter = CsvCutter(self.delimiter, self.most)
        heads = [self._head(number) for number in range(len(self.sources))]
        self._begins = [Position(number, 0, lines, size) for number, (_, size, lines) in enumerate(heads)]
        self._header = heads[0][0]
        self.names = split_row(self._header, self.delimiter)
        for source, (header, _, _) in zip(self.sources, heads, strict=True):
            other = split_row(header, self.delimiter)
            if other != self.names:
                raise JobError(
                    f"{source.shown} has not the header of {self.sources[0].shown}: {_shown(other)}"
                )
        # Names as keys of JSON: each once.
        self.keys = [
            name if self.names.index(name) == at else f"{name}_{at}" for at, name in enumerate(self.names)
        ]

    def _head(self, number: int) -> tuple[bytes, int, int]:
        """The header with its line's end, its octets, and its lines."""
        shown = self.sources[number].shown
        size = 1 << 16
        while True:
            block = self.peek(number, size)
            if not block:
                raise JobError(f"{shown} is empty: CSV begins with a header, the names of its columns")
            cut = self._cutter.rows(block, len(block) < size)
            if len(cut):
                break
            if size > self.most:
                raise JobError(f"{shown} has no header: its first row does not end within {size:,} octets")
            size *= 2
        if 0 in cut.broken:
            raise JobError(f"{shown} has no header: {cut.broken[0]}")
        header = block[: int(cut.ends[0])]
        try:
            header.decode()
        except UnicodeDecodeError as error:
            raise JobError(
                f"{shown} is not UTF-8: byte 0x{header[error.start]:02X} at byte offset {error.start}; "
                "name its encoding with --encoding"
            ) from None
        return header, len(header), header.count(b"\n")

    def check(self, columns: Sequence[Column]) -> None:
        wanted = [(column.plain, f"there is no column {column.plain!r}") for column in columns]
        if self.id_name is not None:
            wanted.append((self.id_name, f"--id: there is no column {self.id_name!r}"))
        for name, said in wanted:
            if name not in self.names:
                near = meant(name, self.names)
                raise JobError(f"{said}{near or f'; there are {_shown(self.names)}'}")
            if self.names.count(name) > 1:
                raise JobError(f"there are {self.names.count(name)} columns {name!r}: rename all but one")

    def begin(self, number: int) -> Position:
        return self._begins[number]

    def described(self) -> str:
        return self._header.decode()

    def header(self, flagged: bool) -> bytes:
        if not flagged:
            return self._header
        if REJECT in self.names:
            raise JobError(f"the source has a column {REJECT!r} already: it may have been flagged before")
        return _widened(self._header, self.delimiter, REJECT)

    def reject_schema(self) -> Any:
        return with_row_column(self.keys)

    def cut(self, block: bytes, final: bool) -> Rows:
        return self._cutter.rows(block, final)

    def part(self, cut: Rows, **known: Any) -> CsvPart:
        part = CsvPart(cut=cut, **known)
        part.reader = self
        size = len(self.names)
        if cut.cuts is not None:
            counts = cutting.counted(cut)
            for row in np.flatnonzero(counts != size).tolist():
                if row not in cut.broken:
                    told = f"the row has {counts[row]} cells, and the header {size}"
                    part.broken.setdefault(row, whole_row(MALFORMED_ROW, told))
            part.counts = counts
        return part


class CsvPart(TextPart):
    """Rows of a block of CSV."""

    reader: CsvReader
    counts: Any = None  # of the cells of each row
    feeds: Any = None  # where lines end

    def texts(self, column: Column) -> Texts:
        cut, names = self.cut, self.reader.names
        if cut.cuts is None:
            return Texts(pa.nulls(self.rows, pa.string()))
        begins, ends, there = cutting.cells(
            cut, len(names), names.index(column.plain), usable(self.rows, self.broken)
        )
        return Texts(string_array(cut.block, begins, ends, there, cut.doubled))

    def wrong_kinds(self, column: Column) -> Mapping[int, str]:
        return {}

    def lines_before(self, rows: Sequence[int]) -> list[int]:
        if self.feeds is None:
            self.feeds = np.flatnonzero(cutting.octets_of(self.cut.block) == cutting.LF)
        found: list[int] = np.searchsorted(self.feeds, self.cut.begins[list(rows)]).tolist()
        return found

    def ids(self, rows: Sequence[int]) -> Sequence[object]:
        if self.id_name is None:
            return [None] * len(rows)
        at = self.reader.names.index(self.id_name)
        cells = map(self.cells, rows)
        return [None if found is None else plain_json.octets(found[at] or b"") for found in cells]

    def cells(self, row: int) -> list[bytes | None] | None:
        """The cells of a row, None where they are missing; None of what is no row."""
        if self.counts is None or row in self.cut.broken or self.counts[row] != len(self.reader.names):
            return None
        raw = self.raw(row)
        mark = self.reader.delimiter.encode()
        if b'"' not in raw:
            return [each or None for each in raw.split(mark)]
        return _cells(raw, mark)

    def flagged(self, reasons: Mapping[int, Sequence[Reason]]) -> Any:
        delimiter, size = self.reader.delimiter, len(self.reader.names)
        lines = []
        for row in range(self.rows):
            told = reasons.get(row)
            data = self.cut.block[int(self.cut.begins[row]) : int(self.cut.ends[row])]
            more = "" if told is None else json_reasons(told)
            if row in self.broken and self.cells(row) is None:
                more = f'{more[:-2]},"row":{plain_json.dumps(self.as_text(row))}}}]'
                data = delimiter.encode() * (size - 1) + b"\n"
            lines.append(_widened(data, delimiter, more))
        return b"".join(lines)

    def as_json(self, rows: Sequence[int]) -> list[str]:
        keys = self.reader.keys
        found = []
        for row in rows:
            cells = self.cells(row)
            if cells is None:
                plain: dict[str, Any] = {ROW: self.as_text(row)}
            else:
                plain = {
                    key: None if cell is None else plain_json.octets(cell)
                    for key, cell in zip(keys, cells, strict=True)
                }
            found.append(plain_json.dumps(plain)[:-1])
        return found

    def as_table(self, rows: Sequence[int]) -> Table:
        keys = self.reader.keys
        told: list[dict[str, Any]] = []
        for row in rows:
            cells = self.cells(row)
            try:
                assert cells is not None
                told.append({key: cell and cell.decode() for key, cell in zip(keys, cells, strict=True)})
                told[-1].update({key: "" for key, cell in zip(keys, cells, strict=True) if cell == b""})
            except (AssertionError, UnicodeDecodeError):
                told.append({ROW: self.as_text(row)})
        return pa.RecordBatch.from_pylist(told, self.reader.reject_schema())


_CELL = {
    mark: re.compile(rb'(?:"((?:[^"]|"")*)"|([^"%b]*))(?:(%b)|\Z)' % (mark, mark)) for mark in (b",", b"\t")
}


def _cells(raw: bytes, mark: bytes) -> list[bytes | None]:
    """The cells of a row that has the right form."""
    found: list[bytes | None] = []
    at = 0
    while True:
        cell = _CELL[mark].match(raw, at)
        assert cell is not None
        found.append(cell[1].replace(b'""', b'"') if cell[1] is not None else cell[2] or None)
        if cell[3] is None:
            return found
        at = cell.end()


def split_row(row: bytes, delimiter: str) -> list[str]:
    """The cells of a header."""
    data = row.removesuffix(b"\n").removesuffix(b"\r")
    return [(cell or b"").decode() for cell in _cells(data, delimiter.encode())]


def _widened(row: bytes, delimiter: str, text: str) -> bytes:
    """A row with one more cell."""
    end = b"\r\n" if row.endswith(b"\r\n") else b"\n" if row.endswith(b"\n") else b""
    cell = f'"{text.replace(chr(34), chr(34) * 2)}"' if text and text != REJECT else text
    return row.removesuffix(end) + delimiter.encode() + cell.encode() + end


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
