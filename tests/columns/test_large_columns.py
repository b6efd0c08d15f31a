"""Columns that are too large for the offsets in views."""

from __future__ import annotations

from importlib import import_module

import pyarrow as pa
import pytest

from abnforge import columns
from tests.columns.expected import TEXTS, wanted_parts
from tests.raising import raises

pytestmark = pytest.mark.usefixtures("implementation")
components = import_module("abnforge.columns.components")


def test_large_columns_are_validated_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "REACH", 200)
    array = pa.array(TEXTS, pa.large_string())
    assert array.nbytes > 1000
    for start in (0, 5):
        result = columns.components("URI-reference", array.slice(start))
        result.validate(full=True)
        assert result.to_pylist() == wanted_parts(TEXTS, False)[start:]
        if components.compiled is not None:
            assert len(result.field("path").buffers()) > 5


def test_a_string_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "REACH", 200)
    with raises(ValueError, "column-string-too-long", row=1, length=300, most=200):
        columns.components("URI-reference", pa.array(["a:b", "a:" + "b" * 298, "x" * 300], pa.large_string()))
