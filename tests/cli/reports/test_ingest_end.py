"""How a job ends: files beside its outputs, the last line, the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.cli.common.ingesting import Teller
from abnforge.cli.reports.ingest_end import ended, publish
from abnforge.ingest import Result, run
from abnforge.ingest.rejects import TableRejects
from tests.cli.command import run as command
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


def test_what_a_format_cannot_hold_is_no_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 1 says that rows were rejected, and that all is done."""
    monkeypatch.chdir(tmp_path)
    rows = pa.table({"url": ["http://a/", "a b"], "run": pc.run_end_encode(pa.array(["x", "x"]))})
    with pa.OSFile("in.arrow", "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
    for said in ("Parquet cannot hold column 'run'", "the job could not be done"):
        result = command("ingest", "in.arrow", "-c", "url", "-o", "good.arrow", "--rejected", "bad.parquet")
        assert result.exit_code == 2
        assert said in result.stderr
        assert "Traceback" not in result.stderr
        assert not Path("good.arrow").exists()
        monkeypatch.setattr(TableRejects, "check", lambda path, columns: None)  # what nobody has thought of


@pytest.mark.parametrize("option", ["--summary", "--report", "--metrics"])
def test_what_is_written_at_the_end_has_a_place_at_the_beginning(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\n")
    to = ("-o", "good.csv", "--on-reject", "drop")
    result = command("ingest", "in.csv", "-c", "url", *to, option, "missing/told")
    assert result.exit_code == 2
    assert "missing/told: there is no folder missing" in result.stderr
    assert not Path("good.csv").exists()
