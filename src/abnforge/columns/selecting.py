"""Rows of arrays and of tables. Arrow has no kernels that take views of texts, nor what is run-end encoded:
that is done here.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.columns.arrays import Array, run_numbers

_VIEWS = (pa.string_view(), pa.binary_view())


def taken(array: Array, rows: Array) -> Array:
    """Some rows of an array, in the order of ``rows``, where a missing row number is a missing row.

    Texts of views are not copied: a view is sixteen octets, and those are taken.
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
        return pa.ExtensionArray.from_storage(array.type, taken(array.storage, rows))
    if pa.types.is_struct(array.type):
        there = pc.fill_null(pc.take(pc.is_valid(array), rows), False)
        parts = [taken(array.field(at), rows) for at in range(array.type.num_fields)]
        return pa.Array.from_buffers(array.type, len(rows), [there.buffers()[1]], children=parts)
    if pa.types.is_dictionary(array.type):
        indices = pc.take(array.indices, rows)
        return pa.DictionaryArray.from_arrays(indices, array.dictionary, ordered=array.type.ordered)
    parts = [pa.nulls(1, array.type) if row is None else array.slice(row, 1) for row in rows.to_pylist()]
    return pa.concat_arrays(parts) if parts else array.slice(0, 0)


def _runs_taken(array: Array, rows: Array) -> Array:
    """The same of an array that is run-end encoded, and so is the answer."""
    wanted = pc.take(run_numbers(array), rows)
    made = pc.run_end_encode(wanted, run_end_type=array.type.run_end_type)
    parts = [made.run_ends, taken(array.values, made.values)]  # from_arrays checks UTF-8
    return pa.Array.from_buffers(array.type, len(rows), [None], children=parts)


def kept(array: Array, mask: Array) -> Array:
    """The rows of an array for which the mask is true."""
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
        return taken(array, pc.indices_nonzero(mask))
    runs, row = [array.slice(0, 0)], 0
    for wanted, run in groupby(mask.to_pylist()):
        size = sum(1 for _ in run)
        if wanted:
            runs.append(array.slice(row, size))
        row += size
    return pa.concat_arrays(runs)


def kept_rows(table: Any, mask: Array) -> Any:
    """The rows of a RecordBatch or Table for which the mask, an array, is true; of the same type."""
    if not any(_has_own(kind) for kind in table.schema.types):
        return table.filter(mask)
    columns = []
    for column in table.columns:
        if isinstance(column, pa.ChunkedArray):
            parts, row = [], 0
            for chunk in column.chunks:
                parts.append(kept(chunk, mask.slice(row, len(chunk))))
                row += len(chunk)
            columns.append(pa.chunked_array(parts, column.type))
        else:
            columns.append(kept(column, mask))
    return type(table).from_arrays(columns, schema=table.schema)


def _has_own(kind: Any) -> bool:
    """Whether rows of a type are taken here: it is, or holds, one of those that Arrow does not take."""
    if isinstance(kind, pa.BaseExtensionType):
        return _has_own(kind.storage_type)
    if kind in _VIEWS or pa.types.is_run_end_encoded(kind):
        return True
    if pa.types.is_dictionary(kind):
        return kind.value_type in _VIEWS
    return any(_has_own(kind.field(at).type) for at in range(kind.num_fields))
