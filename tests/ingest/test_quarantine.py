"""Rows of a quarantine as people leave them: mended, half mended, and spoiled."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import JobError
from abnforge.ingest.pipeline import run
from tests.ingest.jobs import done, files_in, job, lines_of
from tests.ingest.test_replaying import mended, replay
from tests.raising import raises


def test_a_cell_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,url\n1,http://a b/\n2,http://c d/\n3,\n")
    bad = tmp_path / "bad.jsonl"
    done(job(tmp_path, path, rejects=bad, id="id", nulls="reject"))
    mended(bad, "http://a b/", "http://ab/")
    result = done(replay(bad, tmp_path / "good.csv", nulls="reject"))
    assert (tmp_path / "good.csv").read_text() == "id,url\n1,http://ab/\n"
    second, third = lines_of(tmp_path / "still.jsonl")
    assert second["_source"] == {"source": str(path), "row": 1, "line": 3, "byte_offset": 21, "id": "2"}
    assert third["_errors"][0]["code"] == "null"
    assert result.counts.by_source == {str(bad): [3, 2]}
    assert result.counts.samples["url"]["space-in-host"][0]["source"] == str(bad)
    assert result.counts.samples["url"]["space-in-host"][0]["line"] == 2


ROWS = [
    # what stands in the quarantine, what a person makes of it, what is accepted as what
    (
        "csv",
        b"id,url\n1,http://a/,x\n",
        '"_row":"1,http://a/,x"',
        '"id":"1","url":"http://a/"',
        "1,http://a/",
    ),
    ("csv", b"id,url\n1,http://a\xff\n", '{"base64":"aHR0cDovL2H/"}', '"http://a"', "1,http://a"),
    ("jsonl", b'{"url":"a:"}\n{"url":"b:",}\n', '\\"b:\\",}', '\\"b:\\"}', '{"url":"b:"}'),
    ("jsonl", b'{"url":"a b","_source":1}\n', '\\"a b\\"', '\\"a:b\\"', '{"url":"a:b","_source":1}'),
    ("txt", b"a:\nb c\n", '"url":"b c"', '"url":"b:c"', "b:c"),
]


@pytest.mark.parametrize(("kind", "data", "wrong", "right", "wanted"), ROWS)
def test_a_row_is_mended(tmp_path: Path, kind: str, data: bytes, wrong: str, right: str, wanted: str) -> None:
    path, bad = tmp_path / f"rows.{kind}", tmp_path / "bad.jsonl"
    path.write_bytes(data)
    done(job(tmp_path, path, rejects=bad))
    if kind == "csv":  # whose columns are those of the first rows
        bad.write_text(
            '{"id":"9","url":"a b","_errors":[],"_source":{"source":"x","row":0}}\n' + bad.read_text()
        )
    mended(bad, wrong, right)
    done(replay(bad, tmp_path / f"good.{kind}"))
    assert (tmp_path / f"good.{kind}").read_text().splitlines()[kind == "csv" :] == [wanted]


def test_what_is_too_long_is_not_whole(tmp_path: Path) -> None:
    """Of such a row its beginning is kept, and that may look like one."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"a:"}\n{"url":"a:"}' + " " * 5_000 + "x\n")
    bad = tmp_path / "bad.jsonl"
    done(job(tmp_path, path, rejects=bad, max_row_bytes=2_000))
    result = done(replay(bad, tmp_path / "good.jsonl"))
    assert result.counts.by_column == {"(row)": {"too-long": 1}}


FINE = '{"url":"a","_errors":[],"_source":{"source":"x","row":0}}\n'
WRONG = [
    ("no json\n", "rejects-row-malformed"),
    ('{"url":"a"}\n', "rejects-lack"),
    (FINE + '{"url":"a","_errors":[]}\n', "rejects-lack"),
    ('{"_errors":[],"_source":{"source":"x","row":-1}}\n', "rejects-column-changed"),
    ('{"_errors":[],"_source":{"source":"x","row":1' + "0" * 30 + "}}\n", "rejects-column-changed"),
    ('{"_errors":[],"_source":{"source":"\\ud800","row":1}}\n', "rejects-column-changed"),
    ('{"_errors":[],"_source":{"source":"x","row":1,"id":["\\ud800"]}}\n', "rejects-column-changed"),
    ('{"_row":"\\ud800","_errors":[],"_source":{"source":"x","row":1}}\n', "rejects-column-changed"),
    ('{"_row":1,"_errors":[],"_source":{"source":"x","row":1}}\n', "rejects-column-changed"),
    ('{"_errors":[1],"_source":{"source":"x","row":1}}\n', "rejects-column-changed"),
    ('{"_errors":[],"_errors":[],"_source":{"source":"x","row":1}}\n', "rejects-column-repeated"),
    ('{"ulr":"x","_errors":[],"_source":{"source":"x","row":1}}\n', "column-unknown"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_no_quarantine(tmp_path: Path, text: str, said: str) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(text)
    with raises(JobError, said):
        run(replay(bad, tmp_path / "good.jsonl"))
    assert files_in(tmp_path) == {"bad.jsonl"}


TABLES = [
    ("_source", pa.array(["x"]), "rejects-column-changed"),
    ("_source", pa.array([{"source": "x"}]), "rejects-column-changed"),
    ("_source", pa.array([None], pa.struct([("id", pa.string())])), "rejects-column-changed"),
    ("_source", pa.array([{"source": "x", "row": None, "id": 1}]), "rejects-column-changed"),
]


@pytest.mark.parametrize(("name", "values", "said"), TABLES)
def test_no_quarantine_of_a_table(tmp_path: Path, name: str, values: pa.Array, said: str) -> None:
    rows = pa.table({"url": ["a b"], "_errors": [[]], "_source": [{"source": "x", "row": 0, "id": None}]})
    at = rows.schema.names.index(name)
    pq.write_table(rows.set_column(at, name, values), tmp_path / "bad.parquet")
    with raises(JobError, said):
        run(replay(tmp_path / "bad.parquet", tmp_path / "good.parquet"))
    assert not (tmp_path / "good.parquet").exists()
