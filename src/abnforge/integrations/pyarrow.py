"""pyarrow: a rule as an expression, for filters of datasets and tables.

The expression calls a function that is registered with pyarrow once for each rule. Strings may have any type;
a filter omits rows with missing strings.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge import columns
from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, label

MOST_RULES = 1_000  # a limit, since pyarrow keeps functions until the end of the program


def matches(rule: Rule | str, column: str | Any) -> Any:
    """Return an expression that is true if the rule matches the string of a column.

    ``column`` is a name or an expression: ``dataset.to_table(filter=matches("rfc3986:URI", "url"))``. Raises
    the errors of ``abnforge.rule``.
    """
    field = pc.field(column) if isinstance(column, str) else column
    return pc.Expression._call(_function(given_rule(rule)), [field.cast(pa.large_string())])


@lru_cache(maxsize=MOST_RULES)
def _function(rule: Rule) -> str:
    name = f"abnforge:{label(rule)}:{_function.cache_info().misses}"

    def verdicts(context: Any, texts: Any) -> Any:
        if isinstance(texts, pa.Scalar):
            return columns.matches(rule, pa.array([texts.as_py()], pa.large_string()))[0]
        return columns.matches(rule, texts)

    documentation = {"summary": f"whether {label(rule)} matches a string", "description": "null for null"}
    pc.register_scalar_function(verdicts, name, documentation, {"text": pa.large_string()}, pa.bool_())
    return name
