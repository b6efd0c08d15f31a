"""DuckDB: a rule as functions of SQL, and as SQL that needs no function. DuckDB 1.5 and 2.

Functions work on batches of Arrow data; missing texts stay missing. Close the connection at the end, or call
``unregister``: DuckDB complains on standard error of functions that outlive the program.
"""

from __future__ import annotations

from typing import Any

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, needs
from abnforge.integrations.sql import condition

with needs("duckdb", "'abnforge[duckdb]'"):
    import duckdb
    import pyarrow as pa

    from abnforge import columns
    from abnforge.columns.fields import filled, struct_type

_REASON = struct_type("code", "offset", "start", "end", "message")
_KINDS = {pa.string(): "VARCHAR", pa.int64(): "BIGINT"}


def register(connection: Any, name: str, rule: Rule | str) -> None:
    """Make ``name(text)``, whether the rule derives a text, and ``name_why(text)``, why it does not: a struct
    of code, offset, start, end and message, missing where it does. Raises as ``abnforge.rule`` and DuckDB do.
    """
    judged = given_rule(rule)

    def verdicts(texts: Any) -> Any:
        return columns.matches(judged, texts)

    def why(texts: Any) -> Any:
        told = columns.reasons(judged, texts)
        if isinstance(told, pa.ChunkedArray):
            told = told.combine_chunks()
        fields = {field.name: told.field(field.name) for field in _REASON}
        return filled(_REASON, len(told), fields, mask=told.is_null())

    struct = duckdb.struct_type({field.name: _KINDS[field.type] for field in _REASON})
    connection.create_function(name, verdicts, ["VARCHAR"], "BOOLEAN", type="arrow")
    # Of what is valid there is nothing to say, which DuckDB takes for a mistake unless it is told.
    connection.create_function(f"{name}_why", why, ["VARCHAR"], struct, type="arrow", null_handling="special")


def unregister(connection: Any, name: str) -> None:
    """Take both functions away again."""
    connection.remove_function(name)
    connection.remove_function(f"{name}_why")


def sql(rule: Rule | str, column: str) -> str:
    """An expression of SQL that is true where the rule derives a column's text: that of
    :func:`abnforge.integrations.sql.condition`, with its errors. ``column`` is put in as it is.
    """
    return condition(rule, "duckdb", column)
