"""Patterns of random rules in their own engines: each verdict on each short text is that of brute force."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.reference.engines import ENGINES
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings

FORTY = st.lists(expressions, min_size=40, max_size=40)


def check(dialect: str, rules: list[Expression]) -> None:
    jobs, expected = [], []
    for expression in rules:
        try:
            pattern = abnforge.loads(f"r = {abnf(expression)}\n")["r"].export(dialect)
        except ValueError:  # none that is safe
            assert not DIALECTS[dialect].linear
            continue
        jobs.append((pattern, (), TEXTS))
        expected.append((pattern, sorted(strings(expression))))
    found = [
        (pattern, sorted(text for text, answer in zip(TEXTS, answers, strict=True) if answer is not None))
        for (pattern, _, _), answers in zip(jobs, ENGINES[dialect](jobs), strict=True)
    ]
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_rules(dialect: str) -> None:
    settings(max_examples=10)(given(FORTY)(lambda rules: check(dialect, rules)))()
