"""``abnforge.ingest.split`` runs a job in one call, which can be canceled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("numpy")

from abnforge.ingest import JobError, Progress, split
from abnforge.ingest.sources import text
from tests.raising import raises

ROWS = "url\nhttp://a/\na b\nhttp://b/\nc d\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text, "BLOCK", 8)
    Path("in.csv").write_text(ROWS)


@pytest.mark.parametrize("sources", ["in.csv", Path("in.csv"), ["in.csv"]])
def test_one_call(sources: str) -> None:
    calls: list[Progress] = []
    summary = split(sources, {"url": "rfc3986:URI"}, "good.csv", Path("bad.jsonl"), progress=calls.append)
    assert (summary.status, summary.rows, summary.valid, summary.rejected) == ("finished", 4, 2, 2)
    assert Path("good.csv").read_text() == "url\nhttp://a/\nhttp://b/\n"
    assert Path("bad.jsonl").read_text().count("\n") == 2
    assert [call.rows for call in calls] == sorted(call.rows for call in calls)
    assert calls[-1] == (4, 2, len(ROWS) - len("url\n"), len(ROWS))
    assert summary.as_dict()["job"] == "split"


def test_too_many_rejects() -> None:
    assert split("in.csv", {"url": "rfc3986:URI"}, "good.csv", on_error="fail").status == "too-many-rejects"
    assert os.listdir() == ["in.csv"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("resume", [False, True])
def test_cancel(error: type[BaseException], resume: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abnforge.ingest.pipeline.MOST_SHARED", 1)
    columns = {"url": "rfc3986:URI"}

    def cancel(progress: Progress) -> None:
        if progress.rows > 2:
            raise error

    with pytest.raises(error):
        split("in.csv", columns, "good.csv", "bad.jsonl", resume=resume, progress=cancel)
    if not resume:
        assert os.listdir() == ["in.csv"]
    summary = split("in.csv", columns, "good.csv", "bad.jsonl", resume=resume)
    assert (summary.resumed, summary.rows) == (resume, 4)
    assert sorted(os.listdir()) == ["bad.jsonl", "good.csv", "in.csv"]


def test_unknown_column() -> None:
    with raises(JobError, "column-unknown", column="ulr"):
        split("in.csv", {"ulr": "rfc3986:URI"}, "good.csv", "bad.jsonl")


def test_runs() -> None:
    """Each call is a run with its own UUID, unless the caller sets it; outputs do not depend on it."""
    run_id = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
    columns = {"url": "rfc3986:URI"}
    first, second = (split("in.csv", columns, on_error="drop") for _ in range(2))
    assert first.run_id != second.run_id
    assert first.run.started <= first.ended
    named = split("in.csv", columns, on_error="drop", name="pages", run_id=f"{{{run_id.upper()}}}")
    assert (named.job, named.run_id) == ("pages", run_id)
    with raises(JobError, code="run-id-malformed", value="7"):
        split("in.csv", columns, on_error="drop", run_id="7")
    with pytest.raises(TypeError):
        split("in.csv", columns, on_error="drop", run_id=7)  # type: ignore[arg-type]
