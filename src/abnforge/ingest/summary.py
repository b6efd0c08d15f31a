"""A job's result for programs: a summary as JSON, and a few numbers as Prometheus reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from abnforge.ingest.counts import WHOLE_ROW
from abnforge.ingest.run import Result

VERSION = 1


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of what a job writes: ``"reject"`` (a line of rejects) or ``"summary"``."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath(f"schemas/{name}.json").read_text("utf-8"))
    return found


def summary(result: Result) -> dict[str, Any]:
    """All that there is to say of a job that ended: enough to tell whether another one was the same."""
    counts, identity = result.counts, result.identity
    columns = [
        {
            "column": name,
            **identity["column"][name],
            **_codes(result, name),
            "applied": dict(sorted(counts.applied.get(name, {}).items())),
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
        "status": result.status,
        "rows": counts.rows,
        "accepted": counts.accepted,
        "rejected": counts.rejected,
        "reject_rate": round(counts.rejected / counts.rows, 6) if counts.rows else 0.0,
        "seconds": seconds,
        "rows_per_second": round(counts.rows / seconds) if seconds else None,
        "resumed": result.resumed,
        "columns": columns,
        "whole_rows": _codes(result, WHOLE_ROW),
        "sources": sources,
        "options": {name.removeprefix("--"): value for name, value in identity["option"].items()},
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

    def add(name: str, kind: str, meaning: str, *values: tuple[str, Any]) -> None:
        lines.append(f"# HELP abnforge_ingest_{name} {meaning}")
        lines.append(f"# TYPE abnforge_ingest_{name} {kind}")
        lines.extend(f"abnforge_ingest_{name}{labels} {value}" for labels, value in values)

    rows = [(f'{{result="{result}"}}', told[result]) for result in ("accepted", "rejected")]
    add("rows", "gauge", "Rows of the last job, by result.", *rows)
    every = [(each["column"], each) for each in told["columns"]] + [("", told["whole_rows"])]
    reasons = [
        (f'{{column="{_label(name)}",code="{_label(code)}"}}', of["count"])
        for name, each in every
        for code, of in each["codes"].items()
    ]
    if reasons:
        add("rejections", "gauge", "Reasons to reject rows in the last job, by column and code.", *reasons)
    add("seconds", "gauge", "Seconds that the last job took.", ("", told["seconds"]))
    add("success", "gauge", "Whether the last job finished.", ("", int(told["status"] == "finished")))
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
