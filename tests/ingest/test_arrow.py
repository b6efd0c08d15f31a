"""Tables as sources: every type, valid files with equal rows, and no lost row."""

from __future__ import annotations

import base64
import datetime
import decimal
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from tests.ingest.jobs import SCHEME, URI, URLS, done, job, lines_of, table, told, wrong
from tests.raising import raises

pytest.importorskip("numpy")

TEXTS: list[str | None] = [*URLS, "é:", "urn:\U0001f600", "a:" + "b" * 70, "x y\r\n", "\0", "a:b%41"]
KINDS: dict[str, Any] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "small dictionary": pa.dictionary(pa.int8(), pa.large_string()),
}
OTHERS: dict[str, Any] = {
    "number": pa.array([1, None, -(2**62)]),
    "real": pa.array([1.5, float("nan"), None]),
    "truth": pa.array([True, False, None]),
    "day": pa.array([datetime.date(2026, 11, 22), None, datetime.date(1, 1, 1)]),
    "time": pa.array([1, None, -1], pa.timestamp("ns", "Europe/Berlin")),
    "span": pa.array([1, None, 3], pa.duration("us")),
    "price": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("-0.05")]),
    "octets": pa.array([b"\xff", b"", None]),
    "list": pa.array([["a", None], None, []]),
    "fields": pa.array([{"a": 1, "b": {"c": "x"}}, None, {"a": None, "b": None}]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "nothing": pa.nulls(3),
}


def generated(seed: int) -> tuple[pa.Table, list[str | None]]:
    """Return a table with random size, types and column order, and the strings in its column ``url``."""
    r = random.Random(seed)
    size = r.choice([0, 1, 2, 7, 60, 200])
    texts = [r.choice(TEXTS) for _ in range(size)]
    kind = r.choice(list(KINDS.values()))
    columns: dict[str, Any] = {"url": pa.array(texts, pa.string()).cast(kind)}
    for name in r.sample(list(OTHERS), r.randrange(len(OTHERS))):
        columns[name] = OTHERS[name].take(pa.array([r.randrange(3) for _ in range(size)], pa.int64()))
    names = r.sample(list(columns), len(columns))
    fields = [pa.field(name, columns[name].type, metadata={"note": name}) for name in names]
    schema = pa.schema(fields, metadata={"owner": "somebody", "seed": str(seed)})
    return pa.table([columns[name] for name in names], schema=schema), texts


def write(rows: pa.Table, path: Path, seed: int) -> None:
    r = random.Random(seed)
    if path.suffix == ".parquet":
        codec = r.choice(["none", "snappy", "zstd", "gzip", "brotli", "lz4"])
        pq.write_table(rows, path, compression=codec, row_group_size=r.choice([1, 10, 1_000]))
        return
    options = pa.ipc.IpcWriteOptions(compression=r.choice([None, "lz4", "zstd"]))
    new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with new(path, rows.schema, options=options) as writer:
        writer.write_table(rows.unify_dictionaries(), max_chunksize=r.choice([1, 10, 1_000]))


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.ParquetFile(path).read()
    with pa.OSFile(str(path)) as stream:
        return (pa.ipc.open_file if path.suffix == ".arrow" else pa.ipc.open_stream)(stream).read_all()


def compared(rows: pa.Table) -> list[str]:
    """Return rows as strings, because NaN is not equal to itself."""
    return list(map(repr, rows.to_pylist()))


@pytest.mark.parametrize("kind", [".parquet", ".arrow", ".arrows"])
@pytest.mark.parametrize(
    "seeds",
    [range(8), *(pytest.param(range(at, at + 23), marks=pytest.mark.slow) for at in (8, 31, 54, 77))],
    ids=str,
)
def test_tables_are_parted(tmp_path: Path, kind: str, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 7)
    monkeypatch.setattr(tables, "LEAST_ROWS", 20)
    monkeypatch.setattr(tables, "MOST_ROWS", 50)
    for seed in seeds:
        rows, texts = generated(seed)
        path = tmp_path / f"rows{kind}"
        write(rows, path, seed)
        rejects = tmp_path / random.Random(seed).choice(["bad.jsonl", "bad.parquet", "bad.csv"])
        task = job(tmp_path, path, rejects=rejects)
        result = done(task)
        bad = set(wrong(texts))
        good = [row for row in range(len(texts)) if row not in bad]
        value, results = compared(rows), read(task.valid)
        assert result.counts.rows == len(texts)
        assert compared(results) == [value[row] for row in good]
        source = read(path)
        assert results.schema.equals(source.schema, check_metadata=True)
        if rejects.suffix == ".parquet":
            table = pq.read_table(rejects)
            assert [row["row"] for row in table["_source"].to_pylist()] == sorted(bad)
            assert compared(table.select(rows.schema.names)) == [value[row] for row in sorted(bad)]
        elif rejects.suffix == ".jsonl":
            assert [row for row, _ in told(rejects)] == sorted(bad)


def test_a_parquet_file_keeps_how_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    codecs = {"id": "gzip", "url": "zstd", "port": "snappy", "n": "none"}
    pq.write_table(
        table(3), path, compression=codecs, use_dictionary=["port"], write_statistics=["id"], version="1.0"
    )
    done(task := job(tmp_path, path))
    old, new = (pq.read_metadata(each) for each in (path, task.valid))
    assert (new.format_version, new.metadata.keys()) == (old.format_version, old.metadata.keys())
    for column in range(4):
        a, b = (each.row_group(0).column(column) for each in (old, new))
        assert (a.compression, a.has_dictionary_page, a.is_stats_set) == (
            b.compression,
            b.has_dictionary_page,
            b.is_stats_set,
        )


def test_a_file_that_pyarrow_did_not_write(tmp_path: Path) -> None:
    """Neither the file nor the output contains an Arrow schema."""
    path = tmp_path / "rows.parquet"
    pq.write_table(table(), path, store_schema=False)
    done(task := job(tmp_path, path))
    assert b"ARROW:schema" not in (pq.read_metadata(task.valid).metadata or {})


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
def test_an_arrow_file_keeps_its_compression(tmp_path: Path, codec: str | None) -> None:
    from abnforge.ingest.sinks.rows import _arrow_recipe

    path = tmp_path / "rows.arrow"
    with pa.ipc.new_file(path, table().schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table(100))
    done(task := job(tmp_path, path))
    assert _arrow_recipe(str(task.valid)) == (True, codec)


def test_no_row_groups_and_a_thousand_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    schema = pa.schema([("url", pa.string()), *((f"c{at}", pa.int32()) for at in range(999))])
    pq.ParquetWriter(path, schema).close()
    assert pq.read_metadata(path).num_row_groups == 0
    done(task := job(tmp_path, path))
    assert pq.read_table(task.valid).schema.equals(schema)
    wide = pa.table(
        {name: ["a:b", "c d"] if name == "url" else pa.array([1, 2], pa.int32()) for name in schema.names}
    )
    pq.write_table(wide, path)
    done(task)
    assert (pq.read_table(task.valid).num_rows, len(lines_of(tmp_path / "rejected.jsonl")[0])) == (
        1,
        1_002,
    )


NESTED = pa.table(
    {
        "a": pa.array([{"b": "x:y"}, {"b": "x y"}, None, {"b": None}]),
        "urls": pa.array([["a:b", "c d", None], [], None, ["e f", "g h", "i:"]]),
        "deep": pa.array([[{"u": ["a:"]}], [{"u": []}, {"u": ["b c"]}], None, [None]]),
        "a.b": pa.array(["http", "8", None, "x"]),
        "a:b": pa.array(["x:y"] * 4),
    }
)


def test_fields_and_lists(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(NESTED, path)
    columns = [Column("urls[]", URI), Column("deep[].u[]", URI), Column("a.b", SCHEME), Column("a:b", URI)]
    result = done(task := job(tmp_path, path, columns=columns))
    assert task.rejects is not None
    results = [(row, [name for name, _ in reasons]) for row, reasons in told(task.rejects)]
    assert results == [
        (0, ["urls[1]"]),
        (1, ["deep[1].u[0]", "a.b"]),
        (3, ["urls[0]", "urls[1]"]),
    ]
    assert {name: sum(codes.values()) for name, codes in result.counts.by_column.items()} == {
        "urls[]": 3,
        "deep[].u[]": 1,
        "a.b": 1,
    }
    done(task := job(tmp_path, path, columns=[Column(r"a\.b", SCHEME)]))
    pq.write_table(NESTED.select(["a"]), path)
    result = done(job(tmp_path, path, columns=[Column("a.b", URI)], nulls="reject"))
    assert result.counts.by_column["a.b"]["null"] == 2


MISSING = [
    ("url", "column-unknown"),
    ("zzz", "column-unknown"),
    ("a.c", "path-field-unknown"),
    ("a", "column-with-fields"),
    ("urls", "path-is-list"),
    ("urls.b", "path-is-list"),
    ("a[]", "path-not-list"),
    ("a.b.c", "path-without-fields"),
]


@pytest.mark.parametrize(("name", "code"), MISSING)
def test_columns_that_there_are_not(tmp_path: Path, name: str, code: str) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(NESTED.drop_columns(["a.b"]) if name.startswith("a.b") else NESTED, path)
    with raises(JobError, code):
        run(job(tmp_path, path, columns=[Column(name, URI)]))


IDS: list[tuple[str, list[object]]] = [
    ("a.b", [8, None]),
    (r"m\.id", [1, 2]),
    ("m", [{"id": "x"}, None]),
    ("m.id", ["x", None]),
]


@pytest.mark.parametrize("rejects", ["jsonl", "parquet"])
@pytest.mark.parametrize(("name", "ids"), IDS)
def test_identifiers_within_structs(tmp_path: Path, name: str, ids: list[object], rejects: str) -> None:
    path = tmp_path / "rows.parquet"
    m = pa.array([{"id": "x"}, None])
    a = pa.array([{"b": 8}, {"b": None}])
    columns = {"url": ["a b", "c d"], "m": m, "a": a, **({"m.id": [1, 2]} if name == r"m\.id" else {})}
    pq.write_table(pa.table(columns), path)
    done(task := job(tmp_path, path, id=name, rejects=tmp_path / f"bad.{rejects}"))
    assert task.rejects is not None
    result = lines_of(task.rejects) if rejects == "jsonl" else pq.read_table(task.rejects).to_pylist()
    assert [row["_source"]["id"] for row in result] == ids


def test_identifiers_that_there_are_not(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(NESTED, path)
    for name, result in (
        ("a.c", "path-field-unknown"),
        ("urlz", "column-unknown"),
        ("urls[]", "id-many"),
    ):
        with raises(JobError, result):
            run(job(tmp_path, path, columns=[Column("a:b", URI)], id=name))


def test_columns_of_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(), path)
    with raises(JobError, "column-not-text", column="n"):
        run(job(tmp_path, path, columns=[Column("n", URI)]))
    with raises(JobError, "column-unknown", column="no", near=("n",), columns=()):
        run(job(tmp_path, path, id="no"))
    pq.write_table(pa.Table.from_arrays([pa.array(["a"])] * 2, names=["url", "url"]), path)
    with raises(JobError, "column-ambiguous", column="url", count=2):
        run(job(tmp_path, path))


def test_directories_of_hive(tmp_path: Path) -> None:
    for year, month in ((2025, "x%2Fy"), (2026, "__HIVE_DEFAULT_PARTITION__")):
        folder = tmp_path / "in" / f"year={year}" / f"month={month}"
        folder.mkdir(parents=True)
        pq.write_table(table(), folder / "part-0.parquet")
    (tmp_path / "in" / "_SUCCESS").touch()
    (tmp_path / "in" / ".part-1.parquet.crc").touch()
    task = job(tmp_path, tmp_path / "in", valid=tmp_path / "accepted.parquet")
    result = done(task)
    assert result.counts.rows == 2 * len(URLS)
    results = pq.ParquetFile(task.valid).read()
    assert results.schema.names == ["id", "url", "port", "n", "year", "month"]
    assert results.schema.field("year").type == pa.int64()
    assert {(row["year"], row["month"]) for row in results.to_pylist()} == {(2025, "x/y"), (2026, None)}


def test_sources_of_different_columns(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "a.parquet")
    other = table()
    pq.write_table(other.set_column(0, "id", other["id"].cast(pa.string())), tmp_path / "b.parquet")
    with raises(JobError, "schema-different", changes=('"id" is string, not int32',)):
        run(job(tmp_path, tmp_path / "*.parquet", valid=tmp_path / "c.parquet"))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_unreadable_tables(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    path.write_bytes(b"id,url\n1,a:b\n" * 10)
    with raises(JobError, "source-unreadable"):
        run(job(tmp_path, path))
    pq.write_table(table(30), path) if kind == "parquet" else write(table(30), path, 0)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with raises(JobError, "source-unreadable"):
        run(job(tmp_path, path))


def test_damaged_offsets(tmp_path: Path) -> None:
    """An offset beyond its column, which reading the batch does not show."""
    rows = pa.table({"url": [f"a:{number}" for number in range(1000, 2000)]})
    offsets = rows["url"].chunk(0).buffers()[1].to_pybytes()[:4004]
    damaged = offsets[:202] + b"\x55" + offsets[203:]
    path = tmp_path / "rows.arrow"
    with pa.ipc.new_file(path, rows.schema) as writer:
        writer.write_table(rows)
    octets = path.read_bytes()
    assert offsets in octets
    path.write_bytes(octets.replace(offsets, damaged))
    with raises(JobError, "source-unreadable", source=str(path)):
        run(job(tmp_path, path))


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    rows = pa.table({"url": pa.array([b"a:b", b"a:\xff", b"\xc3\xa9 :"])})
    pq.write_table(rows, path)
    done(task := job(tmp_path, path))
    assert task.rejects is not None
    result = lines_of(task.rejects)
    assert [row["url"] for row in result] == [{"base64": "YTr/"}, "é :"]
    assert result[0]["_errors"][0]["code"] == "not-utf-8"
    assert result[0]["_errors"][0]["offset"] == 2


def test_flagged_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(2), path)
    done(task := job(tmp_path, path, on_error="keep"))
    result = pq.read_table(task.valid)
    assert result.select(table().schema.names).equals(table(2))
    flagged = [row for row, reasons in enumerate(result["_errors"].to_pylist()) if reasons is not None]
    assert flagged == wrong(URLS * 2)
    with raises(JobError, "column-flagged", column="_errors"):
        run(job(tmp_path, task.valid, valid=tmp_path / "again.parquet", on_error="keep"))


def test_passwords_within_lists_and_fields_are_hidden(tmp_path: Path) -> None:
    from abnforge.cli.common.ingesting import PasswordRedactor
    from abnforge.cli.common.security import always_masking

    secret = "http://me:secret@h/ x"
    rows = pa.table(
        {
            "url": [secret],
            "list": [[secret, None]],
            "fields": [{"a": secret, "b": 1}],
            "octets": pa.array([secret.encode()]),
            "words": pa.array([secret]).dictionary_encode(),
        }
    )
    pq.write_table(rows, tmp_path / "rows.parquet")
    for name in ("bad.parquet", "bad.csv", "bad.jsonl"):
        redactor = PasswordRedactor(always_masking())
        done(job(tmp_path, tmp_path / "rows.parquet", rejects=tmp_path / name, redactor=redactor))
    message = str(pq.read_table(tmp_path / "bad.parquet").to_pylist())
    for text in (message, *((tmp_path / name).read_text() for name in ("bad.csv", "bad.jsonl"))):
        assert "secret" not in text
        assert text.count("me:******@h") == 5


@pytest.mark.parametrize("name", ["bad.parquet", "bad.csv", "bad.jsonl"])
def test_passwords_in_bytes_and_identifiers_are_hidden(tmp_path: Path, name: str) -> None:
    from abnforge.cli.common.ingesting import PasswordRedactor
    from abnforge.cli.common.security import always_masking

    octets = b"http://me:secret@h/\xff"
    secret = "http://me:secret@h/ x"
    rows = pa.table(
        {
            "url": [secret],
            "raw": pa.array([octets], pa.large_binary()),
            "fixed": pa.array([octets], pa.binary(len(octets))),
        }
    )
    pq.write_table(rows, tmp_path / "rows.parquet")
    bad, redactor = tmp_path / name, PasswordRedactor(always_masking())
    done(job(tmp_path, tmp_path / "rows.parquet", rejects=bad, redactor=redactor, id="url"))
    message = str(pq.read_table(bad).to_pylist()) if name.endswith("parquet") else bad.read_text()
    for result in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", message):
        message += base64.b64decode(result).decode(errors="replace")
    assert "secret" not in message
    assert message.count("******") >= 4


def test_passwords_in_rows_that_are_not_utf8_are_hidden(tmp_path: Path) -> None:
    from abnforge.cli.common.ingesting import PasswordRedactor
    from abnforge.cli.common.security import always_masking

    (tmp_path / "rows.csv").write_bytes(b"url,n\nhttp://me:secret@h/\xff,1\n")
    (tmp_path / "rows.jsonl").write_bytes(b'{"url":"http://me:secret@h/\xff"}\n')
    for source in ("rows.csv", "rows.jsonl"):
        redactor = PasswordRedactor(always_masking())
        done(job(tmp_path, tmp_path / source, redactor=redactor))
        [row] = lines_of(tmp_path / "rejected.jsonl")
        [result] = re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", str(row))
        assert b"secret" not in base64.b64decode(result)
        assert b"******" in base64.b64decode(result)
        assert row["_source"]["masked"] is True
