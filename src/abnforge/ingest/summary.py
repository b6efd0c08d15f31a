"""Counts of a job, its summary as JSON, and its metrics for Prometheus."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any

from abnforge.columns.fields import ERRORS, RowError, error_schema
from abnforge.families import family_of
from abnforge.ingest.batch import ANY_ELEMENT, Batch, RowOrigin
from abnforge.ingest.job import VERSIONS, Run
from abnforge.ingest.validate import Verdicts
from abnforge.records import attributes
from abnforge.rejection import NOT_EXPLAINED, UNDECIDED
from abnforge.uri.security import Severity

FINISHED, STOPPED, TOO_MANY, FAILED = "finished", "stopped", "too-many-rejects", "failed"

WHOLE_ROW = "(row)"  # used instead of a column if the row as a whole is rejected
MOST_SHOWN = 500  # maximum number of characters of a sample
MOST_SOURCES = 1_000  # number of sources that are counted individually


@dataclass
class Counts:
    """Rows by result; errors and warnings by column and code, with the component and samples of each code.

    ``warned`` has the number of valid rows with warnings, by their highest severity.
    """

    rows: int = 0
    valid: int = 0
    rejected: int = 0
    octets: int = 0
    nulls: int = 0
    by_column: dict[str, dict[str, int]] = field(default_factory=dict)
    components: dict[str, dict[str, str | None]] = field(default_factory=dict)
    samples: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    by_source: dict[str, list[int]] = field(default_factory=dict)
    columns_by_source: dict[str, dict[str, int]] = field(default_factory=dict)
    warnings_by_source: dict[str, dict[str, int]] = field(default_factory=dict)
    warned: dict[str, int] = field(default_factory=lambda: {each.value: 0 for each in Severity})
    warnings: dict[str, dict[str, int]] = field(default_factory=dict)
    warning_components: dict[str, dict[str, str | None]] = field(default_factory=dict)
    warning_samples: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)

    @property
    def undecided(self) -> int:
        """The number of strings whose validation exceeded the budget; their rows are rejected."""
        return sum(codes.get(UNDECIDED, 0) for codes in self.by_column.values())

    def add(self, batch: Batch, verdicts: Verdicts, names: Sequence[str], most: int) -> None:
        """Count a batch, and keep up to ``most`` samples of each code."""
        rejected = verdicts.rejected
        self.rows += batch.rows
        self.rejected += rejected
        self.valid += batch.rows - rejected
        self.octets += batch.octets
        if batch.source in self.by_source or len(self.by_source) < MOST_SOURCES:
            of = self.by_source.setdefault(batch.source, [0, 0])
            of[0] += batch.rows
            of[1] += rejected
            blamed = self.columns_by_source.setdefault(batch.source, {})
            suspected = self.warnings_by_source.setdefault(batch.source, {})
        else:
            blamed, suspected = {}, {}
        for name, count in verdicts.unexplained.items():
            codes = self.by_column.setdefault(name, {})
            codes[NOT_EXPLAINED] = codes.get(NOT_EXPLAINED, 0) + count
            blamed[name] = blamed.get(name, 0) + count
        for row, errors in verdicts.reasons.items():
            self._add(batch, row, errors, names, most, self.by_column, self.components, self.samples)
            for reason in errors:
                name = _column(reason.column, names)
                blamed[name] = blamed.get(name, 0) + 1
        by_code = self.warnings, self.warning_components, self.warning_samples
        for row, warnings in verdicts.warnings.items():
            self._add(batch, row, warnings, names, most, *by_code)
            for warning in warnings:
                name = _column(warning.column, names)
                suspected[name] = suspected.get(name, 0) + 1
            highest = max(warnings, key=lambda each: list(Severity).index(Severity(each.severity)))
            self.warned[highest.severity] += 1

    @staticmethod
    def _add(
        batch: Batch,
        row: int,
        reasons: Sequence[RowError],
        names: Sequence[str],
        most: int,
        by_column: dict[str, dict[str, int]],
        components: dict[str, dict[str, str | None]],
        samples_by_column: dict[str, dict[str, list[dict[str, Any]]]],
    ) -> None:
        for reason in reasons:
            name = _column(reason.column, names)
            codes = by_column.setdefault(name, {})
            codes[reason.code] = codes.get(reason.code, 0) + 1
            components.setdefault(name, {}).setdefault(reason.code, reason.component)
            samples = samples_by_column.setdefault(name, {}).setdefault(reason.code, []) if most else []
            if len(samples) < most:
                text, start, end = _shown(reason)
                if text is None or all(each["text"] != text for each in samples):
                    samples.append(_sample(batch, row, reason, text, start, end))

    def warned_at(self, severity: str) -> int:
        """Return the number of rows with a warning of at least this severity."""
        return sum(
            count for name, count in self.warned.items() if Severity(name).at_least(Severity(severity))
        )


def _column(name: str | None, names: Sequence[str]) -> str:
    """Return the column as the job names it: ``urls[3]`` belongs to ``urls[]``."""
    if name is None:
        return WHOLE_ROW
    if name in names:
        return name
    return next((each for each in names if _elements(each).fullmatch(name)), name)


@lru_cache
def _elements(name: str) -> re.Pattern[str]:
    """Return a pattern for the paths of the elements of a column."""
    return re.compile(r"\[\d*\]".join(map(re.escape, name.split(ANY_ELEMENT))))


def _shown(reason: RowError) -> tuple[str | None, int | None, int | None]:
    """Return a rejected string as shown in samples, with the start and end of the mistake."""
    text, start, end = reason.text, reason.start, reason.end
    if isinstance(text, bytes) and start is not None and end is not None:
        start, end = (len(text[:at].decode(errors="backslashreplace")) for at in (start, end))
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    return (text if text is None or len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."), start, end


def _sample(
    batch: Batch, row: int, reason: RowError, text: str | None, start: int | None, end: int | None
) -> dict[str, Any]:
    [position] = batch.positions([row])
    return {
        "source": batch.source,
        **_position(position),
        **attributes(reason, "column family component"),
        "text": text,
        "offset": reason.offset,
        "start": start,
        "end": end,
        **attributes(reason, "found message section suggestion"),
    }


def _position(origin: RowOrigin) -> dict[str, Any]:
    return {"row": origin.row, "line": origin.line, "byte_offset": origin.byte_offset}


VERSION = 1
_SUCCESS = "last_success_timestamp_seconds"
_MOST_REASON = 200  # maximum number of characters, because labels should be short
_NOTHING: dict[str, Any] = {
    "column": {},
    "order of columns": [],
    "source": {},
    "bad source": {},
    "option": {},
    "version": VERSIONS,
}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of one result: ``"reject"`` (a line of rejects) or ``"summary"``."""
    data: dict[str, Any] = json.loads(files(__package__).joinpath(f"schemas/{name}.json").read_text("utf-8"))
    if name == "reject":
        data["properties"][ERRORS]["items"] = error_schema()
    return data


@dataclass
class Summary:
    """The result of a job.

    ``status`` is ``finished``, ``stopped`` (can be resumed), ``too-many-rejects``, or ``failed``, which
    occurs only in reports; ``reason`` says why the job did not finish. ``ended`` is in seconds since 1970.
    """

    status: str
    counts: Counts
    seconds: float
    identity: dict[str, Any]
    resumed: bool = False
    limit: int | None = None
    run: Run = field(default_factory=Run)
    reason: str | None = None
    ended: float = 0.0

    @property
    def job(self) -> str:
        """The name of the job."""
        return self.run.name

    @property
    def run_id(self) -> str:
        """The UUID of this run of the job."""
        return self.run.id

    @property
    def rows(self) -> int:
        """The number of rows that were validated."""
        return self.counts.rows

    @property
    def bad_sources(self) -> dict[str, str]:
        """The skipped sources, each with the reason."""
        skipped: dict[str, str] = self.identity.get("bad source", {})
        return skipped

    @property
    def valid(self) -> int:
        """The number of valid rows."""
        return self.counts.valid

    @property
    def rejected(self) -> int:
        """The number of rejected rows."""
        return self.counts.rejected

    def as_dict(self, last_success: str | None = None) -> dict[str, Any]:
        """Return the summary as JSON values, according to ``schema("summary")``.

        ``last_success`` is the time of the last finished run, if this run did not finish.
        """
        counts = self.counts
        identity = self.identity or _NOTHING
        started, ended = (
            datetime.fromtimestamp(int(each), UTC).isoformat() for each in (self.run.started, self.ended)
        )
        columns = [
            {
                "column": name,
                **identity["column"][name],
                **_codes("rejections", name, counts.by_column, counts.components, counts.samples),
                "warnings": _codes(
                    "count", name, counts.warnings, counts.warning_components, counts.warning_samples
                ),
            }
            for name in identity["order of columns"]
        ]
        sources = [
            {
                "source": name,
                **recorded,
                **dict(zip(("rows", "rejected"), counts.by_source.get(name, [None, None]), strict=True)),
            }
            for name, recorded in identity["source"].items()
        ]
        bad_sources = [{"source": name, "reason": reason} for name, reason in identity["bad source"].items()]
        seconds = round(self.seconds, 3)
        return {
            "summary": VERSION,
            **attributes(self, "job run_id status reason"),
            "started": started,
            "ended": ended,
            "last_success": ended if self.status == FINISHED else last_success,
            **attributes(counts, "rows valid rejected warned"),
            "reject_rate": round(counts.rejected / counts.rows, 6) if counts.rows else 0.0,
            "seconds": seconds,
            "rows_per_second": round(counts.rows / seconds) if seconds else None,
            "resumed": self.resumed,
            "columns": columns,
            "whole_rows": _codes(
                "rejections", WHOLE_ROW, counts.by_column, counts.components, counts.samples
            ),
            "sources": sources,
            "bad_sources": bad_sources,
            "options": identity["option"],
            "versions": identity["version"],
        }


def failed_run(status: str, run: Run) -> Summary:
    """Return the result of a run that ended before its job began."""
    return Summary(status, Counts(), 0.0, {}, run=run, ended=time.time())


def _codes(
    total: str,
    name: str,
    by_column: Mapping[str, Mapping[str, int]],
    components_by_column: Mapping[str, Mapping[str, str | None]],
    samples_by_column: Mapping[str, Mapping[str, list[dict[str, Any]]]],
) -> dict[str, Any]:
    codes = sorted(by_column.get(name, {}).items(), key=lambda item: (-item[1], item[0]))
    samples, components = samples_by_column.get(name, {}), components_by_column.get(name, {})
    families: dict[str, int] = {}
    for code, count in codes:
        families[family_of(code)] = families.get(family_of(code), 0) + count
    return {
        total: sum(count for _, count in codes),
        "families": dict(sorted(families.items(), key=lambda item: (-item[1], item[0]))),
        "codes": {
            code: {
                "count": count,
                "family": family_of(code),
                "component": components.get(code),
                "samples": samples.get(code, []),
            }
            for code, count in codes
        },
    }


def metrics(summary: Mapping[str, Any]) -> str:
    """Return a summary in Prometheus text format, for the textfile collector of node_exporter."""
    lines = []
    job = f'job="{_label(summary["job"])}"'

    def add(name: str, meaning: str, *values: tuple[str, Any]) -> None:
        lines.append(f"# HELP abnforge_split_{name} {meaning}")
        lines.append(f"# TYPE abnforge_split_{name} gauge")
        lines.extend(f"abnforge_split_{name}{{{job}{labels}}} {value}" for labels, value in values)

    rows = [(f',result="{result}"', summary[result]) for result in ("valid", "rejected")]
    add("rows", "Rows of the last run, by result.", *rows)
    every = [(each["column"], each) for each in summary["columns"]] + [("", summary["whole_rows"])]
    warnings = [(each["column"], each["warnings"]) for each in summary["columns"]]
    for name, meaning, by_column in (
        ("rejections", "Reasons to reject rows in the last run, by column and code.", every),
        ("warnings", "Warnings about valid rows in the last run, by column and code.", warnings),
    ):
        values = [
            (f',column="{_label(column)}",code="{_label(code)}"', of["count"])
            for column, each in by_column
            for code, of in each["codes"].items()
        ]
        if values:
            add(name, meaning, *values)
    add("seconds", "Seconds that the last run took.", ("", summary["seconds"]))
    add("success", "Whether the last run finished.", ("", int(summary["status"] == FINISHED)))
    bad = summary["bad_sources"]
    add("bad_sources", "Sources that the last run skipped, because they cannot be read.", ("", len(bad)))
    reason = (summary["reason"] or "")[:_MOST_REASON]
    status = f',status="{summary["status"]}",run_id="{summary["run_id"]}",reason="{_label(reason)}"'
    add("last_run_info", "How the last run ended, and why it did not finish.", (status, 1))
    add("last_run_start_timestamp_seconds", "When the last run began.", ("", _seconds(summary["started"])))
    add("last_run_timestamp_seconds", "When the last run ended.", ("", _seconds(summary["ended"])))
    if summary["last_success"] is not None:
        add(_SUCCESS, "When a run finished last.", ("", _seconds(summary["last_success"])))
    return "\n".join(lines) + "\n"


def last_success_in(text: str, job: str) -> str | None:
    """Return the time of a job's last success, from text that :func:`metrics` returned."""
    series = re.escape(f'abnforge_split_{_SUCCESS}{{job="{_label(job)}"}}')
    match = re.search(rf"^{series} (\d{{1,11}})$", text, re.MULTILINE)
    return match and datetime.fromtimestamp(int(match[1]), UTC).isoformat()


def _seconds(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp())


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
