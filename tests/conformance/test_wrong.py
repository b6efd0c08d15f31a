"""Test suites detect implementations with bugs from real libraries, and pass right implementations.

The default run tests the implementations of three rules, and the slow run tests the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pytest

import abnforge
from abnforge.conformance import Report, Suite, near_misses, suite
from abnforge.conformance.judges import as_judge
from abnforge.conformance.running import run_suite
from abnforge.engine.grammar import sentences
from abnforge.engine.rule import Rule
from tests.conformance.wrong import FAMILIES, RIGHT, WRONG, Right, Wrong
from tests.law import each_row
from tests.places import ROOT

# Bugs that the default level does not detect: bug -> reason. A bug that is detected must be removed.
MISSED = {
    "mapped_only": 'no pass goes on behind "::ffff:", four times one letter out of six',
    "ipv4_in_both_halves": "no pass puts what one rule derives where another stands",
}

# Bugs that only longer strings than the shortest ones show: bug -> reason.
LONGER: dict[str, str] = {}

# Rules with many states: creating a suite takes about a second.
LARGE = {f"rfc3986:{name}" for name in ("IPv6address", "IP-literal", "URI", "relative-ref", "authority")}


# Rules of the default run: three of the other rules.
DEFAULT = [name for name in dict.fromkeys(entry.rule for entry in WRONG) if name not in LARGE][::14]


def some(entries: Sequence[Wrong | Right]) -> list[object]:
    """Return all entries as parameters. Entries for rules outside of the default run are marked as slow."""
    return [
        pytest.param(entry, id=entry.name, marks=[] if entry.rule in DEFAULT else [pytest.mark.slow])
        for entry in entries
    ]


@cache
def rule_of(name: str) -> Rule:
    grammar, rule = name.split(":")
    return abnforge.load(grammar)[rule]


@cache
def suite_of(name: str) -> Suite:
    return suite(rule_of(name))


def asked(entry: Wrong | Right) -> Report:
    """Run the suite of the entry's rule and return the report. All entries of a rule share the suite."""
    return run_suite(suite_of(entry.rule), as_judge(entry.judge))


@cache
def sample(name: str) -> list[tuple[str, bool]]:
    """Return strings and near misses of a rule with their verdicts, independently of test suites."""
    rule = rule_of(name)
    texts = dict.fromkeys(sentences(rule, systematic=True))
    for size in (5, 15, 40, 80):
        texts |= dict.fromkeys(sentences(rule, count=200, seed=7, size=size))
    texts |= dict.fromkeys(miss.text for miss in near_misses(rule))
    return [(text, rule.matches(text)) for text in texts]


def test_there_are_many_of_many_kinds() -> None:
    assert len(WRONG) == 108
    assert len({entry.rule for entry in WRONG}) >= 40
    assert len({entry.rule.split(":")[0] for entry in WRONG}) >= 14
    assert len({entry.source for entry in WRONG}) >= 90
    assert all(re.match(r"[\w.-]+/[\w.-]+#[0-9]+( \(.+\))?\Z", entry.source) for entry in WRONG)
    assert {entry.judge.__module__ for entry in WRONG} == {module.__name__ for module in FAMILIES}
    assert [
        style for style in ("regex", "loop", "library") if [each.style for each in RIGHT].count(style) < 6
    ] == []
    names = [entry.name for entry in (*WRONG, *RIGHT)]
    assert len(names) == len(set(names))
    assert (MISSED | LONGER).keys() <= {entry.name for entry in WRONG}


@each_row("entry", [pytest.param(entry, id=entry.name) for entry in WRONG])
def test_the_rule_and_it_differ_on_the_witness(entry: Wrong) -> None:
    judge = as_judge(entry.judge)
    assert judge(entry.witness) is not rule_of(entry.rule).matches(entry.witness)
    assert entry.shows(entry.witness)


@each_row("entry", some(WRONG))
def test_it_is_right_but_for_its_bug(entry: Wrong) -> None:
    judge = as_judge(entry.judge)
    differing = [text for text, valid in sample(entry.rule) if judge(text) is not valid]
    assert [text for text in differing if not entry.shows(text)] == []
    assert [text for text in differing if len(text) < len(entry.witness)] == []


@pytest.mark.parametrize("entry", some(WRONG))
def test_its_bug_is_found(entry: Wrong) -> None:
    deviations = asked(entry).deviations
    assert (deviations != ()) is (entry.name not in MISSED)
    assert [each.text for each in deviations if not entry.shows(each.text)] == []
    if deviations:
        assert (len(deviations[0].text) <= len(entry.witness)) is (entry.name not in LONGER)


@pytest.mark.parametrize("entry", some(RIGHT))
def test_who_is_right_is_not_accused(entry: Right) -> None:
    report = asked(entry)
    assert report.passed, str(report)


def test_the_page_reports_what_is_found() -> None:
    page = (ROOT / "docs/testing.md").read_text("utf-8")
    assert f"{len(WRONG) - len(MISSED)} of {len(WRONG)}" in page
