"""Sources and outputs in object storage: an S3 server on this machine, and fsspec file systems."""

from __future__ import annotations

import gzip
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
from pyarrow.dataset import dataset

from abnforge.cli.app import cli
from abnforge.ingest import ConflictError, JobError, split, storage
from abnforge.ingest.pipeline import run
from abnforge.ingest.sinks import rows
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
    """Yield a bucket on a moto server, at the address in the environment."""
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
    result = system.get_file_info(fs.FileSelector(f"bucket/{prefix}", allow_not_found=True, recursive=True))
    return {
        each.path.removeprefix(f"bucket/{prefix}/"): system.open_input_file(each.path).read()
        for each in result
        if each.type == fs.FileType.File
    }


def write(kind: str, times: int = 3) -> bytes:
    path = Path(f"rows.{kind}")
    rows = table(times)
    if kind == "parquet":
        pq.write_table(rows, path, row_group_size=7)
    elif kind == "arrow":
        with pa.ipc.new_file(path, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=7)
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
    result = objects(s3, f"out-{kind}")
    bad_name, good_name = "bad.jsonl/part-000000.jsonl", f"good.{kind}/part-000000.{kind}"
    assert result.keys() == {"bad.jsonl/_SUCCESS", bad_name, f"good.{kind}/_SUCCESS", good_name}
    assert result[good_name] == Path(f"good.{kind}").read_bytes()
    rejects = result[bad_name].replace(f"s3://bucket/in/rows.{kind}".encode(), f"rows.{kind}".encode())
    assert rejects == Path("bad.jsonl").read_bytes()
    assert not list(state.rglob("*part*"))
    again = split(f"s3://bucket/out-{kind}/good.{kind}", RULES, rejects="again.jsonl")
    assert (again.rows, again.rejected) == (here.valid, 0)


def small_batches(monkeypatch: pytest.MonkeyPatch, object_bytes: int) -> None:
    monkeypatch.setattr(text, "BLOCK", 600)
    monkeypatch.setattr(arrow, "LEAST_ROWS", 5)
    monkeypatch.setattr(arrow, "BATCH_ROWS", 5)
    monkeypatch.setattr(rows, "OBJECT_BYTES", object_bytes)


@pytest.mark.parametrize("stride", [61, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("kind", "size"), one_in(2, [("csv", 900), ("csv.gz", 1 << 27), ("parquet", 2_500)]))
def test_killed_at_each_step(
    s3: Any, kind: str, size: int, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(monkeypatch, size)
    put(s3, f"kill/rows.{kind}", write(kind))
    prefix = f"killed-{kind}{size}-{stride}"
    outputs = [output_path(f"s3://bucket/{prefix}/{name}") for name in ("good", "bad.parquet")]
    task = job(Path(), f"s3://bucket/kill/rows.{kind}", valid=outputs[0], rejects=outputs[1], resume=True)
    disk = DyingDisk(0, lambda path: Killed(path))
    run(task, disk=disk)
    whole = objects(s3, prefix)
    assert (len(whole) > 4) is (size < 1 << 27)
    for step in range(stride, len(disk.steps), stride):
        s3.delete_dir(f"bucket/{prefix}")
        with pytest.raises(Killed):
            run(task, disk=DyingDisk(step, lambda path: Killed(path)))
        if step <= disk.steps.index("publish") + 1:
            assert all("/_temporary/" in name for name in objects(s3, prefix))
        run(task)
        assert objects(s3, prefix) == whole


class DyingSystem:
    """A file system that kills the process at change number ``last``."""

    def __init__(self, system: Any, last: int) -> None:
        self.system, self.left = system, last

    def __getattr__(self, name: str) -> Any:
        if name in ("move", "delete_file", "delete_dir", "open_output_stream"):
            self.left -= 1
            if self.left == 0:
                raise Killed(name)
        return getattr(self.system, name)


def test_killed_while_objects_are_published(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier job wrote more objects with the same prefix."""
    small_batches(monkeypatch, 300)
    located = storage._located
    prefix = "s3://bucket/published/good"
    write("csv", 6)
    deaths = 0
    while True:
        split("rows.csv", RULES, prefix, on_error="drop")
        whole = objects(s3, "published")
        put(s3, "published/good/part-000099.csv", b"old")
        task = job(Path(), "rows.csv", valid=output_path(prefix), on_error="drop", resume=True)
        with monkeypatch.context() as patched:
            system = DyingSystem(s3, deaths + 1)
            patched.setattr(storage, "_located", lambda uri, system=system: (system, located(uri)[1]))
            try:
                run(task)
                break
            except Killed:
                deaths += 1
        run(task)
        assert objects(s3, "published") == whole
    assert deaths > 7


@pytest.mark.parametrize(
    ("kind", "encoding"), one_in(2, [("csv", None), ("csv.gz", None), ("csv", "utf-16"), ("jsonl", None)])
)
def test_each_object_is_a_whole_text(
    s3: Any, kind: str, encoding: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(monkeypatch, 400)
    data = write(kind, 12)
    if encoding is not None:
        Path(f"rows.{kind}").write_bytes(data.decode().encode(encoding))
    prefix = f"s3://bucket/whole-{kind}-{encoding}/good.{kind}"
    for output in (prefix, f"good.{kind}"):
        split(f"rows.{kind}", RULES, output, on_error="drop", encoding=encoding)
    paths = storage.list_files(prefix)[1:]
    assert len(paths) > 2
    unpack = gzip.decompress if kind.endswith(".gz") else bytes
    here, *there = (
        unpack(content).decode(encoding or "utf-8")
        for content in (
            Path(f"good.{kind}").read_bytes(),
            *(storage.open_file(path).read() for path in paths),
        )
    )
    header = here[: here.index("\n") + 1] if kind.startswith("csv") else ""
    assert header + "".join(each.removeprefix(header) for each in there) == here
    assert all(each.startswith(header) for each in there)


@pytest.mark.parametrize("kind", one_in(2, ["parquet", "arrow"]))
def test_each_object_is_a_whole_table(s3: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch, 900)
    write(kind)
    prefix = f"s3://bucket/whole-{kind}"
    for output in (prefix, f"good.{kind}"):
        split(f"rows.{kind}", RULES, output, on_error="drop")
    assert len(storage.list_files(prefix)) > 3
    there = dataset(f"bucket/whole-{kind}", format=kind, filesystem=s3)
    assert there.to_table() == dataset(f"good.{kind}", format=kind).to_table()


def test_a_job_that_fails_leaves_no_objects(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch, 900)
    write("csv")
    result = split("rows.csv", RULES, "s3://bucket/failed", on_error="drop", max_rejects="9")
    assert result.status == "too-many-rejects"
    assert objects(s3, "failed") == {}


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
        ("s3://no-bucket/x/*.csv", "bucket-missing"),
        ("s3://no-bucket/x.csv", "bucket-missing"),
        ("s4://bucket/x.csv", "scheme-unknown"),
        ("s3://bucket/marker.csv", "directory-empty"),
    ],
)
def test_sources_that_cannot_be_read(s3: Any, source: str, code: str) -> None:
    s3.create_dir("bucket/marker.csv")
    with raises(JobError, code):
        split(source, RULES, "good.csv", on_error="drop")
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
    """The upload fails without losing data, and the same job with --resume uploads the files."""
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
        patched.setattr(storage.RemoteOutput, "stage", _unreachable)
        failed = command(*arguments)
    assert failed.exit_code == 2
    assert objects(s3, "gone") == {}
    assert command(*arguments).exit_code == 1
    assert objects(s3, "gone") == {"good/part-000000.csv": b"url\na:\n", "good/_SUCCESS": b""}


def _unreachable(self: storage.RemoteOutput, finished: Path, name: str) -> None:
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


def test_requests_to_google_storage_end() -> None:
    """The limit in the URI is kept."""
    limited = fs.FileSystem.from_uri(f"gs://bucket?retry_limit_seconds={storage.GCS_RETRY_SECONDS}")[0]
    assert storage._file_system("gs://bucket")[0] == limited
    other = fs.FileSystem.from_uri("gs://bucket?retry_limit_seconds=7")[0]
    assert storage._file_system("gs://bucket?retry_limit_seconds=7")[0] == other != limited
