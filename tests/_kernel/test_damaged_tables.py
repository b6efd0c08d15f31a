"""Tables that are damaged are refused, or nothing outside of them is read."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from abnforge._kernel.loaded import compiled
from tests._kernel.tables import URI, column_places, column_read, column_views, plain, with_tags
from tests.laws.kernel import WALKS, columns

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


def damaged(table: bytes, chance: random.Random) -> bytes:
    """A table with some octets changed, most often those that say where things are and lead."""
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
    """All that a table can be asked, of all of its walks."""
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
                except ValueError:  # it has tags, or has none
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
def test_a_damaged_table_is_refused_or_reads_nothing_outside(which: str, cases: int) -> None:
    """That it reads nothing outside is seen where the kernel is built with AddressSanitizer."""
    tables: dict[str, Callable[[], bytes]] = {
        "plain": plain,
        "pairs": lambda: plain("rfc3339", "date-time"),
        "tags": with_tags,
        "UTF-8": lambda: plain("rfc3987", "IRI"),
    }
    table, chance, refused = tables[which](), random.Random(which), 0
    for _ in range(cases):
        try:
            loaded = compiled.Table(damaged(table, chance))
        except ValueError:
            refused += 1
            continue
        if cases > 1_000 or chance.random() < 0.1:
            assert list(uses(loaded, TEXTS))
    assert cases * 0.3 < refused < cases


def put(table: bytes, section: str, at: int, octets: bytes) -> bytes:
    """A table with other octets in a section of it."""
    from abnforge.tables.layout import SECTIONS

    (begin,) = struct.unpack_from("<I", table, 4 * (16 + SECTIONS.index(section)))
    return table[: begin + at] + octets + table[begin + at + len(octets) :]


def head(table: bytes, number: int, value: int) -> bytes:
    return table[: 4 * number] + struct.pack("<I", value) + table[4 * number + 4 :]


def small(section: str, at: int, octets: bytes, *, tags: bool = False) -> bytes:
    return put(with_tags() if tags else plain(), section, at, octets)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plain()[:100], "this is no table"),
        (lambda: head(plain(), 0, 1), "this is no table"),
        (lambda: head(plain(), 1, 2), "this is a table of another version"),
        (lambda: plain() + bytes(64), "a table is as long as it says"),
        (lambda: head(plain(), 14, 3), "an entry has two or four octets"),
        (lambda: head(plain(), 3, 0), "the number of states is wrong"),
        (lambda: head(plain(), 3, 1 << 24), "the number of states is wrong"),
        (lambda: head(plain(), 7, 1 << 20), "the number of states is wrong"),
        (lambda: head(plain(), 6, 1 << 20), "the number of states is wrong"),
        (lambda: head(plain(), 4, 0), "the number of classes is wrong"),
        (lambda: head(plain(), 9, 257), "the number of classes is wrong"),
        (lambda: head(plain(), 15, 0), "the number of classes is wrong"),
        (lambda: head(plain(), 5, 13), "a row is too short for its classes"),
        (lambda: head(plain(), 4, 25), "a row is too short for its classes"),
        (lambda: head(plain(), 8, 33), "the number of sets, registers or operations is wrong"),
        (lambda: head(with_tags(), 11, 1), "the number of sets, registers or operations is wrong"),
        (lambda: head(with_tags(), 11, 65), "the number of sets, registers or operations is wrong"),
        (lambda: head(with_tags(), 12, 17), "the number of sets, registers or operations is wrong"),
        (lambda: head(with_tags(), 10, 65), "the number of sets, registers or operations is wrong"),
        (lambda: head(with_tags(), 10, 1), "the number of sets, registers or operations is wrong"),
        (lambda: head(plain(), 13, 0), "the number of sets, registers or operations is wrong"),
        (lambda: head(plain(), 17, 64), "a section is outside the table"),
        (lambda: head(plain(), 17, 129), "a section is outside the table"),
        (lambda: head(plain(), 3, 1 << 20), "a section is outside the table"),
        (lambda: small("class_of", 65, b"\xff"), "an octet has a class that there is not"),
        (lambda: small("settings", 0, b"\x01"), "an operation sets too much"),
        (lambda: small("settings", 16, b"\x08", tags=True), "an operation sets too much"),
        (lambda: small("settings", 17, b"\x3f", tags=True), "an operation sets a register that there is not"),
        (
            lambda: small("settings", 16 + 9, b"\x02", tags=True),
            "an operation sets a place that lies elsewhere",
        ),
        (
            lambda: small("settings", 16 + 9, b"\xfc", tags=True),
            "an operation sets a place that lies elsewhere",
        ),
        (lambda: small("initial", 0, b"\x05", tags=True), "a register begins elsewhere than a text does"),
        (lambda: small("final", 0, b"\x40", tags=True), "a tag has a register that there is not"),
        (
            lambda: small("rows", 64 + 16, b"\xff\xff"),
            "an entry leads to a state or an operation that there is not",
        ),
        (lambda: small("rows", 16, b"\x01\x00"), "the dead state leads to another"),
        (lambda: small("accepting", 1, b"\x02"), "what accepts is neither 0 nor 1"),
        (lambda: small("accepting", 0, b"\x01"), "what accepts is neither 0 nor 1"),
        (lambda: small("set_of", 0, b"\x01"), "a state loops on a set that there is not"),
        (lambda: small("set_of", 1, b"\x00"), "a state loops on a set that there is not"),
        (lambda: small("rows", 64, b"\xff"), "the two forms of a set differ"),
        (lambda: small("sets_with", 0, b"\xff"), "the two forms of a set differ"),
        (lambda: head(with_tags(), 13, 1), "an entry leads to a state or an operation that there is not"),
        (lambda: small("page_of", 0, b"\xff\xff"), "a page of code points is outside the table"),
        (lambda: small("pages", 0, b"\xff"), "a code point has a class that there is not"),
        (
            lambda: small("point_rows", 0, b"\xff\xff"),
            "a code point leads to a state or an operation that there is not",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_told(make: Callable[[], bytes], message: str) -> None:
    with pytest.raises(ValueError, match=f"^not a table: {message}$"):
        compiled.Table(make())
