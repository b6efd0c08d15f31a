"""The trend of a job over the summaries of its earlier runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")

from abnforge.cli.output import history
from abnforge.cli.output.history import earlier_runs, trend
from abnforge.cli.output.split import page
from tests.cli.command import run as command
from tests.cli.output.test_split import TOLD, Reader

DAYS = ["a:b", "a b", "a b\nhttp://exa mple.com/", "a b\nhttp://a:x/"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("history").mkdir()
    return tmp_path


def split(day: int, *more: str, job: str = "pages") -> int:
    Path("in.txt").write_text(DAYS[day] + "\nhttp://a/\n")
    told = ("--job-name", job, "--summary", f"history/{job}-{day}.json", "--report", "r.html")
    return command("split", "in.txt", "-c", "url", "--on-error", "drop", *told, *more).exit_code


def test_a_trend_over_runs() -> None:
    """New codes are those that the last finished run did not have; runs that failed do not count."""
    for day in range(3):
        split(day, "--history", "history", *(("--max-rejects", "0") if day == 1 else ()))
    split(0, job="other")
    assert split(3, "--history", "history") == 1
    runs = earlier_runs("history", "pages")
    summary = json.loads(Path("history/pages-3.json").read_text())
    assert runs[-1] == summary
    result = trend(summary, runs)
    assert [(run["status"], run["rows"], run["rejected"]) for run in result["runs"]] == [
        ("finished", 2, 0),
        ("too-many-rejects", 2, 1),
        ("finished", 3, 2),
        ("finished", 3, 2),
    ]
    scheme, host, port = (("url", code) for code in ("scheme-missing", "space-in-host", "port-not-digits"))
    assert [run["new"] for run in result["runs"]] == [[], [scheme], [scheme, host], [port]]
    assert result["new"] == {port}
    assert result["most"] == {"rows": 3, "share": 2 / 3}
    text = Path("r.html").read_text()
    assert text.count("<rect ") == 8
    assert text.count('<rect class="bad"') == 2
    assert len(re.findall(r'class="badge"', text)) == 2  # the family and the code
    assert Reader(text).open == []


@pytest.mark.parametrize(
    ("place", "count"), [("history", 2), ("history/*.json", 2), ("history/*-1.json", 1), ("missing", 0)]
)
def test_places(place: str, count: int) -> None:
    split(1)
    split(2)
    assert len(earlier_runs(place, "pages")) == count
    assert split(2, "--history", place) == 1


def test_a_run_counts_once() -> None:
    split(1)
    Path("history/copy.json").write_bytes(Path("history/pages-1.json").read_bytes())
    assert len(earlier_runs("history", "pages")) == 1


def test_only_the_newest_files_and_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_FILES", 3)
    monkeypatch.setattr(history, "MAX_RUNS", 2)
    for number in range(5):
        path = Path(f"history/{number}.json")
        ended = f"2026-11-2{number}T00:00:00+00:00"
        path.write_text(json.dumps({**TOLD, "run_id": str(number), "job": "pages", "ended": ended}))
        os.utime(path, (number, number))
    runs = earlier_runs("history", "pages")
    assert [run["run_id"] for run in runs] == ["2", "3", "4"]
    assert len(trend({**TOLD, "ended": "2026-11-26T00:00:00+00:00"}, runs)["runs"]) == 2


WRONG: list[Any] = [
    "",
    "[" * 100_000,
    "[]",
    "7",
    "{}",
    b"\xff",
    {"job": "other"},
    {"rows": "7"},
    {"rows": 10**30},
    {"rows": 5},
    {"rejected": -1},
    {"rejected": True},
    {"run_id": []},
    {"ended": "yesterday"},
    {"ended": "0001-01-01T00:00:00+14:00"},
    {"ended": None},
    {"columns": 7},
    {"columns": [{"column": "url"}]},
    {"columns": [{"column": "url", "codes": 7}]},
    {"whole_rows": None},
    {"status": ["finished"]},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_other_files_are_skipped(wrong: Any) -> None:
    usual = {**TOLD, "job": "pages"}
    data = json.dumps({**usual, **wrong}) if isinstance(wrong, dict) else wrong
    Path("history/a.json").write_bytes(data if isinstance(data, bytes) else data.encode())
    Path("history/b.json").write_text(json.dumps(usual))
    Path("history/c.json").mkdir()
    runs = earlier_runs("history", "pages")
    assert runs == [usual]
    page(usual, earlier=runs)


def test_history_requires_a_report() -> None:
    arguments = ("-c", "url", "--on-error", "drop", "--history", "history")
    assert command("split", "in.txt", *arguments).code == "option-requires"


def test_names_in_the_trend_are_escaped() -> None:
    codes = {"<b>\u202e": {"count": 1, "family": "other", "component": None, "samples": []}}
    column = {**TOLD["columns"][0], "column": "<i>", "codes": codes}  # type: ignore[index]
    text = page({**TOLD, "run_id": "2", "columns": [column]}, earlier=[TOLD])
    assert "<b>" not in Reader(text).tags
    assert Reader(text).open == []
    assert "\u202e" not in text
