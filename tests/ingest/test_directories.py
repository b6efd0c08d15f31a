"""Valid rows in several files: partitions, and files of a limited size."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from abnforge.ingest import JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sinks import rows as sinks
from tests.ingest.jobs import DyingDisk, Killed, done, job, small_parts, source, stop_after
from tests.raising import raises

DAYS = ["2026-11-22", None, "a/b =é", "x"]


def rows() -> pa.Table:
    """Return a table with two partition keys and rows in no order of their values."""
    size = 400
    return pa.table(
        {
            "n": pa.array(range(size), pa.int32()),
            "url": ["a b" if at % 7 == 0 else f"a:{at}" for at in range(size)],
            "day": pa.array([DAYS[at * 7 % 11 % 4] for at in range(size)]).dictionary_encode(),
            "k": pa.array([at // 3 % 3 for at in range(size)], pa.int8()),
            "when": pa.array([at % 5 for at in range(size)], pa.timestamp("s")),
        }
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def split(tmp_path: Path, **options: Any) -> Any:
    path = tmp_path / "rows.parquet"
    if not path.exists():
        pq.write_table(rows(), path, row_group_size=90)
    return job(tmp_path, path, **{"valid": tmp_path / "good", "partition_by": ["day", "k"], **options})


def valid_rows(table: pa.Table) -> list[tuple[Any, ...]]:
    found = [(row["n"], row["url"], row["day"], row["k"]) for row in table.to_pylist() if row["url"] != "a b"]
    return sorted(found, key=str)


def test_partitions_hold_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directories have the form of Hive, and the rows of a partition keep their order."""
    small_parts(monkeypatch)
    task = split(tmp_path, max_file_bytes=200)
    done(task)
    table = ds.dataset(task.valid, partitioning="hive").to_table()
    assert valid_rows(table) == valid_rows(rows())
    assert set(os.listdir(task.valid)) == {
        "_SUCCESS",
        "day=2026-11-22",
        "day=__HIVE_DEFAULT_PARTITION__",
        "day=a%2Fb%20%3D%C3%A9",
        "day=x",
    }
    files = sorted((task.valid / "day=x" / "k=1").iterdir())
    assert len(files) > 1
    numbers = [number for path in files for number in pq.ParquetFile(path).read()["n"].to_pylist()]
    assert numbers == sorted(numbers)
    assert pq.ParquetFile(files[0]).schema_arrow.names == ["n", "url", "when"]


@pytest.mark.parametrize("options", [{}, {"partition_by": (), "max_file_bytes": 3_000}], ids=["keys", "size"])
def test_a_job_that_is_killed_resumes(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every step of the disk, the old output or the new one is whole."""
    small_parts(monkeypatch)
    task = split(tmp_path, resume=True, **options)
    done(task)
    expected = contents(task.valid)
    assert len(expected) > 3
    assert run(task, stop=stop_after(1)).status == "stopped"
    steps = DyingDisk(0, lambda path: Killed())
    run(task, disk=steps)
    assert run(task, stop=stop_after(1)).status == "stopped"
    for last in range(1, len(steps.steps), 9):
        with pytest.raises(Killed):
            run(task, disk=DyingDisk(last, lambda path: Killed()))
        done(task)
        assert contents(task.valid) == expected
        assert run(task, stop=stop_after(1)).status == "stopped"
    done(task)
    assert contents(task.valid) == expected


def test_a_file_has_about_the_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file has a header; together they have the rows of one file."""
    small_parts(monkeypatch)
    path = source(tmp_path, "csv", 60)
    done(whole := job(tmp_path, path))
    task = job(tmp_path, path, valid=tmp_path / "good", max_file_bytes=2_000)
    done(task)
    header, *lines = whole.valid.read_bytes().splitlines(True)
    files = sorted(task.valid.glob("part-*.csv"))
    assert len(files) > 3
    assert max(file.stat().st_size for file in files) < 3_500
    parts = [file.read_bytes().splitlines(True) for file in files]
    assert all(part[0] == header for part in parts)
    assert [line for part in parts for line in part[1:]] == lines


def test_another_run_replaces_all_files(tmp_path: Path) -> None:
    done(split(tmp_path))
    done(task := split(tmp_path, partition_by=["k"]))
    assert set(os.listdir(task.valid)) == {"_SUCCESS", "k=0", "k=1", "k=2"}
    (task.valid / "notes.txt").write_text("")
    with raises(JobError, "output-with-objects", object="notes.txt"):
        run(task)


def test_no_valid_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"url": ["a b"], "k": [1]}), tmp_path / "rows.parquet")
    done(task := split(tmp_path, partition_by=["k"]))
    assert pq.ParquetFile(task.valid / "part-000000.parquet").read().num_rows == 0


def test_text_becomes_partitions(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("url,k\na:b,1\na:c,\na b,2\n")
    done(task := job(tmp_path, tmp_path / "rows.csv", valid=tmp_path / "good", partition_by=["k"]))
    assert set(os.listdir(task.valid)) == {"_SUCCESS", "k=1", "k=__HIVE_DEFAULT_PARTITION__"}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"partition_by": ["x"]}, "column-unknown"),
        ({"partition_by": ["n", "url", "day", "k", "when"]}, "partitions-whole"),
        ({"valid": "good.csv"}, "partition-format"),
        ({"valid": "rows.parquet"}, "output-not-directory"),
        ({"valid": "none/good"}, "output-not-directory"),
        ({"valid": None, "on_error": "drop"}, "parameter-required-with"),
        ({"valid": "-", "max_file_bytes": 1}, "directory-of-file"),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    if options.get("valid") not in (None, "-"):
        options["valid"] = tmp_path / options["valid"]
    elif options.get("valid") == "-":
        options["valid"] = Path("-")
    with raises(JobError, code):
        run(split(tmp_path, **options))


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch)
    monkeypatch.setattr(sinks, "MOST_PARTITIONS", 3)
    with raises(JobError, "partitions-many", limit=3):
        run(split(tmp_path, partition_by=["day"]))
    assert os.listdir(tmp_path) == ["rows.parquet"]
    done(split(tmp_path, partition_by=["k"]))
    pq.write_table(pa.table({"url": ["a:b"], "k": ["é" * 50]}), tmp_path / "rows.parquet")
    with raises(JobError, "partition-long", column="k"):
        run(split(tmp_path, partition_by=["k"]))
    pq.write_table(pa.table({"url": ["a:b"], "k": [[1]]}), tmp_path / "rows.parquet")
    with raises(JobError, "partition-type", column="k"):
        run(split(tmp_path, partition_by=["k"]))
