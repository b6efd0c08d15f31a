"""Values as JSON: every type in every nesting, and values that Python or Parquet cannot represent."""

from __future__ import annotations

import base64
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge.columns.arrays import filter_array, take
from abnforge.ingest import JobError
from abnforge.ingest import jsonable as plain_json
from abnforge.ingest.nested import with_leaves, without_missing_words
from abnforge.ingest.sinks.rejects import TableRejects, hidden_in_column
from tests.ingest.arrow_types import I32, I64, LEAVES, NESTINGS, all_types, build, nests, read, same
from tests.ingest.jobs import done, job, lines_of
from tests.law import one_in
from tests.raising import raises

pytest.importorskip("numpy")

TYPES = all_types()
DAY = 86_400


def assert_can_be_read_back(kind: Any, raws: list[Any]) -> None:
    array = build(kind, raws)
    for start in (0, 1):
        some, old = array.slice(start), raws[start:]
        result = plain_json.values(some)
        assert same([read(value, kind, raw) for value, raw in zip(result, old, strict=True)], old)
        results = plain_json.texts(some)
        assert [json.loads(text) for text in results] == result
        size = len(old)
        assert plain_json.texts(take(some, pa.array(range(size)[::-1], pa.int64()))) == results[::-1]
        assert (
            plain_json.texts(filter_array(some, pa.array([at % 2 == 0 for at in range(size)], pa.bool_())))
            == results[::2]
        )


def test_every_type_can_be_read_back() -> None:
    assert len(TYPES) > 700
    for name, kind, raws in TYPES:
        try:
            assert_can_be_read_back(kind, raws)
        except Exception as error:
            raise AssertionError(name) from error


@st.composite
def nested(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    kind, raws = draw(st.sampled_from(LEAVES))
    raws = draw(st.lists(st.sampled_from(raws), min_size=1, max_size=4))
    for name, wrap, values in draw(st.lists(st.sampled_from(NESTINGS), max_size=4)):
        if nests(name, kind):
            kind, raws = wrap(kind), values(raws)[:6]
    return kind, raws


@given(nested())
def test_types_within_types_can_be_read_back(made: tuple[Any, list[Any]]) -> None:
    assert_can_be_read_back(*made)
    array = build(*made)
    assert with_leaves(array, lambda texts: texts) is array
    changed = with_leaves(array, lambda texts: pc.take(texts, pa.array(range(len(texts)), pa.int64())))
    assert changed.type == array.type
    assert plain_json.texts(changed) == plain_json.texts(array)


@pytest.mark.parametrize(
    ("kind", "number", "text"),
    [
        (pa.date32(), -719_162, "0001-01-01"),
        (pa.date32(), -719_164, "0000-12-30"),
        (pa.date32(), -719_529, "-0001-12-31"),
        (pa.date32(), 2_932_897, "+10000-01-01"),
        (pa.date32(), 2**31 - 1, "+5881580-07-11"),
        (pa.date64(), DAY * 1000, "1970-01-02"),
        (pa.date64(), 1, "1970-01-01 00:00:00.001"),
        (pa.time32("s"), DAY - 1, "23:59:59"),
        (pa.time32("s"), DAY, "24:00:00"),
        (pa.time64("ns"), 1, "00:00:00.000000001"),
        (pa.time64("us"), -1, "-00:00:00.000001"),
        (pa.timestamp("s"), 0, "1970-01-01 00:00:00"),
        (pa.timestamp("us", "UTC"), 2**62, "+148108-07-06 14:00:27.387904Z"),
        (pa.timestamp("ns", "Europe/Berlin"), 1, "1970-01-01 00:00:00.000000001Z"),
        (pa.timestamp("s", "no such zone"), -(2**63), "-292277022657-01-27 08:29:52Z"),
        (pa.duration("ms"), -1_500, "-PT1.500S"),
        (pa.duration("s"), 2**63 - 1, "PT9223372036854775807S"),
    ],
    ids=str,
)
def test_moments(kind: Any, number: int, text: str) -> None:
    assert plain_json.values(build(kind, [number])) == [text]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@given(numbers=st.lists(st.integers(-(2**55), 2**55), min_size=1))
def test_timestamps_are_written_as_arrow_does(unit: str, numbers: list[int]) -> None:
    """Years are those that the conversion of Arrow supports."""
    array = build(pa.timestamp(unit), numbers)
    expected = array.cast(pa.string()).to_pylist()
    ours = plain_json.values(array)
    for text, other in zip(ours, expected, strict=True):
        if text[0] not in "+-":
            assert text == other


def test_what_is_written_how() -> None:
    month = pa.array([(1, -2, -3)], pa.month_day_nano_interval())
    assert plain_json.values(month) == ["P1M-2DT-0.000000003S"]
    assert plain_json.values(pa.array([float("nan"), float("-inf"), 0.1])) == ["nan", "-inf", 0.1]
    assert plain_json.values(build(pa.uuid(), [bytes(16)])) == ["00000000-0000-0000-0000-000000000000"]
    assert plain_json.values(build(pa.map_(pa.int8(), pa.bool_()), [[(1, True), (1, None)]])) == [
        [[1, True], [1, None]]
    ]
    assert plain_json.values(build(pa.string(), [b"\xff"])) == [{"base64": "/w=="}]


@pytest.mark.parametrize("name", ["", *(each for each, _, _ in NESTINGS if each != "no elements")])
def test_strings_are_hidden_in_every_nesting(name: str) -> None:
    """An array without sensitive values is returned unchanged."""
    for leaf, kind, raws in TYPES:
        if (leaf.partition(" of ")[0] if " of " in leaf else "") != name:
            continue
        array = build(kind, raws)
        assert hidden_in_column(array, lambda text: text) is array
        hidden = hidden_in_column(array, lambda text: text.replace("b", "*"))
        assert hidden.type == kind
        old, new = (plain_json.texts(each) for each in (array, hidden))
        if not leaf.endswith(("arrow.uuid>", "arrow.json>")):
            data = [base64.b64encode(each).decode() for each in (b"ab", b"a*")]
            assert new == [text.replace("b c", "* c").replace('"ab"', '"a*"').replace(*data) for text in old]


ROWS = 24  # more than the values of any type


def columns(every: int = 1, start: int = 0) -> dict[str, Any]:
    """Return a column of each type, named by its index; every second row of the table is rejected."""
    results = {}
    for number, (_, kind, raws) in list(enumerate(TYPES))[start::every]:
        results[f"c{number}"] = build(kind, [raws[at // 2 % len(raws)] for at in range(ROWS)])
    return results


def urls() -> Any:
    return pa.array(["a:b", "a b"] * (ROWS // 2))


def write_arrow(path: Path, values: dict[str, Any]) -> pa.Table:
    table = pa.table({"url": urls(), **values})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return table


def in_parquet(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that Parquet supports.

    pyarrow cannot read dictionaries with invalid UTF-8 from Parquet.
    """
    results = {}
    for name, each in values.items():
        if TYPES[int(name[1:])][0] in ("dictionary of string", "dictionary of large_string"):
            continue
        try:
            TableRejects.check([pa.field(name, each.type)])
        except JobError:
            continue
        results[name] = each
    return results


@pytest.mark.parametrize("ending", one_in(3, ["jsonl", "csv", "parquet"]))
def test_every_type_reaches_rejects(tmp_path: Path, ending: str) -> None:
    values = columns() if ending != "parquet" else in_parquet(columns())
    assert len(values) > 300
    write_arrow(tmp_path / "rows.arrow", values)
    table = pa.ipc.open_file(tmp_path / "rows.arrow").read_all()
    done(task := job(tmp_path, tmp_path / "rows.arrow", rejects=tmp_path / f"bad.{ending}"))
    accepted = pa.ipc.open_file(task.valid).read_all()
    assert accepted.schema == table.schema
    results: dict[str, list[str]] = {}
    for name in values:
        result = plain_json.texts(table.column(name).chunk(0))
        assert plain_json.texts(accepted.column(name).chunk(0)) == result[::2]
        results[name] = result[1::2]
    assert task.rejects is not None
    if ending == "jsonl":
        rows = lines_of(task.rejects)
        assert [
            {name: json.loads(result[at]) for name, result in results.items()} for at in range(ROWS // 2)
        ] == [{name: row[name] for name in results} for row in rows]
    elif ending == "csv":
        with open(task.rejects, newline="", encoding="utf-8") as stream:
            for at, row in enumerate(csv.DictReader(stream)):
                for name, result in results.items():
                    value = json.loads(result[at])
                    assert row[name] == (
                        "" if value is None else value if isinstance(value, str) else result[at]
                    )
    else:
        rejects = pq.read_table(task.rejects)
        for name, result in results.items():
            assert plain_json.texts(rejects.column(name).combine_chunks()) == result


ODD = [("date32", pa.date32(), I32), ("time", pa.time64("ns"), I64), ("at", pa.timestamp("us", "UTC"), I64)]


@pytest.mark.parametrize(("name", "kind", "raws"), ODD, ids=[name for name, _, _ in ODD])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_identifiers_of_any_value(tmp_path: Path, name: str, kind: Any, raws: list[Any], ending: str) -> None:
    """These rejects can be validated again, and keep their identifiers."""
    ids = build(kind, [raws[at // 2 % len(raws)] for at in range(ROWS)])
    pq.write_table(pa.table({"url": urls(), "at": ids}), tmp_path / "rows.parquet")
    path = tmp_path / f"bad.{ending}"
    done(job(tmp_path, tmp_path / "rows.parquet", id="at", rejects=path))
    expected = plain_json.values(ids)[1::2]
    if ending == "csv":
        with open(path, newline="", encoding="utf-8") as stream:
            assert [json.loads(row["_source"])["id"] for row in csv.DictReader(stream)] == expected
        return
    if ending == "jsonl":
        assert [row["_source"]["id"] for row in lines_of(path)] == expected
        return
    again = job(
        tmp_path, path, replay=True, valid=tmp_path / "mended.parquet", rejects=tmp_path / "still.parquet"
    )
    done(again)
    old, new = (pq.read_table(each) for each in (path, tmp_path / "still.parquet"))
    source = new.column("_source").combine_chunks()
    assert source.field("id").type == kind
    assert plain_json.values(source.field("id")) == expected
    assert new.equals(old)


@pytest.mark.parametrize(
    "kind",
    [
        pa.date64(),
        pa.time32("s"),
        pa.list_(pa.timestamp("s", "UTC")),
        pa.list_(pa.int8(), 0),
        pa.decimal128(5, -3),
        pa.dictionary(pa.int8(), pa.string_view()),
    ],
    ids=str,
)
def test_what_parquet_has_only_in_part_is_rejected_first(tmp_path: Path, kind: Any) -> None:
    """The job fails at the start, and not at the first unsupported value."""
    write_arrow(tmp_path / "rows.arrow", {"more": pa.nulls(ROWS, kind)})
    task = job(tmp_path, tmp_path / "rows.arrow", rejects=tmp_path / "bad.parquet")
    with raises(JobError, "column-not-in-parquet", column="more"):
        done(task)
    assert not task.valid.exists()


@pytest.mark.parametrize("ending", one_in(3, ["jsonl", "csv", "parquet"]))
def test_without_pandas(tmp_path: Path, ending: str) -> None:
    """Without pandas, pyarrow cannot return nanoseconds. abnforge does not use that pyarrow function."""
    values = {
        name: each
        for name, each in in_parquet(columns()).items()
        if "ns" in str(each.type) or "date" in str(each.type)
    }
    assert len(values) > 50
    values = {name: without_missing_words(each) for name, each in values.items()}
    pq.write_table(pa.table({"url": urls(), **values}), tmp_path / "rows.parquet")
    code = (
        "import sys\n"
        "class NoPandas:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pandas': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, NoPandas())\n"
        "from abnforge.cli import main\n"
        "sys.argv[0] = 'abnforge'; main()"
    )
    command = [
        "split",
        "rows.parquet",
        "-c",
        "url",
        "--valid",
        "good.parquet",
        "--rejects",
        f"bad.{ending}",
    ]
    ended = subprocess.run(
        [sys.executable, "-c", code, *command, "--mask-passwords", "--id", next(iter(values))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, False), ended.stderr


def test_leaves_are_of_all_types_of_arrow() -> None:
    """The test fails if a later version of Arrow adds a type."""
    left = {
        "LIST",
        "STRUCT",
        "MAP",
        "UNION",
        "DICTIONARY",
        "RUN_END_ENCODED",
        "INTERVAL_MONTHS",
        "INTERVAL_DAY_TIME",
    }
    results = {
        kind.storage_type.id if isinstance(kind, pa.BaseExtensionType) else kind.id for _, kind, _ in TYPES
    }
    for name, number in vars(pa.lib).items():
        if name.startswith("Type_") and name.removeprefix("Type_") not in left:
            assert number in results, name
