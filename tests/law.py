"""Tests with many cases: tables that run as one test, and laws that are tried on generated examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter, signature
from reprlib import Repr
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.strategies import SearchStrategy

from tests.limits import Overdue, within


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Parametrize a test: the default run tests one in ``number`` cases, and the slow run tests the others.

    A case is a value, or a tuple of values if the test has several parameters.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.slow] if place % number else [],
        )
        for place, case in enumerate(cases)
    ]


_CASE = type(pytest.param())  # pytest does not export this class
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 300


def each_row(
    names: str | Sequence[str], table: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test for each row of a table. A note on an error shows the row.

    The arguments are those of ``pytest.mark.parametrize``, but rows with the same marks form one test, since
    reporting a test takes longer than running a row. All rows of a test share its fixtures.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    parts: dict[str, tuple[list[tuple[Any, ...]], Any]] = {}
    for row in table:
        case = row if isinstance(row, _CASE) else None
        values = case.values if case else (row,) if columns == [names] else tuple(row)
        marks = case.marks if case else ()
        parts.setdefault(" ".join(map(repr, marks)), ([], marks))[0].append(values)
    assert parts, "the table is empty"

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        part = "_".join(["part_of", *columns])

        @wraps(body)
        def test(**fixtures: Any) -> None:
            for number, values in enumerate(fixtures.pop(part)):
                try:
                    body(**dict(zip(columns, values, strict=True)), **fixtures)
                except BaseException as error:
                    error.add_note(f"in row {number}: {', '.join(map(_SHORT.repr, values))}")
                    raise

        whole = signature(body)
        fixtures = [each for name, each in whole.parameters.items() if name not in columns]
        own = Parameter(part, Parameter.KEYWORD_ONLY)
        test.__signature__ = whole.replace(parameters=[*fixtures, own])  # type: ignore[attr-defined]
        cases = [
            pytest.param(rows, marks=marks, id=" ".join(mark.name for mark in marks) or "all")
            for rows, marks in parts.values()
        ]
        return pytest.mark.parametrize(part, cases)(test)

    return decorate


PATIENCE = 30.0
"""Maximum processor seconds per example while laws are fuzzed."""


def law(
    *strategies: SearchStrategy, few: int, many: int
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test from a function that takes one value drawn from each of ``strategies``.

    The default run tries ``few`` examples and the slow run ``many``, the same ones in every run. With
    ``--fuzz SECONDS``, new examples are tried for that long, after those that failed in an earlier run.
    """

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        sizes = [pytest.param(few, marks=pytest.mark.law), pytest.param(many, marks=pytest.mark.slow)]

        @pytest.mark.parametrize("examples", sizes)
        def test(examples: int, pytestconfig: pytest.Config) -> None:
            if pytestconfig.option.fuzz:
                fuzz(strategies, body, pytestconfig.option.fuzz)
            else:
                settings(max_examples=examples)(given(*strategies)(body))()

        test.__name__, test.__doc__ = body.__name__, body.__doc__
        vars(test).update(strategies=strategies, body=body)
        return test

    return decorate


def fuzz(strategies: Sequence[SearchStrategy], body: Callable[..., None], seconds: float) -> None:
    """Try new examples in rounds for some seconds. An example that exceeds PATIENCE is a failure."""
    end = monotonic() + seconds
    failed = False

    @wraps(body)  # keeps the key of the law in the database of failures
    def timed(**values: Any) -> None:
        nonlocal failed
        if monotonic() > end and not failed:
            return  # skip the rest of the round
        try:
            with within(PATIENCE):
                body(**values)
        except UnsatisfiedAssumption:
            raise
        except Overdue:
            failed = True
            raise AssertionError(f"exceeds {PATIENCE:.0f} s") from None
        except Exception:
            failed = True
            raise

    while monotonic() < end:
        settings(max_examples=200)(given(*strategies)(timed))()
