"""Checkpoints of jobs: their owner, their cost, and their counts."""

from __future__ import annotations

import errno
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from abnforge.ingest import Column, ConflictError, JobError
from abnforge.ingest.messages import message
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources import text as texts
from abnforge.outputs import OutputError
from tests.ingest.jobs import (
    PORT,
    URLS,
    DyingDisk,
    Killed,
    done,
    files_in,
    job,
    outputs,
    small_parts,
    source,
    stop_after,
)
from tests.raising import raises

pytest.importorskip("numpy")

TIMES = 12


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("shared", ["valid", "rejects"])
def test_a_job_does_not_take_the_state_of_another(tmp_path: Path, shared: str, resume: bool) -> None:
    """If two jobs have the same output, the second fails until the first is complete or discarded."""
    task = job(tmp_path, source(tmp_path, "parquet"))
    done(task)
    octets = outputs(task)
    for path in task.outputs:
        path.unlink()
    options = {"rejects": tmp_path / "2.jsonl"} if shared == "valid" else {"valid": tmp_path / "2.parquet"}
    other = replace(task, **options, resume=resume)
    assert run(task, stop=stop_after(2)).status == "stopped"
    before = files_in(tmp_path)
    for each in (other, replace(task, rejects=None, on_error="drop", resume=resume)):
        with raises(ConflictError, "output-claimed"):
            run(each)
        assert files_in(tmp_path) == before
    assert run(replace(task, resume=True)).resumed
    assert outputs(task) == octets
    done(other)
    assert outputs(other) == octets

    assert run(task, stop=stop_after(2)).status == "stopped"
    shutil.rmtree(tmp_path / ".accepted.parquet.abnforge-job")  # as the message suggests
    done(other)
    assert not run(replace(task, resume=True)).resumed
    assert outputs(task) == octets
    assert not {name for name in files_in(tmp_path) if name.startswith(".")}


# an error after some checkpoints, whether the run resumes a job, and whether its state is kept
ENDS = [
    (OSError(errno.ENOSPC, "full"), False, True),
    (JobError(message("storage-failed", path="s3://b", reason="network")), False, True),
    (JobError(message("source-unreadable", source="a", format="arrow", reason="network")), False, True),
    (KeyboardInterrupt(), False, True),
    (ZeroDivisionError(), False, True),
    (BrokenPipeError(), True, True),
    (BrokenPipeError(), False, False),
    (JobError(message("partitions-many", parameter="partition_by", limit=3)), True, False),
    (JobError(message("key-new", place="a", key="b")), False, False),
    (ConflictError(message("source-changed", path="a", before=1, after=2)), True, False),
]


@pytest.mark.parametrize(("error", "resume", "stays"), ENDS, ids=lambda each: type(each).__name__)
def test_state_that_cannot_be_used_is_removed(
    tmp_path: Path, error: BaseException, resume: bool, stays: bool
) -> None:
    """Else it would reserve the outputs, and each attempt to resume would fail."""
    task = job(tmp_path, source(tmp_path, "csv"), resume=resume)
    after = stop_after(3)

    def fail() -> bool:
        if after():
            raise error
        return False

    with pytest.raises(type(error)):
        run(task, stop=fail)
    other = replace(task, valid=tmp_path / "other.csv")
    if stays:
        with raises(ConflictError, "output-claimed"):
            run(other)
        assert done(replace(task, resume=True)).resumed
    else:
        assert files_in(tmp_path) == {"rows.csv"}
        done(other)


def test_an_error_names_the_output(tmp_path: Path) -> None:
    """Users do not know the files of the working directories."""
    task = job(tmp_path, source(tmp_path, "csv"))
    steps = DyingDisk(0, lambda path: Killed())
    run(task, disk=steps)
    names = {str(path) for path in task.outputs}
    for last in range(1, len(steps.steps), 5):
        with raises(OutputError, "output-unusable") as caught:
            run(task, disk=DyingDisk(last, lambda path: OSError(errno.ENOSPC, "full", str(path))))
        assert caught.value.filename in names
        assert caught.value.errno == errno.ENOSPC


def test_a_job_whose_state_is_incomplete_says_so(tmp_path: Path) -> None:
    task = job(tmp_path, source(tmp_path, "csv"))
    assert run(task, stop=stop_after(2)).status == "stopped"
    shutil.rmtree(tmp_path / ".rejected.jsonl.abnforge-job")
    with raises(ConflictError, "checkpoint-parts-missing", parameter="resume"):
        run(replace(task, resume=True))
    done(task)


@pytest.mark.parametrize("kind", ["parquet", "csv.gz", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_small_sources_share_a_part(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small files are synced in a few groups. Interruptions do not change where a group ends."""
    monkeypatch.setattr(tables, "LEAST_ROWS", 1 << 16)
    monkeypatch.setattr(texts, "BLOCK", 1 << 23)
    monkeypatch.setattr(sys.modules[run.__module__], "MOST_SHARED", 16)
    paths = []
    for number in range(40):
        path = source(tmp_path, kind, 1)
        paths.append(path.rename(tmp_path / f"{number:03d}.{kind}"))
    task = job(tmp_path, *paths, rejects=tmp_path / "rejected.csv.gz")
    disk = DyingDisk(0, lambda path: Killed())
    assert run(task, disk=disk).status == "finished"
    assert disk.steps.count("fsync") <= 30  # syncing each source would take many more
    octets, counts = outputs(task), run(task).counts
    for path in task.outputs:
        path.unlink()
    stops = 0
    while (result := run(replace(task, resume=True), stop=stop_after(2))).status == "stopped":
        stops += 1
    assert stops == 3
    assert outputs(task) == octets
    assert result.counts == counts
    for step in (25, 40):
        for path in task.outputs:
            path.unlink()
        with pytest.raises(Killed):
            run(task, disk=DyingDisk(step, lambda path: Killed()))
        run(replace(task, resume=True))
        assert outputs(task) == octets


def test_the_limit_is_that_of_all_rows(tmp_path: Path) -> None:
    """The limit also applies when a job ends before it has read them."""
    task = job(tmp_path, source(tmp_path, "parquet"), on_error="drop", max_rejects="10%")
    result = run(task)
    assert result.status == "too-many-rejects"
    assert result.counts.rows < len(URLS) * TIMES
    assert result.limit == len(URLS) * TIMES // 10


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_samples_are_distinct(tmp_path: Path, kind: str) -> None:
    """Samples list equal strings only once for each code."""
    counts = done(job(tmp_path, source(tmp_path, kind), columns=[Column("port", PORT)])).counts
    texts = [[each["text"] for each in kept] for kept in counts.samples["port"].values()]
    assert [len(set(each)) for each in texts] == [len(each) for each in texts]
    assert sorted(text for each in texts for text in each) == ["-1", "8x", "x"]
