"""The fields of rejections in columns: names, Arrow types, JSON Schema, and structs of these fields.

:class:`RowError` is the only list of the fields. A field that depends on the mistake alone, and not on the
string, is also in ``OF_MISTAKE``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_type_hints

import pyarrow as pa

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import Array
from abnforge.columns.messages import message
from abnforge.families import family_of

if TYPE_CHECKING:
    from abnforge.explain.explainer import Explainer
    from abnforge.explain.mistakes import Mistake


class RowError(NamedTuple):
    """A reason to reject a row. Fields up to ``suggestion``, and ``family``, are written to rejects."""

    column: Annotated[
        str | None,
        "Column as named in the job, with the number of the element in a list;"
        " null if the row as a whole is rejected.",
    ]
    code: Annotated[str, "One of the grammar's codes, or of abnforge.ROW_CODES."]
    component: Annotated[
        str | None,
        "Rule that the code is about, such as host; null if the row as a whole is rejected.",
    ] = None
    rule: Annotated[str | None, "Rule that rejects the string."] = None
    offset: Annotated[
        int | None,
        "Length of the longest prefix that some matching string starts with: 0-based, in code points;"
        " in bytes for binary columns and for rows that are not UTF-8.",
    ] = None
    start: Annotated[int | None, "Start of the mistake, in the unit of offset; null if offset is."] = None
    end: Annotated[int | None, "End of the mistake, exclusive; equal to start if characters are missing."] = (
        None
    )
    found: Annotated[
        str | None,
        r"Character at offset; null at the end of the string; \xFF for a byte that is not UTF-8.",
    ] = None
    message: Annotated[str, "Message for people."] = ""
    section: Annotated[str | None, "Section of the specification."] = None
    suggestion: Annotated[str | None, "A similar valid string, if requested and known."] = None
    text: str | bytes | None = None  # the input, for samples
    severity: str = "error"  # written only for warnings

    @property
    def family(self) -> str:
        """The family of the code."""
        return family_of(self.code)


OF_MISTAKE: dict[str, Callable[[Explainer, Mistake], tuple[Any] | None]] = {
    "code": lambda _, mistake: (mistake.code,),
    "family": lambda _, mistake: (family_of(mistake.code),),
    "component": lambda explainer, mistake: (explainer.component(mistake.code),),
    "section": lambda explainer, mistake: explainer.section(mistake),
}
"""Functions that return the value of a field for a declared mistake, in a tuple, or None if the value depends
on the string.
"""


_HINTS = get_type_hints(RowError, include_extras=True)
_FIELDS = {  # the fields that are written, in order: the type and the description of each
    "column": get_args(_HINTS["column"]),
    "code": get_args(_HINTS["code"]),
    "family": (str, "Family of the code, such as whitespace."),
    **{name: get_args(hint) for name, hint in _HINTS.items() if hasattr(hint, "__metadata__")},
}


def struct_type(*names: str) -> Any:
    """Return a struct of some fields, in this order. Raises KeyError for an unknown field."""
    is_number = {name: int in get_args(_FIELDS[name][0]) for name in names}
    return pa.struct([(name, pa.int64() if is_number[name] else pa.string()) for name in names])


def without(kind: Any, name: str) -> Any:
    """Return a struct's type without a field."""
    return pa.struct([field for field in kind if field.name != name])


def error_schema() -> dict[str, Any]:
    """Return the JSON Schema of an error in rejects."""
    properties: dict[str, Any] = {}
    for name, (kind, description) in _FIELDS.items():
        is_number = int in get_args(kind)
        json_type = "integer" if is_number else "string"
        properties[name] = {
            "type": json_type if kind is str else [json_type, "null"],
            **({"minimum": 0} if is_number else {}),
            "description": description,
        }
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


ERROR = struct_type(*_FIELDS)  # an error in a table; all rejects have the same schema
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
_ROW = pa.field("row", pa.int64())  # the index of a string across all chunks of its column
WARNINGS = pa.struct([_ROW, *without(WARNING, "column")])  # about a string of a column
REJECTION = pa.struct([_ROW, *REASON])  # a rejected string in a column


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
