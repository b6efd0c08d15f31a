"""JSON Lines with one more key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy")
from abnforge.ingest import JobError, run
from tests.ingest.jobs import done, job, lines_of


def test_flagged_objects(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"a:b","n":1.10}\n{"url":"c d"}\nno\n{}\n')
    done(task := job(tmp_path, path, on_reject="flag"))
    first, second, third, fourth = task.accepted.read_text().splitlines()
    assert first == '{"url":"a:b","n":1.10,"_reject":null}'
    assert [each["column"] for each in json.loads(second)["_reject"]] == ["url"]
    assert json.loads(third)["_row"] == "no"
    assert fourth == '{"_reject":null}'


def test_keys_that_rejects_have(tmp_path: Path) -> None:
    """Rejects of another job are rows like others: their own keys of that name stand in ``_row``."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"a b","_reject":[1],"_source":{}}\n')
    done(task := job(tmp_path, path))
    assert task.rejected is not None
    [row] = lines_of(task.rejected)
    assert row["_row"] == path.read_text().rstrip()
    assert row["_reject"][0]["column"] == "url"
    (tmp_path / "rows.csv").write_text("url,_reject\na b,\n")
    with pytest.raises(JobError, match="rejects of another job"):
        run(job(tmp_path, tmp_path / "rows.csv", rejected=tmp_path / "bad.csv"))
