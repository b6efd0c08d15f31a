"""A job's result for programs: a summary as JSON, and a few numbers as Prometheus reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from abnforge.ingest.counts import WHOLE_ROW
from abnforge.ingest.job import VERSIONS
from abnforge.ingest.run import FINISHED, Result

VERSION = 1
_SUCCESS = "last_success_timestamp_seconds"
_MOST_REASON = 200  # characters: a label is not a place for more
_NOTHING: dict[str, Any] = {
    "column": {},
    "order of columns": [],
    "source": {},
    "option": {},
    "version": VERSIONS,
}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of what a job writes: ``"reject"`` (a line of rejects) or ``"summary"``."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath(f"schemas/{name}.json").read_text("utf-8"))
    return found


def summary(result: Result, last_success: str | None = None) -> dict[str, Any]:
    """All that there is to say of a job that ended: enough to tell whether another one was the same.

    ``last_success`` is when the job finished before, if this time it did not.
    """
    counts = result.counts
    identity = result.identity or _NOTHING
    ended = datetime.fromtimestamp(int(result.ended), UTC).isoformat()
    columns = [
        {
            "column": name,
            **identity["column"][name],
            **_codes(result, name),
        }
        for name in identity["order of columns"]
    ]
    sources = [
        {
            "source": name,
            **known,
            **dict(zip(("rows", "rejected"), counts.by_source.get(name, [None, None]), strict=True)),
        }
        for name, known in identity["source"].items()
    ]
    seconds = round(result.seconds, 3)
    return {
        "summary": VERSION,
        "job": result.job,
        "status": result.status,
        "reason": result.reason,
        "ended": ended,
        "last_success": ended if result.status == FINISHED else last_success,
        "rows": counts.rows,
        "valid": counts.valid,
        "rejected": counts.rejected,
        "reject_rate": round(counts.rejected / counts.rows, 6) if counts.rows else 0.0,
        "seconds": seconds,
        "rows_per_second": round(counts.rows / seconds) if seconds else None,
        "resumed": result.resumed,
        "columns": columns,
        "whole_rows": _codes(result, WHOLE_ROW),
        "sources": sources,
        "options": identity["option"],
        "versions": identity["version"],
    }


def _codes(result: Result, name: str) -> dict[str, Any]:
    counts = result.counts
    codes = sorted(counts.by_column.get(name, {}).items(), key=lambda item: (-item[1], item[0]))
    samples = counts.samples.get(name, {})
    return {
        "rejections": sum(count for _, count in codes),
        "codes": {code: {"count": count, "samples": samples.get(code, [])} for code, count in codes},
    }


def metrics(told: Mapping[str, Any]) -> str:
    """A summary in the text format of Prometheus, for node_exporter's textfile collector."""
    lines = []
    job = f'job="{_label(told["job"])}"'

    def add(name: str, meaning: str, *values: tuple[str, Any]) -> None:
        lines.append(f"# HELP abnforge_split_{name} {meaning}")
        lines.append(f"# TYPE abnforge_split_{name} gauge")
        lines.extend(f"abnforge_split_{name}{{{job}{labels}}} {value}" for labels, value in values)

    rows = [(f',result="{result}"', told[result]) for result in ("valid", "rejected")]
    add("rows", "Rows of the last run, by result.", *rows)
    every = [(each["column"], each) for each in told["columns"]] + [("", told["whole_rows"])]
    reasons = [
        (f',column="{_label(name)}",code="{_label(code)}"', of["count"])
        for name, each in every
        for code, of in each["codes"].items()
    ]
    if reasons:
        add("rejections", "Reasons to reject rows in the last run, by column and code.", *reasons)
    add("seconds", "Seconds that the last run took.", ("", told["seconds"]))
    add("success", "Whether the last run finished.", ("", int(told["status"] == FINISHED)))
    reason = (told["reason"] or "")[:_MOST_REASON]
    status = f',status="{told["status"]}",reason="{_label(reason)}"'
    add("last_run_info", "How the last run ended, and why it did not finish.", (status, 1))
    add("last_run_timestamp_seconds", "When the last run ended.", ("", _seconds(told["ended"])))
    if told["last_success"] is not None:
        add(_SUCCESS, "When a run finished last.", ("", _seconds(told["last_success"])))
    return "\n".join(lines) + "\n"


def last_success_in(text: str, job: str) -> str | None:
    """Return when a job finished last, by what :func:`metrics` wrote."""
    series = re.escape(f'abnforge_split_{_SUCCESS}{{job="{_label(job)}"}}')
    found = re.search(rf"^{series} (\d{{1,11}})$", text, re.MULTILINE)
    return found and datetime.fromtimestamp(int(found[1]), UTC).isoformat()


def _seconds(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp())


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
