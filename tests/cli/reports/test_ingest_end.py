"""How a job ends: files beside its outputs, the last line, the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy")
from abnforge.cli.common.ingesting import Teller
from abnforge.cli.reports.ingest_end import ended, publish
from abnforge.ingest import Result, run
from tests.ingest.jobs import job

STDOUT = Path("-")

ENDS = [
    ({}, 1, "2 rows, 1 rejected, in "),
    ({"max_rejects": "0"}, 2, "2 rows, 1 rejected, and at most 0 may be (--max-rejects 0): nothing was"),
    ({"on_reject": "fail"}, 1, "row rejected, and nothing published: "),
    ({"on_reject": "fail", "samples": 0}, 1, "row rejected, and nothing published: see --summary"),
]


@pytest.mark.parametrize(("options", "status", "said"), ENDS)
def test_the_last_line_and_the_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: dict[str, str], status: int, said: str
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\na b\n")
    made = job(tmp_path, path, **options)
    published: list[Result] = []
    teller = Teller(False, published.append)
    result = run(made, teller)
    assert ended(made, result, teller, None, STDOUT) == status
    told = capsys.readouterr()
    assert said in told.err
    assert json.loads(told.out)["rejected"] == 1
    assert published == [result]


@pytest.mark.parametrize(("number", "status"), [(15, 143), (2, 130), (None, 130)])
def test_a_job_that_was_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int | None, status: int
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\na b\n")
    made = job(tmp_path, path)
    teller = Teller(False, lambda result: pytest.fail("nothing is published before the end"))
    result = run(made, teller, lambda: True)
    assert ended(made, result, teller, number, STDOUT) == status
    told = capsys.readouterr()
    assert "the same command with --resume goes on" in told.err
    assert told.out == ""


@pytest.mark.parametrize("asked", [(), ("summary",), ("summary", "metrics_path", "report")])
def test_files_beside_the_outputs(tmp_path: Path, asked: tuple[str, ...]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na b\n")
    result = run(job(tmp_path, path))
    folder = tmp_path / "told"
    folder.mkdir()
    publish(result, **{name: folder / name for name in asked})
    assert sorted(each.name for each in folder.iterdir()) == sorted(asked)
    begins = {"summary": "{", "metrics_path": "# HELP", "report": "<!doctype html>"}
    assert all((folder / name).read_text().startswith(begins[name]) for name in asked)


def test_a_summary_for_standard_output_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rows.csv"
    path.write_text("url\na b\n")
    publish(run(job(tmp_path, path)), summary=STDOUT)
    assert not Path("-").exists()
