"""pandas: ``frame["url"].abnf.matches("rfc3986:URI")``, once this module is imported.

Each answer is that of :mod:`abnforge.columns`, with the series' index. Texts that Arrow holds
(``string[pyarrow]``, and ``str`` where pyarrow is there) are read where they lie; columns of Python objects
are copied first, which takes longer than all else. Needs pandas beside pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa

from abnforge import columns
from abnforge.engine.rule import Rule


@pd.api.extensions.register_series_accessor("abnf")
class SeriesAccessor:
    """What rules say of a series of texts."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series
        self._texts = pa.array(series, from_pandas=True)

    def matches(self, rule: Rule | str) -> pd.Series:
        """Which texts the rule derives, missing where the text is; as :func:`abnforge.columns.matches`."""
        return self._told(columns.matches(rule, self._texts))

    def offsets(self, rule: Rule | str) -> pd.Series:
        """Where reading the rejected texts stops; as :func:`abnforge.columns.offsets`."""
        return self._told(columns.offsets(rule, self._texts))

    def components(self, rule: Rule | str, *, names: Iterable[str] | None = None) -> pd.DataFrame:
        """The components as a frame of texts; as :func:`abnforge.columns.components`."""
        told = columns.components(rule, self._texts, names=names)
        chunks = told.chunks if isinstance(told, pa.ChunkedArray) else [told]
        table = pa.Table.from_batches([_batch(chunk) for chunk in chunks])
        return table.to_pandas(types_mapper=pd.ArrowDtype).set_axis(self._series.index, axis="index")

    def rejections(self, rule: Rule | str, *, suggest: bool = False) -> pd.DataFrame:
        """A row for each rejected text, with its index, and why; as :func:`abnforge.columns.rejections`."""
        told = columns.rejections(rule, self._texts, suggest)
        table = pa.Table.from_batches([_batch(told)]).to_pandas(types_mapper=pd.ArrowDtype)
        return table.set_axis(
            self._series.index[told.field("row").to_numpy(zero_copy_only=False)], axis="index"
        )

    def _told(self, answer: Any) -> pd.Series:
        return pd.Series(
            answer.to_pandas(types_mapper=pd.ArrowDtype).array,
            index=self._series.index,
            name=self._series.name,
        )


def _batch(chunk: Any) -> Any:
    """The fields of a struct as columns, missing where the struct is. pandas knows no views of texts."""
    views = pa.string_view()
    fields = [each.cast(pa.large_string()) if each.type == views else each for each in chunk.flatten()]
    return pa.RecordBatch.from_arrays(fields, names=[field.name for field in chunk.type])
