"""What a reader sees of each page. Rules have diagrams, so that railroad-diagrams is needed."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.notebook.looking import read
from tests.notebook.test_pages import VALUES

pytest.importorskip("railroad")


@pytest.mark.parametrize("name", VALUES)
def test_what_a_reader_sees(name: str, snapshot: SnapshotAssertion) -> None:
    assert read(VALUES[name]._repr_html_()).text == snapshot
