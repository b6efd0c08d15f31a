"""Sources that cannot be read, and sources with different columns."""

from __future__ import annotations

import csv
import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import Column, CsvOptions, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import text as texts
from abnforge.ingest.sources.drift import common_type, quarantine_of
from tests.devices import posix
from tests.ingest.jobs import (
    URI,
    Notes,
    cells_of,
    done,
    files_in,
    job,
    lines_of,
    outputs,
    small_parts,
    stop_after,
)
from tests.law import each_row
from tests.raising import raises


def parquet(table: pa.Table) -> bytes:
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer)
    return bytes(buffer.getvalue())


ROWS = b"id,url\n" + b"".join(b"%d,http://h/\n%d,a b\n" % (at, at) for at in range(900))
TABLE = pa.table({"id": [1, 2], "url": ["http://h/", "a b"]})
DAMAGED = bytearray(parquet(TABLE))
DAMAGED[8:40] = bytes(32)
BAD = {
    "README.md": b"# rows\n",
    "empty.csv": b"",
    "other.csv": b"id,n\n1,2\n",
    "quote.csv": b'"id,url\n',
    "cut.csv.gz": gzip.compress(ROWS, mtime=0)[:-9],
    "late.csv.gz": gzip.compress(ROWS, mtime=0)[:-1],
    "empty.csv.gz": b"",
    "empty.csv.zst": b"",
    "cut.csv.zst": pa.compress(ROWS, "zstd", asbytes=True)[:-9],
    "text.csv.bz2": ROWS,
    "octets.csv": b"\xff\xfe\x00",
}
BAD_TABLES = {
    "empty.parquet": b"",
    "cut.parquet": parquet(TABLE)[:-20],
    "damaged.parquet": bytes(DAMAGED),
    "text.parquet": ROWS,
    "drift.parquet": parquet(pa.table({"id": ["1"], "url": ["a:b"]})),
}


@pytest.fixture(params=["csv", "parquet"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a directory with good and bad sources."""
    sources = tmp_path / f"in.{request.param}"
    sources.mkdir()
    if request.param == "csv":
        files = {"a.csv": ROWS, "z.csv.gz": gzip.compress(ROWS), **BAD}
    else:
        files = {"a.parquet": parquet(TABLE), "z.parquet": parquet(TABLE), **BAD_TABLES}
    for name, data in files.items():
        (sources / name).write_bytes(data)
    return sources


def test_bad_sources_are_skipped_and_named(folder: Path, tmp_path: Path) -> None:
    bad = BAD if folder.suffix == ".csv" else BAD_TABLES
    with raises((JobError, OSError), "format-unknown" if bad is BAD else "source-unreadable"):
        run(job(tmp_path, folder))
    task = job(tmp_path, folder, on_bad_source="skip")
    result = done(task)
    assert {Path(name).name for name in result.bad_sources} == set(bad)
    assert all(name in reason for name, reason in result.bad_sources.items())
    assert {Path(name).name for name in result.counts.by_source} == set(files_in(folder)) - set(bad)
    assert result.rows == 2 * (1_800 if bad is BAD else 2)
    assert [each["source"] for each in result.as_dict()["bad_sources"]] == list(result.bad_sources)


def test_quarantine(folder: Path, tmp_path: Path) -> None:
    """Copies are complete, and those of another run with other contents stay."""
    bad = BAD if folder.suffix == ".csv" else BAD_TABLES
    task = job(tmp_path, folder, on_bad_source="quarantine")
    done(task)
    copies = quarantine_of(task.rejects)
    assert {path.name.partition("-")[2]: path.read_bytes() for path in copies.iterdir()} == bad
    changed = folder / next(iter(bad))
    changed.write_bytes(changed.read_bytes()[:-1] + b"?")
    done(task)
    assert len(files_in(copies)) == len(bad) + 1
    with raises(JobError, "quarantine-without-file"):
        job(tmp_path, folder, on_bad_source="quarantine", on_error="drop")


def test_a_job_with_skipped_sources_resumes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch)
    options = {"on_bad_source": "quarantine", "union_by_name": True}
    done(whole := job(tmp_path, folder, **options))
    expected = outputs(whole)
    task = job(tmp_path, folder, **options, resume=True)
    assert run(task, stop=stop_after(1)).status == "stopped"
    assert done(task).resumed
    assert outputs(task) == expected
    assert run(task, stop=stop_after(1)).status == "stopped"
    (folder / ("empty.csv" if folder.suffix == ".csv" else "empty.parquet")).unlink()
    assert not done(task).resumed
    assert outputs(task) == expected


def test_no_source_is_good(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"")
    with raises(JobError, "source-empty"):
        run(job(tmp_path, tmp_path / "a.csv", on_bad_source="skip"))


NAMES = ["url", "id", "a,b", 'q"', "n", "", "unit\nprice"]
CELLS = ["a:b", "a b", "", 'x:"y"', "x:\ny", "é", "#", "a,b"]


def write(path: Path, names: list[str], rows: list[list[str]], quoting: Any) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n", quoting=quoting).writerows([names, *rows])


@pytest.mark.parametrize("on_error", ["reject", "keep"])
def test_union_of_csv(tmp_path: Path, on_error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows keep the cells of their names, whatever the order, the quotes and the blocks."""
    monkeypatch.setattr(texts, "BLOCK", 300)
    for seed in range(12):
        r = random.Random(seed)
        expected: list[dict[str, str]] = []
        combined: dict[str, None] = {}
        paths = [tmp_path / f"{number}.csv" for number in range(r.randrange(1, 5))]
        for path in paths:
            others = r.sample(NAMES[1:], r.randrange(5))
            names = r.sample(["url", *others], len(others) + 1)
            combined.update(dict.fromkeys(names))
            rows = [[r.choice(CELLS) for _ in names] for _ in range(r.choice([0, 3, 40]))]
            write(path, names, rows, r.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
            expected += (dict(zip(names, row, strict=True)) for row in rows)
        valid = tmp_path / "good.csv"
        task = job(tmp_path, *paths, valid=valid, on_error=on_error, union_by_name=True, nulls="reject")
        result = done(task)
        assert result.rows == len(expected)
        header, *rows = cells_of(valid.read_bytes())
        own = [name for name in header if name != "_errors"]
        assert own == list(combined)
        is_good = [bool(each["url"]) and URI.matches(each["url"]) for each in expected]
        kept = [each for each, good in zip(expected, is_good, strict=True) if good or on_error == "keep"]
        assert [dict(zip(own, row, strict=False)) for row in rows] == [
            {name: each.get(name, "") for name in own} for each in kept
        ]
        if task.rejects is not None:
            bad = [each for each, good in zip(expected, is_good, strict=True) if not good]
            assert [{name: row[name] or "" for name in own} for row in lines_of(task.rejects)] == [
                {name: each.get(name, "") for name in own} for each in bad
            ]


def test_missing_cells_without_quotes(tmp_path: Path) -> None:
    """An empty cell is the empty string there, so a missing one is the word for null."""
    (tmp_path / "a.tsv").write_text("id\turl\to\n1\ta:b\tx\n")
    (tmp_path / "b.tsv").write_text("url\tid\na:b\t3\n")
    options = {"null_values": ["\\N"], "layout": CsvOptions(quote=""), "union_by_name": True}
    task = job(tmp_path, tmp_path / "a.tsv", tmp_path / "b.tsv", valid=tmp_path / "good.tsv", **options)
    done(task)
    assert [row.split("\t") for row in task.valid.read_text().splitlines()[1:]] == [
        ["1", "a:b", "x"],
        ["3", "a:b", "\\N"],
    ]


def test_a_source_without_the_validated_column_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ["url", "id"], [["a:b", "7"]], csv.QUOTE_ALL)
    write(tmp_path / "b.csv", ["URL", "id"], [["a b", "8"]], csv.QUOTE_ALL)
    pq.write_table(pa.table({"url": ["a:b"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "b.parquet")
    for kind in ("csv", "parquet"):
        sources = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
        run(job(tmp_path, *sources, union_by_name=True), notes := Notes())
        assert [(each.code, each.data["source"]) for each in notes.messages] == [
            ("column-missing-in", str(sources[1]))
        ]


def test_a_column_that_a_source_lacks(tmp_path: Path) -> None:
    """Its values are missing; an identifier is null."""
    write(tmp_path / "a.csv", ["url", "id"], [["a b", "7"]], csv.QUOTE_ALL)
    write(tmp_path / "b.csv", ["n", "url", "more"], [["1", "a b", "c d"]], csv.QUOTE_ALL)
    columns = [Column("url", URI), Column("more", URI)]
    sources = tmp_path / "a.csv", tmp_path / "b.csv"
    with raises(JobError, "header-different", parameter="union_by_name"):
        run(job(tmp_path, *sources, columns=columns))
    task = job(tmp_path, *sources, columns=columns, id="id", union_by_name=True)
    done(task)
    assert [(row["_source"]["id"], len(row["_errors"])) for row in lines_of(task.rejects)] == [
        ("7", 1),
        (None, 2),
    ]
    for layout in CsvOptions(names=["url"]), CsvOptions(comment="#"):
        with raises(JobError, "parameter-excluded", parameter="union_by_name"):
            job(tmp_path, *sources, union_by_name=True, layout=layout)
    write(tmp_path / "b.csv", ["n", "url", "n"], [["1", "a b", "c d"]], csv.QUOTE_ALL)
    with raises(JobError, "column-ambiguous-in", column="n", count=2, source=str(sources[1])):
        run(job(tmp_path, *sources, union_by_name=True))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_source_with_a_repeated_column_is_named(tmp_path: Path, kind: str, at: int) -> None:
    """The other sources are combined, whichever comes first and whatever most sources have."""
    names = [["id", "url"], ["url", "n"]]
    names.insert(at, ["id", "id"])
    for number, own in enumerate([*names, ["id", "id"]]):
        path = tmp_path / f"{number}.{kind}"
        if kind == "csv":
            write(path, own, [["a:b", "c:d"]], csv.QUOTE_ALL)
        else:
            pq.write_table(pa.table([["a:b"], ["c:d"]], names=own), path)
    task = job(tmp_path, tmp_path / f"*.{kind}", on_bad_source="skip", union_by_name=True)
    bad = done(task).bad_sources
    assert [Path(name).name for name in bad] == [f"{at}.{kind}", f"3.{kind}"]
    assert all(name in reason for name, reason in bad.items())


@pytest.mark.parametrize("order", ["123", "312", "13"])
def test_a_source_with_another_delimiter(tmp_path: Path, order: str) -> None:
    """Its rows would be valid rows without the validated column."""
    for name, data in {"1.csv": "id,url\n", "2.csv": "url\n", "3.csv": "id;url\n1;a b\n"}.items():
        (tmp_path / name).write_text(data)
    sources = [tmp_path / f"{number}.csv" for number in order]
    with raises(JobError, "header-delimiter", source=str(tmp_path / "3.csv"), mark=";"):
        run(job(tmp_path, *sources, union_by_name=True))
    task = job(tmp_path, *sources, union_by_name=True, on_bad_source="skip")
    assert list(done(task).bad_sources) == [str(tmp_path / "3.csv")]


def test_union_of_tables(tmp_path: Path) -> None:
    """Partition keys and columns that a source lacks are where the combined schema has them."""
    tables = {
        "day=1/a": pa.table({"url": ["a b", "a:b"], "n": pa.array([1, 2], pa.int8())}),
        "day=2/b": pa.table(
            {"more": [True, None], "n": [2**40, 3], "url": pa.array(["c d", "c:d"], pa.large_string())}
        ),
    }
    for name, table in tables.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True)
        pq.write_table(table, tmp_path / "in" / f"{name}.parquet")
    task = job(tmp_path, tmp_path / "in", valid=tmp_path / "good.parquet", union_by_name=True)
    done(task)
    valid = pq.read_table(task.valid)
    assert valid.schema.types == [pa.large_string(), pa.int64(), pa.int64(), pa.bool_()]
    assert valid.to_pylist() == [
        {"url": "a:b", "n": 2, "day": 1, "more": None},
        {"url": "c:d", "n": 3, "day": 2, "more": None},
    ]
    assert [row["n"] for row in lines_of(task.rejects)] == [1, 2**40]
    pq.write_table(pa.table({"url": ["a:b"], "n": ["x"]}), tmp_path / "in" / "day=2" / "c.parquet")
    with raises(JobError, "type-drift", column="n", type_name="string"):
        run(task)


def test_union_of_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a":1}\n')
    (tmp_path / "b.jsonl").write_text('{"b":"x"}\n')
    sources = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    task = job(tmp_path, *sources, union_by_name=True, nulls="reject", rejects=tmp_path / "bad.csv")
    assert done(task).rejected == 2
    assert cells_of(task.rejects.read_bytes())[0][:2] == ["a", "b"]


@each_row(
    ("first", "other", "expected"),
    [
        (pa.int8(), pa.int32(), pa.int32()),
        (pa.uint64(), pa.uint8(), pa.uint64()),
        (pa.float64(), pa.float32(), pa.float64()),
        (pa.null(), pa.list_(pa.string()), pa.list_(pa.string())),
        (pa.string(), pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.string_view(), pa.string(), pa.large_string()),
        (pa.binary(3), pa.binary(), pa.binary()),
        (pa.binary(3), pa.binary(4), pa.binary()),
        (pa.int64(), pa.uint8(), None),
        (pa.int64(), pa.float64(), None),
        (pa.int64(), pa.string(), None),
        (pa.string(), pa.binary(), None),
        (pa.timestamp("us"), pa.timestamp("ns"), None),
        (pa.list_(pa.int8()), pa.list_(pa.int16()), None),
    ],
)
def test_common_types(first: pa.DataType, other: pa.DataType, expected: pa.DataType | None) -> None:
    assert common_type(first, other) == common_type(other, first) == expected
    for kind in (first, other):
        if expected is not None and pa.types.is_null(kind) is False:
            assert pa.array([None], kind).cast(expected).type == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="requires named pipes")
def test_pipes_and_broken_links_are_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "a.csv").write_text("url\nhttp://a/\n")
    os.mkfifo(folder / "p.csv")
    (folder / "q.csv").symlink_to("nowhere")
    task = job(tmp_path, folder, on_bad_source="quarantine")
    assert done(task).counts.rows == 1
    assert not quarantine_of(task.rejects).exists()


@posix
def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    """As in archives from Windows. A source is named in rejects and reports, which are UTF-8."""
    sources = tmp_path / "in"
    sources.mkdir()
    (sources / "a.csv").write_bytes(ROWS)
    name = os.fsdecode(os.fsencode(sources) + b"/\xe9.csv")
    try:
        Path(name).write_bytes(ROWS)
    except OSError:
        pytest.skip("the file system requires UTF-8")
    for each in (sources, name, f"{name[:-4]}*"):
        with raises(JobError, "source-name-not-utf8", path=str(sources / r"\xe9.csv")):
            run(job(tmp_path, each, valid=tmp_path / "good.csv"))
    task = job(tmp_path, sources, valid=tmp_path / "good.csv", on_bad_source="quarantine")
    assert list(done(task).bad_sources) == [str(sources / r"\xe9.csv")]
