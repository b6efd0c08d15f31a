"""Plain lines, which have one column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
from abnforge.ingest import Column, JobError, run
from tests.ingest.jobs import URI, job

LINES = [
    ({"id": "x"}, "plain lines have no other"),
    ({"columns": [Column("a", URI), Column("b", URI)]}, "plain lines have one column, and these are 2: a, b"),
    ({"on_reject": "flag"}, "no room for a flag"),
]


@pytest.mark.parametrize(("options", "said"), LINES)
def test_what_lines_do_not_have(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("a:b\n")
    with pytest.raises(JobError, match=said):
        run(job(tmp_path, path, **options))
