"""Test suites: order, guarantees, levels, contexts, and recursive rules."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.budget import Budget
from abnforge.conformance import LEVELS, run, suite
from abnforge.conformance.suites import BUDGET, in_contexts
from tests.law import each_row, one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")
NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / 1*DIGIT\nw = <words>\n')


@pytest.mark.parametrize("rule", one_in(2, [URI["scheme"], URI["IPv4address"], NESTED["v"]]))
def test_a_suite(rule: abnforge.Rule) -> None:
    sizes = []
    for level in LEVELS[:2]:
        result = suite(rule, level)
        texts = [vector.text for vector in result]
        assert len(set(texts)) == len(texts) == len(result)
        assert texts == sorted(texts, key=lambda text: (len(text), text))
        assert all(rule.matches(vector.text) is vector.valid for vector in result)
        assert {vector.valid for vector in result} == {True, False}
        assert result[0] == next(iter(result))
        assert [vector.text for vector in result[:3]] == texts[:3]
        assert rule.name in result.guarantee
        assert repr(result) == f"<Suite of {rule.name}: {len(result):,} strings>"
        sizes.append(len(result))
    assert sizes[0] < sizes[1]


def test_guarantees(snapshot: SnapshotAssertion) -> None:
    plain, more = suite(URI["scheme"], "quick"), suite(URI["scheme"], "quick", extra_states=2)
    assert (plain.states, more.states) == (3, 5)
    nested = suite(NESTED["v"], "quick")
    assert nested.states is None
    assert [each.guarantee for each in (plain, more, nested)] == snapshot


ORDER = """
import abnforge, hashlib
from abnforge.conformance import suite
texts = [vector.text for vector in suite(abnforge.rule({rule!r}))]
print(len(texts), hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest())
"""


@pytest.mark.parametrize("rule", ["rfc3986:dec-octet", pytest.param("rfc5234:group", marks=pytest.mark.slow)])
def test_it_is_the_same_in_every_run(rule: str) -> None:
    program = ORDER.format(rule=rule)
    with redirect_stdout(io.StringIO()) as here:
        exec(program, {})
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
    assert done.stdout == here.getvalue() != ""


WRONG = [
    (("rfc3986:URI",), TypeError, "argument-type"),
    ((URI["URI"], "much"), ValueError, "argument-choice"),
    ((URI["URI"], "quick", -1), ValueError, "argument-value"),
    ((URI["URI"], "quick", "1"), TypeError, "argument-type"),
    ((NESTED["v"], "quick", 1), ValueError, "suite-not-regular"),
    ((NESTED["w"],), abnforge.GrammarError, "prose-val"),
]


@each_row(("arguments", "error", "code"), WRONG)
def test_invalid_suites(arguments: tuple[object, ...], error: type[Exception], code: str) -> None:
    with raises(error, code):
        suite(*arguments)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_the_budget_does_not_suffice_for_is_said(snapshot: SnapshotAssertion) -> None:
    whole = suite(URI["URI"])
    less = suite(URI["URI"], "complete", 2, budget=Budget(steps=100_000))
    assert less.states == 180
    assert less.lost == snapshot
    assert all(each in less.guarantee for each in less.lost)
    assert len(suite(URI["URI"], "quick")) < len(less) < len(whole)
    assert whole.lost == ()
    nothing = suite(URI["URI"], "quick", budget=Budget(steps=100))
    assert nothing.states is None


@pytest.mark.slow
def test_two_more_states_are_asked_for_in_modules() -> None:
    asked = suite(URI["IPv6address"], "quick", 2)
    assert asked.states is None
    assert len(asked) == 165_545
    assert "IPv6address (91), IPv4address (25)" in asked.guarantee
    assert suite(URI["scheme"], "quick", 2).states == 5  # small suites are complete


@pytest.mark.slow
def test_two_more_states_of_authorities() -> None:
    assert len(suite(URI["authority"], "quick", 2)) == 355_381


@pytest.mark.slow
def test_all_rules_of_uris() -> None:
    total = sum(len(suite(rule, "quick")) for rule in URI.own_rules)
    assert 250_000 < total < 300_000


def strings(rule: abnforge.Rule, most: int = 1_500) -> list[str]:
    return list(in_contexts(rule, most, BUDGET.meter("a test")))


def test_an_address_stands_where_a_host_does() -> None:
    result = strings(URI["authority"])
    assert {"255.0.0.0", "256.0.0.0", "[::", "[::]"} <= set(result)
    assert strings(URI["authority"]) == result


def test_rules_of_one_language_are_asked_for_once() -> None:
    grammar = abnforge.loads('a = "<" b c ">"\nb = 1*DIGIT\nc = 1*DIGIT\n')
    result = strings(grammar["a"])
    assert all(text.startswith("<") for text in result)
    assert all(text.endswith("0>") for text in result)  # c, although b is requested


def test_the_shortest_ones_come_first_where_there_are_too_many() -> None:
    result = strings(URI["IPv6address"], 10)
    assert len(result) == 10 * len({"h16", "HEXDIG", "DIGIT", "ls32", "IPv4address", "dec-octet"})


@pytest.mark.slow
def test_what_is_swallowed_is_found() -> None:
    """The automaton of authority cannot distinguish an address from a name."""
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
    result = strings(abnforge.load("rfc8259")[name])
    assert {"-", "0", "1.", "tru", "true"} <= set(result)
