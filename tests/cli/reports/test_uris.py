"""The URIs alone."""

from __future__ import annotations

from abnforge.cli.reports.uris import Uris
from abnforge.uri.scan import LineBlock, places
from tests.cli.reports.outcomes import run


def test_one_a_line_and_put_together() -> None:
    found = places(LineBlock("f", 1, "<http://a/\n  b> tel:1"))
    assert run(Uris, *found) == "http://a/b\ntel:1\n"
