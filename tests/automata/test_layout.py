"""The format of a table: where its parts lie, what is refused, and that the C code has the same numbers."""

from __future__ import annotations

import re
import struct

import pytest

from abnforge.automata import tables
from abnforge.automata.tables import Header, assemble, sections_of
from tests.law import each_row
from tests.places import ROOT

HEADER = Header(2, 3, 6, 0, 1, 0, 3, 0, 0, 0, 1, 2, 1)
PARTS = {name: bytes((number,)) * (number * 40 + 1) for number, name in enumerate(tables.SECTIONS)}


def test_parts_come_back_as_they_were() -> None:
    header, parts = sections_of(assemble(HEADER, PARTS))
    assert header == HEADER
    assert {name: bytes(parts[name][: len(PARTS[name])]) for name in PARTS} == PARTS


def test_a_table_begins_with_its_magic_version_and_size() -> None:
    table = assemble(HEADER, PARTS)
    assert table[:4] == b"ABNT"
    assert struct.unpack_from("<5I", table, 4) == (tables.VERSION, len(table), 2, 3, 6)


def test_sections_lie_in_order_at_multiples_of_64() -> None:
    table = assemble(HEADER, PARTS)
    places = struct.unpack_from(f"<{len(tables.SECTIONS)}I", table, 4 * 16)
    assert places[0] == tables.HEADER_OCTETS
    assert list(places) == sorted(set(places))
    assert not any(place % tables.ALIGNMENT for place in places)
    assert len(table) % tables.ALIGNMENT == 0


def changed(at: int, number: int) -> bytes:
    table = bytearray(assemble(HEADER, PARTS))
    struct.pack_into("<I", table, at, number)
    return bytes(table)


@each_row(
    "table",
    [
        b"",
        bytes(127),
        bytes(4096),
        assemble(HEADER, PARTS)[:-1],
        assemble(HEADER, PARTS) + b"\0",
        changed(0, 0x544E4242),
        changed(4, 2),
        changed(8, 64),
        changed(64, 0),
        changed(64, 65),
        changed(64, 1 << 20),
    ],
)
def test_refuses_what_is_no_table(table: bytes) -> None:
    with pytest.raises(ValueError, match="table"):
        sections_of(table)


def test_the_c_code_has_the_same_numbers() -> None:
    header = (ROOT / "src/abnforge/_native/walk.h").read_text("utf-8")
    code = (ROOT / "src/abnforge/_native/walk.c").read_text("utf-8")
    found = re.findall(r"^#define (\w+) (0?x?[0-9A-F]+)u?\b", header + code, re.MULTILINE)
    numbers = {name: int(value, 0) for name, value in found}
    assert numbers["ABNF_VERSION"] == tables.VERSION
    assert numbers["ABNF_ALIGNMENT"] == tables.ALIGNMENT
    assert numbers["ABNF_MAX_REGISTERS"] == tables.MAX_REGISTERS + 1
    assert numbers["ABNF_SPARE"] == tables.SPARE_REGISTER
    assert numbers["ABNF_MAX_SETS"] == tables.MAX_SETS
    assert numbers["ABNF_MAX_SETTINGS"] == tables.MAX_SETTINGS
    assert numbers["MAGIC"] == tables.MAGIC
    assert numbers["HEADER"] == tables.HEADER_OCTETS
    assert numbers["STATE_MASK"] > tables.MAX_STATES
