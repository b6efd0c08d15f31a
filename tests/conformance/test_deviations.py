"""What is told of a deviation."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.conformance import Deviation

URI = abnforge.load("rfc3986")


def test_what_is_accepted_wrongly(snapshot: SnapshotAssertion) -> None:
    told = Deviation(URI["URI"], "http://host:80x/", False, 3, 14)
    assert told.rule_path == ("URI", "hier-part", "authority", "port")
    assert (told.code, told.section) == ("port-not-digits", "3.2.3")
    assert told.rejection is not None
    assert str(told) == snapshot


def test_what_is_refused_wrongly(snapshot: SnapshotAssertion) -> None:
    told = Deviation(URI["URI"], "http://[::1%25]", True, 1, 9, "ValueError: no\n")
    assert not URI["URI"].matches(told.text)  # it is not asked
    told = Deviation(URI["URI"], "http://[::1]/", True, 1, 10, "ValueError: no\n")
    names = "URI hier-part authority host IP-literal IPv6address h16 HEXDIG DIGIT"
    assert told.rule_path == tuple(names.split())
    assert (told.code, told.section, told.rejection) == (None, "3.2.2", None)
    assert str(told) == snapshot


def test_json() -> None:
    told = Deviation(URI["port"], "", True, 1, 0)
    assert told.to_dict() == {
        "text": "",
        "valid": True,
        "count": 1,
        "offset": 0,
        "code": None,
        "rule_path": ["port"],
        "section": "3.2.3",
        "message": told.reason,
        "error": None,
    }
