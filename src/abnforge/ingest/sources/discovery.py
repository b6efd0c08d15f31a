"""Find the files that a job reads: names, globs, directories, partition keys, and file formats."""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from abnforge.columns.arrays import not_arrow
from abnforge.ingest import storage
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.outputs import is_written_through

PARQUET, ARROW, CSV, TSV, JSONL, LINES = "parquet", "arrow", "csv", "tsv", "jsonl", "lines"
NTRIPLES, NQUADS = "nt", "nq"
FORMATS = (PARQUET, ARROW, CSV, TSV, JSONL, LINES, NTRIPLES, NQUADS)
STATEMENTS = (NTRIPLES, NQUADS)  # formats of RDF
TABLES = (PARQUET, ARROW)  # formats of tables; the other formats are text

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
    ".nt": NTRIPLES,
    ".nq": NQUADS,
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
DELIMITERS = {CSV: ",", TSV: "\t"}


class Format(NamedTuple):
    """A format, and its compression, if any."""

    name: str
    compression: str | None = None


def format_of(path: str, form: str | None = None) -> Format:
    """Return the format of a file by its name, or ``form``. Raises JobError for an unknown suffix."""
    suffixes = [each.lower() for each in PurePath(path).suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression is not None:
        suffixes.pop()
    name = form or (_ENDINGS.get(suffixes[-1]) if suffixes else None)
    if name is None:
        raise JobError(message("format-unknown", path=path, parameter="input_format", formats=FORMATS))
    if name in TABLES and compression is not None:
        raise JobError(message("format-compressed", path=path, format=name))
    return Format(name, compression)


def is_arrow(path: str) -> bool:
    """Return whether a file name has a suffix of Arrow IPC files."""
    return _ENDINGS.get(PurePath(path).suffix.lower()) == ARROW


def is_arrow_stream(path: str) -> bool:
    """Return whether a file name has the suffix of the Arrow stream format."""
    return PurePath(path).suffix.lower() == ".arrows"


def ending_of(format: Format) -> str:
    """Return the suffix of files of a format."""
    name = "txt" if format.name == LINES else format.name
    packed = next((end for end, each in COMPRESSIONS.items() if each == format.compression), "")
    return f".{name}{packed}"


def format_of_accepted(path: str, name: str, is_fixed: bool) -> Format:
    """Return the format of valid rows: by the file name, or ``name`` for names without an extension.

    Raises JobError for an unknown format, for plain lines or RDF of other sources, and for formats other than
    ``name`` if ``is_fixed``.
    """
    try:
        format = format_of(path)
    except JobError:
        format = Format(name, format_of(path, name).compression)
        if PurePath(path).suffixes and not (is_written_through(path) or storage.is_uri(path)):
            format = Format("", None)  # no format has this suffix
    if format.name != name and (is_fixed or format.name in ("", LINES, *STATEMENTS)):
        formats = [name] if is_fixed else dict.fromkeys([name, PARQUET, ARROW, CSV, TSV, JSONL])
        endings = tuple(ending_of(Format(each)) for each in formats)
        raise JobError(message("format-of-accepted", path=path, endings=endings))
    return format


def format_of_rejects(path: str) -> Format:
    """Return the format of rejects by their file name. Raises JobError for other names."""
    format: Format | None
    try:
        format = format_of(path)
    except JobError:
        format = Format(JSONL) if is_written_through(path) or storage.is_uri(path) else None
    if format is None or format.name not in (JSONL, PARQUET, CSV):
        raise JobError(message("format-of-rejects", path=path))
    return format


STDIN = "-"
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_ENDS = 1 << 16  # number of bytes at each end of a file that identify the file

_PARTITION = re.compile(r"([^=/]+)=([^/]*)")


class SourceFile(NamedTuple):
    """A file to read; ``partitions`` are the keys and values that the names of its directories hold.

    If ``batches`` is not None, the source is this RecordBatchReader instead of a file.
    """

    path: str
    format: Format
    partitions: tuple[tuple[str, str | None], ...] = ()
    batches: Any = None

    @property
    def is_file(self) -> bool:
        """Return whether the source can be read again."""
        return self.path != STDIN and self.batches is None

    @property
    def is_local(self) -> bool:
        """Return whether the source is a file on this machine."""
        return self.is_file and not storage.is_uri(self.path)

    @property
    def shown(self) -> str:
        return "<stdin>" if self.path == STDIN else self.path


class BadSource(NamedTuple):
    """A file that cannot be a source of the job, and why. ``path`` is shown; ``file`` is its exact path."""

    path: str
    problem: str
    file: str

    @property
    def reason(self) -> str:
        """The problem without advice about options."""
        return self.problem.partition("; ")[0]


def discover(
    names: Iterable[Any], form: str | None, foreign: list[BadSource] | None = None
) -> list[SourceFile]:
    """Return the sources in the order of the names; files of a glob or directory are sorted by path.

    A SourceFile is kept unchanged. Raises OSError if a file cannot be read. Raises JobError for a name that
    does not exist or is not a file, for different formats or partition keys, and for repeated files. Files of
    a glob or directory whose format is unknown are added to ``foreign`` if it is not None.
    """
    files: list[SourceFile] = []

    for name in names:
        if isinstance(name, SourceFile):
            files.append(name)
        elif not isinstance(name, str):
            files.append(
                SourceFile(f"<batches {len(files)}>", Format(form or ARROW), batches=batch_reader(name))
            )
        elif name == STDIN:
            if form is None:
                raise JobError(message("format-missing", parameter="input_format"))
            files.append(SourceFile(STDIN, Format(form)))
        else:
            name = storage.local_path(name)
            paths, as_source = _remote(name, form) if storage.is_uri(name) else _named(name, form)
            files += _each_of(paths, as_source, None if paths == [name] else foreign)
    if not files and foreign:
        raise JobError(foreign[0].problem)
    kinds = sorted({source.format.name for source in files})
    if len(kinds) > 1:
        raise JobError(message("formats-mixed", formats=tuple(kinds)))
    seen: dict[str, SourceFile] = {}
    for source in files:
        real = os.path.realpath(source.path) if source.is_local else source.path
        before = seen.setdefault(real, source)
        if before is not source:
            if before.path == source.path:
                raise JobError(message("source-repeated", source=source.shown))
            raise JobError(message("source-repeated-as", source=source.shown, first=before.shown))
    _check_partition_keys(files)
    return files


def _each_of(
    paths: Iterable[str], as_source: Callable[[str], SourceFile], foreign: list[BadSource] | None
) -> Iterator[SourceFile]:
    for path in paths:
        try:
            yield as_source(path)
        except JobError as error:
            if foreign is None:
                raise
            foreign.append(BadSource(_escaped(path), error.message, path))


def batch_reader(batches: Any) -> Any:
    """Return a RecordBatchReader of a dataset, a table, an Arrow stream, or an iterable of batches."""
    if hasattr(batches, "scanner"):
        batches = batches.scanner().to_reader()
    if isinstance(batches, pa.RecordBatchReader):
        return batches
    if hasattr(batches, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(batches)
    iterator = iter(batches) if isinstance(batches, Iterable) else iter((None,))
    first = next(iterator, None)
    if not isinstance(first, pa.RecordBatch):
        wrong = batches if first is None else first
        raise not_arrow("sources", "a path, a dataset, or record batches", wrong)
    return pa.RecordBatchReader.from_batches(first.schema, chain([first], iterator))


_Files = tuple[list[str], Callable[[str], SourceFile]]


def _named(name: str, form: str | None) -> _Files:
    """Return the files of one name (a file, a directory or a glob), and a function that returns a source."""
    if not name:
        raise JobError(message("source-unnamed"))
    try:
        mode = os.stat(name).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        if glob.has_magic(name):
            return _globbed(name, form)
        raise JobError(message("source-missing", path=name)) from None
    paths = _files_below(name) if stat.S_ISDIR(mode) else [name]
    return paths, lambda path: _source(path, name, form)


def _remote(uri: str, form: str | None) -> _Files:
    """Return the objects that a URI names: one, all below a prefix, or those that match a glob."""
    if not glob.has_magic(uri.partition("://")[2]):
        entry = storage.info(uri)
        if entry is None:
            storage.require_bucket(uri)
            raise JobError(message("source-missing", path=uri))
        if not entry.is_directory:
            return [uri], lambda path: SourceFile(path, format_of(path, form))
        base = uri.rstrip("/")
        paths = [path for path in storage.list_files(uri) if not _is_hidden(path.removeprefix(base))]
        if not paths:
            raise JobError(message("directory-empty", path=uri))
    else:
        pieces = uri.split("/")
        fixed = next(at for at, piece in enumerate(pieces) if at > 2 and glob.has_magic(piece))
        base = "/".join(pieces[:fixed])
        pattern = re.compile("/".join([re.escape(base), *map(_as_pattern, pieces[fixed:])]))
        paths = [path for path in storage.list_files(base) if pattern.fullmatch(path)]
        if not paths:
            storage.require_bucket(uri)
            raise JobError(message("glob-empty", glob=uri))
    return paths, lambda path: SourceFile(
        path, format_of(path, form), partition_keys(path.removeprefix(base).lstrip("/"))
    )


def _is_hidden(path: str) -> bool:
    return any(name.startswith((".", "_")) for name in path.split("/"))


def _as_pattern(piece: str) -> str:
    if piece == "**":
        return ".*"
    return fnmatch.translate(piece).removesuffix(r"\Z").replace(".*", "[^/]*")


def _globbed(name: str, form: str | None) -> _Files:
    """Return the files that a glob matches.

    A matching directory is replaced by its files, unless the glob contains ``**``, which itself descends into
    directories. Partition keys come from the path after the first directory with a wildcard.
    """
    pieces = name.split(os.sep)
    fixed = next(at for at, piece in enumerate(pieces) if glob.has_magic(piece))
    base = os.sep.join(pieces[:fixed]) or os.sep * name.startswith(os.sep)
    paths = []
    for path in sorted(glob.glob(name, recursive=True)):
        if not os.path.isdir(path):
            paths.append(path)
        elif "**" not in pieces:
            paths += _files_below(path)
    if not paths:
        raise JobError(message("glob-empty", glob=name))
    return paths, lambda path: _source(path, base, form)


def _files_below(name: str) -> list[str]:
    """Return the files below a directory, except hidden files and markers such as ``_SUCCESS``.

    Links are followed, as in globs. Raises JobError for a link that leads back to a directory above it.
    """
    paths: list[str] = []

    def raised(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(name, onerror=raised, followlinks=True):
        folders[:] = [each for each in folders if not each.startswith((".", "_"))]
        for each in folders:
            path = os.path.join(folder, each)
            if os.path.islink(path) and _within(folder, os.path.realpath(path)):
                raise JobError(message("link-loop", path=path))
        paths += (os.path.join(folder, each) for each in files if not each.startswith((".", "_")))
    if not paths:
        raise JobError(message("directory-empty", path=name))
    return sorted(paths, key=lambda path: Path(path).parts)


def counts_below(name: str, path: Path) -> bool:
    """Return whether a file at ``path`` would be among the files below a directory."""
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(name)).split(os.sep)
    return inside[0] != os.pardir and not any(name.startswith((".", "_")) for name in inside)


def _within(path: str, folder: str) -> bool:
    return os.path.commonpath([os.path.realpath(path), folder]) == folder


def _escaped(path: str) -> str:
    """Return a path whose bytes that are not UTF-8 are escaped, so that it can be shown."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _source(path: str, base: str, form: str | None) -> SourceFile:
    """Return a file with the partition keys of the directories between ``base`` and the file."""
    if (escaped := _escaped(path)) != path:  # pyarrow cannot open it, and rejects cannot hold its name
        raise JobError(message("source-name-not-utf8", path=escaped))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise JobError(message("link-broken", path=path)) from None
    if not stat.S_ISREG(mode):
        raise JobError(message("source-pipe" if stat.S_ISFIFO(mode) else "source-device", path=path))
    inside = os.path.relpath(path, base or os.curdir) if path != base else ""
    return SourceFile(path, format_of(path, form), partition_keys(inside))


def partition_keys(path: str) -> tuple[tuple[str, str | None], ...]:
    """Return the keys and values in the directory names of a path, such as ``day=2026-11-22``."""
    pairs = [_PARTITION.fullmatch(name) for name in Path(path).parts[:-1]]
    return tuple(
        (unquote(pair[1]), None if pair[2] == NULL_PARTITION else unquote(pair[2]))
        for pair in pairs
        if pair is not None
    )


def _check_partition_keys(sources: Sequence[SourceFile]) -> None:
    """Raise JobError if sources have different partition keys."""
    keys = {tuple(sorted(key for key, _ in source.partitions)): source for source in sources}
    if len(keys) > 1:
        [(first_keys, first), (others, source)] = sorted(keys.items())[:2]
        raise JobError(
            message(
                "partitions-different",
                first=first.shown,
                first_keys=first_keys,
                source=source.shown,
                keys=others,
            )
        )
    for names in keys:
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise JobError(message("partition-repeated", key=twice, path=sources[0].shown))


def identity(source: SourceFile) -> dict[str, Any]:
    """Return data that changes when a file changes: its size, time, and a digest of both ends."""
    if not source.is_file:
        return {}
    status = _status(source)
    with storage.open_file(source.path) as stream:
        ends = hashlib.sha256(stream.read(_ENDS))
        stream.seek(max(0, status.size - _ENDS))
        ends.update(stream.read(_ENDS))
    return {"size": status.size, "mtime_ns": status.mtime_ns, "ends": ends.hexdigest()}


def _status(source: SourceFile) -> storage.Info:
    status = storage.info(source.path)
    if status is None:
        raise JobError(message("source-missing", path=source.path))
    return status


def check_unchanged(source: SourceFile, recorded: dict[str, Any]) -> None:
    """Raise ConflictError if a file has changed."""
    if not source.is_file:
        return
    status = _status(source)
    if (status.size, status.mtime_ns) != (recorded["size"], recorded["mtime_ns"]):
        raise ConflictError(
            message("source-changed", path=source.path, before=recorded["size"], after=status.size)
        )
