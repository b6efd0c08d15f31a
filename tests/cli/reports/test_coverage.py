"""Coverage as text, and in one line of totals."""

from __future__ import annotations

import json

import abnforge
from abnforge.cli.reports.coverage import CoverageObject, CoverageText, called, quoted
from abnforge.cli.reports.totals import covered
from abnforge.conformance import Coverage, coverage

RULES = 'r = *"a" [ s ] / t\ns = "\\" / "b"\nt = "é"\n'.replace('"é"', "%xE9")


def found(*texts: str) -> Coverage:
    return coverage(abnforge.loads(RULES)["r"], texts)


def test_text() -> None:
    written: list[str] = []
    CoverageText(written.append).add(found("aa", "ab", "x"))
    assert (
        "".join(written)
        == """\
rule  uses  parts used
r        2  6 of 8
s        1  2 of 3
t        0  0 of 1

never used, and a string that would use it
  r
    *"a", not once                                    ""
    t                                                 "é"
  s
    "\\"                                               "\\"
  t
    the rule                                          "é"

transitions never taken, and a string that would take them
    state 0 to 2 by B                                 "b"
    state 0 to 2 by é                                 "é"
"""
    )


def test_all_used() -> None:
    written: list[str] = []
    CoverageText(written.append).add(coverage(abnforge.loads('r = "a"\n')["r"], ["a"]))
    assert written == ["rule  uses  parts used\n", "r        1  1 of 1\n"]


def test_what_is_unsafe_on_a_terminal_is_written_out() -> None:
    rule = abnforge.loads('r = %x1B / "a"\n')["r"]
    written: list[str] = []
    CoverageText(written.append).add(coverage(rule, []))
    assert "\x1b" not in "".join(written)
    assert '"\\x1b"' in "".join(written)
    assert quoted(None) == "(none was found)"
    assert called(coverage(rule, []).parts[0]) == "the rule"


def test_there_may_be_too_many_transitions() -> None:
    written: list[str] = []
    CoverageText(written.append).add(coverage(abnforge.load("rfc3986")["URI"], []))
    assert "more; --format json has them all\n" in written[-1]


def test_an_object() -> None:
    written: list[str] = []
    CoverageObject(written.append).feed([found("aa")])
    assert json.loads("".join(written)) == found("aa").to_dict()


def test_totals() -> None:
    assert covered(found("aa", "ab", "x"), 2) == (
        "5 strings, 1 rejected, 2 unreadable: 8 of 12 parts used (66.7 %), 3 of 5 transitions taken"
    )
    rule = abnforge.loads('r = "(" r ")" / "x"\n')["r"]
    assert covered(coverage(rule, ["x"])) == "1 string, 0 rejected: 2 of 3 parts used (66.7 %)"
