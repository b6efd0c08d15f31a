"""Access strings within columns of Arrow tables: fields of structs, elements of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._lazy import lazy
from abnforge.columns.arrays import OCTETS, layout_of, take
from abnforge.ingest.batch import (
    ANY_ELEMENT,
    Array,
    Column,
    Texts,
    parse_path,
    plain_name,
    similar_names,
    unknown_column,
)
from abnforge.ingest.messages import JobError, message

with lazy:
    import numpy


def steps_in(schema: Any, column: Column) -> tuple[str, ...]:
    """Return the steps to a column: its name, if the table has a column of that name, else the path.

    Raises JobError if the column does not exist or does not hold strings.
    """
    steps, kind, read = path_in(schema, column.name)
    _check_kind(column, kind, read)
    return steps


def path_in(schema: Any, name: str) -> tuple[tuple[str, ...], Any, str]:
    """Resolve a name in a table. Return its steps, the type at their end, and the resolved path.

    Raises JobError for a path that does not exist.
    """
    names, plain = schema.names, plain_name(name)
    steps = (plain,) if plain in names else parse_path(name)
    if steps[0] not in names:
        raise JobError(unknown_column(steps[0], names))
    if names.count(steps[0]) > 1:
        raise JobError(message("column-ambiguous", column=steps[0], count=names.count(steps[0])))
    kind, read = schema.field(steps[0]).type, steps[0]
    for step in steps[1:]:
        kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        if step == ANY_ELEMENT:
            if pa.types.is_map(kind):
                kind = pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))
            if not _is_list(kind):
                raise JobError(message("path-not-list", path=read, type_name=str(kind)))
            kind, read = kind.value_type, f"{read}[]"
            continue
        _check_not_list(kind, read)
        if not pa.types.is_struct(kind):
            raise JobError(message("path-without-fields", path=read, type_name=str(kind)))
        fields = [kind.field(at).name for at in range(kind.num_fields)]
        if step not in fields:
            raise JobError(
                message("path-field-unknown", path=read, field=step, near=similar_names(step, fields))
            )
        kind, read = kind.field(step).type, f"{read}.{step}"
    return steps, kind, read


def _check_kind(column: Column, kind: Any, read: str) -> None:
    plain = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    if pa.types.is_run_end_encoded(plain):
        plain = plain.value_type
    if _is_leaf(plain) or layout_of(plain) is not None or pa.types.is_null(plain):
        return
    _check_not_list(plain, read)
    if pa.types.is_struct(plain):
        fields = tuple(f"{read}.{plain.field(at).name}" for at in range(plain.num_fields))
        raise JobError(message("column-with-fields", column=column.name, fields=fields))
    raise JobError(message("column-not-text", column=column.name, type_name=str(kind)))


def _check_not_list(kind: Any, path: str) -> None:
    if _is_list(kind):
        raise JobError(message("path-is-list", path=path))
    if pa.types.is_map(kind):
        raise JobError(message("path-is-map", path=path))


def _is_list(kind: Any) -> bool:
    return any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def id_in(schema: Any, name: str) -> tuple[tuple[str, ...], Any]:
    """Return the steps to the identifier of a row, and its type. Raises JobError unless it is unique."""
    steps, kind, _ = path_in(schema, name)
    if ANY_ELEMENT in steps:
        raise JobError(message("id-many", parameter="id", column=name))
    return steps, kind


def texts_at(table: Any, steps: Sequence[str]) -> Texts:
    """Return the strings of a column at the steps of :func:`steps_in`."""
    values = as_one_array(table.column(steps[0]))
    rows: Array = None
    indexes: list[Any] = []  # one array for each list
    for step in steps[1:]:
        if isinstance(values, pa.ExtensionArray):
            values = values.storage
        if step != ANY_ELEMENT:
            values = pc.struct_field(values, step)
            continue
        if pa.types.is_map(values.type):
            values = _as_list(values)
        parents = pc.list_parent_indices(values)
        indexes = [each[parents.to_numpy()] for each in indexes] + [_indexes(parents)]
        rows = parents if rows is None else pc.take(rows, parents)
        values = pc.list_flatten(values)
    if pa.types.is_fixed_size_binary(values.type):
        values = values.cast(pa.binary())
    if not indexes:
        return Texts(values)
    places = numpy.stack(indexes, axis=1).ravel()
    return Texts(values, rows, pa.FixedSizeListArray.from_arrays(pa.array(places, pa.int64()), len(indexes)))


def _as_list(maps: Array) -> Array:
    """Return maps as lists of structs with the fields ``key`` and ``value``."""
    entries = pa.StructArray.from_arrays([maps.keys, maps.items], ["key", "value"])
    kind = pa.list_(entries.type)
    buffers = maps.buffers()[: kind.num_buffers]
    return pa.Array.from_buffers(kind, len(maps), buffers, maps.null_count, maps.offset, [entries])


def _indexes(parents: Array) -> Any:
    """Return the index of each element in its list, as an array of numpy."""
    of = parents.to_numpy()
    indexes = numpy.arange(len(of))
    if len(of):
        firsts = numpy.flatnonzero(numpy.r_[True, of[1:] != of[:-1]])
        indexes -= numpy.repeat(firsts, numpy.diff(numpy.r_[firsts, len(of)]))
    return indexes


def as_one_array(column: Any) -> Array:
    """Concatenate the chunks of a column."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def as_words(values: Array, kind: Any) -> Array:
    """Encode strings as a dictionary of this type."""
    encoded = values.dictionary_encode()
    try:
        return pa.DictionaryArray.from_arrays(
            encoded.indices.cast(kind.index_type), encoded.dictionary, ordered=kind.ordered
        )
    except pa.ArrowInvalid:
        raise JobError(message("dictionary-full", type_name=str(kind))) from None


def as_texts(values: Sequence[str | bytes | None], kind: Any) -> Array:
    """Return an array of this string or binary type. Strings may hold bytes that are not valid UTF-8."""
    octets = [each.encode() if isinstance(each, str) else each for each in values]
    return pa.array(octets, OCTETS.get(kind, kind)).view(kind)


def with_leaves(values: Array, change: Callable[[Array], Array]) -> Array:
    """Return a column with its strings changed, in any nesting.

    ``change`` takes and returns an array of strings or bytes. If it changes nothing, the column is returned
    as the same object.
    """
    return _rebuilt(values, _is_leaf, change)


def _is_leaf(kind: Any) -> bool:
    is_text = layout_of(kind) is not None and not pa.types.is_dictionary(kind)
    return is_text or bool(pa.types.is_fixed_size_binary(kind))


def without_missing_words(values: Array) -> Array:
    """Return a column without nulls in its dictionaries, at any depth, as Parquet requires."""
    return _rebuilt(values, pa.types.is_dictionary, _without_missing_words)


def _without_missing_words(values: Array) -> Array:
    if not values.dictionary.null_count:
        return values
    there = values.dictionary.is_valid()
    places = pc.subtract(pc.cumulative_sum(there.cast(pa.int64())), 1)
    places = pc.if_else(there, places, pa.scalar(None, pa.int64()))
    indices = pc.take(places, values.indices).cast(values.type.index_type)
    words = take(values.dictionary, pc.indices_nonzero(there))
    return pa.DictionaryArray.from_arrays(indices, words, ordered=values.type.ordered)


def _rebuilt(values: Array, is_leaf: Callable[[Any], bool], change: Callable[[Array], Array]) -> Array:
    kind = values.type
    if isinstance(values, pa.ExtensionArray):
        stored = values.storage
        rebuilt = _rebuilt(stored, is_leaf, change)
        return values if rebuilt is stored else pa.ExtensionArray.from_storage(kind, rebuilt)
    if is_leaf(kind):
        return change(values)
    if pa.types.is_run_end_encoded(kind):
        dictionary = values.values
        rebuilt = _rebuilt(dictionary, is_leaf, change)
        if rebuilt is dictionary:
            return values
        return pa.Array.from_buffers(
            kind, len(values), [None], offset=values.offset, children=[values.run_ends, rebuilt]
        )
    if pa.types.is_dictionary(kind):
        dictionary = values.dictionary
        rebuilt = _rebuilt(dictionary, is_leaf, change)
        return values if rebuilt is dictionary else as_words(take(rebuilt, values.indices), kind)
    if not kind.num_fields:
        return values
    whole = take(values, pa.array(range(len(values)), pa.int64())) if values.offset else values
    before = _children(whole)
    after = [_rebuilt(each, is_leaf, change) for each in before]
    if all(a is b for a, b in zip(before, after, strict=True)):
        return values
    return pa.Array.from_buffers(kind, len(values), whole.buffers()[: kind.num_buffers], children=after)


def kinds_in(kind: Any) -> Iterator[Any]:
    """Yield a type and, recursively, the types that it contains."""
    yield kind
    if isinstance(kind, pa.BaseExtensionType):
        yield from kinds_in(kind.storage_type)
    elif pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        yield from kinds_in(kind.value_type)
    else:
        for at in range(kind.num_fields):
            yield from kinds_in(kind.field(at).type)


def _children(values: Array) -> list[Array]:
    kind = values.type
    if pa.types.is_map(kind):
        entries = [kind.key_field, kind.item_field]
        return [pa.StructArray.from_arrays([values.keys, values.items], fields=entries)]
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return [values.field(at) for at in range(kind.num_fields)]
    return [values.values]
