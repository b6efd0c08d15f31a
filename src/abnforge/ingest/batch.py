"""Columns to validate, batches of rows, and the errors and origins of rejected rows."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Final, NamedTuple

import pyarrow as pa

from abnforge.catalog import Message, shown
from abnforge.columns import fields
from abnforge.columns.arrays import taken
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import is_expression
from abnforge.errors import UnknownNameError
from abnforge.ingest.jsonable import dumps_exact, quoted, texts
from abnforge.ingest.messages import JobError, message
from abnforge.text import in_quotes, near_misses

ANY_ELEMENT: Final = "[]"  # a step to all elements of a list


def meant(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are close to an unknown one. Names of columns are short."""
    return tuple(near_misses(name, names, 0.6))


def unknown_column(name: str, names: Sequence[str]) -> Message:
    """Return the message about a column that is not one of ``names``."""
    near = meant(name, names)
    return message("column-unknown", column=name, near=near, columns=() if near else tuple(names))


def name_changes(first: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the names that the second of two tables lacks, and those that only it has."""
    names = dict.fromkeys([*first, *other])
    return [
        f"{in_quotes(shown(name))} is {'missing' if first.count(name) > other.count(name) else 'additional'}"
        for name in names
        if first.count(name) != other.count(name)
    ]


_PIECE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::|$)", re.DOTALL)
_STEP = re.compile(r"((?:[^\\.\[]|\\.|\[(?!\]))*)((?:\[\])*)(?:\.|$)", re.DOTALL)


def plain_name(name: str) -> str:
    """A name without the backslashes that take the meaning from what follows them."""
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def parse_path(name: str) -> tuple[str, ...]:
    """The keys that a path such as ``a.b`` or ``urls[]`` leads along."""
    steps: list[str] = []
    at = 0
    while True:
        found = _STEP.match(name, at)
        assert found is not None
        steps.append(plain_name(found[1]))
        steps += [ANY_ELEMENT] * (len(found[2]) // 2)
        if found.end() == len(name) and not found[0].endswith("."):
            return tuple(steps)
        at = found.end()


@dataclass(frozen=True)
class Column:
    """A column to be judged: its name as it was given, and the rule.

    ``name`` may be a path: ``a.b`` is the field ``b`` of ``a``, and ``urls[]`` are all elements of a list. A
    backslash before ``.``, ``[`` or ``:`` takes the meaning from it.
    """

    name: str
    rule: Rule

    @property
    def plain(self) -> str:
        """The name without the backslashes: how a column of a table would be called."""
        return plain_name(self.name)

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the keys that lead to the strings; :data:`ANY_ELEMENT` stands for all elements."""
        return parse_path(self.name)

    @property
    def listed(self) -> bool:
        """Whether one row can have many texts."""
        return ANY_ELEMENT in self.steps

    @property
    def sha256(self) -> str:
        """That of the grammar's text."""
        grammar = self.rule.grammar
        digest = hashlib.sha256(grammar.source.text.encode(errors="surrogatepass"))
        for rule in grammar.values():
            if rule.origin in ("import", "define"):
                digest.update(rule.definition.encode(errors="surrogatepass"))
        return digest.hexdigest()


def column(text: str, load: Callable[[str | None], Grammar]) -> Column:
    """The column that ``NAME[:[GRAMMAR:]RULE]`` means.

    ``load`` gives a grammar by its name or path, for None the one that is meant without a name. Raises
    JobError for what is no such text, and what ``load`` raises; UnknownNameError for a rule that does not
    exist.
    """
    pieces = [match[1] for match in _PIECE.finditer(text)]
    if len(text) == 0 or text[-1:] != ":":
        pieces.pop()  # the empty match at the end
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


Array = Any  # of pyarrow, which has no types that a checker could read
Table = Any


class Position(NamedTuple):
    """A place between two rows: which source, and rows, lines and octets of it that lie before."""

    source: int = 0
    row: int = 0
    line: int = 0
    offset: int = 0
    digest: str = ""  # of what of standard input was read


class RowError(NamedTuple):
    """Why a row is rejected. ``column`` and ``rule`` are None where the row as a whole is the reason."""

    column: str | None
    code: str
    rule: str | None
    offset: int | None
    message: str
    section: str | None = None
    suggestion: str | None = None
    text: str | bytes | None = None  # the input, for samples; not written to rejects
    start: int | None = None
    end: int | None = None
    found: str | None = None
    family: str | None = None  # no code has one yet, nor a component
    component: str | None = None


class Texts(NamedTuple):
    """The texts of a column: ``rows`` has the row of each, and ``indexes`` the index in the row's list; both
    are None where there is one text for each row.
    """

    values: Array
    rows: Array = None
    indexes: Array = None


class RowOrigin(NamedTuple):
    """Where a row is from: its number in the source, and its line and octet, where there are such.

    ``source`` is None for that of the batch. ``masked`` tells whether something of the row was hidden when it
    was written to rejects, None where nothing could be.
    """

    row: int
    line: int | None
    byte_offset: int | None
    id: object = None
    source: str | None = None
    masked: bool | None = None


@dataclass
class Batch(ABC):
    """Rows that lie next to each other in a source."""

    source: str
    rows: int
    after: Position
    octets: int  # of the source, for progress
    broken: dict[int, RowError] = field(default_factory=dict)  # rows that cannot be read, and why

    @abstractmethod
    def texts(self, column: Column) -> Texts:
        """The texts of a column; of rows that cannot be read they are missing."""

    @abstractmethod
    def type_errors(self, column: Column) -> Mapping[int, str]:
        """Rows whose value is no text, and what is to be said of that."""

    @abstractmethod
    def kept(self, good: Array) -> Any:
        """The rows for which ``good`` is true, as the sink of valid rows takes them."""

    @abstractmethod
    def flagged(self, reasons: Mapping[int, Sequence[RowError]]) -> Any:
        """All rows, with what is to be said of each in one more column, as that sink takes them."""

    @abstractmethod
    def origins(self, rows: Sequence[int]) -> list[RowOrigin]:
        """Where some rows are from."""

    def positions(self, rows: Sequence[int]) -> list[RowOrigin]:
        """Where some rows stand in what is read, which may hold rows that are from elsewhere."""
        return self.origins(rows)

    @abstractmethod
    def as_json(self, rows: Sequence[int]) -> list[str]:
        """Some rows as objects of JSON, each without its last brace; rows that cannot be read as ``_row``."""

    @abstractmethod
    def as_table(self, rows: Sequence[int]) -> Table:
        """Some rows as a RecordBatch; with a column ``_row`` for rows that cannot be read."""


ERRORS, SOURCE, ROW = fields.ERRORS, fields.ORIGIN, "_row"

ERROR = fields.ERROR
ERROR_LIST = fields.ERRORS_TYPE


class Identifiers:
    """The identifiers of some rows of a table, which keep their type."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @cached_property
    def texts(self) -> list[str]:
        """Return each as JSON."""
        return texts(self.values)

    def each(self) -> list[Identifier | None]:
        """Return one for each row, None if it is missing."""
        there = self.values.is_valid().to_pylist()
        return [Identifier(self, at) if valid else None for at, valid in enumerate(there)]


class Identifier(NamedTuple):
    """The identifier of a row of a table."""

    among: Identifiers
    at: int


def origin_type(kind: Any, masking: bool = False) -> Any:
    """The type of ``_source``, where identifiers are of this type, and it is told what was hidden."""
    own = [field for field in fields.SOURCE if field.name != "id"]
    return pa.struct([*own, ("id", kind), *([("masked", pa.bool_())] if masking else ())])


def as_array(rows: Sequence[Sequence[RowError] | None]) -> Any:
    """Reasons of rows as a column."""
    told = [reason for row in rows if row is not None for reason in row]
    columns = zip(*told, strict=True) if told else ((),) * len(RowError._fields)
    values = dict(zip(RowError._fields, columns, strict=True))
    arrays = [pa.array(values[field.name], field.type) for field in ERROR]
    ends = accumulate((0 if row is None else len(row) for row in rows), initial=0)
    there = pa.array([row is None for row in rows], pa.bool_())
    items = pa.StructArray.from_arrays(arrays, fields=list(ERROR))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), items, ERROR_LIST, mask=there)


def origins_as_array(source: str, origins: Sequence[RowOrigin], wanted: Any) -> Any:
    """Origins as a column of the type ``wanted``, one of :func:`origin_type`; of rows of ``source``, unless
    they say otherwise.
    """
    kind = wanted.field("id").type
    numbers = [pa.array([each[at] for each in origins], pa.int64()) for at in range(3)]
    named = pa.array([source if each.source is None else each.source for each in origins], pa.string())
    columns = [named, *numbers, _ids_as_array([each.id for each in origins], kind)]
    if wanted.num_fields > len(columns):
        columns.append(pa.array([bool(each.masked) for each in origins], pa.bool_()))
    return pa.StructArray.from_arrays(columns, fields=list(wanted))


def _ids_as_array(ids: Sequence[object], kind: Any) -> Any:
    of = next((each for each in ids if isinstance(each, Identifier)), None)
    if of is not None:  # all are of one table
        places = [each.at if isinstance(each, Identifier) else None for each in ids]
        return taken(of.among.values, pa.array(places, pa.int64()))
    if pa.types.is_string(kind):
        ids = [each if each is None or isinstance(each, str) else dumps_exact(each) for each in ids]
    return pa.array(ids, kind)


def json_reasons(reasons: Sequence[RowError]) -> str:
    """Reasons of a row as JSON."""
    return f"[{','.join(map(_json_reason, reasons))}]"


def _json_reason(told: RowError) -> str:
    return (
        f'{{"column":{_text(told.column)},"code":{_text(told.code)},"family":{_text(told.family)},'
        f'"component":{_text(told.component)},"rule":{_text(told.rule)},"offset":{_number(told.offset)},'
        f'"start":{_number(told.start)},"end":{_number(told.end)},"found":{_text(told.found)},'
        f'"message":{_text(told.message)},"section":{_text(told.section)},'
        f'"suggestion":{_text(told.suggestion)}}}'
    )


def json_origin(source: str, origin: RowOrigin) -> str:
    """Where a row is from as JSON."""
    line = "null" if origin.line is None else origin.line
    offset = "null" if origin.byte_offset is None else origin.byte_offset
    told = origin.id
    identifier = told.among.texts[told.at] if isinstance(told, Identifier) else dumps_exact(told)
    masked = "" if origin.masked is None else f',"masked":{"true" if origin.masked else "false"}'
    return (
        f'{{"source":{quoted(origin.source or source)},"row":{origin.row},"line":{line},'
        f'"byte_offset":{offset},"id":{identifier}{masked}}}'
    )


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def _text(text: str | None) -> str:
    return "null" if text is None else quoted(text)
