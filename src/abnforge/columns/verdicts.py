"""Which texts of a column a rule derives, and where reading the others stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._kernel.loaded import compiled
from abnforge.columns.arrays import (
    Array,
    bits_of_presence,
    column_argument,
    in_chunks,
    kernel_column,
    room_for_bits,
    rule_argument,
)
from abnforge.columns.threads import in_parts, threads_argument
from abnforge.engine.rule import Rule


def matches(rule: Rule | str, array: object, threads: int | None = None) -> Array:
    """Which texts the rule derives: a BooleanArray, missing where the text is; in chunks if the array is.

    ``rule`` is a Rule, or named as ``GRAMMAR:RULE``. Of a dictionary its values are judged once. ``threads``
    share the rows of a chunk; None is one for each processor. Raises TypeError for what is no column of
    texts, UnknownName for a rule that does not exist. Cost: linear; without the kernel, and for rules that
    have no table, that of ``rule.matches`` for each text.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    return _each(array, pa.bool_(), lambda chunk: _matches(judged, chunk, count))


def offsets(rule: Rule | str, array: object, threads: int | None = None) -> Array:
    """The length of each rejected text's longest viable prefix: an Int64Array, missing where the text is, and
    where the rule derives it; in chunks if the array is.

    Counted in code points, in octets where the column is one of octets. Arguments, errors and cost are those
    of :func:`matches`.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    return _each(array, pa.int64(), lambda chunk: _offsets(judged, chunk, count))


def _each(array: object, kind: Any, judge: Callable[[Array], Array]) -> Array:
    chunks, chunked = column_argument(array)
    return in_chunks((_by_value(chunk, kind, judge) for chunk in chunks), chunked, kind)


def _by_value(chunk: Array, kind: Any, judge: Callable[[Array], Array]) -> Array:
    if pa.types.is_null(chunk.type):
        return pa.nulls(len(chunk), kind)
    if pa.types.is_dictionary(chunk.type):
        return pc.take(_by_value(chunk.dictionary, kind, judge), chunk.indices)
    return judge(chunk)


def _matches(rule: Rule, chunk: Array, threads: int) -> Array:
    table = kernel_table(rule)
    if table is None:
        return pa.array([None if text is None else rule.matches(text) for text in _texts(chunk)], pa.bool_())
    bits = _read(table, chunk, threads, None)
    return pa.Array.from_buffers(pa.bool_(), len(chunk), [bits_of_presence(chunk), bits])


def _offsets(rule: Rule, chunk: Array, threads: int) -> Array:
    table = kernel_table(rule)
    if table is None:
        return pa.array([None if text is None else _offset(rule, text) for text in _texts(chunk)], pa.int64())
    found = pa.allocate_buffer(8 * len(chunk))
    _read(table, chunk, threads, found)
    plain = pa.Array.from_buffers(pa.int64(), len(chunk), [None, found])
    rejected = pc.greater_equal(plain, 0)
    return pa.Array.from_buffers(pa.int64(), len(chunk), [rejected.buffers()[1], found])


def _read(table: Any, chunk: Array, threads: int, found: Any) -> Any:
    """A bit for each text that is derived; ``found``, if it is not None, gets the offsets."""
    column, size = kernel_column(chunk), len(chunk)
    bits = room_for_bits(size)
    in_parts(size, threads, lambda begin, end: column.read(table, begin, end, bits, found))
    return bits


def kernel_table(rule: Rule) -> Any:
    """The rule's table as the kernel walks it; None without one. Raises GrammarError as ``matches`` does."""
    compilation = rule.grammar.compilation
    compilation.refuse_prose(rule.key)
    return compilation.table(rule.key) if compiled is not None and rule.regular else None


def _offset(rule: Rule, text: str | bytes) -> int | None:
    rejection = rule.explain(text, suggest=False)
    return None if rejection is None else rejection.offset


def _texts(chunk: Array) -> list[Any]:
    texts: list[Any] = chunk.to_pylist()
    return texts
