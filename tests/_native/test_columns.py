"""Arrow columns in C: their buffers, and rows that point beyond the buffers."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from abnforge._native import compiled
from tests._native.tables import column_places, column_read, column_views, plain, with_tags
from tests.law import each_row

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


@each_row(
    ("arguments", "message"),
    [
        ((5, 0, 0, None, None, (b"",), False), "layout 5"),
        ((4, -1, 0, None, None, (b"",), False), "^rows and buffers"),
        ((4, 0, -1, None, None, (b"",), False), "^rows and buffers"),
        ((4, 0, 2**62, None, None, (b"",), False), "^rows and buffers"),
        ((4, 2**63 - 1, 1, None, None, (b"",), False), "^rows and buffers"),
        ((4, 0, 0, None, None, (), False), "^rows and buffers"),
        ((4, 0, 1, None, bytes(7), (b"",), False), "^offsets .* 7 bytes, needs 8"),
        ((8, 0, 1, None, bytes(15), (b"",), False), "^offsets .* 15 bytes, needs 16"),
        ((16, 1, 1, None, bytes(31), (), False), "^views .* 31 bytes, needs 32"),
        ((4, 0, 9, b"\xff", bytes(40), (b"",), False), "^bits .* 1 bytes, needs 2"),
    ],
)
def test_columns_that_cannot_be(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compiled.Column(*arguments)


def offsets(*ends: int, octets: bytes = b"urn:a", layout: int = 4) -> Any:
    return compiled.Column(
        layout, 0, len(ends) - 1, None, array("i" if layout == 4 else "q", ends), (octets,), False
    )


def views(*numbers: int) -> Any:
    return compiled.Column(16, 0, len(numbers) // 4, None, array("i", numbers), (bytes(20),), False)


@each_row(
    "column",
    [
        lambda: offsets(0, 6),
        lambda: offsets(-1, 5),
        lambda: offsets(5, 0),
        lambda: offsets(0, 2**63 - 1, layout=8),
        lambda: offsets(-(2**63), 0, layout=8),
        lambda: views(-1, 0, 0, 0),
        lambda: views(13, 0, 1, 0),
        lambda: views(13, 0, -1, 0),
        lambda: views(13, 0, 0, 8),
        lambda: views(13, 0, 0, -1),
        lambda: views(2**31 - 1, 0, 0, 2**31 - 1),
    ],
)
def test_rows_that_lie_outside_of_the_buffers_are_rejected(column: Callable[[], Any]) -> None:
    table, tags = compiled.Table(plain()), compiled.Table(with_tags())
    for ask in (
        lambda: column_read(column(), table, 1),
        lambda: column_places(column(), tags, 1),
        lambda: column_views(column(), tags, 1),
    ):
        with pytest.raises(ValueError, match=r"^row 0 "):
            ask()


def test_buffers_for_answers_are_long_enough_and_may_be_written() -> None:
    column, table, tags = offsets(0, 5), compiled.Table(plain()), compiled.Table(with_tags())
    with pytest.raises(ValueError, match=r"0 bytes, needs 1"):
        column.read(table, 0, 1, bytearray(), None)
    with pytest.raises(ValueError, match=r"7 bytes, needs 8"):
        column.read(table, 0, 1, bytearray(1), bytearray(7))
    with pytest.raises(ValueError, match=r"23 bytes, needs 24"):
        column.places(tags, 0, 1, bytearray(1), (bytearray(1),) * 3, bytearray(23))
    with pytest.raises(ValueError, match=r"15 bytes, needs 16"):
        column.views(
            tags, 0, 1, bytearray(1), (bytearray(1),) * 3, (bytearray(16), bytearray(15), bytearray(16))
        )
    with pytest.raises(ValueError, match=r"0 bytes, needs 1"):
        column.places(tags, 0, 1, bytearray(1), (bytearray(1), bytearray(), bytearray(1)), bytearray(24))
    with pytest.raises(ValueError, match=r"^valid .* 3 buffers"):
        column.places(tags, 0, 1, bytearray(1), (), bytearray(24))
    with pytest.raises(ValueError, match=r"^valid .* 3 buffers"):
        column.views(tags, 0, 1, bytearray(1), (), ())
    with pytest.raises(BufferError):
        column.read(table, 0, 1, bytes(1), None)
    with pytest.raises(ValueError, match=r"^rows .* end at 1 "):
        column.read(table, 0, 2, bytearray(1), None)
    with pytest.raises(ValueError, match=r"^rows .* multiple of 8"):
        column.read(table, 1, 1, bytearray(1), None)
    with pytest.raises(ValueError, match=r"^verdicts "):
        column.read(tags, 0, 1, bytearray(1), None)
    with pytest.raises(ValueError, match=r"^places "):
        column.places(table, 0, 1, bytearray(1), (), bytearray(100))
    with pytest.raises(TypeError, match=r"^table "):
        column.read("table", 0, 1, bytearray(1), None)


def test_buffers_are_held_for_as_long_as_the_column_is() -> None:
    data, ends = bytearray(b"urn:a"), array("i", (0, 5))
    column = compiled.Column(4, 0, 1, None, ends, (data,), False)
    with pytest.raises(BufferError):
        data.append(0)
    with pytest.raises(BufferError):
        ends.append(0)
    del column
    data.append(0)
    ends.append(0)
