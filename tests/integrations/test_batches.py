"""The function behind adapters to engines that work on batches."""

from __future__ import annotations

import pytest

pa = pytest.importorskip("pyarrow")

from abnforge import columns  # noqa: E402
from abnforge.integrations import batches  # noqa: E402

TEXTS = ["a:", "b c", None, "http://h:80x/"]


def test_it_is_that_of_columns() -> None:
    assert batches.split is columns.split
    assert batches.matches is columns.matches


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.large_binary()], ids=str)
def test_reasons_stand_beside_their_texts(kind: object) -> None:
    array = pa.array([text and text.encode() for text in TEXTS], pa.binary()).cast(pa.large_binary())
    array = array if kind == pa.large_binary() else pa.array(TEXTS, kind)
    found = batches.reasons("rfc3986:URI", array).to_pylist()
    told = {each.pop("row"): each for each in columns.rejections("rfc3986:URI", array).to_pylist()}
    assert found == [told.get(row) for row in range(len(TEXTS))]
    assert batches.reasons("rfc3986:URI", pa.chunked_array([array, array])).to_pylist() == found * 2
    assert batches.reasons("rfc3986:URI", array.slice(0, 0)).to_pylist() == []
