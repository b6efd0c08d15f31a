"""Small recursive grammars that need too much work: bounded work and memory, then a result or a limit.

Each call runs in a separate process with a memory limit. Work is counted in function calls. A processor time
limit, far above the expected time, stops code without calls.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

import abnforge
from abnforge.engine.grammar import sentences
from tests.law import one_in
from tests.places import ROOT
from tests.reference.hostile_grammars import GRAMMARS, size
from tests.test_limits import MOST, NO_PATTERN, QUESTIONS, answer, refusal
from tests.work import calls

sys.path.insert(0, str(ROOT / "tools"))

from tests.limits import isolated, within

OCTETS = 300_000_000
SECONDS = 60.0  # limit of processor time for the counted work

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here"),
]


def test_each_is_small() -> None:
    assert [
        name for name, (grammar, texts) in GRAMMARS.items() for t, _ in texts if size(grammar, t) > 1_000
    ] == []


def asked(question: Callable[[], Any]) -> tuple[Any, int]:
    """Run a call in a separate process; return its result and the number of function calls that it made."""

    def ask() -> tuple[Any, int]:
        results: list[Any] = []
        with within(SECONDS):
            count = calls(lambda: results.append(question()))
        return results[0], count

    return isolated(ask, SECONDS, OCTETS)


@pytest.mark.parametrize(("name", "question"), one_in(2, product(GRAMMARS, QUESTIONS)))
def test_strings(name: str, question: str) -> None:
    grammar, texts = GRAMMARS[name]
    for text, verdict in texts:
        rule = abnforge.loads(grammar)["r"]
        result, count = asked(lambda: answer(partial(QUESTIONS[question], rule, text)))  # noqa: B023
        assert count <= MOST
        assert result in (verdict, None) or verdict is None


def _sentences(rule: abnforge.Rule) -> list[str]:
    return list(sentences(rule, count=10, seed=1))


def _compare(grammar: str) -> abnforge.Comparison:
    result = abnforge.loads(grammar + 'other = r / "zz"\n')
    return abnforge.compare(result["r"], result["other"])


ABOUT: dict[str, Callable[[str], Any]] = {
    "loads": abnforge.loads,
    "lint": abnforge.lint,
    "compare": _compare,
    "sentences": lambda grammar: _sentences(abnforge.loads(grammar)["r"]),
    "export": lambda grammar: abnforge.loads(grammar)["r"].export("re2"),
}


@pytest.mark.parametrize("question", ABOUT)
@pytest.mark.parametrize("name", GRAMMARS)
def test_grammars(name: str, question: str) -> None:
    why, count = asked(lambda: refusal(partial(ABOUT[question], GRAMMARS[name][0])))
    assert count <= MOST
    assert why in ("", *NO_PATTERN)
