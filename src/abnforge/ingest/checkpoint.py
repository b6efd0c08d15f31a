"""The state of a job on disk. Every write goes through :class:`Disk`, so that tests can make it fail."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abnforge._lazy import lazy
from abnforge.ingest.job import Job
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.storage import RemoteOutput
from abnforge.outputs import Output, place, sync_folder

with lazy:
    import msvcrt

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 1
SUFFIX = ".abnforge-job"
JOURNAL = "journal.jsonl"
OUTPUTS = "outputs.json"
PATIENCE = 1.0
"""Seconds: a job that is killed just when it starts a process leaves it the lock until that has begun."""

Names = list[list[str]]  # for each output: its path on this machine, and the path or URI that the user gave


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

    def upload(self, finished: Path, output: RemoteOutput, ending: str) -> None:
        """Upload a finished file, and remove it here."""
        self.step("upload", finished)
        output.upload(finished, ending)
        self.remove(finished)

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


class Journal:
    """The journal of a job that runs: lines are appended, each on disk before the next."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self.path = path
        self._file: File | None = None

    def begin(self, identity: Mapping[str, Any]) -> None:
        """A new one."""
        self._file = self._disk.create(self.path)
        self.add({"journal": VERSION, "job": identity})
        self._disk.sync_folder(self.path.parent)

    def recall(self, identity: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the last line of an old one says, with which this one goes on; None if there is no old one.

        Raises ConflictError where it is of another job.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        lines = data.splitlines(keepends=True)
        told: list[Any] = []
        size = 0
        for line in lines:
            try:
                told.append(json.loads(line) if line.endswith(b"\n") else None)
            except ValueError:
                told.append(None)
            if told[-1] is None:
                told.pop()
                break
            size += len(line)
        if not told:
            return None  # it died before it had begun
        head = told[0]
        if head.get("journal") != VERSION:
            raise ConflictError(message("journal-version", path=str(self.path), parameter="resume"))
        changes = tuple(differences(head["job"], json.loads(json.dumps(identity))))
        if changes:
            raise ConflictError(message("job-changed", changes=changes, parameter="resume"))
        self._file = self._disk.reopen(self.path)
        self._file.cut(size)
        found: dict[str, Any] = told[-1] if len(told) > 1 else {}
        return found

    def add(self, line: Mapping[str, Any]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._file.sync()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def differences(old: Any, new: Any, name: str = "") -> list[str]:
    """What is not the same in two values of JSON, in words; names lead there."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in {**old, **new}:
            found += differences(old.get(key), new.get(key), f"{name} {key}".strip())
        return found
    if old == new:
        return []
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [each for a, b in zip(old, new, strict=True) for each in differences(a, b, name)]
    return [f"{name} was {_shown(old)}, not {_shown(new)}"]


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 30 else f"{text[:27]}..."


class WorkDir:
    """The working folder of one output, locked for as long as this process lives or until it is removed.

    Only its owner can read it: the output may be private, too.
    """

    lasts = True  # until the job is done; it can be resumed

    def __init__(self, output: Path, disk: Disk, remote: RemoteOutput | None = None) -> None:
        self.output = output
        self.remote = remote
        self.shown = str(output) if remote is None else remote.uri
        self.folder = output.with_name(f".{output.name}{SUFFIX}")
        self._disk = disk
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
            if self.remote is not None:
                self.folder.parent.mkdir(0o700, parents=True, exist_ok=True)
            self._disk.folder(self.folder, 0o700)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            except FileNotFoundError:
                continue
            if not _taken(descriptor):
                os.close(descriptor)
                if time.monotonic() < end:
                    time.sleep(PATIENCE / 10)
                    continue
                raise ConflictError(message("output-locked", path=self.shown))
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

    def claim(self, outputs: Names) -> None:
        """Note which outputs the job in this folder writes; the first one's folder has its journal."""
        self._disk.write_whole(self.path(OUTPUTS), json.dumps(outputs).encode())

    def claimed(self) -> Names | None:
        """Return the outputs of the job whose state is in this folder; None if there is none."""
        try:
            found: Names = json.loads(self.path(OUTPUTS).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return found

    def refuse_other(self, outputs: Names) -> None:
        """Raise ConflictError if the folder has the state of an interrupted job that writes other outputs:
        without it that job could not be resumed.
        """
        other = self.claimed()
        if other is None or other == outputs:
            return
        first = WorkDir(Path(other[0][0]), self._disk)
        if first.path(JOURNAL).exists() and first.claimed() == other:
            raise ConflictError(
                message(
                    "output-claimed",
                    path=self.shown,
                    outputs=tuple(shown for _, shown in other),
                    directory=str(first.folder),
                )
            )


class Scratch(WorkDir):
    """The working folder of a job that writes no file. It goes when the job ends, however that is."""

    lasts = False

    def __init__(self, disk: Disk) -> None:
        super().__init__(Path(tempfile.gettempdir(), f"abnforge-{os.urandom(8).hex()}"), disk)

    def unlock(self) -> None:
        if self._lock is not None:
            self._disk.remove_folder(self.folder)
        super().unlock()


class Nested(WorkDir):
    """The working folder of a device or pipe, within that of another output, which has the lock."""

    def __init__(self, output: Path, disk: Disk, outer: WorkDir, number: int) -> None:
        super().__init__(output, disk)
        self.folder = outer.path(f"through-{number}")

    def lock(self) -> None:
        """The outer folder is locked."""

    def clear(self) -> None:
        self._disk.folder(self.folder)
        super().clear()


def works_of(outputs: Sequence[Output], disk: Disk) -> tuple[list[WorkDir], list[WorkDir]]:
    """Return the working folder of each output, and all of them in locking order; the first has the journal.
    Only a regular file has a directory for it.
    """
    files = {
        each.key: WorkDir(each.file, disk, each if isinstance(each, RemoteOutput) else None)
        for each in outputs
        if each.file is not None
    }
    outer = next(iter(files.values()), None) or Scratch(disk)
    found = [files.get(each.key) or Nested(each.path, disk, outer, at) for at, each in enumerate(outputs)]
    nested = [work for work in found if isinstance(work, Nested)]
    return found, [*(files.values() or [outer]), *nested]


def lock_all(works: Sequence[WorkDir]) -> None:
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


def begin_all(works: Sequence[WorkDir]) -> None:
    """Empty the folders of all outputs of a job, for a new job."""
    names = outputs_of(works)
    for work in works:
        work.clear()
        work.claim(names)


def outputs_of(works: Sequence[WorkDir]) -> Names:
    """Return the paths that identify a job in each of its folders, each with the name that users know."""
    return [[str(work.output), work.shown] for work in works]


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
