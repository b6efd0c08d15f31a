"""Read N-Triples and N-Quads: each line is a statement, a comment or empty.

A line is validated by the grammar of its format, as the column ``_row``. The terms of a valid line are the
other columns. Their values are those of RDF: without delimiters, and with the characters that escapes
represent (RDF 1.1 N-Triples, section 3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge import columns
from abnforge.columns.arrays import rule_argument
from abnforge.ingest.batch import ROW, Column, Table, Texts, unknown_column
from abnforge.ingest.jsonable import dump_string, dumps
from abnforge.ingest.messages import JobError
from abnforge.ingest.sources.discovery import NQUADS, NTRIPLES
from abnforge.ingest.sources.records import Rows, lines, octets_of, without_line_ends, without_skipped
from abnforge.ingest.sources.text import (
    LinesBatch,
    LinesReader,
    string_array,
    usable,
    with_row_column,
)

_RULES = {NTRIPLES: "ntriples-1.1:line", NQUADS: "nquads-1.1:line"}
_SKIPPED = re.compile(rb"[ \t]*+(?:#[^\r\n]*+)?+\r?\n?")  # a comment or an empty line

# The rule of each column, the first byte of its terms (None for any), and the number of bytes before and
# after the value.
_COLUMNS: Mapping[str, tuple[str, str | None, int, int]] = {
    "subject": ("subject", "<", 1, 1),
    "predicate": ("predicate", "<", 1, 1),
    "object": ("object", "<", 1, 1),
    "graph": ("graphLabel", "<", 1, 1),
    "blank_subject": ("subject", "_", 0, 0),
    "blank_object": ("object", "_", 0, 0),
    "blank_graph": ("graphLabel", "_", 0, 0),
    "literal": ("STRING-LITERAL-QUOTE", None, 1, 1),
    "language": ("LANGTAG", None, 1, 0),
    "datatype": ("datatype", None, 1, 1),
}
_OF_GRAPHS = ("graph", "blank_graph")
_FEW = 16  # a few rows are fewer than this part of a block

_ESCAPE = re.compile(r"\\(?:u(....)|U(........)|(.))")
_CHARACTERS = dict(zip("tbnrf\"'\\", "\t\b\n\r\f\"'\\", strict=True))


def _unescaped(text: str) -> str:
    """Return a valid term with the characters that its escapes represent."""
    return _ESCAPE.sub(
        lambda escape: _CHARACTERS[escape[3]] if escape[3] else chr(int(escape[1] or escape[2], 16)), text
    )


def line_column(format: str) -> Column:
    """Return the column of whole lines, with the rule of a format."""
    return Column(ROW, rule_argument(_RULES[format]))


class StatementsReader(LinesReader):
    """Files of N-Triples or N-Quads."""

    def check(self, columns: Sequence[Column]) -> None:
        known = [*self.own_columns(), *self.keys_of_folders]
        for name in [*(column.plain for column in columns), self.id_name]:
            if name is not None and name not in known:
                raise JobError(unknown_column(name, known))

    def cut(self, block: bytes, final: bool) -> Rows:
        """Split a block into lines, without comments and empty lines."""
        return without_skipped(lines(block, final), "<_", _SKIPPED)

    def batch(self, cut: Rows, **fields: Any) -> StatementsBatch:
        batch = StatementsBatch(cut=cut, **fields)
        batch.names, batch.rule = self.own_columns(), line_column(self.sources[0].format.name).rule
        return batch

    def own_columns(self) -> Sequence[str]:
        has_graphs = self.sources[0].format.name == NQUADS
        return [name for name in _COLUMNS if has_graphs or name not in _OF_GRAPHS]

    def own_schema(self) -> Any:
        return with_row_column(self.own_columns())


class StatementsBatch(LinesBatch):
    """Statements of a block."""

    names: Sequence[str] = ()
    rule: Any = None

    @cached_property
    def _lines(self) -> Any:
        good = usable(self.rows, self.broken)
        ends = without_line_ends(self.cut)
        return string_array(self.cut.block, self.cut.begins * good, ends * good, good)

    @cached_property
    def _terms(self) -> Mapping[str, tuple[Any, Any]]:
        """The start and end of each term in the block, by rule; the end is -1 in rows without the term."""
        used = {_COLUMNS[name][0] for name in self.names}
        places = columns.components(self.rule, self._lines.view(pa.binary()), True, names=sorted(used))
        terms = {}
        for name in used:
            term = pc.struct_field(places, name)
            start, end = (
                pc.fill_null(pc.struct_field(term, each), -1).to_numpy() for each in ("start", "end")
            )
            offset = np.where(end < 0, 0, self.cut.begins)
            terms[name] = (start + offset, end + offset)
        return terms

    def own_texts(self, column: Column) -> Texts:
        return Texts(self._lines if column.name == ROW else self._values(column.plain))

    def _values(self, name: str, rows: Sequence[int] | None = None) -> Any:
        """Return the values of a column, of some rows; null where the statement does not have such a term.

        Cutting the values of a few rows takes less time than reading the whole block again.
        """
        rule, mark, before, after = _COLUMNS[name]
        begins, ends = self._terms[rule]
        there = ends >= 0
        if mark is not None:
            there &= octets_of(self.cut.block)[np.where(there, begins, 0)] == ord(mark)
        begins, ends = np.where(there, begins + before, 0), np.where(there, ends - after, 0)
        block = self.cut.block
        if rows is None or len(rows) > self.rows // _FEW:
            values = string_array(block, begins, ends, there)
            values = values if rows is None else values.take(pa.array(rows, pa.int64()))
        else:
            which = list(rows)
            places = zip(begins[which].tolist(), ends[which].tolist(), there[which].tolist(), strict=True)
            values = pa.array(
                [block[a:b].decode() if is_there else None for a, b, is_there in places], pa.string()
            )
        escaped = pc.fill_null(pc.match_substring(values, "\\"), False)
        if escaped.true_count:
            values = pc.replace_with_mask(
                values, escaped, pa.array(map(_unescaped, values.filter(escaped).to_pylist()), pa.string())
            )
        return values

    def own_ids(self, rows: Sequence[int], name: str) -> Sequence[object]:
        ids: list[object] = self._values(name, rows).to_pylist()
        return ids

    def own_table(self, rows: Sequence[int]) -> Table:
        values = [self._values(name, rows) for name in self.names]
        valid = self._terms["subject"][1][list(rows)] >= 0
        texts = [None if ok else self.as_text(row) for row, ok in zip(rows, valid, strict=True)]
        return pa.RecordBatch.from_arrays(
            [*values, pa.array(texts, pa.string())], schema=with_row_column(self.names)
        )

    def own_json(self, rows: Sequence[int]) -> list[str]:
        objects = []
        for row in self.own_table(rows).to_pylist():
            text = row.pop(ROW)
            objects.append(dumps(row)[:-1] if text is None else f'{{"{ROW}":{dump_string(text)}')
        return objects
