"""``columns.judge`` and ``columns.split`` validate some columns of a table."""

from __future__ import annotations

import inspect
from typing import Any

import pyarrow as pa
import pytest

from abnforge import columns
from tests.columns.expected import TEXTS, TYPES, URI, wanted_matches
from tests.raising import raises

pytestmark = pytest.mark.usefixtures("implementation")

RULES = {"url": URI, "when": "rfc3339:date-time"}
ROWS: list[tuple[str | None, str | None, int]] = [
    ("http://a/", "2026-11-22T16:00:00Z", 1),
    ("http://a b", "2026-11-22T16:00:00Z", 2),
    ("http://a/", "yesterday", 3),
    ("a b", "tomorrow", 4),
    (None, None, 5),
    (None, "2026-11-22", 6),
    ("urn:x", None, 7),
]


def table(kind: str = "string", chunks: tuple[int, ...] = (7,)) -> Any:
    url, when, n = zip(*ROWS, strict=True)
    whole = pa.table(
        {"url": pa.array(url).cast(TYPES[kind]), "n": n, "when": pa.array(when).cast(TYPES[kind])}
    )
    parts, row = [], 0
    for size in chunks:
        parts.append(whole.slice(row, size))
        row += size
    return pa.concat_tables(parts)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("chunks", [(7,), (2, 0, 5)])
def test_judge(kind: str, chunks: tuple[int, ...]) -> None:
    verdicts = columns.judge(RULES, table(kind, chunks))
    assert isinstance(verdicts, pa.Table)
    verdicts.validate(full=True)
    assert verdicts.to_pydict() == {
        "url": [True, False, True, False, None, None, True],
        "when": [True, True, False, False, None, False, None],
    }
    batch = table(kind).to_batches()[0]
    assert isinstance(columns.judge(RULES, batch), pa.RecordBatch)
    assert columns.judge({"when": RULES["when"]}, batch).schema.names == ["when"]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("chunks", [(7,), (2, 0, 5)])
def test_split_by_several_columns(kind: str, chunks: tuple[int, ...]) -> None:
    accepted, rejects = columns.split(RULES, table(kind, chunks))
    accepted.validate(full=True)
    rejects.validate(full=True)
    assert accepted.column("n").to_pylist() == [1, 5, 7]
    assert rejects.column("n").to_pylist() == [2, 3, 4, 6]
    assert rejects.schema.names == ["url", "n", "when", "_errors", "_source"]
    values = rejects.column("_errors").to_pylist()
    results = [[(each["column"], each["rule"]) for each in row] for row in values]
    assert results == [
        [("url", "URI")],
        [("when", "date-time")],
        [("url", "URI"), ("when", "date-time")],
        [("when", "date-time")],
    ]
    every = columns.rejections(URI, table(kind).column("url")).to_pylist()
    assert [row.pop("row") for row in every] == [1, 3]
    assert [{k: v for k, v in row[0].items() if k != "column"} for row in (values[0], values[2])] == every


@pytest.mark.parametrize("kind", TYPES)
def test_split_by_one_column(kind: str) -> None:
    both = pa.table({"url": pa.array(TEXTS).cast(TYPES[kind]), "n": range(len(TEXTS))})
    accepted, rejects = columns.split(URI, both, "url", suggest=True)
    expected = wanted_matches(TEXTS)
    assert accepted.column("n").to_pylist() == [row for row, each in enumerate(expected) if each is not False]
    assert accepted.column("url").type == TYPES[kind]
    assert set(columns.matches(URI, accepted.column("url")).to_pylist()) == {True, None}
    assert set(columns.matches(URI, rejects.column("url")).to_pylist()) == {False}
    assert rejects.column("n").to_pylist() == [row for row, each in enumerate(expected) if each is False]
    results = [each for row in rejects.column("_errors").to_pylist() for each in row]
    every = columns.rejections(URI, both.column("url"), suggest=True).to_pylist()
    assert [each.pop("row") for each in every] == rejects.column("n").to_pylist()
    assert results == [{"column": "url", **each} for each in every]


@pytest.mark.parametrize("texts", [[], ["a:b"], ["a b"], [None, None]])
def test_nothing_on_one_side(texts: list[str | None]) -> None:
    for value in (
        pa.table({"url": pa.array(texts, pa.string())}),
        pa.record_batch({"url": pa.array(texts, pa.string())}),
    ):
        accepted, rejects = columns.split({"url": URI}, value)
        assert isinstance(rejects, type(value))
        assert (len(accepted), len(rejects)) == ((0, 1) if texts == ["a b"] else (len(texts), 0))
        assert rejects.schema.field("_errors").type == pa.list_(
            pa.struct([("column", pa.string()), *columns.reasons(URI, pa.array(["x"])).type])
        )
    empty = pa.table({"url": pa.chunked_array([], pa.string())})
    assert [len(each) for each in columns.split(URI, empty, "url")] == [0, 0]


def test_columns_and_metadata_are_kept() -> None:
    """The result contains all columns, including views, and the metadata of the schema."""
    nested = pa.array([["a" * 20], None, []], pa.list_(pa.string_view()))
    value = pa.table({"url": pa.array(["a:b", "x y", None]).cast(pa.string_view()), "tags": nested})
    value = value.replace_schema_metadata({"made": "here"})
    accepted, rejects = columns.split(URI, value, "url")
    assert accepted.to_pylist() == [{"url": "a:b", "tags": ["a" * 20]}, {"url": None, "tags": []}]
    assert rejects.drop_columns(["_errors", "_source"]).to_pylist() == [{"url": "x y", "tags": None}]
    assert accepted.schema.metadata == rejects.schema.metadata == {b"made": b"here"}


@pytest.mark.parametrize(
    ("rules", "batch", "error", "message"),
    [
        (
            {"url": URI},
            pa.table({"u": ["a"], "v": ["b"]}),
            KeyError,
            "table-column-unknown",
        ),
        ({"url": URI}, pa.table({}), KeyError, "table-column-unknown"),
        (
            {"u": URI},
            pa.table([["a"], ["b"]], names=["u", "u"]),
            KeyError,
            "table-column-twice",
        ),
        ({"url": URI}, [{"url": "a:b"}], TypeError, "argument-type"),
        ({"url": URI}, pa.table({"url": [1]}), TypeError, "arrow-type"),
        (
            {"url": 7},
            pa.table({"url": ["a"]}),
            TypeError,
            "argument-type",
        ),
        ({7: URI}, pa.table({"url": ["a"]}), TypeError, "argument-type"),
        ({}, pa.table({"url": ["a"]}), ValueError, "argument-empty"),
    ],
)
def test_wrong_arguments(rules: Any, batch: Any, error: type[Exception], message: str) -> None:
    for call in (columns.judge, columns.split):
        with raises(error, message):
            call(rules, batch)


def test_wrong_ways_to_name_columns() -> None:
    value = pa.table({"url": ["a:b"], "_errors": [1]})
    with raises(TypeError, "argument-type", name="rules", type="str"):
        columns.judge("rfc3986:URI", value)  # type: ignore[arg-type]
    with raises(TypeError, "argument-type", name="column", type="str"):
        columns.split({"url": URI}, value, "url")
    with raises(TypeError, "table-column-missing", rule="URI", columns=("url", "_errors")):
        columns.split(URI, value)
    with raises(TypeError, "table-arguments", type="Table"):
        columns.split(value, "url")
    for name in ("_errors", "_source"):
        with raises(ValueError, "table-reject", column=name):
            columns.split(URI, value.rename_columns(["url", name]), "url")


@pytest.mark.parametrize("name", columns.__all__)
def test_the_rule_comes_first_and_is_required(name: str) -> None:
    first, second, *_ = inspect.signature(getattr(columns, name)).parameters.values()
    assert first.name in ("rule", "rules")
    assert first.default is inspect.Parameter.empty
    assert second.name in ("array", "batch")
