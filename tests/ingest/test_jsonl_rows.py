"""Rows of JSON Lines with an additional key."""

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
from syrupy.assertion import SnapshotAssertion

from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import jsonl
from abnforge.ingest.sources import text as texts
from abnforge.ingest.summary import WHOLE_ROW
from tests.ingest.jobs import PORT, URI, URLS, done, job, lines_of
from tests.raising import raises

pytest.importorskip("numpy")

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
BROKEN = [b"", b"{", b"[]", b"7", b'{"url":}', b'{"url":"a:b"}{}', b'{"url":"\xff"}', b'{"n":NaN}', b"\xc3"]
HALVES = [
    rb'{"url":"a:b","n":"\ud800"}',
    rb'{"\udC00":1}',
    rb'{"url":"a:b","n":["\ud83d\\ude00"]}',
    rb'{"url":"a:b","page":{"n":"\\\ud83d\ud83d\ude00"}}',
    rb'{"url":"a:b","n":"\ude00\ud83d"}',
]
WHOLE = [
    rb'{"url":"a:b","n":"\uD83d\uDe00\\ud800\\\ud83d\ude00"}',
    rb'{"url":"a:b","\\ude00":"\\\\ud800\u00e9"}',
]
TEXTS = [*URLS, 7, 1.5, True, [], ["a:b"], {}, {"x": 1}, "\u2028:", "é", "a:\x00", "x:" + "y" * 200]
PAGES = [None, {}, {"port": "80"}, {"port": "8x"}, {"port": None}, {"port": 80}, "80"]
LINKS = [None, [], ["a:b", None], ["a b", "c d"], ["a b", 7, "c d", {}, "a:b"], "a:b", [["a:b"]]]
NAMED = b'{"id":0,"url":"a:b","page":{"port":"1"},"links":[]}'  # the first rows determine the keys


def row(r: random.Random) -> bytes:
    """Return a random object in the layout of some program, or an invalid line."""
    if r.random() < 0.08:
        return r.choice([*BROKEN, *HALVES, *WHOLE])
    value: dict[str, Any] = {"id": r.randrange(10**22)}
    if r.random() < 0.9:
        value["url"] = r.choice(TEXTS)
    if r.random() < 0.5:
        value["page"] = r.choice(
            [None, {}, {"port": "80"}, {"port": "8x"}, {"port": None}, {"port": 80}, "80"]
        )
    if r.random() < 0.3:
        value["links"] = r.choice(LINKS)
    keys = r.sample(list(value), len(value))
    spaces = r.choice([(",", ":"), (", ", ": "), (" ,\t", " :  ")])
    text = json.dumps({key: value[key] for key in keys}, ensure_ascii=r.random() < 0.5, separators=spaces)
    return (r.choice(["", " "]) + text + r.choice(["", "", "\r"])).encode()


REPEATED = "\ud800"
"""The value of a repeated key: no string has it, like any other lone surrogate."""


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    return {key: value if keys.count(key) == 1 else REPEATED for key, value in pairs}


def strings_of(value: dict[str, Any]) -> list[object]:
    """Return the values of the columns, and those that contain them."""
    page, links = value.get("page"), value.get("links")
    return [
        *(value.get("url"), page, links, page.get("port") if isinstance(page, dict) else None),
        *(links if isinstance(links, list) else ()),
    ]


def is_ambiguous(value: object) -> bool:
    """Return whether a value has a lone surrogate, or a repeated key."""
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)


def reasons(line: bytes) -> set[str | None]:
    """Return the columns that reject a row, or None for the whole row, according to the json module."""

    def refused(text: str) -> None:
        raise ValueError(text)

    try:
        value = json.loads(
            line.decode(), parse_constant=refused, parse_int=float, object_pairs_hook=object_of
        )
    except (ValueError, RecursionError):
        return {None}
    if not isinstance(value, dict) or any(map(is_ambiguous, strings_of(value))):
        return {None}
    if is_ambiguous(json.dumps(json.loads(line, parse_int=float), ensure_ascii=False)):
        return {None}
    result: set[str | None] = set()
    if (url := value.get("url")) is not None and not (isinstance(url, str) and URI.matches(url)):
        result.add("url")
    page = value.get("page")
    port = page.get("port") if isinstance(page, dict) else page
    if page is not None and (
        not isinstance(page, dict)
        or (port is not None and not (isinstance(port, str) and PORT.matches(port)))
    ):
        result.add("page.port")
    links = value.get("links")
    if links is not None and not isinstance(links, list):
        return result | {"links[]"}
    return result | {
        f"links[{at}]"
        for at, each in enumerate(links or ())
        if each is not None and not (isinstance(each, str) and URI.matches(each))
    }


@pytest.mark.parametrize(
    "seeds",
    [range(12), *(pytest.param(range(at, at + 22), marks=pytest.mark.slow) for at in (12, 34, 56, 78))],
    ids=str,
)
def test_objects_are_parted_as_the_json_module_reads_them(
    tmp_path: Path, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", 2_000)
    columns = [Column("url", URI), Column("page.port", PORT), Column("links[]", URI)]
    for seed in seeds:
        r = random.Random(seed)
        files = [[row(r) for _ in range(r.choice([0, 1, 5, 60]))] for _ in range(r.randrange(1, 4))]
        named = b'{"id":0,"url":"a:b","page":{"port":"1"},"links":[]}'  # the first rows determine the keys
        files[0].insert(0, named)
        for number, lines in enumerate(files):
            end = b"\n" if r.random() < 0.7 or (lines and not lines[-1]) else b""
            packed = r.choice(list(PACKED))
            (tmp_path / f"{number}.jsonl{packed}").write_bytes(
                PACKED[packed](b"\n".join(lines) + end * bool(lines))
            )
        sources = sorted(tmp_path.iterdir())
        task = job(tmp_path, *sources, columns=columns, id="id", valid=tmp_path / "good.jsonl")
        result = done(task)
        rows = [line for lines in files for line in lines if line.strip(b" \t\r")]
        results = [reasons(line) for line in rows]
        assert result.counts.rows == len(rows)
        kept = [line for line, why in zip(rows, results, strict=True) if not why]
        assert task.valid.read_bytes().rstrip(b"\n") == b"\n".join(kept).rstrip(b"\n"), seed
        assert task.rejects is not None
        rejects = lines_of(task.rejects)
        bad = [(line, why) for line, why in zip(rows, results, strict=True) if why]
        assert len(rejects) == len(bad)
        for reject, (line, why) in zip(rejects, bad, strict=True):
            assert {each["column"] for each in reject["_errors"]} == why, line
            if None not in why:
                own = {key: value for key, value in reject.items() if not key.startswith("_")}
                assert own == json.loads(line)
                assert reject["_source"]["id"] == own["id"]
        for path in [*sources, *task.outputs]:
            path.unlink()


def test_an_identifier_within_an_object(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"m":{"id":{"x":1.10}},"url":"a b"}\n{"m":7,"url":"a b"}\n{"m.id":5,"url":"a b"}\n')
    for name, ids in (("m.id.x", [1.1, None, None]), ("m.id", [None, None, 5]), (r"m\.id", [None, None, 5])):
        done(task := job(tmp_path, path, id=name))
        assert task.rejects is not None
        assert [row["_source"]["id"] for row in lines_of(task.rejects)] == ids
    with raises(JobError, "column-unknown", column="n", near=(), columns=("m", "url", "m.id")):
        run(job(tmp_path, path, id="n.id"))
    with raises(JobError, "id-many", parameter="id", column="m[]"):
        run(job(tmp_path, path, id="m[]"))


def test_flagged_objects(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"a:b","n":1.10}\n{"url":"c d"}\nno\n{}\n')
    done(task := job(tmp_path, path, on_error="keep"))
    first, second, third, fourth = task.valid.read_text().splitlines()
    assert first == '{"url":"a:b","n":1.10,"_errors":null}'
    assert [each["column"] for each in json.loads(second)["_errors"]] == ["url"]
    assert json.loads(third)["_row"] == "no"
    assert fourth == '{"_errors":null}'


def test_keys_that_rejects_have(tmp_path: Path) -> None:
    """Rejects of another job are ordinary rows. Their keys that name reject columns are in ``_row``."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"a b","_errors":[1],"_source":{}}\n')
    done(task := job(tmp_path, path))
    assert task.rejects is not None
    [row] = lines_of(task.rejects)
    assert row["_row"] == path.read_text().rstrip()
    assert row["_errors"][0]["column"] == "url"
    (tmp_path / "rows.csv").write_text("url,_errors\na b,\n")
    with raises(JobError, "column-rejected", column="_errors", parameter="replay"):
        run(job(tmp_path, tmp_path / "rows.csv", rejects=tmp_path / "bad.csv"))


@pytest.mark.parametrize(
    ("column", "value", "place"),
    [
        ("url", "1", "url"),
        ("urls[]", '"x:y"', "urls[]"),
        ("urls[]", '["x:y",true]', "urls[1]"),
        ("a.b", '"x:y"', "a.b"),
        ("a.b[].c", '{"b":[{"c":"x:y"},"x"]}', "a.b[1].c"),
        ("a.b[].c", '{"b":{"c":"x:y"}}', "a.b[].c"),
        ("a[][]", '[["x:y"],["x:y",1]]', "a[1][1]"),
        ("a[][]", '[["x:y"],1]', "a[1][]"),
        ("a[].b[]", '[{"b":["x:y"]},{"b":1}]', "a[1].b[]"),
    ],
)
def test_values_of_another_type(
    tmp_path: Path, column: str, value: str, place: str, snapshot: SnapshotAssertion
) -> None:
    key = column.replace("[", ".").partition(".")[0]
    (tmp_path / "rows.jsonl").write_text(f'{{"{key}":{value}}}\n')
    done(task := job(tmp_path, tmp_path / "rows.jsonl", columns=[Column(column, URI)]))
    assert task.rejects is not None
    [row] = lines_of(task.rejects)
    [reason] = row["_errors"]
    assert (reason["code"], reason["column"]) == ("not-text", place)
    assert reason["message"] == snapshot


def test_all_elements_of_a_list_are_reported(tmp_path: Path) -> None:
    """Missing elements, too; the summary counts all of them for the column."""
    (tmp_path / "rows.jsonl").write_text('{"urls":["a b",3,"x:y",null,[],"c d",null]}\n')
    columns = [Column("urls[]", URI)]
    counts = done(task := job(tmp_path, tmp_path / "rows.jsonl", columns=columns, nulls="reject")).counts
    [row] = lines_of(task.rejects)
    errors = [(each["column"], each["code"]) for each in row["_errors"]]
    assert [name for name, _ in errors] == [f"urls[{at}]" for at in (0, 1, 3, 4, 5, 6)]
    assert [code for _, code in errors[1:4]] == ["not-text", "null", "not-text"]
    assert sum(counts.by_column["urls[]"].values()) == 6


@pytest.mark.parametrize("valid", ["jsonl", "csv", "parquet", "arrow"])
@pytest.mark.parametrize("rejects", ["jsonl", "csv", "parquet"])
def test_half_a_character(tmp_path: Path, valid: str, rejects: str) -> None:
    """A row with a lone surrogate in any value or key is malformed, whatever the outputs can hold."""
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join([*HALVES, *WHOLE]))
    task = job(
        tmp_path,
        tmp_path / "rows.jsonl",
        id="n",
        valid=tmp_path / f"good.{valid}",
        rejects=tmp_path / f"bad.{rejects}",
    )
    counts = done(task).counts
    assert (counts.valid, counts.rejected) == (len(WHOLE), len(HALVES))
    assert counts.by_column == {WHOLE_ROW: {"malformed-row": len(HALVES)}}
    if rejects == "jsonl":
        assert [row["_row"].encode() for row in lines_of(task.rejects)] == HALVES


def test_a_key_may_appear_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of a later row or file is known; an unknown key is a typo, within the limit of bytes."""
    (tmp_path / "1.jsonl").write_text('{"a":1}\n' * 1_001)
    (tmp_path / "2.jsonl").write_text('{"a":1}\n{"url":"a b"}\n')
    sources = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    task = job(tmp_path, *sources, valid=tmp_path / "good.jsonl")
    assert done(task).counts.by_source == {str(sources[0]): [1_001, 0], str(sources[1]): [2, 1]}
    with raises(JobError, "column-unknown", column="ulr"):
        run(job(tmp_path, *sources, columns=[Column("ulr", URI)], valid=tmp_path / "good.jsonl"))
    monkeypatch.setattr(jsonl, "MOST_SCANNED", 1_000)
    with raises(JobError, "column-unknown", column="url"):
        run(task)


def test_empty_lines_are_not_rows(tmp_path: Path) -> None:
    """As in jq, pandas, polars, DuckDB and pyarrow; line numbers and byte offsets count them."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\n{"url":"a:b"}\n \t\r\n\r\n{"url":"a b"}\n\n{"url":"c:d"}\n  ')
    task = job(tmp_path, path)
    counts = done(task).counts
    assert (counts.rows, counts.rejected) == (3, 1)
    assert task.valid.read_bytes() == b'{"url":"a:b"}\n{"url":"c:d"}\n'
    [reject] = lines_of(task.rejects)
    assert [reject["_source"][name] for name in ("row", "line", "byte_offset")] == [1, 5, 21]
