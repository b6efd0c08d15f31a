"""Suggestions that are taken: for texts as they stand, of rows that are good then, and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest import Column, JobError, summary
from tests.ingest.jobs import URI, done, job, lines_of
from tests.ingest.test_replaying import replay
from tests.law import one_in
from tests.raising import raises

TWO = [Column("url", URI), Column("next", URI)]
CSV = "url,next\nhttp://a/ ,a:\nhttp://b:8x/,a:\nhttp://c/ ,http://d e/\nhttp://d e/,a:\n"


def quarantine(folder: Path, rejects: str = "bad.jsonl", **options: Any) -> Path:
    (folder / "rows.csv").write_text(CSV)
    options.setdefault("suggest", True)
    done(job(folder, folder / "rows.csv", rejected=folder / rejects, columns=TWO, **options))
    return folder / rejects


CODES = [
    (["all"], "http://a/,a:\nhttp://b:8/,a:\n", {"space-after": 1, "port-not-digits": 1}),
    (["space-after"], "http://a/,a:\n", {"space-after": 1}),
    (["port-not-digits", "space-before"], "http://b:8/,a:\n", {"port-not-digits": 1}),
    (["space-in-host"], "", {}),
]


@pytest.mark.parametrize("rejects", one_in(2, ["bad.jsonl", "bad.csv", "bad.parquet"]))
@pytest.mark.parametrize(("codes", "rows", "counts"), CODES)
def test_codes(tmp_path: Path, rejects: str, codes: list[str], rows: str, counts: dict[str, int]) -> None:
    task = replay(quarantine(tmp_path, rejects), tmp_path / "good.csv", columns=TWO, suggestions=codes)
    result = done(task)
    assert task.accepted.read_text() == "url,next\n" + rows
    told = summary(result)
    assert {each["column"]: each["applied"] for each in told["columns"]} == {"url": counts, "next": {}}


def test_a_row_that_is_bad_all_the_same_stays_as_it_was(tmp_path: Path) -> None:
    """Its URL has a suggestion and the next one has none: nothing of it is changed."""
    task = replay(quarantine(tmp_path), tmp_path / "good.csv", columns=TWO, suggestions=["all"], suggest=True)
    done(task)
    third, fourth = lines_of(tmp_path / "still.jsonl")
    assert fourth["url"] == "http://d e/"
    [before] = [row for row in lines_of(tmp_path / "bad.jsonl") if "http://c/" in row["url"]]
    assert third == before
    assert third["url"] == "http://c/ "


def test_a_text_that_was_changed_is_left_alone(tmp_path: Path) -> None:
    bad = quarantine(tmp_path)
    bad.write_text(bad.read_text().replace('"url":"http://a/ "', '"url":"http://other/ "'))
    task = replay(bad, tmp_path / "good.csv", columns=TWO, suggestions=["all"])
    assert done(task).counts.applied == {"url": {"port-not-digits": 1}}
    assert "other" not in task.accepted.read_text()
    assert any(row["url"] == "http://other/ " for row in lines_of(tmp_path / "still.jsonl"))


def test_what_is_no_suggestion_of_ours_is_not_taken(tmp_path: Path) -> None:
    bad = quarantine(tmp_path)
    bad.write_text(bad.read_text().replace('"suggestion":"http://a/"', '"suggestion":"http://evil/"'))
    task = replay(bad, tmp_path / "good.csv", columns=TWO, suggestions=["all"])
    done(task)
    assert "evil" not in task.accepted.read_text()


def test_a_text_that_was_mended_needs_none(tmp_path: Path) -> None:
    bad = quarantine(tmp_path)
    bad.write_text(bad.read_text().replace('"url":"http://a/ "', '"url":"http://mended/"'))
    task = replay(bad, tmp_path / "good.csv", columns=TWO, suggestions=["space-after"])
    assert done(task).counts.applied == {}
    assert task.accepted.read_text() == "url,next\nhttp://mended/,a:\n"


NESTED = {
    "pages": [{"urls": ["http://a/ ", "x:y", None]}, None, {"urls": ["http://b/ ", "http://a/ "]}],
    "n": 1,
}


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_within_lists(tmp_path: Path, kind: str) -> None:
    """Of lists within lists the inner place alone is told; which text is meant, the text says."""
    path, bad = tmp_path / f"rows.{kind}", tmp_path / f"bad.{kind}"
    other = {"pages": [{"urls": ["http://c d/", "http://a/ "]}], "n": 2}
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in (NESTED, other)))
    else:
        pq.write_table(pa.Table.from_pylist([NESTED, other]), path)
    columns = [Column("pages[].urls[]", URI)]
    done(job(tmp_path, path, rejected=bad, columns=columns, suggest=True))
    task = replay(bad, tmp_path / f"good.{kind}", columns=columns, suggestions=["all"])
    assert done(task).counts.applied == {"pages[].urls[]": {"space-after": 3}}
    wanted = json.loads(json.dumps(NESTED).replace("/ ", "/"))
    rows = lines_of(task.accepted) if kind == "jsonl" else pq.read_table(task.accepted).to_pylist()
    assert rows == [wanted]


def test_codes_are_known(tmp_path: Path) -> None:
    bad = quarantine(tmp_path)
    with raises(
        JobError,
        "suggestion-code-unknown",
        name="spaceafter",
        near=("space-after", "space-after-scheme", "space-before"),
    ):
        done(replay(bad, tmp_path / "good.csv", columns=TWO, suggestions=["spaceafter"]))
    with raises(JobError, "parameter-requires", parameter="suggestions", other="replay"):
        job(tmp_path, bad, suggestions=["all"])


def test_a_quarantine_without_suggestions(tmp_path: Path) -> None:
    bad = quarantine(tmp_path, suggest=False)
    task = replay(bad, tmp_path / "good.csv", columns=TWO, suggestions=["all"])
    assert done(task).counts.applied == {}
