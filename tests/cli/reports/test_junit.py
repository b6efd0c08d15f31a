"""JUnit's XML."""

from __future__ import annotations

from xml.etree import ElementTree

from abnforge.cli.reports.junit import OutcomeJunit
from tests.cli.reports.outcomes import (
    ALL,
    run,
)


def test_junit() -> None:
    root = ElementTree.fromstring(run(OutcomeJunit, *ALL))
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "2"}
    [suite] = root
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"], ["error"]]
    failure = suite[1][0]
    assert failure.attrib["message"] == 'not a URI: a<&"]]>\\x01\\u202e::{0}%\\r\\né; did you mean a:'
    assert failure.text is not None
    assert failure.text.startswith("dir/a b:c,d.txt:2:2: not a URI")
