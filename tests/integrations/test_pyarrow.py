"""pyarrow: a rule as a filter for datasets and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge import uri

pa = pytest.importorskip("pyarrow")

import pyarrow.dataset as ds  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from abnforge.integrations.pyarrow import matches  # noqa: E402

TEXTS = ["a:", "b c", None, "http://a\n", "http://h/"]
KINDS = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_filters(kind: object) -> None:
    """The filter supports all types, including dictionaries, which pyarrow's pattern function rejects."""
    table = pa.table({"url": pa.array(TEXTS).cast(pa.string())})
    column = table["url"].dictionary_encode() if pa.types.is_dictionary(kind) else table["url"].cast(kind)
    table = table.set_column(0, "url", column)
    for result in (
        table.filter(matches("rfc3986:URI", "url")),
        ds.dataset(table).to_table(filter=matches("rfc3986:URI", ds.field("url"))),
    ):
        assert result["url"].to_pylist() == ["a:", "http://h/"]
    assert table.filter(~matches("rfc3986:URI", "url"))["url"].to_pylist() == ["b c", "http://a\n"]


def test_views_are_validated() -> None:
    """Filters of pyarrow do not support views, but the expression can be a column."""
    table = pa.table({"url": pa.array(TEXTS, pa.string_view())})
    result = ds.dataset(table).to_table(columns={"good": matches("rfc3986:URI", "url")})
    assert result["good"].to_pylist() == [True, False, None, False, True]


def test_files_and_policies(tmp_path: Path) -> None:
    pq.write_table(pa.table({"url": TEXTS * 1000, "id": range(5000)}), tmp_path / "links.parquet")
    web = uri.policy(schemes=["http"], max_length=100).rule("rfc3986:URI")
    good = (ds.field("id") < 100) & matches(web, "url")
    result = ds.dataset(tmp_path).to_table(columns=["id"], filter=good)
    assert result["id"].to_pylist() == list(range(4, 100, 5))
    assert ds.dataset(tmp_path).count_rows(filter=matches(web, "url")) == 1000
    assert ds.dataset(tmp_path).count_rows(filter=matches(abnforge.rule("rfc3986:URI"), "url")) == 2000
