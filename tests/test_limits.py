"""Grammars that need too much work: after bounded work, each call is right or exceeds a limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

import abnforge
from tests.law import each_row
from tests.work import calls

# The maximum number of function calls within a call: about two seconds of work.
MOST = 10_000_000


def words(count: int) -> str:
    """Return ``count`` words of five to seven letters."""
    results = ("".join(letters) for letters in product("abcdefghij", repeat=5))
    return (
        "r = "
        + " / ".join(f'"{word}{"xy" * (n % 2)}"' for n, word in zip(range(count), results, strict=False))
        + "\n"
    )


def chain(count: int, rule: str, last: str) -> str:
    return "".join(f"r{n or ''} = {rule.format(n + 1)}\n" for n in range(count)) + f"r{count} = {last}\n"


# Name, grammar with the rule "r", and strings with their verdicts (None if unknown).
GRAMMARS: dict[str, tuple[str, list[tuple[str, bool | None]]]] = {
    "each rule uses the next twice": (
        chain(41, "r{0} r{0}", '"x"'),
        [("x", False), ("x" * 3_000 + "y", False)],
    ),
    "each rule may use the next twice": (chain(41, "[ r{0} ] [ r{0} ]", '"x"'), [("xx", None), ("y", False)]),
    "1,000 words": (words(1_000), [("aaaaa", True), ("aaaaaq", False), ("", False)]),
    "a string of 65,536": (
        f'r = "{"ab" * 32_768}"\n',
        [("ab" * 32_768, True), ("ab" * 30_000 + "c", False)],
    ),
    "14,000 ranges": (
        "r = " + " / ".join(f"%x{3 * n:X}-{3 * n + 1:X}" for n in range(1, 14_001)) + "\n",
        [("a", True), ("b", False), ("a" * 200, False)],
    ),
    "10,000 rules in a chain": (chain(10_000, "r{0}", '"x"'), [("x", True), ("y", False)]),
    "3,000 rules around one another": (
        chain(3_000, '"(" r{0} ")"', '"x"'),
        [("(" * 3_000 + "x" + ")" * 3_000, True), ("(" * 3_000 + "y", False)],
    ),
    "2**20 states": (
        'r = *( "a" / "b" ) "a" 20( "a" / "b" )\n',
        [("a" * 30, True), ("ab" * 15 + "c", False), ("b" * 21, False)],
    ),
    "brackets nested 3,000 deep": (
        'r = "(" [ r ] ")"\n',
        [("(" * 3_000 + ")" * 3_000, True), ("(" * 3_000 + ")" * 2_999, False), ("(" * 50 + "x", False)],
    ),
    "every text in every way": ('r = r r / "a"\n', [("a" * 60, True), ("a" * 60 + "b", False)]),
    "nothing, in every way": (
        'r = *( *( *( [ "a" ] [ "b" ] ) ) )\n',
        [("ab" * 1_000, True), ("ab" * 100 + "c", False)],
    ),
}

QUESTIONS: dict[str, Callable[[abnforge.Rule, str], Any]] = {
    "matches": lambda rule, text: rule.matches(text),
    "explain": lambda rule, text: rule.explain(text) is None,
    "parse": lambda rule, text: bool(rule.parse(text)),
}


def answer(question: Callable[[], Any]) -> Any:
    """Return the result of a call, or None if it exceeds a limit. Fails after an undocumented exception."""
    try:
        return question()
    except abnforge.Rejected:
        return False
    except abnforge.LimitExceeded as error:
        limit = error
    assert limit.operation
    assert limit.used > limit.limit
    assert limit.setting
    return None


NO_PATTERN = ("export-failed", "export-failed-linear", "rule-not-regular")
"""The error codes for rules that cannot be exported."""


def refusal(question: Callable[[], Any]) -> str:
    """Return the error code of a call, or "" if it succeeds or exceeds a limit."""
    try:
        answer(question)
    except ValueError as error:
        return getattr(error, "code", str(error))
    return ""


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in GRAMMARS]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", SLOW)
def test_strings(name: str, question: str) -> None:
    grammar, texts = GRAMMARS[name]
    rule = abnforge.loads(grammar)["r"]
    for text, verdict in texts:
        results: list[Any] = []
        calls(_keep, results, QUESTIONS[question], rule, text, most=MOST)
        assert results[0] in (verdict, None) or verdict is None


def _keep(
    found: list[Any], question: Callable[[abnforge.Rule, str], Any], rule: abnforge.Rule, text: str
) -> None:
    found.append(answer(lambda: question(rule, text)))


@pytest.mark.parametrize("name", SLOW)
def test_grammars(name: str) -> None:
    grammar, _ = GRAMMARS[name]
    rule = abnforge.loads(grammar)["r"]
    calls(abnforge.loads, grammar, most=MOST)
    calls(abnforge.lint, grammar, most=MOST)
    other = abnforge.loads(grammar + 'other = r / "zz"\n')["other"]
    questions = [partial(rule.export, dialect) for dialect in ("python", "re2", "java")]
    for question in (*questions, partial(abnforge.compare, rule, other)):
        why: list[str] = []
        calls(lambda ask, why=why: why.append(refusal(ask)), question, most=MOST)
        assert why[0] in ("", *NO_PATTERN)


@pytest.mark.slow
def test_a_hundred_thousand_words() -> None:
    text = words(100_000)
    rule = abnforge.loads(text)["r"]
    assert rule.automaton.states < 200_000
    asked = {"aaaaa": True, "jjjjjxy": True, "jjjjj": False, "jjjjjx": False, "": False}
    assert {word: rule.matches(word) for word in asked} == asked
    assert rule.explain("jjjjjx") is not None


@each_row("steps", [0, 1, 10, 100, 1_000, 10_000])
def test_no_limit_is_a_verdict(steps: int) -> None:
    """With a low limit, a string is undecided, but never wrongly valid or rejected."""
    budget = abnforge.Budget(steps=steps, per_character=0)
    rule = abnforge.loads('r = "(" *( r "," ) r ")" / 1*"a"\n', budget=budget)["r"]
    for text, verdict in (("(a,a,(a,a))", True), ("(a,a,(a,a)", False)):
        for question in QUESTIONS.values():
            assert answer(partial(question, rule, text)) in (verdict, None)
