"""Trees as pictures: one document for one string, a page for several."""

from __future__ import annotations

import click
import pytest

from abnforge.cli.reports.pictures import TreeDot, TreePage, TreeSvg
from tests.cli.command import Seen
from tests.cli.reports.outcomes import run
from tests.cli.reports.test_structure import structures


def test_svg_is_for_one_string(capsys: pytest.CaptureFixture[str], seen: Seen) -> None:
    assert run(TreeSvg, *structures("port", "x", "80")).startswith("<svg ")
    seen(capsys.readouterr().err)
    with pytest.raises(click.UsageError, match="--format html"):
        run(TreeSvg, *structures("port", "80", "81"))


def test_dot_and_html_are_for_several(capsys: pytest.CaptureFixture[str]) -> None:
    several = structures("port", "80", "<x>", "81")
    assert run(TreeDot, *several).count("digraph") == 2
    assert "not valid" in capsys.readouterr().err
    page = run(TreePage, *several)
    assert (page.count("<section>"), page.count("</html>")) == (3, 1)
    assert "not valid: " in page
    assert "<x>" not in page
    assert run(TreePage) == ""
