"""The state of a job on disk. Every write goes through :class:`Disk`, so that tests can make it fail."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from abnforge._lazy import lazy
from abnforge.ingest import storage
from abnforge.ingest.job import CHOSEN, Job
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.storage import RemoteOutput
from abnforge.outputs import Output, output_error, place, sync_folder

with lazy:
    import msvcrt

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 1
SUFFIX = ".abnforge-job"
OUTPUTS, JOB, STATE = "outputs.json", "job.json", "state.json"
PATIENCE = 1.0
"""Seconds to wait for a lock: if a job is killed while it starts a process, that process briefly holds it."""

Names = list[list[str]]  # for each output: its path on this machine, and the path or URI that the user gave


class File:
    """An unbuffered file: all written data goes directly to the operating system."""

    def __init__(self, disk: Disk, path: Path, descriptor: int) -> None:
        self._disk = disk
        self.path = path
        self._descriptor = descriptor
        self.closed = False

    def write(self, data: bytes | memoryview) -> int:
        """Write all of ``data``. Raises OSError, with the path, if writing fails."""
        view = memoryview(data).cast("B")
        size = len(view)
        if self.closed:  # no caller is left to handle an error
            return size
        while len(view):
            self._disk.step("write", self.path)
            try:
                view = view[os.write(self._descriptor, view[: self._disk.at_once]) :]
            except OSError as error:
                raise with_path(error, self.path) from None
        return size

    def sync(self) -> None:
        """Make the written data durable."""
        self._disk.step("fsync", self.path)
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise with_path(error, self.path) from None

    def flush(self) -> None:
        """Do nothing: pyarrow calls this method, but nothing is buffered."""

    def close(self) -> None:
        """Close the file; later writes have no effect.

        A failed pyarrow writer writes again when it is garbage collected. By then its descriptor may belong
        to another file, and an error could surface anywhere.
        """
        if not self.closed:
            self.closed = True
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    # pyarrow requires these methods of a file.
    def tell(self) -> int:
        return 0 if self.closed else os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class Disk:
    """The file system. ``step`` is called before each change; tests override it to make changes fail."""

    at_once = 1 << 24  # maximum number of bytes per write

    def step(self, what: str, path: Path) -> None:
        """Do nothing. Tests override this method to intercept a change of the kind ``what`` to ``path``."""

    def create(self, path: Path) -> File:
        """Create a file, or truncate an existing one."""
        self.step("create", path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        try:
            descriptor = os.open(
                path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666
            )
        except OSError as error:
            raise with_path(error, path) from None
        return File(self, path, descriptor)

    def write(self, path: Path, data: bytes | memoryview) -> None:
        """Write a file and make its data durable. Its name is durable after ``sync_folder``."""
        file = self.create(path)
        try:
            file.write(data)
            file.sync()
        finally:
            file.close()

    def replace(self, old: Path, new: Path) -> None:
        """Rename ``old`` to ``new`` in one step."""
        self.step("rename", new)
        try:
            os.replace(old, new)
        except OSError as error:
            raise with_path(error, new) from None
        self.sync_folder(new.parent)

    def publish(self, finished: Path, output: Output) -> None:
        """Rename a finished file to its output, or copy it if the output is a device or pipe."""
        self.step("rename", output.path)
        place(finished, output)

    def upload(self, finished: Path, output: RemoteOutput, name: str) -> None:
        """Upload a finished file and remove the local copy."""
        self.step("upload", finished)
        output.stage(finished, name)
        self.remove(finished)

    def publish_remote(self, output: RemoteOutput, job: str, names: Sequence[str]) -> None:
        """Publish the uploaded files as the output."""
        self.step("publish", output.path)
        output.publish(job, names)

    def sync_folder(self, folder: Path) -> None:
        """Make changes of the names in a directory durable."""
        self.step("fsync", folder)
        sync_folder(folder)

    def folder(self, path: Path, mode: int = 0o777) -> None:
        """Create a directory unless it exists."""
        self.step("mkdir", path)
        try:
            path.mkdir(mode, exist_ok=True)
        except OSError as error:
            raise with_path(error, path) from None

    def remove(self, path: Path) -> None:
        """Remove a file if it exists."""
        self.step("unlink", path)
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        """Remove a directory and its contents if it exists."""
        self.step("unlink", path)
        shutil.rmtree(path, ignore_errors=True)

    def write_whole(self, path: Path, data: bytes) -> None:
        """Write a file in one step: readers see the old contents or the new ones."""
        beside = path.with_name(path.name + ".new")
        self.write(beside, data)
        self.replace(beside, path)


def with_path(error: OSError, path: Path) -> OSError:
    """Return the error with the path, which errors of calls on file descriptors lack."""
    return OSError(error.errno, error.strerror or str(error), str(path))


def differences(old: Any, new: Any, name: str = "") -> list[str]:
    """Describe the differences between two JSON values, each with the keys that lead to it."""
    if isinstance(old, dict) and isinstance(new, dict):
        changes = []
        for key in {**old, **new}:
            changes += differences(old.get(key), new.get(key), f"{name} {key}".strip())
        return changes
    if old == new:
        return []
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [each for a, b in zip(old, new, strict=True) for each in differences(a, b, name)]
    return [f"{name} was {_shown(old)}, not {_shown(new)}"]


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 30 else f"{text[:27]}..."


class WorkDir:
    """The working directory of one output, locked while this process lives or until the directory is removed.

    Only its owner can read it, because the output may be private.
    """

    is_stream = False  # the output is a device or pipe
    lasts = True  # the directory is kept until the job is complete, so that the job can be resumed

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
        """Create the directory if necessary, and lock it.

        Raises ConflictError if another process holds the lock. A process that finishes removes the directory
        with its lock file. A lock on a removed file has no effect, so the lock is acquired again.
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

    def release(self) -> None:
        """Unlock the directory, and remove it if it is otherwise empty."""
        if self._lock is not None and {path.name for path in self.folder.iterdir()} <= {"lock"}:
            self.remove()
        self.unlock()

    def unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def clear(self) -> None:
        """Remove everything except the lock."""
        if self.remote is not None:
            self.remote.discard()
        for path in sorted(self.folder.iterdir()):
            if path.name == "lock":
                continue
            if path.is_dir():
                self._disk.remove_folder(path)
            else:
                self._disk.remove(path)

    def remove(self) -> None:
        """Remove the directory and the lock."""
        self._disk.remove_folder(self.folder)
        self.unlock()

    def save(self, name: str, value: Any) -> None:
        """Replace a JSON file in the directory."""
        self._disk.write_whole(self.path(name), json.dumps(value, separators=(",", ":")).encode())

    def load(self, name: str) -> Any:
        """Return the value of a JSON file in the directory; None if it is missing or incomplete."""
        try:
            return json.loads(self.path(name).read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def require_same_outputs(self, outputs: Names) -> None:
        """Raise ConflictError if the directory has the state of an interrupted job with other outputs.

        Without that state, the other job could not be resumed.
        """
        other: Names | None = self.load(OUTPUTS)
        if other is None or other == outputs:
            return
        first = WorkDir(Path(other[0][0]), self._disk)
        if first.path(STATE).exists() and first.load(OUTPUTS) == other:
            raise ConflictError(
                message(
                    "output-claimed",
                    path=self.shown,
                    outputs=tuple(shown for _, shown in other),
                    directory=str(first.folder),
                )
            )


class Scratch(WorkDir):
    """The working directory of a job that writes no file; it is removed however the job ends."""

    lasts = False

    def __init__(self, disk: Disk) -> None:
        super().__init__(Path(tempfile.gettempdir(), f"abnforge-{os.urandom(8).hex()}"), disk)

    def unlock(self) -> None:
        if self._lock is not None:
            self._disk.remove_folder(self.folder)
        super().unlock()


class Nested(WorkDir):
    """The working directory of a device or pipe, within the locked directory of another output."""

    is_stream = True

    def __init__(self, output: Path, disk: Disk, outer: WorkDir, number: int) -> None:
        super().__init__(output, disk)
        self.folder = outer.path(f"through-{number}")

    def lock(self) -> None:
        """Do nothing: the outer directory is locked."""

    def clear(self) -> None:
        self._disk.folder(self.folder)
        super().clear()


def work_dirs(outputs: Sequence[Output], disk: Disk) -> tuple[list[WorkDir], list[WorkDir]]:
    """Return the working directory of each output, and all directories in locking order.

    The first directory has the state of the job. A device or pipe has no directory of its own.
    """
    files = {
        each.key: WorkDir(each.file, disk, each if isinstance(each, RemoteOutput) else None)
        for each in outputs
        if each.file is not None
    }
    outer = next(iter(files.values()), None) or Scratch(disk)
    works = [files.get(each.key) or Nested(each.path, disk, outer, at) for at, each in enumerate(outputs)]
    nested = [work for work in works if isinstance(work, Nested)]
    return works, [*(files.values() or [outer]), *nested]


def lock_all(works: Sequence[WorkDir]) -> None:
    """Lock the directories of all outputs. On ConflictError or OSError, unlock all of them."""
    names = outputs_of(works)
    try:
        for work in works:
            work.lock()
        for work in works:
            work.require_same_outputs(names)
    except (ConflictError, OSError):
        for work in works:
            work.release()
        raise


def begin_all(works: Sequence[WorkDir], identity: Mapping[str, Any]) -> None:
    """Empty the directories of all outputs for a new job."""
    for work in works:
        work.clear()
        work.save(OUTPUTS, outputs_of(works))
    works[0].save(JOB, {"version": VERSION, "job": identity})


def saved_state(
    works: Sequence[WorkDir], identity: Mapping[str, Any], note: Callable[[str], None]
) -> dict[str, Any] | None:
    """Return the last checkpoint of a job; None, with a note, if a source or a version has changed since.

    Then no job can use the checkpoint. Raises ConflictError for a job with other options or columns.
    """
    job, state = works[0].load(JOB), works[0].load(STATE)
    if job is None or state is None:
        return None
    if job["version"] != VERSION:
        note(message("checkpoint-version", path=str(works[0].path(JOB))))
        return None
    before, now = job["job"], json.loads(json.dumps(identity))
    if changes := tuple(differences(before, now)):
        if any(before[key] != now[key] for key in CHOSEN):
            raise ConflictError(message("job-changed", changes=changes, parameter="resume"))
        note(message("job-restarted", changes=changes))
        return None
    loaded: dict[str, Any] = state
    return loaded


def outputs_of(works: Sequence[WorkDir]) -> Names:
    """Return the output paths that identify a job, each with the path or URI that the user gave."""
    return [[str(work.output), work.shown] for work in works]


def named_output(error: OSError, works: Sequence[WorkDir]) -> OSError:
    """Return an error about a working file, or about publishing, as one that names the output.

    The files of remote outputs and streams can be on another disk than their output; their errors keep them.
    """
    path = Path(error.filename or "")
    for work in works:
        is_beside = work.lasts and not storage.is_uri(work.shown) and work.folder in (path, *path.parents)
        if (is_beside or str(path) == work.shown) and error.errno is not None:
            problem = message("output-unusable", path=work.shown, reason=error.strerror)
            return output_error(error.errno, problem, Path(work.shown))
    return error


# Errors about rows and sources, which occur again when the job is resumed.
_FINAL = {
    "dictionary-full",
    "key-new",
    "partition-long",
    "partitions-many",
    "rejects-column-changed",
    "rejects-column-repeated",
    "rejects-column-unknown",
    "rejects-lack",
    "rejects-row-malformed",
    "source-changed",
}


def is_final(error: BaseException, has_state: bool, resume: bool) -> bool:
    """Return whether the state of a job is useless after an error.

    The state would reserve the outputs. If the reader of a pipe ends, the user probably needs only the first
    rows.
    """
    if not isinstance(error, Exception):
        return False
    if isinstance(error, BrokenPipeError):
        return not resume
    return not has_state or (isinstance(error, JobError) and error.code in _FINAL)


def can_resume(job: Job) -> bool:
    """Return whether an interrupted job writes the same outputs."""
    try:
        _, works = work_dirs(job.check_outputs([]), Disk())
    except JobError:
        return False
    return works[0].lasts and works[0].path(STATE).exists()


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
