"""If SIGKILL ends a job's processes at random moments, the final outputs are the same."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow.parquet as pq

from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources import text as texts
from tests.ingest.jobs import files_in, table, write_csv, write_jsonl

TIMES = 3_000  # rows of the table; a job takes some seconds
MOST_KILLS = 4

# In this process, parts are small, so that there are many of them.
SMALL = """
import sys
from abnforge.cli import main
from abnforge.ingest.sources import arrow as tables, text as texts
tables.LEAST_ROWS = tables.BATCH_ROWS = 3_000
texts.BLOCK = 1 << 17
main()
"""


def source(folder: Path, kind: str) -> Path:
    path = folder / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table(TIMES), path, compression="zstd", row_group_size=5_000)
    elif kind == "csv":
        write_csv(path, table(TIMES))
    else:
        write_jsonl(path, table(TIMES))
    return path


def command(folder: Path, kind: str, rejects: str) -> list[str]:
    options = [
        "split",
        f"rows.{kind}",
        "-c",
        "url",
        "-c",
        "port:port",
        "-o",
        f"good.{kind}",
        "--rejects",
        rejects,
    ]
    return [sys.executable, "-c", SMALL, *options, "--jobs", "2", "--resume"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("kind", "rejects"),
    [("parquet", "bad.jsonl"), ("parquet", "bad.parquet"), ("csv", "bad.csv.gz"), ("jsonl", "bad.jsonl")],
)
def test_killed_at_random_moments(tmp_path: Path, kind: str, rejects: str) -> None:
    r = random.Random(f"{kind}{rejects}")
    path = source(tmp_path, kind)
    started = time.monotonic()
    assert subprocess.run(command(tmp_path, kind, rejects), cwd=tmp_path, timeout=300).returncode == 1
    seconds = time.monotonic() - started
    names = {path.name, f"good.{kind}", rejects}
    assert files_in(tmp_path) == names
    expected = {name: (tmp_path / name).read_bytes() for name in names}
    kills = 0
    while kills < MOST_KILLS:
        for name in names - {path.name}:
            (tmp_path / name).unlink()
        for attempt in range(100):
            process = subprocess.Popen(
                command(tmp_path, kind, rejects), cwd=tmp_path, stderr=subprocess.DEVNULL
            )
            try:
                # Even a slow machine eventually completes the job.
                assert process.wait(r.uniform(0.3, 1) * seconds * 1.1**attempt) == 1
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        assert {name: (tmp_path / name).read_bytes() for name in names} == expected
        assert files_in(tmp_path) == names


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no file system of a fixed size")
def test_a_file_system_that_is_full(tmp_path: Path) -> None:
    """Each run has more disk space, from none to enough. Another file uses the rest."""
    limit = pytest.importorskip("resource")
    path = source(tmp_path, "csv")
    assert subprocess.run(command(tmp_path, "csv", "bad.jsonl"), cwd=tmp_path, timeout=300).returncode == 1
    expected = [(tmp_path / name).read_bytes() for name in ("good.csv", "bad.jsonl")]
    (tmp_path / "good.csv").unlink()
    (tmp_path / "bad.jsonl").unlink()
    size = max(map(len, expected))
    tries = 0
    for most in range(1 << 12, size + (1 << 21), 1 << 21):

        def limited(most: int = most) -> None:
            limit.setrlimit(limit.RLIMIT_FSIZE, (most, most))  # EFBIG, instead of ENOSPC

        done = subprocess.run(
            command(tmp_path, "csv", "bad.jsonl"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            preexec_fn=limited,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # the limit would cut compiled modules
        )
        tries += 1
        if done.returncode == 1:
            break
        assert done.returncode == 2, done.stderr
        assert "File too large" in done.stderr
        assert "Traceback" not in done.stderr
    assert tries > 2
    assert [(tmp_path / name).read_bytes() for name in ("good.csv", "bad.jsonl")] == expected
    assert files_in(tmp_path) == {path.name, "good.csv", "bad.jsonl"}


def test_sizes_of_parts() -> None:
    """The package uses the constants that the program above sets."""
    assert (tables.LEAST_ROWS, tables.BATCH_ROWS, texts.BLOCK) == (1 << 16, 1 << 15, 1 << 23)
