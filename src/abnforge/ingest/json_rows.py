"""JSON Lines: an object a line. Only what is judged is read; rows stay as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from abnforge.ingest import plain_json
from abnforge.ingest.cutting import Rows, lines, without_line_ends
from abnforge.ingest.failures import JobError
from abnforge.ingest.json_reading import Reading, read
from abnforge.ingest.messages import message
from abnforge.ingest.parts import Reason, Table, Texts
from abnforge.ingest.reasons import ERRORS, ROW, SOURCE, json_reasons
from abnforge.ingest.selection import EACH, Column, steps_of, unknown_column
from abnforge.ingest.texts import BLOCK, TextPart, TextReader, usable, whole_row, with_row_column
from abnforge.rejection import MALFORMED_ROW

# Rows at the beginning that tell which keys there are.
_LOOKED_AT = 1_000


class JsonReader(TextReader):
    """Files of objects."""

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        self.columns: Sequence[Column] = ()
        self._id: Sequence[str] = ()
        self.keys = self._keys()

    def _keys(self) -> list[str]:
        """The keys of the first rows of the first source that has any."""
        found: dict[str, None] = {}
        for number in range(len(self.sources)):
            block = self.peek(number, BLOCK)
            for row in block.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]:
                try:
                    value = json.loads(row)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict):
                    found.update(dict.fromkeys(value))
            if found:
                break
        return list(found)

    def check(self, columns: Sequence[Column]) -> None:
        """JSON Lines have no header, but a key that none of the first rows has is taken for a slip."""
        told = self.keys_of_folders
        self.columns = [each for each in columns if each.plain not in told]
        for column in self.columns:
            if column.steps[0] in (EACH, ""):
                raise JobError(message("path-first-element", column=column.name))
        requested = [each.steps for each in self.columns]
        if self.id_name is not None and self.id_name not in told:
            self._id = steps_of(self.id_name) if self.id_name not in self.keys else (self.id_name,)
            requested.append(tuple(self._id))
            if EACH in self._id:
                raise JobError(message("id-many", parameter="id", column=self.id_name))
        for steps in requested:
            if self.keys and steps[0] not in self.keys:
                raise JobError(unknown_column(steps[0], [*self.keys, *told]))

    def described(self) -> str:
        return ""

    def own_columns(self) -> Sequence[str]:
        return self.keys

    def own_schema(self) -> Any:
        return with_row_column([key for key in self.keys if key not in (ERRORS, SOURCE, ROW)])

    def cut(self, block: bytes, final: bool) -> Rows:
        return lines(block, final)

    def part(self, cut: Rows, *, broken: dict[int, Reason], **known: Any) -> JsonPart:
        good = usable(len(cut), broken)
        reading = read(cut.block, cut.begins, without_line_ends(cut), good, self.columns)
        said = {row: whole_row(MALFORMED_ROW, told) for row, told in reading.broken.items()}
        own = {"keys": self.own_schema().names, "id_steps": self._id}
        return JsonPart(cut=cut, broken=broken | said, reading=reading, **own, **known)


@dataclass(kw_only=True)
class JsonPart(TextPart):
    """Rows of a block of JSON Lines."""

    reading: Reading
    keys: Sequence[str]
    id_steps: Sequence[str]

    def own_texts(self, column: Column) -> Texts:
        return self.reading.texts[column.name]

    def own_wrong_kinds(self, column: Column) -> Mapping[int, str]:
        return self.reading.wrong[column.name]

    def own_ids(self, rows: Sequence[int], name: str) -> Sequence[object]:
        return [None if row in self.broken else self._at(row, self.id_steps) for row in rows]

    def _at(self, row: int, steps: Sequence[str]) -> object:
        """What stands at a path in a row; None where it leads nowhere."""
        value = plain_json.as_written(self.raw(row).decode())
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def lacks(self, row: int, key: str) -> bool:
        if row in self.broken:
            return True
        raw = self.raw(row)
        if b"\\" not in raw and key.encode() not in raw:
            return True
        return key not in plain_json.as_written(raw.decode())

    def readable(self, row: int) -> bool:
        """Whether a row is an object, whatever else may be wrong with it."""
        return row not in self.broken

    def flagged(self, reasons: Mapping[int, Sequence[Reason]]) -> Any:
        found = []
        for row in range(self.rows):
            reject = "null" if row not in reasons else json_reasons(reasons[row])
            [begun] = self.own_json([row])
            comma = "" if begun == "{" else ","
            found.append(f'{begun}{comma}"{ERRORS}":{reject}}}\n')
        return "".join(found).encode()

    def own_json(self, rows: Sequence[int]) -> list[str]:
        found = []
        for row in rows:
            if self.readable(row):
                begun = self.raw(row).decode().strip(" \t\r")[:-1]
                if f'"{ERRORS}"' not in begun and f'"{SOURCE}"' not in begun and f'"{ROW}"' not in begun:
                    found.append(begun if begun.strip(" \t\r") != "{" else "{")
                    continue
            found.append(f'{{"{ROW}":{plain_json.dumps(self.as_text(row))}')
        return found

    def own_table(self, rows: Sequence[int]) -> Table:
        """Texts as they are, other values as JSON; beside them the whole row, for what else it may hold."""
        told = []
        for row in rows:
            cells: dict[str, str | None] = {ROW: self.as_text(row)}
            if self.readable(row):
                value = plain_json.as_written(self.raw(row).decode())
                for key in self.keys:
                    if key in value and key != ROW:  # which the schema has for the whole row
                        each = value[key]
                        cells[key] = (
                            each if each is None or isinstance(each, str) else plain_json.written(each)
                        )
            told.append(cells)
        return pa.RecordBatch.from_pylist(told, with_row_column(self.keys))
