"""Drawing what an implementation does otherwise than a rule."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.conformed import deviation_code, deviation_head, deviation_lines
from abnforge.conformance import Deviation
from tests.cli.command import Seen

URI = abnforge.load("rfc3986")["URI"]


def test_what_is_accepted(seen: Seen) -> None:
    told = Deviation(URI, "http://h:80x\x1b", False, 1_234, 11, "so\n")
    assert deviation_code(told) == "unreadable-path-abempty"
    assert deviation_head(told).startswith("accepted (and 1,233 more): ")
    lines = list(deviation_lines(told, PLAIN))
    assert lines[1] == "    http://h:80x\\x1b"
    seen(lines[3])
    assert lines[4] == "  said     so\\n"


def test_what_is_refused(seen: Seen) -> None:
    told = Deviation(URI, "a:", True, 1, 2)
    assert deviation_code(told) == "refused"
    seen(list(deviation_lines(told, PLAIN))[:3])
