"""Formats of files, by name or by the end of a path: ``x.csv.gz`` is CSV in gzip."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from abnforge.ingest.failures import JobError
from abnforge.ingest.messages import message
from abnforge.outputs import is_written_through

PARQUET, ARROW, CSV, TSV, JSONL, LINES = "parquet", "arrow", "csv", "tsv", "jsonl", "lines"
FORMATS = (PARQUET, ARROW, CSV, TSV, JSONL, LINES)
TABLES = (PARQUET, ARROW)  # files that hold tables; the others are text

_ENDINGS = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".arrows": ARROW,
    ".ipc": ARROW,
    ".feather": ARROW,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".txt": LINES,
    ".lst": LINES,
    ".list": LINES,
    ".urls": LINES,
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
DELIMITERS = {CSV: ",", TSV: "\t"}


class Format(NamedTuple):
    """A format, and what it is compressed with, if it is."""

    name: str
    compression: str | None = None


def format_of(path: str, given: str | None = None) -> Format:
    """The format of a file by its name; ``given``, where the caller knows better.

    Raises JobError where the name does not tell.
    """
    suffixes = [each.lower() for each in PurePath(path).suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression is not None:
        suffixes.pop()
    name = given or (_ENDINGS.get(suffixes[-1]) if suffixes else None)
    if name is None:
        raise JobError(message("format-unknown", path=path, parameter="input_format", formats=FORMATS))
    if name in TABLES and compression is not None:
        raise JobError(message("format-compressed", path=path, format=name))
    return Format(name, compression)


def format_of_accepted(path: str, name: str) -> Format:
    """How accepted rows are written. They keep their format: JobError for a name that tells another."""
    try:
        told = format_of(path)
    except JobError:
        told = Format(name, format_of(path, name).compression)
    if told.name != name:
        raise JobError(message("format-of-accepted", path=path, format=name, named=told.name))
    return told


def format_of_rejects(path: str) -> Format:
    """The format in which rejects are written. Raises JobError for a name that does not tell one."""
    found: Format | None
    try:
        found = format_of(path)
    except JobError:
        found = Format(JSONL) if is_written_through(path) else None
    if found is None or found.name not in (JSONL, PARQUET, CSV):
        raise JobError(message("format-of-rejects", path=path))
    return found
