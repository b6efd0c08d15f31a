"""pandas: ``frame["url"].abnf.matches("rfc3986:URI")``, after this module is imported.

Results are those of :mod:`abnforge.columns`, with the index of the series. Strings in Arrow
(``string[pyarrow]``, and ``str`` with pyarrow installed) are not copied; columns of Python objects are, which
takes most of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa

from abnforge import columns
from abnforge.engine.rule import Rule
from abnforge.uri.suffixes import SuffixList


@pd.api.extensions.register_series_accessor("abnf")
class SeriesAccessor:
    """The methods of ``series.abnf``."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series
        self._texts = pa.array(series, from_pandas=True)

    def matches(self, rule: Rule | str) -> pd.Series:
        """Return verdicts, missing for missing strings; see :func:`abnforge.columns.matches`."""
        return self._told(columns.matches(rule, self._texts))

    def offsets(self, rule: Rule | str) -> pd.Series:
        """Return the offsets of rejected strings; see :func:`abnforge.columns.offsets`."""
        return self._told(columns.offsets(rule, self._texts))

    def components(
        self,
        rule: Rule | str,
        *,
        names: Iterable[str] | None = None,
        query_parameters: str | None = None,
        suffixes: SuffixList | None = None,
    ) -> pd.DataFrame:
        """Return the components as a frame; see :func:`abnforge.columns.components`."""
        derived: dict[str, Any] = {"query_parameters": query_parameters, "suffixes": suffixes}
        arrays = columns.components(rule, self._texts, names=names, **derived)
        chunks = arrays.chunks if isinstance(arrays, pa.ChunkedArray) else [arrays]
        table = pa.Table.from_batches([_batch(chunk) for chunk in chunks])
        return table.to_pandas(types_mapper=pd.ArrowDtype).set_axis(self._series.index, axis="index")

    def rejections(self, rule: Rule | str, *, suggest: bool = False) -> pd.DataFrame:
        """Return a row for each rejected string, with its index; see :func:`abnforge.columns.rejections`."""
        struct = columns.rejections(rule, self._texts, suggest)
        table = pa.Table.from_batches([_batch(struct)]).to_pandas(types_mapper=pd.ArrowDtype)
        return table.set_axis(
            self._series.index[struct.field("row").to_numpy(zero_copy_only=False)], axis="index"
        )

    def _told(self, answer: Any) -> pd.Series:
        return pd.Series(
            answer.to_pandas(types_mapper=pd.ArrowDtype).array,
            index=self._series.index,
            name=self._series.name,
        )


def _batch(chunk: Any) -> Any:
    """Convert a struct to columns, with missing values where the struct is missing, and views to strings."""
    views = pa.string_view()
    fields = [each.cast(pa.large_string()) if each.type == views else each for each in chunk.flatten()]
    return pa.RecordBatch.from_arrays(fields, names=[field.name for field in chunk.type])
