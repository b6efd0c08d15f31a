"""The trend of a job over the summaries of its earlier runs (``--history``)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from glob import escape, glob
from pathlib import Path
from typing import Any

from abnforge.ingest.summary import FINISHED

MAX_FILES = 1_000  # the newest files that are read; a summary has some 100 kB
MAX_BYTES = 1 << 24  # maximum size of a summary
MAX_ROWS = 1 << 63
MAX_RUNS = 60  # the newest runs that a report shows, which fit into a narrow window

Codes = frozenset[tuple[str, str]]  # columns and codes


def earlier_runs(place: str, job: str) -> list[dict[str, Any]]:
    """Return the summaries of earlier runs of a job, the oldest first.

    ``place`` is a directory of ``.json`` files, or a glob. Other files and summaries of other jobs are
    skipped, and so is a place that does not exist: a first run has no history.
    """
    names = glob(os.path.join(escape(place), "*.json") if os.path.isdir(place) else place, recursive=True)
    files = sorted((path for name in names if (path := Path(name)).is_file()), key=_changed)[-MAX_FILES:]
    runs = {run["run_id"]: run for path in files for run in _summaries(path, job)}
    return sorted(runs.values(), key=_end)


def _end(run: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(run["ended"]).astimezone(UTC)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed after it was listed
        return 0.0


def _summaries(path: Path, job: str) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            run = json.loads(file.read(MAX_BYTES))
        numbers = run["rejected"], run["rows"]
        is_usable = run["job"] == job and all(type(each) is int for each in numbers)
        if is_usable and 0 <= numbers[0] <= numbers[1] < MAX_ROWS and isinstance(run["status"], str):
            hash(run["run_id"]), _end(run), codes_of(run)  # raise an error for other types and forms
            yield run
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return  # not a summary of this version


def codes_of(summary: Mapping[str, Any]) -> Codes:
    """Return the columns and codes of the rejections in a summary; the column of whole rows is ""."""
    columns = [(each["column"], each["codes"]) for each in summary["columns"]]
    return frozenset(
        (str(name), str(code))
        for name, codes in (*columns, ("", summary["whole_rows"]["codes"]))
        for code in codes
    )


def trend(summary: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the runs that a report shows, and the codes that the last finished run did not have."""
    runs = [*(run for run in earlier if run["run_id"] != summary["run_id"]), summary][-MAX_RUNS:]
    known: Codes | None = None
    rows: list[dict[str, Any]] = []
    new: Codes = frozenset()
    for run in runs:
        codes = codes_of(run)
        new = frozenset() if known is None else codes - known
        share = run["rejected"] / run["rows"] if run["rows"] else 0.0
        end = _end(run).strftime("%Y-%m-%d %H:%M UTC")
        shown = {name: run[name] for name in ("status", "rows", "rejected")}
        rows.append({**shown, "end": end, "share": share, "new": sorted(new)})
        if run["status"] == FINISHED:
            known = codes
    return {
        "runs": rows,
        "new": new,
        "most": {name: max(run[name] for run in rows) for name in ("rows", "share")},
    }
