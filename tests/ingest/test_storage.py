"""Sources and outputs in object storage: a real S3 server on this machine, and file systems of fsspec."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from abnforge.cli.app import cli
from abnforge.ingest import ConflictError, JobError, split, storage
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import arrow, text
from abnforge.ingest.storage import output_path
from tests.cli.command import run as command
from tests.ingest.jobs import DyingDisk, Killed, job, table, write_csv, write_jsonl
from tests.law import one_in
from tests.raising import raises

assert cli
RULES = {"url": "rfc3986:URI"}
KINDS = ["csv", "csv.gz", "csv.zst", "jsonl", "parquet", "arrow"]


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    """Yield a bucket on a server of moto's, at the address in the environment."""
    server = pytest.importorskip("moto.server")
    pytest.importorskip("pyarrow._s3fs")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patched.setenv("AWS_ACCESS_KEY_ID", "testing")
        patched.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patched.setenv("AWS_EC2_METADATA_DISABLED", "true")
        storage._file_system.cache_clear()
        system, _ = fs.FileSystem.from_uri("s3://bucket/?allow_bucket_creation=true")
        system.create_dir("bucket")
        yield system
        storage._file_system.cache_clear()
    running.stop()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "state"


def put(system: Any, path: str, data: bytes) -> None:
    with system.open_output_stream(f"bucket/{path}", compression=None) as stream:
        stream.write(data)


def objects(system: Any, prefix: str) -> dict[str, bytes]:
    found = system.get_file_info(fs.FileSelector(f"bucket/{prefix}", allow_not_found=True, recursive=True))
    return {
        each.path.removeprefix(f"bucket/{prefix}/"): system.open_input_file(each.path).read()
        for each in found
        if each.type == fs.FileType.File
    }


def write(kind: str, times: int = 3) -> bytes:
    path = Path(f"rows.{kind}")
    rows = table(times)
    if kind == "parquet":
        pq.write_table(rows, path, row_group_size=7)
    elif kind == "arrow":
        with pa.ipc.new_file(path, rows.schema) as writer:
            writer.write(rows)
    elif kind == "jsonl":
        write_jsonl(path, rows)
    else:
        write_csv(path, rows)
    data = path.read_bytes()
    if kind.endswith((".gz", ".zst")):
        name = {"gz": "gzip", "zst": "zstd"}[kind.rpartition(".")[2]]
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, name) as stream:
            stream.write(data)
        data = sink.getvalue().to_pybytes()
        path.write_bytes(data)
    return data


@pytest.mark.parametrize("kind", one_in(2, KINDS))
def test_the_same_rows_as_on_this_machine(s3: Any, kind: str, state: Path) -> None:
    put(s3, f"in/rows.{kind}", write(kind))
    good, bad = f"s3://bucket/out-{kind}/good.{kind}", f"s3://bucket/out-{kind}/bad.jsonl"
    summary = split(f"s3://bucket/in/rows.{kind}", RULES, good, bad)
    here = split(f"rows.{kind}", RULES, f"good.{kind}", "bad.jsonl")
    assert (summary.rows, summary.rejected) == (here.rows, here.rejected)
    found = objects(s3, f"out-{kind}")
    bad_name, good_name = "bad.jsonl/part-000000.jsonl", f"good.{kind}/part-000000.{kind}"
    assert found.keys() == {"bad.jsonl/_SUCCESS", bad_name, f"good.{kind}/_SUCCESS", good_name}
    assert found[good_name] == Path(f"good.{kind}").read_bytes()
    rejects = found[bad_name].replace(f"s3://bucket/in/rows.{kind}".encode(), f"rows.{kind}".encode())
    assert rejects == Path("bad.jsonl").read_bytes()
    assert not list(state.rglob("*part*"))
    again = split(f"s3://bucket/out-{kind}/good.{kind}", RULES, rejects="again.jsonl")
    assert (again.rows, again.rejected) == (here.valid, 0)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("place", one_in(3, [9, 2, 21, -4, -1, 30]))
def test_killed_and_resumed(s3: Any, kind: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK", 600)
    monkeypatch.setattr(arrow, "LEAST_ROWS", 5)
    monkeypatch.setattr(arrow, "BATCH_ROWS", 5)
    put(s3, f"kill/rows.{kind}", write(kind))
    prefix = f"killed-{kind}{place}"
    task = job(
        Path(),
        f"s3://bucket/kill/rows.{kind}",
        valid=output_path(f"s3://bucket/{prefix}/good"),
        rejects=output_path(f"s3://bucket/{prefix}/bad.parquet"),
        resume=True,
    )
    disk = DyingDisk(0, lambda path: Killed(path))
    run(task, disk=disk)
    whole = objects(s3, prefix)
    s3.delete_dir(f"bucket/{prefix}")
    steps = len(disk.steps)
    with pytest.raises(Killed):
        run(task, disk=DyingDisk(place % steps, lambda path: Killed(path)))
    run(task)
    assert objects(s3, prefix) == whole


def test_globs_prefixes_and_partitions(s3: Any) -> None:
    for day, url in (("1", "a:"), ("2", "a b")):
        put(s3, f"days/day={day}/x.csv", f"url\n{url}\n".encode())
    put(s3, "days/_SUCCESS", b"")
    for source in (
        "s3://bucket/days",
        "s3://bucket/days/",
        "s3://bucket/days/*/x.csv",
        "s3://bucket/days/**/*.csv",
    ):
        summary = split(source, {**RULES, "day": "rfc3986:port"}, rejects="bad.jsonl")
        assert (summary.rows, summary.rejected) == (2, 1)
        assert '"day":"2"' in Path("bad.jsonl").read_text()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("s3://bucket/none.csv", "source-missing"),
        ("s3://bucket/none*.csv", "glob-empty"),
        ("s3://no-bucket/x/*.csv", "storage-failed|glob-empty"),
        ("nosuch://bucket/x.csv", "storage-failed"),
    ],
)
def test_sources_that_cannot_be_read(s3: Any, source: str, code: str) -> None:
    with pytest.raises(JobError) as caught:
        split(source, RULES, "good.csv", on_error="drop")
    assert caught.value.code in code.split("|")
    assert os.listdir() == []


def test_outputs_that_cannot_be_written(s3: Any) -> None:
    Path("in.csv").write_text("url\na:\n")
    put(s3, "full/other.txt", b"x")
    with raises(JobError, "output-with-objects", object="other.txt"):
        split("in.csv", RULES, "s3://bucket/full", on_error="drop")
    with raises(JobError, "outputs-equal"):
        split("in.csv", RULES, "s3://bucket/x", "s3://bucket/x")
    for outputs in (("s3://no-bucket/x", "s3://bucket/y"), ("s3://bucket/y", "s3://no-bucket/x")):
        with raises(JobError, "bucket-missing", bucket="no-bucket"):
            split("in.csv", RULES, *outputs)
    assert storage.list_files("s3://bucket/y") == []
    put(s3, "in/own/part-000000.csv", b"url\na:\n")
    with raises(JobError, "source-is-output"):
        split("s3://bucket/in/own", RULES, "s3://bucket/in/own", on_error="drop")


def test_outputs_of_an_interrupted_job_are_named_by_their_uris(s3: Any) -> None:
    Path("in.csv").write_text("url\na:\n")
    outputs = ["s3://bucket/one/good.csv", "s3://bucket/one/bad.jsonl"]
    valid, rejects = map(output_path, outputs)
    task = job(Path(), "in.csv", valid=valid, rejects=rejects, resume=True)
    disk = DyingDisk(0, lambda path: Killed(path))
    run(task, disk=disk)
    with pytest.raises(Killed):
        run(task, disk=DyingDisk(disk.steps.index("upload") + 1, lambda path: Killed(path)))
    with raises(ConflictError, "output-claimed", path=outputs[1], outputs=tuple(outputs)):
        split("in.csv", RULES, "s3://bucket/two.csv", outputs[1])


def test_the_server_goes_away(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The upload fails: nothing is lost, and the same job with --resume uploads."""
    Path("in.csv").write_text("url\na:\na b\n")
    arguments = (
        "split",
        "in.csv",
        "-c",
        "url",
        "-o",
        "s3://bucket/gone/good",
        "--on-error",
        "drop",
        "--resume",
    )
    with monkeypatch.context() as patched:
        patched.setattr(storage.RemoteOutput, "upload", _unreachable)
        failed = command(*arguments)
    assert failed.exit_code == 2
    assert objects(s3, "gone") == {}
    assert command(*arguments).exit_code == 1
    assert objects(s3, "gone") == {"good/part-000000.csv": b"url\na:\n", "good/_SUCCESS": b""}


def _unreachable(self: storage.RemoteOutput, finished: Path, ending: str) -> None:
    with storage.accessing(self.uri):
        raise OSError("Could not connect to server")


def test_file_uris(tmp_path: Path) -> None:
    Path("in.csv").write_text("url\na:\n")
    assert (
        split(
            Path("in.csv").absolute().as_uri(), RULES, (tmp_path / "good.csv").as_uri(), on_error="drop"
        ).valid
        == 1
    )
    assert (tmp_path / "good.csv").read_text() == "url\na:\n"


def test_file_systems_of_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://box/in.csv", "w") as stream:
        stream.write("url\na:\na b\n")
    summary = split("memory://box/in.csv", RULES, "memory://box/good", "memory://box/bad.csv")
    assert (summary.valid, summary.rejected) == (1, 1)
    with fsspec.open("memory://box/good/part-000000.csv") as stream:
        assert stream.read() == b"url\na:\n"
