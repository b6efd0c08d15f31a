"""Read JSON Lines: each row is an object.

pyarrow parses many lines in one call. It reads a stream of values, not lines. But if each line begins with
"{" and ends with "}", and the number of values is the number of lines, then each line is one value. If
pyarrow rejects lines, or might accept an invalid one, they are repeatedly halved until the valid ones can be
parsed together. The remaining lines are parsed individually, with their errors.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from abnforge.catalog import CodedError
from abnforge.columns.fields import RowError
from abnforge.ingest import jsonable
from abnforge.ingest.batch import (
    ANY_ELEMENT,
    ERRORS,
    ROW,
    SOURCE,
    WARNINGS,
    Column,
    Table,
    Texts,
    TypeProblem,
    element,
    json_reasons,
    parse_path,
    unknown_column,
)
from abnforge.ingest.jsonable import dumps_exact
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.nested import texts_at
from abnforge.ingest.sources.discovery import STDIN, SourceFile
from abnforge.ingest.sources.records import (
    Rows,
    concatenate,
    lines,
    octets_of,
    without_line_ends,
    without_skipped,
)
from abnforge.ingest.sources.text import BLOCK, TextBatch, TextReader, usable, whole_row, with_row_column
from abnforge.rejection import MALFORMED_ROW

_EMPTY = re.compile(rb"[ \t\r]*+\n?")
FEW = 48  # number of lines that are parsed individually instead of halved again


_Place = tuple[int, ...]  # the index of a value in each list that contains it


class NotAnObjectError(CodedError, ValueError):
    """A line that is not a JSON object, or that is ambiguous."""


@dataclass
class Reading:
    """The parsed lines: strings of each column, values of the wrong type, and malformed rows, in order."""

    texts: dict[str, Texts]
    wrong: dict[str, dict[int, list[TypeProblem]]]
    broken: dict[int, str]


def read(block: bytes, begins: Any, ends: Any, good: Any, columns: Sequence[Column]) -> Reading:
    """Parse the lines of a block that are ``good``; the strings of other lines are null."""
    return _Reader(block, begins, ends, columns).read(good)


class _Reader:
    def __init__(self, block: bytes, begins: Any, ends: Any, columns: Sequence[Column]) -> None:
        self.block = block
        self.begins = begins
        self.ends = ends
        self.columns = columns
        self.schema = schema_of(columns)
        self.steps = {column.name: column.steps for column in columns}
        self.found: dict[str, list[tuple[Any, Any, Any]]] = {column.name: [] for column in columns}
        self.wrong: dict[str, dict[int, list[TypeProblem]]] = {column.name: {} for column in columns}
        self.broken: dict[int, str] = {}

    def read(self, good: Any) -> Reading:
        rows = np.flatnonzero(good)
        doubtful = self._doubtful()
        if len(doubtful):
            self._one_by_one(rows[np.isin(rows, doubtful)])
            rows = rows[~np.isin(rows, doubtful)]
        if len(rows):
            self._some(rows)
        texts = {column.name: self._together(column, len(good)) for column in self.columns}
        return Reading(texts, self.wrong, dict(sorted(self.broken.items())))

    def _doubtful(self) -> Any:
        """Return rows with numbers that JSON does not allow but pyarrow might."""
        offsets = [match.start() for match in _NO_NUMBER.finditer(self.block)]
        return np.unique(np.searchsorted(self.ends, offsets, "right")) if offsets else []

    def _some(self, rows: Any) -> None:
        table = self._at_once(rows)
        if table is not None:
            for column in self.columns:
                texts = texts_at(table, column.steps)
                of = rows if texts.rows is None else rows[texts.rows.to_numpy(zero_copy_only=False)]
                self.found[column.name].append((texts.values, of, texts.indexes))
        elif len(rows) <= FEW:
            self._one_by_one(rows)
        else:
            middle = len(rows) // 2
            self._some(rows[:middle])
            self._some(rows[middle:])

    def _at_once(self, rows: Any) -> Any:
        begins, ends = self.begins[rows], self.ends[rows]
        data = octets_of(self.block)
        if (ends <= begins).any() or (data[begins] != ord("{")).any() or (data[ends - 1] != ord("}")).any():
            return None
        if rows[-1] - rows[0] + 1 == len(rows):
            lines = memoryview(self.block)[int(begins[0]) : int(ends[-1])]
        else:  # includes the byte after each line, which belongs to its line ending
            lines = memoryview(concatenate(self.block, begins, np.minimum(ends + 1, len(data)))[1])
        try:
            table = pj.read_json(
                pa.BufferReader(lines),
                read_options=pj.ReadOptions(use_threads=False, block_size=len(lines) + 1),
                parse_options=pj.ParseOptions(
                    explicit_schema=self.schema, unexpected_field_behavior="ignore"
                ),
            )
        except (pa.ArrowInvalid, UnicodeDecodeError, pa.ArrowNotImplementedError):
            return None
        return table if len(table) == len(rows) else None

    def _one_by_one(self, rows: Any) -> None:
        strings: dict[str, list[tuple[str | None, int, _Place]]] = {name: [] for name in self.steps}
        for row in rows.tolist():
            raw = self.block[int(self.begins[row]) : int(self.ends[row])]
            by_column: dict[str, list[tuple[str | None, _Place]]] = {}
            wrong: dict[str, list[TypeProblem]] = {}
            try:
                value = parse_line(raw)
                for name, steps in self.steps.items():
                    for text, place in _texts(value, steps, ()):
                        if isinstance(text, _WrongKind):
                            wrong.setdefault(name, []).append(text.problem(steps, place))
                        else:
                            by_column.setdefault(name, []).append((text, place))
            except NotAnObjectError as error:
                self.broken[row] = error.message
                by_column, wrong = {}, {}
            for name, problems in wrong.items():
                self.wrong[name][row] = problems
            for column in self.columns:
                if not column.listed:
                    by_column.setdefault(column.name, [(None, ())])
            for name, placed in by_column.items():
                strings[name] += ((text, row, place) for text, place in placed)
        for name, texts in strings.items():
            values = pa.array([text for text, _, _ in texts], pa.string())
            of = np.array([row for _, row, _ in texts], np.int64)
            kind = pa.list_(pa.int64(), self.steps[name].count(ANY_ELEMENT))
            self.found[name].append((values, of, pa.array([place for _, _, place in texts], kind)))

    def _together(self, column: Column, size: int) -> Texts:
        parts = self.found[column.name]
        values = pa.concat_arrays([each for each, _, _ in parts]) if parts else pa.array([], pa.string())
        rows = np.concatenate([each for _, each, _ in parts]) if parts else np.zeros(0, np.int64)
        if column.listed:
            kind = pa.list_(pa.int64(), column.steps.count(ANY_ELEMENT))
            indexes = pa.concat_arrays([pa.array([], kind), *(each for _, _, each in parts)])
            return Texts(values, pa.array(rows, pa.int64()), indexes)
        if len(rows) == size and (rows[1:] > rows[:-1]).all():
            return Texts(values)
        which = np.full(size, -1, np.int64)
        which[rows] = np.arange(len(rows))
        return Texts(values.take(pa.array(which, mask=which < 0)))


# Lines without this can have no lone surrogate; lines that match the second pattern have none.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIRED = re.compile(rb"(?:[^\\]++|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\(?!u[dD][89a-fA-F]).)*+", re.DOTALL)
_NO_NUMBER = re.compile(rb"[:,\[]\s*-?(?:NaN|Inf)")


class _WrongKind(NamedTuple):
    """A value of the wrong type, with ``left`` steps of the path remaining."""

    value: Any
    expected: str
    left: int

    def problem(self, steps: Sequence[str], place: _Place) -> TypeProblem:
        """Return the message about the value at these steps, and its place in lists."""
        done = steps[: len(steps) - self.left]
        path = "".join(step if step == ANY_ELEMENT else f".{step}" for step in done).removeprefix(".")
        data = {"path": element(path, place), "expected": self.expected, "kind": _kind(self.value)}
        return TypeProblem(message("value-kind", **data), place)


class _Twice(dict):  # type: ignore[type-arg]
    """An object with a repeated key."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged = dict(pairs)
    return merged if len(merged) == len(pairs) else _Twice(pairs)


def _unique(pairs: list[tuple[str, Any]]) -> None:
    """Raise NotAnObjectError if a key occurs twice."""
    merged = _object(pairs)
    if isinstance(merged, _Twice):
        raise NotAnObjectError(message("row-key-repeated", key=merged.twice[0]))


def _no_number(text: str) -> NoReturn:
    raise NotAnObjectError(message("row-not-number", text=text))


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number, parse_int=float)


_UNIQUE = json.JSONDecoder(object_pairs_hook=_unique, parse_int=float)


def _repeated_keys(block: bytes, begins: Any, ends: Any, rows: Iterable[int]) -> dict[int, str]:
    """Return messages about repeated keys by row: one of the values would be lost."""
    if _keys_at_once(block) is not None:
        return {}
    problems = {}
    for row in rows:
        try:
            _UNIQUE.decode(block[int(begins[row]) : int(ends[row])].decode())
        except NotAnObjectError as error:
            problems[row] = error.message
        except (ValueError, RecursionError):
            pass
    return problems


def parse_line(line: bytes) -> Any:
    """Parse a line that is an object. Raises NotAnObjectError for other lines."""
    try:
        value = _DECODER.decode(line.decode())
    except json.JSONDecodeError as error:
        raise NotAnObjectError(message("row-not-json", problem=error.msg, offset=error.pos)) from None
    except UnicodeDecodeError:
        raise NotAnObjectError(message("row-not-utf8")) from None
    except RecursionError:
        raise NotAnObjectError(message("row-too-deep")) from None
    if not isinstance(value, dict):
        raise NotAnObjectError(message("row-not-object", kind=_kind(value)))
    if has_lone_surrogate(line):
        raise NotAnObjectError(message("row-surrogate"))
    return value


def has_lone_surrogate(line: bytes) -> bool:
    """Return whether a line of JSON has an escape of half a character, which UTF-8 cannot represent."""
    return _SURROGATE.search(line) is not None and _PAIRED.fullmatch(line) is None


def _texts(value: Any, steps: Sequence[str], place: _Place) -> Any:
    """Yield the strings at the end of a path, and wrong values, each with its index in each list."""
    if value is None:
        if ANY_ELEMENT not in steps or not steps:
            yield None, place
        return
    if not steps:
        if not isinstance(value, str):
            yield _WrongKind(value, "a string", 0), place
            return
        yield value, place
        return
    step, *rest = steps
    if step == ANY_ELEMENT:
        if not isinstance(value, list):
            yield _WrongKind(value, "a list", len(steps)), place
            return
        for at, each in enumerate(value):
            yield from _texts(each, rest, (*place, at))
        return
    if not isinstance(value, dict):
        yield _WrongKind(value, "an object", len(steps)), place
        return
    if isinstance(value, _Twice) and step in value.twice:
        raise NotAnObjectError(message("row-key-repeated", key=step))
    yield from _texts(value.get(step), rest, place)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds: dict[Any, str] = {dict: "an object", list: "a list", str: "a string", type(None): "null"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), "a number")


def schema_of(columns: Sequence[Column]) -> Any:
    """Return a schema with only the fields that lead to the columns."""
    tree: dict[str, Any] = {}
    for column in columns:
        node = tree
        for step in column.steps:
            node = node.setdefault(step, {})
    return pa.schema([pa.field(name, _type(node)) for name, node in tree.items()])


def _type(tree: dict[str, Any]) -> Any:
    if not tree:
        return pa.string()
    if ANY_ELEMENT in tree:
        return pa.list_(_type(tree[ANY_ELEMENT]))
    return pa.struct([pa.field(name, _type(node)) for name, node in tree.items()])


# Number of first rows whose keys are the columns of rejects.
_LOOKED_AT = 1_000
# Number of bytes that are searched for a key that none of the first rows has, because it may be a typo.
MOST_SCANNED = 1 << 28


def first_keys(
    reader: TextReader,
    check: Callable[[SourceFile, Sequence[str]], None] = lambda source, keys: None,
    ignored: Container[str] = (),
    of_all: bool = False,
) -> list[str]:
    """Return the keys of the first rows of the first nonempty source, or of all, without ignored keys.

    ``check`` is called with the keys of each row. Rows that are not JSON are reported when they are read.
    """
    found: dict[str, None] = {}
    for number, source in enumerate(reader.sources):
        for row in reader.peek(number, BLOCK).split(b"\n", _LOOKED_AT)[:_LOOKED_AT]:
            try:
                value = json.loads(row, parse_int=float)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and not has_lone_surrogate(row):
                check(source, list(value))
                found.update(dict.fromkeys(name for name in value if name not in ignored))
        if found and not of_all:
            break
    return list(found)


def _keys_at_once(data: bytes) -> list[str] | None:
    """Return the keys of a block of lines; None for repeated keys and lines that pyarrow rejects."""
    try:
        table = pj.read_json(
            pa.BufferReader(data), pj.ReadOptions(use_threads=False, block_size=len(data) + 1)
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    names: list[str] = table.schema.names
    return names


def _keys_one_by_one(data: bytes) -> list[str]:
    """Return the keys of all rows of a block of lines that are objects."""
    found: dict[str, None] = {}
    for row in data.split(b"\n"):
        try:
            value = json.loads(row, parse_int=float)
        except (ValueError, RecursionError):
            continue
        is_readable = isinstance(value, dict) and not has_lone_surrogate(row)
        found.update(dict.fromkeys(value if is_readable else ()))
    return list(found)


class JsonReader(TextReader):
    """The JSON Lines sources of a job."""

    def __init__(self, *arguments: Any, union: bool = False) -> None:
        super().__init__(*arguments)
        self._union = union
        self.columns: Sequence[Column] = ()
        self._id: Sequence[str] = ()
        self.keys = first_keys(self, of_all=union)
        self._is_complete = False
        self._may_repeat: set[int] = set()  # the sources that can have repeated keys

    def check(self, columns: Sequence[Column]) -> None:
        """Raise JobError for unknown columns: keys that none of the first rows has, probably typos."""
        partition_keys = self.keys_of_folders
        self.columns = [each for each in columns if each.plain not in partition_keys]
        for column in self.columns:
            if column.steps[0] in (ANY_ELEMENT, ""):
                raise JobError(message("path-first-element", column=column.name))
        requested = [each.steps for each in self.columns]
        if self.id_name is not None and self.id_name not in partition_keys:
            self._id = parse_path(self.id_name) if self.id_name not in self.keys else (self.id_name,)
            requested.append(tuple(self._id))
            if ANY_ELEMENT in self._id:
                raise JobError(message("id-many", parameter="id", column=self.id_name))
        unseen = {steps[0] for steps in requested if steps[0] not in self.keys}
        unseen = unseen if self.keys and not self._union else set()
        for key in sorted(unseen - self._occurring(unseen)):
            raise JobError(unknown_column(key, [*self.keys, *partition_keys]))

    def _occurring(self, keys: Collection[str]) -> set[str]:
        """Return the keys that occur in the sources as a string, up to a limit of bytes."""
        literals = {key: jsonable.dump_string(key).encode() for key in keys}
        occurring: set[str] = set()
        left = MOST_SCANNED
        for number in range(len(self.sources)):
            for data in self.scan(number):
                occurring |= {key for key, literal in literals.items() if literal in data}
                left -= len(data)
                if len(occurring) == len(keys) or left < 0:
                    return occurring
        return occurring

    def complete_keys(self) -> None:
        """Find the keys of all rows: they become columns, which cannot be added later.

        Validated columns are among them, even if no row has them.
        """
        found = dict.fromkeys([*self.keys, *(column.steps[0] for column in self.columns)])
        for number in range(len(self.sources)):
            if self.sources[number].path == STDIN:  # only the first block is read
                self._may_repeat.add(number)
            for data in self.scan(number):
                names = _keys_at_once(data)
                if names is None and data:
                    self._may_repeat.add(number)
                    names = _keys_one_by_one(data)
                found.update(dict.fromkeys(names or ()))
        self.keys = list(found)
        self._is_complete = True

    def described(self) -> str:
        return json.dumps(self.keys) if self._is_complete else ""

    def own_columns(self) -> Sequence[str]:
        return self.keys

    def own_schema(self) -> Any:
        return with_row_column([key for key in self.keys if key not in (ERRORS, SOURCE, ROW)])

    def cut(self, block: bytes, final: bool) -> Rows:
        """Split a block into lines, without empty lines: other readers of JSON Lines skip them, too."""
        return without_skipped(lines(block, final), "{", _EMPTY)

    def batch(self, cut: Rows, *, broken: dict[int, RowError], **fields: Any) -> JsonBatch:
        good = usable(len(cut), broken)
        ends = without_line_ends(cut)
        repeated = {}
        if fields["before"].source in self._may_repeat:
            repeated = _repeated_keys(cut.block, cut.begins, ends, np.flatnonzero(good).tolist())
            good[list(repeated)] = False
        reading = read(cut.block, cut.begins, ends, good, self.columns)
        problems = sorted((repeated | reading.broken).items())
        malformed = {row: whole_row(MALFORMED_ROW, problem) for row, problem in problems}
        own = {
            "keys": self.own_schema().names,
            "id_steps": self._id,
            "known": frozenset(self.keys) if self._is_complete else None,
        }
        return JsonBatch(cut=cut, broken=broken | malformed, reading=reading, **own, **fields)


@dataclass(kw_only=True)
class JsonBatch(TextBatch):
    """Rows of a JSON Lines block."""

    reading: Reading
    keys: Sequence[str]
    id_steps: Sequence[str]
    known: Container[str] | None = None  # all keys that rows may have, if no key may be lost

    def own_texts(self, column: Column) -> Texts:
        return self.reading.texts[column.name]

    def own_type_errors(self, column: Column) -> Mapping[int, Sequence[TypeProblem]]:
        return self.reading.wrong[column.name]

    def own_ids(self, rows: Sequence[int], name: str) -> Sequence[object]:
        return [None if row in self.broken else self._at(row, self.id_steps) for row in rows]

    def _at(self, row: int, steps: Sequence[str]) -> object:
        """Return the value at a path of a row; None if the path does not exist."""
        value = jsonable.loads_exact(self.raw(row).decode())
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def lacks(self, row: int, key: str) -> bool:
        if row in self.broken:
            return True
        raw = self.raw(row)
        if b"\\" not in raw and key.encode() not in raw:
            return True
        return key not in jsonable.loads_exact(raw.decode())

    def readable(self, row: int) -> bool:
        """Return whether a row is a JSON object, even if its values are invalid."""
        return row not in self.broken

    def _require_known(self, row: int, value: Mapping[str, Any]) -> None:
        assert self.known is not None
        if key := next((key for key in value if key not in self.known), None):
            place = f"{self.source}:{self.before.line + self.lines_before([row])[0] + 1}"
            raise JobError(message("key-new", place=place, key=key))

    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Any:
        objects = []
        for row in range(self.rows):
            reject = "null" if row not in reasons else json_reasons(reasons[row])
            [begun] = self.own_json([row])
            comma = "" if begun == "{" else ","
            objects.append(f'{begun}{comma}"{ERRORS}":{reject}}}\n')
        return "".join(objects).encode()

    def own_json(self, rows: Sequence[int]) -> list[str]:
        objects = []
        for row in rows:
            if self.readable(row):
                begun = self.raw(row).decode().strip(" \t\r")[:-1]
                if not any(f'"{name}"' in begun for name in (ERRORS, WARNINGS, SOURCE, ROW)):
                    objects.append(begun if begun.strip(" \t\r") != "{" else "{")
                    continue
            objects.append(f'{{"{ROW}":{jsonable.dumps(self.as_text(row))}')
        return objects

    def own_table(self, rows: Sequence[int]) -> Table:
        """Return strings unchanged, other values as JSON, and the whole row in an additional column."""
        records = []
        for row in rows:
            cells: dict[str, str | None] = {ROW: self.as_text(row)}
            if self.readable(row):
                value = jsonable.loads_exact(self.raw(row).decode())
                if self.known is not None:
                    self._require_known(row, value)
                for key in self.keys:
                    if key in value and key != ROW:  # in the schema, this name is reserved for the whole row
                        each = value[key]
                        cells[key] = each if each is None or isinstance(each, str) else dumps_exact(each)
            records.append(cells)
        return pa.RecordBatch.from_pylist(records, with_row_column(self.keys))
