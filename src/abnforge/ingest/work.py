"""A working folder beside an output, for what is not finished, with a lock that dies with its process."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from abnforge._lazy import lazy
from abnforge.ingest.failures import ConflictError, JobError
from abnforge.ingest.files import Disk
from abnforge.ingest.job import Job
from abnforge.ingest.messages import message
from abnforge.outputs import Output

with lazy:
    import msvcrt

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".abnforge-job"
JOURNAL = "journal.jsonl"
OUTPUTS = "outputs.json"

PATIENCE = 1.0
"""Seconds: a job that is killed just when it starts a process leaves it the lock until that has begun."""


class Work:
    """The working folder of one output, locked for as long as this process lives or until it is removed.

    Only its owner can read it, unless ``mode`` says otherwise: the output may be private, too.
    """

    lasts = True  # until the job is done; it can be resumed

    def __init__(self, output: Path, disk: Disk, mode: int = 0o700) -> None:
        self.output = output
        self.folder = output.with_name(f".{output.name}{SUFFIX}")
        self._disk = disk
        self._mode = mode
        self._lock: int | None = None

    def path(self, name: str) -> Path:
        return self.folder / name

    def lock(self) -> None:
        """Take the folder, made if it is not there. Raises ConflictError where another process has it.

        Who finishes removes the folder, lock and all: a lock on a file that is no longer there is none, so
        it is taken again.
        """
        path = self.path("lock")
        end = time.monotonic() + PATIENCE
        while self._lock is None:
            self._disk.folder(self.folder, self._mode)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            except FileNotFoundError:
                continue
            if not _taken(descriptor):
                os.close(descriptor)
                if time.monotonic() < end:
                    time.sleep(PATIENCE / 10)
                    continue
                raise ConflictError(message("output-locked", path=str(self.output)))
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

    def claim(self, outputs: Sequence[str]) -> None:
        """Note which outputs the job in this folder writes; the first one's folder has its journal."""
        self._disk.write_whole(self.path(OUTPUTS), json.dumps(outputs).encode())

    def claimed(self) -> list[str] | None:
        """Return the outputs of the job whose state is in this folder; None if there is none."""
        try:
            found: list[str] = json.loads(self.path(OUTPUTS).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return found

    def refuse_other(self, outputs: Sequence[str]) -> None:
        """Raise ConflictError if the folder has the state of an interrupted job that writes other outputs:
        without it that job could not be resumed.
        """
        other = self.claimed()
        if other is None or other == outputs:
            return
        first = Work(Path(other[0]), self._disk)
        if first.path(JOURNAL).exists() and first.claimed() == other:
            raise ConflictError(
                message(
                    "output-claimed",
                    path=str(self.output),
                    outputs=tuple(other),
                    directory=str(first.folder),
                )
            )


class Scratch(Work):
    """The working folder of a job that writes no file. It goes when the job ends, however that is."""

    lasts = False

    def __init__(self, disk: Disk) -> None:
        super().__init__(Path(tempfile.gettempdir(), f"abnforge-{os.urandom(8).hex()}"), disk)

    def unlock(self) -> None:
        if self._lock is not None:
            self._disk.remove_folder(self.folder)
        super().unlock()


class Nested(Work):
    """The working folder of a device or pipe, within that of another output, which has the lock."""

    def __init__(self, output: Path, disk: Disk, outer: Work, number: int) -> None:
        super().__init__(output, disk)
        self.folder = outer.path(f"through-{number}")

    def lock(self) -> None:
        """The outer folder is locked."""

    def clear(self) -> None:
        self._disk.folder(self.folder)
        super().clear()


def works_of(outputs: Sequence[Output], disk: Disk) -> tuple[list[Work], list[Work]]:
    """Return the working folder of each output, and all of them in locking order; the first has the journal.
    Only a regular file has a directory for it.
    """
    files = {each.key: Work(each.file, disk) for each in outputs if each.file is not None}
    outer = next(iter(files.values()), None) or Scratch(disk)
    found = [files.get(each.key) or Nested(each.path, disk, outer, at) for at, each in enumerate(outputs)]
    nested = [work for work in found if isinstance(work, Nested)]
    return found, [*(files.values() or [outer]), *nested]


def lock_all(works: Sequence[Work]) -> None:
    """Take the folders of all outputs of a job. Raises ConflictError or OSError, and leaves nothing then."""
    names = outputs_of(works)
    try:
        for work in works:
            work.lock()
        for work in works:
            work.refuse_other(names)
    except (ConflictError, OSError):
        for work in works:
            work.let_go()
        raise


def begin_all(works: Sequence[Work]) -> None:
    """Empty the folders of all outputs of a job, for a new job."""
    names = outputs_of(works)
    for work in works:
        work.clear()
        work.claim(names)


def outputs_of(works: Sequence[Work]) -> list[str]:
    """Return the names that identify a job in each of its folders."""
    return [str(work.output) for work in works]


def can_resume(job: Job) -> bool:
    """Return whether there is an interrupted job that writes the same outputs."""
    try:
        _, works = works_of(job.check_outputs([]), Disk())
    except JobError:
        return False
    return works[0].lasts and works[0].path(JOURNAL).exists()


def _taken(descriptor: int) -> bool:
    if fcntl is None:
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
