"""Derivations from every parser: the transducer and the chart agree, or one of them does not apply."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.budget import Budget
from abnforge.parsing import api
from abnforge.parsing.api import DerivationParser
from abnforge.parsing.trace import Spans, TransducerError
from abnforge.parsing.transducer import Transducer
from tests.law import law
from tests.raising import raises
from tests.reference.random_grammars import KINDS, grammar, long_texts

# grammar, text
FALLBACK = [
    ('s = s s / "a"\n', "aaaa"),
    ('s = *"c" s "a" / "b"\n', "cbaa"),
    ('s = "i" s / "i" s "e" s / "x"\n', "i" * 60 + "xex"),
    ('S = A / B\nA = "x" S "a" / "x"\nB = "x" S "b" / "x"\n', "x" * 61 + "ab" * 30),
]


@pytest.mark.parametrize(("text", "string"), FALLBACK)
def test_rules_that_the_transducer_rejects(text: str, string: str) -> None:
    rules = abnforge.loads(text)
    key = next(iter(rules)).lower()
    with pytest.raises(TransducerError):
        Transducer(rules.facts, Budget()).trace(key, string, Budget().meter("the tree", len(string)))
    reader = DerivationParser(rules.facts, Budget())
    result = reader.preferred(key, string)
    assert result is not None
    assert Spans(rules.core.names).of(result) == rules[key].events(string, engine="lark")
    assert next(reader.in_order(key, string, 1)) == result
    assert reader.preferred(key, string + "?") is None
    assert list(reader.in_order(key, string + "?", None)) == []
    assert list(reader.in_order(key, string, 0)) == []


@law(st.integers(0, 10**9), st.sampled_from(KINDS), few=10, many=150)
def test_transducer_and_chart_agree_on_long_texts(seed: int, kind: str) -> None:
    source = Random(seed)
    rules = abnforge.loads(grammar(source, kind))
    names = rules.core.names
    chart = DerivationParser(rules.facts, Budget(steps=300_000, per_character=1_000))
    # The total cost includes the cost of the failed transducer.
    either = DerivationParser(rules.facts, Budget(steps=600_000, per_character=2_000))
    for text in long_texts(rules["r0"], source, 60, 4):
        try:
            first = next(chart.in_order("r0", text, 1), None)
        except abnforge.LimitExceeded:
            continue
        result = either.preferred("r0", text)
        assert (result is None) is (first is None)
        if result is not None and first is not None:
            assert Spans(names).of(result) == Spans(names).of(first)


@pytest.mark.parametrize(("share", "charted"), [(0.0, True), (0.01, True), (0.9, False)])
def test_cost_of_the_transducer_is_bounded(
    share: float, charted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the transducer exceeds its share of the budget, the chart returns the same result."""
    monkeypatch.setattr(api, "TRANSDUCER_SHARE", share)
    rules = abnforge.loads('s = "(" *( s / 1*DIGIT ) ")"\n')
    text = "(1(2(3)4)5)"
    reader = DerivationParser(rules.facts, Budget(steps=10_000, per_character=0))
    result = reader.preferred("s", text)
    assert ("_charts" in vars(reader)) is charted
    assert result is not None
    assert Spans(rules.core.names).of(result) == rules["s"].events(text, engine="lark")


def test_questions_have_a_budget() -> None:
    rules = abnforge.loads('s = s s / "a"\n')
    reader = DerivationParser(rules.facts, Budget(steps=10_000, per_character=0))
    for operation, question in (
        ("tree of s", lambda: reader.preferred("s", "a" * 80)),
        ("derivations of s", lambda: list(reader.in_order("s", "a" * 80, 3))),
        ("number of derivations of s", lambda: reader.count("s", "a" * 80)),
    ):
        with raises(abnforge.LimitExceeded, "limit-steps", operation=operation):
            question()
