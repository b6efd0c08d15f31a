"""Rows of replayed rejects: the layout of the source, and edited reject files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abnforge.ingest import Column, CsvOptions, JobError
from abnforge.ingest.pipeline import run
from tests.ingest.jobs import URI, done, files_in, job, lines_of
from tests.ingest.test_replay import ANYTHING, mended, rejected, replay, told_twice
from tests.raising import raises

pytest.importorskip("numpy")

TEXTS = ["jsonl", "csv"]  # rejects of text that become text again


def test_json_lines_come_back_byte_by_byte(tmp_path: Path) -> None:
    bad = rejected(tmp_path, "jsonl", "jsonl")
    task = replay(bad, tmp_path / "good.jsonl", columns=[Column("url", ANYTHING)])
    done(task)
    lines = (tmp_path / "rows.jsonl").read_bytes().splitlines(keepends=True)
    rows = [row["_source"]["row"] for row in told_twice(bad) if row["_errors"][0]["column"] is not None]
    expected = [
        lines[row] for row in rows if b"1.10" not in lines[row]
    ]  # a value that is not a string for any rule
    assert len(expected) > 10
    assert task.valid.read_bytes() == b"".join(expected)


@pytest.mark.parametrize("rejects", TEXTS)
@pytest.mark.parametrize(("kind", "mark"), [("csv", ","), ("tsv", "\t")])
def test_cells_come_back(tmp_path: Path, rejects: str, kind: str, mark: str) -> None:
    path = tmp_path / f"rows.{kind}"
    cells = ["http://a b/", "", None, ' "x"', "a,b", "a\tb", "é\n2"]
    header = ["a.b", "url", "[]x"]
    rows = [[each, "no uri", other] for each in cells for other in cells[:5]]

    def row(values: Sequence[str | None]) -> str:
        return mark.join("" if each is None else '"' + each.replace('"', '""') + '"' for each in values)

    path.write_text("\n".join(map(row, [header, *rows])) + "\n", "utf-8")
    bad = tmp_path / f"bad.{rejects}"
    assert done(job(tmp_path, path, rejects=bad)).counts.rejected == len(rows)
    task = replay(bad, tmp_path / f"good.{kind}", columns=[Column("url", ANYTHING), Column("a.b", ANYTHING)])
    assert done(task).counts.valid == len(rows)
    result = task.valid.read_text("utf-8").removeprefix(mark.join(header) + "\n")
    # Without optional quotes: each string, and the missing cells.
    for values in rows:
        line = mark.join(_cell(each, mark) for each in values) + "\n"
        assert result.startswith(line)
        result = result.removeprefix(line)
    assert not result


def _cell(text: str | None, mark: str) -> str:
    if text is None:
        return ""
    return '"' + text.replace('"', '""') + '"' if not text or set(text) & {'"', mark, "\n"} else text


def test_lines_come_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_bytes(b"http://a/\nhttp://a b/\n\nx y\n\xff\n")
    for rejects in TEXTS:
        bad = tmp_path / f"bad.{rejects}"
        done(job(tmp_path, path, rejects=bad))
        result = done(replay(bad, tmp_path / "good.txt", columns=[Column("url", ANYTHING)]))
        assert (tmp_path / "good.txt").read_bytes() == b"http://a b/\n\nx y\n"
        assert result.counts.by_column == {"(row)": {"not-utf-8": 1}}


KEPT = pa.schema(
    [
        pa.field("url", pa.string(), metadata={"k": "v"}),
        pa.field("at", pa.timestamp("ns", "UTC")),
        pa.field("price", pa.decimal128(20, 3)),
        pa.field("raw", pa.binary(), nullable=False),
        pa.field("code", pa.dictionary(pa.int8(), pa.string())),
    ],
    {"owner": "somebody"},
)


def typed(urls: Sequence[str]) -> pa.Table:
    size = len(urls)
    columns = [
        pa.array(urls),
        pa.array(range(size), KEPT.field("at").type),
        pa.array([None] * size, KEPT.field("price").type),
        pa.array([b"\xff"] * size),
        pa.array(["x"] * size, KEPT.field("code").type),
    ]
    return pa.Table.from_arrays(columns, schema=KEPT)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_a_table_keeps_schema_and_values(tmp_path: Path, ending: str) -> None:
    rows = typed(["http://a b/", "http://a/ ", "http://a:80x/"])
    pq.write_table(rows, tmp_path / "rows.parquet")
    bad = tmp_path / "bad.parquet"
    done(job(tmp_path, tmp_path / "rows.parquet", rejects=bad, suggest=True))
    task = replay(bad, tmp_path / f"good.{ending}", columns=[Column("url", ANYTHING)])
    assert done(task).counts.rejected == 0
    if ending == "parquet":
        result = pq.read_table(task.valid)
    else:
        opened = pa.ipc.open_file if ending == "arrow" else pa.ipc.open_stream
        with opened(task.valid.read_bytes()) as reader:
            result = reader.read_all()
    assert result.schema.equals(KEPT, check_metadata=True)
    expected = rows
    assert result.drop_columns(["code"]).to_pylist() == expected.drop_columns(["code"]).to_pylist()


@pytest.mark.parametrize("rejects", TEXTS)
@pytest.mark.parametrize("names", [None, []])
def test_another_layout(tmp_path: Path, rejects: str, names: list[str] | None) -> None:
    """Accepted rows have the layout of the source."""
    path, bad = tmp_path / "rows.csv", tmp_path / f"bad.{rejects}"
    header = "" if names is not None else "url;n\n"
    path.write_text(f'{header}"a b;c";"1,2"\nx y;|\nz;1;2\n')
    layout = CsvOptions(";", names)
    column = "url" if names is None else "1"
    done(job(tmp_path, path, rejects=bad, layout=layout, columns=[Column(column, URI)]))
    task = replay(bad, tmp_path / "good.csv", layout=layout, columns=[Column(column, ANYTHING)])
    assert done(task).counts.by_column == {"(row)": {"malformed-row": 1}}
    assert task.valid.read_text() == f'{header}"a b;c";1,2\nx y;|\n'


@pytest.mark.parametrize(("kind", "rejects"), [("csv", "jsonl"), ("csv", "csv"), ("jsonl", "jsonl")])
def test_what_directories_report(tmp_path: Path, kind: str, rejects: str) -> None:
    """It is a column of rejects, and not a part of a malformed row."""
    path, bad = tmp_path / "in" / "day=22" / f"rows.{kind}", tmp_path / f"bad.{rejects}"
    path.parent.mkdir(parents=True)
    line = '{"url":"a b"}\n' if kind == "jsonl" else "a b,1\n"
    path.write_text(("" if kind == "jsonl" else "url,n\n") + line + "no row\n")
    done(job(tmp_path, tmp_path / "in", valid=tmp_path / f"g.{kind}", rejects=bad))
    task = replay(bad, tmp_path / f"good.{kind}", columns=[Column("url", ANYTHING)])
    assert done(task).counts.by_column == {"(row)": {"malformed-row": 1}}
    whole = '{"url":"a b","day":"22"}\n' if rejects == "jsonl" else line
    assert task.valid.read_text() == (whole if kind == "jsonl" else "url,n,day\na b,1,22\n")
    still = tmp_path / f"still.{rejects}"
    assert [row["_row"] for row in told_twice(still)] == ["no row"]
    wrong, right = ("no row", "x y,2") if kind == "csv" else ("no row", '{\\"url\\":\\"c d\\"}')
    if rejects == "jsonl":
        mended(still, wrong, right)
        again = replay(still, task.valid, rejects=tmp_path / "again.jsonl", columns=task.columns)
        if kind == "csv":  # their columns are unknown: all rows of the file are in _row
            assert done(again).counts.rejected == 1
        else:
            assert done(again).counts.valid == 1


def test_bytes_around_an_object(tmp_path: Path) -> None:
    """Spaces around an object are dropped, and numbers keep their notation (docs/ingest.md)."""
    (tmp_path / "rows.jsonl").write_text('  {"url":"a b", "n": 2.5, "m":null} \n')
    bad = tmp_path / "bad.jsonl"
    done(job(tmp_path, tmp_path / "rows.jsonl", rejects=bad))
    bad.write_text(bad.read_text().replace('"a b"', '"a:b"').replace("2.5", "2.50"))
    task = job(tmp_path, bad, replay=True, valid=tmp_path / "m.jsonl", rejects=tmp_path / "s.jsonl")
    assert done(task).counts.rejected == 0
    assert task.valid.read_text() == '{"url":"a:b", "n": 2.50, "m":null}\n'


def test_a_cell_is_fixed(tmp_path: Path) -> None:
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
    # Quarantined row, edited row, accepted row.
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


@pytest.mark.parametrize(("kind", "data", "wrong", "right", "expected"), ROWS)
def test_a_row_is_fixed(
    tmp_path: Path, kind: str, data: bytes, wrong: str, right: str, expected: str
) -> None:
    path, bad = tmp_path / f"rows.{kind}", tmp_path / "bad.jsonl"
    path.write_bytes(data)
    done(job(tmp_path, path, rejects=bad))
    if kind == "csv":  # the columns are those of the first rows
        bad.write_text(
            '{"id":"9","url":"a b","_errors":[],"_source":{"source":"x","row":0}}\n' + bad.read_text()
        )
    mended(bad, wrong, right)
    done(replay(bad, tmp_path / f"good.{kind}"))
    assert (tmp_path / f"good.{kind}").read_text().splitlines()[kind == "csv" :] == [expected]


def test_what_is_too_long_is_not_whole(tmp_path: Path) -> None:
    """The stored start of such a row may look like a reject."""
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


@pytest.mark.parametrize(("text", "code"), WRONG)
def test_no_quarantine(tmp_path: Path, text: str, code: str) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(text)
    with raises(JobError, code):
        run(replay(bad, tmp_path / "good.jsonl"))
    assert files_in(tmp_path) == {"bad.jsonl"}


TABLES = [
    ("_source", pa.array(["x"]), "rejects-column-changed"),
    ("_source", pa.array([{"source": "x"}]), "rejects-column-changed"),
    ("_source", pa.array([None], pa.struct([("id", pa.string())])), "rejects-column-changed"),
    ("_source", pa.array([{"source": "x", "row": None, "id": 1}]), "rejects-column-changed"),
]


@pytest.mark.parametrize(("name", "values", "code"), TABLES)
def test_no_quarantine_of_a_table(tmp_path: Path, name: str, values: pa.Array, code: str) -> None:
    rows = pa.table({"url": ["a b"], "_errors": [[]], "_source": [{"source": "x", "row": 0, "id": None}]})
    at = rows.schema.names.index(name)
    pq.write_table(rows.set_column(at, name, values), tmp_path / "bad.parquet")
    with raises(JobError, code):
        run(replay(tmp_path / "bad.parquet", tmp_path / "good.parquet"))
    assert not (tmp_path / "good.parquet").exists()
