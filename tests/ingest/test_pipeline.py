"""Jobs: their outputs, and no lost or repeated rows after an interruption."""

from __future__ import annotations

import errno
import weakref
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from abnforge.ingest import Column, ConflictError, JobError, checkpoint
from abnforge.ingest.checkpoint import WorkDir
from abnforge.ingest.events import JobEvents
from abnforge.ingest.job import VERSIONS, Job
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from tests.ingest.jobs import (
    PORT,
    URI,
    URLS,
    DyingDisk,
    Killed,
    done,
    files_in,
    job,
    lines_of,
    outputs,
    small_parts,
    source,
    stop_after,
    told,
    wrong,
)
from tests.law import one_in
from tests.raising import raises

pytest.importorskip("numpy")

TIMES = 12
KINDS = ["parquet", "arrow", "csv", "csv.gz", "jsonl", "jsonl.zst"]
REJECTS = ["jsonl", "parquet", "csv.bz2"]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_parted(tmp_path: Path, kind: str) -> None:
    task = job(tmp_path, source(tmp_path, kind), id="id")
    before = files_in(tmp_path)
    result = done(task)
    assert task.rejects is not None
    bad = wrong(URLS * TIMES)
    if kind.startswith("csv"):
        assert [row for row, _ in told(task.rejects)] == bad
    assert [row for row, _ in told(task.rejects)] == bad
    assert {code for _, reasons in told(task.rejects) for column, code in reasons if column == "url"}
    assert [int(row["_source"]["id"]) for row in lines_of(task.rejects)] == bad
    assert result.counts.rows == len(URLS) * TIMES
    assert files_in(tmp_path) - before == {task.valid.name, "rejected.jsonl"}


@pytest.mark.parametrize("samples", [0, 2])
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_dropped_rows_are_counted_and_a_few_are_reported(tmp_path: Path, kind: str, samples: int) -> None:
    path = source(tmp_path, kind)
    columns = [Column("url", URI), Column("port", PORT)]
    message = done(job(tmp_path, path, columns=columns))
    octets = (tmp_path / f"accepted.{kind}").read_bytes()
    result = done(job(tmp_path, path, columns=columns, on_error="drop", samples=samples))
    assert (tmp_path / f"accepted.{kind}").read_bytes() == octets
    assert result.counts.rejected == message.counts.rejected
    for column in ("url", "port"):
        codes = result.counts.by_column[column]
        assert sum(codes.values()) == sum(message.counts.by_column[column].values())
        assert codes["not-explained"] > samples
        assert (column in result.counts.samples) is (samples > 0)


@pytest.mark.parametrize(("kind", "rejects"), one_in(4, product(KINDS, REJECTS)))
def test_stopped_and_resumed_after_each_part(tmp_path: Path, kind: str, rejects: str) -> None:
    path = source(tmp_path, kind, 2 * TIMES)
    task = job(tmp_path, path, rejects=tmp_path / f"rejected.{rejects}", id="id")
    expected = done(task)
    octets = outputs(task)
    for path in task.outputs:
        path.unlink()
    stops = 0
    while (result := run(replace(task, resume=True), stop=stop_after(2))).status == "stopped":
        stops += 1
        assert not task.valid.exists()
    assert stops >= 3
    assert result.resumed
    assert outputs(task) == octets
    assert result.counts == expected.counts
    assert files_in(tmp_path) == {path.name for path in [Path(task.sources[0]), *task.outputs]}


@pytest.mark.parametrize("stride", [19, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "rejects", "jobs"),
    [
        ("parquet", "parquet", 1),
        ("parquet", "parquet", 2),
        ("parquet", None, 2),
        ("csv.gz", "jsonl", 1),
        ("jsonl", "csv", 1),
    ],
)
def test_killed_at_each_step(tmp_path: Path, kind: str, rejects: str | None, jobs: int, stride: int) -> None:
    """The process is killed at each write, fsync, rename and removal. Writes are split into several.

    With two threads, outputs are written while other parts are read.
    """
    options: dict[str, Any] = {"on_error": "drop"}
    if rejects is not None:
        options = {"rejects": tmp_path / f"rejected.{rejects}"}
    task = job(tmp_path, source(tmp_path, kind, 8), **options)
    done(task)
    octets = outputs(task)
    task = replace(task, jobs=jobs)
    for path in task.outputs:
        path.unlink()
    step = 0
    while True:
        step += stride
        disk = DyingDisk(step, lambda path: Killed(), at_once=700)
        try:
            run(task, disk=disk)
            break
        except Killed:
            pass
        result = run(replace(task, resume=True))
        assert result.status == "finished"
        assert outputs(task) == octets, (step, disk.steps[-1])
        assert files_in(tmp_path) == {path.name for path in [Path(task.sources[0]), *task.outputs]}
        for path in task.outputs:
            path.unlink()
    assert step > 50


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Each run is killed one step later than the run before."""
    task = job(tmp_path, source(tmp_path, "parquet"), resume=True)
    done(task)
    octets = outputs(task)
    for path in task.outputs:
        path.unlink()
    for attempt in range(3, 200):
        try:
            result = run(task, disk=DyingDisk(attempt, lambda path: Killed()))
            break
        except Killed:
            pass
    assert attempt > 10
    assert result.resumed
    assert outputs(task) == octets


@pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "number", "jobs"),
    [
        ("parquet", errno.ENOSPC, 1),
        ("parquet", errno.ENOSPC, 2),
        ("csv", errno.ENOSPC, 1),
        ("csv", errno.EIO, 1),
        ("jsonl", errno.EROFS, 1),
    ],
)
def test_a_disk_that_fails(tmp_path: Path, kind: str, number: int, jobs: int, stride: int) -> None:
    task = job(tmp_path, source(tmp_path, kind, 6), jobs=jobs, on_error="reject" if jobs == 1 else "drop")
    done(task)
    octets = outputs(task)
    for path in task.outputs:
        path.unlink()
    step = 0
    while True:
        step += stride
        try:
            run(task, disk=DyingDisk(step, lambda path: OSError(number, "no", str(path))))
            break
        except OSError as failed:
            error = failed
        assert (error.errno, error.filename is None) == (number, False)
        assert run(replace(task, resume=True)).status == "finished"
        assert outputs(task) == octets
        for path in task.outputs:
            path.unlink()


def test_resuming_what_is_done_changes_nothing(tmp_path: Path) -> None:
    task = job(tmp_path, source(tmp_path, "jsonl"))
    first = done(task)
    octets, times = outputs(task), [path.stat().st_mtime_ns for path in task.outputs]
    assert run(replace(task, resume=True)).counts == first.counts
    assert (outputs(task), [path.stat().st_mtime_ns for path in task.outputs]) == (octets, times)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"nulls": "reject"}, "option nulls was"),
    ({"columns": [Column("url", PORT)]}, 'column url rule was "URI", not "port"'),
    ({"columns": [Column("url", URI), Column("port", PORT)]}, "column port"),
    ({"id": "id"}, "option id was null"),
    ({"suggest": True}, "option suggest was false"),
    ({"samples": 9}, "option sample-rejects"),
]


@pytest.mark.parametrize(("change", "code"), CHANGES)
def test_another_job_does_not_go_on(tmp_path: Path, change: dict[str, Any], code: str) -> None:
    task = job(tmp_path, source(tmp_path, "parquet"))
    assert run(task, stop=stop_after(1)).status == "stopped"
    with raises(ConflictError, "job-changed") as caught:
        run(replace(task, resume=True, **change))
    assert any(each.startswith(code) for each in caught.value.changes)
    assert run(replace(task, resume=True)).status == "finished"


class Notes(JobEvents):
    """The codes of the notes of a job."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def note(self, message: Any) -> None:
        self.codes.append(message.code)


@pytest.mark.parametrize("change", ["source", "state", "version"])
def test_a_changed_source_or_version_starts_from_the_beginning(
    tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retry of a scheduler can use the checkpoint as little as any other job, and must not fail forever."""
    path = source(tmp_path, "csv")
    task = job(tmp_path, path, resume=True)
    assert run(task, stop=stop_after(2)).status == "stopped"
    if change == "source":
        path.write_bytes(path.read_bytes() + b"1,a:b,,\n")
    elif change == "version":
        monkeypatch.setitem(VERSIONS, "abnforge", "0")
    else:
        monkeypatch.setattr(checkpoint, "VERSION", 0)
    if change != "state":
        with raises(ConflictError, "job-changed", parameter="resume"):
            run(replace(task, nulls="reject"))
    notes = Notes()
    result = run(task, notes)
    assert (result.status, result.resumed) == ("finished", False)
    assert result.counts.rows == len(URLS) * TIMES + (change == "source")
    assert notes.codes == ["checkpoint-version" if change == "state" else "job-restarted"]
    assert files_in(tmp_path) == {path.name, *(each.name for each in task.outputs)}


def test_a_source_that_changes_meanwhile(tmp_path: Path) -> None:
    path = source(tmp_path, "csv")
    task = job(tmp_path, path)

    class Meddling(JobEvents):
        def advanced(self, counts: Any, octets: int | None) -> None:
            path.write_bytes(path.read_bytes()[:2_000])

    with raises((ConflictError, JobError), "source-changed", before=3768, after=2000):
        run(task, Meddling())
    assert not task.valid.exists()


def test_two_jobs_on_one_output(tmp_path: Path) -> None:
    path = source(tmp_path, "parquet")
    task = job(tmp_path, path)
    other = job(tmp_path, path, valid=tmp_path / "other.parquet")  # equal rejects
    work = WorkDir(tmp_path / "rejected.jsonl", DyingDisk(0, lambda path: Killed()))
    work.lock()
    for each in (task, other):
        with raises(ConflictError, "output-locked"):
            run(each)
    assert files_in(tmp_path) == {path.name, work.folder.name}
    work.remove()
    done(other)


def test_outputs_are_whole_or_not_there(tmp_path: Path) -> None:
    task = job(tmp_path, source(tmp_path, "parquet"))
    task.valid.write_bytes(b"older")
    run(task, stop=stop_after(2))
    assert task.valid.read_bytes() == b"older"
    done(replace(task, resume=True))
    assert pq.read_table(task.valid).num_rows == len(URLS) * TIMES - len(wrong(URLS * TIMES))


LIMITS: list[tuple[dict[str, Any], str]] = [
    ({"on_error": "drop"}, "finished"),
    ({"on_error": "fail"}, "too-many-rejects"),
    ({"on_error": "drop", "max_rejects": "1"}, "too-many-rejects"),
    ({"on_error": "drop", "max_rejects": "84"}, "finished"),
    ({"on_error": "drop", "max_rejects": "83"}, "too-many-rejects"),
    ({"on_error": "drop", "max_rejects": "58.4%"}, "finished"),
    ({"on_error": "drop", "max_rejects": "58%"}, "too-many-rejects"),
]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(("options", "status"), LIMITS)
def test_how_many_may_be_rejected(tmp_path: Path, kind: str, options: dict[str, Any], status: str) -> None:
    assert len(wrong(URLS * TIMES)) == 84
    path = source(tmp_path, kind)
    task = job(tmp_path, path, **options)
    assert run(task).status == status
    there = {path.name, task.valid.name} if status == "finished" else {path.name}
    assert files_in(tmp_path) == there


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"columns": []}, "parameter-required"),
    ({"columns": [Column("url", URI), Column("url", PORT)]}, "column-repeated"),
    ({"on_error": "drop", "rejects": Path("x.jsonl")}, "parameter-excluded-if"),
    ({"rejects": None}, "parameter-required-unless"),
    ({"rejects": Path("x.txt")}, "format-of-rejects"),
    ({"max_rejects": "many"}, "max-rejects-malformed"),
    ({"max_rejects": "101%"}, "max-rejects-malformed"),
    ({"nulls": "drop"}, "argument-choice"),
]


@pytest.mark.parametrize(("options", "code"), CONTRADICTIONS)
def test_jobs_that_contradict_themselves(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    with raises(JobError, code):
        job(tmp_path, "rows.parquet", **options)


def test_an_output_is_no_source_and_no_other_output(tmp_path: Path) -> None:
    path = source(tmp_path, "parquet")
    tasks: list[Job] = [
        job(tmp_path, path, valid=path),
        job(tmp_path, path, valid=tmp_path / "x.jsonl", rejects=tmp_path / "x.jsonl"),
        job(tmp_path, path, valid=tmp_path),
    ]
    codes: list[str] = []
    for task in tasks:
        with pytest.raises(JobError) as caught:
            run(task)
        codes.append(caught.value.code)
    assert codes == ["source-is-output", "outputs-equal", "output-unusable"]
    assert files_in(tmp_path) == {path.name}


def test_parts_are_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a part is read, the parts already written are not in memory."""
    read: list[Any] = []
    alive: list[int] = []
    plain = tables.TableReader._batch

    def batch(*given: Any) -> Any:
        alive.append(sum(each() is not None for each in read))
        result = plain(*given)
        read.append(weakref.ref(result))
        return result

    monkeypatch.setattr(tables.TableReader, "_batch", batch)
    done(job(tmp_path, source(tmp_path, "parquet")))
    assert len(alive) >= 3
    assert max(alive) == 0
