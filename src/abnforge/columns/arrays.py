"""Arguments that are columns, and the memory layout of their strings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from threading import Lock
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._arguments import instance_argument, wrong_type, wrong_value
from abnforge._native import compiled
from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.charset import BYTES
from abnforge.columns.messages import message
from abnforge.engine.loading import rule as rule_named
from abnforge.engine.rule import Rule

OFFSETS_32, OFFSETS_64, VIEWS = 4, 8, 16

Array = Any  # types of pyarrow, which has no annotations


class Layout(NamedTuple):
    """The memory layout of a string or binary type."""

    number: int
    octets: bool


_LAYOUTS = {
    pa.string(): Layout(OFFSETS_32, False),
    pa.large_string(): Layout(OFFSETS_64, False),
    pa.string_view(): Layout(VIEWS, False),
    pa.binary(): Layout(OFFSETS_32, True),
    pa.large_binary(): Layout(OFFSETS_64, True),
    pa.binary_view(): Layout(VIEWS, True),
}


def rule_argument(rule: object, default: str = "") -> Rule:
    """Return a rule that is passed as a Rule or as ``GRAMMAR:RULE``.

    With a ``default`` grammar, ``RULE`` alone is also accepted. Raises UnknownNameError for an unknown rule,
    TypeError for other values, GrammarError for a rule that needs a prose-val.
    """
    if isinstance(rule, str):
        rule = rule_named(f"{default}:{rule}" if default and ":" not in rule else rule)
    if not isinstance(rule, Rule):
        raise wrong_type("rule", "a Rule, or a str such as 'rfc3986:URI'", rule)
    rule.grammar.compilation.refuse_prose(rule.key)
    return rule


class ColumnChunks(NamedTuple):
    """The chunks of a column, whether the column was chunked, and its type."""

    chunks: list[Array]
    chunked: bool
    kind: Any


def column_argument(array: object, rule: Rule | None = None) -> ColumnChunks:
    """Return a column of strings of a rule as an array. A table must have one column.

    Run-end encoded arrays become dictionaries, and extension types their storage. Raises TypeError for other
    arguments, and for a column that is not binary if the alphabet of the rule is ``"bytes"``.
    """
    data = _arrow_of(array)
    chunked = isinstance(data, pa.ChunkedArray)
    if pa.types.is_struct(data.type) and not isinstance(array, pa.Array | pa.ChunkedArray):
        names = [field.name for field in data.type]
        if len(names) != 1:
            raise ArgumentTypeError(message("arrow-column", columns=tuple(names)))
        data = data.flatten()[0]
    chunks = list(map(_stored, data.chunks if chunked else [data]))
    kinds = [chunk.type for chunk in chunks] or [_stored_type(data.type)]
    kind = next((each for each in kinds if not pa.types.is_null(each)), pa.null())
    layout = layout_of(kind)
    if layout is None and not pa.types.is_null(kind):
        raise ArgumentTypeError(message("arrow-type", type=str(kind)))
    is_text = layout is not None and not layout.octets
    if rule is not None and rule.grammar.alphabet == BYTES and is_text:
        raise ArgumentTypeError(message("arrow-not-binary", rule=rule.name, type=str(kind)))
    return ColumnChunks(chunks, chunked, kind)


def _arrow_of(array: object) -> Array:
    if isinstance(array, pa.Array | pa.ChunkedArray):
        return array
    if isinstance(array, pa.RecordBatch):
        return array.to_struct_array()
    if is_pandas_frame(array):
        return pa.chunked_array(without_index(array))
    if hasattr(array, "__arrow_c_stream__"):
        return pa.chunked_array(array)
    if hasattr(array, "__arrow_c_array__"):
        return pa.array(array)
    if _of(array, "numpy", "__array_interface__") or _of(array, "pandas", "__array__"):
        return pa.array(array, from_pandas=True)  # None and NaN are missing strings
    raise not_arrow("array", "an Arrow array such as pyarrow.array() returns", array)


def not_arrow(name: str, expected: str, value: object) -> ArgumentTypeError:
    """Return the error for an argument that does not hold Arrow data."""
    if _of(value, "polars", "collect"):
        return ArgumentTypeError(message("arrow-query", name=name, type=type(value).__name__))
    return wrong_type(name, expected, value)


def is_pandas_frame(value: object) -> bool:
    """Return whether a value is a pandas DataFrame."""
    return _of(value, "pandas", "itertuples")


def without_index(frame: Any) -> Any:
    """Convert a pandas DataFrame to a table without its index."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def _of(array: object, package: str, method: str) -> bool:
    return type(array).__module__.partition(".")[0] == package and hasattr(array, method)


def _stored_type(kind: Any) -> Any:
    if isinstance(kind, pa.BaseExtensionType):
        return _stored_type(kind.storage_type)
    if pa.types.is_run_end_encoded(kind):
        return _stored_type(kind.value_type)
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    return pa.null() if pa.types.is_null(_values(kind)) else kind


def _values(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _stored(chunk: Array) -> Array:
    """Return a chunk in a supported type, if possible."""
    values = _values(chunk.type)  # libraries may use a numeric type if all strings are missing
    if (pa.types.is_null(values) or pa.types.is_floating(values)) and chunk.null_count == len(chunk):
        return pa.nulls(len(chunk))
    if isinstance(chunk, pa.ExtensionArray):
        return _stored(chunk.storage)
    if pa.types.is_run_end_encoded(chunk.type):
        return pa.DictionaryArray.from_arrays(run_numbers(chunk), chunk.values)
    if pa.types.is_fixed_size_binary(chunk.type):
        return chunk.cast(pa.binary())
    return chunk


def run_numbers(array: Array) -> Array:
    """Return the run number of each value of a run-end encoded array."""
    runs = pa.RunEndEncodedArray.from_arrays(array.run_ends, pa.array(range(len(array.values)), pa.int32()))
    return pc.run_end_decode(runs.slice(array.offset, len(array)))


def layout_of(kind: Any) -> Layout | None:
    """Return the layout of a type of strings, or of the values of a dictionary; None for other types."""
    if pa.types.is_dictionary(kind):
        return layout_of(kind.value_type)
    return _LAYOUTS.get(kind)


def in_chunks(chunks: Iterable[Array], chunked: bool, kind: Any) -> Array:
    """Return results in chunks if the column was chunked."""
    results = list(chunks)
    return pa.chunked_array(results, type=kind) if chunked else results[0]


def texts_of(array: Array) -> list[str | bytes | None]:
    """Return the strings of an array that is not a dictionary.

    Bytes stay bytes, and so does invalid UTF-8 in strings. Raises ValueError for strings outside of the
    buffers.
    """
    check_places(array)
    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        octets = pa.binary_view() if array.type == pa.string_view() else pa.large_binary()
        return [each and _decoded(each) for each in array.cast(octets).to_pylist()]


def check_places(array: Array) -> None:
    """Raise ValueError for strings outside of the buffers, which pyarrow would read. Cost: linear."""
    kind = OCTETS.get(array.type, array.type)
    try:
        pa.Array.from_buffers(kind, len(array), array.buffers(), offset=array.offset).validate(full=True)
    except pa.ArrowException as wrong:
        raise ArgumentError(message("arrow-buffers", reason=str(wrong))) from None


OCTETS = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
}


def _decoded(octets: bytes) -> str | bytes:
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets


def in_characters(text: str | bytes, offset: int, layout: Layout) -> int:
    """Convert an offset in a string of :func:`texts_of` to the unit of a column of this layout."""
    if layout.octets or isinstance(text, str):
        return offset
    return len(text[:offset].decode(errors="surrogateescape"))


_EACH_BYTE = 2  # the unit of offsets of strings whose bytes are characters


def kernel_column(array: Array, of_bytes: bool = False) -> Any:
    """Return an array for the C extension, which uses the buffers of the array.

    With ``of_bytes``, each byte is a character, and offsets can be within characters of UTF-8.
    """
    layout = _LAYOUTS[array.type]
    valid, places, *data = array.buffers()
    if layout.number != VIEWS:
        data = data or [None]
    if places is None or (places.size == 0 and layout.number != VIEWS):
        places = None if layout.number == VIEWS else bytes(layout.number * (array.offset + len(array) + 1))
    unit = _EACH_BYTE if of_bytes else int(layout.octets)
    return compiled.Column(layout.number, array.offset, len(array), valid, places, tuple(data), unit)


def bits_of_presence(array: Array) -> Any:
    """Return a bit for each string that is not missing, from the first row on; None if all are present."""
    return None if array.null_count == 0 else pc.is_valid(array).buffers()[1]


def room_for_bits(size: int) -> Any:
    """Return a buffer of this number of bits, with uninitialized memory."""
    return pa.allocate_buffer(-(-size // 8))


# Threads. The C extension releases Python's lock.

# The minimum number of rows for another thread.
ROWS = 1 << 15

_lock = Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def threads_argument(threads: object) -> int:
    """Return a number of threads; None means pyarrow's number. Raises TypeError, ValueError."""
    if threads is None:
        return int(pa.cpu_count())
    instance_argument(threads, "threads", int, "an int or None")
    assert isinstance(threads, int)
    if threads < 1:
        raise wrong_value("threads", "at least 1", threads)
    return min(threads, 64)


def in_parts(rows: int, threads: int, judge: Callable[[int, int], None]) -> None:
    """Call ``judge(start, end)`` for ranges of rows. Each start is a multiple of 64."""
    parts = min(threads, rows // ROWS)
    if parts <= 1:
        judge(0, rows)
        return
    size = -(-rows // parts // 64) * 64
    waiting = [
        _pool(threads).submit(judge, begin, min(begin + size, rows)) for begin in range(size, rows, size)
    ]
    try:
        judge(0, size)
    finally:
        for each in waiting:
            each.exception()
    for each in waiting:
        each.result()


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="abnforge")
        return _pools[threads]


def _forget() -> None:
    global _lock
    _lock = Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # threads do not survive a fork


# Rows of arrays and tables. pyarrow's functions do not support views and run-end encoded arrays.

_VIEWS = (pa.string_view(), pa.binary_view())


def take(array: Array, rows: Array) -> Array:
    """Return rows of an array, in the order of ``rows``. A missing number is a missing row.

    For views, only the views are copied (16 bytes each), not their strings.
    """
    if array.type in _VIEWS:
        valid, views, *data = array.buffers()
        sixteen = pa.Array.from_buffers(pa.binary(16), len(array), [valid, views], offset=array.offset)
        return pa.Array.from_buffers(array.type, len(rows), [*pc.take(sixteen, rows).buffers(), *data])
    if not _has_own(array.type):
        return pc.take(array, rows)
    if pa.types.is_run_end_encoded(array.type):
        return _runs_taken(array, rows)
    if isinstance(array, pa.ExtensionArray):
        return pa.ExtensionArray.from_storage(array.type, take(array.storage, rows))
    if pa.types.is_struct(array.type):
        there = pc.fill_null(pc.take(pc.is_valid(array), rows), False)
        parts = [take(array.field(at), rows) for at in range(array.type.num_fields)]
        return pa.Array.from_buffers(array.type, len(rows), [there.buffers()[1]], children=parts)
    if pa.types.is_dictionary(array.type):
        indices = pc.take(array.indices, rows)
        return pa.DictionaryArray.from_arrays(indices, array.dictionary, ordered=array.type.ordered)
    parts = [pa.nulls(1, array.type) if row is None else array.slice(row, 1) for row in rows.to_pylist()]
    return pa.concat_arrays(parts) if parts else array.slice(0, 0)


def _runs_taken(array: Array, rows: Array) -> Array:
    numbers = pc.take(run_numbers(array), rows)
    encoded = pc.run_end_encode(numbers, run_end_type=array.type.run_end_type)
    parts = [encoded.run_ends, take(array.values, encoded.values)]  # from_arrays checks UTF-8
    return pa.Array.from_buffers(array.type, len(rows), [None], children=parts)


def filter_array(array: Array, mask: Array) -> Array:
    """Filter an array by a mask."""
    if not _has_own(array.type):
        return array.filter(mask)
    kind = array.type
    if (
        kind in _VIEWS
        or any(
            test(kind) for test in (pa.types.is_struct, pa.types.is_dictionary, pa.types.is_run_end_encoded)
        )
        or isinstance(array, pa.ExtensionArray)
    ):
        return take(array, pc.indices_nonzero(mask))
    runs, row = [array.slice(0, 0)], 0
    for is_selected, run in groupby(mask.to_pylist()):
        size = sum(1 for _ in run)
        if is_selected:
            runs.append(array.slice(row, size))
        row += size
    return pa.concat_arrays(runs)


def filter_table(table: Any, mask: Array) -> Any:
    """Filter a RecordBatch or Table by a mask, which is an array; return the same type."""
    if not any(_has_own(kind) for kind in table.schema.types):
        return table.filter(mask)
    columns = []
    for column in table.columns:
        if isinstance(column, pa.ChunkedArray):
            parts, row = [], 0
            for chunk in column.chunks:
                parts.append(filter_array(chunk, mask.slice(row, len(chunk))))
                row += len(chunk)
            columns.append(pa.chunked_array(parts, column.type))
        else:
            columns.append(filter_array(column, mask))
    return type(table).from_arrays(columns, schema=table.schema)


def _has_own(kind: Any) -> bool:
    """Return whether pyarrow's functions do not support a type, or a type within it."""
    if isinstance(kind, pa.BaseExtensionType):
        return _has_own(kind.storage_type)
    if kind in _VIEWS or pa.types.is_run_end_encoded(kind):
        return True
    if pa.types.is_dictionary(kind):
        return kind.value_type in _VIEWS
    return any(_has_own(kind.field(at).type) for at in range(kind.num_fields))
