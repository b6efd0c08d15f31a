"""Eight threads that share a grammar get the same results as one thread."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import abnforge
from abnforge import uri
from abnforge.automata import derivatives

THREADS = 8

GRAMMARS = {
    "regular": 'start = 1*( word "," ) [ pair ]\nword = 1*ALPHA\npair = word "=" *DIGIT\n',
    "recursive": 'start = "(" [ start *( "," start ) ] ")" / 1*ALPHA\nword = *ALPHA\n',
    "left recursion": 'start = start "+" word / word\nword = 1*DIGIT / "(" start ")"\n',
}
TEXTS = ["", "ab,cd,", "(a,(b))", "1+(2", "a=b", "é"]
ASKED = 8  # threads; each makes all calls


def questions(grammar: abnforge.Grammar) -> list[Callable[[], object]]:
    """Return a call for each method and string. Tests compare the results by value."""
    calls: list[Callable[[], object]] = []
    for rule in grammar.own_rules:
        for text in TEXTS:
            calls += [
                lambda r=rule, t=text: r.matches(t),
                lambda r=rule, t=text: r.matches(t, engine="lark"),
                lambda r=rule, t=text: r.matches(t, engine="general"),
                lambda r=rule, t=text: r.count_derivations(t),
                lambda r=rule, t=text: [*r.derivations(t)],
                lambda r=rule, t=text: r.explain(t),
                lambda r=rule, t=text: r.explain(t, suggest=False),
                lambda r=rule, t=text: r.explain(t.encode()),
                lambda r=rule, t=text: r.parse(t),
            ]
        calls += [
            lambda r=rule: r.pattern,
            lambda r=rule: r.export("re2"),
            lambda r=rule: r.automaton,
            lambda r=rule: r.definition,
            lambda r=rule: r.lark_text,
            lambda r=rule: abnforge.compare(r, r.grammar["word"]),
        ]
    return [*calls, grammar.lint, lambda: grammar.start, lambda: grammar.lark_text]


def answer(question: Callable[[], object]) -> object:
    try:
        return question()
    except Exception as error:
        return type(error), str(error)


@pytest.fixture
def switching() -> Iterator[None]:
    """Make Python switch between threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def hammer(text: str, rounds: int) -> None:
    expected = [answer(question) for question in questions(abnforge.loads(text))]
    for round_ in range(rounds):
        grammar = abnforge.loads(text)  # a new grammar, without computed data
        start = Barrier(THREADS)

        def ask(seed: int, grammar: abnforge.Grammar = grammar, start: Barrier = start) -> dict[int, object]:
            asked = list(enumerate(questions(grammar)))
            chosen = random.Random(seed).sample(asked, ASKED)
            start.wait(60)
            return {number: answer(question) for number, question in chosen}

        with ThreadPoolExecutor(THREADS) as threads:
            for result in threads.map(ask, range(round_ * THREADS, (round_ + 1) * THREADS)):
                assert result == {number: expected[number] for number in result}


@pytest.mark.usefixtures("switching")
@pytest.mark.parametrize("rounds", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GRAMMARS)
def test_threads_on_one_grammar(name: str, rounds: int) -> None:
    hammer(GRAMMARS[name], rounds)


@pytest.mark.usefixtures("switching")
def test_states_may_be_dropped_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivatives, "MAX_KEPT_STATES", 20)
    hammer(GRAMMARS["recursive"], 1)


@pytest.mark.usefixtures("switching")
def test_threads_on_uris() -> None:
    texts = ["http://u@h:80/%7e/../b", "http://[::1"]
    calls = [lambda v, t=t: v(t) for t in texts]
    verbs = [uri.parse, uri.is_valid, uri.explain, uri.normalize]
    asked = [lambda c=c, v=v: c(v) for c in calls for v in verbs]
    expected = [answer(question) for question in asked]
    with ThreadPoolExecutor(THREADS) as threads:
        for result in threads.map(lambda _: [answer(question) for question in asked], range(THREADS)):
            assert result == expected
