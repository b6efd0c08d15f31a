"""Plain lines: each is a row of one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from abnforge.ingest.cutting import Rows, lines, without_line_ends
from abnforge.ingest.failures import JobError
from abnforge.ingest.messages import message
from abnforge.ingest.parts import Reason, Table, Texts
from abnforge.ingest.plain_json import quoted
from abnforge.ingest.reasons import ROW
from abnforge.ingest.selection import Column
from abnforge.ingest.texts import TextPart, TextReader, string_array, usable, with_row_column


class LinesReader(TextReader):
    """The one column has the name by which it is asked for."""

    name = "line"

    def check(self, columns: Sequence[Column]) -> None:
        if self.id_name is not None and self.id_name not in self.folders:
            raise JobError(message("id-of-lines", parameter="id"))
        own = [column for column in columns if column.plain not in self.folders]
        if len(own) > 1:
            names = tuple(column.name for column in own)
            raise JobError(message("lines-one-column", count=len(own), columns=names))
        if own:
            self.name = own[0].plain

    def cut(self, block: bytes, final: bool) -> Rows:
        return lines(block, final)

    def part(self, cut: Rows, **known: Any) -> LinesPart:
        made = LinesPart(cut=cut, **known)
        made.name = self.name
        return made

    def header(self, flagged: bool) -> bytes:
        if flagged:
            raise _without_flag()
        return b""

    def own_columns(self) -> Sequence[str]:
        return [self.name]

    def own_schema(self) -> Any:
        return with_row_column([self.name])


class LinesPart(TextPart):
    """Lines of a block."""

    name = "line"

    def own_texts(self, column: Column) -> Texts:
        good = usable(self.rows, self.broken)
        ends = without_line_ends(self.cut)
        return Texts(string_array(self.cut.block, self.cut.begins * good, ends * good, good))

    def flagged(self, reasons: Mapping[int, Sequence[Reason]]) -> Any:
        raise _without_flag()  # as the header did before any row was read

    def own_json(self, rows: Sequence[int]) -> list[str]:
        return [
            "{" + f"{quoted(ROW if row in self.broken else self.name)}:{quoted(self.as_text(row))}"
            for row in rows
        ]

    def own_table(self, rows: Sequence[int]) -> Table:
        told = [{ROW if row in self.broken else self.name: self.as_text(row)} for row in rows]
        return pa.RecordBatch.from_pylist(told, with_row_column([self.name]))


def _without_flag() -> JobError:
    return JobError(message("lines-without-flag", parameter="on_error"))
