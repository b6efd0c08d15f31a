"""Warnings about valid URIs in ``split``: counted, written, and rejected on request."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from abnforge import ingest, uri
from abnforge.engine.cache import Cache, CacheStore
from abnforge.errors import UnknownNameError
from abnforge.ingest import JobError, schema
from abnforge.ingest.batch import WARNING
from abnforge.ingest.pipeline import run
from abnforge.ingest.validate import Validator
from tests.cli.command import run as run_command
from tests.columns.expected import URI
from tests.ingest.jobs import done, job, lines_of, outputs, small_parts, stop_after
from tests.places import SHARED
from tests.raising import raises

URLS = ["https://a/", "https://https://b/", "a b", "http://a/?b&amp;c", "http:", "ftp://u:secret@h:80/"]
FINDINGS = {
    1: ["scheme-twice"],
    3: ["html-entity"],
    4: ["slashes-missing"],
    5: ["password", "well-known-port"],
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("id,url\n" + "".join(f"{row},{url}\n" for row, url in enumerate(URLS)))
    return path


def split(rows: Path, ending: str = "jsonl", **options: Any) -> ingest.Summary:
    folder = rows.parent
    outputs = {"valid": folder / "valid.csv", "rejects": folder / "rejects.jsonl"}
    written = {"warnings": folder / f"warnings.{ending}"}
    return ingest.split(rows, {"url": URI}, **{**outputs, **written, **options})


def in_json(path: Path, column: str = "_warnings") -> dict[int, list[dict[str, Any]]]:
    return {each["_source"]["row"]: each[column] for each in lines_of(path)}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_warned_rows_are_valid_and_written(rows: Path, ending: str) -> None:
    result = split(rows, ending, warn=["all"], id="id")
    assert (result.valid, result.rejected) == (5, 1)
    assert result.counts.warned == {"note": 1, "warning": 2, "error": 1}
    assert [result.counts.warned_at(each) for each in uri.Severity] == [4, 3, 1]
    path = rows.parent / f"warnings.{ending}"
    if ending == "jsonl":
        found = in_json(path)
    else:
        table = pq.read_table(path) if ending == "parquet" else pa.csv.read_csv(path)
        parse = json.loads if ending == "csv" else lambda value: value
        sources = [parse(each) for each in table.column("_source").to_pylist()]
        warnings = [parse(each) for each in table.column("_warnings").to_pylist()]
        found = {source["row"]: each for source, each in zip(sources, warnings, strict=True)}
        assert [str(source["id"]) for source in sources] == ["1", "3", "4", "5"]
    assert {row: [each["code"] for each in some] for row, some in found.items()} == FINDINGS
    for row, some in found.items():
        assert [each["start"] for each in some] == [each.start for each in uri.security(URLS[row])]
        assert all(list(each) == WARNING.names for each in some)
    assert (rows.parent / "valid.csv").read_text().splitlines()[1:] == [
        f"{row},{url}" for row, url in enumerate(URLS) if row != 2
    ]


def test_summary(rows: Path) -> None:
    plain = split(rows, warn=["all"]).as_dict()
    pytest.importorskip("jsonschema").validate(plain, schema("summary"))
    [column] = plain["columns"]
    warnings = column["warnings"]
    assert plain["warned"] == {"note": 1, "warning": 2, "error": 1}
    assert warnings["count"] == 5
    assert warnings["families"] == {"deception": 2, "escape": 1, "missing": 1, "repetition": 1}
    twice = warnings["codes"]["scheme-twice"]
    assert (twice["count"], twice["family"], twice["component"]) == (1, "repetition", "host")
    assert twice["samples"][0]["text"] == URLS[1]
    assert plain["options"]["warn"] == ["all"]
    assert split(rows, warn=["count"]).as_dict()["warned"] == {"note": 0, "warning": 0, "error": 0}


def test_reject_rows_with_warnings(rows: Path) -> None:
    result = split(rows, warn=["all"], on_warning="reject")
    assert (result.valid, result.rejected) == (2, 4)
    assert in_json(rows.parent / "warnings.jsonl").keys() == {3}  # notes do not reject rows
    rejects = in_json(rows.parent / "rejects.jsonl", "_errors")
    assert {row: [each["code"] for each in some] for row, some in rejects.items() if row != 2} == {
        row: codes for row, codes in FINDINGS.items() if row != 3
    }
    for line in lines_of(rows.parent / "rejects.jsonl"):
        pytest.importorskip("jsonschema").validate(line, schema("reject"))


def test_lists_policies_and_other_columns(tmp_path: Path) -> None:
    table = pa.table({"urls": [["http:", "a:b"], None, ["a b", "http:"]], "name": ["http:", "", "x"]})
    pq.write_table(table, tmp_path / "rows.parquet")
    web = uri.policy(schemes=["http", "a"]).rule(URI)
    columns = {"urls[]": web, "name": "rfc3986:host"}
    result = ingest.split(
        tmp_path / "rows.parquet", columns, on_error="drop", warn=["missing"], warnings=tmp_path / "w.jsonl"
    )
    assert result.counts.warned["warning"] == 0  # "http:" is not a host, so its row is rejected
    del columns["name"]
    result = ingest.split(
        tmp_path / "rows.parquet", columns, on_error="drop", warn=["missing"], warnings=tmp_path / "w.jsonl"
    )
    assert result.counts.warned["warning"] == 1
    [[warning]] = in_json(tmp_path / "w.jsonl").values()
    assert (warning["column"], warning["code"]) == ("urls[0]", "slashes-missing")
    assert list(result.counts.warnings) == ["urls[]"]


class Redactor:
    """Hides the password of the test."""

    def text(self, text: str) -> str:
        return text.replace("secret", "******")

    def rejection(self, rejection: Any) -> Any:
        return rejection


def test_passwords_are_hidden_in_samples(rows: Path) -> None:
    result = done(job(rows.parent, rows, warn=["all"], redactor=Redactor()))
    assert "secret" not in json.dumps(result.counts.warning_samples)
    assert "******" in json.dumps(result.counts.warning_samples)


def test_wrong_options(rows: Path) -> None:
    with raises(JobError, "parameter-required-with"):
        split(rows)
    with raises(JobError, "parameter-required-with"):
        split(rows, warnings=None, on_warning="reject")
    with raises(JobError, "argument-choice"):
        split(rows, warn=["all"], on_warning="drop")
    with pytest.raises(UnknownNameError):
        split(rows, warn=["al"])
    with raises(JobError, "warn-without-uris"):
        ingest.split(rows, {"url": "rfc3986:host"}, on_error="drop", warn=["all"])
    with raises(JobError, "outputs-equal"):
        split(rows, warn=["all"], warnings=rows.parent / "rejects.jsonl")


def test_suspected_uris_are_found_as_by_check(tmp_path: Path) -> None:
    path = SHARED / "cases" / "valid_but_suspected.jsonl"
    if not path.is_file():
        pytest.skip("needs ../shared")
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    texts = [case["input"] for case in cases if URI.matches(case["input"])]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"url": text}) + "\n" for text in texts))
    split(tmp_path / "rows.jsonl", warn=["all"], valid=None)
    found = in_json(tmp_path / "warnings.jsonl")
    expected = {row: some for row, text in enumerate(texts) if (some := uri.security(text))}
    assert len(expected) > 30
    assert {
        row: [(e["code"], e["start"], e["end"], e["severity"]) for e in some] for row, some in found.items()
    } == {row: [(e.code, e.start, e.end, e.severity.value) for e in some] for row, some in expected.items()}


def test_no_warnings_without_codes() -> None:
    assert Validator([], False).warn == frozenset()


def test_resumed_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"url": url, "n": number}) + "\n" for number in range(300) for url in URLS)
    )
    options = {"warn": ["all"], "warnings": tmp_path / "warnings.jsonl", "valid": tmp_path / "valid.jsonl"}
    task = job(tmp_path, rows, **options)
    whole = done(task)
    expected = outputs(task)
    for path in task.outputs:
        Path(str(path)).unlink()
    stops = 0
    while (result := run(replace(task, resume=True), stop=stop_after(2))).status == "stopped":
        stops += 1
    assert stops > 1
    assert outputs(task) == expected
    assert result.counts.warned == whole.counts.warned == {"note": 300, "warning": 600, "error": 300}
    assert result.counts.warning_samples == whole.counts.warning_samples


@pytest.mark.parametrize("arguments", [(), ("--no-cache",)])
def test_cache_of_warnings(rows: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    module: Any = importlib.import_module("abnforge.columns.warnings")
    if module.compiled is None:
        pytest.skip("only the C extension walks tables")
    folder = rows.parent / "cache"
    monkeypatch.setattr(module, "user_store", lambda: CacheStore(Cache(folder, bytes(32))))
    results = []
    for cache in (False, not arguments):
        module._tables.cache_clear()
        module._table.cache_clear()
        options = {"warn": ["scheme-twice"], "on_error": "drop", "rejects": None, "cache": cache}
        results.append(split(rows, **options).counts.warned)
        assert folder.exists() == cache
    module._tables.cache_clear()
    module._table.cache_clear()
    command = ("split", str(rows), "-c", "url", "--on-error", "drop", "--warn", "scheme-twice")
    assert run_command(*command, *arguments).exit_code == 1
    assert folder.exists() == (not arguments)
    assert results == [{"note": 0, "warning": 1, "error": 0}] * 2
