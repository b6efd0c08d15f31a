"""Components of the strings of a column, as views of its buffers or as offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._arguments import choice_argument, empty, instance_argument, names_argument
from abnforge._native import compiled
from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.columns.arrays import (
    Array,
    bits_of_presence,
    column_argument,
    in_chunks,
    in_parts,
    kernel_column,
    layout_of,
    room_for_bits,
    rule_argument,
    take,
    texts_of,
    threads_argument,
)
from abnforge.columns.messages import message
from abnforge.columns.verdicts import kernel_table, lengths
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import base_of, bound_of
from abnforge.errors import Rejected
from abnforge.uri.common.percent import query_parameters as parameters_of
from abnforge.uri.rfc3986.parse import COMPONENT_ROOTS, KINDS, PARTS
from abnforge.uri.suffixes import SuffixList

# Large arrays are split, because a view can reach only 2 GiB of a buffer.

REACH = 2**31 - 1  # bytes
_LARGE = (pa.large_string(), pa.large_binary())


def refuse_longer(array: Array) -> None:
    """Raise ValueError for a string of more than ``REACH`` bytes. Costs nothing for most arrays."""
    if not _is_far(array):
        return
    lengths = pc.binary_length(array)
    longest = pc.max(lengths).as_py() or 0
    if longest > REACH:
        row = pc.index(lengths, longest).as_py()
        raise ArgumentError(message("column-string-too-long", row=row, length=longest, most=REACH))


def within_reach(array: Array) -> list[Array]:
    """Split an array into parts that 32-bit offsets can address. Only offsets are copied."""
    if not _is_far(array):
        return [array]
    _, places, data = array.buffers()
    offsets = pa.Array.from_buffers(pa.int64(), len(array) + 1, [None, places], offset=array.offset)
    parts, row = [], 0
    while row < len(array):
        begin = offsets[row].as_py()
        end = bisect_right(range(len(offsets)), begin + REACH, row, key=lambda at: offsets[at].as_py()) - 1
        rows = array.slice(row, end - row)
        near = pc.subtract(offsets.slice(row, end - row + 1), begin)
        octets = data.slice(begin, offsets[end].as_py() - begin)
        buffers = [bits_of_presence(rows), near.buffers()[1], octets]
        parts.append(pa.Array.from_buffers(array.type, end - row, buffers))
        row = end
    return parts or [array.slice(0, 0)]


def _is_far(array: Array) -> bool:
    if array.type not in _LARGE:
        return False
    data = array.buffers()[2]
    return data is not None and data.size > REACH


Find = Callable[[str], tuple[tuple[int, ...], tuple[int, ...]] | None]

PLACE = pa.struct([("start", pa.int32()), ("end", pa.int32())])


def components(
    rule: Rule | str,
    array: object,
    as_offsets: bool = False,
    *,
    names: Iterable[str] | None = None,
    threads: int | None = None,
    query_parameters: str | None = None,
    suffixes: SuffixList | None = None,
) -> Array:
    """Return the components of strings: a StructArray with a field for each, chunked like the array.

    A row is missing if the string is missing or rejected; a field is missing if the component is undefined.
    Components are ``string_view`` (``binary_view`` in binary columns) into the buffers of the array.
    ``as_offsets=True`` returns their start and end instead, in code points, or in bytes in binary columns.

    ``rule`` is a Rule, a name ``GRAMMAR:RULE``, or the name of a rule of RFC 3986. For rules of references,
    the components are scheme, userinfo, host, port, path, query and fragment. For other rules, ``names`` are
    the rules to return; the last occurrence counts.

    ``query_parameters`` adds a field with the pairs of :func:`abnforge.uri.query_parameters` as a map:
    ``"exact"`` slices, or ``"decoded"`` values. The map is missing if the query is undefined or, decoded, not
    UTF-8. ``suffixes`` adds ``registrable_domain``, from :meth:`abnforge.uri.SuffixList.registrable_domain`.
    Both require the components ``query`` and ``host``, and strings as results.

    Raises TypeError for an argument that is not a column of strings, UnknownNameError for an unknown rule,
    ValueError for missing ``names``, or for a string of more than 2 GiB. Cost: linear, in one pass, which
    runs in Python without the C extension. Without a table of components, the cost is that of
    ``rule.components`` for each string.
    """
    judged, count = rule_argument(rule, "rfc3986"), threads_argument(threads)
    parts = _parts(judged, names)
    column = column_argument(array, judged)
    kind = _type(parts, column.kind, as_offsets)
    results = (_by_value(judged, parts, chunk, as_offsets, count, kind) for chunk in column.chunks)
    derived = _derived(query_parameters, suffixes, parts[0], as_offsets)
    if not derived:
        return in_chunks(results, column.chunked, kind)
    whole = pa.struct([*kind, *((name, _TYPES[name]) for name, _, _ in derived)])
    return in_chunks((_with_fields(each, derived) for each in results), column.chunked, whole)


PARAMETERS, DOMAIN = "query_parameters", "registrable_domain"
_TYPES = {PARAMETERS: pa.map_(pa.string(), pa.string()), DOMAIN: pa.string()}
_Derived = tuple[str, str, Callable[[Array], Array]]  # a field, its component, and its function


def _derived(
    query_parameters: str | None, suffixes: SuffixList | None, parts: Iterable[str], as_offsets: bool
) -> list[_Derived]:
    derived: list[_Derived] = []
    if query_parameters is not None:
        choice_argument(query_parameters, PARAMETERS, ("exact", "decoded"))
        derived.append((PARAMETERS, "query", partial(_parameters, decode=query_parameters == "decoded")))
    if suffixes is not None:
        instance_argument(suffixes, "suffixes", SuffixList, "a SuffixList")
        derived.append((DOMAIN, "host", partial(_domains, suffixes)))
    for name, component, _ in derived:
        if as_offsets or component not in parts:
            raise ArgumentError(message("components-derived", field=name, component=component))
    return derived


def _with_fields(components: Array, derived: Iterable[_Derived]) -> Array:
    fields, values = list(components.type), [components.field(at) for at in range(len(components.type))]
    for name, component, function in derived:
        texts = _as_strings(pc.struct_field(components, component))
        values.append(function(texts))
        fields.append(pa.field(name, _TYPES[name]))
    return pa.StructArray.from_arrays(values, fields=fields, mask=components.is_null())


def _as_strings(views: Array) -> Array:
    octets = views.type == pa.binary_view()
    return views.cast(pa.binary()).cast(pa.string()) if octets else views.cast(pa.string())


def _parameters(queries: Array, decode: bool) -> Array:
    """Return the parameters of queries as maps. Exact pairs are slices."""
    if decode:
        pairs = [_decoded(text) for text in queries.to_pylist()]
        return pa.array(pairs, _TYPES[PARAMETERS])
    lists = pc.split_pattern(queries, "&")
    items = lists.flatten()
    is_used = pc.not_equal(items, "")
    before = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(is_used.cast(pa.int32()))])
    halves = pc.split_pattern(items.filter(is_used), "=", max_splits=1)
    has_value = pc.equal(pc.list_value_length(halves), 2)
    texts, starts = halves.flatten(), halves.offsets.slice(0, len(halves))
    names = take(texts, starts)
    values = take(texts, pc.if_else(has_value, pc.add(starts, 1), pa.scalar(None, starts.type)))
    mask = queries.is_null() if queries.null_count else None
    return pa.MapArray.from_arrays(take(before, lists.offsets), names, values, mask=mask)


def _decoded(query: str | None) -> tuple[tuple[str, str | None], ...] | None:
    try:
        return None if query is None else parameters_of(query, decode=True)
    except ValueError:
        return None


def _domains(suffixes: SuffixList, hosts: Array) -> Array:
    """Return the registrable domains of hosts; each distinct host is looked up once."""
    encoded = hosts.dictionary_encode()
    domains = [suffixes.registrable_domain(host) for host in encoded.dictionary.to_pylist()]
    return take(pa.array(domains, pa.string()), encoded.indices)


_Parts = tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]


def _parts(rule: Rule, names: Iterable[str] | None) -> _Parts:
    """Return the rules of the components, and the additional kinds in their table."""
    if names is not None:
        return _wanted(rule, names_argument(names, "names")), {}
    root = base_of(rule)
    if (
        root is None
        or root.key not in COMPONENT_ROOTS
        or not all(each in root.grammar for rules in PARTS.values() for each in rules)
    ):
        raise ArgumentError(message("components-names", rule=rule.name, grammar=rule.grammar.name))
    return PARTS, KINDS


def _wanted(rule: Rule, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if not names:
        raise empty("names")
    by_key: dict[str, str] = {}
    for name in names:
        key = rule.grammar[name].key
        if key in by_key:
            raise ArgumentError(message("components-twice", first=by_key[key], second=name))
        by_key[key] = name
    return {name: (key,) for key, name in by_key.items()}


def parts_of(rule: Rule | str, names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of the components that :func:`components` returns. Raises the same errors."""
    return tuple(_parts(rule_argument(rule, "rfc3986"), names)[0])


def _type(parts: _Parts, kind: Any, as_offsets: bool) -> Any:
    layout = layout_of(kind)
    octets = layout is not None and layout.octets
    part = PLACE if as_offsets else pa.binary_view() if octets else pa.string_view()
    return pa.struct([(name, part) for name in parts[0]])


def _by_value(rule: Rule, parts: _Parts, chunk: Array, as_offsets: bool, threads: int, kind: Any) -> Array:
    if pa.types.is_null(chunk.type):
        return pa.nulls(len(chunk), kind)
    if pa.types.is_dictionary(chunk.type):
        by_value = _by_value(rule, parts, chunk.dictionary, as_offsets, threads, kind)
        return take(by_value, chunk.indices)
    bound = bound_of(rule)
    if bound is not None and kernel_table(rule) is None:
        by_value = _by_value(bound[0], parts, chunk, as_offsets, threads, kind)
        return _only(by_value, pc.less_equal(lengths(chunk, rule.grammar.alphabet), bound[1]))
    refuse_longer(chunk)
    is_bytes = rule.grammar.alphabet == BYTES
    table = rule.grammar.compilation.tagged_table(rule.key, *parts, of_bytes=is_bytes)
    if table is None or compiled is None:
        find = None if table is None else table.find
        rows = [_told(rule, parts[0], find, text, as_offsets) for text in texts_of(chunk)]
        fields = [pa.array([row and row[field.name] for row in rows], field.type) for field in kind]
        missing = pa.array([row is None for row in rows], pa.bool_())
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=missing)
    return (_places if as_offsets else _views)(table, list(parts[0]), chunk, threads, kind)


def _only(components: Array, mask: Array) -> Array:
    """Mask rows: a row is missing unless its mask is true."""
    there = pc.fill_null(pc.and_(pc.is_valid(components), mask), False)
    parts = [components.field(at) for at in range(components.type.num_fields)]
    return pa.Array.from_buffers(components.type, len(components), [there.buffers()[1]], children=parts)


def _places(table: Any, names: list[str], chunk: Array, threads: int, kind: Any) -> Array:
    column, size = kernel_column(chunk), len(chunk)
    bits, whole = room_for_bits(size), pa.allocate_buffer(8 * len(names) * size)
    valid = tuple(room_for_bits(size) for _ in names)
    in_parts(size, threads, lambda begin, end: column.places(table, begin, end, bits, valid, whole))
    fields = []
    for number in range(len(names)):
        both = [
            pa.Array.from_buffers(pa.int32(), size, [None, whole.slice(4 * size * tag, 4 * size)])
            for tag in (2 * number, 2 * number + 1)
        ]
        fields.append(pa.Array.from_buffers(PLACE, size, [valid[number]], children=both))
    return pa.Array.from_buffers(kind, size, [bits], children=fields)


def _views(table: Any, names: list[str], chunk: Array, threads: int, kind: Any) -> Array:
    near = within_reach(chunk)
    if len(near) > 1:
        return pa.concat_arrays([_views(table, names, part, threads, kind) for part in near])
    (chunk,) = near
    column, size = kernel_column(chunk), len(chunk)
    bits = room_for_bits(size)
    valid = tuple(room_for_bits(size) for _ in names)
    views = tuple(pa.allocate_buffer(16 * size) for _ in names)
    in_parts(size, threads, lambda begin, end: column.views(table, begin, end, bits, valid, views))
    data = [each or pa.py_buffer(b"") for each in chunk.buffers()[2:]]
    fields = [
        pa.Array.from_buffers(field.type, size, [valid[at], views[at], *data])
        for at, field in enumerate(kind)
    ]
    return pa.Array.from_buffers(kind, size, [bits], children=fields)


def _told(
    rule: Rule, parts: Mapping[str, tuple[str, ...]], find: Find | None, text: Any, as_offsets: bool
) -> dict[str, Any] | None:
    """Return one row without the C extension; ``find`` walks the table of the components, if there is one."""
    if text is None:
        return None
    places: list[tuple[int, int] | None]
    if find is not None and isinstance(text, str):
        spans = find(text)
        if spans is None:
            return None
        pairs = zip(spans[0][0::2], spans[0][1::2], strict=True)
        places = [None if end < 0 else (start, end) for start, end in pairs]
    else:
        try:
            by_rule = rule.components(text, [each for rules in parts.values() for each in rules])
        except Rejected:
            return None
        places = [next((by_rule[each] for each in rules if by_rule[each]), None) for rules in parts.values()]
    if as_offsets:
        return {
            name: place and {"start": place[0], "end": place[1]}
            for name, place in zip(parts, places, strict=True)
        }
    return {name: place and text[slice(*place)] for name, place in zip(parts, places, strict=True)}
