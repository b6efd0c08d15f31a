"""Valid rows in another format than the source's."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge import ingest
from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from tests.ingest.jobs import URI, done, job, outputs, small_parts, source, stop_after, table
from tests.raising import raises

TABLES = ("parquet", "arrow", "arrows")


def cell(value: Any) -> str | None:
    """Return a value as CSV holds it."""
    return None if value is None else value if isinstance(value, str) else str(value)


def rows_in(path: Path) -> list[dict[str, Any]]:
    """Read a file of any format; in CSV, an unquoted empty cell is None."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if ".parquet" in path.name:
        return pq.read_table(path).to_pylist()
    if ".arrow" in path.name:
        opened = pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file
        return opened(path).read_all().to_pylist()
    if ".jsonl" in path.name:
        return [json.loads(line) for line in data.splitlines()]
    mark = "\t" if ".tsv" in path.name else ","
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=mark)
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows", "csv", "csv.gz", "jsonl"])
@pytest.mark.parametrize("output", ["parquet", "arrow", "arrows", "csv", "tsv", "jsonl.gz"])
def test_every_format_becomes_every_other(
    tmp_path: Path, kind: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values stay: tables keep their types, and text becomes strings. An interrupted job resumes.

    The name of an Arrow output selects the file format or the stream format.
    """
    small_parts(monkeypatch)
    path = source(tmp_path, kind, 12)
    valid = tmp_path / f"good.{output}"
    task = job(tmp_path, path, valid=valid, resume=True)
    done(task)
    expected = [row for row in table(12).to_pylist() if row["url"] is None or URI.matches(row["url"])]
    is_typed = kind in TABLES
    typed_output = output.split(".")[0] in (*TABLES, "jsonl")
    if output.split(".")[0] != kind.split(".")[0]:
        if not (is_typed and typed_output):
            expected = [{name: cell(value) for name, value in row.items()} for row in expected]
        if not typed_output:
            expected = [{name: value or "" for name, value in row.items()} for row in expected]
        assert rows_in(valid) == expected
    before = outputs(task)
    assert run(task, stop=stop_after(2)).status == "stopped"
    assert done(task).resumed
    assert outputs(task) == before


def test_keys_of_all_rows_become_columns(tmp_path: Path) -> None:
    """No value is lost, even if its key first occurs late."""
    lines = ['{"url":"a:b"}'] * 1_200 + ['{"url":"c:d","late":1.50}', "broken", '{"url":"x y","last":[{}]}']
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    task = job(tmp_path, tmp_path / "rows.jsonl", valid=tmp_path / "good.parquet")
    done(task)
    assert pq.read_table(task.valid).slice(1_199).to_pylist() == [
        {"url": "a:b", "late": None, "last": None},
        {"url": "c:d", "late": "1.50", "last": None},
    ]


def test_a_repeated_key_is_not_lost(tmp_path: Path) -> None:
    """A cell has one value, so such a row is rejected; JSON Lines remain unchanged."""
    rows = ['{"url":"a:b","n":1,"n":2}', '{"url":"a:b","o":[{"n":1,"n":2}]}', '{"url":"a:b","o":{"n":1}}']
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    for name, valid in (("good.parquet", rows[2:]), ("good.csv", rows[2:]), ("good.jsonl", rows)):
        task = job(
            tmp_path,
            tmp_path / "rows.jsonl",
            valid=tmp_path / name,
            rejects=tmp_path / f"{name}.rejects.jsonl",
        )
        done(task)
        assert len(rows_in(task.valid)) == len(valid)
        rejects = [json.loads(line) for line in task.rejects.read_text().splitlines()]
        assert [each["_row"] for each in rejects] == [each for each in rows if each not in valid]
        assert {each["_errors"][0]["code"] for each in rejects} <= {"malformed-row"}


@pytest.mark.parametrize("output", ["csv", "tsv", "parquet", "arrow", "jsonl"])
@pytest.mark.parametrize(
    ("data", "valid"), [("", 0), ("no\n[1]\n", 0), ("{}\n{}\n", 2), ('{"\\ud83d":1}\n', 0)]
)
def test_rows_without_keys(tmp_path: Path, data: str, valid: int, output: str) -> None:
    """A validated column is a column of the output, even if no row has it."""
    (tmp_path / "rows.jsonl").write_text(data)
    task = job(tmp_path, tmp_path / "rows.jsonl", valid=tmp_path / f"good.{output}")
    counts = done(task).counts
    assert (counts.valid, counts.rejected) == (valid, len(data.splitlines()) - valid)
    if output == "jsonl":
        assert task.valid.read_text() == (data if valid else "")
    elif output in TABLES:
        assert rows_in(task.valid) == [{"url": None}] * valid
    else:
        assert task.valid.read_text() == "url\n" + "\n" * valid


def test_words_for_missing_values(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('url,n\nNA,1\na:b,"NA"\nc:d,""\n')
    task = job(tmp_path, tmp_path / "rows.csv", valid=tmp_path / "good.parquet", null_values=["NA"])
    done(task)
    assert pq.read_table(task.valid).to_pylist() == [
        {"url": None, "n": "1"},
        {"url": "a:b", "n": None},
        {"url": "c:d", "n": ""},
    ]


def test_lines_and_partition_keys(tmp_path: Path) -> None:
    path = tmp_path / "in" / "day=1" / "rows.txt"
    path.parent.mkdir(parents=True)
    path.write_text("a:b\na b\n")
    task = job(tmp_path, tmp_path / "in", columns=[Column("u", URI)], valid=tmp_path / "good.jsonl")
    done(task)
    assert rows_in(task.valid) == [{"u": "a:b", "day": "1"}]


def test_record_batches_become_text(tmp_path: Path) -> None:
    ingest.split(
        pa.table({"url": ["a:b", "a b"], "n": [1.5, 2.5]}), {"url": URI}, tmp_path / "x.csv", on_error="drop"
    )
    assert (tmp_path / "x.csv").read_text() == "url,n\na:b,1.5\n"


@pytest.mark.parametrize("name", ["good.txt", "good.xyz", "good.parquet.gz"])
def test_other_formats(tmp_path: Path, name: str) -> None:
    (tmp_path / "rows.csv").write_text("url\na:b\n")
    with raises(JobError, "format-of-accepted"):
        run(job(tmp_path, tmp_path / "rows.csv", valid=tmp_path / name))


def test_columns_that_would_be_lost(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("url,_row\na:b,1\n")
    (tmp_path / "rows.jsonl").write_text('{"url":"a:b","_errors":1}\n')
    for name in ("rows.csv", "rows.jsonl"):
        with raises(JobError, "column-name-reserved"):
            run(job(tmp_path, tmp_path / name, valid=tmp_path / "good.parquet", on_error="drop"))
