"""Laws hold for whatever strategies draw: for few examples in the default run, for many in the slow one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Parameters of a test: one in so many of a long table in the default run, all of them in the slow one.

    A case is a value, or a tuple for several parameters.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.slow] if place % number else [],
        )
        for place, case in enumerate(cases)
    ]


def law(
    *strategies: SearchStrategy, few: int, many: int
) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """Makes a test of a function that takes one drawn value for each of ``strategies``.

    ``few`` and ``many`` are numbers of examples, which are the same ones in every run.
    """

    def decorate(body: Callable[..., None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.slow)])
        def test(examples: int) -> None:
            settings(max_examples=examples)(given(*strategies)(body))()

        test.__name__, test.__doc__ = body.__name__, body.__doc__
        return test

    return decorate
