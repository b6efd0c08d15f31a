"""Rejects of another job as sources: their rows in the shape that they had, to be judged again.

A quarantine is read as any file of its format; each part of it becomes one whose rows have their own columns
alone, and know where they were from at first. Rows of text are read as they are accepted: those of CSV by the
columns of the quarantine, those of JSON Lines and plain lines by themselves. Tables keep their types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import jsonable
from abnforge.ingest.batch import AS_WRITTEN, ERRORS, ROW, SOURCE, Batch, Column, Position, unknown_column
from abnforge.ingest.job import Job
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.quarantine import RESERVED, Row, Shape
from abnforge.ingest.replayed import TableReplay, TextReplay, place_of, refuse_unreadable
from abnforge.ingest.sinks.rejects import csv_cell
from abnforge.ingest.sinks.rows import Assemble, arrow, parquet
from abnforge.ingest.sources.arrow import ArrowBatch, TableReader
from abnforge.ingest.sources.csv import CsvBatch, CsvReader, check_csv_options
from abnforge.ingest.sources.discovery import (
    ARROW,
    CSV,
    DELIMITERS,
    JSONL,
    LINES,
    PARQUET,
    TABLES,
    Source,
    format_of,
)
from abnforge.ingest.sources.text import BLOCK, LinesReader, with_row_column

_AT_ONCE = 1 << 10  # rows of a table that are values of Python at a time
_LOOKED_AT = 1_000  # rows at the beginning of JSON Lines that tell which columns there are


class _Replaying:
    """What readers of quarantines have in common: an ordinary reader of the files."""

    def __init__(self, job: Job, inner: Any, kind: str) -> None:
        self.job = job
        self.inner = inner
        self.sources: Sequence[Source] = inner.sources
        self.kind = kind  # the format of accepted rows
        self.partitions: dict[str, Any] = {}

    def described(self) -> str:
        told: str = self.inner.described()
        return told

    def octets(self) -> int | None:
        size: int | None = self.inner.octets()
        return size

    def rows(self) -> int | None:
        count: int | None = self.inner.rows()
        return count

    def header(self, flagged: bool) -> bytes:
        return b""


class TableReplayReader(_Replaying):
    """Quarantines that are tables of rows which were tables before."""

    id_type: Any

    def __init__(self, job: Job, inner: TableReader, kind: str, note: Callable[[str], None]) -> None:
        super().__init__(job, inner, kind)
        own = [field for field in inner.schema if field.name not in (ERRORS, SOURCE)]
        known = {key: each for key, each in (inner.schema.metadata or {}).items() if key != AS_WRITTEN}
        self.schema = pa.schema(own, known or None)
        for source in self.sources:
            if AS_WRITTEN not in (pq.read_schema(source.path).metadata or {}):
                note(message("rejects-rewritten", source=source.shown))
                break
        self._source_type = inner.schema.field(SOURCE).type
        if not pa.types.is_struct(self._source_type) or self._source_type.get_field_index("id") < 0:
            place = self.sources[0].shown
            raise JobError(message("rejects-column-changed", place=place, column=SOURCE))
        self.id_type = self._source_type.field("id").type

    @property
    def masking(self) -> bool:
        """Whether rows tell what was hidden of them."""
        return bool(self._source_type.get_field_index("masked") >= 0)

    def check(self, columns: Sequence[Column]) -> None:
        for column in columns:
            self.inner.check([column])

    def reject_schema(self) -> Any:
        return self.schema

    def assemble(self) -> Assemble:
        if self.kind == ARROW:
            return arrow(PurePath(self.job.valid or "").suffix.lower() != ".arrows", None)
        return parquet({"compression": "zstd"})

    def batches(self, start: Position) -> Iterator[Batch]:
        batch: ArrowBatch
        for batch in self.inner.batches(start):
            yield TableReplay.of(batch)


class TextReplayReader(_Replaying):
    """Quarantines of rows that were text before, in any format that rejects are written in."""

    id_type = pa.string()
    masking = True

    def __init__(self, job: Job, inner: Any, kind: str, names: Sequence[str]) -> None:
        super().__init__(job, inner, kind)
        self.names = list(names)
        if kind == LINES and len(names) > 1:
            raise JobError(message("lines-one-column-rejects", path=str(job.valid), count=len(names)))
        # Rows of a table that were written to CSV lack _row: all of them have columns.
        self._has_row = not isinstance(inner, CsvReader) or ROW in inner.names or kind == JSONL
        check_csv_options(job.layout, kind)
        mark = job.layout.delimiter or DELIMITERS.get(kind, ",")
        self.shape = Shape(kind, self.names, mark, job.max_row_bytes)
        self.columns: dict[str, Column] = {}

    def check(self, columns: Sequence[Column]) -> None:
        if self.kind == LINES and not self.names:
            self.names.append(columns[0].plain)
        for column in columns:
            as_json, plain = column, column.plain
            if plain in self.names and (self.kind != JSONL or column.steps[0] not in self.names):
                as_json = Column(re.sub(r"([.\[\\])", r"\\\1", plain), column.rule)
            if self.names and as_json.steps[0] not in self.names:
                raise JobError(unknown_column(plain, self.names))
            self.columns[column.name] = as_json

    def header(self, flagged: bool) -> bytes:
        if self.kind not in DELIMITERS or not self.names or self.job.layout.names is not None:
            return b""
        mark = self.shape.delimiter
        return (mark.join(csv_cell(name, mark) for name in self.names) + "\n").encode()

    def reject_schema(self) -> Any:
        if self._has_row:
            return with_row_column(self.names)
        return pa.schema([(name, pa.string()) for name in self.names])

    def batches(self, start: Position) -> Iterator[Batch]:
        for batch in self.inner.batches(start):
            refuse_unreadable(batch)
            yield TextReplay.of(batch, self._rows(batch), self.shape, self.columns, self.reject_schema())

    def _rows(self, batch: Any) -> list[Row]:
        places = [place_of(batch, origin) for origin in batch.origins(range(batch.rows))]
        if isinstance(batch, CsvBatch):
            return [self._row_of_cells(batch, row, place) for row, place in enumerate(places)]
        if isinstance(batch, ArrowBatch):
            some = batch.table.to_batches(max_chunksize=_AT_ONCE)  # values of Python take ten times as much
            given = zip(chain.from_iterable(batch.to_pylist() for batch in some), places, strict=True)
            return [
                self.shape.row_of_cells(
                    {name: each for name, each in told.items() if name not in (ERRORS, SOURCE)},
                    told[ERRORS],
                    told[SOURCE],
                    place,
                )
                for told, place in given
            ]
        return [self.shape.row_of_text(batch.raw(row).decode(), place) for row, place in enumerate(places)]

    def _row_of_cells(self, batch: CsvBatch, row: int, place: str) -> Row:
        cells = batch.cells(row)
        assert cells is not None  # those that are no rows are refused before
        told = {
            name: None if cell is None else cell.decode()
            for name, cell in zip(batch.reader.keys, cells, strict=True)
        }
        return self.shape.row_of_cells(
            told, _json(told.pop(ERRORS), ERRORS, place), _json(told.pop(SOURCE), SOURCE, place), place
        )


def _json(text: str | None, name: str, place: str) -> Any:
    try:
        return None if text is None else jsonable.loads_exact(text)
    except (ValueError, RecursionError):
        raise JobError(message("rejects-column-changed", place=place, column=name)) from None


def replay_reader(job: Job, sources: Sequence[Source], note: Callable[[str], None]) -> Any:
    """What reads the quarantines that are a job's sources. Raises JobError for files that are none, and where
    accepted rows cannot have the format that is asked for.
    """
    kind = sources[0].format.name
    wanted = _wanted(job, kind)
    if kind == PARQUET:
        tables = TableReader(sources, None)
        _refuse_without(sources[0], tables.schema.names)
        own = [name for name in tables.schema.names if name not in RESERVED]
        if ROW not in tables.schema.names:
            _refuse(job, wanted, TABLES)
            return TableReplayReader(job, tables, wanted, note)
        _refuse(job, wanted, (JSONL, *DELIMITERS, LINES))
        return TextReplayReader(job, tables, wanted, own)
    _refuse(job, wanted, (JSONL, *DELIMITERS, LINES))  # other rejects than Parquet lack the types of a table
    if kind == CSV:
        cells = CsvReader(sources, None, None, job.max_row_bytes, note)
        _refuse_without(sources[0], cells.names)
        return TextReplayReader(job, cells, wanted, [name for name in cells.keys if name not in RESERVED])
    if kind != JSONL:
        raise JobError(message("format-not-of-rejects", source=sources[0].shown, format=kind))
    lines = LinesReader(sources, None, None, job.max_row_bytes, note)
    return TextReplayReader(job, lines, wanted, _keys(lines))


def _wanted(job: Job, kind: str) -> str:
    """The format of accepted rows: as the name says, else that of the quarantine."""
    if job.valid is None:
        return kind
    try:
        return format_of(str(job.valid)).name
    except JobError:
        return kind


def _refuse(job: Job, wanted: str, possible: Sequence[str]) -> None:
    if job.valid is not None and wanted not in possible:
        raise JobError(
            message(
                "format-of-replayed",
                path=str(job.valid),
                source=str(job.sources[0]),
                format=wanted,
                formats=tuple(possible),
            )
        )


def _refuse_without(source: Source, names: Sequence[str]) -> None:
    missing = tuple(name for name in (ERRORS, SOURCE) if name not in names)
    if missing:
        raise JobError(message("rejects-lack", source=source.shown, columns=missing, parameter="replay"))


def _keys(lines: LinesReader) -> list[str]:
    """The columns of the first rows of the first file that has any."""
    found: dict[str, None] = {}
    for number, source in enumerate(lines.sources):
        block = lines.peek(number, BLOCK)
        for row in block.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]:
            try:
                value = json.loads(row, parse_int=float)
            except (ValueError, RecursionError):
                continue  # told with its line, when it is read
            if isinstance(value, dict):
                _refuse_without(source, list(value))
                found.update(dict.fromkeys(value))
        found = dict.fromkeys(name for name in found if name not in RESERVED)
        if found:
            break
    return list(found)
