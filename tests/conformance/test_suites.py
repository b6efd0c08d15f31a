"""Suites: order, guarantees, levels, and rules that recurse."""

from __future__ import annotations

import subprocess
import sys

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.conformance import LEVELS, suite

URI = abnforge.load("rfc3986")
NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / 1*DIGIT\nw = <words>\n')


@pytest.mark.parametrize("rule", [URI["scheme"], URI["IPv4address"], NESTED["v"]])
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
texts = [vector.text for vector in suite(abnforge.rule({rule!r}))]
print(len(texts), hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest())
"""


@pytest.mark.parametrize("rule", ["rfc3986:IPv4address", "rfc5234:group"])
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
    ((NESTED["w"],), abnforge.GrammarError, "describes in words only"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_what_is_no_suite(arguments: tuple[object, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        suite(*arguments)  # type: ignore[arg-type]


def test_the_budget_ends_it() -> None:
    with pytest.raises(abnforge.LimitExceeded, match="the suite of URI would take more than"):
        suite(URI["URI"], "quick", 2, budget=Budget(steps=100_000))


def test_all_rules_of_uris() -> None:
    total = sum(len(suite(rule, "quick")) for rule in URI.own_rules)
    assert 250_000 < total < 300_000
