"""Outputs of valid rows: text files are appended to, Parquet and Arrow files are assembled from parts.

``commit`` makes rows safe on disk, ``restore`` cuts back to a commit, ``finish`` completes the file, and
``publish`` gives it its name. ``finish`` and ``publish`` can be repeated after an interruption.
"""

from __future__ import annotations

import bz2
import filecmp
import gzip
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import storage
from abnforge.ingest.batch import Table
from abnforge.ingest.checkpoint import Disk, File, WorkDir
from abnforge.ingest.messages import ConflictError, message
from abnforge.ingest.sources.discovery import PARQUET, STDIN, SourceFile, is_arrow
from abnforge.ingest.sources.streams import encoded
from abnforge.outputs import output_at

MOST_OCTETS = 3 << 23  # of a row group, in memory; it is written while parts are read and explained

Assemble = Callable[[File, Any, Iterable[Table]], None]


def writer_by_name(output: str, compression: str | None) -> Assemble:
    """Return the writer of a file by its name; ``compression`` is that of Arrow files."""
    if is_arrow(output):
        return arrow(not output.lower().endswith(".arrows"), compression)
    return parquet({"compression": "zstd"})


def writer_like(source: SourceFile, output: str) -> Assemble:
    """Return the writer of files like a source: with its compression and other options."""
    if source.batches is not None:
        return writer_by_name(output, "zstd")
    if source.format.name == PARQUET:
        return parquet(parquet_recipe(source.path), _largest_group(source.path))
    random, compression = (False, None) if source.path == STDIN else _arrow_recipe(source.path)
    return arrow(random, compression)


def parquet(recipe: dict[str, Any], rows: int = 1 << 20) -> Assemble:
    """Row groups of whole parts: as many as make no more than so many rows, and do not take much memory."""

    def assemble(file: File, schema: Any, parts: Iterable[Table]) -> None:
        with pq.ParquetWriter(file, schema, **recipe) as writer:
            for table in _together(parts, rows):
                writer.write_table(table, row_group_size=max(1, len(table)))
                del table  # before the next one is read

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
    """What pyarrow must be told to write a file like this one, as far as its metadata say."""
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
    """The file format, which allows random access, or the stream format."""

    def assemble(file: File, schema: Any, parts: Iterable[Table]) -> None:
        options = pa.ipc.IpcWriteOptions(compression=compression, unify_dictionaries=random)
        new = pa.ipc.new_file if random else pa.ipc.new_stream
        with new(pa.PythonFile(file, "w"), schema, options=options) as writer:
            for table in _with_one_dictionary(parts) if random else parts:
                writer.write(table)

    return assemble


def _with_one_dictionary(parts: Iterable[Table]) -> Iterator[Table]:
    """A file has one dictionary for a column, so that parts which have some are needed all at once."""
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
    """Whether a file has the file format, and how its first batch is compressed, which its octets tell."""
    with storage.open_file(path) as stream:
        random = stream.read(6) == b"ARROW1"
        stream.seek(8 if random else 0)
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type == "record batch" and message.body is not None:
                return random, _MAGIC.get(message.body[8:12].to_pybytes())
    return random, None


_MAGIC = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstd"}  # behind the length of the first buffer


State = dict[str, Any]


class Sink(ABC):
    """One output. ``ending`` is the suffix of its parts in object storage."""

    ending = ""

    def __init__(self, work: WorkDir, disk: Disk) -> None:
        self.work = work
        self.disk = disk
        self.whole = work.path("whole")

    @abstractmethod
    def begin(self) -> None:
        """With nothing in it."""

    @abstractmethod
    def restore(self, state: Mapping[str, Any]) -> None:
        """With what ``commit`` told of, and nothing behind it."""

    @abstractmethod
    def commit(self) -> State:
        """Make what was added safe, and tell how far that is."""

    @abstractmethod
    def finish(self) -> None:
        """All is there: make the file whole, under a name of its own."""

    def publish(self) -> None:
        """Give it its name. If it is not there any more, that was done before; what has these octets already
        stays as it is.
        """
        if not self.whole.exists():
            return
        if self.work.remote is not None:
            self.disk.upload(self.whole, self.work.remote, self.ending)
            return
        output = output_at(self.work.output)
        if output.file and output.known and filecmp.cmp(self.whole, output.file, shallow=False):
            self.disk.remove(self.whole)
        else:
            self.disk.publish(self.whole, output)

    def close(self) -> None:
        """Let go of what is open, whatever state it is in."""
        return


def _zstd(data: bytes) -> bytes:
    packed: bytes = pa.Codec("zstd").compress(data, asbytes=True)
    return packed


# Each piece of a compressed file stands for itself, and pieces behind each other are a file as well: of gzip
# members (RFC 1952, 2.2), of bzip2 streams, of Zstandard frames (RFC 8878, 3.1).
_PACK: Mapping[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "gzip": lambda data: gzip.compress(data, 6, mtime=0),
    "bz2": bz2.compress,
    "zstd": _zstd,
}


class TextSink(Sink):
    """A file of text, one piece after the other. What is added is UTF-8, whatever the file's encoding."""

    def __init__(
        self,
        work: WorkDir,
        disk: Disk,
        compression: str | None = None,
        header: bytes = b"",
        encoding: str | None = None,
    ) -> None:
        super().__init__(work, disk)
        self._encoding = encoding
        self._pack = _PACK[compression]
        self._header = header
        self._held: list[bytes | memoryview] = []
        self._file: File | None = None
        self._size = 0
        self._open_line = False  # whether what was added ends within a line

    def begin(self) -> None:
        self._file = self.disk.create(self.whole)
        if self._header:
            self.add(self._header)

    def restore(self, state: Mapping[str, Any]) -> None:
        size = state["size"]
        try:
            self._file = self.disk.reopen(self.whole)
        except FileNotFoundError:
            raise self._short() from None
        if self._file.size() < size:  # cutting would fill it up with NULs
            raise self._short()
        self._file.cut(size)
        self._size, self._open_line = size, state["open_line"]

    def _short(self) -> ConflictError:
        return ConflictError(message("journal-short", path=str(self.whole), parameter="resume"))

    def add(self, data: bytes | memoryview) -> None:
        """Some whole lines; the last of a source may lack its end, which is given to it before the next."""
        if not len(data):
            return
        if self._open_line:
            self._held.append(b"\n")
        self._held.append(data)
        self._open_line = data[-1] != 10

    def commit(self) -> State:
        assert self._file is not None
        if self._held:
            data = encoded(b"".join(self._held), self._encoding, self._size == 0)
            self._size += self._file.write(self._pack(data))
            self._held.clear()
            self._file.sync()
        return {"size": self._size, "open_line": self._open_line}

    def finish(self) -> None:
        self.commit()
        assert self._file is not None
        if self._size == 0 and self._pack is not bytes:  # no octets are no file of gzip
            self._file.write(self._pack(b""))
            self._file.sync()
            self._size = -1
        self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class TableSink(Sink):
    """A file that is put together out of parts, by a function that writes them all to an open file: when all
    are there, or ``alongside``, by a thread that is told of each part which is safe. The octets are the same;
    a row group lies in memory beside the parts that are being read, then.
    """

    def __init__(
        self, work: WorkDir, disk: Disk, schema: Any, assemble: Assemble, alongside: bool = False
    ) -> None:
        super().__init__(work, disk)
        self.schema = schema
        self._assemble = assemble
        self._alongside = alongside
        self._held: list[Table] = []
        self._parts = 0
        self._assembly: _Assembly | None = None

    def begin(self) -> None:
        """There is nothing to do: the folder is empty."""

    def restore(self, state: Mapping[str, Any]) -> None:
        self._parts = state["parts"]
        wanted = {self._path(number).name for number in range(self._parts)}
        there = {path.name for path in self.work.folder.iterdir() if path.name.startswith("part-")}
        if wanted - there:
            path = str(self._path(0).parent)
            raise ConflictError(message("journal-parts-missing", path=path, parameter="resume"))
        for name in sorted(there - wanted):
            self.disk.remove(self.work.path(name))

    def add(self, table: Table) -> None:
        if len(table):
            self._held.append(table)

    def commit(self) -> State:
        if self._held:
            buffer = pa.BufferOutputStream()
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            with pa.ipc.new_stream(buffer, self.schema, options=options) as writer:
                for table in self._held:
                    writer.write(table)
            self._held.clear()
            self.disk.write_whole(self._path(self._parts), buffer.getvalue())
            self._parts += 1
            if self._alongside:
                self._assembly = self._assembly or _Assembly(self._put_together)
                self._assembly.go_on(self._parts)
        return {"parts": self._parts}

    def finish(self) -> None:
        self.commit()
        if self._assembly is None:
            self._put_together(range(self._parts))
        else:
            self._assembly.end()

    def close(self) -> None:
        if self._assembly is not None:
            self._assembly.abandon()

    def _put_together(self, numbers: Iterable[int]) -> None:
        file = self.disk.create(self.whole)
        try:
            self._assemble(file, self.schema, map(self._read, numbers))
            file.sync()
        finally:
            file.close()

    def _path(self, number: int) -> Any:
        return self.work.path(f"part-{number:06d}")

    def _read(self, number: int) -> Table:
        with pa.OSFile(str(self._path(number)), "rb") as stream, pa.ipc.open_stream(stream) as reader:
            return reader.read_all()


class _AbandonedError(Exception):
    """No more parts will come."""


class _Assembly:
    """A file that a thread puts together while parts are still being made."""

    def __init__(self, put_together: Callable[[Iterable[int]], None]) -> None:
        self._there: SimpleQueue[int | None] = SimpleQueue()  # how many parts; None where no more will come
        self._all = False
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, args=(put_together,), daemon=True)
        self._thread.start()

    def _run(self, put_together: Callable[[Iterable[int]], None]) -> None:
        try:
            put_together(self._numbers())
        except _AbandonedError:
            pass
        except BaseException as error:  # told by whoever asks next
            self._error = error

    def _numbers(self) -> Iterator[int]:
        number = 0
        while (there := self._there.get()) is not None:
            yield from range(number, there)
            number = there
        if not self._all:
            raise _AbandonedError

    def go_on(self, parts: int) -> None:
        """So many parts are there. Raises what went wrong with those before."""
        self._raise()
        self._there.put(parts)

    def end(self) -> None:
        """All are there: wait for the file. Raises what went wrong."""
        self._all = True
        self.abandon()
        self._raise()

    def abandon(self) -> None:
        """Nobody waits for the file."""
        self._there.put(None)
        self._thread.join()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
