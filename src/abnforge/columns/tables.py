"""Validate tables by rules of their columns: return verdicts, or split valid rows from rejects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._arguments import empty, plain_argument, wrong_type
from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.columns.arrays import (
    Array,
    column_argument,
    filter_table,
    is_pandas_frame,
    not_arrow,
    rule_argument,
    threads_argument,
)
from abnforge.columns.fields import ERROR, ERRORS, ERRORS_TYPE, ORIGIN, SOURCE, fields_of, filled
from abnforge.columns.messages import message
from abnforge.columns.rejections import explained
from abnforge.columns.verdicts import matches
from abnforge.engine.rule import Rule
from abnforge.errors import UnknownNameError
from abnforge.text import near_misses

Rules = Mapping[str, Rule | str]


def judge(rules: Rules, batch: object, threads: int | None = None) -> Any:
    """Return verdicts on several columns: a table with a boolean column for each key of ``rules``.

    ``rules`` maps each column to its rule, in a form that :func:`matches` accepts. ``batch`` is a pyarrow
    RecordBatch or Table, or anything with the Arrow PyCapsule interface. Missing strings stay missing. The
    result is a RecordBatch for a RecordBatch, else a Table. Raises KeyError for an unknown column, and the
    errors of :func:`matches`. Complexity: that of ``matches`` on each column.
    """
    by_column = _rules_argument(rules)
    table = _table_argument(batch)
    count = threads_argument(threads)
    verdicts = [matches(rule, _column(table, name), count) for name, rule in by_column.items()]
    return type(table).from_arrays(verdicts, names=list(by_column))


def split(
    rule: Rule | str | Rules,
    batch: object,
    column: str | None = None,
    suggest: bool = False,
    threads: int | None = None,
) -> tuple[Any, Any]:
    """Split a table into ``(valid, rejects)`` by the strings of one column, or of several.

    ``rule`` is the rule of ``column``, or a mapping from columns to rules, without ``column``. ``batch`` is a
    pyarrow RecordBatch or Table, or anything with the Arrow PyCapsule interface; both results have pyarrow's
    type. The index of a pandas frame is a column of both, and ``to_pandas()`` restores it. Rows are valid if
    their strings match or are missing.

    Rejects keep all columns and have two more. ``_source`` is a struct with the number ``row`` of the row in
    the batch. ``_errors`` is a list of the row's rejections, in the order of the columns. Each rejection has
    its ``column`` and the fields of :func:`rejections` except ``row``.

    Raises KeyError for an unknown column, ValueError for a batch with a column ``_errors`` or ``_source``,
    and the errors of :func:`rejections`.
    """
    if not isinstance(rule, str | Rule | Mapping):
        raise ArgumentTypeError(message("table-arguments", type=type(rule).__name__))
    table = _table_argument(batch)
    by_column = _wanted(rule, column, table.schema.names)
    good, errors = verdicts_and_rejects(by_column, table, suggest, threads_argument(threads))
    rejected = pc.invert(good)
    rows = pc.indices_nonzero(rejected).cast(pa.int64())
    rejects = filter_table(table, rejected).append_column(ERRORS, errors)
    return filter_table(table, good), rejects.append_column(ORIGIN, filled(SOURCE, len(rows), {"row": rows}))


def _wanted(rule: Rule | str | Rules, column: str | None, names: list[str]) -> dict[str, Rule]:
    if isinstance(rule, Mapping):
        if column is not None:
            raise wrong_type("column", "None if rule is a mapping", column)
        return _rules_argument(rule)
    validated = rule_argument(rule)
    if column is None:
        raise ArgumentTypeError(message("table-column-missing", rule=validated.name, columns=tuple(names)))
    return {plain_argument(column, "column"): validated}


def verdicts_and_rejects(
    rules: Mapping[str, Rule], table: Any, suggest: bool, threads: int
) -> tuple[Array, Array]:
    """Return a boolean for each row of a table, and a list of rejections for each rejected row."""
    for name in (ERRORS, ORIGIN):
        if name in table.schema.names:
            raise ArgumentError(message("table-reject", column=name))
    valid: list[Array] = []
    rejections = []
    rows = []
    for name, judged in rules.items():
        texts = column_argument(_column(table, name), judged)
        verdicts = [matches(judged, chunk, threads) for chunk in texts.chunks]
        fields = fields_of(explained(judged, texts.chunks, verdicts, suggest))
        rows.append(fields.pop("row"))
        fields["column"] = pa.repeat(pa.scalar(name, pa.string()), len(rows[-1]))
        rejections.append(filled(ERROR, len(rows[-1]), fields))
        valid.append(pc.fill_null(_one(verdicts), True))
    return reduce(pc.and_, valid), _by_row(rows, rejections)


def _by_row(rows: list[Array], rejections: list[Array]) -> Array:
    row, sorted_rejections = pa.concat_arrays(rows), pa.concat_arrays(rejections)
    if len(rejections) > 1:
        order = pc.sort_indices(row)  # stable
        row, sorted_rejections = row.take(order), sorted_rejections.take(order)
    runs = pc.run_end_encode(row, run_end_type=pa.int32()).run_ends
    return pa.ListArray.from_arrays(
        pa.concat_arrays([pa.array([0], pa.int32()), runs]), sorted_rejections, type=ERRORS_TYPE
    )


def _one(chunks: list[Array]) -> Array:
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.bool_())


def _column(table: Any, name: str) -> Array:
    names = table.schema.names
    if name not in names:
        raise UnknownNameError(message("table-column-unknown", column=name, near=near_misses(name, names)))
    if names.count(name) > 1:
        raise UnknownNameError(message("table-column-twice", column=name, count=names.count(name)))
    return table.column(name)


def _rules_argument(rules: object) -> dict[str, Rule]:
    if not isinstance(rules, Mapping):
        raise wrong_type("rules", "a mapping such as {'url': 'rfc3986:URI'}", rules)
    if not rules:
        raise empty("rules")
    return {plain_argument(name, "each column"): rule_argument(rule) for name, rule in rules.items()}


def _table_argument(batch: object) -> Any:
    if isinstance(batch, pa.RecordBatch | pa.Table):
        return batch
    if is_pandas_frame(batch):
        return pa.Table.from_pandas(batch, preserve_index=True)
    if not hasattr(batch, "__arrow_c_stream__"):
        raise not_arrow("batch", "a table of Arrow, pandas or polars", batch)
    return pa.table(batch)
