"""Write valid rows in another format than the source's: tables, CSV, TSV or JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.ingest import jsonable
from abnforge.ingest.batch import ROW, Array, Batch, Table, unique_names
from abnforge.ingest.nested import as_one_array, without_missing_words
from abnforge.ingest.sinks.rejects import csv_cells, csv_lines
from abnforge.ingest.sources.csv import csv_cell
from abnforge.ingest.sources.discovery import DELIMITERS, JSONL, TABLES


class Conversion:
    """Converts the valid rows of batches to the form that the sink of ``format`` expects.

    Columns of text sources are strings; other values of JSON are written as JSON. Strings in ``null_values``
    are null, unless they are written with escapes.
    """

    def __init__(self, schema: Any, source_format: str, format: str, null_values: Sequence[str]) -> None:
        self._format = format
        self._is_table = source_format in TABLES
        self._nulls = () if self._is_table else null_values
        at = schema.get_field_index(ROW)
        self.schema = schema if self._is_table or at < 0 else schema.remove(at)

    def header(self) -> bytes:
        """Return the bytes before all rows."""
        mark = DELIMITERS.get(self._format)
        names = [] if mark is None else [csv_cell(name, mark) for name in self.schema.names]
        return b"" if mark is None else f"{mark.join(names)}\n".encode()

    def rows(self, batch: Batch, good: Array) -> Any:
        """Return the valid rows of a batch: a table, or the bytes of lines."""
        table = self._table(batch, good)
        if self._format in TABLES:
            return table
        columns = [as_one_array(column) for column in table.columns]
        if self._format == JSONL:
            names = [jsonable.dump_string(name) for name in unique_names(self.schema.names)]
            cells = [
                [f"{name}:{text}" for text in jsonable.texts(column)]
                for name, column in zip(names, columns, strict=True)
            ]
            rows = map(",".join, zip(*cells, strict=True)) if cells else [""] * len(table)
            return "".join([f"{{{row}}}\n" for row in rows]).encode()
        mark = DELIMITERS[self._format]
        return csv_lines([csv_cells(column, delimiter=mark) for column in columns], mark)

    def _table(self, batch: Batch, good: Array) -> Table:
        if self._is_table:
            table = batch.select(good)
            columns = [without_missing_words(as_one_array(column)) for column in table.columns]
            return pa.Table.from_arrays(columns, schema=self.schema)
        mask = np.ones(batch.rows, np.bool_) if good is None else good.to_numpy(zero_copy_only=False)
        columns = batch.as_table(np.flatnonzero(mask).tolist()).select(self.schema.names).columns
        if self._nulls:
            words = pa.array(self._nulls, pa.string())
            for at, (name, column) in enumerate(zip(self.schema.names, columns, strict=True)):
                missing = pc.is_in(column, words)
                if (verbatim := batch.is_verbatim(name)) is not None:
                    missing = pc.and_(missing, pa.array(verbatim[mask]))
                columns[at] = pc.if_else(missing, None, column)
        return pa.Table.from_arrays(columns, schema=self.schema)
