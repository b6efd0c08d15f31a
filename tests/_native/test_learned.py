"""Walks along a learned DFA and walks over lines: arguments and results."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from abnforge._native import compiled
from tests._native.tables import plain, with_tags
from tests.law import each_row

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

PAGE_OF = array("H", bytes(2 * 0x1100))
PAGE = bytes(97) + b"\1" + bytes(158)  # "a" is in class 1


def learned(page_of: Any = PAGE_OF, pages: bytes = PAGE, classes: int = 2) -> Any:
    return compiled.LearnedDFA(page_of, pages, classes)


def test_a_learned_dfa_is_walked_as_far_as_it_is_known() -> None:
    result = learned()
    assert [result.add(2, 10), result.add(3, 20)] == [0, 1]
    result.learn(0, "a", 1)
    result.learn(1, "b", 0)  # all other characters form one class
    result.begin()
    assert result.walk(b"abaa", 1, 0, 0) == (3, 1, 5, 30, 2)
    assert result.walk(b"abaa", 1, 1, 1) == (3, 1, 0, 0, 0)  # recorded for this string
    result.begin()
    assert result.walk("a😀a".encode("utf-32-le"), 4, 0, 0) == (3, 1, 5, 30, 2)
    result.begin()
    assert result.walk(array("I", (0xFFFFFFFF,)).tobytes(), 4, 0, 1) == (1, 0, 5, 30, 2)


def test_a_learned_dfa_grows() -> None:
    result = learned()
    assert [result.add(1, 1) for _ in range(1_000)] == list(range(1_000))
    for state in range(999):
        result.learn(state, "a", state + 1)
    result.begin()
    assert result.walk(b"a" * 2_000, 1, 0, 0) == (999, 999, 1_000, 1_000, 1_000)


@each_row(
    ("call", "error"),
    [
        (lambda: learned(page_of=bytes(2 * 0x1100 - 2)), ValueError),
        (lambda: learned(page_of=array("H", [1] * 0x1100)), ValueError),
        (lambda: learned(pages=b""), ValueError),
        (lambda: learned(pages=PAGE[1:]), ValueError),
        (lambda: learned(classes=1), ValueError),
        (lambda: learned(classes=257), ValueError),
        (lambda: learned(pages="text"), TypeError),
        (lambda: learned().walk(b"a", 1, 0, 0), IndexError),
        (lambda: learned().learn(0, "a", 0), IndexError),
        (lambda: one().walk(b"a", 1, 0, 1), IndexError),
        (lambda: one().walk(b"a", 1, 0, -1), IndexError),
        (lambda: one().learn(0, "a", 1), IndexError),
        (lambda: one().learn(0, "ab", 0), TypeError),
        (lambda: one().walk(b"a", 1, 2, 0), ValueError),
        (lambda: one().walk(b"a", 1, -1, 0), ValueError),
        (lambda: one().walk(b"a", 2, 0, 0), ValueError),
        (lambda: one().walk("a", 1, 0, 0), TypeError),
    ],
)
def test_invalid_arguments(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def one() -> Any:
    result = learned()
    result.add(1, 1)
    return result


@pytest.mark.parametrize(
    ("block", "last", "skip_empty", "answer"),
    [
        (b"", 10, False, (0, 0, [])),
        (b"urn:a", 10, False, (0, 0, [])),  # an incomplete line has no verdict
        (b"urn:a\na b\nurn:b\r\n\n", 10, False, (4, 2, [(2, 6, 9), (4, 17, 17)])),
        (b"urn:a\n\r\n\n", 10, True, (3, 1, [])),
        (b"urn:a\r\0a\0", 0, False, (2, 0, [(1, 0, 6), (2, 7, 8)])),
        (b"a\n" * 200, 10, False, (200, 0, [(line + 1, 2 * line, 2 * line + 1) for line in range(200)])),
    ],
)
def test_blocks_of_lines(block: bytes, last: int, skip_empty: bool, answer: tuple[Any, ...]) -> None:
    assert compiled.lines(compiled.Table(plain()), block, last, skip_empty) == answer
    assert compiled.lines(compiled.Table(plain()), bytearray(block), last, skip_empty) == answer


@pytest.mark.parametrize("arguments", [(1, b"", 10, False), (None, b"", -1, False), (None, b"", 256, False)])
def test_lines_are_validated_by_a_table(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        compiled.lines(arguments[0] or compiled.Table(plain()), *arguments[1:])
    with pytest.raises(TypeError):
        compiled.lines(compiled.Table(with_tags()), b"", 10, False)
