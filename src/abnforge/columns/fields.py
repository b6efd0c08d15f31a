"""What is told of a rejected text, as columns of Arrow: the fields, and structs of some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import Array
from abnforge.columns.messages import message

# Every field by its type. ``column`` is which column a text is of, and ``row`` which text of it, from 0 over
# all chunks; the others are those of a Rejection. No code has a family or a component yet.
TYPES: dict[str, Any] = {
    "row": pa.int64(),
    "column": pa.string(),
    "code": pa.string(),
    "family": pa.string(),
    "component": pa.string(),
    "rule": pa.string(),
    "offset": pa.int64(),
    "start": pa.int64(),
    "end": pa.int64(),
    "found": pa.string(),
    "message": pa.string(),
    "section": pa.string(),
    "suggestion": pa.string(),
}


def struct_type(*names: str) -> Any:
    """A struct of some fields, in this order. Raises KeyError for one that there is not."""
    return pa.struct([(name, TYPES[name]) for name in names])


def without(kind: Any, name: str) -> Any:
    """A struct's type with one field less."""
    return pa.struct([field for field in kind if field.name != name])


ERROR = without(struct_type(*TYPES), "row")  # of a value in a table: one schema for all rejects
ERRORS_TYPE = pa.list_(ERROR)
ERRORS, ORIGIN = "_errors", "_source"  # columns of rejects
SOURCE = pa.struct(  # of a rejected row: its file, number, line (from 1), byte and identifier
    [
        ("source", pa.string()),
        ("row", pa.int64()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("id", pa.string()),
    ]
)
REASON = without(ERROR, "column")  # of a text
REJECTION = struct_type("row", *(field.name for field in REASON))  # of a text in a column


def fields_of(told: Array) -> dict[str, Array]:
    """The columns of a StructArray by name."""
    return dict(zip((field.name for field in told.type), told.flatten(), strict=True))


def filled(kind: Any, size: int, given: Mapping[str, Array], mask: Array | None = None) -> Array:
    """A StructArray of this type and size with the columns that are given; other fields are missing, and so
    are whole rows where ``mask`` is true. Raises ValueError for a column that the type has no field for.
    Cost: no column is copied.
    """
    others = given.keys() - {field.name for field in kind}
    if others:
        raise ArgumentError(message("field-unknown", fields=tuple(sorted(others)), type=str(kind)))
    columns = [given[field.name] if field.name in given else pa.nulls(size, field.type) for field in kind]
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)
