"""Runs of a test suite: deviations, known deviations, and no false reports."""

from __future__ import annotations

import ipaddress
import re
import tomllib
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.conformance import Deviation, PatternError, pattern, run
from abnforge.conformance.judges import as_judge
from abnforge.conformance.running import Known, read_known, triage, written
from tests.law import one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")


def by_hand(text: str) -> bool:
    """Return whether a string is an IPv4 address, decided by a loop."""
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


@pytest.mark.parametrize(("rule", "judge"), one_in(4, RIGHT))
def test_who_is_right_is_not_accused(rule: str, judge: object) -> None:
    report = run(URI[rule], judge)  # type: ignore[arg-type]
    assert report.passed, str(report)
    assert report.deviations == ()
    assert report.tried == len(report.suite)
    assert str(report).startswith(f"passed: {report.tried:,} strings. {report.guarantee}")


# Rule, implementation, the shortest string of each cause, and the rule's message about it.
WRONG = [
    ("port", lambda text: re.match("^[0-9]*$", text), [("\n", False)]),
    ("port", lambda text: re.fullmatch("[0-9]{0,5}", text), [("111111", True)]),
    ("port", lambda text: re.fullmatch("[0-9]+", text), [("", True)]),
    ("dec-octet", lambda text: re.fullmatch("[0-9]{1,3}", text), [("00", False)]),
    ("IPv4address", lambda text: by_hand(text) or text == "1.1.1", [("1.1.1", False)]),
    ("IPv4address", lambda text: by_hand(text.strip()), [("0.0.0.0 ", False)]),
]


@pytest.mark.parametrize(("rule", "judge", "expected"), one_in(3, WRONG))
def test_who_is_wrong_is_reported_by_a_shortest_string(
    rule: str, judge: object, expected: list[tuple[str, bool]]
) -> None:
    report = run(URI[rule], judge)  # type: ignore[arg-type]
    assert not report.passed
    shortest = [(deviation.text, deviation.valid) for deviation in report.deviations]
    for text, valid in expected:
        assert any(len(result) <= len(text) and message is valid for result, message in shortest), shortest
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
    assert (empty.text, empty.valid) == ("", True)


def test_invalid_judges() -> None:
    with raises(TypeError, "argument-type", name="judge", type="str"):
        run(URI["port"], "[0-9]*")  # type: ignore[arg-type]


@pytest.mark.slow
def test_patterns_and_rules_are_proved() -> None:
    report = run(URI["port"], pattern("[0-9]*", "ecmascript"))
    assert (report.passed, report.tried) == (True, 0)
    assert report.guarantee.startswith("Proved: equal: ")
    assert report.to_dict()["proof"] == "equal"
    report = run(URI["port"], pattern("^[0-9]+$", "pcre2", "search"))
    assert report.proof is not None
    assert (report.proof.wrongly_accepted, report.proof.wrongly_rejected) == ("1\n", "")
    # The proof adds strings that the suite, which has one character per class, does not contain.
    assert {("1\n", False), ("", True)} <= {(each.text, each.valid) for each in report.deviations}
    report = run(URI["host"], URI["reg-name"])
    assert [(each.text, each.valid) for each in report.deviations] == [
        ("[::]", True)
    ] or report.wrongly_rejected
    assert run(URI["path-abempty"], URI["path-abempty"]).passed


def test_a_pattern_that_is_not_regular_is_tested() -> None:
    report = run(URI["port"], re.compile(r"([0-9]?)[0-9]*\1"))
    assert report.proof is None
    assert report.tried > 9_000
    with pytest.raises(PatternError):
        run(URI["port"], pattern(r"([0-9]?)\1", "pcre2"))


def test_what_says_no_to_everything_is_reported_once() -> None:
    """This happens, for example, if a program is not found."""
    calls = []

    def broken(text: str) -> bool:
        calls.append(text)
        raise NameError(f"name 'check' is not defined, for {text!r}")

    report = run(URI["scheme"], broken)
    [deviation] = report.deviations
    assert (deviation.everything, deviation.valid, deviation.count) == (True, True, report.differing)
    assert (deviation.error or "").startswith("NameError: ")
    assert len(calls) < report.tried + 100  # the search for the first differing position is skipped
    known = [Known(deviation.text, True, "not written yet")]
    assert triage(report, as_judge(broken), known).new == ()
    once = run(URI["scheme"], lambda text: text == "a")
    assert [each for each in once.deviations if each.everything] == []


@pytest.mark.parametrize("text", ["x = 6HEXDIG\n", 'x = 2two "-" two\ntwo = 2HEXDIG\n'])
def test_one_mistake_at_each_place_is_one_cause(text: str) -> None:
    """``int`` accepts "1_2" at several positions, which is one cause: same rule, same character."""
    rule = abnforge.loads(text)["x"]

    def judge(asked: str) -> bool:
        return rule.matches(asked.replace("_", "0")) and asked[-1:] != "F"

    report = run(rule, judge)
    places = {rule.explain(each.text).rule_path[0] for each in report.wrongly_accepted}  # type: ignore[union-attr]
    assert places == {"x"}
    assert len([each for each in report.wrongly_accepted if "_" in each.text]) <= text.count("=") + 1
    assert len(report.wrongly_rejected) == 1


def test_rejected_sentences_of_a_rule_that_recurses_are_reported_by_rule_and_error() -> None:
    rule = abnforge.loads('v = "[" *( v "," ) "]" / day / word\nday = 2DIGIT\nword = 1*%x61-63\n')["v"]

    def judge(text: str) -> bool:
        if not rule.matches(text):
            raise ValueError("no value")
        for result in re.finditer("[0-9]+", text):
            if int(result[0]) > 31:
                raise ValueError(f"{result[0]} is no day (at column {result.start()})")
        if "c" in text:
            raise ValueError(f"no such word: {text!r}")
        return True

    report = run(rule, judge)
    assert report.wrongly_accepted == ()
    rules = [each.cause[1] for each in report.wrongly_rejected]
    assert rules[:2] == ["word", "day"]
    assert len(rules) <= 6  # there are 190 sequences of classes
    assert sum(each.count for each in report.deviations) == report.differing > 20


PORT = abnforge.load("rfc3986")["port"]
JUDGE = as_judge(lambda text: re.match("^[0-9]{0,5}$", text))


def test_a_known_string_stands_for_its_cause() -> None:
    report = run(PORT, JUDGE)
    assert len(report.deviations) == 2
    result = triage(report, JUDGE, [Known("80\n", False, "the end", None), Known("x", False, "not here")])
    assert [each.valid for each in result.new] == [True]
    [(deviation, reason)] = result.accepted
    assert (deviation.text, reason) == ("\n", "the end")
    assert result.vanished == (Known("x", False, "not here"),)
    # Known deviations from another rule do not apply.
    assert len(triage(report, JUDGE, [Known("80\n", False, "the end", "rfc3986:host")]).new) == 2
    assert len(triage(report, JUDGE, [Known("80\n", False, "the end", "rfc3986:port")]).new) == 1


def test_what_is_written_is_known(tmp_path: Path) -> None:
    report = run(PORT, JUDGE)
    path = tmp_path / "known.toml"
    path.write_text("".join(written(PORT, report.deviations, "so")), encoding="utf-8")
    result = triage(report, JUDGE, read_known(path))
    assert result.new == result.vanished == ()
    assert len(result.accepted) == 2


@pytest.mark.parametrize("text", ["", "\x7f\0\n", "\ud800", '"\\', "\U0001f600é"])
def test_strings_of_all_kinds(text: str, tmp_path: Path) -> None:
    from abnforge.conformance import Deviation

    path = tmp_path / "known.toml"
    path.write_text("".join(written(PORT, [Deviation(PORT, text, False, 1, 0)], "so")), encoding="utf-8")
    assert read_known(path) == [Known(text, False, "so", "rfc3986:port")]
    assert ("base64" in tomllib.loads(path.read_text(encoding="utf-8"))["known"][0]) is (text == "\ud800")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("known = 1", "known-tables"),
        ("other = 1", "known-tables"),
        ("[[known", "known-toml"),
        ("[[known]]\ntext = 'a'\nvalid = true", "known-entry"),
        ("[[known]]\ntext = 'a'\nvalid = true\nreason = ' '", "known-entry"),
        ("[[known]]\nvalid = true\nreason = 'a'", "known-entry"),
        ("[[known]]\ntext = 'a'\nreason = 'a'", "known-entry"),
        ("[[known]]\ntext = 'a'\nreason = 'a'\nvalid = true\nrule = 1", "known-entry"),
        ("[[known]]\ntxt = 'a'", "known-entry"),
        ("known = [1]", "known-entry"),
    ],
)
def test_files_that_are_none(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    with raises(ValueError, code):
        read_known(path)


def test_an_entry_that_is_wrong_about_the_rule() -> None:
    report = run(PORT, JUDGE, "quick")
    with raises(ValueError, "known-matches", rule="port", text="80"):
        triage(report, JUDGE, [Known("80", False, "so")])
    with raises(ValueError, "known-no-match", rule="port", text="x"):
        triage(report, JUDGE, [Known("x", True, "so")])


def test_what_is_accepted_wrongly(snapshot: SnapshotAssertion) -> None:
    deviation = Deviation(URI["URI"], "http://host:80x/", False, 3, 14)
    assert deviation.rule_path == ("URI", "hier-part", "authority", "port")
    assert (deviation.code, deviation.section) == ("port-not-digits", "3.2.3")
    assert deviation.rejection is not None
    assert str(deviation) == snapshot


def test_what_is_refused_wrongly(snapshot: SnapshotAssertion) -> None:
    deviation = Deviation(URI["URI"], "http://[::1%25]", True, 1, 9, "ValueError: no\n")
    assert not URI["URI"].matches(deviation.text)  # does not call the implementation
    deviation = Deviation(URI["URI"], "http://[::1]/", True, 1, 10, "ValueError: no\n")
    names = "URI hier-part authority host IP-literal IPv6address h16 HEXDIG DIGIT"
    assert deviation.rule_path == tuple(names.split())
    assert (deviation.code, deviation.section, deviation.rejection) == (None, "3.2.2", None)
    assert str(deviation) == snapshot


def test_json() -> None:
    deviation = Deviation(URI["port"], "", True, 1, 0)
    assert deviation.to_dict() == {
        "text": "",
        "valid": True,
        "count": 1,
        "offset": 0,
        "code": None,
        "rule_path": ["port"],
        "section": "3.2.3",
        "message": deviation.reason,
        "error": None,
    }
