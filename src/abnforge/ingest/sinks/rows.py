"""Row outputs: files assembled from parts.

A part is a file in the working directory, with the rows of some batches. ``commit`` finishes a part,
``finish`` assembles all parts, and ``publish`` renames the file to the output. An interrupted job continues
after the last part of its checkpoint.
"""

from __future__ import annotations

import bz2
import filecmp
import gzip
import json
import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import jsonable, storage
from abnforge.ingest.batch import Table
from abnforge.ingest.checkpoint import Disk, File, WorkDir
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.nested import as_one_array
from abnforge.ingest.sources.discovery import (
    NULL_PARTITION,
    PARQUET,
    STDIN,
    SourceFile,
    is_arrow,
    is_arrow_stream,
)
from abnforge.ingest.sources.streams import encoded
from abnforge.outputs import output_at

OBJECT_BYTES = 1 << 27  # size of the parts that form one object in object storage
MOST_PARTITIONS = 10_000
LONGEST_NAME = 255  # maximum number of bytes of a directory's name in most file systems
_DIRECTORIES = b"abnforge-directories"
MOST_OCTETS = 3 << 23  # maximum size of a row group in memory, while other rows are validated

Assemble = Callable[[File, Any, Iterable[Table]], None]
Piece = TypeVar("Piece")


def writer_by_name(output: str, compression: str | None) -> Assemble:
    """Return the writer for a file name; ``compression`` applies to Arrow files."""
    if is_arrow(output):
        return arrow(not is_arrow_stream(output), compression)
    return parquet({"compression": "zstd"})


def writer_like(source: SourceFile, output: str) -> Assemble:
    """Return the writer of files with the compression and other options of a source.

    An output without an extension of Arrow, such as a pipe, is a file or a stream as the source is.
    """
    if source.batches is not None:
        return writer_by_name(output, "zstd")
    if source.format.name == PARQUET:
        return parquet(parquet_recipe(source.path), _largest_group(source.path))
    random, compression = (False, None) if source.path == STDIN else _arrow_recipe(source.path)
    return arrow(not is_arrow_stream(output) if is_arrow(output) else random, compression)


def parquet(recipe: dict[str, Any], rows: int = 1 << 20) -> Assemble:
    """Return a writer of Parquet files. A row group holds whole parts, within limits of rows and memory."""

    def assemble(file: File, schema: Any, parts: Iterable[Table]) -> None:
        with pq.ParquetWriter(file, schema, **recipe) as writer:
            for table in _together(parts, rows):
                writer.write_table(table, row_group_size=max(1, len(table)))
                del table  # release its memory before the next table is read

    return assemble


def _together(parts: Iterable[Table], rows: int) -> Iterator[Table]:
    held: list[Table] = []
    size = octets = 0
    for table in parts:
        if held and (size + len(table) > rows or octets + table.nbytes > MOST_OCTETS):
            yield pa.concat_tables(held)
            held, size, octets = [], 0, 0
        held.append(table)
        size, octets = size + len(table), octets + table.nbytes
    if held:
        yield pa.concat_tables(held)


def _largest_group(path: str) -> int:
    metadata = storage.parquet_metadata(path)
    return max((metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)), default=1)


def parquet_recipe(path: str) -> dict[str, Any]:
    """Return the recorded options of a Parquet file as arguments of ``ParquetWriter``."""
    metadata = storage.parquet_metadata(path)
    recipe: dict[str, Any] = {"store_schema": b"ARROW:schema" in (metadata.metadata or {})}
    if metadata.format_version in ("1.0", "2.4", "2.6"):
        recipe["version"] = metadata.format_version
    if not metadata.num_row_groups:
        return recipe
    group = metadata.row_group(0)
    columns = [group.column(at) for at in range(metadata.num_columns)]
    codecs = {each.path_in_schema: each.compression.lower() for each in columns}
    codecs = {name: "none" if codec == "uncompressed" else codec for name, codec in codecs.items()}
    codecs = {name: codec if codec in _CODECS else "zstd" for name, codec in codecs.items()}
    recipe["compression"] = codecs if len(set(codecs.values())) > 1 else next(iter(codecs.values()), "none")
    recipe["use_dictionary"] = [each.path_in_schema for each in columns if each.has_dictionary_page]
    recipe["write_statistics"] = [each.path_in_schema for each in columns if each.is_stats_set]
    if any(each.physical_type == "INT96" for each in columns):
        recipe["use_deprecated_int96_timestamps"] = True
    if group.sorting_columns:
        recipe["sorting_columns"] = group.sorting_columns
    return recipe


_CODECS = {"none", "snappy", "gzip", "brotli", "lz4", "zstd"}


def arrow(random: bool, compression: str | None) -> Assemble:
    """Return a writer of the Arrow file format, which allows random access, or of the stream format."""

    def assemble(file: File, schema: Any, parts: Iterable[Table]) -> None:
        options = pa.ipc.IpcWriteOptions(compression=compression, unify_dictionaries=random)
        new = pa.ipc.new_file if random else pa.ipc.new_stream
        with new(pa.PythonFile(file, "w"), schema, options=options) as writer:
            for table in _with_one_dictionary(parts) if random else parts:
                writer.write(table)

    return assemble


def _with_one_dictionary(parts: Iterable[Table]) -> Iterator[Table]:
    """Combine the tables that have dictionaries, because a file has one dictionary for each column."""
    held: list[Table] = []
    for table in parts:
        if not any(map(_has_dictionary, table.schema.types)):
            yield table
        else:
            held.append(table)
    if held:
        yield pa.concat_tables(held)


def _has_dictionary(kind: Any) -> bool:
    return pa.types.is_dictionary(kind) or any(
        _has_dictionary(kind.field(at).type) for at in range(kind.num_fields)
    )


def _arrow_recipe(path: str) -> tuple[bool, str | None]:
    """Return whether a file has the Arrow file format, and the compression of its first batch."""
    with storage.open_file(path) as stream:
        random = stream.read(6) == b"ARROW1"
        stream.seek(8 if random else 0)
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type == "record batch" and message.body is not None:
                return random, _MAGIC.get(message.body[8:12].to_pybytes())
    return random, None


_MAGIC = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstd"}  # follow the length of the first buffer


State = dict[str, Any]


class Sink(ABC, Generic[Piece]):
    """One output, which is assembled from parts: each checkpoint finishes a part.

    With ``alongside``, a thread assembles finished parts while rows are validated. In object storage the
    output is several objects, each uploaded as soon as its parts are large enough; ``ending`` is the suffix
    of their names.
    """

    ending = ""
    max_file_bytes: int | None = None

    def __init__(self, work: WorkDir, disk: Disk, alongside: bool = False) -> None:
        self.work = work
        self.disk = disk
        self.whole = work.path("whole")
        self._held: list[Piece] = []
        self._parts = 0
        self._alongside = alongside and work.remote is None
        self._objects = 0  # number of uploaded objects
        self._first = 0  # number of the first part that is not uploaded
        self._job = os.urandom(8).hex()  # names the uploads of this job
        self._assembly: _Assembly | None = None

    @abstractmethod
    def add(self, piece: Piece) -> None:
        """Add rows to the part that is not finished."""

    @abstractmethod
    def _packed(self) -> bytes | memoryview:
        """Return the bytes of a part."""

    @abstractmethod
    def _write(self, file: File, parts: Iterable[int]) -> None:
        """Write the output from these parts."""

    def state(self) -> State:
        """Return the state that a checkpoint saves."""
        return {"parts": self._parts, "first": self._first, "objects": self._objects, "job": self._job}

    def restore(self, state: State) -> None:
        """Set the state that a checkpoint saved."""
        self._held.clear()
        self._parts, self._first = state["parts"], state["first"]
        self._objects, self._job = state["objects"], state["job"]

    def check_parts(self) -> None:
        """Remove parts after the checkpoint. Raises ConflictError if a part is missing."""
        expected = {self._path(number).name for number in range(self._first, self._parts)}
        existing = {path.name for path in self.work.folder.glob("part-*")}
        if expected - existing:
            path = str(self.work.folder)
            raise ConflictError(message("checkpoint-parts-missing", path=path, parameter="resume"))
        for name in sorted(existing - expected):
            self.disk.remove(self.work.path(name))

    def commit(self) -> State:
        """Finish a part, make it durable, and return the state."""
        if self._held:
            self.disk.write(self._path(self._parts), self._packed())
            self.disk.sync_folder(self.work.folder)
            self._held.clear()
            self._parts += 1
            if self._alongside:
                self._assembly = self._assembly or _Assembly(self._assemble)
                self._assembly.go_on(self._parts)
            if self.work.remote is not None:
                self._upload_parts()
        return self.state()

    def finish(self) -> None:
        """Assemble all parts. This can be repeated after an interruption."""
        if self.work.remote is not None:
            if self._first < self._parts or not self._objects:
                self._upload()
        elif self._assembly is None:
            self._assemble(range(self._parts))
        else:
            self._assembly.end()

    def publish(self) -> None:
        """Rename the file to the output. A missing file was published before; an identical output is kept."""
        if self.work.remote is not None:
            self.disk.publish_remote(self.work.remote, self._job, self._names())
            return
        if not self.whole.exists():
            return
        output = output_at(self.work.output)
        if output.file and output.known and filecmp.cmp(self.whole, output.file, shallow=False):
            self.disk.remove(self.whole)
        else:
            self.disk.publish(self.whole, output)

    def close(self) -> None:
        """Stop the thread that assembles parts."""
        if self._assembly is not None:
            self._assembly.abandon()

    def _limit(self) -> int:
        return OBJECT_BYTES if self.max_file_bytes is None else self.max_file_bytes

    def _names(self) -> list[str]:
        """Return the names of the objects."""
        return [self._object(number) for number in range(self._objects)]

    def _upload_parts(self) -> None:
        """Remove parts that were uploaded before the last checkpoint; upload the others if large enough."""
        paths = sorted(self.work.folder.glob("part-*"))
        waiting = self._parts - self._first
        for path in paths[: len(paths) - waiting]:
            self.disk.remove(path)
        sizes = [path.stat().st_size for path in paths[len(paths) - waiting :]]
        if sum(sizes) + max(sizes) > self._limit():  # another part would probably be too much
            self._upload()

    def _upload(self) -> None:
        assert self.work.remote is not None
        self._assemble(range(self._first, self._parts))
        self.disk.upload(self.whole, self.work.remote, f"{self._job}/{self._object(self._objects)}")
        self._objects += 1
        self._first = self._parts

    def _object(self, number: int) -> str:
        return f"part-{number:06d}{self.ending}"

    def _assemble(self, parts: Iterable[int]) -> None:
        file = self.disk.create(self.whole)
        try:
            self._write(file, parts)
            file.sync()
        finally:
            file.close()

    def _path(self, number: int) -> Any:
        return self.work.path(f"part-{number:06d}")


def _zstd(data: bytes) -> bytes:
    packed: bytes = pa.Codec("zstd").compress(data, asbytes=True)
    return packed


# Compressed pieces can be concatenated (RFC 1952, 2.2; RFC 8878, 3.1).
_PACK: Mapping[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "gzip": lambda data: gzip.compress(data, 6, mtime=0),
    "bz2": bz2.compress,
    "zstd": _zstd,
}


class TextSink(Sink[bytes | memoryview]):
    """A file of text, concatenated from its parts. Rows are added in UTF-8, whatever the file's encoding."""

    def __init__(
        self,
        work: WorkDir,
        disk: Disk,
        compression: str | None = None,
        header: bytes = b"",
        encoding: str | None = None,
        alongside: bool = False,
    ) -> None:
        super().__init__(work, disk, alongside)
        self._header = header
        self._encoding = encoding
        self._pack = _PACK[compression]
        self._open_line = False  # True if the last row has no line ending
        self.add(header)

    def state(self) -> State:
        return {**super().state(), "open_line": self._open_line}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._open_line = state["open_line"]

    def add(self, piece: bytes | memoryview) -> None:
        """Add whole lines; if the last line of a source lacks its ending, add it before the next line."""
        if not len(piece):
            return
        if self._open_line:
            self._held.append(b"\n")
        self._held.append(piece)
        self._open_line = piece[-1] != 10

    def _packed(self) -> bytes:
        return self._pack(encoded(b"".join(self._held), self._encoding, self._parts == 0))

    def _upload(self) -> None:
        super()._upload()
        self._open_line = False

    def _write(self, file: File, parts: Iterable[int]) -> None:
        if self._first and (header := encoded(self._header, self._encoding, True)):
            file.write(self._pack(header))
        for number in parts:
            with self._path(number).open("rb", buffering=0) as part:
                while data := part.read(1 << 20):
                    file.write(data)
        if not self._parts:
            file.write(self._pack(b""))  # an empty file is not a valid gzip file


class TableSink(Sink[Table]):
    """A Parquet or Arrow file: ``writer`` writes the tables of all parts."""

    def __init__(
        self, work: WorkDir, disk: Disk, schema: Any, writer: Assemble, alongside: bool = False
    ) -> None:
        super().__init__(work, disk, alongside)
        self.schema = self._file_schema = schema
        self._writer = writer
        self._keys: Sequence[str] = ()
        self._directories: set[str] = set()  # directories of the parts that this process wrote
        self._files: list[str] = []  # names of the files of all partitions

    def add(self, piece: Table) -> None:
        if len(piece):
            self._held.append(piece)

    def partition(self, names: Sequence[str]) -> None:
        """Write a directory for each combination of values of these columns, which its files then lack."""
        own = [field for field in self.schema if field.name not in names]
        if not own:
            raise JobError(message("partitions-whole", parameter="partition_by"))
        self._keys = names
        self._file_schema = pa.schema(own, self.schema.metadata)

    def state(self) -> State:
        return {**super().state(), **({"names": self._files} if self._keys else {})}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._files = state.get("names", [])

    def _names(self) -> list[str]:
        return self._files if self._keys else super()._names()

    def _upload_parts(self) -> None:
        if not self._keys:  # else the rows of a partition can be in all parts
            super()._upload_parts()

    def finish(self) -> None:
        if not self._keys:
            super().finish()
            return
        index: dict[str, list[tuple[int, int]]] = {}  # directory -> parts and their batches
        for number in range(self._parts):
            with pa.OSFile(str(self._path(number)), "rb") as file, pa.ipc.open_file(file) as reader:
                directories = json.loads(reader.schema.metadata[_DIRECTORIES])
            for at, directory in enumerate(directories):
                index.setdefault(directory, []).append((number, at))
            _check_partitions(len(index))
        self._files = []
        for directory, places in sorted(index.items()):
            waiting = deque(places)
            for number in count():
                self._write_file(f"{directory}/{self._object(number)}", self._some(waiting))
                if not waiting:
                    break
        if not index:
            self._write_file(self._object(0), iter(()))

    def _some(self, waiting: deque[tuple[int, int]]) -> Iterator[Table]:
        """Yield the batches for one file, and remove their places."""
        octets = 0
        while waiting:
            number, at = waiting[0]
            with pa.OSFile(str(self._path(number)), "rb") as file, pa.ipc.open_file(file) as reader:
                table = pa.Table.from_batches([reader.get_batch(at)]).select(self._file_schema.names)
            if octets and octets + table.nbytes > self._limit():
                return
            octets += table.nbytes
            waiting.popleft()
            yield table.replace_schema_metadata(self._file_schema.metadata)

    def _write_file(self, name: str, tables: Iterator[Table]) -> None:
        file = self.disk.create(self.whole)
        try:
            self._writer(file, self._file_schema, tables)
            file.sync()
        finally:
            file.close()
        assert self.work.remote is not None
        self.disk.upload(self.whole, self.work.remote, f"{self._job}/{name}")
        self._files.append(name)

    def _packed_by_keys(self) -> memoryview:
        """Return a part with a batch for each directory; the metadata has their names."""
        table = pa.concat_tables(self._held).unify_dictionaries().combine_chunks()
        groups = list(_by_keys(table, self._keys))
        names = [directory for directory, _ in groups]
        self._directories.update(names)
        _check_partitions(len(self._directories))
        directories = json.dumps(names)
        schema = self.schema.with_metadata({**(self.schema.metadata or {}), _DIRECTORIES: directories})
        buffer = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(buffer, schema, options=options) as writer:
            for _, rows in groups:
                writer.write_table(rows.combine_chunks().replace_schema_metadata(schema.metadata))
        return memoryview(buffer.getvalue())

    def _packed(self) -> memoryview:
        if self._keys:
            return self._packed_by_keys()
        buffer = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_stream(buffer, self.schema, options=options) as writer:
            for table in self._held:
                writer.write(table)
        return memoryview(buffer.getvalue())

    def _write(self, file: File, parts: Iterable[int]) -> None:
        self._writer(file, self.schema, map(self._read, parts))

    def _read(self, number: int) -> Table:
        with pa.OSFile(str(self._path(number)), "rb") as stream, pa.ipc.open_stream(stream) as reader:
            return reader.read_all()


def _check_partitions(count: int) -> None:
    if count > MOST_PARTITIONS:
        raise JobError(message("partitions-many", parameter="partition_by", limit=MOST_PARTITIONS))


def _by_keys(table: Table, names: Sequence[str]) -> Iterator[tuple[str, Table]]:
    """Yield the rows of each combination of values, with its directories, such as ``day=2026-11-22``."""
    columns = [as_one_array(table.column(name)) for name in names]
    numbers = np.zeros(len(table), np.int64)
    for column in columns:
        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        words = plain.dictionary_encode("encode")
        combined = numbers * len(words.dictionary) + words.indices.to_numpy()
        _, numbers = np.unique(combined, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order])) + 1
    _check_partitions(len(begins) + 1)
    for rows in np.split(order, begins):
        values = [jsonable.values(column.slice(int(rows[0]), 1))[0] for column in columns]
        yield "/".join(map(_directory, names, values)), table.take(pa.array(rows))


def _directory(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else jsonable.dumps(value)
    directory = f"{quote(name, safe='')}={NULL_PARTITION if value is None else quote(text, safe='')}"
    if len(directory) > LONGEST_NAME:
        raise JobError(message("partition-long", column=name, limit=LONGEST_NAME))
    return directory


class _AbandonedError(Exception):
    """Stops the thread of an assembly whose remaining parts will not be written."""


class _Assembly:
    """A file that a thread assembles while later parts are still being written."""

    def __init__(self, put_together: Callable[[Iterable[int]], None]) -> None:
        self._there: SimpleQueue[int | None] = SimpleQueue()  # numbers of finished parts; None at the end
        self._all = False
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, args=(put_together,), daemon=True)
        self._thread.start()

    def _run(self, put_together: Callable[[Iterable[int]], None]) -> None:
        try:
            put_together(self._numbers())
        except _AbandonedError:
            pass
        except BaseException as error:  # raised by the next call
            self._error = error

    def _numbers(self) -> Iterator[int]:
        number = 0
        while (there := self._there.get()) is not None:
            yield from range(number, there)
            number = there
        if not self._all:
            raise _AbandonedError

    def go_on(self, parts: int) -> None:
        """Announce that the first ``parts`` parts are finished. Raises the error of a failed thread."""
        self._raise()
        self._there.put(parts)

    def end(self) -> None:
        """Announce that all parts are finished, and wait for the file.

        Raises the error of a failed thread.
        """
        self._all = True
        self.abandon()
        self._raise()

    def abandon(self) -> None:
        """Stop the thread without a file."""
        self._there.put(None)
        self._thread.join()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
