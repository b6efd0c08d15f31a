"""What rows of a quarantine tell: why they were rejected and where they were from; and their own columns."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from abnforge.catalog import ArgumentError
from abnforge.ingest import jsonable
from abnforge.ingest.batch import ERROR, ERRORS, ROW, SOURCE, RowError, RowOrigin
from abnforge.ingest.json_places import members, with_members, without
from abnforge.ingest.jsonable import Number
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.sources import records
from abnforge.ingest.sources.discovery import JSONL, LINES, partition_keys
from abnforge.ingest.sources.records import CsvCutter
from abnforge.rejection import MALFORMED_ROW, MASKED, NOT_UTF8, TOO_LONG

RESERVED = (ROW, ERRORS, SOURCE)
MASKED_ROW = RowError(
    None,
    MASKED,
    None,
    None,
    message("row-masked", column=SOURCE),
)
_KEYS = frozenset(field.name for field in ERROR)
_MARK = "base64:"  # before octets that are not UTF-8, in _row

Told = Mapping[str, Any]


class Past(NamedTuple):
    """What was said of a row when it was rejected."""

    reasons: Sequence[Told]
    origin: RowOrigin

    @property
    def whole(self) -> bool:
        """Whether it could not be read as columns."""
        return any(each["column"] is None and each["code"] != MASKED for each in self.reasons)

    @property
    def codes(self) -> set[str]:
        return {each["code"] for each in self.reasons}


class Row(NamedTuple):
    """A row of a quarantine: as an object of JSON, or, where it cannot be one, as it stands in ``_row``, and
    why it cannot.
    """

    line: str | None
    unread: str | None
    broken: RowError | None
    past: Past


def past(reject: Any, source: Any, place: str) -> Past:
    """What ``_errors`` and ``_source`` of a row tell, values of JSON. Raises JobError where they are not what
    a job writes; ``place`` says where the row is.
    """
    if not isinstance(source, dict):
        raise JobError(message("rejects-column-missing", place=place, column=SOURCE))
    if not isinstance(reject, list) or not all(map(_is_reason, reject)):
        raise JobError(message("rejects-column-changed", place=place, column=ERRORS))
    name, masked = source.get("source"), source.get("masked")
    row, line, offset = (_number(source.get(key)) for key in ("row", "line", "byte_offset"))
    if (
        not _is_string(name)
        or row is None
        or -1 in (row, line, offset)
        or not isinstance(masked, bool | None)
    ):
        raise JobError(message("rejects-column-changed", place=place, column=SOURCE))
    if not _is_text(name) or not _is_text(jsonable.written(source.get("id"))):
        raise JobError(message("rejects-column-surrogate", place=place, column=SOURCE))
    return Past(reject, RowOrigin(row, line, offset, source.get("id"), name, masked))


def _is_reason(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and told.keys() >= _KEYS
        and _is_string(told["code"])
        and all(told[name] is None or _is_string(told[name]) for name in ("column", "suggestion"))
    )


def _is_string(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, Number)


def _number(value: Any) -> int | None:
    """A number of rows, lines or octets; -1 for what is none."""
    if value is None:
        return None
    text = str(value)
    right = isinstance(value, int | Number) and text.isascii() and text.isdigit() and len(text) <= 18
    return int(text) if right else -1


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Shape:
    """The format that accepted rows have, of text: rows of a quarantine are read as such.

    ``names`` are the columns of CSV and TSV, or the one of plain lines.
    """

    def __init__(self, kind: str, names: Sequence[str], delimiter: str, most: int) -> None:
        self.kind = kind
        self.names = names
        self.delimiter = delimiter
        self._most = most

    def row_of_text(self, text: str, place: str) -> Row:
        """A row of a quarantine that is JSON Lines."""
        try:
            found = members(text)
        except ValueError as error:
            raise JobError(message("rejects-row-malformed", place=place, problem=str(error))) from None
        own: dict[str, Any] = {}
        for each in found:
            if each.key in own:
                raise JobError(message("rejects-column-repeated", place=place, column=each.key))
            if each.key in RESERVED:
                own[each.key] = each.value
        told = past(own.get(ERRORS), own.get(SOURCE), place)
        row = own.get(ROW)
        if row is not None and not _is_string(row):
            raise JobError(message("rejects-row-not-text", place=place, column=ROW))
        others = {each.key: each.value for each in found if each.key not in RESERVED}
        if row is not None and not _of_folders(others, told):
            raise JobError(message("rejects-row-and-columns", place=place, column=ROW))
        if row is not None:
            return self._of_row(row, told, place)
        return self._checked(without(text, found, RESERVED), told, place, others)

    def row_of_cells(self, cells: Mapping[str, str | None], reject: Any, source: Any, place: str) -> Row:
        """A row of a quarantine that is a table of texts; ``cells`` are its columns, with ``_row``."""
        told = past(reject, source, place)
        row = cells.get(ROW)
        own = {name: text for name, text in cells.items() if name != ROW}
        if row is None:
            return self._checked(_object(own), told, place)
        if _of_folders({name: text for name, text in own.items() if text is not None}, told):
            return self._of_row(row, told, place)
        if told.whole or self.kind != JSONL:
            raise JobError(message("rejects-row-and-columns", place=place, column=ROW))
        try:
            return self._checked(with_members(row, _changes(row, own, told)), told, place)
        except ValueError as error:
            raise JobError(message("rejects-row-malformed", place=place, problem=str(error))) from None

    def _of_row(self, row: str, told: Past, place: str) -> Row:
        """Out of ``_row``: what could not be read before, and perhaps can now."""
        if not _is_text(row):
            raise JobError(message("rejects-column-surrogate", place=place, column=ROW))
        if TOO_LONG in told.codes:
            return _unread(row, TOO_LONG, message("row-too-long", column=ROW), told)
        if NOT_UTF8 in told.codes and row.startswith(_MARK):
            try:
                row = base64.b64decode(row.removeprefix(_MARK), validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                return _unread(row, NOT_UTF8, message("row-base64", column=ROW), told)
        try:
            return self._checked(self._parsed(row, told), told, place)
        except ValueError as error:
            if isinstance(error, JobError):
                raise
            return _unread(row, MALFORMED_ROW, getattr(error, "message", str(error)), told)

    def _parsed(self, row: str, told: Past) -> str:
        """A row in its own format as JSON; what folders tell has no cell in it. Raises ValueError for what is
        no row.
        """
        if self.kind == LINES:
            if "\n" in row:
                raise ArgumentError(message("row-line-ending"))
            return _object({self.names[0]: row})
        if self.kind == JSONL:
            members(row)
            if "\n" in row:
                raise ArgumentError(message("row-line-ending"))
            return row
        found = CsvCutter(self.delimiter, self._most).rows(row.encode(), True)
        if found.broken:
            raise ArgumentError(found.broken[min(found.broken)])
        if len(found) != 1:
            raise ArgumentError(
                message("row-count", count=len(found)) if len(found) else message("row-empty")
            )
        folders = {name: value for name, value in _folders(told).items() if name in self.names}
        names = [name for name in self.names if name not in folders]
        [count] = records.counted(found).tolist()
        if count == len(self.names):
            names, folders = list(self.names), {}
        size = len(names)
        if count != size:
            raise ArgumentError(message("row-cells", count=count, expected=size))
        cells: dict[str, str | None] = dict(folders)
        for at, name in enumerate(names):
            [begin], [end], [there] = records.cells(found, size, at, [True])
            text = found.block[int(begin) : int(end)].decode()
            quoted = found.block[int(begin) - 1 : int(begin)] == b'"'
            cells[name] = (text.replace('""', '"') if quoted else text) if there else None
        return _object(cells)

    def _checked(self, line: str, told: Past, place: str, values: Mapping[str, Any] | None = None) -> Row:
        """A row as JSON, if all of it has a place in this shape; ``values`` are its, where they are known."""
        broken = MASKED_ROW if told.origin.masked else None
        if self.kind == JSONL:
            return Row(line, None, broken, told)
        if values is None:
            values = {each.key: each.value for each in members(line)}
        more = [key for key in values if key not in self.names]
        if more:
            raise JobError(
                message("rejects-column-unknown", place=place, column=more[0], columns=tuple(self.names))
            )
        if broken is None and any(octets_in(value) is not None for value in values.values()):
            broken = RowError(None, NOT_UTF8, None, None, message("cell-base64"))
        return Row(line, None, broken, told)


def _unread(row: str, code: str, message: str, told: Past) -> Row:
    return Row(None, row, RowError(None, code, None, None, message), told)


def _object(cells: Mapping[str, str | None]) -> str:
    return jsonable.dumps(dict(cells))


def _folders(told: Past) -> dict[str, str | None]:
    """What the names of the folders told in which a row was first; rejects have that as columns, too."""
    return dict(partition_keys(told.origin.source or ""))


def _of_folders(columns: Mapping[str, Any], told: Past) -> bool:
    """Whether a row has no columns but those that the names of folders told."""
    folders = _folders(told)
    return all(name in folders and folders[name] == value for name, value in columns.items())


def _changes(row: str, cells: Mapping[str, str | None], told: Past) -> list[tuple[str, str]]:
    """Of the columns that stand beside a row of JSON Lines those that were changed, and their values as JSON.

    Of what is no text in the row, the column has the JSON.
    """
    values = {each.key: each.value for each in members(row)}
    changes = []
    folders = _folders(told)
    for name, text in cells.items():
        if name not in values and name in folders and folders[name] == text:
            continue
        old = values.get(name)
        is_text = old is None or _is_string(old)
        if text == (old if is_text else jsonable.written(old)):
            continue
        changes.append((name, "null" if text is None else jsonable.dumps(text)))
        if text is not None and not is_text:
            try:
                json.loads(text)
                changes[-1] = (name, text)
            except (ValueError, RecursionError):
                pass
    return changes


def octets_in(value: Any) -> bytes | None:
    """The octets of a cell that is no text, as rejects write it; None of other values."""
    if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except binascii.Error:
            return None
    return None


def cell_text(value: Any) -> str | None:
    """A value of JSON as a cell of CSV: a text as it is, what is none as JSON."""
    if value is None or _is_string(value):
        return value
    return jsonable.written(value)


def csv_row(values: Mapping[str, Any], shape: Shape, cell: Callable[[str, str], str]) -> str:
    """A row as CSV, without its line's end: a missing cell is empty."""
    told = (cell_text(values.get(name)) for name in shape.names)
    return shape.delimiter.join("" if each is None else cell(each, shape.delimiter) for each in told)
