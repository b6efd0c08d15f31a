"""Sources that differ: skip those that cannot be read, and combine the columns of the others.

A bad source is found before the job begins: compressed text and tables are read once more for this. Rows of a
source are therefore written completely or not at all.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from abnforge.catalog import Message, shown
from abnforge.ingest import storage
from abnforge.ingest.batch import Column, name_changes
from abnforge.ingest.messages import JobError, message
from abnforge.ingest.sources.discovery import BadSource, SourceFile
from abnforge.text import in_quotes

_UNREADABLE = (errno.EACCES, errno.EPERM, errno.EIO)  # other errors are those of the machine

_OTHER_DELIMITERS = ";|\t,"  # delimiters in common use


def sift(
    sources: Sequence[SourceFile], reader: Callable[[list[SourceFile]], Any], union: bool
) -> tuple[list[SourceFile], list[BadSource]]:
    """Return the sources that can be read together, and the bad ones.

    ``reader`` returns a reader of some sources. If columns differ, those of most sources count; with
    ``union`` only sources with unique names and the right delimiter, if there are any.
    """
    bad: list[BadSource] = []
    readable: list[tuple[SourceFile, Any]] = []
    for source in sources:
        if not source.is_file:  # can be read only once
            readable.append((source, None))
            continue
        try:
            alone = reader([source])
            alone.verify()
            readable.append((source, alone.layout_of_columns))
        except JobError as error:
            if error.code == "storage-failed":  # the source may be readable later
                raise
            bad.append(BadSource(source.shown, error.message, source.path))
        except OSError as error:
            if error.errno not in _UNREADABLE:
                raise
            problem = message("source-denied", path=source.path, reason=error.strerror)
            bad.append(BadSource(source.shown, problem, source.path))
    if not readable:
        raise JobError(bad[0].problem)
    possible = [
        each for each in readable if not union or not (_repeated(each[1]) or other_delimiter(each[1]))
    ] or readable
    kinds = [str(columns) for _, columns in possible]
    usual, _ = Counter(kinds).most_common(1)[0]
    first, combined = possible[kinds.index(usual)]
    good = []
    for source, columns in readable:
        try:
            combined = combine(combined, columns, first, source, union)
            good.append(source)
        except JobError as error:
            bad.append(BadSource(source.shown, error.message, source.path))
    return good, bad


def combine(columns: Any, others: Any, first: SourceFile, source: SourceFile, union: bool) -> Any:
    """Return the columns of two sources: names, or the schema of a table; None fits all.

    Raises JobError if they differ, with ``union`` only if their types cannot be combined.
    """
    if columns is None or others is None:
        return others if columns is None else columns
    is_table = isinstance(columns, pa.Schema)
    if others.equals(columns) if is_table else list(columns) == list(others):
        return columns
    if not union:
        if is_table:
            _fail_schemas(columns, others, first, source)
        changes = name_changes(columns, others) or ["its names are in another order"]
        sides = {"source": source.shown, "first": first.shown, "parameter": "union_by_name"}
        raise JobError(message("header-different", changes=tuple(changes), **sides))
    for each, names in ((first, columns), (source, others)):
        for name, count in _repeated(names).items():
            raise JobError(message("column-ambiguous-in", column=name, count=count, source=each.shown))
    if is_table:
        return _union(columns, others, first, source)
    for each, names in ((first, columns), (source, others)):
        if (mark := other_delimiter(names)) and len(columns) + len(others) > 2:
            raise JobError(message("header-delimiter", source=each.shown, mark=mark))
    return [*columns, *(name for name in others if name not in columns)]


def other_delimiter(columns: Any) -> str | None:
    """Return another delimiter in the name of the only column of a CSV file."""
    if not isinstance(columns, list) or len(columns) != 1:
        return None
    return min(set(_OTHER_DELIMITERS).intersection(columns[0]), default=None)


def _repeated(columns: Any) -> dict[str, int]:
    """Return the repeated names among columns, each with its number."""
    names = columns.names if isinstance(columns, pa.Schema) else columns or ()
    return {name: times for name, times in Counter(names).items() if times > 1}


def _fail_schemas(schema: Any, other: Any, first: SourceFile, source: SourceFile) -> None:
    changes = name_changes(schema.names, other.names)
    for name in schema.names:
        if schema.names.count(name) == other.names.count(name) == 1:
            before, after = schema.field(name).type, other.field(name).type
            if str(before) != str(after):
                changes.append(f"{in_quotes(shown(name))} is {after}, not {before}")
    sides = {"source": source.shown, "first": first.shown, "parameter": "union_by_name"}
    if not changes:
        raise JobError(message("schema-order", **sides))
    raise JobError(message("schema-different", changes=tuple(changes), **sides))


def _union(schema: Any, other: Any, first: SourceFile, source: SourceFile) -> Any:
    """Return a schema with the columns of both, those of the first schema first."""
    fields = []
    for field in schema:
        if field.name not in other.names:
            fields.append(field.with_nullable(True))
            continue
        after = other.field(field.name)
        kind = common_type(field.type, after.type)
        if kind is None:
            raise JobError(
                message(
                    "type-drift",
                    column=field.name,
                    source=source.shown,
                    type_name=str(after.type),
                    first=first.shown,
                    other_type=str(field.type),
                )
            )
        fields.append(field.with_type(kind).with_nullable(field.nullable or after.nullable))
    fields += (field.with_nullable(True) for field in other if field.name not in schema.names)
    return pa.schema(fields, schema.metadata)


def common_type(first: Any, other: Any) -> Any:
    """Return a type that holds every value of two types unchanged; None if there is none."""
    types = pa.types
    if first.equals(other) or types.is_null(other):
        return first
    if types.is_null(first):
        return other
    for is_kind in (types.is_signed_integer, types.is_unsigned_integer, types.is_floating):
        if is_kind(first) and is_kind(other):
            return max(first, other, key=lambda kind: kind.bit_width)
    for is_kind, small, large in (
        (_is_text, pa.string(), pa.large_string()),
        (_is_octets, pa.binary(), pa.large_binary()),
    ):
        if is_kind(first) and is_kind(other):
            plain = [kind.value_type if types.is_dictionary(kind) else kind for kind in (first, other)]
            is_small = all(kind == small or types.is_fixed_size_binary(kind) for kind in plain)
            return small if is_small else large
    return None


def _is_text(kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _is_octets(kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.binary(), pa.large_binary(), pa.binary_view()) or pa.types.is_fixed_size_binary(kind)


def aligned(columns: Mapping[str, Any], schema: Any, rows: int) -> list[Any]:
    """Return columns in the order and the types of a combined schema; missing columns are null."""
    arrays = []
    for field in schema:
        column = columns.get(field.name)
        column = pa.nulls(rows, field.type) if column is None else column
        arrays.append(column if column.type.equals(field.type) else column.cast(field.type))
    return arrays


def missing_columns(reader: Any, columns: Sequence[Column]) -> Iterator[Message]:
    """Yield a warning for each validated column that is missing in some sources, as a union allows.

    Rows of JSON Lines are not searched: each can have other keys.
    """
    own_names: Any = getattr(reader, "own_names", None)
    for column in columns if own_names is not None else ():
        name = column.plain if column.plain in reader.own_columns() else column.steps[0]
        lacking = [
            source.shown
            for source, names in zip(reader.sources, own_names, strict=True)
            if name not in names and name not in dict(source.partitions)
        ]
        if lacking:
            yield message("column-missing-in", column=column.name, count=len(lacking), source=lacking[0])


def quarantine_of(rejects: Path) -> Path:
    """Return the directory for copies of bad sources: next to the rejects."""
    return rejects.with_name(f"{rejects.name}.bad-sources")


def quarantine(bad: Sequence[BadSource], folder: Path, note: Callable[[str], None]) -> None:
    """Copy bad sources to a directory. A copy is named by its contents, so that no other copy is replaced."""
    for each in bad:
        is_uri = storage.is_uri(each.file)
        if not is_uri and not os.path.isfile(each.file):  # a pipe or a broken link
            note(message("source-not-copied-file", path=each.path))
            continue
        folder.mkdir(mode=0o700, exist_ok=True)
        unnamed = folder / f".{os.urandom(8).hex()}"
        digest = hashlib.sha256()
        try:
            # pyarrow cannot open a file whose name is not UTF-8.
            opened = storage.open_file(each.file) if is_uri else open(each.file, "rb")  # noqa: SIM115
            with opened as source, unnamed.open("xb") as copy:
                while data := source.read(storage.READ_BYTES):
                    digest.update(data)
                    copy.write(data)
                copy.flush()
                os.fsync(copy.fileno())
        except PermissionError:
            unnamed.unlink(missing_ok=True)
            note(message("source-not-copied", path=each.path))
            continue
        name = each.file.rstrip("/").rpartition("/")[2]
        os.replace(unnamed, folder / f"{digest.hexdigest()[:16]}-{name}")
