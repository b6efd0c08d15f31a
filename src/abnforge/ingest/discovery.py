"""The files that a job reads: named, by globs, or all of a folder, with what its folders' names tell."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from abnforge.ingest.failures import JobError, Refused
from abnforge.ingest.formats import Format, format_of

STDIN = "-"
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_ENDS = 1 << 16  # octets at either end of a file that tell it from others

_PARTITION = re.compile(r"([^=/]+)=([^/]*)")


class Source(NamedTuple):
    """One file to be read; ``partitions`` are the keys and values that the names of its folders hold.

    Of a Parquet file ``rows`` may be a part: from the first of a row group to that behind the last of one.
    ``kinds`` are the types of the keys, where other sources of the job had a say in them.
    """

    path: str
    format: Format
    partitions: tuple[tuple[str, str | None], ...] = ()
    rows: tuple[int, int] | None = None
    kinds: tuple[tuple[str, Any], ...] | None = None

    @property
    def shown(self) -> str:
        return "<stdin>" if self.path == STDIN else self.path


def discovered(names: Iterable[str | Source], given: str | None) -> list[Source]:
    """The sources, in the order of the names; within globs and folders in the order of their paths. What is
    a source already stays as it is.

    Raises JobError for a name that nothing has, for files of several formats, and for the same file twice.
    """
    found: list[Source] = []
    for name in names:
        if isinstance(name, Source):
            found.append(name)
        elif name == STDIN:
            if given is None:
                raise JobError("standard input has no name that tells its format: give --input-format")
            found.append(Source(STDIN, Format(given)))
        elif os.path.isdir(name):
            found += _folder(name, given)
        elif os.path.exists(name):
            found.append(Source(name, format_of(name, given)))
        else:
            paths = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
            if not paths:
                what = "no file matches" if glob.has_magic(name) else "there is no"
                raise JobError(f"{what} {name}")
            found += (Source(path, format_of(path, given)) for path in paths)
    kinds = sorted({source.format.name for source in found})
    if len(kinds) > 1:
        raise JobError(f"sources have one format, and these have {len(kinds)}: {', '.join(kinds)}")
    seen: set[str] = set()
    for source in found:
        real = source.path if source.path == STDIN else os.path.realpath(source.path)
        if real in seen:
            raise JobError(f"{source.shown} is named twice")
        seen.add(real)
    return found


def _folder(name: str, given: str | None) -> list[Source]:
    """All files below a folder but hidden ones, and those that other tools mark as no data ("_SUCCESS")."""
    found = []
    for path in sorted(Path(name).rglob("*")):
        inside = path.relative_to(name)
        if any(part.startswith((".", "_")) for part in inside.parts) or not path.is_file():
            continue
        pairs = [_PARTITION.fullmatch(part) for part in inside.parts[:-1]]
        partitions = tuple(
            (unquote(pair[1]), None if pair[2] == NULL_PARTITION else unquote(pair[2]))
            for pair in pairs
            if pair is not None
        )
        found.append(Source(str(path), format_of(str(path), given), partitions))
    if not found:
        raise JobError(f"the folder {name} holds no file")
    keys = {tuple(key for key, _ in source.partitions) for source in found}
    if len(keys) > 1:
        raise JobError(f"the folders in {name} have different keys: {', '.join(map(str, sorted(keys)))}")
    return found


def identity(source: Source) -> dict[str, Any]:
    """What tells whether a file is still the one that was read: size, time, and its first and last octets."""
    if source.path == STDIN:
        return {}
    status = os.stat(source.path)
    with open(source.path, "rb") as stream:
        ends = hashlib.sha256(stream.read(_ENDS))
        stream.seek(max(0, status.st_size - _ENDS))
        ends.update(stream.read(_ENDS))
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "ends": ends.hexdigest()}


def refuse_changed(source: Source, known: dict[str, Any]) -> None:
    """Raises Refused if a file is no longer what it was."""
    if source.path == STDIN:
        return
    status = os.stat(source.path)
    if (status.st_size, status.st_mtime_ns) != (known["size"], known["mtime_ns"]):
        raise Refused(
            f"{source.path} has changed while it was read: it had {known['size']:,} octets, and has "
            f"{status.st_size:,}; nothing was published"
        )
