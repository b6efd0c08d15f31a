"""Results that ``conform`` passes to a report."""

from __future__ import annotations

import re

import abnforge
from abnforge.cli.common.grammar_results import ConformanceResult, Generated, listed_grammars
from abnforge.conformance import run
from abnforge.conformance.judges import as_judge
from abnforge.conformance.running import Known, triage
from tests.cli.command import Seen


def test_it_is_a_vector() -> None:
    plain = Generated(abnforge.load("rfc3986")["port"], "8x", False).to_dict()
    assert (plain["text"], plain["valid"], plain["code"]) == ("8x", False, "port-not-digits")


def test_bundled_ones_first_and_the_others_without_what_takes_loading() -> None:
    rows = listed_grammars()
    names = [*abnforge.grammar_names(), *abnforge.package_names()]
    assert [row.name for row in rows] == names
    by_name = {row.name: row.to_dict() for row in rows}
    assert by_name["rfc3986"]["default_rule"] == "URI"
    assert by_name["rfc3986"]["origin"] == "abnforge"
    assert by_name["abnf:rfc9110"] == {
        "name": "abnf:rfc9110",
        "origin": "abnf",
        "rules": None,
        "default_rule": None,
    }


PORT = abnforge.load("rfc3986")["port"]


def test_what_is_new_by_kind(seen: Seen) -> None:
    judge = as_judge(lambda text: re.match("^[0-9]{0,5}$", text))
    report = run(PORT, judge)
    conformed = ConformanceResult(report, triage(report, judge, [Known("\n", False, "so")]), "mine")
    seen([(title, [each.text for each in result]) for title, result in conformed.kinds])
    plain = conformed.to_dict()
    assert [each["known"] for each in plain["deviations"]] == ["so", None]
    assert (plain["implementation"], plain["vanished"]) == ("mine", [])
