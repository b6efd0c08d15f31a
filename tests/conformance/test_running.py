"""Implementations asked: what is found, and that nobody is accused wrongly."""

from __future__ import annotations

import ipaddress
import re

import pytest

import abnforge
from abnforge.conformance import PatternError, pattern, run

URI = abnforge.load("rfc3986")


def by_hand(text: str) -> bool:
    """An IPv4 address, written as a loop."""
    parts = text.split(".")
    for part in parts:
        if not part or len(part) > 3 or any(char not in "0123456789" for char in part):
            return False
        if (part[0] == "0" and part != "0") or int(part) > 255:
            return False
    return len(parts) == 4


OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
RIGHT = [
    ("IPv4address", by_hand),
    ("IPv4address", ipaddress.IPv4Address),
    (
        "IPv4address",
        re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.|(?!.))){4}(?<!\.)", re.DOTALL),
    ),
    ("port", re.compile("[0-9]*")),
    ("port", lambda text: not text or (text.isascii() and text.isdigit())),
    ("scheme", lambda text: text[:1].isalpha() and re.fullmatch(r"[A-Za-z0-9+.-]*", text)),
    ("IPv6address", URI["IPv6address"].automaton.accepts),
]


@pytest.mark.parametrize(("rule", "judge"), RIGHT)
def test_who_is_right_is_not_accused(rule: str, judge: object) -> None:
    report = run(URI[rule], judge)  # type: ignore[arg-type]
    assert report.passed, str(report)
    assert report.deviations == ()
    assert report.tried == len(report.suite)
    said = "Who passes accepts exactly " if report.proof is None else "Proved: equal: "
    assert str(report).startswith(f"passed: {report.tried:,} strings. {said}")


# rule, implementation, the shortest strings of the causes, and what the rule says of each
WRONG = [
    ("port", lambda text: re.match("^[0-9]*$", text), [("\n", False)]),
    ("port", lambda text: re.fullmatch("[0-9]{0,5}", text), [("111111", True)]),
    ("port", lambda text: re.fullmatch("[0-9]+", text), [("", True)]),
    ("dec-octet", lambda text: re.fullmatch("[0-9]{1,3}", text), [("00", False)]),
    ("IPv4address", lambda text: by_hand(text) or text == "1.1.1", [("1.1.1", False)]),
    ("IPv4address", lambda text: by_hand(text.strip()), [("0.0.0.0 ", False)]),
]


@pytest.mark.parametrize(("rule", "judge", "expected"), WRONG)
def test_who_is_wrong_is_told_by_a_shortest_string(
    rule: str, judge: object, expected: list[tuple[str, bool]]
) -> None:
    report = run(URI[rule], judge)  # type: ignore[arg-type]
    assert not report.passed
    shortest = [(deviation.text, deviation.valid) for deviation in report.deviations]
    for text, valid in expected:
        assert any(len(found) <= len(text) and told is valid for found, told in shortest), shortest
    assert report.differing >= sum(deviation.count for deviation in report.deviations)
    lengths = [len(deviation.text) for deviation in report.deviations]
    assert lengths == sorted(lengths)
    for deviation in report.deviations:
        assert URI[rule].matches(deviation.text) is deviation.valid
        assert bool(judge(deviation.text)) is not deviation.valid  # type: ignore[operator]
        assert (deviation.rejection is None) is deviation.valid


def test_errors_count_as_no_and_are_kept() -> None:
    def judge(text: str) -> bool:
        return int(text) < 256

    report = run(URI["dec-octet"], judge)
    assert all(deviation.error is None for deviation in report.deviations if not deviation.valid)
    report = run(URI["port"], lambda text: int(text) >= 0)
    [empty] = [deviation for deviation in report.deviations if deviation.text == ""]
    assert empty.error
    assert empty.error.startswith("ValueError: invalid literal")
    assert 'refused ""' in str(empty)


def test_what_is_no_judge() -> None:
    with pytest.raises(TypeError, match="judge is a function of a string, or a compiled pattern, not str"):
        run(URI["port"], "[0-9]*")  # type: ignore[arg-type]


def test_patterns_and_rules_are_proved() -> None:
    report = run(URI["port"], pattern("[0-9]*", "javascript"))
    assert (report.passed, report.tried) == (True, 0)
    assert report.guarantee.startswith("Proved: equal: ")
    assert report.to_dict()["proof"] == "equal"
    report = run(URI["port"], pattern("^[0-9]+$", "pcre", "search"))
    assert report.proof is not None
    assert (report.proof.wrongly_accepted, report.proof.wrongly_refused) == ("1\n", "")
    # What the suite of representatives does not ask for, the proof adds.
    assert {("1\n", False), ("", True)} <= {(each.text, each.valid) for each in report.deviations}
    report = run(URI["host"], URI["reg-name"])
    assert [(each.text, each.valid) for each in report.deviations] == [
        ("[::]", True)
    ] or report.wrongly_refused
    assert run(URI["path-abempty"], URI["path-abempty"]).passed


def test_a_pattern_that_is_not_regular_is_tested() -> None:
    report = run(URI["port"], re.compile(r"([0-9]?)[0-9]*\1"))
    assert report.proof is None
    assert report.tried > 9_000
    with pytest.raises(PatternError):
        run(URI["port"], pattern(r"([0-9]?)\1", "pcre"))
