"""DuckDB 1.5 and 2: a rule as SQL functions, or as an SQL expression.

Functions work on batches of Arrow data; NULL stays NULL. Close the connection at the end, or call
``unregister``: DuckDB prints errors about functions that outlive the program.
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
    """Define ``name(text)``, which tests for a match, and ``name_why(text)``, which explains a rejection.

    The reason is a struct of code, offset, start, end and message. Raises errors of abnforge and DuckDB.
    """
    judged = given_rule(rule)

    def verdicts(texts: Any) -> Any:
        return columns.matches(judged, texts)

    def why(texts: Any) -> Any:
        reasons = columns.reasons(judged, texts)
        if isinstance(reasons, pa.ChunkedArray):
            reasons = reasons.combine_chunks()
        fields = {field.name: reasons.field(field.name) for field in _REASON}
        return filled(_REASON, len(reasons), fields, mask=reasons.is_null())

    struct = duckdb.struct_type({field.name: _KINDS[field.type] for field in _REASON})
    connection.create_function(name, verdicts, ["VARCHAR"], "BOOLEAN", type="arrow")
    # Without special null handling, NULL for valid strings is an error in DuckDB.
    connection.create_function(f"{name}_why", why, ["VARCHAR"], struct, type="arrow", null_handling="special")


def unregister(connection: Any, name: str) -> None:
    """Remove both functions."""
    connection.remove_function(name)
    connection.remove_function(f"{name}_why")


def sql(rule: Rule | str, column: str) -> str:
    """Return an SQL expression that is true if the rule matches; ``column`` is inserted unchanged.

    The expression and the errors are those of :func:`abnforge.integrations.sql.condition`.
    """
    return condition(rule, "duckdb", column)
