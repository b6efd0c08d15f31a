"""Rows of a quarantine as parts: those that were read from text, as JSON; those of tables as they are."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.columns.arrays import taken
from abnforge.ingest.batch import ERRORS, ROW, SOURCE, Array, Batch, Column, Identifiers, RowOrigin, Table
from abnforge.ingest.json_places import members
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.nested import one
from abnforge.ingest.quarantine import MASKED_ROW, Past, Row, Shape, cell_text, csv_row, octets_in, past
from abnforge.ingest.sinks.rejects import csv_cell
from abnforge.ingest.sources.arrow import ArrowBatch
from abnforge.ingest.sources.discovery import JSONL, LINES
from abnforge.ingest.sources.jsonl import JsonBatch, Reading, read
from abnforge.ingest.sources.records import Rows
from abnforge.ingest.sources.text import usable, whole_row
from abnforge.rejection import MALFORMED_ROW, MASKED


@dataclass(kw_only=True)
class TextReplay(JsonBatch):
    """Rows that are text where they are accepted, each as a line of JSON here."""

    lines: Sequence[Row]
    shape: Shape
    columns: Mapping[str, Column]  # as JSON has them, by the job's names
    schema: Any  # of rejects
    read_from: Batch
    unread: dict[int, str]

    @classmethod
    def of(
        cls, batch: Batch, rows: Sequence[Row], shape: Shape, columns: Mapping[str, Column], schema: Any
    ) -> TextReplay:
        """The rows of a part of the quarantine; ``columns`` are those to be judged, by the job's names, and
        ``schema`` has those of rejects.
        """
        texts = [(row.line or "{}").encode(errors="surrogatepass") for row in rows]
        block = b"".join([text + b"\n" for text in texts])
        ends = np.array(list(accumulate(len(text) + 1 for text in texts)), np.int64)
        begins = np.zeros(len(ends), np.int64)
        begins[1:] = ends[:-1]
        broken = {at: row.broken for at, row in enumerate(rows) if row.broken is not None}
        unread = {at: row.unread for at, row in enumerate(rows) if row.unread is not None}
        good = usable(len(rows), broken)
        good[[at for at, reason in broken.items() if reason.code == MASKED]] = True
        reading = read(block, begins, ends - 1, good, list(columns.values()))
        for at, said in reading.broken.items():
            broken[at] = whole_row(MALFORMED_ROW, said)
            unread[at] = rows[at].line or ""
        return cls(
            source=batch.source,
            rows=batch.rows,
            after=batch.after,
            octets=batch.octets,
            broken=dict(sorted(broken.items())),
            cut=Rows(block, begins, ends, len(block)),
            reading=Reading(
                {name: reading.texts[column.name] for name, column in columns.items()},
                {name: reading.wrong[column.name] for name, column in columns.items()},
                reading.broken,
            ),
            keys=list(shape.names),
            id_steps=(),
            lines=rows,
            shape=shape,
            columns=columns,
            schema=schema,
            read_from=batch,
            unread=unread,
        )

    # ---- what sinks ask for ----

    def readable(self, row: int) -> bool:
        return row not in self.unread

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        return [self.lines[row].past.origin for row in rows]

    def places(self, rows: Sequence[int]) -> list[RowOrigin]:
        return self.read_from.origins(rows)

    def as_text(self, row: int) -> str:
        return self.unread[row] if row in self.unread else super().as_text(row)

    def kept(self, good: Array) -> bytes | memoryview:
        if self.shape.kind == JSONL:
            return super().kept(good)
        rows = range(self.rows) if good is None else np.flatnonzero(good.to_numpy(zero_copy_only=False))
        return "".join([self._as_shaped(int(row)) + "\n" for row in rows]).encode()

    def _as_shaped(self, row: int) -> str:
        values = {each.key: each.value for each in members(self.lines[row].line or "")}
        if self.shape.kind == LINES:
            return cell_text(values.get(self.shape.names[0])) or ""
        return csv_row(values, self.shape, csv_cell)

    def own_table(self, rows: Sequence[int]) -> Table:
        """As JSON Lines are; of other formats ``_row`` holds only what could not be read as columns."""
        if self.shape.kind == JSONL:
            return super().own_table(rows)
        told: list[dict[str, str | None]] = []
        for row in rows:
            if not self.readable(row):
                told.append({ROW: self.as_text(row)})
                continue
            values = {each.key: each.value for each in members(self.lines[row].line or "")}
            if any(octets_in(value) is not None for value in values.values()):
                told.append({ROW: f"base64:{base64.b64encode(self._octets(values)).decode()}"})
            else:
                told.append({name: cell_text(values.get(name)) for name in self.keys})
        return pa.RecordBatch.from_pylist(told, self.schema)

    def _octets(self, values: Mapping[str, Any]) -> bytes:
        """A row with cells that are not UTF-8, as it was in its format."""
        mark = self.shape.delimiter.encode()
        cells = []
        for name in self.shape.names:
            octets = octets_in(values.get(name))
            if octets is None:
                text = cell_text(values.get(name))
                cells.append(b"" if text is None else csv_cell(text, self.shape.delimiter).encode())
            else:
                cells.append(b'"' + octets.replace(b'"', b'""') + b'"')
        return mark.join(cells)


@dataclass
class TableReplay(ArrowBatch):
    """Rows of a quarantine that is a table, and keeps the types of its source."""

    told: Table = None  # the columns _errors and _source

    @classmethod
    def of(cls, batch: ArrowBatch) -> TableReplay:
        """The rows of a part of the quarantine."""
        told = batch.table.select([ERRORS, SOURCE])
        table = batch.table.drop_columns([ERRORS, SOURCE])
        known = {"table": table, "first": batch.first, "told": told}
        made = cls(batch.source, batch.rows, batch.after, batch.octets, **known)
        for name in (ERRORS, SOURCE):
            if told.column(name).null_count:
                made.pasts([pc.index(pc.is_null(told.column(name)), True).as_py()])  # says so
        if told.schema.field(SOURCE).type.get_field_index("masked") >= 0:
            masked = pc.struct_field(one(told.column(SOURCE)), "masked")
            rows = pc.indices_nonzero(pc.fill_null(masked, False)).to_pylist()
            made.broken = dict.fromkeys(rows, MASKED_ROW)
        return made

    def pasts(self, rows: Sequence[int]) -> list[Past]:
        """What was said of some rows before. Raises JobError where that is not what a job writes."""
        which = pa.array(rows, pa.int64())
        rejects, sources = (taken(one(self.told.column(name)), which) for name in (ERRORS, SOURCE))
        ids = Identifiers(pc.struct_field(sources, "id")).each()
        known = [field.name for field in sources.type if field.name != "id"]
        others = {name: pc.struct_field(sources, name).to_pylist() for name in known}
        pasts = []
        for at, (row, reject, there) in enumerate(
            zip(rows, rejects.to_pylist(), sources.is_valid().to_pylist(), strict=True)
        ):
            source = {name: values[at] for name, values in others.items()} if there else None
            found = past(reject, source, f"{self.source}, row {self.first + row}")
            pasts.append(found._replace(origin=found.origin._replace(id=ids[at])))
        return pasts

    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        return [each.origin for each in self.pasts(rows)]

    def places(self, rows: Sequence[int]) -> list[RowOrigin]:
        return [RowOrigin(self.first + row, None, None) for row in rows]


Replay = TextReplay | TableReplay


def refuse_unreadable(batch: Batch) -> None:
    """Raises JobError for rows of a quarantine's own format that cannot be read."""
    for row, reason in batch.broken.items():
        [origin] = batch.origins([row])
        place = place_of(batch, origin)
        raise JobError(message("rejects-row-malformed", place=place, problem=reason.message))


def place_of(batch: Batch, origin: RowOrigin) -> str:
    """Where a row stands, for people."""
    return f"{batch.source}:{origin.line}" if origin.line else f"{batch.source}, row {origin.row}"
