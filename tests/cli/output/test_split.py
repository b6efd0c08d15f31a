"""The end of a job: reports, summary, and exit status."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
import signal
import time
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
import pyarrow as pa
import pyarrow.compute as pc

from abnforge.cli.commands import split as verb
from abnforge.cli.common.ingesting import ProgressLog
from abnforge.cli.output.split import Reports, ended, page
from abnforge.ingest import checkpoint as work
from abnforge.ingest import schema
from abnforge.ingest.checkpoint import Disk
from abnforge.ingest.job import Run
from abnforge.ingest.pipeline import run
from abnforge.ingest.sinks.rejects import TableRejects
from abnforge.ingest.sources import text as texts
from tests.cli.command import Seen, fails
from tests.cli.command import run as command
from tests.ingest.jobs import job
from tests.law import one_in

ENDS = [
    ({}, 1),
    ({"max_rejects": "0"}, 3),
    ({"on_error": "fail"}, 3),
    ({"on_error": "fail", "samples": 0}, 3),
]


@pytest.mark.parametrize(("options", "status"), ENDS)
def test_the_last_line_and_the_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: dict[str, str], status: int, seen: Seen
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\na b\n")
    results = job(tmp_path, path, **options)
    reports = Reports(Path("-"), tmp_path / "m.prom", checked=True)
    teller = ProgressLog(Run(), "info", reports.publishing)
    result = run(results, teller)
    assert ended(results, result, teller, None, reports) == status
    outcome = capsys.readouterr()
    seen(outcome.err)
    summary = json.loads(outcome.out)
    assert summary["rejected"] == 1
    assert (summary["reason"] or "") in outcome.err
    assert (summary["reason"] is None) is (status == 1)
    assert f'success{{job="split"}} {int(status == 1)}' in (tmp_path / "m.prom").read_text()


@pytest.mark.parametrize(("number", "status"), [(15, 143), (2, 130), (None, 130)])
def test_a_job_that_was_stopped(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    number: int | None,
    status: int,
    seen: Seen,
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\na b\n")
    monkeypatch.setattr(texts, "BLOCK", 8)
    for options in ({}, {"valid": None, "on_error": "drop"}):
        results = job(tmp_path, path, **options)
        teller = ProgressLog(Run(), "info", lambda result: pytest.fail("nothing is published before the end"))
        result = run(results, teller, lambda: True)
        assert ended(results, result, teller, number, Reports(Path("-"), checked=True)) == status
        outcome = capsys.readouterr()
        seen(outcome.err)
        summary = json.loads(outcome.out)
        assert (summary["status"], summary["last_success"]) == ("stopped", None)
        assert summary["reason"] == ("SIGTERM" if number == 15 else "SIGINT")


@pytest.mark.parametrize("asked", [(), ("summary",), ("summary", "metrics", "report")])
def test_files_next_to_the_outputs(tmp_path: Path, asked: tuple[str, ...]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na b\n")
    result = run(job(tmp_path, path))
    folder = tmp_path / "told"
    folder.mkdir()
    with Reports(**{name: folder / name for name in asked}).publishing(result):
        assert not list(folder.glob("[!.]*"))
    assert sorted(each.name for each in folder.iterdir()) == sorted(asked)
    begins = {"summary": "{", "metrics": "# HELP", "report": "<!doctype html>"}
    assert all((folder / name).read_text().startswith(begins[name]) for name in asked)


def test_a_summary_to_standard_output_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rows.csv"
    path.write_text("url\na b\n")
    with Reports(Path("-")).publishing(run(job(tmp_path, path))):
        pass
    assert not Path("-").exists()


def test_values_that_a_format_cannot_store_are_not_rejects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 1 means that the job completed and that it rejected rows."""
    monkeypatch.chdir(tmp_path)
    rows = pa.table({"url": ["http://a/", "a b"], "run": pc.run_end_encode(pa.array(["x", "x"]))})
    with pa.OSFile("in.arrow", "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
    for results in ("column-not-in-parquet", "job-crashed"):
        result = command("split", "in.arrow", "-c", "url", "-o", "good.arrow", "--rejects", "bad.parquet")
        assert result.exit_code == 2
        fails(result, results)
        assert "Traceback" not in result.stderr
        assert not Path("good.arrow").exists()
        monkeypatch.setattr(TableRejects, "check", lambda columns: None)  # an unexpected value


@pytest.mark.parametrize("option", ["--summary", "--report", "--metrics"])
def test_what_is_written_at_the_end_has_a_place_at_the_beginning(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\n")
    to = ("-o", "good.csv", "--on-error", "drop")
    result = command("split", "in.csv", "-c", "url", *to, option, "missing/told")
    assert result.exit_code == 2
    seen(result.stderr)
    assert not Path("good.csv").exists()


def told_by(path: Path) -> dict[str, str]:
    """Return the values of metrics by time series."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return dict(line.rsplit(" ", 1) for line in lines)


PREFIX = "abnforge_split_"
FAILURES = {
    "a truncated source": (["cut.csv.gz"], "cut.csv.gz"),
    "a missing source": (["missing.csv"], "missing.csv"),
    "an empty source": (["empty.csv"], "empty.csv"),
    "an unknown column": (["in.csv", "-c", "other"], "other"),
    "an unknown rule": (["in.csv", "-c", "n:other"], "other"),
    "an unknown grammar": (["in.csv", "-g", "other"], "other"),
    "a usage error": (["in.csv", "--header", "a", "--no-header"], "--no-header"),
    "too many rejects": (["in.csv", "--max-rejects", "0"], "--max-rejects"),
    "another job": (["in.csv", "--id", "n"], "another job"),
    "a number out of range": (["in.csv", "--jobs", "0"], "an integer from 1 to 256"),
    "an unknown choice": (["in.csv", "--nulls", "foo"], "--nulls must be "),
    "an unknown option": (["in.csv", "--other"], "--other"),
    "an option for a value": (["in.csv", "--jobs"], "--jobs"),
    "a value for a flag": (["in.csv", "--quiet=yes"], "--quiet"),
    "a missing config": (["in.csv", "--config", "missing.toml"], "missing.toml"),
    "a broken config": (["in.csv", "--config", "broken.toml"], "broken.toml"),
    "a misspelt key": (["in.csv", "--config", "misspelt.toml"], '"job"'),
}


@pytest.mark.parametrize("failure", one_in(3, list(FAILURES)))
def test_reports_after_a_failure(failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report shows that the last run failed, why it failed, and when a run last succeeded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(work, "PATIENCE", 0)
    Path("in.csv").write_text("url,n\nhttp://a/,1\na b,2\n")
    Path("empty.csv").touch()
    Path("broken.toml").write_text("metrics = \n")
    Path("misspelt.toml").write_text("job = 1\n")
    Path("cut.csv.gz").write_bytes(gzip.compress(b"url,n\n" + b"http://a/,1\n" * 10_000)[:-20])
    to = ("-o", "good.csv", "--rejects", "bad.jsonl")
    results = ("--summary", "s.json", "--metrics", "urls.prom", "--report", "r.html")
    assert command("split", "in.csv", "-c", "url", *to, *results).exit_code == 1
    before, series = json.loads(Path("s.json").read_text()), told_by(Path("urls.prom"))
    assert (before["job"], before["status"], before["reason"]) == ("urls", "finished", None)
    last = int(series[f'{PREFIX}last_success_timestamp_seconds{{job="urls"}}'])
    assert datetime.fromisoformat(before["last_success"]).timestamp() == last
    assert before["ended"] == before["last_success"]
    assert before["started"] <= before["ended"]
    monkeypatch.setattr(time, "time", lambda: last + 3600.5)

    arguments, reason = FAILURES[failure]
    if failure == "another job":
        held = work.WorkDir(tmp_path / "good.csv", Disk())
        held.lock()
    result = command("split", *arguments, "-c", "url", *to, *results)
    assert result.exit_code == (3 if failure == "too many rejects" else 2)
    after, series = json.loads(Path("s.json").read_text()), told_by(Path("urls.prom"))
    assert reason in after["reason"]
    assert after["reason"][:60] in html.unescape(Path("r.html").read_text())
    assert after["status"] == ("too-many-rejects" if failure == "too many rejects" else "failed")
    assert after["last_success"] == before["last_success"]
    assert series[f'{PREFIX}success{{job="urls"}}'] == "0"
    assert series[f'{PREFIX}last_success_timestamp_seconds{{job="urls"}}'] == str(last)
    assert series[f'{PREFIX}last_run_timestamp_seconds{{job="urls"}}'] == str(last + 3600)
    assert int(series[f'{PREFIX}last_run_start_timestamp_seconds{{job="urls"}}']) <= last + 3600
    [info] = [name for name in series if name.startswith(f"{PREFIX}last_run_info")]
    assert f'run_id="{after["run_id"]}"' in info
    assert after["run_id"] != before["run_id"]
    assert f'status="{after["status"]}"' in info
    assert all('{job="urls"' in name for name in series)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(after, schema("summary"))
    if failure == "another job":
        held.remove()


@pytest.mark.parametrize("wrong", ["jbos = 1", 'jobs = "x"', "jobs = 0"])
def test_reports_that_a_config_with_a_mistake_names(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\n")
    usual = 'column = "url"\nvalid = "good.csv"\non-error = "drop"\nmetrics = "m.prom"\nsummary = "s.json"\n'
    Path("job.toml").write_text(usual)
    assert command("split", "in.csv", "--config", "job.toml").exit_code == 0
    assert told_by(Path("m.prom"))[f'{PREFIX}success{{job="m"}}'] == "1"
    Path("job.toml").write_text(f"{wrong}\n{usual}")
    assert command("split", "in.csv", "--config", "job.toml", "--dry-run").exit_code == 2
    assert told_by(Path("m.prom"))[f'{PREFIX}success{{job="m"}}'] == "1"
    assert command("split", "in.csv", "--config", "job.toml").exit_code == 2
    assert told_by(Path("m.prom"))[f'{PREFIX}success{{job="m"}}'] == "0"
    summary = json.loads(Path("s.json").read_text())
    assert (summary["status"], summary["job"]) == ("failed", "m")
    assert summary["last_success"] is not None


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)])
def test_a_signal_before_the_job_begins(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\n")
    to = ("-c", "url", "-o", "good.csv", "--on-error", "drop", "--metrics", "m.prom", "--summary", "s.json")
    assert command("split", "in.csv", *to).exit_code == 0
    Path("good.csv").unlink()
    before = signal.getsignal(number)
    monkeypatch.setattr(verb, "choose_allocator", lambda: os.kill(os.getpid(), number))
    assert command("split", "in.csv", *to).exit_code == 128 + number
    assert signal.getsignal(number) == before
    assert not Path("good.csv").exists()
    summary = json.loads(Path("s.json").read_text())
    assert (summary["status"], summary["reason"]) == ("stopped", number.name)
    assert told_by(Path("m.prom"))[f'{PREFIX}success{{job="m"}}'] == "0"


def test_metrics_alone_know_the_last_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The metrics file keeps the last success of a job. Another job has its own time series."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\n")
    drop = ("-c", "url", "--on-error", "drop", "--metrics")
    assert command("split", "in.csv", *drop, "a.prom").exit_code == 0
    assert command("split", "in.csv", *drop, "b.prom", "--job-name", 'b "2"').exit_code == 0
    first, second = told_by(Path("a.prom")), told_by(Path("b.prom"))
    assert not first.keys() & second.keys()
    assert all('job="b \\"2\\""' in name for name in second)
    expected = first[f'{PREFIX}last_success_timestamp_seconds{{job="a"}}']
    monkeypatch.setattr(time, "time", lambda: 2e9)
    for name, kept in (("a", True), ("c", False)):
        assert command("split", "no.csv", *drop, "a.prom", "--job-name", name).exit_code == 2
        series = told_by(Path("a.prom"))
        result = series.get(f'{PREFIX}last_success_timestamp_seconds{{job="{name}"}}')
        assert result == (expected if kept else None)


def test_a_failure_overwrites_only_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a job fails before its sources are known, a report path may name one of the sources."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/a.csv").write_text("url\nhttp://a/\n")
    Path("data/b.jsonl").write_text("{}\n")
    for path in ("data/a.csv", "data/b.jsonl", "other.txt"):
        Path(path).touch()
        before = Path(path).read_bytes()
        for option in ("--summary", "--metrics", "--report"):
            result = command("split", "data", "-c", "url", "--on-error", "drop", option, path)
            assert result.exit_code == 2
            assert before == b"" or Path(path).read_bytes() == before


def test_a_preview_that_fails_reports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = ("--on-error", "drop", "--summary", "s.json")
    assert command("split", "no.csv", "-c", "url", *results, "--dry-run").exit_code == 2
    assert list(tmp_path.iterdir()) == []


SAMPLE = {
    "source": "<in>.csv",
    "row": 1,
    "line": 3,
    "byte_offset": 9,
    "column": "url",
    "text": "http://a/<script>alert(1)</script>\u202e",
    "offset": 9,
    "start": 9,
    "end": 10,
    "message": 'a path has no "<"',
    "section": "3.3",
    "suggestion": "http://a/%3C",
}
TOLD = {
    "job": "<urls>",
    "run_id": "00000000-0000-4000-8000-000000000000",
    "started": "2026-11-22T15:59:58+00:00",
    "status": "finished",
    "reason": None,
    "ended": "2026-11-22T16:00:00+00:00",
    "last_success": "2026-11-22T16:00:00+00:00",
    "rows": 1_000,
    "valid": 990,
    "rejected": 10,
    "warned": {"note": 0, "warning": 2, "error": 0},
    "seconds": 1.25,
    "columns": [
        {
            "column": "url",
            "grammar": "rfc3986",
            "rule": "URI",
            "sha256": "0" * 64,
            "rejections": 10,
            "families": {"character": 8, "other": 2},
            "codes": {
                "angle": {"count": 8, "family": "character", "component": "host", "samples": [SAMPLE]},
                "other": {"count": 2, "family": "other", "component": None, "samples": []},
            },
            "warnings": {
                "count": 2,
                "families": {"repetition": 2},
                "codes": {
                    "twice": {"count": 2, "family": "repetition", "component": "host", "samples": [SAMPLE]}
                },
            },
        },
        {
            "column": "x",
            "grammar": "g",
            "rule": "r",
            "sha256": "1" * 64,
            "rejections": 0,
            "families": {},
            "codes": {},
            "warnings": {"count": 0, "families": {}, "codes": {}},
        },
    ],
    "whole_rows": {"rejections": 0, "families": {}, "codes": {}},
    "sources": [{"source": "<in>.csv", "rows": 1_000, "rejected": 10}],
    "bad_sources": [{"source": "<bad>.csv", "reason": "<bad>.csv is empty"}],
    "options": {"nulls": "valid", "id": None},
    "versions": {"abnforge": "0.1.0"},
}


class Reader(HTMLParser):
    """Records tags and character data, and checks that tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_it_is_whole_and_runs_nothing() -> None:
    text = page(TOLD)
    read = Reader(text)
    assert read.open == []
    assert not {"script", "link", "img", "iframe"} & set(read.tags)
    assert not re.search(r"https?://(?!a/)|\son\w+=|url\(|@import", text)


def test_contents_of_the_report() -> None:
    text = Reader(page(TOLD)).text
    for result in (
        "10 of 1,000 rows rejected",
        "1.00%",
        "angle",
        "8",
        'a path has no "<"',
        "line 3, section 3.3",
    ):
        assert result in text
    assert "http://a/<script>alert(1)</script>\\u202e\n         ^\n" in text
    assert "Perhaps meant: http://a/%3C" in text
    assert "Nothing was rejected." in text
    assert 'style="width:25.0%"' in page(TOLD)


def test_codes_link_to_their_samples() -> None:
    """Each family of codes in each column has a link to its samples, whatever the name of the column."""
    names = ("url", 'a "b" <c>', "\ud800")
    columns = [{**TOLD["columns"][0], "column": name} for name in names]  # type: ignore[index]
    text = page({**TOLD, "columns": columns})
    links, ids = re.findall(r'href="#([^"]*)"', text), re.findall(r' id="([^"]*)"', text)
    assert links == ids
    assert len(set(ids)) == 3 * len(names)
    assert not re.search(r"[\s<>]", "".join(ids))


def test_nothing_read() -> None:
    assert "0 of 0 rows rejected" in page(TOLD | {"rows": 0, "valid": 0, "rejected": 0})


def test_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in page(TOLD)


def test_appendix() -> None:
    sample = {**SAMPLE, "section": "appendix C"}
    column = {
        **TOLD["columns"][0],
        "codes": {"a": {"count": 1, "family": "other", "component": None, "samples": [sample]}},
    }  # type: ignore[index]
    text = Reader(page({**TOLD, "columns": [column]})).text
    assert "line 3, appendix C)" in text
    assert "line 3, section 3.3)" in Reader(page(TOLD)).text
