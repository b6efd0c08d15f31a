"""Columns to validate, batches of rows, and the errors and origins of rejected rows."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final, NamedTuple

import pyarrow as pa

from abnforge.catalog import Message, shown
from abnforge.columns import fields
from abnforge.columns.arrays import take
from abnforge.columns.fields import RowError
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import is_expression
from abnforge.errors import UnknownNameError
from abnforge.ingest.jsonable import dump_string, dumps_exact, texts
from abnforge.ingest.messages import JobError, message
from abnforge.text import in_quotes, near_misses

ANY_ELEMENT: Final = "[]"  # a step to all elements of a list


def similar_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that resemble an unknown one. The cutoff is chosen for short names."""
    return tuple(near_misses(name, names, 0.6))


def unknown_column(name: str, names: Sequence[str]) -> Message:
    """Return the message about a column that is not one of ``names``."""
    near = similar_names(name, names)
    return message("column-unknown", column=name, near=near, columns=() if near else tuple(names))


def name_changes(first: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the names that differ between two tables, each as missing or additional in the second."""
    names = dict.fromkeys([*first, *other])
    return [
        f"{in_quotes(shown(name))} is {'missing' if first.count(name) > other.count(name) else 'additional'}"
        for name in names
        if first.count(name) != other.count(name)
    ]


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names as unique keys of JSON: a repeated name ends in the number of its column."""
    keys: dict[str, None] = {}
    for at, name in enumerate(names):
        key = name
        while key in keys or (key != name and key in names):
            key = f"{key}_{at}"
        keys[key] = None
    return list(keys)


_PIECE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::|$)", re.DOTALL)
_STEP = re.compile(r"((?:[^\\.\[]|\\.|\[(?!\]))*)((?:\[\])*)(?:\.|$)", re.DOTALL)


def plain_name(name: str) -> str:
    """Return a name without the backslashes that escape its characters."""
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def parse_path(name: str) -> tuple[str, ...]:
    """Return the keys of a path such as ``a.b`` or ``urls[]``."""
    steps: list[str] = []
    at = 0
    while True:
        step = _STEP.match(name, at)
        assert step is not None
        steps.append(plain_name(step[1]))
        steps += [ANY_ELEMENT] * (len(step[2]) // 2)
        if step.end() == len(name) and not step[0].endswith("."):
            return tuple(steps)
        at = step.end()


@dataclass(frozen=True)
class Column:
    """A column to validate: its name, as the user wrote it, and the rule.

    ``name`` may be a path: ``a.b`` is the field ``b`` of ``a``, and ``urls[]`` is every element of a list. A
    backslash escapes ``.``, ``[`` or ``:``.
    """

    name: str
    rule: Rule

    @property
    def plain(self) -> str:
        """The unescaped name, as a table spells it."""
        return plain_name(self.name)

    @property
    def steps(self) -> tuple[str, ...]:
        """The keys that lead to the strings; :data:`ANY_ELEMENT` selects every element of a list."""
        return parse_path(self.name)

    @property
    def listed(self) -> bool:
        """Return whether one row can have several strings."""
        return ANY_ELEMENT in self.steps

    @property
    def sha256(self) -> str:
        """The digest of the grammar's source, including imported rules and rules that options define."""
        grammar = self.rule.grammar
        digest = hashlib.sha256(grammar.source.text.encode(errors="surrogatepass"))
        for rule in grammar.values():
            if rule.origin in ("import", "define"):
                digest.update(rule.definition.encode(errors="surrogatepass"))
        return digest.hexdigest()


def column(text: str, load: Callable[[str | None], Grammar]) -> Column:
    """Parse ``NAME[:[GRAMMAR:]RULE]`` as a column.

    ``load`` returns a grammar by its name or path, and the default grammar for None. Raises JobError for a
    malformed ``text``, UnknownNameError for an unknown rule, and any error that ``load`` raises.
    """
    pieces = [match[1] for match in _PIECE.finditer(text)]
    if len(text) == 0 or text[-1:] != ":":
        pieces.pop()  # drop the empty match at the end
    name, *rest = pieces or [""]
    name = name.replace(r"\:", ":")
    if not name:
        raise JobError(message("column-unnamed", text=text))
    if any(not each for each in rest):
        raise JobError(message("column-rule-missing", text=text))
    if not rest:
        return Column(name, load(None).start)
    if is_expression(":".join(rest)):
        raise JobError(message("column-rule-set", text=text))
    *grammar, rule = rest
    loaded = load(":".join(each.replace(r"\:", ":") for each in grammar) or None)
    try:
        return Column(name, loaded[rule])
    except UnknownNameError as error:
        if grammar:
            raise
        try:
            other = load(rule)
        except (OSError, KeyError, ValueError):
            raise error from None
        full = f"{name}:{rule}:{other.start.name}"
        raise JobError(message("column-rule-grammar", grammar=rule, column=full)) from None


Array = Any  # types of pyarrow, which has no annotations
Table = Any


class Position(NamedTuple):
    """A position between two rows: a source, and the number of rows, lines and bytes before the position."""

    source: int = 0
    row: int = 0
    line: int = 0
    offset: int = 0
    digest: str = ""  # SHA-256 of standard input before the position


class Texts(NamedTuple):
    """The strings of a column.

    ``rows`` has the row of each string, and ``indexes`` its index in each list of the path. Both are None if
    each row has exactly one string.
    """

    values: Array
    rows: Array = None
    indexes: Array = None


class TypeProblem(NamedTuple):
    """The message about a value that is not a string, and its index in each list that contains it."""

    message: str
    indexes: Sequence[int] = ()


def element(name: str, indexes: Sequence[int]) -> str:
    """Return the path of an element of a list, such as ``urls[3]``; ``indexes`` begin with the first list."""
    head, *pieces = name.split(ANY_ELEMENT)
    places = [*(f"[{index}]" for index in indexes), *[ANY_ELEMENT] * len(pieces)]
    return head + "".join(place + piece for place, piece in zip(places, pieces, strict=False))


class RowOrigin(NamedTuple):
    """The origin of a row: its number in the source and, if known, its line and byte offset.

    ``source`` is None for the batch's own source. ``masked`` says whether a password of the row was hidden in
    the rejects; it is None if masking is disabled.
    """

    row: int
    line: int | None
    byte_offset: int | None
    id: object = None
    source: str | None = None
    masked: bool | None = None


@dataclass
class Batch(ABC):
    """Consecutive rows of a source."""

    source: str
    rows: int
    after: Position
    octets: int  # size of the rows in the source, for progress
    broken: dict[int, RowError] = field(default_factory=dict)  # unreadable rows, with the reason

    @abstractmethod
    def texts(self, column: Column) -> Texts:
        """Return the strings of a column; unreadable rows have null."""

    def is_verbatim(self, name: str) -> Any:
        """Return the rows whose value in a column is written without escapes; None for all rows."""
        return None

    @abstractmethod
    def type_errors(self, column: Column) -> Mapping[int, Sequence[TypeProblem]]:
        """Return the rows with values that are not strings, each with its problems."""

    @abstractmethod
    def select(self, good: Array) -> Any:
        """Return the rows that the mask ``good`` selects, in the form that the sink of valid rows expects."""

    @abstractmethod
    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Any:
        """Return all rows with an additional column of errors, in the form that the sink expects."""

    @abstractmethod
    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        """Return the origin of each of these rows."""

    def positions(self, rows: Sequence[int]) -> list[RowOrigin]:
        """Return the position of these rows in the file being read, which may hold rows of other sources."""
        return self.origins(rows)

    @abstractmethod
    def as_json(self, rows: Sequence[int]) -> list[str]:
        """Return rows as JSON objects without the closing brace; an unreadable row has the key ``_row``."""

    @abstractmethod
    def as_table(self, rows: Sequence[int]) -> Table:
        """Return rows as a RecordBatch, with a column ``_row`` for unreadable rows."""


ERRORS, SOURCE, ROW = fields.ERRORS, fields.ORIGIN, "_row"
WARNINGS = "_warnings"  # the column of warnings, instead of errors

ERROR, WARNING = fields.ERROR, fields.WARNING
ERROR_LIST = fields.ERRORS_TYPE


class Identifiers:
    """The identifiers of some rows of a table, in their own type."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @cached_property
    def texts(self) -> list[str]:
        """The identifiers as JSON."""
        return texts(self.values)

    def each(self) -> list[Identifier | None]:
        """Return an identifier for each row; None if it is missing."""
        there = self.values.is_valid().to_pylist()
        return [Identifier(self, at) if valid else None for at, valid in enumerate(there)]


class Identifier(NamedTuple):
    """The identifier of a row of a table."""

    among: Identifiers
    at: int


def origin_type(kind: Any, masking: bool = False) -> Any:
    """Return the type of ``_source`` for identifiers of the type ``kind``."""
    own = [field for field in fields.SOURCE if field.name != "id"]
    return pa.struct([*own, ("id", kind), *([("masked", pa.bool_())] if masking else ())])


def as_array(rows: Sequence[Sequence[RowError] | None], kind: Any = ERROR) -> Any:
    """Return the errors or warnings of each row as an array of lists of the struct ``kind``."""
    errors = [reason for row in rows if row is not None for reason in row]
    columns = zip(*errors, strict=True) if errors else ((),) * len(RowError._fields)
    values: dict[str, Any] = dict(zip(RowError._fields, columns, strict=True))
    values["family"] = [error.family for error in errors]
    arrays = [pa.array(values[field.name], field.type) for field in kind]
    ends = accumulate((0 if row is None else len(row) for row in rows), initial=0)
    there = pa.array([row is None for row in rows], pa.bool_())
    items = pa.StructArray.from_arrays(arrays, fields=list(kind))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), items, pa.list_(kind), mask=there)


def origins_as_array(source: str, origins: Sequence[RowOrigin], origin_struct: Any) -> Any:
    """Return origins as an array of the type ``origin_struct``, which :func:`origin_type` made."""
    kind = origin_struct.field("id").type
    numbers = [pa.array([each[at] for each in origins], pa.int64()) for at in range(3)]
    named = pa.array([source if each.source is None else each.source for each in origins], pa.string())
    columns = [named, *numbers, _ids_as_array([each.id for each in origins], kind)]
    if origin_struct.num_fields > len(columns):
        columns.append(pa.array([bool(each.masked) for each in origins], pa.bool_()))
    return pa.StructArray.from_arrays(columns, fields=list(origin_struct))


def _ids_as_array(ids: Sequence[object], kind: Any) -> Any:
    of = next((each for each in ids if isinstance(each, Identifier)), None)
    if of is not None:  # all identifiers are from one table
        places = [each.at if isinstance(each, Identifier) else None for each in ids]
        column = take(of.among.values, pa.array(places, pa.int64()))
        return column if column.type.equals(kind) else column.cast(kind)  # for example, fixed-size binary
    if pa.types.is_string(kind):
        ids = [each if each is None or isinstance(each, str) else dumps_exact(each) for each in ids]
    return pa.array(ids, kind)


def json_writer(kind: Any) -> Callable[[Sequence[RowError]], str]:
    """Return a function that writes the errors of a row as JSON, with the fields of the struct ``kind``."""
    names = kind.names
    template = "{" + ",".join([f'"{name}":%s' for name in names]) + "}"
    values_of = attrgetter(*names)

    def write(reasons: Sequence[RowError]) -> str:
        objects = []
        for reason in reasons:
            values = [
                "null" if value is None else dump_string(value) if isinstance(value, str) else str(value)
                for value in values_of(reason)
            ]
            objects.append(template % tuple(values))
        return f"[{','.join(objects)}]"

    return write


json_reasons = json_writer(ERROR)


def json_origin(source: str, origin: RowOrigin) -> str:
    """Return the origin of a row as JSON."""
    line = "null" if origin.line is None else origin.line
    offset = "null" if origin.byte_offset is None else origin.byte_offset
    row_id = origin.id
    identifier = row_id.among.texts[row_id.at] if isinstance(row_id, Identifier) else dumps_exact(row_id)
    masked = "" if origin.masked is None else f',"masked":{"true" if origin.masked else "false"}'
    return (
        f'{{"source":{dump_string(origin.source or source)},"row":{origin.row},"line":{line},'
        f'"byte_offset":{offset},"id":{identifier}{masked}}}'
    )
