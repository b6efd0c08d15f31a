"""Realistic files, jobs that read them, and the outputs of jobs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abnforge
from abnforge.catalog import Message
from abnforge.ingest import Column, Summary
from abnforge.ingest.checkpoint import Disk
from abnforge.ingest.events import JobEvents
from abnforge.ingest.job import Job
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources import text as texts

URI = abnforge.load("rfc3986")["URI"]
PORT = abnforge.load("rfc3986")["port"]
SCHEME = abnforge.load("rfc3986")["scheme"]

URLS: list[str | None] = [
    "http://example.com/",
    "http://exa mple.com/",
    None,
    "",
    "urn:isbn:9780000000002",
    "http://[::1",
    "http://é/",
    'http://a/"',
    "a:\nb",
    "mailto:me,you@example.com",
    "http://u:secret@h:80x/",
    "x:y",
]
PORTS: list[str | None] = ["80", "8x", None, "", "1", "443", "-1", "2", "3", "x", "5", "66000"]


def table(times: int = 1) -> pa.Table:
    """Return a table with a column of URLs, a column of ports, and other columns."""
    size = len(URLS) * times
    return pa.table(
        {
            "id": pa.array(range(size), pa.int32()),
            "url": pa.array(URLS * times, pa.string()),
            "port": pa.array(PORTS * times, pa.string()),
            "n": pa.array([1.5, None, 2.25] * (size // 3), pa.float64()),
        }
    ).replace_schema_metadata({"owner": "somebody"})


def write_csv(path: Path, rows: pa.Table, end: str = "\n") -> None:
    """Write a CSV file with every string in quotes: an empty string differs from a missing value."""
    lines = [",".join(rows.schema.names)]
    for row in rows.to_pylist():
        cells = [
            "" if each is None else str(each) if not isinstance(each, str) else quoted(each)
            for each in row.values()
        ]
        lines.append(",".join(cells))
    path.write_bytes((end.join(lines) + end).encode())


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def write_jsonl(path: Path, rows: pa.Table) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_pylist()), "utf-8")


def job(folder: Path, *sources: Path | str, **options: Any) -> Job:
    """Return a job on the column of URLs, or on the columns in ``columns``."""
    options.setdefault("columns", [Column("url", URI)])
    kind = Path(sources[0]).suffixes[0] if sources and Path(sources[0]).suffixes else ".parquet"
    options.setdefault("valid", folder / f"accepted{kind}")
    if options.get("on_error", "reject") == "reject":
        options.setdefault("rejects", folder / "rejected.jsonl")
    return Job([str(each) for each in sources], **options)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Parse a JSON object from each line. Only LF ends a line, not U+2028."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def cells_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def told(path: Path) -> list[tuple[int, list[tuple[str | None, str]]]]:
    """Return the number of each rejected row, with the rejected columns and their codes."""
    return [
        (row["_source"]["row"], [(each["column"], each["code"]) for each in row["_errors"]])
        for row in lines_of(path)
    ]


def wrong(values: Sequence[str | None], rule: abnforge.Rule = URI) -> list[int]:
    return [row for row, text in enumerate(values) if text is not None and not rule.matches(text)]


class Notes(JobEvents):
    """The notes and warnings of a job."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def note(self, message: str) -> None:
        assert isinstance(message, Message)
        self.messages.append(message)


class Killed(BaseException):
    """The process was killed."""


class DyingDisk(Disk):
    """A disk that kills the process at step ``last``, or fails at this step."""

    def __init__(self, last: int, error: Callable[[Path], BaseException], at_once: int = 1 << 24) -> None:
        self.left = last
        self.error = error
        self.at_once = at_once
        self.steps: list[str] = []

    def step(self, what: str, path: Path) -> None:
        self.steps.append(what)
        self.left -= 1
        if self.left == 0:
            raise self.error(path)


def stop_after(batches: int) -> Callable[[], bool]:
    """Return a callback that requests the job to stop after a number of batches."""
    left = iter(range(batches - 1))
    return lambda: next(left, None) is None


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def outputs(job: Job) -> list[bytes]:
    return [path.read_bytes() for path in job.outputs]


def done(job: Job) -> Summary:
    result = run(job)
    assert result.status == "finished"
    assert result.counts.valid + result.counts.rejected == result.counts.rows
    return result


def groups(path: Path) -> Iterator[int]:
    metadata = pq.read_metadata(path)
    return (metadata.row_group(at).num_rows for at in range(metadata.num_row_groups))


def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts small, so that a few rows form several parts."""
    monkeypatch.setattr(tables, "LEAST_ROWS", 40)
    monkeypatch.setattr(tables, "MOST_ROWS", 50)
    monkeypatch.setattr(tables, "BATCH_ROWS", 25)
    monkeypatch.setattr(texts, "BLOCK", 1_500)


def source(folder: Path, kind: str, times: int = 12) -> Path:
    import bz2
    import gzip

    import pyarrow as pa

    rows = table(times)
    path = folder / f"rows.{kind}"
    plain = folder / f"rows.{kind.split('.')[0]}"
    if kind == "parquet":
        pq.write_table(rows, path, row_group_size=33)
    elif kind in ("arrow", "arrows"):
        new = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with new(path, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=33)
    elif kind.startswith("csv"):
        write_csv(plain, rows)
    else:
        write_jsonl(plain, rows)
    pack: dict[str, Any] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
    }
    if path.suffix in pack:
        path.write_bytes(pack[path.suffix](plain.read_bytes()))
        plain.unlink()
    return path
