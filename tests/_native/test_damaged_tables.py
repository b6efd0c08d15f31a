"""Damaged tables are rejected, or walks stay within their memory."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from abnforge._native import compiled
from tests._native.tables import URI, column_places, column_read, column_views, plain, with_tags
from tests.law import each_row
from tests.laws.table_walks import WALKS, columns

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


def damaged(table: bytes, chance: random.Random) -> bytes:
    """Damage a table: change a header field, cut it off, or change a byte, one to three times."""
    octets = bytearray(table)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        how = chance.random()
        if how < 0.3 and len(octets) >= 128:
            struct.pack_into(
                "<I",
                octets,
                4 * chance.randrange(3, 27),
                chance.choice((0, 1, 63, 64, 65, 256, 1 << 12, 1 << 24, 1 << 31, 2**32 - 1)),
            )
        elif how < 0.4:
            del octets[chance.randrange(len(octets)) :]
            if len(octets) >= 12 and chance.random() < 0.7:
                struct.pack_into("<I", octets, 8, len(octets))
        elif octets:
            octets[chance.randrange(len(octets))] = chance.choice(
                (0, 1, 2, 0x7F, 0x80, 0xFF, chance.randrange(256))
            )
        if not octets:
            break
    return bytes(octets)


def uses(table: Any, texts: list[str]) -> Iterator[object]:
    """Yield the results of all calls on a table, with each walk."""
    rows = [text for text in texts if text != "\ud800"]
    for walk in (None, *WALKS):
        try:
            walked = table if walk is None else table.walking(walk)
        except ValueError:
            continue
        for text in texts:
            yield walked.read(text)
            yield walked.find(text)
        for column in columns(rows):
            for ask in (column_read, column_places, column_views):
                try:
                    yield ask(column, walked, len(rows))
                except ValueError:  # the call requires a table with tags, or one without
                    yield None


TEXTS = [
    URI,
    "urn:é",
    "\ud800",
    "",
    "a:" + 70 * "b",
    "a:" + 33 * "b" + "é",
    "1999-12-31T23:59:59Z",
    *["ab:c"] * 70,
]


@pytest.mark.parametrize("cases", [200, pytest.param(1_500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("which", ["plain", "pairs", "tags", "UTF-8"])
def test_a_damaged_table_is_rejected_or_reads_nothing_outside(which: str, cases: int) -> None:
    """If the extension is built with sanitizers, they detect access outside of the table."""
    tables: dict[str, Callable[[], bytes]] = {
        "plain": plain,
        "pairs": lambda: plain("rfc3339", "date-time"),
        "tags": with_tags,
        "UTF-8": lambda: plain("rfc3987", "IRI"),
    }
    table, chance, rejected = tables[which](), random.Random(which), 0
    for _ in range(cases):
        try:
            loaded = compiled.Table(damaged(table, chance))
        except ValueError:
            rejected += 1
            continue
        if cases > 1_000 or chance.random() < 0.1:
            assert list(uses(loaded, TEXTS))
    assert cases * 0.3 < rejected < cases


def put(table: bytes, section: str, at: int, octets: bytes) -> bytes:
    """Return a table with some bytes of a section replaced."""
    from abnforge.automata.tables import SECTIONS

    (begin,) = struct.unpack_from("<I", table, 4 * (16 + SECTIONS.index(section)))
    return table[: begin + at] + octets + table[begin + at + len(octets) :]


def head(table: bytes, number: int, value: int) -> bytes:
    return table[: 4 * number] + struct.pack("<I", value) + table[4 * number + 4 :]


def small(section: str, at: int, octets: bytes, *, tags: bool = False) -> bytes:
    return put(with_tags() if tags else plain(), section, at, octets)


@each_row(
    ("make", "fault"),
    [
        (lambda: plain()[:100], "magic"),
        (lambda: head(plain(), 0, 1), "magic"),
        (lambda: head(plain(), 1, 2), "version"),
        (lambda: plain() + bytes(64), "size"),
        (lambda: head(plain(), 14, 3), "entry-size"),
        (lambda: head(plain(), 3, 0), "states"),
        (lambda: head(plain(), 3, 1 << 24), "states"),
        (lambda: head(plain(), 7, 1 << 20), "states"),
        (lambda: head(plain(), 6, 1 << 20), "states"),
        (lambda: head(plain(), 4, 0), "classes"),
        (lambda: head(plain(), 9, 257), "classes"),
        (lambda: head(plain(), 15, 0), "classes"),
        (lambda: head(plain(), 5, 13), "row-size"),
        (lambda: head(plain(), 4, 25), "row-size"),
        (lambda: head(plain(), 8, 33), "registers"),
        (lambda: head(with_tags(), 11, 1), "registers"),
        (lambda: head(with_tags(), 11, 65), "registers"),
        (lambda: head(with_tags(), 12, 17), "registers"),
        (lambda: head(with_tags(), 10, 65), "registers"),
        (lambda: head(with_tags(), 10, 1), "registers"),
        (lambda: head(plain(), 13, 0), "registers"),
        (lambda: head(plain(), 17, 64), "section"),
        (lambda: head(plain(), 17, 129), "section"),
        (lambda: head(plain(), 3, 1 << 20), "section"),
        (lambda: small("class_of", 65, b"\xff"), "class-of"),
        (lambda: small("settings", 0, b"\x01"), "setting-count"),
        (lambda: small("settings", 16, b"\x08", tags=True), "setting-count"),
        (lambda: small("settings", 17, b"\x3f", tags=True), "setting-register"),
        (
            lambda: small("settings", 16 + 9, b"\x02", tags=True),
            "setting-place",
        ),
        (
            lambda: small("settings", 16 + 9, b"\xfc", tags=True),
            "setting-place",
        ),
        (lambda: small("initial", 0, b"\x05", tags=True), "initial"),
        (lambda: small("final", 0, b"\x40", tags=True), "final"),
        (
            lambda: small("rows", 64 + 16, b"\xff\xff"),
            "entry-target",
        ),
        (lambda: small("rows", 16, b"\x01\x00"), "dead-state"),
        (lambda: small("accepting", 1, b"\x02"), "accepting"),
        (lambda: small("accepting", 0, b"\x01"), "accepting"),
        (lambda: small("set_of", 0, b"\x01"), "set-of"),
        (lambda: small("set_of", 1, b"\x00"), "set-of"),
        (lambda: small("rows", 64, b"\xff"), "set-forms"),
        (lambda: small("sets_with", 0, b"\xff"), "set-forms"),
        (lambda: head(with_tags(), 13, 1), "entry-target"),
        (lambda: small("page_of", 0, b"\xff\xff"), "page-of"),
        (lambda: small("pages", 0, b"\xff"), "point-class"),
        (
            lambda: small("point_rows", 0, b"\xff\xff"),
            "point-target",
        ),
    ],
)
def test_the_fault_of_a_damaged_table_is_named(make: Callable[[], bytes], fault: str) -> None:
    with pytest.raises(ValueError, match=f"^damaged table: {fault}$"):
        compiled.Table(make())
