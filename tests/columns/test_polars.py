"""The polars namespace returns the results of abnforge.columns in eager, lazy and streaming mode."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from abnforge import columns, uri
from tests.columns.expected import PARTS, TEXTS, URI, wanted_matches, wanted_offsets, wanted_parts
from tests.raising import raises

pl = pytest.importorskip("polars")
pytest.importorskip("abnforge.columns.polars")

pytestmark = pytest.mark.usefixtures("implementation")


def frame() -> Any:
    return pl.DataFrame({"url": TEXTS, "n": range(len(TEXTS))})


def parts_wanted() -> list[dict[str, Any]]:
    """Return the expected components. In polars, a missing struct has missing fields."""
    return [row or dict.fromkeys(PARTS) for row in wanted_parts(TEXTS, False)]


@pytest.mark.parametrize("kind", ["String", "Categorical", "Enum", "Binary"])
def test_series(kind: str) -> None:
    series = pl.Series("url", TEXTS)
    enum = pl.Enum(list(dict.fromkeys(text for text in TEXTS if text is not None)))
    series = series.cast(enum if kind == "Enum" else getattr(pl, kind))
    verdict = series.abnf.matches("rfc3986:URI")
    assert (verdict.name, verdict.dtype) == ("url", pl.Boolean)
    assert verdict.to_list() == wanted_matches(TEXTS)
    octets = kind == "Binary"
    assert series.abnf.offsets(URI).to_list() == wanted_offsets(TEXTS, octets)
    verdict = series.abnf.components("URI-reference")
    assert verdict.struct.fields == list(PARTS)
    expected = wanted_parts(TEXTS, octets)
    for name in PARTS:
        assert verdict.struct.field(name).to_list() == [row and row[name] for row in expected]


def test_series_of_nothing() -> None:
    assert pl.Series("url", [], pl.String).abnf.matches(URI).to_list() == []
    assert pl.Series("url", [None, None]).abnf.matches(URI).to_list() == [None, None]
    assert pl.Series("url", [], pl.String).abnf.components("URI-reference").struct.fields == list(PARTS)


def test_columns_of_series() -> None:
    assert columns.matches(URI, pl.Series(TEXTS)).to_pylist() == wanted_matches(TEXTS)
    assert columns.matches(URI, frame().select("url")).to_pylist() == wanted_matches(TEXTS)
    verdicts = columns.judge({"url": URI}, frame())
    assert isinstance(verdicts, pa.Table)
    assert pl.DataFrame(verdicts)["url"].to_list() == wanted_matches(TEXTS)


@pytest.mark.parametrize("engine", ["eager", "in-memory", "streaming"])
def test_expressions(engine: str) -> None:
    url = pl.col("url").abnf
    asked = {"ok": url.matches(URI), "at": url.offsets(URI), "parts": url.components("URI-reference")}
    result = (
        frame().with_columns(**asked)
        if engine == "eager"
        else (frame().lazy().with_columns(**asked).collect(engine=engine))
    )
    assert result["ok"].to_list() == wanted_matches(TEXTS)
    assert result["at"].to_list() == wanted_offsets(TEXTS, False)
    assert [row or dict.fromkeys(PARTS) for row in result["parts"].to_list()] == parts_wanted()
    assert result.schema == pl.Schema(
        {
            "url": pl.String,
            "n": pl.Int64,
            "ok": pl.Boolean,
            "at": pl.Int64,
            "parts": pl.Struct(dict.fromkeys(PARTS, pl.String)),
        }
    )


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_frames_know_the_types(engine: str) -> None:
    names = ["scheme", "host"]
    lazy = (
        frame().lazy().select(pl.col("url").abnf.components(URI, names=names).alias("parts")).unnest("parts")
    )
    assert lazy.collect_schema() == pl.Schema(dict.fromkeys(names, pl.String))
    result = lazy.collect(engine=engine)
    expected = [row if URI.matches(text) else None for text, row in zip_texts()]
    assert result["host"].to_list() == [row and row["host"] for row in expected]
    kept = frame().lazy().filter(pl.col("url").abnf.matches(URI)).collect(engine=engine)
    assert kept["n"].to_list() == [row for row, each in enumerate(wanted_matches(TEXTS)) if each]


def zip_texts() -> list[tuple[str, dict[str, Any] | None]]:
    return list(zip((text or "" for text in TEXTS), wanted_parts(TEXTS, False), strict=True))


def test_groups() -> None:
    result = frame().group_by(pl.col("n") % 2, maintain_order=True).agg(pl.col("url").abnf.matches(URI).sum())
    expected = wanted_matches(TEXTS)
    assert result["url"].to_list() == [sum(map(bool, expected[0::2])), sum(map(bool, expected[1::2]))]


def test_split_a_frame() -> None:
    accepted, rejects = columns.split({"url": URI}, frame())
    expected = wanted_matches(TEXTS)
    assert pl.DataFrame(accepted)["n"].to_list() == [
        row for row, each in enumerate(expected) if each is not False
    ]
    result = pl.DataFrame(rejects)
    assert result["_errors"].list.len().to_list() == [1] * expected.count(False)
    assert result["n"].to_list() == [row for row, each in enumerate(expected) if each is False]


def test_wrong_arguments() -> None:
    with raises(TypeError, "arrow-type", type="int64"):
        pl.Series([1]).abnf.matches(URI)
    with raises(TypeError, "argument-type", name="rule", type="int"):
        pl.Series(["a"]).abnf.matches(7)
    for call in (columns.matches, columns.split):
        with raises(TypeError, "arrow-query", type="LazyFrame"):
            call(URI, frame().lazy())
    with raises(ValueError, "components-names", rule="date-time", grammar="rfc3339"):
        pl.col("url").abnf.components("rfc3339:date-time")


def test_why_strings_are_rejected() -> None:
    frame = pl.DataFrame({"url": ["https://a/", "http://h:8x/", None, "x y"]})
    rejections = frame["url"].abnf.rejections(URI)
    assert rejections.select("row", "code").rows() == [(1, "port-not-digits"), (3, "scheme-missing")]
    asked = frame.lazy().select(pl.col("url").abnf.rejections(URI)).unnest("url")
    assert asked.collect().equals(rejections)
    assert asked.collect_schema() == rejections.schema
    reasons = [None, "port-not-digits", None, "scheme-missing"]
    assert frame["url"].abnf.reasons(URI).struct.field("code").to_list() == reasons
    asked = frame.lazy().select(pl.col("url").abnf.reasons(URI, suggest=True))
    result = asked.collect()
    assert asked.collect_schema() == result.schema
    assert result["url"].struct.field("code").to_list() == reasons
    assert result["url"].struct.field("suggestion").to_list()[1] == "http://h:8/"


def test_derived_components() -> None:
    """The type of the expression is that of the series."""
    frame = pl.DataFrame({"url": ["http://www.a.com/?b=1&c", None, "a b"]})
    options: dict[str, Any] = {"query_parameters": "exact", "suffixes": uri.SuffixList(["com"])}
    lazy = frame.lazy().select(pl.col("url").abnf.components(URI, **options))
    result = lazy.collect()
    assert lazy.collect_schema() == result.schema
    assert result["url"].struct.field("registrable_domain").to_list() == ["a.com", None, None]
    assert result["url"].equals(frame["url"].abnf.components(URI, **options))
