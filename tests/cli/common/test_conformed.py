"""What goes from ``conform`` to a report."""

from __future__ import annotations

import re

import abnforge
from abnforge.cli.common.conformed import Conformed
from abnforge.conformance import run
from abnforge.conformance.judges import as_judge
from abnforge.conformance.known import Known, sort_out
from tests.cli.command import Seen

PORT = abnforge.load("rfc3986")["port"]


def test_what_is_new_by_kind(seen: Seen) -> None:
    judge = as_judge(lambda text: re.match("^[0-9]{0,5}$", text))
    report = run(PORT, judge)
    conformed = Conformed(report, sort_out(report, judge, [Known("\n", False, "so")]), "mine")
    seen([(title, [each.text for each in found]) for title, found in conformed.kinds])
    plain = conformed.to_dict()
    assert [each["known"] for each in plain["deviations"]] == ["so", None]
    assert (plain["implementation"], plain["vanished"]) == ("mine", [])
