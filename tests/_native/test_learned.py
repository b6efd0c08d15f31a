"""The recognizer of recursive rules and walks over lines: arguments and results."""

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
SYMBOLS = array("I", (0, 97))
CALLED, PRODUCTIVE = 1, 2
CHARS, PART, SEQ, CHOICE, REPEAT, PROSE, LATER = range(7)


def learned(page_of: Any = PAGE_OF, pages: bytes = PAGE, symbols: Any = SYMBOLS, flags: bytes = b"\3") -> Any:
    result = compiled.LearnedDFA(page_of, pages, symbols, flags)
    result.limit(8, 64, 1_000, 24)
    result.charset(array("I", (97, 97)))
    return result


def nested() -> Any:
    """Return the recognizer of ``s = "a" [ s ] b``, where b is any other character."""
    result = learned()
    result.charset(array("I", (0, 96, 98, 0x10FFFF)))
    words = (CHARS, 0, PART, 0, REPEAT, 0, 1, CHARS, 1, SEQ, 3)
    result.define(0, array("I", words))
    assert result.calls(0) == ()
    result.corners((0,), (0,), False)
    return result


def test_configurations_are_found_as_strings_need_them() -> None:
    result = nested()
    start = result.start(0)
    position, last, cost, octets, met, outcome = result.walk(b"aabb", 1, 0, start, 100)
    assert (position, met, outcome) == (4, 5, 0)
    assert result.describe(last) == (1, 0, 0, None)
    assert (cost, octets) > (0, 0)
    assert result.walk(b"aabb", 1, 0, start, 100) == (4, last, 0, 0, 0, 0)  # charged for this string
    result.start(0)
    assert result.walk("a\U0001f600".encode("utf-32-le"), 4, 0, start, 100)[::5] == (2, 0)
    assert result.walk(array("I", (97, 0xFFFFFFFF)).tobytes(), 4, 0, start, 100)[::5] == (2, 0)
    assert result.walk(b"abb", 1, 0, start, 100)[::5] == (2, 1)  # no string begins with "abb"
    result.start(0)
    assert result.walk(b"aabb", 1, 0, start, 2)[::5] == (1, 4)  # two configurations


def test_missing_definitions_are_requested() -> None:
    result = learned()
    assert result.start(0) is None
    assert result.wanted() == 0
    result.define(0, array("I", (LATER, PRODUCTIVE)))
    assert result.start(0) is None
    assert result.wanted() == 2
    result.define(1, array("I", (CHARS, 0)))
    start = result.start(0)
    assert result.walk(b"a", 1, 0, start, 9)[::5] == (1, 0)
    size = result.size()
    result.forget()
    assert result.size() < size


def test_a_closure_has_a_limit() -> None:
    result = learned()
    result.define(0, array("I", (CHARS, 0, CHARS, 0, CHARS, 0, CHOICE, 3)))
    result.limit(8, 64, 3, 24)
    assert result.start(0) is None
    assert result.wanted() == -1


@each_row(
    ("call", "error"),
    [
        (lambda: learned(page_of=bytes(2 * 0x1100 - 2)), ValueError),
        (lambda: learned(page_of=array("H", [1] * 0x1100)), ValueError),
        (lambda: learned(pages=b""), ValueError),
        (lambda: learned(pages=PAGE[1:]), ValueError),
        (lambda: learned(symbols=array("I", (0,))), ValueError),
        (lambda: learned(symbols=array("I", range(257))), ValueError),
        (lambda: learned(symbols=b"abc"), ValueError),
        (lambda: learned(pages="text"), TypeError),
        (lambda: learned().walk(b"a", 1, 0, 0, 9), IndexError),
        (lambda: learned().start(1), IndexError),
        (lambda: learned().calls(1), IndexError),
        (lambda: learned().corners((1,), (), False), IndexError),
        (lambda: learned().corners((0,), (1,), False), IndexError),
        (lambda: learned().corners((0,), ("a",), False), TypeError),
        (lambda: learned().define(1, array("I", (CHARS, 0))), ValueError),
        (lambda: learned().define(0, array("I", (CHARS, 1))), ValueError),
        (lambda: learned().define(0, array("I", (CHARS,))), ValueError),
        (lambda: learned().define(0, array("I", (PART, 1))), ValueError),
        (lambda: learned().define(0, array("I", (PART, 0, SEQ, 2))), ValueError),
        (lambda: learned().define(0, array("I", (REPEAT, 0, 1))), ValueError),
        (lambda: learned().define(0, array("I", (PROSE, PROSE))), ValueError),
        (lambda: learned().define(0, array("I", (9,))), ValueError),
        (lambda: nested().define(0, array("I", (CHARS, 0))), ValueError),
        (lambda: one("walk", b"a", 1, 0, 9, 9), IndexError),
        (lambda: one("walk", b"a", 1, 2, 0, 9), ValueError),
        (lambda: one("walk", b"a", 1, -1, 0, 9), ValueError),
        (lambda: one("walk", b"a", 2, 0, 0, 9), ValueError),
        (lambda: one("walk", "a", 1, 0, 0, 9), TypeError),
        (lambda: one("describe", 9), IndexError),
        (lambda: one("restore", 0, 9), IndexError),
        (lambda: one("restore", 9, 0), IndexError),
        (lambda: one("pairs", 9), IndexError),
        (lambda: one("node", 9), IndexError),
        (lambda: one("frame", 9), IndexError),
        (lambda: one("item", 99), IndexError),
    ],
)
def test_invalid_arguments(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def one(name: str, *arguments: object) -> object:
    result = nested()
    result.start(0)
    return getattr(result, name)(*arguments)


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
