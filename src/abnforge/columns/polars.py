"""Polars: ``pl.col("url").abnf.matches("rfc3986:URI")``, after this module is imported.

Results are those of :mod:`abnforge.columns` over the buffers of the series. An expression works on whole
batches, including in streaming queries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import pyarrow as pa

from abnforge import columns
from abnforge.columns.components import parts_of
from abnforge.columns.fields import REASON, REJECTION
from abnforge.engine.rule import Rule
from abnforge.uri.suffixes import SuffixList


@pl.api.register_series_namespace("abnf")
class SeriesNamespace:
    """The methods of ``series.abnf``."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def matches(self, rule: Rule | str) -> pl.Series:
        """Return verdicts, missing for missing strings; see :func:`abnforge.columns.matches`."""
        return self._told(columns.matches(rule, self._series))

    def offsets(self, rule: Rule | str) -> pl.Series:
        """Return the offsets of rejected strings; see :func:`abnforge.columns.offsets`."""
        return self._told(columns.offsets(rule, self._series))

    def components(
        self,
        rule: Rule | str,
        *,
        names: Iterable[str] | None = None,
        query_parameters: str | None = None,
        suffixes: SuffixList | None = None,
    ) -> pl.Series:
        """Return the components as a struct; see :func:`abnforge.columns.components`."""
        derived: dict[str, Any] = {"query_parameters": query_parameters, "suffixes": suffixes}
        return self._told(columns.components(rule, self._series, names=names, **derived))

    def rejections(self, rule: Rule | str, *, suggest: bool = False) -> pl.DataFrame:
        """Return a row for each rejected string; see :func:`abnforge.columns.rejections`."""
        return self._told(columns.rejections(rule, self._series, suggest)).struct.unnest()

    def reasons(self, rule: Rule | str, *, suggest: bool = False) -> pl.Series:
        """Return the reason of each rejection; see :func:`abnforge.columns.reasons`."""
        return self._told(columns.reasons(rule, self._series, suggest))

    def _told(self, answer: Any) -> pl.Series:
        series = pl.from_arrow(answer)
        assert isinstance(series, pl.Series)
        return series.alias(self._series.name)


@pl.api.register_expr_namespace("abnf")
class ExprNamespace:
    """The methods of ``expression.abnf``."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def matches(self, rule: Rule | str) -> pl.Expr:
        """See :meth:`SeriesNamespace.matches`."""
        return self._expression.map_batches(
            lambda series: SeriesNamespace(series).matches(rule), pl.Boolean, is_elementwise=True
        )

    def offsets(self, rule: Rule | str) -> pl.Expr:
        """See :meth:`SeriesNamespace.offsets`."""
        return self._expression.map_batches(
            lambda series: SeriesNamespace(series).offsets(rule), pl.Int64, is_elementwise=True
        )

    def components(
        self,
        rule: Rule | str,
        *,
        names: Iterable[str] | None = None,
        query_parameters: str | None = None,
        suffixes: SuffixList | None = None,
    ) -> pl.Expr:
        """See :meth:`SeriesNamespace.components`."""
        chosen = None if names is None else tuple(names)
        derived: dict[str, Any] = {"query_parameters": query_parameters, "suffixes": suffixes}
        fields: dict[str, Any] = dict.fromkeys(parts_of(rule, chosen), pl.String)
        if query_parameters is not None:
            fields["query_parameters"] = pl.Map(pl.String, pl.String)
        if suffixes is not None:
            fields["registrable_domain"] = pl.String
        return self._expression.map_batches(
            lambda series: SeriesNamespace(series).components(rule, names=chosen, **derived),
            pl.Struct(fields),
            is_elementwise=True,
        )

    def rejections(self, rule: Rule | str, *, suggest: bool = False) -> pl.Expr:
        """Return a struct for each rejected string; see :meth:`SeriesNamespace.rejections`."""
        return self._expression.map_batches(
            lambda series: SeriesNamespace(series).rejections(rule, suggest=suggest).to_struct(series.name),
            _struct(REJECTION),
        )

    def reasons(self, rule: Rule | str, *, suggest: bool = False) -> pl.Expr:
        """See :meth:`SeriesNamespace.reasons`."""
        return self._expression.map_batches(
            lambda series: SeriesNamespace(series).reasons(rule, suggest=suggest),
            _struct(REASON),
            is_elementwise=True,
        )


def _struct(kind: Any) -> pl.Struct:
    kinds = {pa.string(): pl.String, pa.int64(): pl.Int64}
    return pl.Struct({field.name: kinds[field.type] for field in kind})
