"""An answer is a function of grammar, rule, input and options: never of what was asked before."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata import derivatives
from abnforge.explain import error_grammar, reading
from abnforge.parsing import stop
from tests.law import law
from tests.reference.strategies import grammars

TEXTS = ["", "a", "ab", "abc", "cab"]

Question = Callable[[abnforge.Rule], object]

# By name, so that a failure says what was asked.
QUESTIONS: dict[str, Question] = {
    **{f"matches {t!r}": lambda r, t=t: r.matches(t) for t in TEXTS},
    **{f"matches {t!r} by lark": lambda r, t=t: r.matches(t, engine="lark") for t in TEXTS},
    **{f"matches {t!r} by general": lambda r, t=t: r.matches(t, engine="general") for t in TEXTS},
    **{f"explain {t!r} by general": lambda r, t=t: r.explain(t, engine="general") for t in TEXTS},
    **{f"derivations of {t!r}": lambda r, t=t: list(r.derivations(t)) for t in TEXTS},
    **{f"number of derivations of {t!r}": lambda r, t=t: r.count_derivations(t) for t in TEXTS},
    "parse 'ab' by general": lambda r: r.parse("ab", engine="general"),
    **{f"explain {t!r}": lambda r, t=t: r.explain(t) for t in TEXTS},
    **{f"explain {t!r} by lark": lambda r, t=t: r.explain(t, engine="lark") for t in TEXTS},
    **{f"explain {t!r} by states": lambda r, t=t: r.explain(t, engine="automaton") for t in TEXTS},
    **{f"explain {t!r} without": lambda r, t=t: r.explain(t, suggest=False) for t in TEXTS},
    **{f"check {t!r}": lambda r, t=t: r.check(t.encode()) for t in TEXTS},
    "parse 'ab'": lambda r: r.parse("ab"),
    "parse 'ab' by lark": lambda r: r.parse("ab", engine="lark"),
    "automaton": lambda r: r.automaton,
    "pattern": lambda r: r.pattern,
    "export": lambda r: r.export("re2"),
    "export with groups": lambda r: r.export("pcre2", groups=["r0"], anchored=False),
    "lark": lambda r: r.lark_text,
    "lint": lambda r: r.grammar.lint(),
    "lint for one": lambda r: r.grammar.lint(["r0"]),
    "compare": lambda r: abnforge.compare(r, r.grammar["ALPHA"]),
    "definition": lambda r: (r.definition, r.uses, r.used_by, r.regular, r.recursive),
}


def answer(rule: abnforge.Rule, question: str) -> object:
    try:
        return QUESTIONS[question](rule)
    except Exception as error:
        return type(error), str(error)


def ask(text: str, questions: list[tuple[int, str]], fresh: Callable[[int, str], object]) -> None:
    """Ask one grammar all questions, each of the rule with that number."""
    grammar = abnforge.loads(text)
    rules = grammar.own_rules
    for number, question in questions:
        number %= len(rules)
        assert answer(rules[number], question) == fresh(number, question), (rules[number], question)


def fresh_answers(text: str) -> Callable[[int, str], object]:
    """What a grammar answers of which nothing was asked before."""
    return cache(lambda number, question: answer(abnforge.loads(text).own_rules[number], question))


asked = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(list(QUESTIONS))), min_size=2, max_size=8)


@law(st.booleans().flatmap(grammars), asked, few=3, many=120)
def test_answers_do_not_depend_on_earlier_ones(text: str, questions: list[tuple[int, str]]) -> None:
    ask(text, questions, fresh_answers(text))


# Where work is bounded, what counts against the bound must not depend on what is known already.
TANGLED = [
    'r0 = r0 r0 / [ r0 ] r0 "a" / *2r0 "b"\n',
    "r0 = r1 r1\nr1 = [ r2 ] r0 / %x61\nr2 = *r0 r1 [ r1 ] / %x62\n",
    'r0 = "(" [ r0 *( "," r0 ) ] ")" / 1*"a"\n',
]


@pytest.mark.parametrize("most", [30, 300])
@pytest.mark.parametrize("text", [pytest.param(TANGLED[0], marks=pytest.mark.slow), *TANGLED[1:]])
def test_limits_are_reached_by_the_question_alone(
    text: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits so low that answers run into them."""
    monkeypatch.setattr(stop, "MAX_STATE_STEPS", most)
    monkeypatch.setattr(error_grammar, "MAX_FOLLOWED", most)
    once = [(0, f"explain {t!r}") for t in TEXTS] + [(0, f"explain {t!r} without") for t in TEXTS]
    fresh = fresh_answers(text)
    ask(text, once, fresh)
    ask(text, once[::-1], fresh)


@pytest.mark.parametrize("text", [pytest.param(TANGLED[0], marks=pytest.mark.slow), *TANGLED[1:]])
def test_states_that_were_dropped_are_not_missed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = fresh_answers(text)
    once = [(0, f"explain {t!r}") for t in TEXTS]
    for number, question in once:
        fresh(number, question)
    monkeypatch.setattr(derivatives, "MAX_KEPT_STATES", 40)
    monkeypatch.setattr(reading, "MAX_KEPT_STATES", 40)
    ask(text, once, fresh)


@pytest.mark.parametrize("steps", [3, 30, 100, 30_000])
def test_reading_ends_at_one_place(steps: int) -> None:
    grammar = abnforge.loads(TANGLED[2])
    text = "(a,(a,aaa),(),((a)))"

    def read(states: derivatives.Derivatives) -> int:
        return len(states.read_within("r0", text, steps)[0])

    cold = derivatives.Derivatives(grammar.core, grammar.facts)
    warm = derivatives.Derivatives(grammar.core, grammar.facts)
    whole = len(warm.read("r0", text))
    assert read(cold) == read(warm) == read(warm)
    assert (read(warm) < whole) is (steps < 30_000)
