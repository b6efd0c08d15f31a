"""Hypotheses found out."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.conformance.judges import BlackBox
from abnforge.conformance.learner import MORE_BELOW, CounterexampleSearch, Letters
from abnforge.errors import LimitExceeded
from tests.law import each_row

URI = abnforge.load("rfc3986")


def regular(text: str) -> Automaton:
    return abnforge.loads(f"a = {text}\n")["a"].automaton


def equivalence(
    judge: object, rule: Automaton, budget: Budget, further: tuple[str, ...] = ()
) -> CounterexampleSearch:
    meter = budget.meter("asking")
    letters = Letters(rule.charsets)
    box = BlackBox(judge, "no", 10**6, meter)  # type: ignore[arg-type]
    return CounterexampleSearch(box, letters, rule, 0, map(letters.word, further), meter, budget)


BIG = Budget(steps=10**8)
DIGITS = regular("*DIGIT")

# what is accepted, the hypothesis, and the text on which it is wrong
WRONG = [
    ("*5DIGIT", "*DIGIT", "111111"),
    ("*5DIGIT", "*4DIGIT", "11111"),
    ("1*DIGIT", "*DIGIT", ""),
    ("*DIGIT", "*254DIGIT", "1" * 255),
    ('*DIGIT / "x"', "*DIGIT", None),  # no letter spells it
    ("*DIGIT", "*DIGIT", None),
    ("*5DIGIT", "*5DIGIT", None),
]


@each_row(("right", "hypothesis", "text"), WRONG)
def test_counterexamples(right: str, hypothesis: str, text: str | None) -> None:
    found = equivalence(regular(right).accepts, DIGITS, BIG)
    word = found.counterexample(regular(hypothesis))
    assert (word and Letters(DIGITS.charsets).text(word)) == text or (word == () and text == "")


def test_the_own_suite_finds_what_the_rules_does_not() -> None:
    """It is asked for a state more than the hypothesis has; the rule's is not."""
    search = equivalence(lambda text: text == "a1a" or DIGITS.accepts(text), DIGITS, BIG)
    assert search.counterexample(DIGITS) == Letters(DIGITS.charsets).word("a1a")


def test_what_was_wrong_before_is_asked_first() -> None:
    search = equivalence(DIGITS.accepts, DIGITS, BIG, ("1" * 70,))
    word = search.counterexample(regular("*66DIGIT"))
    assert word is not None
    assert len(word) == 70


def test_small_ones_are_tried_for_a_state_more() -> None:
    search = equivalence(DIGITS.accepts, DIGITS, BIG)
    assert [search.extra_states(regular(f"*{n}DIGIT")) for n in (1, MORE_BELOW - 2, MORE_BELOW - 1)] == [
        1,
        1,
        0,
    ]


def test_the_budget_holds() -> None:
    rule = URI["IPv6address"].automaton
    with pytest.raises(LimitExceeded):
        equivalence(rule.accepts, rule, Budget(steps=5_000))
