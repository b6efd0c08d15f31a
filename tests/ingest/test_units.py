"""Jobs in units: done in any order, more than once, by processes that die, with the same result."""

from __future__ import annotations

import errno
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abnforge import uri
from abnforge.ingest import ConflictError, Job, JobError, Result, run, schema, summary, units
from abnforge.ingest.units import DONE, do, run_in_units
from tests.ingest.jobs import URI, Column, Killed, job, table, write_csv, write_jsonl
from tests.law import one_in
from tests.raising import raises

ENGINE = {"engine": "test", "version": {"pyspark": "1"}}
Told = list[dict[str, Any]]


def in_order(plan: bytes, numbers: Sequence[int], pause: Callable[[], None]) -> Told:
    told = []
    for number in numbers:
        told.append(do(plan, number))
        pause()
    return told


def backwards_and_twice(plan: bytes, numbers: Sequence[int], pause: Callable[[], None]) -> Told:
    """As when tasks are lost behind their last step, or are run by two workers to be sure."""
    in_order(plan, [*reversed(numbers)][: len(numbers) // 2 + 1], pause)
    return in_order(plan, [*reversed(numbers)], pause)


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "UNIT_ROWS", 30)


def sources(folder: Path, kind: str) -> list[Path]:
    """Three files, the last of no rows."""
    folder.mkdir()
    found = []
    for number, times in enumerate([10, 1, 0]):
        path = folder / f"{number}.{kind}"
        rows = table(times)
        if kind == "parquet":
            pq.write_table(rows, path, row_group_size=17, compression="zstd")
        elif kind == "csv":
            write_csv(path, rows)
        elif kind == "jsonl":
            write_jsonl(path, rows)
        else:
            path.write_text("".join(f"{each}\n" for each in rows["port"].to_pylist()), "utf-8")
        found.append(path)
    return found


def parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != DONE)


def rows_of(path: Path, kind: str) -> list[Any]:
    """The rows of an output, a file or a folder of files, in an order of their own."""
    found: list[Any] = []
    for each in parts(path) if path.is_dir() else [path]:
        if kind == "parquet":
            found += [json.dumps(row) for row in pq.read_table(each).to_pylist()]
        elif kind == "csv":
            header, *lines = each.read_bytes().splitlines()
            assert header == b"id,url,port,n"
            found += lines
        else:
            found += each.read_bytes().splitlines()
    return sorted(found)


def both(tmp_path: Path, given: Sequence[Path], kind: str, cluster: Any, **options: Any) -> tuple[Any, Any]:
    """The same job in one process and in units; their summaries."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    one = run(job(here, *given, accepted=here / f"good.{kind}", **options))
    other = run_in_units(job(there, *given, accepted=there / f"good.{kind}", **options), cluster, ENGINE)
    return one, other


def counted(result: Result) -> dict[str, Any]:
    told = summary(result)
    for name in ("seconds", "rows_per_second", "ended", "last_success", "options", "versions"):
        del told[name]
    return told


@pytest.mark.parametrize("kind", one_in(2, ["parquet", "csv", "jsonl", "txt"]))
@pytest.mark.parametrize("cluster", [in_order, backwards_and_twice])
def test_the_same_rows_and_counts_as_in_one_process(tmp_path: Path, kind: str, cluster: Any) -> None:
    given = sources(tmp_path / "in", kind)
    named = {"columns": [Column("url", URI)], "id": "id"} if kind != "txt" else {}
    one, other = both(tmp_path, given, kind, cluster, **named)
    assert counted(other) == counted(one)
    assert other.counts.rejected
    here, there = tmp_path / "here", tmp_path / "there"
    assert rows_of(there / f"good.{kind}", kind) == rows_of(here / f"good.{kind}", kind)
    assert rows_of(there / "rejected.jsonl", "jsonl") == rows_of(here / "rejected.jsonl", "jsonl")
    assert len(parts(there / f"good.{kind}")) == (6 if kind == "parquet" else 3)
    assert {path.name for path in there.iterdir()} == {f"good.{kind}", "rejected.jsonl"}


def test_the_summary_has_its_shape_and_a_policy_is_one(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    given = sources(tmp_path / "in", "parquet")
    web = uri.policy(schemes=["http"], max_length=20).rule(URI)
    _, result = both(tmp_path, given, "parquet", in_order, columns=[Column("url", web)])
    jsonschema.validate(summary(result), schema("summary"))
    assert summary(result)["options"]["engine"] == "test"
    assert "policy-scheme" in result.counts.by_column["url"]
    line = parts(tmp_path / "there" / "rejected.jsonl")[0].read_text("utf-8").splitlines()[0]
    jsonschema.validate(json.loads(line), schema("reject"))


def test_a_part_has_the_sources_schema_and_compression(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    both(tmp_path, given, "parquet", in_order)
    for path in parts(tmp_path / "there" / "good.parquet"):
        assert pq.read_schema(path).equals(table().schema, check_metadata=True)
        metadata = pq.read_metadata(path)
        if metadata.num_row_groups:
            assert metadata.row_group(0).column(0).compression == "ZSTD"


def test_keys_of_folders_have_the_types_that_all_files_give_them(tmp_path: Path) -> None:
    for key in ("1", "x"):
        (tmp_path / "in" / f"k={key}").mkdir(parents=True)
        pq.write_table(table(), tmp_path / "in" / f"k={key}" / "a.parquet")
    both(tmp_path, [tmp_path / "in"], "parquet", in_order)
    for path in parts(tmp_path / "there" / "good.parquet"):
        assert pq.ParquetFile(path).schema_arrow.field("k").type == pa.string()


def test_packed_outputs(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "csv")
    made = job(tmp_path, *given, accepted=tmp_path / "good.csv.gz", rejected=tmp_path / "bad.csv.gz")
    run_in_units(made, in_order, ENGINE)
    assert [path.name for path in parts(tmp_path / "good.csv.gz")] == [
        f"part-{n:06d}.csv.gz" for n in range(3)
    ]
    assert gzip.decompress(parts(tmp_path / "bad.csv.gz")[0].read_bytes()).startswith(b"id,url")


def dying(after: int) -> Any:
    """A cluster that is gone behind so many units."""

    def cluster(plan: bytes, numbers: Sequence[int], pause: Callable[[], None]) -> Told:
        in_order(plan, numbers[:after], pause)
        raise Killed

    return cluster


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    options: dict[str, Any] = {"accepted": tmp_path / "good.parquet"}
    with pytest.raises(Killed):
        run_in_units(job(tmp_path, *given, **options), dying(2), ENGINE)
    assert not (tmp_path / "good.parquet").exists()
    (tmp_path / ".good.parquet.abnforge-job" / "attempt-1").mkdir()  # what a worker left that died
    seen: list[int] = []

    def cluster(plan: bytes, numbers: Sequence[int], pause: Callable[[], None]) -> Told:
        seen.extend(numbers)
        return in_order(plan, numbers, pause)

    result = run_in_units(job(tmp_path, *given, resume=True, **options), cluster, ENGINE)
    assert seen == [2, 3, 4, 5]
    assert result.resumed
    assert result.counts.rows == 132
    assert {path.name for path in tmp_path.iterdir()} == {"in", "good.parquet", "rejected.jsonl"}


def test_another_job_is_not_gone_on_with(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    options: dict[str, Any] = {"accepted": tmp_path / "good.parquet", "resume": True}
    with pytest.raises(Killed):
        run_in_units(job(tmp_path, *given, **options), dying(1), ENGINE)
    with raises(
        ConflictError, "job-changed", changes=('option nulls was "accept", not "reject"',), parameter="resume"
    ):
        run_in_units(job(tmp_path, *given, nulls="reject", **options), in_order, ENGINE)
    with raises(
        ConflictError,
        "job-changed",
        changes=('option engine was "test", not null', 'version pyspark was "1", not null'),
        parameter="resume",
    ):
        run(job(tmp_path, *given, **options))


@pytest.mark.parametrize("step", one_in(3, range(1, 14)))
def test_dying_while_the_folders_get_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Old and new output are never both gone, and going on gives the new one."""
    monkeypatch.setattr(units, "UNIT_ROWS", 1000)
    given = sources(tmp_path / "in", "parquet")[1:2]
    options: dict[str, Any] = {"accepted": tmp_path / "good.parquet"}
    run_in_units(job(tmp_path, *given, **options), in_order, ENGINE)
    before = {path: path.stat().st_mtime_ns for path in parts(tmp_path / "good.parquet")}
    left = iter(range(step))

    def stepping(self: Any, what: str, path: Path) -> None:
        if self is watched and next(left, None) is None:
            raise Killed

    watched = None
    publish = units.Distributed.publish

    def publishing(self: Any) -> None:
        nonlocal watched
        watched = self._disk
        publish(self)

    with monkeypatch.context() as patch:
        patch.setattr(units.Distributed, "publish", publishing)
        patch.setattr(units.Disk, "step", stepping)
        try:
            run_in_units(job(tmp_path, *given, **options), in_order, ENGINE)
        except Killed:
            hidden = tmp_path / ".good.parquet.abnforge-job"
            there = [path for path in (tmp_path / "good.parquet", hidden / "replaced") if path.exists()]
            assert there
            assert len(parts(there[0])) == len(before)
    result = run_in_units(job(tmp_path, *given, resume=True, **options), in_order, ENGINE)
    assert result.counts.rows == 12
    assert sum(pq.read_metadata(path).num_rows for path in parts(tmp_path / "good.parquet")) == (
        result.counts.accepted
    )
    assert {path.name for path in tmp_path.iterdir()} == {"in", "good.parquet", "rejected.jsonl"}


def test_too_many_rejects_publish_nothing(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    for limit in ({"max_rejects": "3"}, {"max_rejects": "5%"}, {"on_reject": "fail"}):
        result = run_in_units(job(tmp_path, *given, accepted=tmp_path / "good", **limit), in_order, ENGINE)
        assert result.status == "too-many-rejects"
        assert {path.name for path in tmp_path.iterdir()} == {"in"}
        assert result.counts.samples["url"]


def test_stopping_keeps_what_is_done(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    asked = iter([False, False])
    made = job(tmp_path, *given, accepted=tmp_path / "good", resume=True)
    result = run_in_units(made, in_order, ENGINE, stop=lambda: next(asked, True))
    assert result.status == "stopped"
    assert 0 < result.counts.rows < 132
    assert run_in_units(made, in_order, ENGINE).counts.rows == 132


def test_what_keeps_a_unit_from_being_done_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = sources(tmp_path / "in", "parquet")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "x")

    monkeypatch.setattr(units, "run", full)
    with pytest.raises(OSError, match="No space left") as caught:
        run_in_units(job(tmp_path, *given, accepted=tmp_path / "good"), in_order, ENGINE)
    assert caught.value.errno == errno.ENOSPC


def test_a_cluster_that_does_nothing_leaves_nothing(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")

    def gone(*_: object) -> Told:
        raise JobError("nobody is there")

    with raises(JobError, ""):
        run_in_units(job(tmp_path, *given, accepted=tmp_path / "good"), gone, ENGINE)
    assert {path.name for path in tmp_path.iterdir()} == {"in"}


def test_workers_that_write_elsewhere_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "PATIENCE", 0)
    given = sources(tmp_path / "in", "parquet")

    def elsewhere(plan: bytes, numbers: Sequence[int], pause: Callable[[], None]) -> Told:
        return [{"status": "finished", "counts": {}} for _ in numbers]

    with raises(JobError, "units-invisible", count=6):
        run_in_units(job(tmp_path, *given, accepted=tmp_path / "good"), elsewhere, ENGINE)


def test_outputs_that_would_hurt(tmp_path: Path) -> None:
    given = sources(tmp_path / "in", "parquet")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for accepted, said in {
        "home": "output-with-files",
        "file": "output-is-file",
        "in": "output-with-files",
        "rejected.jsonl": "outputs-equal",
    }.items():
        with raises(JobError, said):
            run_in_units(job(tmp_path, *given, accepted=tmp_path / accepted), in_order, ENGINE)
    (tmp_path / "in" / DONE).write_text("")
    with raises(JobError, "source-in-output"):
        run_in_units(job(tmp_path, *given, accepted=tmp_path / "in"), in_order, ENGINE)
    with raises(JobError, "stdin-shared"):
        run_in_units(
            Job(["-"], [Column("url", URI)], tmp_path / "a", tmp_path / "b.jsonl", input_format="csv"),
            in_order,
            ENGINE,
        )
