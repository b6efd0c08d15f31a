"""The fields of rejections as Arrow types, and structs of these fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import Array
from abnforge.columns.messages import message

# All fields with their types. ``column`` is the name of the string's column, and ``row`` the string's index
# across all chunks; the others are fields of a Rejection.
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
    """Return a struct of some fields, in this order. Raises KeyError for an unknown field."""
    return pa.struct([(name, TYPES[name]) for name in names])


def without(kind: Any, name: str) -> Any:
    """Return a struct's type without a field."""
    return pa.struct([field for field in kind if field.name != name])


ERROR = without(struct_type(*TYPES), "row")  # an error in a table; all rejects have the same schema
ERRORS_TYPE = pa.list_(ERROR)
ERRORS, ORIGIN = "_errors", "_source"  # columns of rejects
SOURCE = pa.struct(  # origin of a rejected row: its file, number, line (from 1), byte and identifier
    [
        ("source", pa.string()),
        ("row", pa.int64()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("id", pa.string()),
    ]
)
REASON = without(ERROR, "column")  # the reason why a string is rejected
WARNING = pa.struct([*ERROR, ("severity", pa.string())])  # a warning about a valid row
WARNINGS = pa.struct([("row", pa.int64()), *without(WARNING, "column")])  # about a string of a column
REJECTION = struct_type("row", *(field.name for field in REASON))  # a rejected string in a column


def fields_of(struct: Array) -> dict[str, Array]:
    """Return the columns of a StructArray by name."""
    return dict(zip((field.name for field in struct.type), struct.flatten(), strict=True))


def filled(kind: Any, size: int, fields: Mapping[str, Array], mask: Array | None = None) -> Array:
    """Return a StructArray with these columns, which are not copied; other fields are missing.

    Rows are missing where ``mask`` is true. Raises ValueError for a column that is not a field of the type.
    """
    others = fields.keys() - {field.name for field in kind}
    if others:
        raise ArgumentError(message("field-unknown", fields=tuple(sorted(others)), type=str(kind)))
    columns = [fields[field.name] if field.name in fields else pa.nulls(size, field.type) for field in kind]
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)
