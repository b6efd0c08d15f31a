"""Notebook views as plain text. Rules have diagrams, which require railroad-diagrams."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.teaching.html_output import read
from tests.teaching.test_notebook import values

pytest.importorskip("railroad")


def test_what_a_reader_sees(snapshot: SnapshotAssertion) -> None:
    for name, value in values().items():
        assert read(value._repr_html_()).text == snapshot(name=name)
