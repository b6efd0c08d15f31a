"""Coverage as text, and in one line of totals."""

from __future__ import annotations

import json

import abnforge
from abnforge.cli.reports.coverage import CoverageObject, CoverageText, called, quoted
from abnforge.cli.reports.totals import covered
from abnforge.conformance import Coverage, coverage
from tests.cli.command import Seen

RULES = 'r = *"a" [ s ] / t\ns = "\\" / "b"\nt = "é"\n'.replace('"é"', "%xE9")


def found(*texts: str) -> Coverage:
    return coverage(abnforge.loads(RULES)["r"], texts)


def test_text(seen: Seen) -> None:
    written: list[str] = []
    CoverageText(written.append).add(found("aa", "ab", "x"))
    seen("".join(written))


def test_all_used(seen: Seen) -> None:
    written: list[str] = []
    CoverageText(written.append).add(coverage(abnforge.loads('r = "a"\n')["r"], ["a"]))
    seen(written)


def test_what_is_unsafe_on_a_terminal_is_written_out(seen: Seen) -> None:
    rule = abnforge.loads('r = %x1B / "a"\n')["r"]
    written: list[str] = []
    CoverageText(written.append).add(coverage(rule, []))
    assert "\x1b" not in "".join(written)
    assert '"\\x1b"' in "".join(written)
    seen(quoted(None))
    assert called(coverage(rule, []).parts[0]) == "the rule"


def test_there_may_be_too_many_transitions(seen: Seen) -> None:
    written: list[str] = []
    CoverageText(written.append).add(coverage(abnforge.load("rfc3986")["URI"], []))
    seen(written[-1])


def test_an_object() -> None:
    written: list[str] = []
    CoverageObject(written.append).feed([found("aa")])
    assert json.loads("".join(written)) == found("aa").to_dict()


def test_totals(seen: Seen) -> None:
    seen(covered(found("aa", "ab", "x"), 2))
    rule = abnforge.loads('r = "(" r ")" / "x"\n')["r"]
    seen(covered(coverage(rule, ["x"])))
