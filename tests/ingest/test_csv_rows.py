"""CSV with one more column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy")
from abnforge.ingest import JobError, run
from tests.ingest.jobs import cells_of, done, job


def test_flagged_rows_that_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url,n\na:b,1\nx\n")
    done(task := job(tmp_path, path, on_reject="flag"))
    rows = cells_of(task.accepted.read_bytes())
    assert rows[:2] == [["url", "n", "_reject"], ["a:b", "1", ""]]
    assert rows[2][:2] == ["", ""]
    [reason] = json.loads(rows[2][2])
    assert (reason["code"], reason["row"]) == ("malformed-row", "x")
    with pytest.raises(JobError, match="flagged before"):
        run(job(tmp_path, task.accepted, accepted=tmp_path / "again.csv", on_reject="flag"))
