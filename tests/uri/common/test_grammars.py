"""Rules that are components of a URI."""

from __future__ import annotations

import abnforge
from abnforge.uri.common import component_rules


def test_component_rules() -> None:
    uri = set(component_rules(abnforge.load("rfc3986")["URI"]))
    assert {"scheme", "authority", "host", "port", "path-abempty", "fragment"} <= uri
    assert not uri & {"uri", "hier-part", "segment", "pchar"}
    assert {"ihost", "iquery", "port"} <= set(component_rules(abnforge.load("rfc3987")["IRI"]))
    assert component_rules(abnforge.load("rfc3986")["host"]) == ["host"]
    assert component_rules(abnforge.load("rfc5234")["rulelist"]) == []
