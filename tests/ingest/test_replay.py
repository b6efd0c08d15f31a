"""Replay of rejects: rows are neither lost nor repeated, and only fixed values change."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.ingest import Column, JobError
from abnforge.ingest.job import Job
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources import text as texts
from abnforge.ingest.sources.rejects import members, without
from tests.ingest.jobs import (
    URI,
    DyingDisk,
    Killed,
    done,
    job,
    lines_of,
    outputs,
    stop_after,
    table,
    write_csv,
    write_jsonl,
)
from tests.law import law, one_in
from tests.raising import raises

pytest.importorskip("numpy")

ANYTHING = abnforge.loads("any = *%x0-D7FF / *%xE000-10FFFF")["any"]
KINDS = ["parquet", "csv", "jsonl"]
REJECTS = ["jsonl", "csv", "parquet"]
WHOLE = [("jsonl", "csv"), ("jsonl", "parquet")]


def source(folder: Path, kind: str, times: int = 3) -> Path:
    path = folder / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table(times), path)
    elif kind == "csv":
        write_csv(path, table(times))
        path.write_bytes(path.read_bytes() + b'7,too,many,cells,here\n8,"open\n9,"\xff",1,\n')
    elif kind == "lines":
        path.write_text("http://a/\nhttp://a b/\n\nx y\n")
    else:
        write_jsonl(path, table(times))
        path.write_bytes(
            path.read_bytes()
            + b'no row\n{"url": "a b", "_errors": 1}\n{"url":"\xff"}\n'
            + b'{"url" : 1.10, "n":12345678901234567890 }\n'
        )
    return path


def replay(bad: Path, accepted: Path, **options: Any) -> Job:
    options.setdefault("columns", [Column("url", URI)])
    options.setdefault("rejects", accepted.parent / f"still{''.join(bad.suffixes)}")
    return Job([str(bad)], valid=accepted, replay=True, **options)


def rejected(folder: Path, kind: str, rejects: str, **options: Any) -> Path:
    path = folder / f"bad.{rejects}"
    done(job(folder, source(folder, kind), rejects=path, **options))
    return path


def accepted_as(kind: str, rejects: str) -> str:
    """Return the format of accepted rows when a quarantine of this format is replayed."""
    return kind if rejects == "jsonl" and kind != "parquet" else rejects


def pairs() -> list[tuple[str, str]]:
    """Return pairs of formats.

    Rejects from JSON Lines in other formats contain whole rows, which are not parsed.
    """
    return [(kind, rejects) for kind in KINDS for rejects in REJECTS if (kind, rejects) not in WHOLE]


def told_twice(path: Path) -> list[Any]:
    """Return rejects as values, without the message about malformed rows."""
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
    elif path.suffix == ".csv":
        csv.field_size_limit(1 << 24)
        rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
        rows = [
            {**row, "_errors": json.loads(row["_errors"]), "_source": json.loads(row["_source"])}
            for row in rows
        ]
    else:
        rows = lines_of(path)
    for row in rows:
        row["_source"].pop("masked", None)
        for reason in row["_errors"]:
            if reason["column"] is None:
                reason["message"] = reason["offset"] = reason["start"] = reason["end"] = None
    return rows


@pytest.mark.parametrize(("kind", "rejects"), one_in(3, pairs()))
@pytest.mark.parametrize("block", [200, pytest.param(1 << 20, marks=pytest.mark.slow)])
def test_nothing_fixed(
    tmp_path: Path, kind: str, rejects: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rejects are equal, with equal reasons and positions."""
    bad = rejected(tmp_path, kind, rejects, id=None if kind == "jsonl" else "id", suggest=True)
    monkeypatch.setattr(texts, "BLOCK", block)
    monkeypatch.setattr(tables, "MOST_OCTETS", block)
    task = replay(bad, tmp_path / f"good.{accepted_as(kind, rejects)}", suggest=True)
    result = done(task)
    assert result.counts.valid == 0
    assert result.counts.rejected > 3
    assert told_twice(tmp_path / f"still.{rejects}") == told_twice(bad)
    again = replay(
        tmp_path / f"still.{rejects}", task.valid, rejects=tmp_path / f"again.{rejects}", suggest=True
    )
    done(again)
    assert (tmp_path / f"again.{rejects}").read_bytes() == (tmp_path / f"still.{rejects}").read_bytes()


def mended(bad: Path, wrong: str, right: str) -> None:
    """Edit a file as a user would."""
    text = bad.read_text("utf-8")
    assert wrong in text
    bad.write_text(text.replace(wrong, right), "utf-8")


SHAPES = [
    ("parquet", "jsonl", "good.parquet", "format-of-replayed"),
    ("parquet", "parquet", "good.csv", "format-of-replayed"),
    ("csv", "parquet", "good.csv", "format-of-replayed"),
    ("csv", "csv", "good.jsonl", "format-of-replayed"),
    ("csv", "jsonl", "good.txt", "lines-one-column-rejects"),
]


@pytest.mark.parametrize(("kind", "rejects", "good", "code"), SHAPES)
def test_formats_that_do_not_fit(tmp_path: Path, kind: str, rejects: str, good: str, code: str) -> None:
    bad = rejected(tmp_path, kind, rejects)
    with raises(JobError, code):
        run(replay(bad, tmp_path / good))


@pytest.mark.parametrize(
    "options", [{"id": "id"}, {"encoding": "latin-1"}, {"on_error": "keep", "rejects": None}]
)
def test_options_that_do_not_fit(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(JobError) as caught:
        replay(tmp_path / "bad.jsonl", tmp_path / "good.jsonl", **options)
    assert caught.value.code.startswith("parameter-excluded")
    assert {caught.value.parameter, caught.value.other} - {"replay"} == {next(iter(options))}


def test_an_empty_quarantine(tmp_path: Path) -> None:
    """A job without rejects leaves an empty file, which can be replayed."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("")
    assert done(replay(bad, tmp_path / "good.csv")).counts.rows == 0
    assert (tmp_path / "good.csv").read_text() == ""


class Stars:
    """A policy that masks the characters before an at sign."""

    def text(self, text: str) -> str:
        return text.replace("secret", "******")

    def rejection(self, rejection: abnforge.Rejection) -> abnforge.Rejection:
        return replace(rejection, input=self.text(rejection.input), message="untold")


@pytest.mark.parametrize(("kind", "rejects"), pairs())
def test_what_is_hidden_is_rejected(tmp_path: Path, kind: str, rejects: str) -> None:
    """Masked values are rejected row by row, and other columns are validated.

    A user can insert the password.
    """
    bad = rejected(tmp_path, kind, rejects, redactor=Stars())
    hidden = [row for row in told_twice(bad) if "******" in str(row)]
    assert hidden
    task = replay(bad, tmp_path / f"good.{accepted_as(kind, rejects)}", columns=[Column("url", ANYTHING)])
    result = done(task)
    assert result.counts.by_column["(row)"]["masked"] == len(hidden)
    assert result.counts.valid > len(hidden)
    assert b"******" not in task.valid.read_bytes()
    still = told_twice(tmp_path / f"still.{rejects}")
    assert [row["_source"] for row in still if "******" in str(row)] == [row["_source"] for row in hidden]
    again = replay(tmp_path / f"still.{rejects}", task.valid, rejects=tmp_path / f"again.{rejects}")
    assert done(again).counts.by_column["(row)"]["masked"] == len(hidden)
    if (kind, rejects) == ("csv", "jsonl"):
        mended(bad, "******", "secret")
        mended(bad, '"masked":true', '"masked":false')
        assert "masked" not in done(task).counts.by_column.get("(row)", {})


@pytest.mark.parametrize(
    ("kind", "rejects"), one_in(3, [("jsonl", "jsonl"), ("csv", "csv"), ("parquet", "parquet")])
)
def test_killed_and_gone_on_with(
    tmp_path: Path, kind: str, rejects: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is killed at any step on disk and resumed has the same outputs."""
    bad = rejected(tmp_path, kind, rejects, suggest=True)
    monkeypatch.setattr(texts, "BLOCK", 3_000)
    monkeypatch.setattr(tables, "LEAST_ROWS", 5)
    monkeypatch.setattr(tables, "BATCH_ROWS", 5)
    spaces = abnforge.loads("any = *(%x20 / VCHAR)")["any"]
    task = replay(bad, tmp_path / f"good.{kind}", columns=[Column("url", spaces)], resume=True)
    expected = done(task)
    octets = outputs(task)
    disk = DyingDisk(0, lambda path: Killed(path))
    for path in task.outputs:
        path.unlink()
    run(task, disk=disk)
    r = random.Random(1)
    for last in r.sample(range(1, len(disk.steps)), 12):
        for path in task.outputs:
            path.unlink(missing_ok=True)
        with pytest.raises(Killed):
            run(task, disk=DyingDisk(last, lambda path: Killed(path)))
        result = done(task)
        assert outputs(task) == octets
        assert result.counts == expected.counts
    for path in task.outputs:
        path.unlink()
    assert run(task, stop=stop_after(1)).status == "stopped"
    with raises(JobError, "job-changed", parameter="resume"):
        run(replace(task, nulls="reject"))


def test_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = rejected(tmp_path, "csv", "jsonl")
    task = Job(
        ["-"],
        [Column("url", ANYTHING)],
        tmp_path / "good.csv",
        rejects=tmp_path / "still.jsonl",
        input_format="jsonl",
        replay=True,
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bad.read_bytes())))
    by_name = done(replace(task, sources=[str(bad)], input_format=None))
    octets = outputs(task)
    assert done(task).counts.valid == by_name.counts.valid
    assert outputs(task) == octets


def test_a_table_keeps_its_metadata(tmp_path: Path) -> None:
    rows = table().set_column(1, "url", table()["url"].cast(pa.large_string()))
    pq.write_table(rows, tmp_path / "rows.parquet")
    bad = tmp_path / "bad.parquet"
    done(job(tmp_path, tmp_path / "rows.parquet", rejects=bad))
    pq.write_table(pq.read_table(bad), bad)
    task = replay(bad, tmp_path / "good.parquet", columns=[Column("url", ANYTHING)])
    assert done(task).counts.rejected == 0
    assert pq.read_schema(task.valid).equals(rows.schema, check_metadata=True)


KEYS = st.sampled_from(["a", "b", "_x", "é", 'q"', ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**20) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
STYLES = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r:\n ")])


def written(value: Any, style: tuple[str, str]) -> str:
    return json.dumps(value, separators=style, ensure_ascii=False)


@law(OBJECTS, STYLES, few=25, many=1_500)
def test_members_are_what_json_reads(value: dict[str, Any], style: tuple[str, str]) -> None:
    text = written(value, style)
    result = members(text)
    assert [key for key, _, _, _ in result] == list(value)
    assert json.loads(f"{{{','.join(text[begin:end] for _, _, begin, end in result)}}}") == value


@law(OBJECTS, STYLES, st.sets(KEYS), few=25, many=1_500)
def test_without_some(value: dict[str, Any], style: tuple[str, str], names: set[str]) -> None:
    text = written(value, style)
    left = without(text, members(text), list(names))
    assert json.loads(left) == {key: each for key, each in value.items() if key not in names}
    assert without(text, members(text), ()) == text


@law(OBJECTS, STYLES, VALUES, few=25, many=1_500)
def test_what_is_added_behind_goes_without_a_trace(
    value: dict[str, Any], style: tuple[str, str], more: Any
) -> None:
    """The keys of a reject come after those of the row, and before its last brace."""
    begun = written(value, style)[:-1]
    comma = "" if begun == "{" else ","
    text = f'{begun}{comma}"_errors":{json.dumps(more)},"_source":{{}}}}'
    assert without(text, members(text), ["_errors", "_source"]) == begun + "}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "[]",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,}',
        '{"a":1}}',
        "{a:1}",
        '{"a":1,"b"}',
        "{" * 9_999,
        '{"a":' + "[" * 99_999,
    ],
)
def test_no_object(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        members(text)
