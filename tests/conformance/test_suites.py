"""Suites: order, guarantees, levels, and rules that recurse."""

from __future__ import annotations

import subprocess
import sys

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.conformance import LEVELS, suite
from tests.law import one_in

URI = abnforge.load("rfc3986")
NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / 1*DIGIT\nw = <words>\n')


@pytest.mark.parametrize("rule", one_in(2, [URI["scheme"], URI["IPv4address"], NESTED["v"]]))
def test_a_suite(rule: abnforge.Rule) -> None:
    sizes = []
    for level in LEVELS[:2]:
        found = suite(rule, level)
        texts = [vector.text for vector in found]
        assert len(set(texts)) == len(texts) == len(found)
        assert texts == sorted(texts, key=lambda text: (len(text), text))
        assert all(rule.matches(vector.text) is vector.valid for vector in found)
        assert {vector.valid for vector in found} == {True, False}
        assert found[0] == next(iter(found))
        assert [vector.text for vector in found[:3]] == texts[:3]
        assert rule.name in found.guarantee
        assert repr(found) == f"<Suite of {rule.name}: {len(found):,} strings>"
        sizes.append(len(found))
    assert sizes[0] < sizes[1]


NO_CHARACTERS = "Nothing is asked of other characters than one of each class."


def test_guarantees() -> None:
    plain, more = suite(URI["scheme"], "quick"), suite(URI["scheme"], "quick", extra_states=2)
    assert (plain.states, more.states) == (3, 5)
    assert "at most 3 states (the rule's has 3)" in plain.guarantee
    assert "at most 5 states (the rule's has 3)" in more.guarantee
    assert "No suite is complete for v" in suite(NESTED["v"], "quick").guarantee
    assert suite(NESTED["v"], "quick").states is None


ORDER = """
import abnforge, hashlib
from abnforge.conformance import suite
from tests.law import one_in
texts = [vector.text for vector in suite(abnforge.rule({rule!r}))]
print(len(texts), hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest())
"""


@pytest.mark.parametrize("rule", ["rfc3986:dec-octet", pytest.param("rfc5234:group", marks=pytest.mark.slow)])
def test_it_is_the_same_in_every_run(rule: str) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", ORDER.format(rule=rule)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


WRONG = [
    (("rfc3986:URI",), TypeError, "rule is a rule"),
    ((URI["URI"], "much"), ValueError, "level"),
    ((URI["URI"], "quick", -1), ValueError, "not below 0"),
    ((URI["URI"], "quick", "1"), TypeError, "number of states"),
    ((NESTED["v"], "quick", 1), ValueError, "v is not known to be regular"),
    ((NESTED["w"],), abnforge.GrammarError, "in words only"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_what_is_no_suite(arguments: tuple[object, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        suite(*arguments)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_the_budget_does_not_suffice_for_is_said() -> None:
    whole = suite(URI["URI"])
    less = suite(URI["URI"], "complete", 2, budget=Budget(steps=100_000))
    assert less.states == 180
    assert [each[:40] for each in less.lost] == [
        "a complete suite with 2 extra states tak",
        "a complete suite with 1 extra state take",
        "not all strings were made that libraries",
    ]
    assert all(f"Lost to the budget: {each}." in less.guarantee for each in less.lost)
    assert len(suite(URI["URI"], "quick")) < len(less) < len(whole)
    assert whole.lost == ()
    nothing = suite(URI["URI"], "quick", budget=Budget(steps=100))
    assert nothing.states is None
    assert nothing.guarantee.startswith("No complete suite of URI (rfc3986) was made.")


@pytest.mark.slow
def test_two_more_states_are_asked_for_in_modules() -> None:
    asked = suite(URI["IPv6address"], "quick", 2)
    assert asked.states is None
    assert len(asked) == 165_545
    assert asked.guarantee.endswith("IPv6address (91), IPv4address (25). " + NO_CHARACTERS)
    assert suite(URI["scheme"], "quick", 2).states == 5  # small ones are asked for as a whole


@pytest.mark.slow
def test_two_more_states_of_authorities() -> None:
    assert len(suite(URI["authority"], "quick", 2)) == 355_381


@pytest.mark.slow
def test_all_rules_of_uris() -> None:
    total = sum(len(suite(rule, "quick")) for rule in URI.own_rules)
    assert 250_000 < total < 300_000
