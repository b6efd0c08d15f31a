"""The output of a dry run."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
from abnforge.cli.output.split import plan
from abnforge.ingest.pipeline import preview
from tests.cli.command import Seen
from tests.ingest.jobs import job

OTHERS = [
    ({}, "Write rejected rows to {rejects}"),
    ({"on_error": "drop"}, "Drop rejected rows"),
    ({"on_error": "fail"}, "Stop at the first rejected row"),
    ({"on_error": "keep"}, "Keep rejected rows there, too, with the errors in _errors"),
]


@pytest.mark.parametrize(("options", "message"), OTHERS)
def test_what_becomes_of_rejects(tmp_path: Path, options: dict[str, str], message: str, seen: Seen) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\n")
    result = job(tmp_path, path, **options)
    lines = plan(result, preview(result)).splitlines()
    assert message.format(rejects=result.rejects) in lines
    seen(lines[-1])


@pytest.mark.parametrize(("count", "more"), [(1, []), (10, []), (12, ["  and 2 more"])])
def test_sources_are_named_up_to_ten(tmp_path: Path, count: int, more: list[str]) -> None:
    paths = [tmp_path / f"{number:02}.csv" for number in range(count)]
    for path in paths:
        path.write_text("url\na:b\n")
    result = job(tmp_path, *paths)
    lines = plan(result, preview(result)).splitlines()
    assert lines[0] == f"Read {count} csv source{'s' * (count > 1)}:"
    assert lines[1 : lines.index("Validate")] == [f"  {path}" for path in paths[:10]] + more


def test_rejects_are_shown_one_of_each_code_and_safe_for_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\nhttp://a b/\nhttp://a c/\n\u202ex\n")
    result = job(tmp_path, path)
    lines = plan(result, preview(result)).splitlines()
    assert "  url space-in-host (2)" in lines
    assert lines.count("    line 2: http://a b/") == 1
    assert "    line 3: http://a c/" not in lines
    assert "    line 4: \\u202ex" in lines


def test_a_row_that_is_rejected_as_a_whole(tmp_path: Path, seen: Seen) -> None:
    (tmp_path / "rows.csv").write_text('id,url\n1\n2,""\n')
    result = job(tmp_path, tmp_path / "rows.csv")
    lines = plan(result, preview(result)).splitlines()
    at = lines.index("  (row) malformed-row (1)")
    seen(lines[at + 1 : at + 3])
    assert "    line 3: " in lines
