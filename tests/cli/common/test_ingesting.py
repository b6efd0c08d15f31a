"""Progress messages of a running job."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

from abnforge.ingest.sources import arrow as tables
from tests.cli.commands.test_split import folder, split

__all__ = ["folder"]  # every test in this file uses the fixture


def test_events_have_a_time_a_level_and_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress events never count more bytes than the source contains."""
    monkeypatch.setattr(tables, "LEAST_ROWS", 100)
    rows = ["http://example.com/the/same"] * 50_000 + ["a b"]
    pq.write_table(pa.table({"url": rows}), "in.parquet", row_group_size=1_000)
    named = ("--log-format", "json", "--log-level", "debug", "--job-name", "urls")
    result = split("in.parquet", "-c", "url", "--on-error", "drop", *named, status=1)
    events = [json.loads(line) for line in result.stderr.splitlines()]
    assert len(events) > 10
    for each in events:
        assert datetime.fromisoformat(each["time"]).tzinfo is not None
        assert (each["level"], each["job"]) == ("debug" if each["event"] == "progress" else "info", "urls")
        assert each.get("octets", 0) <= each.get("of", 0)
    [event] = map(json.loads, split("no.csv", "-c", "url", "-o", "x", *named, status=2).stderr.splitlines())
    assert (event["level"], event["event"], event["job"]) == ("error", "error", "urls")
