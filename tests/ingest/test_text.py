"""Text sources: valid rows keep their bytes, and every byte is in one row."""

from __future__ import annotations

import bz2
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import text as texts
from tests.ingest.jobs import URI, URLS, cells_of, done, job, lines_of, quoted, told
from tests.ingest.test_records import by_hand
from tests.law import one_in
from tests.raising import raises

pytest.importorskip("numpy")

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


def unpacked(path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".bz2":
        return bz2.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd").read()
    return path.read_bytes()


def csv_rows(r: random.Random, delimiter: str) -> list[str]:
    """Return realistic rows, some of them malformed."""
    end = r.choice(["\n", "\r\n"])
    rows = []
    for _ in range(r.choice([0, 1, 3, 40, 150])):
        text = r.choice(URLS)
        cell = (
            "" if text is None else quoted(text) if r.random() < 0.5 or set(text) & set('",\n\r\t') else text
        )
        row = delimiter.join([str(r.randrange(99)), cell, r.choice(["x", '"y"', '"a\nb"', '""', "é"])])
        if r.random() < 0.05:
            row = r.choice(
                [row + delimiter, "1", "", f'a"b{delimiter}c', f'"a"b{delimiter}', f'"open{delimiter}']
            )
        rows.append(row + end)
    if rows and r.random() < 0.3:
        rows[-1] = rows[-1].removesuffix(end)
    return rows


@pytest.mark.parametrize("packed", one_in(3, PACK))
@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("block", [1_000, 1 << 20])
def test_csv(
    tmp_path: Path, packed: str, delimiter: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", block)
    kind = "csv" if delimiter == "," else "tsv"
    for seed in range(6):
        r = random.Random(f"{seed}{packed}{delimiter}")
        header = delimiter.join(["id", "url", "n"]) + "\r\n"
        text = header + "".join(csv_rows(r, delimiter))
        path = tmp_path / f"rows.{kind}{packed}"
        path.write_bytes(PACK[packed](text.encode()))
        rows = by_hand(text, delimiter)[1:]
        good = [
            cells is not None and len(cells) == 3 and (cells[1] is None or URI.matches(cells[1]))
            for _, cells in rows
        ]
        task = job(tmp_path, path, valid=tmp_path / f"good.{kind}{packed}", id="id")
        assert done(task).counts.rows == len(rows)
        kept = [raw for (raw, _), keep in zip(rows, good, strict=True) if keep]
        assert unpacked(task.valid).decode() == header + "".join(kept)
        assert task.rejects is not None
        result = lines_of(task.rejects)
        assert [row["_source"]["row"] for row in result] == [at for at, keep in enumerate(good) if not keep]
        for row in result:
            raw, cells = rows[row["_source"]["row"]]
            offset, line = row["_source"]["byte_offset"], row["_source"]["line"]
            assert text.encode()[offset:].startswith(raw.encode())
            assert text.encode()[:offset].count(b"\n") == line - 1
            if cells is None or len(cells) != 3:
                assert row["_errors"][0]["code"] == "malformed-row"
                assert row["_row"] == raw.removesuffix("\n").removesuffix("\r")
            else:
                assert [row[name] for name in ("id", "url", "n")] == cells
                assert row["_source"]["id"] == cells[0]


def test_json_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "BLOCK", 300)
    kept = [
        '{"url":"a:b","x":1.10,"y":12345678901234567890}\r\n',
        ' {"url" : null}\n',
        '{"y":[1]}\n',
        '{"url":"c:"}',
    ]
    bad = ['{"url":"a b","x":1.10}\n', "{}x\n", "\n", '{"url":7}\n', "{}\xff\n"]
    text = "".join([*(kept[at % 3] + bad[at % 5] for at in range(30)), kept[3]])
    octets = text.encode("latin-1")
    (tmp_path / "rows.jsonl").write_bytes(octets)
    done(task := job(tmp_path, tmp_path / "rows.jsonl"))
    assert task.valid.read_bytes().decode() == "".join([*(kept[at % 3] for at in range(30)), kept[3]])
    assert task.rejects is not None
    codes = [code for _, [(_, code)] in told(task.rejects)]
    assert codes == ["scheme-missing", "malformed-row", "not-text", "not-utf-8"] * 6  # no empty line
    raw = task.rejects.read_text()
    assert raw.startswith('{"url":"a b","x":1.10,"_errors":[{"column":"url",')
    rows = lines_of(task.rejects)
    assert rows[3]["_row"] == "base64:e33/"
    assert rows[0]["_source"] == {
        "source": task.sources[0],
        "row": 1,
        "line": 2,
        "byte_offset": len(kept[0]),
        "id": None,
    }


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_bytes(b"a:b\r\na b\n\nc:\xff\nd:\ne:")
    task = job(tmp_path, tmp_path / "rows.txt", columns=[Column("link", URI)])
    done(task)
    assert task.valid.read_bytes() == b"a:b\r\nd:\ne:"
    assert task.rejects is not None
    result = lines_of(task.rejects)
    assert [row.get("link", row.get("_row")) for row in result] == ["a b", "", "base64:Yzr/"]
    assert [row["_source"]["line"] for row in result] == [2, 3, 4]


def test_a_last_row_without_its_end_gets_one_before_the_next(tmp_path: Path) -> None:
    for name, text in (("1.csv", "url\na:b"), ("2.csv", "url\nc:d\n"), ("3.csv", "url\ne:f")):
        (tmp_path / name).write_text(text)
    task = job(tmp_path, tmp_path / "?.csv", valid=tmp_path / "good.csv")
    done(task)
    assert task.valid.read_text() == "url\na:b\nc:d\ne:f"


@pytest.mark.parametrize("most", [50, 3_000])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_rows_that_are_too_long(
    tmp_path: Path, kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", 2_000)
    row = {"csv": "{}\n", "jsonl": '{{"url":"{}"}}\n', "txt": "{}\n"}[kind]
    long = row.format("a:" + "b" * 1_000_000)
    rows = [row.format("a:b"), long, row.format("c:d"), row.format("e f"), long.removesuffix("\n")]
    head = "url\n" if kind == "csv" else ""
    path = tmp_path / f"rows.{kind}"
    path.write_text(head + "".join(rows))
    task = job(tmp_path, path, max_row_bytes=most, columns=[Column("url", URI)])
    done(task)
    assert task.valid.read_text() == head + rows[0] + rows[2]
    assert task.rejects is not None
    result = lines_of(task.rejects)
    assert [(each["_source"]["row"], each["_errors"][0]["code"]) for each in result][::2] == [
        (1, "too-long"),
        (4, "too-long"),
    ]
    assert result[0]["_row"] == long[:1024]
    assert [each["_source"]["line"] for each in result] == [
        2 + (kind == "csv"),
        4 + (kind == "csv"),
        5 + (kind == "csv"),
    ]


ENCODINGS = ["utf-16", "latin-1", "cp1252", "utf-16-le", "utf-8-sig", "shift_jis"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_other_encodings(tmp_path: Path, kind: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "BLOCK", 500)
    letter = "ア" if encoding == "shift_jis" else "é"
    good, bad = f"x:{'y' * 9}", f"http://{letter}/"
    row = {"csv": "{},{}\n", "jsonl": '{{"url":"{}","n":"{}"}}\n', "txt": "{}\n"}[kind]
    rows = [row.format(good, letter), row.format(bad, letter)] * 50
    head = "url,n\n" if kind == "csv" else ""
    path = tmp_path / f"rows.{kind}"
    path.write_bytes((head + "".join(rows)).encode(encoding))
    task = job(tmp_path, path, encoding=encoding, columns=[Column("url", URI)])
    assert done(task).counts.rejected == 50
    plain = (head + rows[0] * 50).encode("utf-8" if encoding == "utf-8-sig" else encoding)
    assert task.valid.read_bytes().removeprefix(b"\xef\xbb\xbf") == plain
    assert task.rejects is not None
    assert lines_of(task.rejects)[0]["url"] == bad


def test_text_that_is_in_another_encoding_than_it_should_be(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes("url\na:b\n".encode("utf-16"))
    with raises(JobError, "source-utf16", parameter="encoding", encoding="utf-16"):
        run(job(tmp_path, path))
    path.write_bytes("url,é\na:b,c\n".encode("latin-1"))
    with raises(
        JobError, "header-not-encoded", encoding="UTF-8", byte="0xE9", offset=4, parameter="encoding"
    ):
        run(job(tmp_path, path))
    with raises(JobError, "encoding-unknown", encoding="klingon"):
        run(job(tmp_path, path, encoding="klingon"))
    for none in ("base64", "punycode", "undefined"):
        with raises(JobError, "encoding-not-text"):
            run(job(tmp_path, path, encoding=none))
    path.write_bytes("url,é\na:b,c\n".encode("latin-1").replace(b"\xe9", b"\x81"))
    with raises(
        JobError, "header-not-encoded", encoding="cp1252", byte="0x81", offset=4, parameter="encoding"
    ):
        run(job(tmp_path, path, encoding="cp1252"))


@pytest.mark.parametrize("octets", [b"\x00\xd8a\x00\n\x00", b"a"], ids=["half of a pair", "half of a unit"])
def test_octets_that_stand_for_no_text_in_the_encoding(tmp_path: Path, octets: bytes) -> None:
    (tmp_path / "rows.csv").write_bytes("url\na:b\n".encode("utf-16") + octets)
    with raises(JobError, "source-undecodable", encoding="utf-16"):
        run(job(tmp_path, tmp_path / "rows.csv", encoding="utf-16"))


def test_an_byte_that_the_encoding_leaves_undefined(tmp_path: Path) -> None:
    """The row is rejected with a message that names the encoding. Valid rows keep their bytes."""
    (tmp_path / "rows.csv").write_bytes(b"url,x\na:b,\xe9\nc:d,\xe9\xe9\x81\n")
    done(task := job(tmp_path, tmp_path / "rows.csv", encoding="cp1252"))
    assert task.valid.read_bytes() == b"url,x\na:b,\xe9\n"
    assert task.rejects is not None
    [row] = lines_of(task.rejects)
    assert [each["code"] for each in row["_errors"]] == ["not-utf-8"]
    assert "cp1252" in row["_errors"][0]["message"]


def test_a_mark_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xef\xbb\xbfurl\na:b\nc d\n")
    done(task := job(tmp_path, path))
    assert task.valid.read_bytes() == b"url\na:b\n"
    assert task.rejects is not None
    assert lines_of(task.rejects)[0]["_source"]["byte_offset"] == 11  # in the file


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".zst"])
def test_what_is_not_packed_as_it_is_called(tmp_path: Path, packed: str) -> None:
    path = tmp_path / f"rows.csv{packed}"
    path.write_bytes(b"url\na:b\n")
    with pytest.raises((JobError, OSError), match=r"rows\.csv"):
        run(job(tmp_path, path))
    path.write_bytes(PACK[packed](b"url\n" + b"a:b\n" * 100_000)[:-30])
    with pytest.raises((JobError, OSError), match=r"rows\.csv"):
        run(job(tmp_path, path))
    assert not (tmp_path / "accepted.csv").exists()


def test_rejects_as_csv_and_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "rows.csv"
    path.write_bytes(b'id,url,n\n1,"a ""b""",\n2,c d,""\n3\n4,\xff,x\n')
    done(task := job(tmp_path, path, rejects=tmp_path / "bad.csv", id="id"))
    assert task.rejects is not None
    header, *rows = cells_of(task.rejects.read_bytes())
    assert header == ["id", "url", "n", "_row", "_errors", "_source"]
    assert [row[:4] for row in rows] == [
        ["1", 'a "b"', "", ""],
        ["2", "c d", "", ""],
        ["", "", "", "3"],
        ["", "", "", "base64:NCz/LHg="],
    ]
    assert b'\n2,c d,"",,' in task.rejects.read_bytes()
    assert json.loads(rows[1][5])["id"] == "2"
    done(task := job(tmp_path, path, rejects=tmp_path / "bad.parquet", id="id"))
    assert task.rejects is not None
    values = pq.read_table(task.rejects).to_pylist()
    assert [(row["id"], row["url"], row["n"], row["_row"]) for row in values] == [
        ("1", 'a "b"', None, None),
        ("2", "c d", "", None),
        (None, None, None, "3"),
        (None, None, None, "base64:NCz/LHg="),
    ]


def test_rejects_of_json_lines_as_tables(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "rows.jsonl"
    path.write_text('{"id":1.10,"url":"a b","x":[1.0,{"é":null}]}\n{"url":"c d","y":1}\nno\n')
    for name in ("bad.parquet", "bad.csv"):
        done(task := job(tmp_path, path, rejects=tmp_path / name, id="id"))
    values = pq.read_table(tmp_path / "bad.parquet").to_pylist()
    assert [(row["id"], row["url"], row["x"], row["y"]) for row in values] == [
        ("1.10", "a b", '[1.0,{"é":null}]', None),
        (None, "c d", None, "1"),
        (None, None, None, None),
    ]
    assert [row["_row"] for row in values] == path.read_text().splitlines()
    assert [row["_source"]["id"] for row in values] == ["1.10", None, None]
    assert task.rejects is not None
    assert cells_of(task.rejects.read_bytes())[1][:4] == ["1.10", "a b", '[1.0,{"é":null}]', ""]


WRONG = [
    ("rows.csv", b"", "source-empty", {}),
    ("rows.csv", b'"url\na:b\n', "header-malformed", {}),
    ("rows.csv", b"\n\nid,url\n1,a b\n", "header-empty", {}),
    ("rows.csv", b",\n1,2\n", "header-empty", {}),
    ("rows.csv", b"id,url\r1,a b\r2,a:b\r", "header-with-cr", {}),
    ("rows.csv", b"a,b\n1,2\n", "column-unknown", {"column": "url", "columns": ("a", "b")}),
    ("rows.csv", b"url,url\n1,2\n", "column-ambiguous", {"column": "url", "count": 2}),
    ("rows.jsonl", b'{"ulr":1}\n', "column-unknown", {"column": "url", "near": ("ulr",)}),
    ("rows.dat", b"", "format-unknown", {"parameter": "input_format"}),
    ("rows.parquet.gz", b"", "format-compressed", {"format": "parquet"}),
]


@pytest.mark.parametrize(("name", "octets", "code", "data"), WRONG)
def test_errors_before_any_output(
    tmp_path: Path, name: str, octets: bytes, code: str, data: dict[str, Any]
) -> None:
    path = tmp_path / name
    path.write_bytes(octets)
    with raises(JobError, code, **data):
        run(job(tmp_path, path, valid=tmp_path / "good.csv"))
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_headers_that_differ(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("url,n\n")
    (tmp_path / "2.csv").write_text("n,url\n")
    with raises(JobError, "header-different", changes=("its names are in another order",)):
        run(job(tmp_path, tmp_path / "?.csv", valid=tmp_path / "good.csv"))


@pytest.mark.parametrize(("name", "text"), [("rows.csv", "url\n"), ("rows.jsonl", ""), ("rows.txt", "")])
@pytest.mark.parametrize("packed", PACK)
def test_no_rows(tmp_path: Path, name: str, text: str, packed: str) -> None:
    path = tmp_path / (name + packed)
    path.write_bytes(PACK[packed](text.encode()))
    task = job(
        tmp_path, path, valid=tmp_path / f"good{path.name[4:]}", rejects=tmp_path / f"bad.jsonl{packed}"
    )
    assert done(task).counts.rows == 0
    assert unpacked(task.valid).decode() == text
    assert task.rejects is not None
    assert unpacked(task.rejects) == b""


def test_nulls(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('url,n\na:b,1\n,2\n"",3\n')
    done(task := job(tmp_path, path, nulls="reject"))
    assert task.rejects is not None
    rule = abnforge.load("rfc3986")["URI"]
    assert not rule.matches("")
    assert told(task.rejects)[0] == (1, [("url", "null")])
    assert [row for row, _ in told(task.rejects)] == [1, 2]


LINES = [
    ({"id": "x"}, "id-of-lines"),
    ({"columns": [Column("a", URI), Column("b", URI)]}, "lines-one-column"),
    ({"on_error": "keep"}, "lines-without-flag"),
]


@pytest.mark.parametrize(("options", "code"), LINES)
def test_what_lines_do_not_have(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("a:b\n")
    with raises(JobError, code):
        run(job(tmp_path, path, **options))


PIECES = [
    *(text.replace("\n", " ") for text in URLS if text),
    "",
    "x:" + "y" * 300,
    "\x00",
    "a:\rb",
    "é:",
    "\u2028",
    "\x85:",
]


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 100), marks=pytest.mark.slow)], ids=str)
def test_lines_are_parted(tmp_path: Path, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only LF and CRLF end a line."""
    monkeypatch.setattr(texts, "BLOCK", 400)
    for seed in seeds:
        r = random.Random(seed)
        files = [
            "".join(
                r.choice(PIECES).replace("\n", " ") + r.choice(["\n", "\r\n"])
                for _ in range(r.choice([0, 1, 50]))
            )
            for _ in range(r.randrange(1, 4))
        ]
        for number, text in enumerate(files):
            (tmp_path / f"{number}.txt").write_bytes(text.encode())
        task = job(tmp_path, tmp_path / "?.txt", valid=tmp_path / "good.txt", columns=[Column("x", URI)])
        result = done(task)
        rows = [line + "\n" for text in files for line in text.split("\n")[:-1]]
        plain = [row.removesuffix("\n").removesuffix("\r") for row in rows]
        good = list(map(URI.matches, plain))
        assert result.counts.rows == len(rows)
        kept = "".join(row for row, keep in zip(rows, good, strict=True) if keep)
        assert task.valid.read_bytes().decode() == kept
        assert task.rejects is not None
        bad = [text for text, keep in zip(plain, good, strict=True) if not keep]
        assert [row["x"] for row in lines_of(task.rejects)] == bad
        for path in list(tmp_path.iterdir()):
            path.unlink()
