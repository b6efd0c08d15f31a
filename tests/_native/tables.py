"""Tables of real rules, and the calls that read a column."""

from __future__ import annotations

from array import array
from functools import cache
from typing import Any

import abnforge
from abnforge.automata.tables import packed, table_of

URI = "http://user@example.com:80/path/that/is/longer/than/a/block/of/32/octets?query#fragment"
NAMES = ("scheme", "host", "query")
PARTS = (len(NAMES), *range(len(NAMES)))  # numbers of buffers to try


@cache
def plain(grammar: str = "rfc3986", rule: str = "URI") -> bytes:
    return table_of(abnforge.load(grammar)[rule].automaton)


@cache
def with_tags() -> bytes:
    result = abnforge.load("rfc3986").compilation
    points = result.tagged("uri", {name: (name,) for name in NAMES}, {"host": ("ipv6address", "reg-name")})
    assert points is not None
    return packed(points)


def column_read(column: Any, table: Any, size: int) -> object:
    return column.read(table, 0, size, bytearray(size), array("q", bytes(8 * size)))


def column_places(column: Any, table: Any, size: int) -> object:
    for parts in PARTS:
        try:
            valid = tuple(bytearray(size) for _ in range(parts))
            return column.places(table, 0, size, bytearray(size), valid, bytearray(4 * 64 * size))
        except ValueError as error:
            if "there is a buffer for each" not in str(error):
                raise
    return None


def column_views(column: Any, table: Any, size: int) -> object:
    for parts in PARTS:
        try:
            many = [tuple(bytearray(width * size) for _ in range(parts)) for width in (1, 16)]
            return column.views(table, 0, size, bytearray(size), *many)
        except ValueError as error:
            if "there is a buffer for each" not in str(error):
                raise
    return None
