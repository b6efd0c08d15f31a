"""Reasons and origins as they are written: in JSON, and as columns of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import pyarrow as pa

from abnforge.columns import fields
from abnforge.columns.selecting import taken
from abnforge.ingest.parts import Origin, Reason
from abnforge.ingest.plain_json import quoted, texts, written

ERRORS, SOURCE, ROW = "_errors", "_source", "_row"

# In the metadata of rejects in Parquet. A program that writes them anew and drops it drops the source's, too.
AS_WRITTEN = b"abnforge:rejects"

REASON = fields.ERROR
REASONS = pa.list_(REASON)


class Identifiers:
    """The identifiers of some rows of a table, which keep their type."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @cached_property
    def texts(self) -> list[str]:
        """Return each as JSON."""
        return texts(self.values)

    def each(self) -> list[Identifier | None]:
        """Return one for each row, None if it is missing."""
        there = self.values.is_valid().to_pylist()
        return [Identifier(self, at) if valid else None for at, valid in enumerate(there)]


class Identifier(NamedTuple):
    """The identifier of a row of a table."""

    among: Identifiers
    at: int


def origin_type(kind: Any, masking: bool = False) -> Any:
    """The type of ``_source``, where identifiers are of this type, and it is told what was hidden."""
    return pa.struct(
        [
            ("source", pa.string()),
            ("row", pa.int64()),
            ("line", pa.int64()),
            ("byte_offset", pa.int64()),
            ("id", kind),
            *([("masked", pa.bool_())] if masking else ()),
        ]
    )


def as_array(rows: Sequence[Sequence[Reason] | None]) -> Any:
    """Reasons of rows as a column."""
    told = [reason for row in rows if row is not None for reason in row]
    columns = zip(*told, strict=True) if told else ((),) * len(Reason._fields)
    values = dict(zip(Reason._fields, columns, strict=True))
    arrays = [pa.array(values[field.name], field.type) for field in REASON]
    ends = accumulate((0 if row is None else len(row) for row in rows), initial=0)
    there = pa.array([row is None for row in rows], pa.bool_())
    items = pa.StructArray.from_arrays(arrays, fields=list(REASON))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), items, REASONS, mask=there)


def origins_as_array(source: str, origins: Sequence[Origin], wanted: Any) -> Any:
    """Origins as a column of the type ``wanted``, one of :func:`origin_type`; of rows of ``source``, unless
    they say otherwise.
    """
    kind = wanted.field("id").type
    numbers = [pa.array([each[at] for each in origins], pa.int64()) for at in range(3)]
    named = pa.array([source if each.source is None else each.source for each in origins], pa.string())
    columns = [named, *numbers, _ids_as_array([each.id for each in origins], kind)]
    if wanted.num_fields > len(columns):
        columns.append(pa.array([bool(each.masked) for each in origins], pa.bool_()))
    return pa.StructArray.from_arrays(columns, fields=list(wanted))


def _ids_as_array(ids: Sequence[object], kind: Any) -> Any:
    of = next((each for each in ids if isinstance(each, Identifier)), None)
    if of is not None:  # all are of one table
        places = [each.at if isinstance(each, Identifier) else None for each in ids]
        return taken(of.among.values, pa.array(places, pa.int64()))
    if pa.types.is_string(kind):
        ids = [each if each is None or isinstance(each, str) else written(each) for each in ids]
    return pa.array(ids, kind)


def json_reasons(reasons: Sequence[Reason]) -> str:
    """Reasons of a row as JSON."""
    return f"[{','.join(map(_json_reason, reasons))}]"


def _json_reason(told: Reason) -> str:
    return (
        f'{{"column":{_text(told.column)},"code":{_text(told.code)},"family":{_text(told.family)},'
        f'"component":{_text(told.component)},"rule":{_text(told.rule)},"offset":{_number(told.offset)},'
        f'"start":{_number(told.start)},"end":{_number(told.end)},"found":{_text(told.found)},'
        f'"message":{_text(told.message)},"section":{_text(told.section)},'
        f'"suggestion":{_text(told.suggestion)}}}'
    )


def json_origin(source: str, origin: Origin) -> str:
    """Where a row is from as JSON."""
    line = "null" if origin.line is None else origin.line
    offset = "null" if origin.byte_offset is None else origin.byte_offset
    told = origin.id
    identifier = told.among.texts[told.at] if isinstance(told, Identifier) else written(told)
    masked = "" if origin.masked is None else f',"masked":{"true" if origin.masked else "false"}'
    return (
        f'{{"source":{quoted(origin.source or source)},"row":{origin.row},"line":{line},'
        f'"byte_offset":{offset},"id":{identifier}{masked}}}'
    )


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def _text(text: str | None) -> str:
    return "null" if text is None else quoted(text)
