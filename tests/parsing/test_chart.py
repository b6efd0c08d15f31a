"""The chart of a string: spans of rules, and all derivations in the order of the contract."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.budget import Budget
from abnforge.parsing import chart
from abnforge.parsing.chart import MAX_INLINED, Charts
from abnforge.parsing.choose import derivations
from abnforge.parsing.trace import TreeBuilder
from tests.law import law
from tests.raising import raises
from tests.reference import derivations as reference
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.trees import shape


def charts(text: str) -> tuple[abnforge.Rule, Charts]:
    rules = abnforge.loads(text)
    return rules[next(iter(rules))], Charts(rules.facts, Budget())


def in_order(rule: abnforge.Rule, made: Charts, text: str, limit: int | None) -> list[object]:
    key = rule.name.lower()
    meter = Budget().meter("the derivations", len(text))
    table = made.table(key, text, meter)
    if table is None:
        return []
    builder = TreeBuilder({name.lower(): lark for lark, name in rule.lark_names.items()})
    traces = derivations(table, rule.grammar.facts, key, len(text), meter, limit)
    return [shape(builder.build(text, trace), rule.lark_names) for trace in traces]


# Grammar, string, called rules, nonempty spans (rule, start, ends).
SPANS = [
    ('s = "(" s ")" / "x"\n', "(x)", {"s": {0: [3], 1: [2]}}),
    ('s = s s / "a"\n', "aaa", {"s": {0: [1, 2, 3], 1: [2, 3], 2: [3]}}),
    ('s = t "a" / "b"\nt = s "c"\n', "bcaca", {"s": {0: [1, 3, 5]}}),
    ('s = t s / "b"\nt = *"a"\n', "aab", {"s": {0: [3], 1: [3], 2: [3]}}),
]


@pytest.mark.parametrize(("text", "string", "spans"), SPANS)
def test_spans(text: str, string: str, spans: dict[str, dict[int, list[int]]]) -> None:
    _, results = charts(text)
    result = results.spans("s", string, Budget().meter("the spans"))
    assert result == {
        key: {start: sum(1 << end - start for end in table) for start, table in starts.items()}
        for key, starts in spans.items()
    }
    assert results.spans("s", string + "?", Budget().meter("the spans")) is None
    assert results.spans("s", string[:-1] + "?", Budget().meter("the spans")) is None


@law(st.integers(0, 10**9), st.sampled_from(KINDS), few=8, many=150)
def test_all_derivations_in_order_on_random_grammars(seed: int, kind: str) -> None:
    rule, result = charts(grammar(Random(seed), kind))
    for text in short_texts(2 if kind in ("cyclic", "nullable") else 3):
        assert in_order(rule, result, text, 12) == reference.derivations(rule.grammar.core, "r0", text, 12)


def test_all_of_them_and_no_more() -> None:
    for text, string, number in (
        ('s = s s / "a"\n', "aaaaa", 14),
        ('s = t / u\nt = "a" / u\nu = s / "a"\n', "a", 3),
    ):
        rule, result = charts(text)
        everything = in_order(rule, result, string, None)
        assert everything == reference.derivations(rule.grammar.core, "s", string)
        assert len(everything) == number
        for limit in (1, 2, number - 1, number, number + 1):
            assert in_order(rule, result, string, limit) == everything[:limit]


def test_they_are_made_when_they_are_asked_for() -> None:
    rule, result = charts('s = s s / "a"\n')
    text = "a" * 40
    meter = Budget().meter("the derivations", len(text))
    table = result.table("s", text, meter)
    assert table is not None
    traces = derivations(table, rule.grammar.facts, "s", len(text), meter, None)
    assert len({tuple(next(traces)) for _ in range(50)}) == 50


def test_chains_of_rules_do_not_recurse() -> None:
    """References to a rule are inlined, up to a nesting limit."""
    length = 2_000
    rules = (
        "".join(f'r{n} = r{n + 1} / "b"\n' for n in range(length)) + f'r{length} = "a" / "(" r{length} ")"\n'
    )
    rule, results = charts(rules)
    (result,) = in_order_events(rule, results, "(a)")
    assert result[0] == tuple(f"r{n}" for n in range(length + 1))
    assert len(results.called) <= 2 + length / MAX_INLINED


def in_order_events(rule: abnforge.Rule, made: Charts, text: str) -> list[list[tuple[str, ...]]]:
    meter = Budget().meter("the derivations", len(text))
    table = made.table(rule.name.lower(), text, meter)
    assert table is not None
    return list(derivations(table, rule.grammar.facts, rule.name.lower(), len(text), meter, None))


def test_cost_depends_only_on_the_string(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 's = s t s / [ s ] "a" / t\nt = "(" s ")" / "b"\n'
    _, warm = charts(text)
    for most in (chart.MAX_KEPT_STATES, 10):
        monkeypatch.setattr(chart, "MAX_KEPT_STATES", most)
        for string in ("a", "aba", "(aba)", "ab(aba)b", "(((", ""):
            _, cold = charts(text)
            meters = [Budget().meter("the spans", len(string)) for _ in range(2)]
            assert cold.spans("s", string, meters[0]) == warm.spans("s", string, meters[1])
            assert (meters[0].steps, meters[0].memory) == (meters[1].steps, meters[1].memory)


def test_a_chart_has_a_budget() -> None:
    _, result = charts('s = s s / s s s / "a"\n')
    with raises(abnforge.LimitExceeded, "limit-steps", operation="the spans", limit=20000):
        result.spans("s", "a" * 200, Budget(steps=20_000, per_character=0).meter("the spans", 200))
