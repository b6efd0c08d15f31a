"""All that a job changes on disk goes through here, one step after the other, so that tests can fail each."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from abnforge.outputs import Output, place, sync_folder


class File:
    """A file that is written to, without a buffer of its own: what was written is the kernel's to keep."""

    def __init__(self, disk: Disk, path: Path, descriptor: int) -> None:
        self._disk = disk
        self.path = path
        self._descriptor = descriptor
        self.closed = False

    def write(self, data: bytes | memoryview) -> int:
        """All of it; raises OSError, with the path, where less fits."""
        view = memoryview(data).cast("B")
        size = len(view)
        if self.closed:  # nobody is there whom an error would reach
            return size
        while len(view):
            self._disk.step("write", self.path)
            try:
                view = view[os.write(self._descriptor, view[: self._disk.at_once]) :]
            except OSError as error:
                raise named(error, self.path) from None
        return size

    def sync(self) -> None:
        """Until this returns, what was written may be lost when the machine stops."""
        self._disk.step("fsync", self.path)
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise named(error, self.path) from None

    def cut(self, size: int) -> None:
        """Forget what lies behind ``size``, and go on there."""
        self._disk.step("truncate", self.path)
        os.ftruncate(self._descriptor, size)
        os.lseek(self._descriptor, size, os.SEEK_SET)

    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def flush(self) -> None:
        """There is nothing to flush; pyarrow asks."""

    def close(self) -> None:
        """Nothing is written from then on. A writer of pyarrow's that failed tries to when it is thrown away:
        the number of this file may be that of another one by then, and an error would be raised anywhere.
        """
        if not self.closed:
            self.closed = True
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    # What pyarrow wants of a file that it writes to.
    def tell(self) -> int:
        return 0 if self.closed else os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class Disk:
    """The file system. ``step`` is called before each change; here it does nothing."""

    at_once = 1 << 24  # octets that one call writes at most

    def step(self, what: str, path: Path) -> None:
        """Before a change of the kind ``what`` to ``path``."""

    def create(self, path: Path) -> File:
        """A new file, or an old one emptied."""
        self.step("create", path)
        return File(self, path, self._opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))

    def reopen(self, path: Path) -> File:
        """A file that is there, to be cut and gone on with."""
        return File(self, path, self._opened(path, os.O_RDWR))

    def _opened(self, path: Path, flags: int) -> int:
        try:
            return os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise named(error, path) from None

    def replace(self, old: Path, new: Path) -> None:
        """Rename, in one step, what is to be there from then on."""
        self.step("rename", new)
        try:
            os.replace(old, new)
        except OSError as error:
            raise named(error, new) from None
        self.sync_folder(new.parent)

    def publish(self, finished: Path, output: Output) -> None:
        """Give a finished file the name of an output, or write its bytes through."""
        self.step("rename", output.path)
        place(finished, output)

    def sync_folder(self, folder: Path) -> None:
        """Make names in a folder last."""
        self.step("fsync", folder)
        sync_folder(folder)

    def folder(self, path: Path, mode: int = 0o777) -> None:
        """A folder, if it is not there."""
        self.step("mkdir", path)
        try:
            path.mkdir(mode, exist_ok=True)
        except OSError as error:
            raise named(error, path) from None

    def remove(self, path: Path) -> None:
        """A file, if it is there."""
        self.step("unlink", path)
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        """A folder with all that is in it, if it is there."""
        self.step("unlink", path)
        shutil.rmtree(path, ignore_errors=True)

    def write_whole(self, path: Path, data: bytes) -> None:
        """A file that is there as a whole, or not at all."""
        beside = path.with_name(path.name + ".new")
        file = self.create(beside)
        try:
            file.write(data)
            file.sync()
        finally:
            file.close()
        self.replace(beside, path)


def named(error: OSError, path: Path) -> OSError:
    """The error with the file it is about: calls on descriptors do not know it."""
    return OSError(error.errno, error.strerror or str(error), str(path))
