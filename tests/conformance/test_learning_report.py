"""Reports on learned automata."""

from __future__ import annotations

import pickle
import re

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.conformance.judges import Raised
from abnforge.conformance.learning import Learnt

URI = abnforge.load("rfc3986")


def automaton(text: str) -> Automaton:
    return abnforge.loads(f"a = {text}\n")["a"].automaton


def learnt(text: str, rule: str = "port", **changed: object) -> Learnt:
    result = automaton(text)
    values = {
        "reference": URI[rule],
        "automaton": result,
        "queries": 1_234,
        "letters": result.charsets,
        "exact_for": 9,
        "level": "complete",
        **changed,
    }
    return Learnt(**values)  # type: ignore[arg-type]


# The language accepted as a port, its relation to the rule, wrongly accepted and rejected strings.
DIFFERENCES = [
    ("*DIGIT", "equal", None, None),
    ('*DIGIT / "x"', "wider", "x", None),
    ("1*DIGIT", "narrower", None, ""),
    ("*5DIGIT", "narrower", None, "111111"),
    ('1*( DIGIT / "_" )', "overlap", "_", ""),
]


@pytest.mark.parametrize(("text", "relation", "accepted", "rejected"), DIFFERENCES)
def test_differences(
    text: str, relation: str, accepted: str | None, rejected: str | None, snapshot: SnapshotAssertion
) -> None:
    result = learnt(text)
    comparison = result.comparison
    assert (comparison.relation, comparison.only_left, comparison.only_right) == (
        relation,
        accepted,
        rejected,
    )
    assert str(result) == snapshot
    assert str(result).endswith(result.bound)


def test_the_rule_is_a_rule() -> None:
    result = learnt("*5DIGIT")
    assert result.rule.automaton == result.automaton
    assert (result.rule.name, result.rule.grammar.name) == ("port", "learnt")
    assert result.abnf() == "port = *5DIGIT\n"
    assert result.rule.matches("12345")
    assert str(result.rule.explain("123456"))
    assert (URI["port"] - result.rule).automaton == automaton("6*DIGIT")
    pattern = re.compile(result.pattern(), re.DOTALL)
    assert [bool(pattern.fullmatch(text)) for text in ("12345", "123456", "a")] == [True, False, False]
    assert "[0-9]" in result.pattern("re2")
    assert result.states == 6


def test_errors_are_told(snapshot: SnapshotAssertion) -> None:
    errors = (Raised("ValueError", 2_000, "\n"), Raised("TypeError", 1, ""))
    assert str(learnt("*DIGIT", errors=errors)) == snapshot


def test_the_bound_says_what_is_known(snapshot: SnapshotAssertion) -> None:
    changes: list[dict[str, object]] = [{}, {"level": "quick"}, {"exact_for": None}]
    assert [learnt("*DIGIT", **each).bound for each in changes] == snapshot


def test_a_combined_rule_has_no_name_for_abnf() -> None:
    result = learnt("*DIGIT", reference=URI["port"].at_most(5))
    assert result.abnf() == "learnt = *DIGIT\n"
    assert result.comparison.only_left == "111111"


def test_it_travels() -> None:
    result = learnt("*5DIGIT")
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert pickle.loads(pickle.dumps(result)) == result


def test_it_is_an_automaton_and_a_comparison() -> None:
    result = learnt("1*DIGIT")
    results, comparison = result
    assert (results, comparison) == (result.automaton, result.comparison)
