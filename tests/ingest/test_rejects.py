"""Rejects hold what their columns hold, or are refused before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.ingest import JobError
from tests.ingest.jobs import done, files_in, job, lines_of

TEXTS = pa.array(["a:b", "a:b", "a b", "a b", "c:d"])
RUNS = pc.run_end_encode(TEXTS)
UNION = pa.UnionArray.from_sparse(
    pa.array([0, 1, 0, 1, 0], pa.int8()), [pa.array(range(5)), pa.array(["x", "y", "z", "v", "w"])]
)


def written(folder: Path, columns: dict[str, Any]) -> Path:
    rows = pa.table(columns)
    with pa.ipc.new_file(path := folder / "rows.arrow", rows.schema) as writer:
        writer.write_table(rows)
    return path


@pytest.mark.parametrize("judged", [TEXTS, RUNS], ids=["texts", "runs"])
@pytest.mark.parametrize(
    ("more", "values"),
    [
        (RUNS, ["a b", "a b"]),
        (UNION, [2, "v"]),
        (pa.StructArray.from_arrays([RUNS], ["r"]), [{"r": "a b"}] * 2),
    ],
    ids=["runs", "union", "runs in a struct"],
)
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_types_that_few_formats_have(
    tmp_path: Path, judged: pa.Array, more: pa.Array, values: list[Any], ending: str
) -> None:
    path = written(tmp_path, {"url": judged, "more": more})
    done(task := job(tmp_path, path, rejected=tmp_path / f"rejected.{ending}"))
    accepted = pa.ipc.open_file(task.accepted).read_all()
    assert accepted.schema == pa.schema([("url", judged.type), ("more", more.type)])
    rows = pa.table({"url": judged, "more": more}).to_pylist()
    assert accepted.to_pylist() == [rows[0], rows[1], rows[4]]
    if ending == "jsonl":
        assert task.rejected is not None
        assert [row["more"] for row in lines_of(task.rejected)] == values


@pytest.mark.parametrize(
    "more", [RUNS, UNION, pa.array([{}] * 5, pa.struct([]))], ids=["runs", "union", "empty"]
)
def test_what_parquet_cannot_hold(tmp_path: Path, more: pa.Array) -> None:
    path = written(tmp_path, {"url": TEXTS, "more": more})
    task = job(tmp_path, path, rejected=tmp_path / "rejected.parquet")
    with pytest.raises(
        JobError, match=r"Parquet cannot hold column 'more', .*: write rejects to .jsonl or .csv"
    ):
        done(task)
    assert files_in(tmp_path) == {"rows.arrow"}
