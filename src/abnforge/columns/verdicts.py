"""Verdicts and offsets of the strings of a column."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._native import compiled
from abnforge.charset import BYTES, UNICODE
from abnforge.columns.arrays import (
    VIEWS,
    Array,
    bits_of_presence,
    check_places,
    column_argument,
    in_characters,
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
from abnforge.engine.rule import AND, BUT_NOT, OR, Rule
from abnforge.engine.set_algebra import bound_of, expression_of
from abnforge.engine.sets import SetRule
from abnforge.errors import LimitExceeded

# With fewer strings, compiling a pattern of RE2 takes longer than validating them individually.
FEW = 2_000


def matches(rule: Rule | str, array: object, threads: int | None = None) -> Array:
    """Return whether the rule matches each string: a BooleanArray, missing for missing strings.

    The result is chunked like the array. ``rule`` is a Rule, or a name ``GRAMMAR:RULE``. The values of a
    dictionary are validated once. ``threads`` share the rows of a chunk; None means one for each processor.
    Raises TypeError for an argument that is not a column of strings, UnknownNameError for an unknown rule,
    GrammarError for a rule that needs a prose-val.

    Cost: linear. Without the C extension, RE2 validates with the pattern of the rule. If the rule lacks a
    pattern or a table, and for columns of bytes, the cost is that of ``rule.matches`` for each string.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    return _each(judged, array, pa.bool_(), lambda chunk: _matches(judged, chunk, count))


def offsets(rule: Rule | str, array: object, threads: int | None = None) -> Array:
    """Return the length of the longest viable prefix of each rejected string: an Int64Array.

    Other rows are missing, and the result is chunked like the array. Offsets count code points, or bytes in
    binary columns. Arguments, errors and cost are those of :func:`matches`; without the C extension each
    rejected string costs a call of ``rule.explain``.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    return _each(judged, array, pa.int64(), lambda chunk: _offsets(judged, chunk, count))


def _each(rule: Rule, array: object, kind: Any, judge: Callable[[Array], Array]) -> Array:
    column = column_argument(array, rule)
    results = (_by_value(chunk, kind, judge) for chunk in column.chunks)
    return in_chunks(results, column.chunked, kind)


def _by_value(chunk: Array, kind: Any, judge: Callable[[Array], Array]) -> Array:
    if pa.types.is_null(chunk.type):
        return pa.nulls(len(chunk), kind)
    if pa.types.is_dictionary(chunk.type):
        return pc.take(_by_value(chunk.dictionary, kind, judge), chunk.indices)
    return judge(chunk)


def _matches(rule: Rule, chunk: Array, threads: int) -> Array:
    table = kernel_table(rule)
    if table is not None:
        return matched(table, chunk, threads)
    verdicts = _by_operands(rule, chunk, threads)
    if verdicts is None:
        verdicts = _by_re2(rule, chunk)
    if verdicts is None:
        verdicts = pa.array(
            [None if each is None else rule.matches(each) for each in texts_of(chunk)], pa.bool_()
        )
    return verdicts


def _by_operands(rule: Rule, chunk: Array, threads: int) -> Array:
    """Return the verdicts of a combined rule from those of its operands; None for other rules."""
    expression = expression_of(rule)
    if expression is None:
        return None
    if expression.bound is not None:
        unbound, longest = expression.bound
        return pc.and_(
            _matches(unbound, chunk, threads), pc.less_equal(lengths(chunk, rule.grammar.alphabet), longest)
        )
    left = _matches(expression.left, chunk, threads)
    if expression.right is None:
        return None
    right = _matches(expression.right, chunk, threads)
    return {AND: pc.and_, BUT_NOT: pc.and_not, OR: pc.or_}[expression.operation](left, right)


def lengths(chunk: Array, alphabet: str = UNICODE) -> Array:
    """Return the number of code points or bytes of each string; any number for bytes that are not UTF-8."""
    if alphabet == BYTES:
        return pc.binary_length(chunk.cast(pa.large_binary()))
    layout = layout_of(chunk.type)
    if layout is not None and (layout.octets or layout.number == VIEWS):
        octets = chunk.cast(pa.large_binary())
        chunk = pc.cast(octets, options=_UNCHECKED)
    return pc.utf8_length(chunk)


_UNCHECKED = pc.CastOptions(target_type=pa.large_string(), allow_invalid_utf8=True)


def _by_re2(rule: Rule, chunk: Array) -> Array:
    """Return verdicts of pyarrow's RE2 with the proved pattern of the rule; None without a pattern.

    The result is also None for binary columns, whose UTF-8 RE2 does not decode.
    """
    layout = layout_of(chunk.type)
    if layout is None or layout.octets or not rule.regular or len(chunk) < FEW:
        return None
    pattern = _pattern(rule)
    if pattern is None:
        return None
    check_places(chunk)
    texts = chunk.cast(pa.large_string()) if chunk.type == pa.string_view() else chunk
    try:
        return pc.match_substring_regex(texts, pattern)
    except pa.ArrowInvalid:  # the pattern exceeds the limits of RE2
        return None


@lru_cache(maxsize=16)  # streams repeat the same few rules, and proving a pattern takes milliseconds
def _pattern(rule: Rule) -> str | None:
    try:
        return rule.export("re2")
    except (ValueError, LimitExceeded):
        return None


def _offsets(rule: Rule, chunk: Array, threads: int) -> Array:
    table = kernel_table(rule)
    if table is None:
        bound = bound_of(rule)
        if bound is None or kernel_table(bound[0]) is None:
            return _offsets_of_rejected(rule, chunk, threads)
        return _offsets_within(rule, *bound, chunk, threads)
    offsets = offsets_of(table, chunk, threads, rule.grammar.alphabet == BYTES)
    rejected = pc.greater_equal(offsets, 0)
    return pa.Array.from_buffers(pa.int64(), len(chunk), [rejected.buffers()[1], offsets.buffers()[1]])


def matched(table: Any, chunk: Array, threads: int) -> Array:
    """Return the verdict of a table of the C extension for each string; missing for missing strings."""
    bits = _read(table, chunk, threads, None)
    return pa.Array.from_buffers(pa.bool_(), len(chunk), [bits_of_presence(chunk), bits])


def offsets_of(table: Any, chunk: Array, threads: int = 1, of_bytes: bool = False) -> Array:
    """Return the offset of each string from a table of the C extension; -1 for valid or missing strings."""
    buffer = pa.allocate_buffer(8 * len(chunk))
    _read(table, chunk, threads, buffer, of_bytes)
    return pa.Array.from_buffers(pa.int64(), len(chunk), [None, buffer])


def _offsets_within(rule: Rule, unbound: Rule, longest: int, chunk: Array, threads: int) -> Array:
    """Return the offsets of a rule with a maximum length; only those of long strings differ."""
    offsets = _offsets(unbound, chunk, threads)
    assert isinstance(rule, SetRule)
    near = longest - rule.bounded.furthest
    far = pc.greater(pc.coalesce(offsets, lengths(chunk, rule.grammar.alphabet)), near)
    rows = pc.indices_nonzero(far)
    if not len(rows):
        return offsets
    again = _offsets_of_rejected(rule, take(chunk, rows), threads)
    return pc.replace_with_mask(offsets, pc.fill_null(far, False), again)


def _offsets_of_rejected(rule: Rule, chunk: Array, threads: int) -> Array:
    offsets: list[int | None] = [None] * len(chunk)
    wrong = rejected_rows(_matches(rule, chunk, threads))
    layout = layout_of(chunk.type)
    assert layout is not None
    for row, text in zip(wrong.to_pylist(), texts_of(take(chunk, wrong)), strict=True):
        assert text is not None
        rejection = rule.explain(text, suggest=False)
        assert rejection is not None, "the lanes disagree"
        offsets[row] = in_characters(text, rejection.offset, layout)
    return pa.array(offsets, pa.int64())


def rejected_rows(verdicts: Array) -> Array:
    """Return the indices of rejected rows."""
    return pc.indices_nonzero(pc.invert(verdicts))


def _read(table: Any, chunk: Array, threads: int, offsets: Any, of_bytes: bool = False) -> Any:
    """Return a bit for each matching string; write the offsets to ``offsets``, if it is not None."""
    column, size = kernel_column(chunk, of_bytes), len(chunk)
    bits = room_for_bits(size)
    in_parts(size, threads, lambda begin, end: column.read(table, begin, end, bits, offsets))
    return bits


def kernel_table(rule: Rule) -> Any:
    """Return the rule's table for the C extension; None without one."""
    if compiled is None:
        return None
    return rule.grammar.compilation.table(rule.key, of_bytes=rule.grammar.alphabet == BYTES)
