"""Read Parquet and Arrow IPC files in batches."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.columns.arrays import filter_table, take
from abnforge.columns.fields import RowError
from abnforge.ingest import jsonable, storage
from abnforge.ingest.batch import (
    ERROR_LIST,
    Array,
    Batch,
    Column,
    Identifiers,
    Position,
    RowOrigin,
    Table,
    Texts,
    TypeProblem,
    as_array,
    unique_names,
)
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.nested import as_one_array, id_in, steps_in, texts_at
from abnforge.ingest.sources.discovery import PARQUET, STDIN, SourceFile
from abnforge.ingest.sources.drift import aligned, combine

BATCH_ROWS = 1 << 15  # rows per read, unless a batch has fewer
FIRST_ROWS = 1 << 10  # rows for the estimate of the size of a row
# A batch has at least LEAST_ROWS rows if possible, and ends with a row group unless that is larger.
LEAST_ROWS = 1 << 16
MOST_ROWS = 1 << 20
MOST_OCTETS = 1 << 23  # maximum size in bytes, because several batches are in memory at a time
_BUFFER = 1 << 20


@dataclass
class ArrowBatch(Batch):
    """Rows of an Arrow table."""

    table: Table = None
    first: int = 0
    id_steps: Sequence[str] = ()

    def texts(self, column: Column) -> Texts:
        return texts_at(self.table, steps_in(self.table.schema, column))

    def type_errors(self, column: Column) -> Mapping[int, Sequence[TypeProblem]]:
        return {}

    def select(self, good: Array) -> Table:
        return self.table if good is None else filter_table(self.table, good)

    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Table:
        errors = [reasons.get(row) for row in range(self.rows)]
        return self.table.append_column(pa.field("_errors", ERROR_LIST), as_array(errors))

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        if not self.id_steps:
            return [RowOrigin(self.first + row, None, None) for row in rows]
        held = self._taken(self.table.select([self.id_steps[0]]), rows)
        ids = Identifiers(texts_at(held, self.id_steps).values).each()
        return [RowOrigin(self.first + row, None, None, each) for row, each in zip(rows, ids, strict=True)]

    def as_json(self, rows: Sequence[int]) -> list[str]:
        table = self._taken(self.table, rows)
        if not table.num_columns:
            return ["{"] * len(rows)
        cells = [
            [f"{jsonable.dump_string(name)}:{text}" for text in jsonable.texts(table.column(at))]
            for at, name in enumerate(unique_names(table.schema.names))
        ]
        return ["{" + ",".join(row) for row in zip(*cells, strict=True)]

    def as_table(self, rows: Sequence[int]) -> Table:
        return self._taken(self.table, rows)

    def _taken(self, table: Table, rows: Sequence[int]) -> Table:
        which = pa.array(rows, pa.int64())
        columns = [take(as_one_array(column), which) for column in table.columns]
        return pa.RecordBatch.from_arrays(columns, schema=table.schema)


class TableReader:
    """The sources of a job that are tables with the same schema."""

    def __init__(self, sources: Sequence[SourceFile], id_name: str | None, union: bool = False) -> None:
        self.sources = sources
        self._union = union
        self._held: dict[SourceFile, Any] = {}
        self.partitions = _partition_types(sources)
        schemas = [self._schema(source) for source in sources]
        self.own_names: Sequence[Sequence[str]] = [schema.names for schema in schemas]
        self.schema = schemas[0]
        for source, schema in zip(sources[1:], schemas[1:], strict=True):
            self.schema = combine(self.schema, schema, sources[0], source, union)
        self._id: Sequence[str] = ()
        self.id_type = pa.string()
        if id_name is not None:
            self._id, self.id_type = id_in(self.schema, id_name)

    @property
    def layout_of_columns(self) -> Any:
        """The schema."""
        return self.schema

    def verify(self) -> None:
        """Read all sources. Raises JobError for one that cannot be read to its end."""
        for source in self.sources:
            with open_source(source, self._held) as file:
                for _ in file.batches(0):
                    pass

    def check(self, columns: Sequence[Column]) -> None:
        """Raise JobError for an unknown column."""
        for column in columns:
            steps_in(self.schema, column)

    def described(self) -> str:
        """Return a digest of the schema and its metadata."""
        return hashlib.sha256(self.schema.serialize().to_pybytes()).hexdigest()

    def own_columns(self) -> list[str]:
        """Return the names of the columns."""
        names: list[str] = self.schema.names
        return names

    def reject_schema(self) -> Any:
        """Return the schema of rejects."""
        return self.schema

    def octets(self) -> int:
        """Return an estimate of the bytes of all batches."""
        if self.sources[0].format.name != PARQUET:
            return sum(storage.size_of(source.path) for source in self.sources)
        return sum(map(_uncompressed, self.sources))

    def rows(self) -> int | None:
        """Return the number of rows if it is known before they are read."""
        if self.sources[0].format.name != PARQUET:
            return None
        return sum(int(storage.parquet_metadata(source.path).num_rows) for source in self.sources)

    def batches(self, start: Position) -> Iterator[Batch]:
        for number in range(start.source, len(self.sources)):
            here = number == start.source
            yield from self._of(number, start.row if here else 0, start.digest if here else "")

    def _schema(self, source: SourceFile) -> Any:
        with open_source(source, self._held) as file:
            schema = file.schema
        for key, kind in self.partitions.items():
            if key not in schema.names:
                schema = schema.append(pa.field(key, kind))
        return schema

    def _of(self, number: int, row: int, digest: str) -> Iterator[Batch]:
        """Yield the batches of one source from a row at which a batch begins."""
        source = self.sources[number]
        held: list[Any] = []
        rows = octets = 0
        first = row
        with open_source(source, self._held) as file:
            for batch, ends_group in file.batches(row, digest):
                if batch is not None and len(batch):
                    held.append(self._with_partitions(source, batch))
                    rows += len(batch)
                    octets += batch.nbytes
                if held and (rows >= (LEAST_ROWS if ends_group else MOST_ROWS) or octets >= MOST_OCTETS):
                    yield self._batch(number, held, first, rows, octets, file.digest)
                    first, held, rows, octets = first + rows, [], 0, 0
            if held:
                yield self._batch(number, held, first, rows, octets, file.digest)

    def _batch(self, number: int, held: list[Any], first: int, rows: int, octets: int, digest: str) -> Batch:
        source = self.sources[number]
        table = pa.Table.from_batches(held, self.schema)
        after = Position(number, first + rows, digest=digest)
        return ArrowBatch(source.shown, rows, after, octets, table=table, first=first, id_steps=self._id)

    def _with_partitions(self, source: SourceFile, batch: Any) -> Any:
        if not self.partitions and not self._union:
            return batch.replace_schema_metadata(self.schema.metadata)
        columns, names = list(batch.columns), batch.schema.names
        for key, value in source.partitions:
            if key not in names:
                kind = self.partitions[key]
                typed = None if value is None else int(value) if pa.types.is_integer(kind) else value
                columns.append(pa.repeat(pa.scalar(typed, kind), len(batch)))
                names = [*names, key]
        if self._union:
            columns = aligned(dict(zip(names, columns, strict=True)), self.schema, len(batch))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _uncompressed(source: SourceFile) -> int:
    metadata = storage.parquet_metadata(source.path)
    return sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))


def _partition_types(sources: Sequence[SourceFile]) -> dict[str, Any]:
    """Return the types of partition keys: integers if all values are integers."""
    values: dict[str, list[str | None]] = {}
    for source in sources:
        for key, value in source.partitions:
            values.setdefault(key, []).append(value)

    def number(text: str | None) -> bool:
        return text is None or (
            text.isascii() and text.isdigit() and len(text) < 19 and text == str(int(text))
        )

    return {key: pa.int64() if all(map(number, texts)) else pa.string() for key, texts in values.items()}


class _Parquet:
    def __init__(self, source: SourceFile) -> None:
        if source.path == STDIN:
            raise JobError(message("stdin-not-seekable", format="Parquet"))
        is_uri = storage.is_uri(source.path)
        file = storage.open_file(source.path) if is_uri else source.path
        self._file = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=is_uri)
        self.schema = self._file.schema_arrow

    digest = ""

    def batches(self, row: int, digest: str = "") -> Iterator[tuple[Any, bool]]:
        """Yield batches, starting at a row, each with whether a row group ends after the batch."""
        metadata = self._file.metadata
        rows = self._batch_rows()
        begin = 0
        for group in range(metadata.num_row_groups):
            size = metadata.row_group(group).num_rows
            if begin + size > row:
                for batch in self._file.iter_batches(rows, row_groups=[group]):
                    behind = begin + len(batch)
                    if behind > row:
                        yield batch.slice(max(0, row - begin)), False
                    begin = behind
                yield None, True
            else:
                begin += size

    def _batch_rows(self) -> int:
        """Estimate from the first rows how many rows to read in one step, because rows may be large.

        The result depends on the file alone, so that a resumed job has the same batches.
        """
        for batch in self._file.iter_batches(min(FIRST_ROWS, BATCH_ROWS)):
            fitting: int = MOST_OCTETS * len(batch) // max(1, batch.nbytes)
            return min(BATCH_ROWS, 1 << fitting.bit_length())
        return BATCH_ROWS

    def close(self) -> None:
        self._file.close()


class _Batches:
    """Record batches that can be read once."""

    digest = ""

    def __init__(self, source: SourceFile) -> None:
        self._reader = source.batches
        self.schema = self._reader.schema

    def batches(self, row: int, digest: str = "") -> Iterator[tuple[Any, bool]]:
        """Yield the batches, split if they have too many rows."""
        for batch in self._reader:
            for at in range(0, len(batch), MOST_ROWS):
                yield batch.slice(at, MOST_ROWS), False
            yield None, True

    def close(self) -> None:
        self._reader.close()


class _Arrow:
    """An Arrow file in the file format or the stream format, which differ in their first bytes."""

    def __init__(self, source: SourceFile) -> None:
        self.digest = ""
        self._stdin = _Stdin() if source.path == STDIN else None
        self._stream = pa.PythonFile(self._stdin, "r") if self._stdin else storage.open_file(source.path)
        self._random = self._stdin is None and self._stream.read(6) == b"ARROW1"
        if self._stdin is None:
            self._stream.seek(0)
        self._reader = (pa.ipc.open_file if self._random else pa.ipc.open_stream)(self._stream)
        self.schema = self._reader.schema

    def batches(self, row: int, digest: str = "") -> Iterator[tuple[Any, bool]]:
        """Yield the batches from a row on. On standard input, the bytes before it must have this digest."""
        begin = 0
        for batch in self._batches():
            behind = begin + len(batch)
            if self._stdin and len(batch):  # the digest of bytes after the last row would not be reproducible
                self.digest = self._stdin.digest
            if digest and begin < row <= behind and self.digest != digest:
                break
            at = max(row, begin)
            while at < behind:
                size = min(behind - at, MOST_ROWS)
                yield batch.slice(at - begin, size), False
                at += size
            begin = behind
            yield None, True
        else:
            if begin >= row:
                return
        raise ConflictError(message("stdin-changed", parameter="resume"))

    def _batches(self) -> Iterator[Any]:
        if self._random:
            batches = map(self._reader.get_batch, range(self._reader.num_record_batches))
        else:
            batches = self._reader
        for batch in batches:
            for column in batch.columns:
                _require_sound(column)
            yield batch

    def close(self) -> None:
        self._stream.close()


_UNSOUND = re.compile("offset|indices|buffer|out of bounds", re.IGNORECASE)


def _require_sound(column: Array) -> None:
    """Raise ArrowInvalid for offsets, indexes or lengths that damage left; unusual values are not damage."""
    octets = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
    try:
        (column if octets is None else column.view(octets)).validate(full=True)
    except pa.ArrowInvalid as error:
        if _UNSOUND.search(str(error)):
            raise


class _Stdin:
    """Standard input as a file for pyarrow. It reads no more than it returns."""

    closed = False

    def __init__(self) -> None:
        if sys.stdin is None:
            raise JobError(message("stdin-closed"))
        self._digest = hashlib.sha256()
        self._begun = False

    @property
    def digest(self) -> str:
        """The digest of the bytes that were read."""
        return self._digest.hexdigest()

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := sys.stdin.buffer.read(size - len(data))):
            data += more
        if not self._begun and data:
            self._begun = True
            if data.startswith(b"ARRO"):
                raise JobError(message("stdin-not-seekable", format="random-access Arrow"))
        self._digest.update(data)
        return data

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: the process owns standard input."""


class open_source:
    """Open a source, and name it in pyarrow's errors. ``held`` sources, such as standard input, stay open."""

    def __init__(self, source: SourceFile, held: dict[SourceFile, Any] | None = None) -> None:
        self._source = source
        self._held = held if held is not None and not source.is_file else None
        self._file: Any = None if self._held is None else self._held.get(source)

    def __enter__(self) -> Any:
        if self._file is not None:
            return self._file
        try:
            if self._source.batches is not None:
                self._file = _Batches(self._source)
            else:
                kind = _Parquet if self._source.format.name == PARQUET else _Arrow
                self._file = kind(self._source)
        except (
            pa.ArrowInvalid,
            OSError,
        ) as error:  # pyarrow's own errors have no number; they are about malformed bytes
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise self._unreadable(error) from None
        if self._held is not None:
            self._held[self._source] = self._file
        return self._file

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._held is None:
            self._file.close()
        broken = isinstance(error, OSError) and error.errno is None
        if broken or isinstance(error, pa.ArrowInvalid):
            raise self._unreadable(error) from None
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror or str(error), self._source.shown) from None

    def _unreadable(self, error: BaseException) -> JobError:
        shown, kind = self._source.shown, self._source.format.name
        return JobError(message("source-unreadable", source=shown, format=kind, reason=str(error)))
