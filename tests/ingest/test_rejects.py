"""Rejects contain the values of their columns, or the job fails before it writes anything."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge import columns
from abnforge.cli.common.ingesting import PasswordRedactor
from abnforge.cli.common.security import always_masking
from abnforge.columns import fields as columns_fields
from abnforge.ingest import Column, JobError, schema
from abnforge.ingest.sinks.rejects import csv_cells, csv_lines
from abnforge.ingest.sources.csv import csv_cell
from tests.ingest.jobs import URI, done, files_in, job, lines_of, write_csv, write_jsonl
from tests.law import one_in
from tests.raising import raises

SPACED = abnforge.loads("spaced = ALPHA SP ALPHA\n")["spaced"]
HIDING = PasswordRedactor(always_masking())

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
    done(task := job(tmp_path, path, rejects=tmp_path / f"rejected.{ending}"))
    accepted = pa.ipc.open_file(task.valid).read_all()
    assert accepted.schema == pa.schema([("url", judged.type), ("more", more.type)])
    rows = pa.table({"url": judged, "more": more}).to_pylist()
    assert accepted.to_pylist() == [rows[0], rows[1], rows[4]]
    if ending == "jsonl":
        assert task.rejects is not None
        assert [row["more"] for row in lines_of(task.rejects)] == values


@pytest.mark.parametrize(
    "more", [RUNS, UNION, pa.array([{}] * 5, pa.struct([]))], ids=["runs", "union", "empty"]
)
def test_values_that_parquet_cannot_store(tmp_path: Path, more: pa.Array) -> None:
    path = written(tmp_path, {"url": TEXTS, "more": more})
    task = job(tmp_path, path, rejects=tmp_path / "rejected.parquet")
    with raises(JobError, "column-not-in-parquet", column="more"):
        done(task)
    assert files_in(tmp_path) == {"rows.arrow"}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "code"),
    [("_row", "column-name-reserved"), ("_errors", "column-rejected"), ("_source", "column-rejected")],
)
def test_columns_that_are_called_as_those_of_rejects(
    tmp_path: Path, kind: str, name: str, code: str, ending: str
) -> None:
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        path.write_text(f"url,{name}\na b,1\n")
    else:
        pq.write_table(pa.table({"url": ["a b"], name: [1]}), path)
    with raises(JobError, code):
        done(job(tmp_path, path, rejects=tmp_path / f"rejected.{ending}"))
    assert files_in(tmp_path) == {path.name}
    done(job(tmp_path, path, on_error="drop"))  # their position would be ambiguous


@pytest.mark.parametrize("name", ["_row", "_errors", "_source"])
def test_keys_that_are_called_as_those_of_rejects(tmp_path: Path, name: str) -> None:
    """In JSON Lines, such a row is stored in ``_row``, and a replay does not change it."""
    rows = [f'{{"url":"a b","{name}":[1.50]}}\n', '{"url": "c d"}\n', f'{{"url":"a:b","{name}":2}}\n']
    (tmp_path / "rows.jsonl").write_text("".join(rows))
    done(task := job(tmp_path, tmp_path / "rows.jsonl", rejects=tmp_path / "rejected.jsonl"))
    assert task.valid.read_text() == rows[2]
    mended = job(
        tmp_path,
        tmp_path / "rejected.jsonl",
        replay=True,
        valid=tmp_path / "mended.jsonl",
        rejects=tmp_path / "still.jsonl",
        columns=[Column("url", URI | SPACED)],
    )
    done(mended)
    assert mended.valid.read_text() == "".join(rows[:2])


def test_names_of_columns_are_no_place_for_passwords(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"url":"a b","http://u:secret@h/":1}\n')
    for ending in ("csv", "parquet"):
        with raises(JobError, "column-name-masked", number=2):
            done(job(tmp_path, tmp_path / "rows.jsonl", rejects=tmp_path / f"r.{ending}", redactor=HIDING))
    assert files_in(tmp_path) == {"rows.jsonl"}
    done(task := job(tmp_path, tmp_path / "rows.jsonl", redactor=HIDING))
    assert task.rejects is not None
    assert "secret" not in task.rejects.read_text()


def reasons_of(path: Path) -> list[list[dict[str, Any]]]:
    if path.suffix == ".parquet":
        values: list[list[dict[str, Any]]] = pq.read_table(path).column("_errors").to_pylist()
        return values
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as stream:
            return [json.loads(row["_errors"]) for row in csv.DictReader(stream)]
    return [row["_errors"] for row in lines_of(path)]


@pytest.mark.parametrize("source", one_in(3, ["parquet", "csv", "jsonl"]))
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("redactor", [None, HIDING], ids=["shown", "hidden"])
def test_rejects_have_one_schema(tmp_path: Path, source: str, ending: str, redactor: Any) -> None:
    """Every format has the schema of ``columns.split``, with the position and the mistake."""
    texts = ["http://u:pw@h:8x/", "a b", "www.example.com", "ü:b", None, "a:b"]
    rows = pa.table({"url": texts})
    path = tmp_path / f"rows.{source}"
    {"parquet": lambda: pq.write_table(rows, path), "csv": lambda: write_csv(path, rows)}.get(
        source, lambda: write_jsonl(path, rows)
    )()
    bad = tmp_path / f"rejected.{ending}"
    done(task := job(tmp_path, path, rejects=bad, nulls="reject", redactor=redactor))
    result = reasons_of(bad)
    _, rejects = columns.split(URI, rows, "url")
    expected = rejects.column("_errors").to_pylist()
    assert [list(each) for row in result for each in row] == [columns_fields.ERROR.names] * len(result)
    places = ("column", "code", "family", "component", "rule", "offset", "start", "end", "found", "section")
    assert [[each[name] for name in places] for row in result[:4] for each in row] == [
        [each[name] for name in places] for row in expected for each in row
    ]
    assert result[0][0]["start"] < result[0][0]["end"] <= len(texts[0] or "")
    [null] = result[4]
    assert [null[name] for name in ("code", "offset", "start", "end", "found")] == ["null", *[None] * 4]
    if ending == "jsonl":
        jsonschema = pytest.importorskip("jsonschema")
        for line in lines_of(bad):
            jsonschema.validate(line, schema("reject"))
    again = job(tmp_path, bad, replay=True, valid=tmp_path / f"again.{ending}", rejects=tmp_path / "r.jsonl")
    whole = source == "jsonl" != ending  # rows in _row
    assert done(again).counts.rejected == len(result) - (not whole)  # a missing value is valid in this column
    assert task.rejects is not None


def test_a_row_that_is_no_text_has_the_place_of_its_byte(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"url":"a\xff"}\n[]\n{"url":1}\n')
    result = done(job(tmp_path, tmp_path / "rows.jsonl"))
    results = [each for row in reasons_of(tmp_path / "rejected.jsonl") for each in row]
    assert [(each["code"], each["offset"], each["start"], each["end"]) for each in results] == [
        ("not-utf-8", 9, 9, 10),
        ("malformed-row", None, None, None),
        ("not-text", None, None, None),
    ]
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(result.as_dict(), schema("summary"))
    for codes in result.counts.samples.values():
        for [sample] in codes.values():
            assert {"start", "end", "found", "family", "component"} <= sample.keys()


@pytest.mark.parametrize("kind", [pa.binary(2), pa.binary(), pa.dictionary(pa.int8(), pa.binary(2))])
def test_identifiers_of_bytes(kind: pa.DataType, tmp_path: Path) -> None:
    path = written(tmp_path, {"key": pa.array([b"ab", b"cd"], kind), "url": ["a b", "a:b"]})
    task = job(tmp_path, path, id="key", rejects=tmp_path / "r.parquet")
    done(task)
    [source] = pq.read_table(tmp_path / "r.parquet")["_source"].to_pylist()
    assert source["id"] == b"ab"


@given(
    st.lists(st.none() | st.text(alphabet='a",;|\r\n\té\0 ', max_size=4), max_size=6),
    st.sampled_from(",;|\t^"),
)
def test_cells_of_a_column_are_the_cells_of_its_strings(texts: list[str | None], delimiter: str) -> None:
    cells = csv_cells(pa.array(texts, pa.string()), delimiter=delimiter)
    assert cells.to_pylist() == ["" if each is None else csv_cell(each, delimiter) for each in texts]
    expected = "".join(f"{each}{delimiter}{each}\n" for each in cells.to_pylist())
    assert csv_lines([cells, cells], delimiter) == expected.encode()
