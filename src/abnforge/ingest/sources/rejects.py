"""Read rejects as input (``--replay``), like any file but without the reserved columns.

A row keeps its origin, so that rejects of rejects still name the original source. Valid rows have the format
of the rejects; JSON Lines can also become CSV, TSV or plain lines. JSON values keep their spelling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import take
from abnforge.columns.fields import RowError
from abnforge.ingest import jsonable
from abnforge.ingest.batch import (
    ERRORS,
    ROW,
    SOURCE,
    Array,
    Batch,
    Column,
    Identifiers,
    Position,
    RowOrigin,
    Table,
    unknown_column,
)
from abnforge.ingest.jsonable import EXACT_DECODER, Number
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.nested import as_one_array
from abnforge.ingest.sources.arrow import ArrowBatch, TableReader
from abnforge.ingest.sources.csv import CsvBatch, CsvReader, check_csv_options, csv_cell
from abnforge.ingest.sources.discovery import (
    CSV,
    DELIMITERS,
    JSONL,
    LINES,
    PARQUET,
    TABLES,
    SourceFile,
    format_of,
)
from abnforge.ingest.sources.jsonl import JsonBatch, Reading, first_keys, read
from abnforge.ingest.sources.records import Rows
from abnforge.ingest.sources.text import LinesReader, usable, whole_row, with_row_column
from abnforge.rejection import MALFORMED_ROW, MASKED, NOT_UTF8, TOO_LONG

if TYPE_CHECKING:
    from abnforge.ingest.job import Job

RESERVED = (ROW, ERRORS, SOURCE)
_SPACE = re.compile(r"[ \t\r\n]*+")
_EMPTY = re.compile(r"[ \t\r\n]*+\}")
_KEY = re.compile(r'[ \t\r\n]*+"((?:[^"\\\x00-\x1f]|\\.)*+)"[ \t\r\n]*+:[ \t\r\n]*+')
_AFTER = re.compile(r"[ \t\r\n]*+([,}])")


def members(text: str) -> list[tuple[str, Any, int, int]]:
    """Return the members of a JSON object: key, value, start and end. Numbers keep their spelling.

    Raises ValueError if ``text`` is not an object. Cost: linear.
    """
    begin = _SPACE.match(text)
    assert begin is not None
    if not text.startswith("{", begin.end()):
        raise ArgumentError(message("json-not-object"))
    pairs: list[tuple[str, Any, int, int]] = []
    at, mark = begin.end() + 1, ","
    empty = _EMPTY.match(text, at)
    if empty is not None:
        at, mark = empty.end(), "}"
    while mark == ",":
        head = _KEY.match(text, at)
        if head is None:
            raise ArgumentError(message("json-key-missing", offset=at))
        try:
            value, end = EXACT_DECODER.raw_decode(text, head.end())
        except RecursionError:
            raise ArgumentError(message("row-too-deep")) from None
        key = head[1] if "\\" not in head[1] else json.loads(f'"{head[1]}"')
        pairs.append((key, value, head.start(1) - 1, end))
        after = _AFTER.match(text, end)
        if after is None:
            raise ArgumentError(message("json-mark-missing", marks=("','", "'}'"), offset=end))
        at, mark = after.end(), after[1]
    if text[at:].strip(" \t\r\n"):
        raise ArgumentError(message("json-text-after", offset=at))
    return pairs


def without(text: str, pairs: Sequence[tuple[str, Any, int, int]], names: Sequence[str]) -> str:
    """Return an object without some members; removing appended members restores the original text."""
    own = [(begin, end) for key, _, begin, end in pairs if key not in names]
    if len(own) == len(pairs):
        return text
    if own and all(key in names for key, _, _, _ in pairs[len(own) :]):
        return text[: text.rindex(",", 0, pairs[len(own)][2])] + "}"
    if own:
        return "{" + ",".join(text[begin:end] for begin, end in own) + "}"
    return text[: pairs[0][2]].rstrip(" \t\r\n") + "}"


def _origin(value: Any, place: str) -> RowOrigin:
    """Return the origin that ``_source`` holds. Raises JobError for a value that no job wrote."""
    if isinstance(value, dict):
        name, masked = value.get("source"), value.get("masked")
        row, line, offset = (_number(value.get(key)) for key in ("row", "line", "byte_offset"))
        is_name = isinstance(name, str) and not isinstance(name, Number)
        is_whole = -1 not in (row, line, offset) and isinstance(masked, bool | None)
        is_written = is_name and is_whole and _is_text(f"{name}{jsonable.dumps_exact(value.get('id'))}")
        if is_written and row is not None:
            return RowOrigin(row, line, offset, value.get("id"), name, masked)
    raise JobError(message("rejects-column-changed", place=place, column=SOURCE))


def _number(value: Any) -> int | None:
    """Return a number of rows, lines or bytes; -1 for other values."""
    if value is None:
        return None
    text = str(value)
    is_number = isinstance(value, int | Number) and text.isascii() and text.isdigit() and len(text) <= 18
    return int(text) if is_number else -1


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _whole_row_code(errors: Any, place: str) -> str:
    """Return the code of the error that concerns a whole row."""
    if not isinstance(errors, list) or not all(isinstance(each, dict) for each in errors):
        raise JobError(message("rejects-column-changed", place=place, column=ERRORS))
    codes = (str(each.get("code")) for each in errors if each.get("column") is None)
    return next((code for code in codes if code in (TOO_LONG, NOT_UTF8)), MALFORMED_ROW)


def _unread(code: str) -> RowError:
    return RowError(None, code, message=message("row-unread", column=ROW))


MASKED_ROW = RowError(None, MASKED, message=message("row-masked", column=SOURCE))


# ---- tables ----


@dataclass
class RejectTable(ArrowBatch):
    """Rejects in a Parquet file."""

    reserved: Table = None

    @classmethod
    def of(cls, batch: ArrowBatch) -> RejectTable:
        """Return a batch without its reserved columns."""
        names = [name for name in RESERVED if name in batch.table.schema.names]
        fields = {"first": batch.first, "reserved": batch.table.select(names)}
        table = batch.table.drop_columns(names)
        rejects = cls(batch.source, batch.rows, batch.after, batch.octets, table=table, **fields)
        rows = rejects._rows_where(lambda column: pc.is_null(column), SOURCE)
        if rows:
            place = f"{batch.source}, row {batch.first + rows[0]}"
            raise JobError(message("rejects-column-changed", place=place, column=SOURCE))
        if batch.table.schema.field(SOURCE).type.get_field_index("masked") >= 0:
            masked = rejects._rows_where(
                lambda column: pc.fill_null(pc.struct_field(column, "masked"), False), SOURCE
            )
            rejects.broken = dict.fromkeys(masked, MASKED_ROW)
        if ROW in names:
            for row in rejects._rows_where(pc.is_valid, ROW):
                errors = rejects.reserved.column(ERRORS)[row].as_py()
                place = f"{batch.source}, row {batch.first + row}"
                rejects.broken.setdefault(row, _unread(_whole_row_code(errors, place)))
        return rejects

    def _rows_where(self, test: Callable[[Any], Any], name: str) -> list[int]:
        rows: list[int] = pc.indices_nonzero(test(as_one_array(self.reserved.column(name)))).to_pylist()
        return rows

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        sources = take(as_one_array(self.reserved.column(SOURCE)), pa.array(rows, pa.int64()))
        ids = Identifiers(pc.struct_field(sources, "id")).each()
        names = [field.name for field in sources.type if field.name != "id"]
        columns = [pc.struct_field(sources, name).to_pylist() for name in names]
        return [
            _origin(dict(zip(names, values, strict=True)), f"{self.source}, row {self.first + row}")._replace(
                id=each
            )
            for row, each, *values in zip(rows, ids, *columns, strict=True)
        ]

    def positions(self, rows: Sequence[int]) -> list[RowOrigin]:
        return [RowOrigin(self.first + row, None, None) for row in rows]

    def as_table(self, rows: Sequence[int]) -> Table:
        table = super().as_table(rows)
        if ROW not in self.reserved.schema.names:
            return table
        return table.append_column(
            ROW, take(as_one_array(self.reserved.column(ROW)), pa.array(rows, pa.int64()))
        )

    def as_json(self, rows: Sequence[int]) -> list[str]:
        whole = self.as_table(rows)
        held, self.table = self.table, pa.Table.from_batches([whole])
        try:
            return super().as_json(range(len(rows)))
        finally:
            self.table = held


class RejectTableReader:
    """The reader of rejects in Parquet files."""

    def __init__(self, inner: TableReader, kind: str) -> None:
        self.inner, self.kind = inner, kind
        self.sources = inner.sources
        names = inner.schema.names
        own = [field for field in inner.schema if field.name not in RESERVED]
        self.schema = pa.schema(own, inner.schema.metadata)
        self._row = [pa.field(ROW, pa.string())] if ROW in names else []
        source = inner.schema.field(SOURCE).type
        if not pa.types.is_struct(source) or source.get_field_index("id") < 0:
            place = self.sources[0].shown
            raise JobError(message("rejects-column-changed", place=place, column=SOURCE))
        self.id_type = source.field("id").type
        self.masking = source.get_field_index("masked") >= 0
        self.check, self.described = inner.check, inner.described
        self.octets, self.rows = inner.octets, inner.rows

    def reject_schema(self) -> Any:
        return pa.schema([*self.schema, *self._row], self.schema.metadata)

    def batches(self, start: Position) -> Iterator[Batch]:
        batch: Any
        for batch in self.inner.batches(start):
            yield RejectTable.of(batch)


# ---- text ----


@dataclass(kw_only=True)
class RejectLines(JsonBatch):
    """Rejects in JSON Lines or CSV, each row as a line of JSON."""

    reader: RejectTextReader
    read_from: Batch
    past: Sequence[RowOrigin]
    unread: Mapping[int, str]  # rows that are not valid in their format

    def readable(self, row: int) -> bool:
        return row not in self.unread

    def as_text(self, row: int) -> str:
        return self.unread[row] if row in self.unread else super().as_text(row)

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        return [self.past[row] for row in rows]

    def positions(self, rows: Sequence[int]) -> list[RowOrigin]:
        return self.read_from.origins(rows)

    def _values(self, row: int) -> dict[str, Any]:
        return {key: value for key, value, _, _ in members(self.raw(row).decode())}

    def select(self, good: Array) -> bytes | memoryview:
        if self.reader.kind == JSONL:
            return super().select(good)
        rows = range(self.rows) if good is None else np.flatnonzero(good.to_numpy(zero_copy_only=False))
        lines = (self.reader.row(self._values(int(row))) for row in rows)
        return "".join([f"{line}\n" for line in lines]).encode()

    def own_table(self, rows: Sequence[int]) -> Table:
        if self.reader.kind == JSONL and not self.reader.from_csv:
            return super().own_table(rows)
        cells = [
            {name: _cell_text(value) for name, value in self._values(row).items()}
            if self.readable(row)
            else {ROW: self.unread[row]}
            for row in rows
        ]
        return pa.RecordBatch.from_pylist(cells, self.reader.reject_schema())


def _cell_text(value: Any) -> str | None:
    is_text = value is None or (isinstance(value, str) and not isinstance(value, Number))
    return value if is_text else jsonable.dumps_exact(value)


class RejectTextReader:
    """The reader of rejects in JSON Lines or CSV."""

    id_type = pa.string()
    masking = True

    def __init__(self, job: Job, inner: Any, kind: str, names: Sequence[str]) -> None:
        check_csv_options(job.layout, kind)
        self.inner, self.kind, self.names = inner, kind, list(names)
        self.sources = inner.sources
        self.from_csv = isinstance(inner, CsvReader)
        if kind == LINES and len(names) > 1:
            raise JobError(message("lines-one-column-rejects", path=str(job.valid), count=len(names)))
        self._has_header = kind in DELIMITERS and job.layout.names is None
        self._delimiter = job.layout.delimiter or DELIMITERS.get(kind, ",")
        self._missing = csv_cell(job.null_values[0], self._delimiter) if job.null_values else ""
        self._columns: dict[str, Column] = {}  # columns with their names in JSON, by their names in the job
        self.described, self.octets, self.rows = inner.described, inner.octets, inner.rows

    def check(self, columns: Sequence[Column]) -> None:
        """Raise JobError for an unknown column."""
        if self.kind == LINES and not self.names:
            self.names.append(columns[0].plain)
        for column in columns:
            as_json, plain = column, column.plain
            if plain in self.names and (self.kind != JSONL or column.steps[0] not in self.names):
                as_json = Column(re.sub(r"([.\[\\])", r"\\\1", plain), column.rule)
            if self.names and as_json.steps[0] not in self.names:
                raise JobError(unknown_column(plain, self.names))
            self._columns[column.name] = as_json

    def header(self, flagged: bool) -> bytes:
        has_header = self._has_header and self.names
        return (self.row({name: name for name in self.names}) + "\n").encode() if has_header else b""

    def row(self, values: Mapping[str, Any]) -> str:
        """Return a row in the format of valid rows."""
        cells = [_cell_text(values.get(name)) for name in self.names]
        if self.kind == LINES:
            return cells[0] or ""
        mark = self._delimiter
        return mark.join(self._missing if each is None else csv_cell(each, mark) for each in cells)

    def reject_schema(self) -> Any:
        schema = with_row_column(self.names)
        has_row = not self.from_csv or ROW in self.inner.names
        return schema if has_row else schema.remove(schema.get_field_index(ROW))

    def batches(self, start: Position) -> Iterator[Batch]:
        for batch in self.inner.batches(start):
            yield self._batch(batch)

    def _batch(self, batch: Any) -> RejectLines:
        lines, past, broken, unread = [], [], {}, {}
        rows = self._cells(batch) if self.from_csv else self._objects(batch)
        for at, (own, reserved, place) in enumerate(rows):
            origin = _origin(reserved.get(SOURCE), place)
            code, row = _whole_row_code(reserved.get(ERRORS), place), reserved.get(ROW)
            if row is not None:
                if not isinstance(row, str) or isinstance(row, Number) or not _is_text(row):
                    raise JobError(message("rejects-column-changed", place=place, column=ROW))
                if self.kind == JSONL and not self.from_csv and code == MALFORMED_ROW and _is_object(row):
                    own = row
                else:
                    unread[at], broken[at] = row, _unread(code)
                    own = "{}"
            elif self.kind != JSONL and "base64" in own and _has_bytes(own):
                broken[at] = RowError(None, NOT_UTF8, message=message("cell-base64"))
            if origin.masked:
                broken[at] = MASKED_ROW
            past.append(origin)
            lines.append(own.encode(errors="surrogatepass"))
        block = b"".join([line + b"\n" for line in lines])
        ends = np.array(list(accumulate(len(line) + 1 for line in lines)), np.int64)
        begins = np.zeros(len(ends), np.int64)
        begins[1:] = ends[:-1]
        good = usable(len(lines), [at for at, error in broken.items() if error is not MASKED_ROW])
        reading = read(block, begins, ends - 1, good, list(self._columns.values()))
        for at, problem in reading.broken.items():
            broken[at], unread[at] = whole_row(MALFORMED_ROW, problem), lines[at].decode(errors="replace")
        return RejectLines(
            source=batch.source,
            rows=batch.rows,
            after=batch.after,
            octets=batch.octets,
            broken=dict(sorted(broken.items())),
            cut=Rows(block, begins, ends, len(block)),
            reading=Reading(
                {name: reading.texts[column.name] for name, column in self._columns.items()},
                {name: reading.wrong[column.name] for name, column in self._columns.items()},
                reading.broken,
            ),
            keys=self.names,
            id_steps=(),
            reader=self,
            read_from=batch,
            past=past,
            unread=unread,
        )

    def _row_names(self, batch: Batch) -> list[str]:
        places = [
            f"{batch.source}:{each.line}" if each.line else f"{batch.source}, row {each.row}"
            for each in batch.origins(range(batch.rows))
        ]
        for row, error in batch.broken.items():
            raise JobError(message("rejects-row-malformed", place=places[row], problem=error.message))
        return places

    def _objects(self, batch: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield each row of JSON Lines without its reserved members, these members, and its place."""
        for row, place in enumerate(self._row_names(batch)):
            text = batch.raw(row).decode()
            try:
                own_members = members(text)
            except ValueError as error:
                raise JobError(message("rejects-row-malformed", place=place, problem=str(error))) from None
            reserved = {key: value for key, value, _, _ in own_members if key in RESERVED}
            own = [key for key, _, _, _ in own_members if key not in RESERVED]
            if len(own_members) - len(own) != len(reserved):
                keys = [key for key, _, _, _ in own_members]
                repeated = next(key for key in reserved if keys.count(key) > 1)
                raise JobError(message("rejects-column-repeated", place=place, column=repeated))
            if missing := tuple(name for name in (ERRORS, SOURCE) if name not in reserved):
                raise JobError(message("rejects-lack", source=place, columns=missing, parameter="replay"))
            if unknown := [key for key in own if self.kind != JSONL and key not in self.names]:
                data = {"column": unknown[0], "columns": tuple(self.names)}
                raise JobError(message("rejects-column-unknown", place=place, **data))
            yield without(text, own_members, RESERVED), reserved, place

    def _cells(self, batch: CsvBatch) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield each row of CSV as JSON without its reserved cells, these cells, and its place."""
        for row, place in enumerate(self._row_names(batch)):
            cells = batch.cells(row)
            assert cells is not None  # other rows were rejected by _row_names
            texts = {
                name: None if cell is None else cell.decode()
                for name, cell in zip(batch.reader.keys, cells, strict=True)
            }
            reserved: dict[str, Any] = {name: texts.pop(name, None) for name in RESERVED}
            for name in (ERRORS, SOURCE):
                try:
                    reserved[name] = jsonable.loads_exact(reserved[name] or "")
                except (ValueError, RecursionError):
                    problem = message("rejects-column-changed", place=place, column=name)
                    raise JobError(problem) from None
            yield jsonable.dumps(texts), reserved, place


def _has_bytes(text: str) -> bool:
    """Return whether a cell is not UTF-8."""
    return any(isinstance(value, dict) and value.keys() == {"base64"} for _, value, _, _ in members(text))


def _is_object(text: str) -> bool:
    try:
        members(text)
    except ValueError:
        return False
    return "\n" not in text


def replay_reader(job: Job, sources: Sequence[SourceFile], note: Callable[[str], None]) -> Any:
    """Return the reader of rejects. Raises JobError for other files, and for valid rows in another format."""
    kind = sources[0].format.name
    try:
        output_format = kind if job.valid is None else format_of(str(job.valid)).name
    except JobError:
        output_format = kind
    possible = {PARQUET: TABLES, CSV: (*DELIMITERS, LINES), JSONL: (JSONL, *DELIMITERS, LINES)}.get(kind)
    if possible is None:
        raise JobError(message("format-not-of-rejects", source=sources[0].shown, format=kind))
    if output_format not in possible:
        path, formats = str(job.valid), tuple(possible)
        data = {"source": sources[0].shown, "format": output_format, "formats": formats}
        raise JobError(message("format-of-replayed", path=path, **data))
    inner: Any
    if kind == PARQUET:
        inner = TableReader(sources, None)
        _check_names(sources[0], inner.schema.names)
        return RejectTableReader(inner, output_format)
    arguments = (sources, None, None, job.max_row_bytes, note)
    if kind == CSV:
        inner = CsvReader(*arguments)
        _check_names(sources[0], inner.names)
        names = [name for name in inner.keys if name not in RESERVED]
    else:
        inner = LinesReader(*arguments)
        names = first_keys(inner, _check_names, RESERVED)
    return RejectTextReader(job, inner, output_format, names)


def _check_names(source: SourceFile, names: Sequence[str]) -> None:
    if missing := tuple(name for name in (ERRORS, SOURCE) if name not in names):
        raise JobError(message("rejects-lack", source=source.shown, columns=missing, parameter="replay"))
