"""``abnforge ingest --engine spark`` on a real cluster, of which a part dies: as the same job without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests import cluster
from tests.cluster import ROWS, START, Cluster, conf_options, wait_until, write_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(cluster.missing() is not None, reason=str(cluster.missing())),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "in"
    write_rows(folder)
    return folder


def ingest(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> Any:
    command = [sys.executable, "-m", "abnforge", "ingest", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def ended(process: Any) -> str:
    """What a command wrote to standard error; it rejected something."""
    _, said = process.communicate(timeout=2 * START)
    assert process.returncode == 1, said
    return str(said)


def ids(path: Path) -> list[int]:
    """All ids of accepted rows; one that came twice would be there twice."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return sorted(each for file in files for each in pq.read_table(file, columns=["id"])["id"].to_pylist())


def rejects(path: Path) -> list[str]:
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return sorted(line for file in files for line in file.read_text("utf-8").splitlines())


def counts(path: Path) -> dict[str, Any]:
    told = json.loads(path.read_text("utf-8"))
    for name in ("seconds", "rows_per_second", "options", "versions"):
        del told[name]
    return dict(told)


def test_a_worker_is_killed_and_every_row_is_there_once(spark: Cluster, rows: Path, tmp_path: Path) -> None:
    job = [str(rows), "-c", "url", "--id", "id", "-o", "good.parquet", "--rejected", "bad.jsonl"]
    job += ["--summary", "told.json"]
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    ended(ingest(here, *job))
    process = ingest(
        there, *job, "--engine=spark", f"--master={spark.url}", *conf_options(), environment=spark.environment
    )
    done = there / ".good.parquet.abnforge-job" / "done"
    wait_until(lambda: any(done.glob("*.json")) or process.poll() is not None, "the first unit")
    assert process.poll() is None, process.stderr.read()
    spark.kill_worker()
    said = ended(process)
    assert said.splitlines()[-1].startswith(f"{ROWS:,} rows, ")
    found = ids(there / "good.parquet")
    assert len(found) == len(set(found))
    assert found == ids(here / "good.parquet")
    assert rejects(there / "bad.jsonl") == rejects(here / "bad.jsonl")
    assert counts(there / "told.json") == counts(here / "told.json")
    assert {path.name for path in there.iterdir()} == {"good.parquet", "bad.jsonl", "told.json"}
    spark.add_worker()


def test_stopped_and_gone_on_with(spark: Cluster, rows: Path, tmp_path: Path) -> None:
    job = [str(rows), "-c", "url", "-o", "good", "--on-reject", "drop", "--resume"]
    job += ["--engine=spark", f"--master={spark.url}", *conf_options()]
    process = ingest(tmp_path, *job, environment=spark.environment)
    done = tmp_path / ".good.abnforge-job" / "done"
    wait_until(lambda: any(done.glob("*.json")) or process.poll() is not None, "the first unit")
    process.terminate()
    _, said = process.communicate(timeout=START)
    assert process.returncode == 143, said
    assert "--resume" in said
    assert not (tmp_path / "good").exists()
    said = ended(ingest(tmp_path, *job, environment=spark.environment))
    assert "resuming" in said
    assert pq.ParquetDataset(tmp_path / "good").read(columns=["id"]).num_rows == len(
        set(ids(tmp_path / "good"))
    )
    assert {path.name for path in tmp_path.iterdir()} == {"good"}


def test_what_is_wrong_is_said_in_a_line(rows: Path, tmp_path: Path) -> None:
    """Before anything is started."""
    process = ingest(tmp_path, str(rows), "-c", "ulr", "-o", "good", "--on-reject=drop", "--engine=spark")
    _, said = process.communicate(timeout=START)
    assert process.returncode == 2
    assert said.count("\n") == 1
    assert "'url'" in said
