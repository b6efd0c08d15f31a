"""What of a job is complete: a line of JSON for each step, the first of them for what the job is.

A line counts once it is there with its end; half of one, at the end of the file, is what a process wrote
when it died, and is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abnforge.ingest.failures import ConflictError
from abnforge.ingest.files import Disk, File
from abnforge.ingest.messages import message

VERSION = 1


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
