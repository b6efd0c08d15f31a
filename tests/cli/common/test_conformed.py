"""What goes from ``grammar conform`` to a report."""

from __future__ import annotations

import re

import abnforge
from abnforge.cli.common.conformed import Conformed
from abnforge.conformance import run
from abnforge.conformance.judges import as_judge
from abnforge.conformance.known import Known, sort_out

PORT = abnforge.load("rfc3986")["port"]


def test_what_is_new_by_kind() -> None:
    judge = as_judge(lambda text: re.match("^[0-9]{0,5}$", text))
    report = run(PORT, judge)
    conformed = Conformed(report, sort_out(report, judge, [Known("\n", False, "so")]), "mine")
    assert [(title, [each.text for each in found]) for title, found in conformed.kinds] == [
        ("accepted, and not valid", []),
        ("refused, and valid", ["111111"]),
    ]
    plain = conformed.to_dict()
    assert [each["known"] for each in plain["deviations"]] == ["so", None]
    assert (plain["implementation"], plain["vanished"]) == ("mine", [])
