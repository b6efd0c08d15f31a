"""Bytes of sources, such as standard input, which cannot be read twice."""

from __future__ import annotations

import bz2
import gzip
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import ConflictError, JobError
from abnforge.ingest.batch import Position
from abnforge.ingest.job import Job
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources import text as texts
from abnforge.ingest.sources.discovery import discover
from tests.ingest.jobs import done, job, outputs, stop_after, table
from tests.raising import raises


class Stdin:
    """Standard input that returns its bytes a few at a time."""

    def __init__(self, octets: bytes) -> None:
        self.buffer = self
        self._left = io.BytesIO(octets)

    def read(self, size: int) -> bytes:
        return self._left.read(min(size, 1_000))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "lines"])
def test_standard_input_is_given_again_to_go_on(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", 700)
    row = {"csv": "{}\n", "jsonl": '{{"url":"{}"}}\n', "lines": "{}\n"}[kind]
    rows = [row.format(f"a:{at}" if at % 3 else "a b") for at in range(1_200)]
    octets = ("url\n" * (kind == "csv") + "".join(rows)).encode()

    def given(octets: bytes) -> Job:
        monkeypatch.setattr("sys.stdin", Stdin(octets))
        ending = "txt" if kind == "lines" else kind
        return job(tmp_path, "-", input_format=kind, valid=tmp_path / f"good.{ending}")

    done(task := given(octets))
    expected = outputs(task)
    for path in task.outputs:
        path.unlink()
    assert run(given(octets), stop=stop_after(4)).status == "stopped"
    with raises(ConflictError, "stdin-changed", parameter="resume"):
        run(replace(given(octets.replace(b"a:1", b"a:0", 1)), resume=True))
    with raises(ConflictError, "stdin-changed", parameter="resume"):
        run(replace(given(octets[:900]), resume=True))
    result = run(replace(given(octets), resume=True))
    assert (result.resumed, outputs(task)) == (True, expected)


def arrow_octets(rows: pa.Table, new: Any, at_once: int = 7) -> bytes:
    buffer = pa.BufferOutputStream()
    with new(buffer, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=at_once)
    octets: bytes = buffer.getvalue().to_pybytes()
    return octets


@pytest.mark.parametrize("least", [5, 20, 60])  # of 120 rows: a job stops between parts
def test_a_stream_of_arrow_on_standard_input(
    tmp_path: Path, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "LEAST_ROWS", least)
    monkeypatch.setattr(tables, "MOST_ROWS", least)
    octets = arrow_octets(table(10), pa.ipc.new_stream)

    def given(octets: bytes) -> Job:
        monkeypatch.setattr("sys.stdin", Stdin(octets))
        return job(tmp_path, "-", input_format="arrow", valid=tmp_path / "good.arrows")

    task = given(octets)
    assert done(task).counts.rows == 120
    expected = outputs(task)
    for path in task.outputs:
        path.unlink()
    assert run(given(octets), stop=stop_after(1)).status == "stopped"
    other = arrow_octets(table(10).take(list(range(119, -1, -1))), pa.ipc.new_stream)
    few = arrow_octets(table(10).slice(0, 3), pa.ipc.new_stream)
    for changed in (other, few):
        with raises(ConflictError, "stdin-changed", parameter="resume"):
            run(replace(given(changed), resume=True))
    assert run(replace(given(octets), resume=True)).status == "finished"
    assert outputs(task) == expected


def test_what_is_read_from_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(table(), tmp_path / "x.parquet")
    for kind, octets, name in (
        ("parquet", (tmp_path / "x.parquet").read_bytes(), "Parquet"),
        ("arrow", arrow_octets(table(), pa.ipc.new_file), "random-access Arrow"),
    ):
        monkeypatch.setattr("sys.stdin", Stdin(octets))
        with raises(JobError, "stdin-not-seekable", format=name):
            run(job(tmp_path, "-", input_format=kind, valid=tmp_path / f"good.{kind}"))
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


@pytest.mark.parametrize("packed", ["gzip", "bz2", "zstd"])
def test_bytes_that_are_compressed(tmp_path: Path, packed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = {"gzip": gzip.compress, "bz2": bz2.compress}
    octets = b"url\na:b\n"
    data = pack[packed](octets) if packed in pack else pa.compress(octets, "zstd", asbytes=True)
    monkeypatch.setattr("sys.stdin", Stdin(data))
    with raises(JobError, "source-compressed", source="<stdin>"):
        run(job(tmp_path, "-", input_format="csv", valid=tmp_path / "good.csv"))
    (tmp_path / "rows.csv").write_bytes(data)
    with raises(JobError, "source-compressed-unnamed"):
        run(job(tmp_path, tmp_path / "rows.csv"))


def test_large_rows_are_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parquet is also read in batches of the requested size, before and after resuming."""
    monkeypatch.setattr(tables, "MOST_OCTETS", 1 << 16)
    monkeypatch.setattr(texts, "BLOCK", 1 << 16)  # a job stops after half of the rows
    rows = table(20).append_column("large", pa.array(["x" * 10_000] * len(table(20))))
    pq.write_table(rows, path := tmp_path / "rows.parquet")
    task = job(tmp_path, path)
    batches = list(tables.TableReader(discover(task.sources, None), None).batches(Position()))
    assert max(batch.octets for batch in batches) <= 3 << 16
    assert sum(batch.rows for batch in batches) == len(rows)
    done(task)
    expected = outputs(task)
    assert run(task, stop=stop_after(3)).status == "stopped"
    assert run(replace(task, resume=True)).resumed
    assert outputs(task) == expected


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize(
    "octets", [b"", b"\xf3" * 100, b"ARROW1\0\0" + b"\xf3" * 100], ids=["none", "some", "begun"]
)
def test_bytes_that_are_no_table(tmp_path: Path, kind: str, octets: bytes) -> None:
    path = tmp_path / f"rows.{kind}"
    path.write_bytes(octets)
    with raises(JobError, "source-unreadable"):
        run(job(tmp_path, path))
