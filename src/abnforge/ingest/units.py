"""A job in units that other processes do, in any order and more than once: its outputs are folders of files.

A **unit** is a source, or some row groups of a Parquet file. Whoever does it runs the job over that alone, in
a folder of its own, then moves what came out to its place, ``part-000007.parquet``, and last of all writes
what there is to count to ``000007.json``. What comes out depends on the unit alone, and a move is one step.
So a unit that is done again, or by two at once, leaves what it left before; one that died half-way leaves
nothing that counts. Counts are those of files that are there, however often they were made.

When all units are done the folders get their names, by renaming. All processes have to see the sources and
the outputs under the same paths.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from abnforge.catalog import Message
from abnforge.ingest import discovery
from abnforge.ingest.counts import MOST_SOURCES, Counts
from abnforge.ingest.discovery import STDIN, Source
from abnforge.ingest.failures import JobError
from abnforge.ingest.files import Disk
from abnforge.ingest.formats import LINES, PARQUET, TABLES, format_of, format_of_rejects
from abnforge.ingest.job import Job
from abnforge.ingest.journal import Journal
from abnforge.ingest.messages import message
from abnforge.ingest.run import FAILED, FINISHED, STOPPED, TOO_MANY, Listener, Result, reader_for, run
from abnforge.ingest.work import JOURNAL, Work, begin_all, lock_all
from abnforge.outputs import STDOUT

UNIT_ROWS = 1 << 18  # a unit of a Parquet file has at least so many rows, as far as there are
PATIENCE = 90.0  # seconds; NFS keeps what it knows of a folder for up to 60
ERROR = "error"  # a unit's status where it could not be done
DONE = "_SUCCESS"  # what Hadoop's tools, and so Spark, leave in a folder that is complete

_REPLACED = "replaced"  # where an output that was there goes, until the new one has its name
_ENDINGS = {LINES: ".txt", "gzip": ".gz", "bz2": ".bz2", "zstd": ".zst", None: ""}

Cluster = Callable[[bytes, Sequence[int], Callable[[], None]], Sequence[Mapping[str, Any]]]
"""What does units: is given them all as octets, which of them, and what to call now and then, which raises an
exception if they are to be given up. Answers what :func:`do` told of each."""


@dataclass(frozen=True)
class Plan:
    """What who does a unit has to know."""

    job: Job
    units: Sequence[Source]
    folder: str  # that paths start from
    works: Sequence[Path]  # the working folder of each output
    endings: Sequence[str]


def divided(sources: Sequence[Source], kinds: Mapping[str, Any]) -> list[Source]:
    """The units of some sources, in their order; ``kinds`` are the types of what folders' names tell."""
    units = []
    for source in sources:
        source = source._replace(kinds=tuple(kinds.items()))
        if source.format.name != PARQUET:
            units.append(source)
            continue
        metadata = pq.read_metadata(source.path)
        first = behind = 0
        for at in range(metadata.num_row_groups):
            behind += metadata.row_group(at).num_rows
            if behind - first >= UNIT_ROWS:
                units.append(source._replace(rows=(first, behind)))
                first = behind
        if behind > first or not behind:
            units.append(source._replace(rows=(first, behind)) if behind else source)
    return units


# ---- one unit, done by any process ----


@lru_cache(maxsize=4)
def _received(plan: bytes) -> Plan:
    """A plan out of octets: its rules are made once in a process."""
    made: Plan = pickle.loads(plan)
    return made


def do(octets: bytes, number: int) -> dict[str, Any]:
    """Do a unit of a pickled :class:`Plan`, and tell how it ended, or what kept it from being done."""
    plan = _received(octets)
    try:
        with contextlib.chdir(plan.folder):
            return _done(plan, number)
    except JobError as error:
        return {"status": ERROR, "message": str(error), "code": error.code, "data": error.data}
    except OSError as error:
        said = error.strerror or str(error)
        return {
            "status": ERROR,
            "errno": error.errno,
            "message": said,
            "path": error.filename and str(error.filename),
        }


def _done(plan: Plan, number: int) -> dict[str, Any]:
    name = f"attempt-{uuid.uuid4().hex}"
    folders = [work / name for work in plan.works]
    try:
        return _moved(plan, number, folders)
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def _moved(plan: Plan, number: int, folders: Sequence[Path]) -> dict[str, Any]:
    disk = Disk()
    paths = []
    for folder, ending in zip(folders, plan.endings, strict=True):
        disk.folder(folder)
        paths.append(folder / f"part-{number:06d}{ending}")
    job = plan.job
    one = replace(
        job,
        sources=[plan.units[number]],
        accepted=None if job.accepted is None else paths[0],
        rejected=None if job.rejected is None else paths[-1],
        max_rejects=None if job.limit_is_share else job.max_rejects,
        resume=False,
        jobs=1,
    )
    result = run(one)
    counts = result.counts.as_json()
    if result.status == FINISHED:
        for path, work in zip(paths, plan.works, strict=True):
            disk.replace(path, work / "parts" / path.name)
        told = folders[0] / f"{number:06d}.json"
        disk.write_whole(told, json.dumps(counts).encode())
        disk.replace(told, plan.works[0] / "done" / told.name)
    return {"status": result.status, "counts": counts}


# ---- all of them ----


class Distributed:
    """A job in units, as the process sees it that has them done."""

    def __init__(self, job: Job, engine: Mapping[str, Any], note: Callable[[str], None]) -> None:
        if job.replay:
            raise JobError(message("parameter-excluded", parameter="replay", other="engine"))
        self.job = job
        self._disk = disk = Disk()
        self.sources = discovery.discovered(job.sources, job.input_format)
        if any(source.path == STDIN for source in self.sources):
            raise JobError(message("stdin-shared"))
        reader = reader_for(job, self.sources, note)
        reader.check(job.columns)
        self._check_outputs()
        self.units = divided(self.sources, reader.partitions if self._kind in TABLES else {})
        self.octets = reader.octets()
        self.known = {source.shown: discovery.identity(source) for source in self.sources}
        self.identity = job.identity(self.known, reader.described())
        self.identity["option"] |= {"engine": engine["engine"]}
        self.identity["version"] |= engine["version"]
        self.works = [Work(Path(os.path.realpath(path)), disk, 0o777) for path in job.outputs]
        self.journal = Journal(disk, self.works[0].path(JOURNAL))
        self._counted: dict[int, Counts] = {}

    @property
    def _kind(self) -> str:
        return self.sources[0].format.name

    def _check_outputs(self) -> None:
        """Raises JobError for outputs that are no folders of ours, or where sources lie."""
        real = [os.path.realpath(path) for path in self.job.outputs]
        if not real:
            raise JobError(message("output-required", parameter="accepted", other="rejected"))
        if len(set(real)) < len(real):
            raise JobError(
                message("outputs-equal", parameter="accepted", other="rejected", path=str(self.job.accepted))
            )
        for path, whole in zip(self.job.outputs, real, strict=True):
            if str(path) == STDOUT:
                raise JobError(message("stdout-shared"))
            if path.exists() and not path.is_dir():
                raise JobError(message("output-is-file", path=str(path)))
            if path.is_dir() and any(path.iterdir()) and not (path / DONE).exists():
                raise JobError(message("output-with-files", path=str(path)))
            for source in self.sources:
                if os.path.commonpath([whole, os.path.realpath(source.path)]) == whole:
                    raise JobError(message("source-in-output", source=source.path, path=str(path)))

    def plan(self) -> bytes:
        """What goes to those who do units."""
        kind = self._kind
        endings = [] if self.job.accepted is None else [_ENDINGS.get(kind, f".{kind}")]
        if endings and kind not in TABLES:
            endings[0] += _ENDINGS[format_of(str(self.job.accepted), kind).compression]
        if self.job.rejected is not None:
            name, compression = format_of_rejects(str(self.job.rejected))
            endings.append(f".{name}{_ENDINGS[compression]}")
        works = [work.folder for work in self.works]
        return pickle.dumps(Plan(self.job, self.units, os.getcwd(), works, endings))

    def begin(self) -> bool:
        """Take the outputs, and begin or go on; answers whether all units are done."""
        lock_all(self.works)
        told = self.journal.recall(self.identity) if self.job.resume else None
        if told is not None and told.get("ready"):
            return True
        if told is None:
            for work in self.works:
                if work.path(_REPLACED).exists() and not work.output.exists():
                    self._disk.replace(work.path(_REPLACED), work.output)
            begin_all(self.works)
            self.journal.begin(self.identity)
        for work in self.works:
            self._disk.folder(work.path("parts"))
            for path in work.folder.glob("attempt-*"):
                self._disk.remove_folder(path)
        self._disk.folder(self.works[0].path("done"))
        return False

    def left(self) -> list[int]:
        """The units that are still to be done."""
        done = {int(path.stem) for path in self.works[0].path("done").glob("[0-9]*.json")}
        for number in sorted(done - self._counted.keys()):
            path = self.works[0].path("done") / f"{number:06d}.json"
            self._counted[number] = Counts(**json.loads(path.read_bytes()))
        return [number for number in range(len(self.units)) if number not in done]

    def left_at_last(self) -> list[int]:
        """The same when all are said to be done: what other machines wrote may be seen a while later."""
        end = time.monotonic() + PATIENCE
        while (left := self.left()) and time.monotonic() < end:
            time.sleep(0.5)
        return left

    def counts(self) -> Counts:
        """Of all units that are done, in the order of the sources."""
        self.left()
        total = Counts()
        for _, counts in sorted(self._counted.items()):
            add(total, counts, self.job.samples)
        return total

    def too_many(self, counts: Counts) -> bool:
        limit = self.job.limit(counts.rows)
        return limit is not None and counts.rejected > limit

    def publish(self) -> None:
        """Give the folders their names. What was there before goes once the new one can take its place."""
        for work in reversed(self.works):
            parts, old = work.path("parts"), work.path(_REPLACED)
            if not parts.exists():
                continue  # that was done before
            self._disk.write_whole(parts / DONE, b"")
            if work.output.exists():
                self._disk.remove_folder(old)
                self._disk.replace(work.output, old)
            self._disk.replace(parts, work.output)

    def remove(self) -> None:
        for work in reversed(self.works):  # the journal last
            work.remove()

    def close(self) -> None:
        self.journal.close()
        for work in self.works:
            work.unlock()


def add(total: Counts, more: Counts, samples: int) -> None:
    """Add what was counted further on; of samples the first are kept."""
    for name in ("rows", "accepted", "rejected", "octets", "nulls"):
        setattr(total, name, getattr(total, name) + getattr(more, name))
    for column, codes in more.by_column.items():
        of = total.by_column.setdefault(column, {})
        for code, count in codes.items():
            of[code] = of.get(code, 0) + count
    for column, found in more.samples.items():
        for code, shown in found.items():
            kept = total.samples.setdefault(column, {}).setdefault(code, [])
            texts = {each["text"] for each in kept} - {None}
            kept += [each for each in shown if each["text"] not in texts][: samples - len(kept)]
    for source, numbers in more.by_source.items():
        before = total.by_source.get(source, [0, 0])
        if source in total.by_source or len(total.by_source) < MOST_SOURCES:
            total.by_source[source] = [a + b for a, b in zip(before, numbers, strict=True)]


class _StoppedError(Exception):
    """The units are to be given up."""


def run_in_units(
    job: Job,
    cluster: Cluster,
    engine: Mapping[str, Any],
    listener: Listener | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Do a job by a cluster; its outputs are folders. ``engine`` is its name and its versions.

    ``stop`` is asked every now and then; if it says so, units that are done are kept, to be resumed. Raises
    what ``abnforge.ingest.run`` raises.
    """
    told = listener or Listener()
    all_ = Distributed(job, engine, told.note)
    started = time.monotonic()

    def result(status: str, counts: Counts) -> Result:
        seconds = time.monotonic() - started
        limit = job.limit(counts.rows)
        return Result(status, counts, seconds, all_.identity, resumed, limit, job.name, ended=time.time())

    def pause() -> None:
        told.advanced(all_.counts(), all_.octets)
        if stop():
            raise _StoppedError

    resumed = False
    try:
        ready = all_.begin()
        told.begun(lambda: result(FAILED, all_.counts()))
        counts = all_.counts()
        resumed = counts.rows > 0
        if resumed:
            told.resuming(counts.rows)
        if not ready:
            if left := all_.left():
                try:
                    ends = cluster(all_.plan(), left, pause)
                except _StoppedError:
                    return result(STOPPED, all_.counts())
                except JobError:
                    if not all_.counts().rows:  # there is nothing to go on with
                        all_.remove()
                    raise
                for each in ends:
                    _raise_error(each)
                for each in ends:
                    if each["status"] == TOO_MANY:
                        counts = all_.counts()
                        add(counts, Counts(**each["counts"]), job.samples)
                        all_.remove()
                        return result(TOO_MANY, counts)
                if missing := all_.left_at_last():
                    raise JobError(message("units-invisible", count=len(missing)))
            counts = all_.counts()
            if all_.too_many(counts):
                all_.remove()
                return result(TOO_MANY, counts)
            for source in all_.sources:
                discovery.refuse_changed(source, all_.known[source.shown])
            all_.journal.add({"ready": True})
        all_.publish()
        counts = all_.counts()
        ended = result(FINISHED, counts)
        told.publish(ended)
        all_.remove()
        return ended
    finally:
        all_.close()


def _raise_error(told: Mapping[str, Any]) -> None:
    """Raises again what kept a unit from being done."""
    if told["status"] != ERROR:
        return
    if told.get("errno") is None:
        raise JobError(Message(told["message"], told["code"], told["data"]))
    raise OSError(told["errno"], f"{told['message']} (on a worker)", told["path"])
