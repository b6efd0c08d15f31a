"""The messages of the columns package: arguments, tables, limits of Arrow."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "arrow-query": "{name} must be data, not {type}; call .collect() first",
        "array-changed": "array must not change during the call",
        "arrow-buffers": "the strings of the array are not within its buffers: {reason}",
        "arrow-column": "array must be one column, not {columns:list}; pass one column of the table",
        "arrow-missing": "abnforge.columns requires pyarrow; run pip install 'abnforge[arrow]'",
        "arrow-not-binary": "{rule} reads bytes; array must be a column of bytes, not of {type}",
        "arrow-type": "array must be a column of str or bytes, not of {type}",
        "components-derived": "{field} requires the component {component} as a string",
        "components-names": "{rule} of {grammar} is not a rule for URIs; pass names",
        "components-twice": "names must be distinct rules; {first:quoted} and {second:quoted} are the same",
        "field-unknown": "unknown fields of {type}: {fields:list}",
        "column-string-too-long": "row {row} has {length:,} bytes, the limit is {most:,}; split the string",
        "table-arguments": "rule must be a Rule or its name, not {type}; call split(rule, table, column)",
        "table-column-missing": "the column of {rule} is missing; pass one of {columns:list}",
        "table-column-twice": "{count} columns are named {column:quoted}; rename all but one",
        "table-column-unknown": "unknown column {column:quoted}{near:near}",
        "warnings-rule": "{rule} does not have warnings; use {rules:or} of {grammar}",
        "table-reject": "the batch already has a column {column:quoted}; rename it",
    }
)
