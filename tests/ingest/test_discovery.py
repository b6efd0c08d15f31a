"""The files of a job, values in directory names, and paths that are not sources."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("numpy")
import abnforge
from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources.discovery import STDIN, counts_below, discover
from tests.ingest.jobs import URI, Notes, cells_of, done, job, lines_of
from tests.raising import raises


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        "in/b.csv",
        "in/a.csv",
        "in/.hidden.csv",
        "in/_SUCCESS",
        "in/.tmp/c.csv",
        "in/_old/d.csv",
        "in/sub/e.csv",
        "days/day=1/x.csv",
        "days/day=2/y.csv",
        "w[1].csv",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("url\n")


def found(*names: str) -> list[str]:
    return [source.path for source in discover(names, None)]


FOUND = [
    (["in"], ["in/a.csv", "in/b.csv", "in/sub/e.csv"]),
    (["in/*.csv"], ["in/a.csv", "in/b.csv"]),
    (["in/b.csv", "in/a.csv"], ["in/b.csv", "in/a.csv"]),
    (["in/s*"], ["in/sub/e.csv"]),  # a directory that matches a glob means its files
    (["in/**/*.csv"], ["in/_old/d.csv", "in/a.csv", "in/b.csv", "in/sub/e.csv"]),
    (["days"], ["days/day=1/x.csv", "days/day=2/y.csv"]),
    (["days/day=*"], ["days/day=1/x.csv", "days/day=2/y.csv"]),
    (["w[1].csv"], ["w[1].csv"]),  # a literal name takes precedence over the files that it would match
]


@pytest.mark.parametrize(("names", "files"), FOUND)
def test_which_files(names: list[str], files: list[str]) -> None:
    assert found(*names) == files


KEYS = [
    ("days", [("1",), ("2",)]),
    ("days/", [("1",), ("2",)]),
    ("days/*/*.csv", [("1",), ("2",)]),
    ("days/day=*", [("1",), ("2",)]),
    ("./days/day=[12]/?.csv", [("1",), ("2",)]),
    ("*/day=1/x.csv", [("1",)]),
    ("days/day=1", [()]),
    ("days/day=1/*.csv", [()]),  # with an explicit directory, its columns are included
    ("days/day=1/x.csv", [()]),
]


@pytest.mark.parametrize(("name", "values"), KEYS)
def test_what_directories_report(name: str, values: list[tuple[str, ...]]) -> None:
    results = [tuple(value for _, value in source.partitions) for source in discover([name], None)]
    assert results == values


WRONG = [
    (["zzz.csv"], "source-missing"),
    (["zzz*.csv"], "glob-empty"),
    ([""], "source-unnamed"),
    (["in/a.csv/b"], "source-missing"),
    (["in/a.csv", "in/*.csv"], "source-repeated"),
    (["./in/a.csv", "in"], "source-repeated-as"),
    (["days", "in/a.csv"], "partitions-different"),
    ([STDIN], "format-missing"),
]


@pytest.mark.parametrize(("names", "code"), WRONG)
def test_invalid_sources(names: list[str], code: str) -> None:
    with raises(JobError, code):
        found(*names)


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "m.csv").write_text("url\n")
    (tmp_path / "in" / "link").symlink_to("../more")
    assert found("in") == ["in/a.csv", "in/b.csv", "in/link/m.csv", "in/sub/e.csv"]
    (tmp_path / "in" / "again.csv").symlink_to("a.csv")
    with raises(JobError, "source-repeated-as", source="in/again.csv", first="in/a.csv"):
        found("in")
    (tmp_path / "in" / "again.csv").unlink()
    (tmp_path / "in" / "gone.csv").symlink_to("nowhere")
    with raises(JobError, "link-broken", path="in/gone.csv"):
        found("in")
    (tmp_path / "in" / "gone.csv").unlink()
    (tmp_path / "in" / "sub" / "loop").symlink_to("..")
    with raises(JobError, "link-loop", path="in/sub/loop"):
        found("in")
    os.mkfifo(tmp_path / "pipe.csv")
    with raises(JobError, "source-pipe", path="pipe.csv"):
        found("pipe.csv")
    with raises(JobError, "source-pipe", path="pipe.csv"):
        found("p*.csv")


def test_a_directory_with_a_key_twice(tmp_path: Path) -> None:
    (tmp_path / "t" / "k=1" / "k=2").mkdir(parents=True)
    (tmp_path / "t" / "k=1" / "k=2" / "x.csv").write_text("url\n")
    with raises(JobError, "partition-repeated", key="k", path="t/k=1/k=2/x.csv"):
        found("t")


INSIDE = [
    ("in/x.csv", True),
    ("in/sub/x.csv", True),
    ("x.csv", False),
    ("in/.x.csv", False),
    ("in/_x/y", False),
]


@pytest.mark.parametrize(("path", "counts"), INSIDE)
def test_what_would_be_a_source(path: str, counts: bool) -> None:
    assert counts_below("in", Path(path)) is counts


FOLDERS = {
    "csv": ("url,n\na:b,1\nc d,2\nx\n", ["a:b,1\n"] * 2, "url,n\n"),
    "jsonl": ('{"url":"a:b"}\n{"url":"c d","n":"2"}\nx\n', ['{"url":"a:b"}\n'] * 2, ""),
    "txt": ("a:b\nc d\nx\n", ["a:b\n"] * 2, ""),
}


@pytest.mark.parametrize("rejects", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("kind", FOLDERS)
def test_keys_that_directories_report(tmp_path: Path, kind: str, rejects: str) -> None:
    """Keys are columns of rejects, can be validated, and can be identifiers. Valid rows are unchanged."""
    import pyarrow.parquet as pq

    text, kept, head = FOLDERS[kind]
    for day in ("2026-11-22", "__HIVE_DEFAULT_PARTITION__", "a%2Fb"):
        folder = tmp_path / "new" / f"day={day}"
        folder.mkdir(parents=True)
        (folder / f"rows.{kind}").write_text(text)
    full_date = abnforge.rule("rfc3339:full-date")
    task = job(
        tmp_path,
        tmp_path / "new",
        columns=[Column("url", URI), Column("day", full_date)],
        valid=tmp_path / f"good.{kind}",
        rejects=tmp_path / f"bad.{rejects}",
        id="day",
    )
    result = done(task)
    assert task.valid.read_text() == head + "".join(kept)
    assert result.counts.by_column["day"] == {next(iter(result.counts.by_column["day"])): 3}
    assert task.rejects is not None
    if rejects == "jsonl":
        outcome = lines_of(task.rejects)
    elif rejects == "csv":
        header, *cells = cells_of(task.rejects.read_bytes())
        outcome = [dict(zip(header, row, strict=True)) for row in cells]
        for row in outcome:
            row["day"] = row["day"] or None  # type: ignore[assignment]
            row["_source"] = json.loads(row["_source"])
    else:
        outcome = pq.read_table(task.rejects).to_pylist()
    days = ["2026-11-22"] * 2 + [None] * 2 + ["a/b"] * 3
    assert sorted((row["day"] for row in outcome), key=str) == sorted(days, key=str)
    assert all(row["_source"]["id"] == row["day"] for row in outcome)
    with pytest.raises(JobError) as caught:
        run(job(tmp_path, tmp_path / "new", columns=[Column("url", URI), Column("dya", URI)]))
    assert caught.value.code in ("column-unknown", "lines-one-column")


def test_a_row_says_more_than_its_directory(tmp_path: Path) -> None:
    (tmp_path / "new" / "day=1").mkdir(parents=True)
    (tmp_path / "new" / "day=1" / "rows.csv").write_text("url,day\na b,7\n")
    done(task := job(tmp_path, tmp_path / "new", valid=tmp_path / "good.csv", id="day"))
    assert task.rejects is not None
    assert [(row["day"], row["_source"]["id"]) for row in lines_of(task.rejects)] == [("7", "7")]
    (tmp_path / "new" / "day=1" / "rows.csv").unlink()
    rows = '{"url":"a b"}\n{"url":"a b","d\\u0061y":7}\n{"url":"a b","x":"day"}\n'
    (tmp_path / "new" / "day=1" / "rows.jsonl").write_text('{"url":"a:b"}\n' * 1_000 + rows)
    done(task := job(tmp_path, tmp_path / "new", valid=tmp_path / "good.jsonl"))
    assert task.rejects is not None
    assert [row["day"] for row in lines_of(task.rejects)] == ["1", 7, "1"]


def test_keys_and_flags(tmp_path: Path) -> None:
    (tmp_path / "new" / "day=1").mkdir(parents=True)
    (tmp_path / "new" / "day=1" / "rows.jsonl").write_text('{"url":"a b"}\n')
    done(task := job(tmp_path, tmp_path / "new", valid=tmp_path / "good.jsonl", on_error="keep"))
    assert list(json.loads(task.valid.read_text())) == ["url", "_errors"]


def test_an_output_within_a_source(tmp_path: Path) -> None:
    """The first run already reports the error."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "rows.csv").write_text("url\na b\n")
    task = job(tmp_path, tmp_path / "new", valid=tmp_path / "new" / "good.csv")
    run(task, notes := Notes())
    assert [note.code for note in notes.messages] == ["output-in-sources"]
    with raises(JobError, "source-is-output", path=str(task.valid)):
        run(task)
