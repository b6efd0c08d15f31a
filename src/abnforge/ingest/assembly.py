"""Files of Parquet and Arrow IPC out of parts: the octets depend on the parts and the recipe alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest.discovery import STDIN, Source
from abnforge.ingest.files import File
from abnforge.ingest.formats import PARQUET
from abnforge.ingest.parts import Table

MOST_OCTETS = 3 << 23  # of a row group, in memory; it is written while parts are read and explained

Assemble = Callable[[File, Any, Iterable[Table]], None]


def like(source: Source) -> Assemble:
    """How to write what is like a source: with its compression and its other choices."""
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
    metadata = pq.read_metadata(path)
    return max((metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)), default=1)


def parquet_recipe(path: str) -> dict[str, Any]:
    """What pyarrow must be told to write a file like this one, as far as its metadata say."""
    metadata = pq.read_metadata(path)
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
    with pa.OSFile(path, "rb") as stream:
        random = stream.read(6) == b"ARROW1"
        stream.seek(8 if random else 0)
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type == "record batch" and message.body is not None:
                return random, _MAGIC.get(message.body[8:12].to_pybytes())
    return random, None


_MAGIC = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstd"}  # behind the length of the first buffer
