"""Validating chunks in parallel gives the same results as one thread."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from abnforge import columns
from abnforge.columns import arrays
from tests.columns.expected import TEXTS, TYPES, URI
from tests.raising import raises


@pytest.mark.parametrize("kind", TYPES)
def test_any_number_gives_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "ROWS", 64)
    array = pa.array(TEXTS * 20).cast(TYPES[kind]).slice(5)
    asks: list[Any] = [
        lambda count: columns.matches(URI, array, threads=count),
        lambda count: columns.offsets(URI, array, threads=count),
        lambda count: columns.components("URI-reference", array, threads=count),
        lambda count: columns.components("URI-reference", array, as_offsets=True, threads=count),
        lambda count: columns.rejections(URI, array, threads=count),
    ]
    for ask in asks:
        one = ask(1)
        one.validate(full=True)
        for count in (2, 3, 8, 1000, None):
            assert ask(count) == one


def parts(rows: int, count: int) -> list[tuple[int, int]]:
    results: list[tuple[int, int]] = []
    arrays.in_parts(rows, count, lambda begin, end: results.append((begin, end)))
    return sorted(results)


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 127, 128, 129, 1000, 4096])
@pytest.mark.parametrize("count", [1, 2, 3, 8, 64])
def test_parts_are_all_rows_once(rows: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part starts at a multiple of 64, so that two parts never write to the same byte of bits."""
    monkeypatch.setattr(arrays, "ROWS", 64)
    result = parts(rows, count)
    assert [row for begin, end in result for row in range(begin, end)] == list(range(rows))
    assert all(begin % 64 == 0 for begin, _ in result)
    assert len(result) <= count


def test_few_rows_are_not_split() -> None:
    assert parts(2 * arrays.ROWS - 1, 8) == [(0, 2 * arrays.ROWS - 1)]


@pytest.mark.parametrize("wrong", [0, 64, 128])
def test_an_error_in_any_part_is_raised(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "ROWS", 64)
    done: list[int] = []

    def judge(begin: int, end: int) -> None:
        if begin == wrong:
            raise ValueError("wrong here")
        done.append(begin)

    with pytest.raises(ValueError, match="wrong here"):
        arrays.in_parts(192, 3, judge)
    assert sorted([*done, wrong]) == [
        0,
        64,
        128,
    ]  # no thread is left that could write to freed memory


@pytest.mark.parametrize(
    ("count", "error", "message"),
    [
        (0, ValueError, "argument-value"),
        (-3, ValueError, "argument-value"),
        ("2", TypeError, "argument-type"),
        (2.0, TypeError, "argument-type"),
    ],
)
def test_invalid_numbers_of_threads(count: Any, error: type[Exception], message: str) -> None:
    for ask in (
        lambda: columns.matches(URI, pa.array(["a:b"]), threads=count),
        lambda: columns.offsets(URI, pa.array(["a:b"]), threads=count),
        lambda: columns.rejections(URI, pa.array(["a:b"]), threads=count),
        lambda: columns.components("URI-reference", pa.array(["a:b"]), threads=count),
        lambda: columns.judge({"url": URI}, pa.table({"url": ["a:b"]}), threads=count),
        lambda: columns.split(URI, pa.table({"url": ["a:b"]}), "url", threads=count),
    ):
        with raises(error, message):
            ask()
