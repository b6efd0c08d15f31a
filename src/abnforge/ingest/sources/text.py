"""Read text files in blocks of whole rows; read plain lines."""

from __future__ import annotations

import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from abnforge.columns.fields import RowError
from abnforge.ingest import storage
from abnforge.ingest.batch import ROW, Array, Batch, Column, Position, RowOrigin, Table, Texts, TypeProblem
from abnforge.ingest.jsonable import dump_string
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.sources import records
from abnforge.ingest.sources.discovery import STDIN, SourceFile
from abnforge.ingest.sources.records import LF, Rows, lines, octets_of, without_line_ends
from abnforge.ingest.sources.streams import Stream
from abnforge.rejection import MALFORMED_ROW, NOT_UTF8, TOO_LONG

BLOCK = 1 << 23  # size of a batch in bytes
_KEPT = 1 << 10  # number of bytes of an oversized row that are kept for its reject


@dataclass(kw_only=True)
class TextBatch(Batch):
    """Rows of a block of text."""

    cut: Rows
    before: Position = field(default_factory=Position)
    mark: int = 0  # bytes before the first row that positions do not count
    id_name: str | None = None
    folders: Mapping[str, str | None] = field(default_factory=dict)  # partition keys and values

    # ---- differs by format; partition keys are handled below ----

    @abstractmethod
    def own_texts(self, column: Column) -> Texts:
        """Return the strings of a column that is not a partition key."""

    def own_type_errors(self, column: Column) -> Mapping[int, Sequence[TypeProblem]]:
        """Return the rows whose value in a column is not a string, each with a message."""
        return {}

    def own_ids(self, rows: Sequence[int], name: str) -> Sequence[object]:
        """Return the identifiers of rows from a column that is not a partition key."""
        return [None] * len(rows)

    @abstractmethod
    def own_json(self, rows: Sequence[int]) -> list[str]:
        """Return rows as JSON objects without the closing brace."""

    @abstractmethod
    def own_table(self, rows: Sequence[int]) -> Table:
        """Return rows as a RecordBatch."""

    def lacks(self, row: int, key: str) -> bool:
        """Return whether a row has no value under a key that is not a column."""
        return True

    # ---- shared ----

    def texts(self, column: Column) -> Texts:
        if column.plain not in self.folders:
            return self.own_texts(column)
        value = pa.array([self.folders[column.plain]], pa.string())
        return Texts(pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), self.rows), value))

    def type_errors(self, column: Column) -> Mapping[int, Sequence[TypeProblem]]:
        return {} if column.plain in self.folders else self.own_type_errors(column)

    def as_json(self, rows: Sequence[int]) -> list[str]:
        objects = self.own_json(rows)
        for key, value in self.folders.items():
            more = f"{dump_string(key)}:{'null' if value is None else dump_string(value)}"
            objects = [
                f"{each}{'' if each == '{' else ','}{more}" if self.lacks(row, key) else each
                for row, each in zip(rows, objects, strict=True)
            ]
        return objects

    def as_table(self, rows: Sequence[int]) -> Table:
        table = self.own_table(rows)
        for key, value in self.folders.items():
            column = pa.repeat(pa.scalar(value, pa.string()), len(rows))
            table = table.append_column(pa.field(key, pa.string()), column)
        return table

    def raw(self, row: int) -> bytes:
        """Return a row unchanged, without its line ending."""
        cut = self.cut
        data = cut.block[int(cut.begins[row]) : int(cut.ends[row])]
        if data.endswith(b"\n"):
            data = data[:-1].removesuffix(b"\r")
        return data

    def select(self, good: Array) -> bytes | memoryview:
        cut = self.cut
        if good is None and not cut.gaps:
            return memoryview(cut.block)[: cut.behind]
        mask = np.ones(self.rows, np.bool_) if good is None else good.to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(mask)
        if not len(rows):
            return b""
        is_apart = cut.begins[rows[1:]] != cut.ends[rows[:-1]]
        begins = cut.begins[rows[np.r_[True, is_apart]]].tolist()
        ends = cut.ends[rows[np.r_[is_apart, True]]].tolist()
        view = memoryview(cut.block)
        return b"".join([view[a:b] for a, b in zip(begins, ends, strict=True)])

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        before = self.before
        lines = self.lines_before(rows)
        offsets = self.cut.begins[list(rows)].tolist()
        ids = self.ids(rows)
        return [
            RowOrigin(before.row + row, before.line + line + 1, self.mark + before.offset + offset, each)
            for row, line, offset, each in zip(rows, lines, offsets, ids, strict=True)
        ]

    def lines_before(self, rows: Sequence[int]) -> list[int]:
        """Return the number of lines of the block before each row."""
        if not self.cut.gaps:
            return list(rows)
        feeds = np.flatnonzero(octets_of(self.cut.block) == LF)
        numbers: list[int] = np.searchsorted(feeds, self.cut.begins[list(rows)]).tolist()
        return numbers

    def ids(self, rows: Sequence[int]) -> Sequence[object]:
        if self.id_name is None or self.id_name in self.folders:
            return [self.folders.get(self.id_name or "")] * len(rows)
        return self.own_ids(rows, self.id_name)

    def as_text(self, row: int) -> str:
        """Return a malformed row unchanged, in base64 if it is not UTF-8."""
        data = self.raw(row)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(data).decode()


class TextReader(ABC):
    """The sources of a job, read as text."""

    id_type = pa.string()

    def __init__(
        self,
        sources: Sequence[SourceFile],
        id_name: str | None,
        encoding: str | None,
        most: int,
        note: Callable[[str], None],
    ) -> None:
        self.sources = sources
        self.id_name = id_name
        self.encoding = encoding
        self.most = most
        self._note = note
        self.folders = tuple(key for key, _ in sources[0].partitions)  # equal for all sources
        self._marks: set[str] = set()
        self._peeked: dict[int, tuple[Stream, bytearray]] = {}

    # ---- differs by format ----

    @abstractmethod
    def check(self, columns: Sequence[Column]) -> None:
        """Raise JobError for an unknown column."""

    @abstractmethod
    def cut(self, block: bytes, final: bool) -> Rows:
        """Split a block into rows."""

    @abstractmethod
    def batch(self, cut: Rows, *, broken: dict[int, RowError], **fields: Any) -> TextBatch:
        """Return rows as a batch; rows in ``broken`` are not parsed."""

    def begin(self, number: int) -> Position:
        """Return the position of the first row of a source."""
        return Position(number)

    def header(self, flagged: bool) -> bytes:
        """Return the bytes before all rows."""
        return b""

    def described(self) -> str:
        """Return the data that all rows share, which is part of the job's identity."""
        return ""

    @abstractmethod
    def own_columns(self) -> Sequence[str]:
        """Return the known columns of the rows, each once, without partition keys."""

    @abstractmethod
    def own_schema(self) -> Any:
        """Return the schema of rejects without partition keys."""

    # ---- shared ----

    @property
    def keys_of_folders(self) -> list[str]:
        """The partition keys that are not columns of the rows: a row's own value takes precedence."""
        own = self.own_columns()
        return [key for key in self.folders if key not in own]

    def reject_schema(self) -> Any:
        """Return the schema of rejects."""
        schema = self.own_schema()
        for key in self.keys_of_folders:
            schema = schema.append(pa.field(key, pa.string()))
        return schema

    def rows(self) -> int | None:
        return None

    def octets(self) -> int | None:
        """Return the size of all sources, if batches count the same bytes."""
        if any(source.format.compression for source in self.sources) or self.encoding:
            return None
        return sum(storage.size_of(source.path) for source in self.sources)

    def peek(self, number: int, size: int) -> bytes:
        """Return the first bytes of a source."""
        stream, buffer = self._opened(number)
        try:
            self._fill(stream, buffer, size)
        finally:
            if self.sources[number].path != STDIN:
                self._peeked.pop(number)
                stream.close()
        return bytes(buffer[:size])

    @property
    def layout_of_columns(self) -> Any:
        """The columns that all sources must have; None for rows with any columns."""
        return None

    def verify(self) -> None:
        """Read compressed or encoded sources. Raises JobError for one that cannot be read to its end."""
        for number, source in enumerate(self.sources):
            self.peek(number, 1)
            if source.format.compression or self.encoding:
                for _ in self.scan(number):
                    pass

    def scan(self, number: int) -> Iterator[bytes]:
        """Yield the bytes of a source in blocks of whole lines; of standard input only the first block."""
        if self.sources[number].path == STDIN:
            yield self.peek(number, BLOCK)
            return
        stream = Stream(self.sources[number], self.encoding)
        rest = b""
        try:
            while data := stream.read():
                lines, feed, rest = (rest + data).rpartition(b"\n")
                yield lines + feed
            yield rest
        finally:
            stream.close()

    def batches(self, start: Position) -> Iterator[Batch]:
        for number in range(start.source, len(self.sources)):
            begin = self.begin(number)
            yield from self._of(number, start if number == start.source and start.offset else begin)

    def _opened(self, number: int) -> tuple[Stream, bytearray]:
        if number not in self._peeked:
            self._peeked[number] = (Stream(self.sources[number], self.encoding), bytearray())
        return self._peeked[number]

    def _of(self, number: int, at: Position) -> Iterator[Batch]:
        source = self.sources[number]
        stream, buffer = self._opened(number)
        digest = None
        try:
            if source.path == STDIN:
                digest = self._passed(stream, buffer, at)
            else:
                stream.skip(at.offset)
            size = BLOCK
            while True:
                ended = self._fill(stream, buffer, size)
                self._note_mark(stream)
                if not buffer:
                    return
                block = bytes(memoryview(buffer)[:size])
                cut = self.cut(block, ended and len(block) == len(buffer))
                if not cut.behind and len(block) <= self.most:
                    size = min(2 * size, self.most + 1)
                    continue
                if cut.behind:
                    gone = cut.behind
                    if digest is not None:
                        digest.update(block[:gone])
                    del buffer[:gone]
                    broken = _broken(cut, self.most, self.encoding)
                else:
                    gone, cut = self._too_long(stream, buffer, block, digest)
                    broken = {0: _too_long_error(gone, self.most)}
                batch = self._batch(source, cut, at, gone, broken, stream.mark)
                if digest is not None:
                    batch.after = batch.after._replace(digest=digest.hexdigest())
                at, size = batch.after, BLOCK
                if batch.rows:  # else the block consists of comments
                    yield batch
        finally:
            self._peeked.pop(number, None)
            stream.close()

    def _batch(
        self, source: SourceFile, cut: Rows, at: Position, gone: int, broken: dict[int, RowError], mark: int
    ) -> TextBatch:
        lines = cut.block.count(b"\n", 0, cut.behind) or 1
        return self.batch(
            cut,
            source=source.shown,
            rows=len(cut),
            after=Position(at.source, at.row + len(cut), at.line + lines, at.offset + gone),
            octets=gone,
            broken=broken,
            before=at,
            mark=mark,
            id_name=self.id_name,
            folders={key: value for key, value in source.partitions if key in self.keys_of_folders},
        )

    def _fill(self, stream: Stream, buffer: bytearray, size: int) -> bool:
        """Read until the buffer has more than ``size`` bytes. Return whether the source has ended."""
        while len(buffer) <= size:  # one more byte shows whether the source continues
            data = stream.read()
            if not data:
                return True
            buffer += data
        return False

    def _passed(self, stream: Stream, buffer: bytearray, at: Position) -> Any:
        """Read again the bytes of standard input before a position. Raises ConflictError if they changed."""
        digest = hashlib.sha256()
        left = at.offset
        while left:
            ended = self._fill(stream, buffer, min(left, BLOCK))
            size = min(left, len(buffer))
            digest.update(memoryview(buffer)[:size])
            del buffer[:size]
            left -= size
            if ended and left:
                break
        if left or (at.digest and digest.hexdigest() != at.digest):
            raise ConflictError(message("stdin-changed", parameter="resume"))
        return digest

    def _too_long(self, stream: Stream, buffer: bytearray, block: bytes, digest: Any) -> tuple[int, Rows]:
        """Skip the oversized first row of a block. Return its size and its beginning, which is kept."""
        gone = 0
        while True:
            feed = buffer.find(b"\n")
            size = len(buffer) if feed < 0 else feed + 1
            if digest is not None:
                digest.update(memoryview(buffer)[:size])
            del buffer[:size]
            gone += size
            if feed >= 0 or not (data := stream.read()):
                head = block[:_KEPT]
                return gone, Rows(head, np.array([0]), np.array([len(head)]), len(head))
            buffer += data

    def _note_mark(self, stream: Stream) -> None:
        if stream.mark and stream.source.shown not in self._marks:
            self._marks.add(stream.source.shown)
            self._note(message("byte-order-mark", source=stream.source.shown))


def _broken(cut: Rows, most: int, encoding: str | None) -> dict[int, RowError]:
    errors = {row: whole_row(MALFORMED_ROW, problem) for row, problem in cut.broken.items()}
    for row in np.flatnonzero(cut.ends - cut.begins > most).tolist():
        errors[row] = _too_long_error(int(cut.ends[row] - cut.begins[row]), most)
    view = memoryview(cut.block)[: cut.behind]
    if records.is_utf8(view):
        return errors
    at = 0
    while True:
        try:
            str(view[at:], "utf-8")
            return dict(sorted(errors.items()))
        except UnicodeDecodeError as error:
            place = at + error.start
            row = int(np.searchsorted(cut.ends, place, "right"))
            if row == len(cut) or place < cut.begins[row]:  # in a comment
                at = cut.block.find(b"\n", place) + 1 or cut.behind
                continue
            offset = place - int(cut.begins[row])
            byte = f"0x{view[place]:02X}"
            if encoding is None:
                problem = message("row-byte-not-utf8", byte=byte, offset=offset, reason=error.reason)
            else:  # the row was converted to UTF-8
                characters = len(str(view[place - offset : place], "utf-8", "replace"))
                problem = message("row-byte-not-encoded", byte=byte, offset=characters, encoding=encoding)
            errors.setdefault(row, whole_row(NOT_UTF8, problem, offset))
            at = int(cut.ends[row])


def _too_long_error(size: int, most: int) -> RowError:
    return whole_row(TOO_LONG, message("row-beyond-limit", size=size, limit=most))


def whole_row(code: str, message: str, offset: int | None = None) -> RowError:
    """Return an error of a row as a whole."""
    end = None if offset is None else offset + 1
    return RowError(None, code, offset=offset, start=offset, end=end, message=message)


def usable(rows: int, broken: Collection[int]) -> Any:
    """Return a boolean numpy array that marks the readable rows."""
    good = np.ones(rows, np.bool_)
    good[list(broken)] = False
    return good


def string_array(block: bytes, begins: Any, ends: Any, there: Any, dropped: Any = None) -> Array:
    """Return slices of a block as an Arrow string array, null where ``there`` is false."""
    offsets, data = records.concatenate(block, begins, ends, dropped)
    valid = None if there.all() else pa.array(there).buffers()[1]
    buffers = [valid, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(begins), buffers)


def with_row_column(names: Sequence[str]) -> Any:
    """Return a schema of strings with a column for malformed rows."""
    return pa.schema([(name, pa.string()) for name in dict.fromkeys([*names, ROW])])


class LinesReader(TextReader):
    """Plain lines. Their only column has the name that the job requests."""

    name = "line"

    def check(self, columns: Sequence[Column]) -> None:
        if self.id_name is not None and self.id_name not in self.folders:
            raise JobError(message("id-of-lines", parameter="id"))
        own = [column for column in columns if column.plain not in self.folders]
        if len(own) > 1:
            names = tuple(column.name for column in own)
            raise JobError(message("lines-one-column", count=len(own), columns=names))
        if own:
            self.name = own[0].plain

    def cut(self, block: bytes, final: bool) -> Rows:
        return lines(block, final)

    def batch(self, cut: Rows, **fields: Any) -> LinesBatch:
        lines_batch = LinesBatch(cut=cut, **fields)
        lines_batch.name = self.name
        return lines_batch

    def header(self, flagged: bool) -> bytes:
        if flagged:
            raise _without_flag()
        return b""

    def own_columns(self) -> Sequence[str]:
        return [self.name]

    def own_schema(self) -> Any:
        return with_row_column([self.name])


class LinesBatch(TextBatch):
    """Rows of a block of plain lines."""

    name = "line"

    def own_texts(self, column: Column) -> Texts:
        good = usable(self.rows, self.broken)
        ends = without_line_ends(self.cut)
        return Texts(string_array(self.cut.block, self.cut.begins * good, ends * good, good))

    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Any:
        raise _without_flag()  # the header raised this error before any row was read

    def own_json(self, rows: Sequence[int]) -> list[str]:
        return [
            "{" + f"{dump_string(ROW if row in self.broken else self.name)}:{dump_string(self.as_text(row))}"
            for row in rows
        ]

    def own_table(self, rows: Sequence[int]) -> Table:
        dicts = [{ROW if row in self.broken else self.name: self.as_text(row)} for row in rows]
        return pa.RecordBatch.from_pylist(dicts, with_row_column([self.name]))


def _without_flag() -> JobError:
    return JobError(message("lines-without-flag", parameter="on_error"))
