"""Drawing what an implementation does otherwise than a rule."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.conformed import deviation_code, deviation_head, deviation_lines
from abnforge.conformance import Deviation

URI = abnforge.load("rfc3986")["URI"]


def test_what_is_accepted() -> None:
    told = Deviation(URI, "http://h:80x\x1b", False, 1_234, 11, "so\n")
    assert deviation_code(told) == "unreadable-path-abempty"
    assert deviation_head(told).startswith("accepted (and 1,233 more): ")
    lines = list(deviation_lines(told, PLAIN))
    assert lines[1] == "    http://h:80x\\x1b"
    assert lines[3] == "  rule     URI > hier-part > authority > userinfo; RFC 3986, section 3.2.1"
    assert lines[4] == "  said     so\\n"


def test_what_is_refused() -> None:
    told = Deviation(URI, "a:", True, 1, 2)
    assert deviation_code(told) == "refused"
    assert list(deviation_lines(told, PLAIN))[:3] == [
        "refused: URI derives it [refused]",
        "    a:",
        "      ^",
    ]
