"""The pandas accessor returns the results of abnforge.columns with the index of the series."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from abnforge import columns
from tests.columns.expected import PARTS, TEXTS, URI, wanted_matches, wanted_offsets, wanted_parts
from tests.raising import raises

pd = pytest.importorskip("pandas")
pytest.importorskip("abnforge.columns.pandas")

pytestmark = pytest.mark.usefixtures("implementation")

KINDS = {
    "object": "object",
    "str": "str",
    "string[pyarrow]": "string[pyarrow]",
    "string[python]": "string[python]",
    "ArrowDtype": pd.ArrowDtype(pa.string()),
    "large": pd.ArrowDtype(pa.large_string()),
    "category": "category",
}


def series(kind: str) -> Any:
    index = [f"row {number}" for number in range(len(TEXTS))]
    return pd.Series(TEXTS, index=index, name="url", dtype=KINDS[kind])


def plain(answer: Any) -> list[Any]:
    return [None if pd.isna(each) else each for each in answer.tolist()]


@pytest.mark.parametrize("kind", KINDS)
def test_series(kind: str) -> None:
    value = series(kind)
    verdict = value.abnf.matches("rfc3986:URI")
    assert plain(verdict) == wanted_matches(TEXTS)
    assert verdict.index.equals(value.index)
    assert (verdict.name, verdict.dtype) == ("url", pd.ArrowDtype(pa.bool_()))
    verdict = value.abnf.offsets(URI)
    assert plain(verdict) == wanted_offsets(TEXTS, False)
    assert verdict.dtype == pd.ArrowDtype(pa.int64())
    verdict = value.abnf.components("URI-reference")
    assert verdict.index.equals(value.index)
    assert list(verdict.columns) == list(PARTS)
    expected = wanted_parts(TEXTS, False)
    for name in PARTS:
        assert plain(verdict[name]) == [row and row[name] for row in expected]


@pytest.mark.parametrize("kind", KINDS)
def test_series_of_nothing(kind: str) -> None:
    none = series(kind).iloc[:0]
    assert none.abnf.matches(URI).tolist() == []
    assert none.abnf.offsets(URI).tolist() == []
    assert none.abnf.components("URI-reference").shape == (0, len(PARTS))
    missing = series(kind).iloc[[TEXTS.index(None)] * 3]
    assert plain(missing.abnf.matches(URI)) == [None] * 3
    assert missing.abnf.components("URI-reference").isna().all(axis=None)


def test_answers_select_rows() -> None:
    frame = pd.DataFrame({"url": ["a:b", "a b", None], "n": [1, 2, 3]}, index=[7, 7, 9])
    ok = frame["url"].abnf.matches(URI)
    assert frame[ok.fillna(False)]["n"].tolist() == [1]
    assert frame[~ok.fillna(True)]["n"].tolist() == [2]


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_series(kind: str) -> None:
    value = series(kind)
    assert columns.matches(URI, value).to_pylist() == wanted_matches(TEXTS)
    assert columns.matches(URI, value.array).to_pylist() == wanted_matches(TEXTS)
    assert columns.matches(URI, pd.DataFrame({"url": value.array})).to_pylist() == wanted_matches(TEXTS)


def test_index_and_frames() -> None:
    assert columns.matches(URI, pd.Index(["a:b", "a b"])).to_pylist() == [True, False]
    frame = pd.DataFrame({"url": TEXTS, "n": range(len(TEXTS))})
    accepted, rejects = columns.split(URI, frame, "url")
    expected = wanted_matches(TEXTS)
    assert accepted.to_pandas()["n"].tolist() == [
        row for row, each in enumerate(expected) if each is not False
    ]
    assert rejects.to_pandas()["n"].tolist() == [row for row, each in enumerate(expected) if each is False]


def test_wrong_arguments() -> None:
    with raises(TypeError, "arrow-type", type="int64"):
        pd.Series([1]).abnf.matches(URI)
    with raises(TypeError, "argument-type", name="rule", type="int"):
        pd.Series(["a"]).abnf.matches(7)


def test_why_strings_are_rejected() -> None:
    texts = pd.Series(["https://a/", "http://h:8x/", None, "x y"], index=list("abcd"))
    rejections = texts.abnf.rejections(URI)
    assert rejections.index.tolist() == ["b", "d"]
    assert rejections["row"].tolist() == [1, 3]
    assert rejections["code"].tolist() == ["port-not-digits", "scheme-missing"]
    assert len(texts.iloc[:1].abnf.rejections(URI)) == 0


INDICES = {
    "range": pd.RangeIndex(3),
    "texts": pd.Index(["x", "y", "z"]),
    "named": pd.Index([7, 5, 3], name="number"),
    "twice": pd.Index([1, 1, 1]),
    "many": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["one", None]),
}


@pytest.mark.parametrize("kind", INDICES)
def test_a_frame_keeps_its_index(kind: str) -> None:
    frame = pd.DataFrame({"url": ["a:", "b", None]}, index=INDICES[kind])
    assert columns.matches(URI, frame).to_pylist() == [True, False, None]
    assert columns.judge({"url": URI}, frame).column_names == ["url"]
    accepted, rejects = (each.to_pandas() for each in columns.split(URI, frame, "url"))
    assert list(accepted.columns) == ["url"]
    assert list(rejects.columns) == ["url", "_errors", "_source"]
    assert accepted.index.equals(frame.index[[0, 2]])
    assert rejects.index.equals(frame.index[[1]])
    assert accepted.index.names == frame.index.names
