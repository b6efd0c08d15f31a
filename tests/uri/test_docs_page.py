"""The examples of docs/uri.md give what the page says."""

from __future__ import annotations

import doctest
import re

from tests.places import ROOT

PAGE = ROOT / "docs" / "uri.md"


def test_examples() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 4
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert "".join(report) == ""
