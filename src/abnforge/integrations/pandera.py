"""pandera: ``Column(str, abnf("rfc3986:URI"))``, for pandas and polars. Missing strings are not validated.

``schema.validate(frame, lazy=True)`` collects the failures; their ``check`` is the name of the rule, and
``abnforge.columns.rejections`` explains them.
"""

from __future__ import annotations

from typing import Any

from abnforge._lazy import importing
from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, label, needs

with needs("pandera"):
    from pandera.api.checks import Check


def abnf(rule: Rule | str, **options: Any) -> Check:
    """Return a Check that a rule matches the strings of a column.

    ``options`` are passed to ``pandera.Check``. Raises the errors of ``abnforge.rule``.
    """
    judged = given_rule(rule)

    def check(data: Any) -> Any:
        if not hasattr(data, "lazyframe"):
            with importing:
                import abnforge.columns.pandas

            return data.abnf.matches(judged)
        with importing:
            import polars as pl

            import abnforge.columns.polars  # noqa: F401 (both add a namespace)

        column: Any = pl.col(data.key or "*")
        return data.lazyframe.select(column.abnf.matches(judged))

    return Check(check, **{"name": label(judged), "error": label(judged), **options})
