"""OpenLineage events of jobs, by the real client: to files, to a server on localhost and to the console."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("numpy")
pytest.importorskip("openlineage.client")
import pyarrow as pa
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent

from abnforge import ingest
from abnforge.ingest.lineage import named
from tests.cli.command import run as command

RUN = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
TO = ("-c", "url", "-o", "good.csv", "--rejects", "bad.jsonl", "--openlineage", "--run-id", RUN)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("URL", "NAMESPACE", "PARENT_ID", "CONFIG", "DISABLED"):
        monkeypatch.delenv(f"OPENLINEAGE_{name}", raising=False)
    Path("in.csv").write_text("id,url\n1,http://a/\n2,http://exa mple.com/\n3,\n")
    return tmp_path


@pytest.fixture
def file() -> Path:
    Path("openlineage.yml").write_text("transport: {type: file, log_file_path: events.jsonl, append: true}\n")
    return Path("events.jsonl")


def read(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def is_complete(event: Any) -> None:
    """Check that the class of the official client, which is generated from the schema, accepts the event."""
    assert {"eventTime", "eventType", "producer", "schemaURL", "run", "job"} <= event.keys()
    RunEvent(**{name: event[name] for name in ("eventTime", "run", "job", "inputs", "outputs")})
    facets = [event["run"]["facets"], event["job"]["facets"]]
    for dataset in event["inputs"] + event["outputs"]:
        facets += [dataset["facets"], dataset.get("inputFacets", {}), dataset.get("outputFacets", {})]
    for each in facets:
        for facet in (each[name] for name in each if name != "tags"):  # the client adds its version
            assert facet["_producer"] == event["producer"]
            assert facet["_schemaURL"].startswith("https://openlineage.io/spec/facets/")


def test_a_run(file: Path, folder: Path) -> None:
    assert command("split", "in.csv", *TO, "--job-name", "pages").exit_code == 1
    first, last = read(file)
    for event in (first, last):
        is_complete(event)
        assert event["run"]["runId"] == RUN
        assert (event["job"]["namespace"], event["job"]["name"]) == ("default", "pages")
        assert [each["name"] for each in event["inputs"]] == [str(folder / "in.csv")]
        written = [str(folder / name) for name in ("good.csv", "bad.jsonl")]
        assert [each["name"] for each in event["outputs"]] == written
        schemas = [
            [field["name"] for field in each["facets"]["schema"]["fields"]]
            for each in event["inputs"] + event["outputs"]
        ]
        assert schemas == [["id", "url"], ["id", "url"], ["id", "url", "_row", "_errors", "_source"]]
    assert (first["eventType"], last["eventType"]) == ("START", "COMPLETE")
    assert first["eventTime"] <= last["eventTime"]
    assert first["inputs"][0]["inputFacets"] == first["outputs"][0]["outputFacets"] == {}
    facets = last["inputs"][0]["inputFacets"]
    assert facets["inputStatistics"]["rowCount"] == facets["dataQualityMetrics"]["rowCount"] == 3
    assert [
        (each["assertion"], each.get("column"), each["success"], each["actual"])
        for each in facets["dataQualityAssertions"]["assertions"]
    ] == [("valid", None, False, "1"), ("matches rfc3986:URI", "url", False, "1")]
    written = [each["outputFacets"]["outputStatistics"] for each in last["outputs"]]
    sizes = [Path(name).stat().st_size for name in ("good.csv", "bad.jsonl")]
    assert [(each["rowCount"], each["size"]) for each in written] == [(2, sizes[0]), (1, sizes[1])]


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["in.csv", *TO, "--max-rejects", "0"], 3, ["START", "FAIL"]),
        (["no.csv", *TO], 2, ["START", "FAIL"]),
        (["in.csv", *TO, "--id", "other"], 2, ["START", "FAIL"]),
        (["in.csv", *TO, "--dry-run"], 0, []),
    ],
)
def test_a_run_that_fails(file: Path, arguments: list[str], status: int, expected: list[str]) -> None:
    assert command("split", *arguments).exit_code == status
    events = read(file) if file.exists() else []
    assert [event["eventType"] for event in events] == expected
    for event in events[-1:]:
        is_complete(event)
        assert event["run"]["facets"]["errorMessage"]["message"]
        assert all(each["outputFacets"] == {} for each in event["outputs"])


@pytest.mark.parametrize("on_error", ["drop", "reject"])
def test_columns_and_sources(file: Path, on_error: str) -> None:
    """Each source has the verdicts of its own rows."""
    for name, rows in (("a", "http://a/,80\n"), ("b", "a b,80\na c,8\n"), ("c", "a b,x\n,y\n")):
        Path(f"{name}.csv").write_text(f"url,port\n{rows}")
    to = ("--on-error", on_error, *(("--rejects", "bad.jsonl") if on_error == "reject" else ()))
    command("split", "a.csv", "b.csv", "c.csv", "-c", "url", "-c", "port:port", *to, "--openlineage")
    results = []
    for source in read(file)[-1]["inputs"]:
        tests = source["inputFacets"]["dataQualityAssertions"]["assertions"]
        assert [each.get("column") for each in tests] == [None, "url", "port"]
        assert all(each["success"] is (each["actual"] == "0") for each in tests)
        results.append([int(each["actual"]) for each in tests])
    assert results == [[0, 0, 0], [2, 2, 0], [2, 1, 2]]


def test_warnings(file: Path) -> None:
    """Each source has the number of warnings about its columns."""
    for name, row in (("a", "http://a/"), ("b", "http://u:p@a/")):
        Path(f"{name}.csv").write_text(f"url\n{row}\n")
    drop = ("--on-error", "drop", "--warn", "password", "--metrics", "m.prom", "--openlineage")
    command("split", "a.csv", "b.csv", "-c", "url", *drop)
    first, last = (
        source["inputFacets"]["dataQualityAssertions"]["assertions"] for source in read(file)[-1]["inputs"]
    )
    assert [each["success"] for each in first] == [True, True]
    assert [(each["assertion"], each.get("column"), each["actual"]) for each in last[2:]] == [
        ("no warnings", "url", "1")
    ]
    assert '_warnings{job="m",column="url",code="password"} 1\n' in Path("m.prom").read_text()


def test_the_parent_run_and_the_namespace(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "night")
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", f"air/flow/dag.task/{RUN}")
    command("split", "in.csv", "-c", "url", "--on-error", "drop", "--openlineage")
    for event in read(file):
        parent = event["run"]["facets"]["parent"]
        assert (parent["run"]["runId"], parent["job"]) == (
            RUN,
            {"namespace": "air/flow", "name": "dag.task", "facets": {}},
        )
        assert event["job"]["namespace"] == "night"
        assert UUID(event["run"]["runId"]) != UUID(RUN)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, json.loads(self.rfile.read(int(self.headers["content-length"])))))
            self.send_response(201)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as service:
        thread = threading.Thread(target=service.serve_forever)
        thread.start()
        monkeypatch.setenv("OPENLINEAGE_URL", f"http://127.0.0.1:{service.server_port}")
        yield received
        service.shutdown()
        thread.join()


def test_a_server(server: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert command("split", "in.csv", *TO).exit_code == 1
    assert [(path, event["eventType"]) for path, event in server] == [
        ("/api/v1/lineage", "START"),
        ("/api/v1/lineage", "COMPLETE"),
    ]
    for _, event in server:
        is_complete(event)


def test_the_console() -> None:
    Path("openlineage.yml").write_text("transport: {type: console}\n")
    events = [json.loads(line) for line in command("split", "in.csv", *TO).stderr.splitlines()[:-1]]
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]
    log = command("split", "in.csv", *TO, "--log-format", "json").stderr.splitlines()
    lines = [json.loads(line) for line in log]
    assert [each["event"] for each in lines] == ["started", "openlineage", "openlineage", "finished"]
    assert [each["openlineage"]["eventType"] for each in lines[1:3]] == ["START", "COMPLETE"]


def test_a_failed_delivery_does_not_stop_the_job() -> None:
    Path("openlineage.yml").write_text("transport: {type: file, log_file_path: missing/x, append: true}\n")
    result = command("split", "in.csv", *TO, "--log-format", "json")
    assert result.exit_code == 1
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    assert [each["level"] for each in lines] == ["info", "warning", "warning", "info"]


@pytest.mark.parametrize("text", ["transport: {type: other}\n", "transport: {type: file}\n"])
def test_a_configuration_with_a_mistake(text: str) -> None:
    Path("openlineage.yml").write_text(text)
    result = command("split", "in.csv", *TO)
    assert (result.exit_code, result.code) == (2, "lineage-misconfigured")
    assert not Path("good.csv").exists()


def test_from_python(file: Path) -> None:
    client = OpenLineageClient()
    rows, columns = pa.table({"url": ["http://a/", "a b"]}), {"url": "rfc3986:URI"}
    ingest.split(rows, columns, "good.parquet", on_error="drop", run_id=RUN, openlineage=client)
    with pytest.raises(ingest.JobError):
        ingest.split("no.csv", columns, on_error="drop", openlineage=client)
    first, last, *failed = read(file)
    assert [each["eventType"] for each in (first, last, *failed)] == ["START", "COMPLETE", "START", "FAIL"]
    assert last["inputs"] == []  # record batches are not a dataset with a name
    assert [each["type"] for each in last["outputs"][0]["facets"]["schema"]["fields"]] == ["string"]
    Path("openlineage.yml").write_text("transport: {type: file, log_file_path: missing/x, append: true}\n")
    with pytest.warns(RuntimeWarning):
        ingest.split(rows, columns, on_error="drop", openlineage=OpenLineageClient())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/a/b.csv", ("s3://bucket", "a/b.csv")),
        ("gs://bucket", ("gs://bucket", "/")),
        ("abfs://box@host/a", ("abfs://box@host", "a")),
        ("s3://key:secret@bucket/a?endpoint_override=x", ("s3://bucket", "a")),
    ],
)
def test_names_of_datasets(path: str, expected: tuple[str, str]) -> None:
    assert named(path) == expected
