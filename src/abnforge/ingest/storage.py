"""Files on this machine and in object storage (``s3://``, ``gs://``, ``abfs://``), by pyarrow.fs and fsspec.

pyarrow takes credentials from the environment, and retries failed requests. An output in object storage is a
prefix with ``part-000000...`` and ``_SUCCESS``: directories cannot be renamed. A local output that consists
of several files works the same way. While a job runs, objects are uploaded below ``_temporary``, which
readers skip. When it is complete, they are moved; ``_SUCCESS`` is removed first and written last.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from abnforge._lazy import importing
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.outputs import Output, sync_folder

DONE, STAGING = "_SUCCESS", "_temporary"
_BUCKETS = ("s3", "gcs", "abfs")  # file systems whose first directory must exist
_SCHEMES = ("s3", "gs", "abfs", "hdfs", "file")
GCS_RETRY_SECONDS = 15  # pyarrow's default is 15 minutes
READ_BYTES = 1 << 23  # number of bytes of an object that one request reads
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://([^/?]*)(/?[^?]*(?:\?(?!\w+=)[^?]*)*)(\?\w+=.*)?", re.DOTALL)


class Info(NamedTuple):
    """A file or directory: its path, kind, size and time of change."""

    path: str
    is_directory: bool
    size: int
    mtime_ns: int


def is_uri(path: str) -> bool:
    """Return whether a name has a scheme, as ``s3://bucket/key``."""
    return _URI.match(path) is not None


def local_path(path: str) -> str:
    """Return a ``file://`` URI as a path, other names unchanged."""
    return fs.FileSystem.from_uri(path)[1] if path.lower().startswith("file:///") else path


@contextmanager
def accessing(path: str) -> Iterator[None]:
    """Add the object's name to errors of object storage, which pyarrow raises without an error number."""
    try:
        yield
    except FileNotFoundError:
        raise JobError(message("source-missing", path=path)) from None
    except ImportError as error:
        raise JobError(message("storage-package-missing", path=path, reason=str(error))) from None
    except (OSError, pa.ArrowException) as error:
        if not is_uri(path):
            raise
        # Google's client repeats its message after this word.
        reason = " ".join(str(error).partition(" error_info=")[0].split()) or type(error).__name__
        raise JobError(message("storage-failed", path=path, reason=reason)) from None


@lru_cache(maxsize=64)
def _file_system(root: str) -> tuple[Any, str]:
    """Return the file system of a URI without a path, and the path of its root there."""
    if root.lower().startswith(("gs://", "gcs://")) and "retry_limit_seconds=" not in root:
        root += ("&" if "?" in root else "?") + f"retry_limit_seconds={GCS_RETRY_SECONDS}"
    try:
        system, path = fs.FileSystem.from_uri(root)
        return system, path.rstrip("/")
    except pa.ArrowInvalid as error:
        try:
            with importing:
                from fsspec.core import url_to_fs

            system, path = url_to_fs(root)
        except (ModuleNotFoundError, ValueError):
            scheme = root.partition(":")[0]
            if scheme in _SCHEMES:
                raise error from None
            problem = message("scheme-unknown", scheme=scheme, path=root, schemes=_SCHEMES)
            raise JobError(problem) from None
        return fs.PyFileSystem(fs.FSSpecHandler(system)), path.rstrip("/")


def _located(uri: str) -> tuple[Any, str]:
    match = _URI.fullmatch(uri)
    if match is None:  # a directory on this machine
        return fs.LocalFileSystem(), os.path.abspath(uri)
    scheme, place, path, options = match.groups()
    system, root = _file_system(f"{scheme}://{place}{options or ''}")
    return system, (root + "/" + path.lstrip("/")).rstrip("/") if path.strip("/") else root


def open_file(path: str) -> Any:
    """Open a file for random access with pyarrow."""
    if not is_uri(path):
        return pa.OSFile(path, "rb")
    with accessing(path):
        system, inside = _located(path)
        return system.open_input_file(inside)


def open_stream(path: str) -> Any:
    """Open an object for reading from its beginning, in large requests."""
    with accessing(path):
        system, inside = _located(path)
        return system.open_input_stream(inside, compression=None, buffer_size=READ_BYTES)


def info(path: str) -> Info | None:
    """Return the size and time of a file; None if it does not exist."""
    if not is_uri(path):
        status = os.stat(path)
        return Info(path, False, status.st_size, status.st_mtime_ns)
    with accessing(path):
        system, inside = _located(path)
        entry = system.get_file_info(inside)
    if entry.type == fs.FileType.NotFound:
        return None
    return Info(path, entry.type == fs.FileType.Directory, entry.size or 0, entry.mtime_ns or 0)


def parquet_metadata(path: str) -> Any:
    """Return the metadata of a Parquet file."""
    with open_file(path) as file:
        return pq.read_metadata(file)


def size_of(path: str) -> int:
    """Return the size of a file in bytes."""
    status = info(path)
    return 0 if status is None else status.size


def require_bucket(uri: str) -> None:
    """Raise JobError if the bucket of a URI does not exist."""
    with accessing(uri):
        system, inside = _located(uri)
        bucket = inside.partition("/")[0]
        if system.type_name in _BUCKETS and system.get_file_info(bucket).type == fs.FileType.NotFound:
            raise JobError(message("bucket-missing", path=uri, bucket=bucket))


def list_files(uri: str) -> list[str]:
    """Return the URIs of all files below a prefix, sorted."""
    with accessing(uri):
        system, inside = _located(uri)
        entries = system.get_file_info(fs.FileSelector(inside, allow_not_found=True, recursive=True))
    match = _URI.fullmatch(uri)
    base, options = uri.rstrip("/"), ""
    if match is not None:
        scheme, place, path, options = match.groups()
        base = f"{scheme}://{place}/{path.strip('/')}".rstrip("/")
    files = (each.path[len(inside) :].lstrip("/") for each in entries if each.type == fs.FileType.File)
    return sorted(f"{base}/{name}{options or ''}" for name in files)


# ---- outputs ----


@dataclass(frozen=True)
class RemotePath:
    """An output in object storage: a prefix."""

    uri: str

    def __str__(self) -> str:
        return self.uri

    def __fspath__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        """The last segment of the prefix."""
        return self.uri.partition("?")[0].rstrip("/").rpartition("/")[2]


def output_path(path: str | os.PathLike[str]) -> Path | RemotePath:
    """Return an output as a path of this machine, or as a prefix in object storage."""
    name = local_path(os.fspath(path))
    return RemotePath(name) if is_uri(name) else Path(name)


@dataclass(frozen=True)
class RemoteOutput(Output):
    """An output below ``uri``; its parts are collected next to ``file``, and uploaded.

    ``uri`` can also be a directory of this machine; then files are renamed.
    """

    uri: str = ""

    @classmethod
    def in_directory(cls, path: Path) -> RemoteOutput:
        """Return the output of a directory, which need not exist. Raises JobError for unrelated files."""
        if not path.parent.is_dir() or (path.exists() and not path.is_dir()):
            raise JobError(message("output-not-directory", path=str(path)))
        cls._check_names(str(path), list_files(str(path)))
        return cls(path, Path(os.path.realpath(path)), uri=str(path))

    @staticmethod
    def _check_names(uri: str, paths: Sequence[str]) -> None:
        base = uri.partition("?")[0].rstrip("/") + "/"
        for path in paths:
            name = path.partition("?")[0].removeprefix(base)
            *folders, last = name.split("/")
            is_part = last.startswith("part-") and all("=" in each for each in folders)
            if name != DONE and not is_part and not name.startswith(f"{STAGING}/"):
                raise JobError(message("output-with-objects", path=uri, object=name))

    @classmethod
    def at(cls, remote: RemotePath) -> RemoteOutput:
        """Return the output of a prefix. Raises JobError for a missing bucket, and for unrelated objects."""
        require_bucket(remote.uri)
        cls._check_names(remote.uri, list_files(remote.uri))
        digest = hashlib.sha256(remote.uri.encode(errors="surrogatepass")).hexdigest()[:16]
        home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
        file = Path(home, "abnforge", f"{digest}-{remote.name}")
        return cls(file, file, uri=remote.uri)

    def stage(self, finished: Path, name: str) -> None:
        """Upload a finished file below a directory that readers skip. ``name`` is JOB/OBJECT."""
        with accessing(self.uri):
            system, inside = _located(self.uri)
            path = f"{inside}/{STAGING}/{name}"
            if isinstance(system, fs.LocalFileSystem | fs.PyFileSystem):
                system.create_dir(path.rpartition("/")[0], recursive=True)
            if isinstance(system, fs.LocalFileSystem) and not is_uri(self.uri):
                os.replace(finished, path)
                sync_folder(Path(path).parent)
                return
            with (
                pa.OSFile(str(finished), "rb") as source,
                system.open_output_stream(path, compression=None) as stream,
            ):
                while data := source.read(READ_BYTES):
                    stream.write(data)

    def publish(self, job: str, names: Sequence[str]) -> None:
        """Make the staged objects of a job the only parts, and mark the prefix as complete.

        This can be repeated after an interruption. Raises ConflictError if an object is missing.
        """
        with accessing(self.uri):
            system, inside = _located(self.uri)
            staged = _names_in(system, f"{inside}/{STAGING}/{job}")
            existing = _names_in(system, inside)
            if set(names) - staged - existing:
                raise ConflictError(message("checkpoint-parts-missing", path=self.uri, parameter="resume"))
            if DONE in existing:
                system.delete_file(f"{inside}/{DONE}")
            for name in sorted(staged.intersection(names)):
                if "/" in name and isinstance(system, fs.LocalFileSystem | fs.PyFileSystem):
                    system.create_dir(f"{inside}/{name.rpartition('/')[0]}", recursive=True)
                system.move(f"{inside}/{STAGING}/{job}/{name}", f"{inside}/{name}")
            for name in existing - {DONE, *names}:
                system.delete_file(f"{inside}/{name}")
                _remove_empty(system, inside, name.rpartition("/")[0])
        self.discard()
        with accessing(self.uri), system.open_output_stream(f"{inside}/{DONE}"):
            pass

    def discard(self) -> None:
        """Remove staged objects."""
        with accessing(self.uri):
            system, inside = _located(self.uri)
            if system.get_file_info(f"{inside}/{STAGING}").type == fs.FileType.Directory:
                system.delete_dir(f"{inside}/{STAGING}")


def _names_in(system: Any, directory: str) -> set[str]:
    """Return the files below a directory, except staged ones, with their paths in the directory."""
    entries = system.get_file_info(fs.FileSelector(directory, allow_not_found=True, recursive=True))
    files = (each.path[len(directory) :].lstrip("/") for each in entries if each.type == fs.FileType.File)
    return {name for name in files if not name.startswith(f"{STAGING}/")}


def _remove_empty(system: Any, directory: str, inside: str) -> None:
    """Remove directories of partitions that have become empty."""
    while inside and isinstance(system, fs.LocalFileSystem):
        try:
            os.rmdir(f"{directory}/{inside}")
        except OSError:
            return
        inside = inside.rpartition("/")[0]
