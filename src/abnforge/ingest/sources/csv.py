"""Read CSV and TSV: a header, then rows with the same number of cells (RFC 4180).

An unquoted empty cell is null, unless cells are never quoted and another string represents null.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.catalog import Message
from abnforge.columns.fields import RowError
from abnforge.ingest import jsonable
from abnforge.ingest.batch import (
    ERRORS,
    ROW,
    Array,
    Column,
    Position,
    Table,
    Texts,
    json_reasons,
    parse_path,
    unique_names,
    unknown_column,
)
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.sources import records
from abnforge.ingest.sources.discovery import DELIMITERS
from abnforge.ingest.sources.drift import combine, other_delimiter
from abnforge.ingest.sources.records import CsvSplitter, Rows, without_line_ends
from abnforge.ingest.sources.text import (
    TextBatch,
    TextReader,
    string_array,
    usable,
    whole_row,
    with_row_column,
)
from abnforge.rejection import MALFORMED_ROW

_FIRST = 1 << 16  # number of bytes that are inspected before a source is read


class CsvOptions(NamedTuple):
    """Options of CSV files that differ from the default.

    ``delimiter`` is None for the default of the format. ``names`` are the columns of files without a header;
    an empty sequence names them 1, 2, 3, ...; None means that files have a header. If ``quote`` is "", cells
    are never quoted. In quoted cells, a quote, escape character or line feed after an ``escape`` character is
    part of the value. If cells are never quoted, a delimiter, escape character or line feed is. Lines that
    begin with ``comment`` are skipped.
    """

    delimiter: str | None = None
    names: Sequence[str] | None = None
    quote: str = '"'
    escape: str | None = None
    comment: str | None = None

    def checked(self) -> CsvOptions:
        """Return the options. Raises JobError for invalid characters and for repeated or empty names."""
        characters: dict[str, str] = {}
        for parameter in ("delimiter", "quote", "escape", "comment"):
            mark = getattr(self, parameter)
            if mark is None or (mark == "" and parameter == "quote"):
                continue
            if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii() or mark in "\r\n":
                raise JobError(message("delimiter-malformed", parameter=parameter, value=mark))
            if (other := characters.setdefault(mark, parameter)) != parameter:
                raise JobError(message("characters-equal", parameter=parameter, other=other, value=mark))
        names = self.names or ()
        if wrong := next((name for name in names if not name or names.count(name) > 1), None):
            raise JobError(message("header-name-repeated", parameter="names", name=wrong))
        if "" in names:
            raise JobError(message("header-name-empty", parameter="names"))
        return self


DEFAULT_CSV = CsvOptions()


def check_csv_options(layout: CsvOptions, format: str) -> None:
    """Raise JobError for a layout of files that are not CSV or TSV."""
    if layout != DEFAULT_CSV and format not in DELIMITERS:
        changed = (name for name in layout._fields if getattr(layout, name) != getattr(DEFAULT_CSV, name))
        parameter = next(changed)
        parameter = "names=()" if parameter == "names" and not layout.names else parameter
        raise JobError(
            message(
                "parameter-requires-format",
                parameter=parameter,
                formats=tuple(DELIMITERS),
                format=format,
            )
        )


class CsvReader(TextReader):
    """Files that have the same header, or no header and the same number of cells in each row."""

    def __init__(
        self,
        *arguments: Any,
        layout: CsvOptions = DEFAULT_CSV,
        union: bool = False,
        null_values: Sequence[str] = (),
    ) -> None:
        super().__init__(*arguments)
        # Without quotes and with a word for null, an empty cell can only be the empty string.
        self.has_empty_strings = not layout.quote and any(null_values) and "" not in null_values
        self.null_values = list(null_values)
        self.null_octets = frozenset(word.encode(errors="surrogatepass") for word in null_values)
        self.validated: frozenset[str] = frozenset()  # the names of validated columns
        self._union = union
        self.delimiter = layout.delimiter or DELIMITERS[self.sources[0].format.name]
        self.layout = layout._replace(delimiter=self.delimiter).checked()
        self._given = layout.names
        marks = layout.quote, layout.escape or "", layout.comment or ""
        self._cutter = CsvSplitter(self.delimiter, self.most, *marks)
        self._header = b""
        if layout.names is None:
            self._read_headers()
        else:
            self.names = self._named(layout.names)
            self._begins = [Position(number) for number in range(len(self.sources))]
            self.own_names: Sequence[Sequence[str]] = [self.names] * len(self.sources)
        self.keys = unique_names(self.names)

    def _read_headers(self) -> None:
        heads = [self._head(number) for number in range(len(self.sources))]
        self._begins = [Position(number, 0, lines, size) for number, (_, size, lines) in enumerate(heads)]
        self._header = heads[0][0]
        self.own_names = [split_row(header, self.layout) for header, _, _ in heads]
        self.names = self.own_names[0]
        for source, names in zip(self.sources, self.own_names, strict=True):
            self.names = combine(self.names, names, self.sources[0], source, self._union)
        for name in self.names[len(self.own_names[0]) :]:
            self._header = _widened(self._header, self.layout, name)

    def _named(self, names: Sequence[str]) -> Sequence[str]:
        """Return the column names of files without a header.

        Raises JobError if no first row of a file has the right number of cells: then the names or the
        delimiter are wrong.
        """
        size, first = len(names), ""
        for number, source in enumerate(self.sources):
            rows = self._first_rows(number)
            counts = [] if rows is None else np.delete(records.cell_counts(rows), list(rows.broken)).tolist()
            if not counts:
                continue
            usual, _ = Counter(counts).most_common(1)[0]
            if not size:
                size, first = usual, source.shown
            elif size not in counts:
                counts_data = {"source": source.shown, "count": usual, "expected": size}
                if first:
                    raise JobError(message("cells-differ", first=first, **counts_data))
                raise JobError(message("cells-differ-from-names", parameter="names", **counts_data))
        return names or [str(number + 1) for number in range(size)]

    def _first_rows(self, number: int) -> Rows | None:
        """Return some of the first rows of a source, at least one if it ends; None if it is empty."""
        size = _FIRST
        while block := self.peek(number, size):
            is_whole = len(block) < size
            cut = self._cutter.rows(block, is_whole)
            if len(cut) or size > self.most:
                return cut
            if is_whole:  # only comments
                return None
            size *= 2
        return None

    def _head(self, number: int) -> tuple[bytes, int, int]:
        """Return the header with its line ending, its size in bytes, and its number of lines."""
        shown = self.sources[number].shown
        cut = self._first_rows(number)
        if cut is None:
            raise JobError(message("source-empty", source=shown))
        if not len(cut):
            raise JobError(message("header-too-long", source=shown, limit=len(cut.block)))
        if 0 in cut.broken:
            raise JobError(message("header-malformed", source=shown, problem=cut.broken[0]))
        size = int(cut.ends[0])
        header = cut.block[int(cut.begins[0]) : size]
        try:
            header.decode()
        except UnicodeDecodeError as error:
            raise JobError(
                message(
                    "header-not-encoded",
                    source=shown,
                    encoding=self.encoding or "UTF-8",
                    byte=f"0x{header[error.start]:02X}",
                    offset=error.start,
                    parameter="encoding",
                )
            ) from None
        return header, size, cut.block.count(b"\n", 0, size)

    @property
    def layout_of_columns(self) -> Any:
        return self.names or None

    def check(self, columns: Sequence[Column]) -> None:
        self.validated = frozenset(column.plain for column in columns)
        if not self.names:  # no header and no rows
            return
        requested = [column.plain for column in columns]
        if self.id_name is not None:
            requested.append(self.id_name)
        names = [*self.names, *self.keys_of_folders]
        for name in requested:
            if name not in names:
                raise JobError(self._unknown(name, names))
            if names.count(name) > 1:
                raise JobError(message("column-ambiguous", column=name, count=names.count(name)))

    def _unknown(self, name: str, names: Sequence[str]) -> Message:
        source = self.sources[0].shown
        if self._given is None and not any(self.names):
            return message("header-empty", source=source)
        if any("\r" in each for each in self.names):
            return message("header-with-cr", source=source)
        if mark := other_delimiter(self.names):
            return message("column-unknown-delimiter", column=name, mark=mark, parameter="delimiter")
        steps = parse_path(name)
        if len(steps) > 1 and steps[0] in self.names:
            return message("column-unknown-path", column=name)
        if self._given is None and name.isdigit():
            return message("column-unknown-header", column=name, parameter="names=()")
        return unknown_column(name, names)

    def begin(self, number: int) -> Position:
        return self._begins[number]

    def described(self) -> str:
        return self._header.decode() if self._given is None else json.dumps(self.names)

    def header(self, flagged: bool) -> bytes:
        if flagged and not self.layout.quote and self.layout.escape is None:
            raise JobError(
                message("parameter-excluded-if", parameter="quote", other="on_error", value="keep")
            )
        if not flagged or self._given is not None:
            return self._header
        if ERRORS in self.names:
            raise JobError(message("column-flagged", column=ERRORS))
        return _widened(self._header, self.layout, ERRORS)

    def own_columns(self) -> Sequence[str]:
        return self.keys

    def own_schema(self) -> Any:
        return with_row_column(self.keys)

    def cut(self, block: bytes, final: bool) -> Rows:
        return self._cutter.rows(block, final)

    def batch(self, cut: Rows, **fields: Any) -> CsvBatch:
        batch = CsvBatch(cut=cut, **fields)
        batch.reader = self
        batch.names = self.own_names[batch.before.source]
        size = len(batch.names)
        if cut.cuts is not None:
            counts = records.cell_counts(cut)
            for row in np.flatnonzero(counts != size).tolist():
                if row not in cut.broken:
                    problem = message("row-cells", count=int(counts[row]), expected=size)
                    batch.broken.setdefault(row, whole_row(MALFORMED_ROW, problem))
            batch.counts = counts
        return batch


class CsvBatch(TextBatch):
    """Rows of a CSV block."""

    reader: CsvReader
    names: Sequence[str] = ()  # the columns of the batch's source
    counts: Any = None  # number of cells of each row
    feeds: Any = None  # offsets of line feeds

    def own_texts(self, column: Column) -> Texts:
        cut, names = self.cut, self.names
        if cut.cuts is None or column.plain not in names:
            return Texts(pa.nulls(self.rows, pa.string()))
        good = usable(self.rows, self.broken)
        begins, ends, there = records.cells(cut, len(names), names.index(column.plain), good)
        if self.reader.has_empty_strings:
            there = good
        return Texts(string_array(cut.block, begins, ends, there, cut.dropped))

    def _own_keys(self) -> Sequence[str]:
        return self.reader.keys if self.names is self.reader.names else self.names

    def is_verbatim(self, name: str) -> Any:
        names = self._own_keys()
        if self.cut.cuts is None or not len(self.cut.dropped) or name not in names:
            return None
        return self._without_escapes(self.cut, names.index(name), usable(self.rows, self.broken))

    def _without_escapes(self, cut: Rows, column: int, good: Any) -> Any:
        begins, ends = records.raw_cells(cut, len(self.names), column, good)
        return np.searchsorted(cut.dropped, begins) == np.searchsorted(cut.dropped, ends)

    def lines_before(self, rows: Sequence[int]) -> list[int]:
        if self.feeds is None:
            self.feeds = np.flatnonzero(records.octets_of(self.cut.block) == records.LF)
        lines: list[int] = np.searchsorted(self.feeds, self.cut.begins[list(rows)]).tolist()
        return lines

    def own_ids(self, rows: Sequence[int], name: str) -> Sequence[object]:
        if name not in self.names:
            return [None] * len(rows)
        at = self.names.index(name)
        cells = map(self.cells, rows)
        return [
            None if row_cells is None else jsonable.bytes_value(row_cells[at] or b"") for row_cells in cells
        ]

    def cells(self, row: int) -> list[bytes | None] | None:
        """Return the cells of a row, with None for a missing cell; None for a malformed row."""
        if self.counts is None or row in self.cut.broken or self.counts[row] != len(self.names):
            return None
        raw, layout = self.raw(row), self.reader.layout
        words, empty = self.reader.null_octets, b"" if self.reader.has_empty_strings else None
        special = (layout.quote or layout.escape or "").encode()
        if special and special in raw:
            cells = split_cells(raw, layout, (), empty)
            marked = split_cells(raw, layout, words, empty) if words else cells
        else:
            cells = [each or empty for each in raw.split(self.reader.delimiter.encode())]
            marked = [None if each in words else each for each in cells] if words else cells
        if marked == cells:
            return cells
        return [
            missing if name in self.reader.validated else cell
            for name, cell, missing in zip(self.names, cells, marked, strict=True)
        ]

    def values(self, row: int) -> dict[str, bytes | None] | None:
        """Return the cells of a row by key, None for a missing column; None for a malformed row."""
        cells = self.cells(row)
        if cells is None:
            return None
        if self.names is self.reader.names:
            return dict(zip(self.reader.keys, cells, strict=True))
        own = dict(zip(self.names, cells, strict=True))
        return {key: own.get(key) for key in self.reader.keys}

    def select(self, good: Array) -> bytes | memoryview:
        if list(self.names) == list(self.reader.names):
            return super().select(good)
        return b"".join(self._aligned(np.ones(self.rows, np.bool_) if good is None else good.to_numpy(False)))

    def _aligned(self, good: Any) -> list[bytes]:
        """Return rows with their cells in the order of the reader's columns."""
        cut, columns = self.cut, []
        ends = without_line_ends(cut)
        cells: dict[str | None, Any] = {
            name: records.raw_cells(cut, len(self.names), at, good) for at, name in enumerate(self.names)
        }
        # An empty cell can be the empty string.
        missing = pa.scalar(self.reader.null_values[0].encode() if self.reader.has_empty_strings else b"")
        cells[None] = ends * good, cut.ends * good  # line endings; "" can be the name of a column
        for name in [*self.reader.names, None]:
            if name not in cells:
                columns.append(pa.repeat(missing, self.rows))
                continue
            begins, ends = cells[name]
            columns.append(string_array(cut.block, begins, ends, good).cast(pa.binary()))
        joined = pc.binary_join_element_wise(*columns[:-1], self.reader.delimiter.encode())
        rows: list[bytes] = (
            pc.binary_join_element_wise(joined, columns[-1], b"").filter(pa.array(good)).to_pylist()
        )
        return rows

    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Any:
        layout, size = self.reader.layout, len(self.reader.names)
        lines = []
        aligned: Any = None
        if list(self.names) != list(self.reader.names):
            is_whole = np.array([self.cells(row) is not None for row in range(self.rows)], np.bool_)
            aligned = dict(zip(np.flatnonzero(is_whole).tolist(), self._aligned(is_whole), strict=True))
        for row in range(self.rows):
            errors = reasons.get(row)
            data = self.cut.block[int(self.cut.begins[row]) : int(self.cut.ends[row])]
            data = data if aligned is None else aligned.get(row, data)
            more = "" if errors is None else json_reasons(errors)
            if row in self.broken and self.cells(row) is None:
                more = f'{more[:-2]},"row":{jsonable.dumps(self.as_text(row))}}}]'
                data = self.reader.delimiter.encode() * (size - 1) + b"\n"
            lines.append(_widened(data, layout, more))
        return b"".join(lines)

    def own_json(self, rows: Sequence[int]) -> list[str]:
        objects = []
        for row in rows:
            cells = self.values(row)
            if cells is None:
                plain: dict[str, Any] = {ROW: self.as_text(row)}
            else:
                plain = {
                    key: None if cell is None else jsonable.bytes_value(cell) for key, cell in cells.items()
                }
            objects.append(jsonable.dumps(plain)[:-1])
        return objects

    def own_table(self, rows: Sequence[int]) -> Table:
        schema = self.reader.own_schema()
        whole = np.array([self._has_cells(row) for row in rows], np.bool_)
        words = pa.array(self.reader.null_values, pa.string()) if self.reader.null_values else None
        arrays = {}
        if whole.any():
            which = np.array(rows)
            cut = replace(self.cut, begins=self.cut.begins[which], ends=self.cut.ends[which])
            for at, key in enumerate(self._own_keys()):
                begins, ends, there = records.cells(cut, len(self.names), at, whole)
                there = whole if self.reader.has_empty_strings else there
                cells = string_array(cut.block, begins, ends, there, cut.dropped)
                if words is not None and self.names[at] in self.reader.validated:
                    missing = pc.is_in(cells, words).to_numpy(zero_copy_only=False)
                    missing &= self._without_escapes(cut, at, whole)
                    cells = pc.if_else(pa.array(missing), None, cells)
                arrays[key] = cells
        if not whole.all():
            texts = [None if good else self.as_text(row) for row, good in zip(rows, whole, strict=True)]
            arrays[ROW] = pa.array(texts, pa.string())
        empty = pa.nulls(len(rows), pa.string())
        return pa.RecordBatch.from_arrays([arrays.get(name, empty) for name in schema.names], schema=schema)

    def _has_cells(self, row: int) -> bool:
        """Return whether a row has the cells of the header, in UTF-8."""
        if row not in self.broken:
            return True
        return self.cells(row) is not None and records.is_utf8(self.raw(row))


@lru_cache(maxsize=8)
def _cell(mark: bytes, quote: bytes, escape: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return patterns for a cell with the delimiter after it, and for two characters that represent one."""
    q, e, stop = (re.escape(each) for each in (quote, escape, mark))
    special = rb"[%b%b\n]" % (e, q or stop)
    pair = rb"%b%b|" % (e, special) if escape else b""
    quoted = rb"%b((?:%b[^%b]|%b%b)*+)%b" % (q, pair, q, q, q, q) if quote else rb"((?!))"
    plain = b"" if quote else pair
    cell = rb"(?:%b|((?:%b[^%b%b])*+))(?:(%b)|\Z)" % (quoted, plain, q, stop, stop)
    doubled = rb"%b%b" % (q, q) if quote else rb"(?!)"
    return re.compile(cell), re.compile(pair + doubled)


def split_cells(
    raw: bytes, layout: CsvOptions, words: Collection[bytes] = (), empty: bytes | None = None
) -> list[bytes | None]:
    """Return the cells of a row without its line ending; None for a cell that is one of ``words``.

    ``empty`` is the value of an unquoted empty cell.
    """
    values: list[bytes | None] = []
    marks = (layout.delimiter or ",").encode(), layout.quote.encode(), (layout.escape or "").encode()
    pattern, pair = _cell(*marks)
    at = 0
    while True:
        cell = pattern.match(raw, at)
        assert cell is not None
        is_quoted = cell[1] is not None
        text = cell[1] if is_quoted else cell[2]
        if text in words:
            values.append(None)
        elif not text and not is_quoted:
            values.append(empty)
        elif is_quoted or not layout.quote:
            values.append(pair.sub(lambda both: both[0][-1:], text))
        else:
            values.append(text)
        if cell[3] is None:
            return values
        at = cell.end()


@lru_cache(maxsize=8)
def _plain_cell(mark: str) -> re.Pattern[str]:
    return re.compile(rf'[^"{re.escape(mark)}\r\n]+')


def csv_cell(text: str, delimiter: str = ",") -> str:
    """Return a string as a cell (RFC 4180)."""
    if _plain_cell(delimiter).fullmatch(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def split_row(row: bytes, layout: CsvOptions) -> list[str]:
    """Return the cells of a header."""
    data = row.removesuffix(b"\n").removesuffix(b"\r")
    return [(cell or b"").decode() for cell in split_cells(data, layout)]


def _widened(row: bytes, layout: CsvOptions, text: str) -> bytes:
    """Return a row with one more cell."""
    end = b"\r\n" if row.endswith(b"\r\n") else b"\n" if row.endswith(b"\n") else b""
    mark, quote, escape = layout.delimiter or ",", layout.quote, layout.escape
    if all(each not in text for each in filter(None, (mark, quote, escape, "\n", "\r"))):
        quote = ""
    elif escape is not None:
        for each in (escape, quote) if quote else (escape, mark, "\n"):
            text = text.replace(each, escape + each)
    elif quote:
        text = text.replace(quote, quote + quote)
    cell = text and quote + text + quote
    return row.removesuffix(end) + mark.encode() + cell.encode() + end
