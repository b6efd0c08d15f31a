"""Rules below a rule, asked where they stand."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance import run
from abnforge.conformance.suites import BUDGET, in_contexts

URI = abnforge.load("rfc3986")


def strings(rule: abnforge.Rule, most: int = 1_500) -> list[str]:
    return list(in_contexts(rule, most, BUDGET.meter("a test")))


def test_an_address_stands_where_a_host_does() -> None:
    found = strings(URI["authority"])
    assert {"255.0.0.0", "256.0.0.0", "[::", "[::]"} <= set(found)
    assert strings(URI["authority"]) == found


def test_rules_of_one_language_are_asked_for_once() -> None:
    grammar = abnforge.loads('a = "<" b c ">"\nb = 1*DIGIT\nc = 1*DIGIT\n')
    found = strings(grammar["a"])
    assert all(text.startswith("<") for text in found)
    assert all(text.endswith("0>") for text in found)  # c, where b is being asked for


def test_the_shortest_ones_come_first_where_there_are_too_many() -> None:
    found = strings(URI["IPv6address"], 10)
    assert len(found) == 10 * len({"h16", "HEXDIG", "DIGIT", "ls32", "IPv4address", "dec-octet"})


@pytest.mark.slow
def test_what_is_swallowed_is_found() -> None:
    """The automaton of authority cannot tell an address from a name."""
    address = abnforge.load("rfc3986")["IPv4address"]

    def judge(text: str) -> bool:
        host = text.rpartition("@")[2]
        if host.replace(".", "").isdigit() and host.count(".") == 3 and host.isascii():
            return address.matches(host)
        return URI["authority"].matches(text)

    report = run(URI["authority"], judge)
    assert not report.passed
    assert report.deviations[0].valid
    assert any(judge(text) is not URI["authority"].matches(text) for text in strings(URI["authority"]))


def test_rules_made_of_others_have_none() -> None:
    assert strings(URI["host"] - URI["IPv4address"]) == []


@pytest.mark.parametrize("name", ["value", "JSON-text"])
def test_rules_that_recurse_have_regular_ones_below(name: str) -> None:
    found = strings(abnforge.load("rfc8259")[name])
    assert {"-", "0", "1.", "tru", "true"} <= set(found)
