"""Tests with many cases: a table is one test, and a law has more examples in the slow run."""

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
    """Return parameters of a test: one in ``number`` in the default run, all in the slow one.

    A case is a value, or a tuple for several parameters.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.slow] if place % number else [],
        )
        for place, case in enumerate(cases)
    ]


_CASE = type(pytest.param())  # pytest does not show the name of the class
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 300


def each_row(
    names: str | Sequence[str], table: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test for each row of a table; an error has a note that names the row.

    The arguments are those of ``pytest.mark.parametrize``, but all rows with the same marks are one test:
    reporting a test takes longer than running a row. All rows share the fixtures.
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
"""Seconds of the processor that one example may take while laws are fuzzed."""


def law(
    *strategies: SearchStrategy, few: int, many: int
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test of a function that takes one drawn value for each of ``strategies``.

    ``few`` and ``many`` are numbers of examples, which are the same in every run. With ``--fuzz SECONDS``,
    fresh examples are tried for that long; those that failed in an earlier run come first.
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
    """Try fresh examples in rounds for some seconds. An example that does not end is a failure."""
    end = monotonic() + seconds
    failed = False

    @wraps(body)  # a stable key in the database of failures
    def timed(**values: Any) -> None:
        nonlocal failed
        if monotonic() > end and not failed:
            return  # the rest of the round
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
