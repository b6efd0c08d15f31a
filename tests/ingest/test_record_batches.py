"""Record batches as a source: datasets, readers, tables and generators."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from abnforge.ingest import JobError, Progress, split
from abnforge.ingest.sources import arrow
from tests.ingest.jobs import lines_of, table
from tests.raising import raises

pytest.importorskip("numpy")

RULES = {"url": "rfc3986:URI"}


def _dataset(rows: pa.Table) -> Any:
    for number in range(2):
        half = len(rows) // 2
        pq.write_table(rows.slice(number * half, half), f"{number}.parquet")
    return ds.dataset(["0.parquet", "1.parquet"])


def _generator(rows: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from rows.to_batches(max_chunksize=5)


SOURCES: dict[str, Callable[[pa.Table], Any]] = {
    "dataset": _dataset,
    "generator": _generator,
    "list": lambda rows: [rows.slice(0, 24), rows.slice(24)],
    "reader": lambda rows: rows.to_reader(max_chunksize=7),
    "table": lambda rows: rows,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("good", ["good.parquet", "good.arrow", "good.arrows"])
def test_the_same_rows_as_from_a_file(kind: str, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "MOST_ROWS", 11)
    rows = table(4)
    pq.write_table(rows, "rows.parquet")
    here = split("rows.parquet", RULES, "wanted.parquet", "wanted.jsonl", id="id")
    calls: list[Progress] = []
    summary = split(SOURCES[kind](rows), RULES, good, "bad.jsonl", id="id", progress=calls.append)
    assert (summary.rows, summary.rejected) == (here.rows, here.rejected)
    opened = {"good.parquet": pq.read_table, "good.arrow": _file, "good.arrows": _stream}[good](good)
    assert opened.equals(pq.read_table("wanted.parquet"))
    without = [{name: row[name] for name in row if name != "_source"} for row in lines_of(Path("bad.jsonl"))]
    expected = [
        {name: row[name] for name in row if name != "_source"} for row in lines_of(Path("wanted.jsonl"))
    ]
    assert without == expected
    assert {call.total_bytes for call in calls} == {None}
    assert summary.as_dict()["sources"][0]["source"] == "<batches 0>"


def _file(path: str) -> pa.Table:
    return pa.ipc.open_file(path).read_all()


def _stream(path: str) -> pa.Table:
    return pa.ipc.open_stream(path).read_all()


def test_frames_of_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"url": ["a:", "a b", None]})
    assert split(frame, RULES, "good.parquet", "bad.parquet").rejected == 1
    assert polars.read_parquet("good.parquet")["url"].to_list() == ["a:", None]
    with raises(TypeError, "arrow-query", name="sources", type="LazyFrame"):
        split(frame.lazy(), RULES, on_error="drop")


def test_sources_that_are_none() -> None:
    for source in (1, iter(()), [None], iter([1])):
        with raises(TypeError, "argument-type", name="sources"):
            split(source, RULES, on_error="drop")
    with raises(JobError, "batches-once", parameter="resume"):
        split(table(), RULES, on_error="drop", resume=True)
    with raises(JobError, "formats-mixed"):
        Path("in.csv").write_text("url\na:\n")
        split(["in.csv", table()], RULES, on_error="drop")
    with raises(JobError, "format-of-accepted"):
        split(table(), RULES, "good.txt", on_error="drop")
    assert os.listdir() == ["in.csv"]
