"""Write files for the caller: each completely or not at all, at the place where its name leads.

A regular file is replaced by a rename and keeps its mode, and if permitted its owner. A symbolic
link stays: its target is replaced or created. Bytes for devices, named pipes, standard output (``-``) and
standard error, under any name, are written directly. Nothing else is an output.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from abnforge.catalog import CodedError, Message
from abnforge.messages import message

STDOUT = "-"

_FLAGS = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Output:
    """A place to write to.

    ``file`` is the regular file that is replaced or created, links followed; None if bytes are written
    through, to a standard stream if ``stream`` is its number. A new file does not have a status.
    """

    path: Path
    file: Path | None
    stream: int | None = None
    known: os.stat_result | None = None

    @property
    def key(self) -> object:
        """Equal for two outputs exactly if both are the same file."""
        if self.known is None:
            return str(self.file or self.path)
        return key_of(self.known)


def key_of(status: os.stat_result) -> object:
    """Return a value that identifies a file."""
    return status.st_dev, status.st_ino


def output_at(path: str | os.PathLike[str]) -> Output:
    """Return the output that a path leads to; nothing is written or opened.

    Raises OSError for a place that cannot be written to: a directory, a socket, a missing directory, a file
    or directory without permission.
    """
    path = Path(path)
    if str(path) == STDOUT:
        return Output(path, None, 1, _stream_status(1))
    status = _status(path)
    if status is not None and (number := _stream_of(status)) is not None:
        return Output(path, None, number, status)
    if status is None or stat.S_ISREG(status.st_mode):
        file = Path(os.path.realpath(path))
        folder = file.parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            raise output_error(errno.ENOENT, message("output-directory-missing", directory=str(folder)), path)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise output_error(errno.EACCES, message("output-directory-denied", directory=str(folder)), path)
    else:
        file = None
        if stat.S_ISDIR(status.st_mode):
            raise output_error(errno.EISDIR, message("output-directory"), path)
        if not _is_through(status):
            raise output_error(errno.EINVAL, message("output-kind"), path)
    if status is not None and not os.access(path, os.W_OK):
        raise output_error(errno.EACCES, os.strerror(errno.EACCES), path)
    return Output(path, file, None, status)


def is_written_through(path: str | os.PathLike[str]) -> bool:
    """Return whether a path leads to standard output, a device or a pipe; their names need no suffix."""
    if str(path) == STDOUT:
        return True
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return _is_through(status)


def write_output(path: str | os.PathLike[str], data: bytes) -> None:
    """Write to a file, a device, a pipe or a standard stream. Raises OSError, with the path."""
    with writing(path) as stream:
        stream.write(data)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open an output for a block that writes its bytes. If the block raises, a file stays unchanged.

    Raises OSError, with the path.
    """
    output = output_at(path)
    try:
        if output.file is None:
            with _through(output) as stream:
                yield stream
            return
        beside = output.file.with_name(f".abnforge-{os.urandom(8).hex()}")
        mode = 0o666 if output.known is None else 0o600  # until it has the mode of the old file
        try:
            with open(os.open(beside, _FLAGS | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            place(beside, output)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(output.file and beside)):
            raise
        raise output_error(error.errno, error.strerror or str(error), output.path) from None


def place(finished: Path, output: Output) -> None:
    """Give a finished file the name of an output, or write its bytes through and remove it.

    It gets the mode and owner of the file that it replaces, which is on the same file system. Raises OSError,
    with the path.
    """
    try:
        if output.file is None:
            with finished.open("rb") as source, _through(output) as stream:
                shutil.copyfileobj(source, stream, 1 << 20)
            finished.unlink()
            return
        status = _status(output.file)
        if status is not None:
            _keep(finished, status)
        os.replace(finished, output.file)
    except OSError as error:
        if error.errno is None or isinstance(error, OutputError):
            raise
        raise output_error(error.errno, error.strerror or str(error), output.path) from None
    sync_folder(output.file.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a directory durable, on systems that can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # not every system opens directories
        return
    try:
        os.fsync(descriptor)
    except OSError:  # not every file system can synchronize them
        pass
    finally:
        os.close(descriptor)


@contextmanager
def _through(output: Output) -> Iterator[BinaryIO]:
    """Open a device, a pipe or a standard stream. A named pipe waits for its reader."""
    if output.stream is None:
        with open(os.open(output.path, _FLAGS), "wb") as stream:
            yield stream
        return
    text = sys.stdout if output.stream == 1 else sys.stderr
    if text is None or not hasattr(text, "buffer"):
        raise output_error(errno.EBADF, message("output-stream"), output.path)
    text.flush()
    yield text.buffer
    text.buffer.flush()


def _keep(file: Path, status: os.stat_result) -> None:
    """Give a file the mode of another one, and if permitted its owner."""
    new = os.stat(file)
    if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid) and hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(file, status.st_uid, status.st_gid)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(status.st_mode):
        file.chmod(stat.S_IMODE(status.st_mode))


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file, links followed; None for a new file."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL
        raise output_error(errno.EINVAL, str(error), path) from None


def _stream_status(number: int) -> os.stat_result | None:
    try:
        return os.fstat(number)
    except OSError:  # it is closed
        return None


def _stream_of(known: os.stat_result) -> int | None:
    """Return the number of the standard stream that is open for writing to a file.

    If the file were replaced, later writes of that stream would be lost, and it cannot always be reopened.
    """
    for number in (1, 2):
        status = _stream_status(number)
        if status is not None and os.path.samestat(status, known):
            return number
    return None


def _is_through(status: os.stat_result) -> bool:
    mode = status.st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


class OutputError(CodedError, OSError):
    """An output that cannot be written."""

    message: Message

    def __init__(self, number: int, message: Message, path: str) -> None:
        OSError.__init__(self, number, message, path)
        self.message = message
        self.code = message.code


class OutputMissingError(OutputError, FileNotFoundError):
    """An output in a directory that does not exist."""


class OutputDeniedError(OutputError, PermissionError):
    """An output that needs a permission."""


class OutputDirectoryError(OutputError, IsADirectoryError):
    """An output that is a directory."""


_KINDS = {
    errno.ENOENT: OutputMissingError,
    errno.EACCES: OutputDeniedError,
    errno.EISDIR: OutputDirectoryError,
}


def output_error(number: int, text: str, path: Path) -> OSError:
    """Return an error about an output, with its number; a Message also has a code."""
    if isinstance(text, Message):
        return _KINDS.get(number, OutputError)(number, text, str(path))
    return OSError(number, text, str(path))
