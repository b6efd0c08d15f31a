"""Write rejected rows with their original columns, their errors and their origins."""

from __future__ import annotations

import base64
import binascii
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import ne
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from abnforge.columns.arrays import texts_of
from abnforge.columns.fields import RowError
from abnforge.ingest import jsonable
from abnforge.ingest.batch import (
    ERROR,
    ERRORS,
    SOURCE,
    WARNING,
    WARNINGS,
    Batch,
    Identifier,
    Identifiers,
    RowOrigin,
    as_array,
    json_origin,
    json_writer,
    origin_type,
    origins_as_array,
)
from abnforge.ingest.checkpoint import Disk, WorkDir
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.nested import as_one_array, as_texts, kinds_in, with_leaves, without_missing_words
from abnforge.ingest.sinks.rows import Sink, TableSink, TextSink
from abnforge.ingest.sources.csv import csv_cell
from abnforge.ingest.sources.records import is_text
from abnforge.ingest.validate import LONGEST_KEPT, MOST_KEPT

Hide = Callable[[str], str]
RowErrors = Mapping[int, Sequence[RowError]]


class Reasons(NamedTuple):
    """The column of errors in rejects, or of warnings, and the type of one of them."""

    column: str = ERRORS
    kind: Any = ERROR


OF_ERRORS, OF_WARNINGS = Reasons(), Reasons(WARNINGS, WARNING)


class Rejects(ABC):
    """The output of rejected rows: converts rows to the form of its sink. ``hide`` hides passwords.

    ``of`` is ``OF_WARNINGS`` for the output of rows with warnings.
    """

    def __init__(self, sink: Sink[Any], hide: Hide | None, of: Reasons) -> None:
        self.sink = sink
        self.hide = hide
        self.of = of
        self._written = json_writer(of.kind)
        self._known: dict[tuple[RowError, ...], str] = {}  # errors as JSON, since strings repeat

    @abstractmethod
    def add(self, batch: Batch, reasons: RowErrors) -> None:
        """Add the rows that have errors."""

    def json_reasons(self, reasons: RowErrors) -> Iterator[str]:
        """Yield the errors of each row as JSON."""
        for errors in reasons.values():
            key = tuple(errors)
            text = self._known.get(key)
            if text is None:
                text = self._written(errors)
                if len(text) + sum(len(error.text or "") for error in errors) <= LONGEST_KEPT:
                    if len(self._known) == MOST_KEPT:
                        self._known.clear()
                    self._known[key] = text
            yield text


class JsonRejects(Rejects):
    """JSON Lines: the row's own keys, ``_errors`` and ``_source``."""

    def __init__(
        self, work: WorkDir, disk: Disk, compression: str | None, hide: Hide | None, of: Reasons = OF_ERRORS
    ) -> None:
        self._file = TextSink(work, disk, compression)
        super().__init__(self._file, hide, of)

    def add(self, batch: Batch, reasons: RowErrors) -> None:
        rows = list(reasons)
        objects, origins = batch.as_json(rows), batch.origins(rows)
        if self.hide is not None:
            hidden = [hidden_in_json(each, self.hide) for each in objects]
            origins = _hidden_ids(_mark_masked(origins, map(ne, objects, hidden)), self.hide)
            objects = hidden
        lines = [
            f'{row}{"" if row[-1] == "{" else ","}"{self.of.column}":{errors},'
            f'"_source":{json_origin(batch.source, origin)}}}\n'
            for row, errors, origin in zip(objects, self.json_reasons(reasons), origins, strict=True)
        ]
        self._file.add("".join(lines).encode())


class TableRejects(Rejects):
    """A Parquet file: the row's columns, ``_errors`` and ``_source``."""

    def __init__(self, sink: TableSink, hide: Hide | None, of: Reasons = OF_ERRORS) -> None:
        super().__init__(sink, hide, of)
        self._staged = sink

    @staticmethod
    def check(columns: Any) -> None:
        """Raise JobError for a column that Parquet cannot store."""
        for field in columns:
            if not _is_in_parquet(field):
                raise JobError(message("column-not-in-parquet", column=field.name, type_name=str(field.type)))

    @staticmethod
    def schema(columns: Any, id_type: Any, masking: bool = False, of: Reasons = OF_ERRORS) -> Any:
        """Return the schema of rejects with these columns."""
        more = [pa.field(of.column, pa.list_(of.kind)), pa.field(SOURCE, origin_type(id_type, masking))]
        return pa.schema([*columns, *more], columns.metadata)

    def add(self, batch: Batch, reasons: RowErrors) -> None:
        rows = list(reasons)
        table = batch.as_table(rows)
        columns, origins = [as_one_array(each) for each in table.columns], batch.origins(rows)
        if self.hide is not None:
            hidden = [hidden_in_column(each, self.hide) for each in columns]
            origins = _hidden_ids(_mark_masked(origins, _changed(columns, hidden)), self.hide)
            columns = hidden
        schema = self._staged.schema
        errors = as_array(list(reasons.values()), self.of.kind)
        sources = origins_as_array(batch.source, origins, schema.field(SOURCE).type)
        held = [without_missing_words(each) for each in (*columns, errors, sources)]
        self._staged.add(pa.Table.from_arrays(held, schema=schema))


def _is_in_parquet(field: Any) -> bool:
    """Return whether Parquet can store all values of a type."""
    if any(map(_is_partly_in_parquet, kinds_in(field.type))):
        return False
    try:
        pq.write_table(pa.schema([field]).empty_table(), pa.BufferOutputStream())
    except (pa.ArrowException, OSError):
        return False
    return True


def _is_partly_in_parquet(kind: Any) -> bool:
    """Return whether Parquet, or pyarrow's writer, can store only some values of a type."""
    if pa.types.is_fixed_size_list(kind):
        return bool(kind.list_size == 0)
    if pa.types.is_time(kind) or pa.types.is_timestamp(kind):
        return bool(kind.unit == "s")
    if pa.types.is_dictionary(kind):
        tests = (pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_duration)
        return any(test(kind.value_type) for test in tests)
    return bool(pa.types.is_date64(kind))


class CsvRejects(Rejects):
    """CSV: the row's columns, then ``_errors`` and ``_source`` as JSON."""

    def __init__(
        self,
        work: WorkDir,
        disk: Disk,
        compression: str | None,
        hide: Hide | None,
        names: Sequence[str],
        of: Reasons = OF_ERRORS,
    ) -> None:
        header = ",".join(csv_cell(name) for name in [*names, of.column, SOURCE])
        self._file = TextSink(work, disk, compression, f"{header}\n".encode())
        super().__init__(self._file, hide, of)

    def add(self, batch: Batch, reasons: RowErrors) -> None:
        rows = list(reasons)
        table = batch.as_table(rows)
        columns, origins = [as_one_array(each) for each in table.columns], batch.origins(rows)
        cells = [csv_cells(each) for each in columns]
        if self.hide is not None:
            hidden = [csv_cells(each, self.hide) for each in columns]
            changed = reduce(pc.or_, map(pc.not_equal, cells, hidden), pa.repeat(False, len(rows)))
            origins = _hidden_ids(_mark_masked(origins, changed.to_pylist()), self.hide)
            cells = hidden
        more = list(self.json_reasons(reasons)), [json_origin(batch.source, each) for each in origins]
        self._file.add(csv_lines([*cells, *map(csv_cells, map(pa.array, more))]))


def _mark_masked(origins: Sequence[RowOrigin], hidden: Iterable[bool]) -> list[RowOrigin]:
    """Mark the origins of rows whose passwords are hidden, now or by an earlier job."""
    return [
        origin._replace(masked=bool(origin.masked) or now)
        for origin, now in zip(origins, hidden, strict=True)
    ]


def _changed(columns: Sequence[Any], others: Sequence[Any]) -> list[bool]:
    """Return, for each row, whether any of its columns differs between two tables."""
    changed = [False] * (len(columns[0]) if columns else 0)
    for column, other in zip(columns, others, strict=True):
        if column is not other:
            pairs = zip(jsonable.texts(column), jsonable.texts(other), strict=True)
            changed = [before or was != now for before, (was, now) in zip(changed, pairs, strict=True)]
    return changed


def csv_cells(column: Any, hide: Hide | None = None, delimiter: str = ",") -> Any:
    """Return the values of a column as CSV cells: null is an empty cell, an empty string is ``""``."""
    if hide is None and pa.types.is_string(column.type) and is_text(column):
        texts = column.cast(pa.large_string())
    else:
        values = jsonable.values(column)
        plain = [each if each is None or isinstance(each, str) else jsonable.dumps(each) for each in values]
        if hide is not None:
            plain = [each and hidden_in_text(each, hide) for each in plain]
        texts = pa.array(plain, pa.large_string())
    is_special = pc.match_substring_regex(texts, rf'^$|["\r\n\x{ord(delimiter):02x}]')
    quoted = _joined('"', pc.replace_substring(texts, '"', '""'), '"')
    return pc.fill_null(pc.if_else(is_special, quoted, texts), "")


def csv_lines(columns: Sequence[Any], delimiter: str = ",") -> bytes:
    """Return columns of cells as lines."""
    first, *others = columns
    lines = _joined(first, *chain.from_iterable((delimiter, each) for each in others), "\n")
    _, offsets, data = lines.buffers()
    size = int(np.frombuffer(offsets, np.int64)[len(lines)]) if len(lines) else 0
    return data.slice(0, size).to_pybytes() if size else b""


def _joined(*pieces: Any) -> Any:
    """Concatenate strings and arrays of strings in each row."""
    kind = pa.large_string()
    scalars = [pa.scalar(each, kind) if isinstance(each, str) else each for each in (*pieces, "")]
    return pc.binary_join_element_wise(*scalars)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


# Matches bytes that are not valid UTF-8 as rejects represent them: in a JSON value, or in _row.
_OCTETS = re.compile(r'(?P<head>\{"base64":\s?"|base64:)(?P<octets>[A-Za-z0-9+/]{4,}={0,2})')


def hidden_in_text(text: str, hide: Hide) -> str:
    """Hide the passwords of a string, including those in base64."""

    def octets(match: re.Match[str]) -> str:
        try:
            data = base64.b64decode(match["octets"], validate=True)
        except binascii.Error:
            return match[0]
        hidden = _hidden(data, hide)
        return match[0] if hidden == data else match["head"] + base64.b64encode(hidden).decode()

    return hide(_OCTETS.sub(octets, text) if "base64" in text else text)


def hidden_in_json(text: str, hide: Hide) -> str:
    """Hide the passwords in every string of a JSON value."""
    if "base64" in text:
        text = _OCTETS.sub(lambda match: hidden_in_text(match[0], hide), text)
    return _STRING.sub(lambda match: '"' + hide(match[0][1:-1]) + '"', text)


def _hidden_ids(origins: Sequence[RowOrigin], hide: Hide) -> list[RowOrigin]:
    of = next((each.id for each in origins if isinstance(each.id, Identifier)), None)
    if of is not None:
        among = Identifiers(hidden_in_column(of.among.values, hide))
        return [
            each._replace(id=each.id._replace(among=among)) if isinstance(each.id, Identifier) else each
            for each in origins
        ]
    return [
        each if isinstance(each.id, jsonable.Number) else each._replace(id=_hidden(each.id, hide))
        for each in origins
    ]


def hidden_in_column(column: Any, hide: Hide) -> Any:
    """Hide the passwords in every string of a column, at any depth."""

    def hidden(texts: Any) -> Any:
        before = texts_of(texts)
        after = [_hidden(each, hide) for each in before]
        return texts if after == before else as_texts(after, texts.type)

    return with_leaves(column, hidden)


def _hidden(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hidden_in_text(value, hide)
    if isinstance(value, bytes):
        text = value.decode(errors="surrogateescape")
        hidden = hide(text)
        if hidden == text:
            return value
        return "".join(map(_as_long, text, hidden)).encode(errors="surrogateescape")
    if isinstance(value, dict):
        return {key: _hidden(each, hide) for key, each in value.items()}
    if isinstance(value, list):
        return [_hidden(each, hide) for each in value]
    return value


def _as_long(char: str, hidden: str) -> str:
    """Replace a character by one mask per byte: some types hold strings of a fixed size."""
    return char if char == hidden else hidden * len(char.encode(errors="surrogateescape"))
