"""A working folder beside an output, for what is not finished, with a lock that dies with its process."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from abnforge.ingest.failures import Refused
from abnforge.ingest.files import Disk
from abnforge.late import importing

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".abnforge-job"

PATIENCE = 1.0
"""Seconds: a job that is killed just when it starts a process leaves it the lock until that has begun."""


class Work:
    """The working folder of one output, locked for as long as this process lives or until it is removed."""

    def __init__(self, output: Path, disk: Disk) -> None:
        self.output = output
        self.folder = output.with_name(f".{output.name}{SUFFIX}")
        self._disk = disk
        self._lock: int | None = None

    def path(self, name: str) -> Path:
        return self.folder / name

    def lock(self) -> None:
        """Take the folder, made if it is not there. Raises Refused where another process has it.

        Who finishes removes the folder, lock and all: a lock on a file that is no longer there is none, so
        it is taken again.
        """
        path = self.path("lock")
        end = time.monotonic() + PATIENCE
        while self._lock is None:
            self._disk.folder(self.folder)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            except FileNotFoundError:
                continue
            if not _taken(descriptor):
                os.close(descriptor)
                if time.monotonic() < end:
                    time.sleep(PATIENCE / 10)
                    continue
                raise Refused(f"another job is writing {self.output}: wait for it, or name another output")
            try:
                same = os.stat(path).st_ino == os.fstat(descriptor).st_ino
            except FileNotFoundError:
                same = False
            if same:
                self._lock = descriptor
            else:
                os.close(descriptor)

    def let_go(self) -> None:
        """Unlock; where nothing was done in the folder, it goes."""
        if self._lock is not None and {path.name for path in self.folder.iterdir()} <= {"lock"}:
            self.remove()
        self.unlock()

    def unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def clear(self) -> None:
        """Throw away all but the lock."""
        for path in sorted(self.folder.iterdir()):
            if path.name == "lock":
                continue
            if path.is_dir():
                self._disk.remove_folder(path)
            else:
                self._disk.remove(path)

    def remove(self) -> None:
        """The folder is no longer needed."""
        self._disk.remove_folder(self.folder)
        self.unlock()


def lock_all(works: Sequence[Work]) -> None:
    """Take the folders of all outputs of a job. Raises Refused, and leaves nothing then."""
    try:
        for work in works:
            work.lock()
    except Refused:
        for work in works:
            work.let_go()
        raise


def _taken(descriptor: int) -> bool:
    if fcntl is None:
        with importing:
            import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
