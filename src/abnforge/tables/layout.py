"""The format of a table: its header and its sections (docs/kernel.md).

Little-endian throughout. ``walk.c`` reads the same, and checks the same when it loads a table.
"""

from __future__ import annotations

import struct

from abnforge.records import dataclass, fields

MAGIC = 0x544E4241  # "ABNT"
VERSION = 1
ALIGNMENT = 64
HEADER_OCTETS = 128

MAX_REGISTERS = 63
SPARE_REGISTER = 63  # of settings that set nothing: nobody reads it
MAX_OPERATIONS = 256
MAX_SETTINGS = 7  # registers that one operation sets
MAX_CLASSES = 256
MAX_SETS = 32
MAX_KINDS = 16
MAX_STATES = (1 << 24) - 2
MAX_SHIFT = 12

PAGES = 0x1100
PAGE = 256
SETTING_OCTETS = 16
SET_OCTETS = 16

# In the order in which they lie in a table.
SECTIONS = (
    *("class_of", "rows", "accepting", "set_of", "sets_with", "page_of", "pages", "point_rows"),
    *("final", "settings", "initial"),
)


@dataclass(frozen=True)
class Header:
    """The numbers at the start of a table, each in 32 bits, in this order behind magic, version and size."""

    states: int
    classes: int
    shift: int
    accelerated: int
    start: int
    sets: int
    point_classes: int
    registers: int
    tags: int
    kinds: int
    operations: int
    entry: int
    pages: int


_NUMBERS = len(fields(Header))
_HEADER = struct.Struct(f"<{3 + _NUMBERS + len(SECTIONS)}I")


def assemble(header: Header, sections: dict[str, bytes]) -> bytes:
    """A table out of its parts."""
    places = []
    size = HEADER_OCTETS
    for name in SECTIONS:
        places.append(size)
        size += -(-len(sections[name]) // ALIGNMENT) * ALIGNMENT
    numbers = (getattr(header, field.name) for field in fields(Header))
    table = bytearray(size)
    _HEADER.pack_into(table, 0, MAGIC, VERSION, size, *numbers, *places)
    for name, place in zip(SECTIONS, places, strict=True):
        table[place : place + len(sections[name])] = sections[name]
    return bytes(table)


def sections_of(table: bytes) -> tuple[Header, dict[str, memoryview]]:
    """The parts of a table, each from its beginning on. Raises ValueError for what is none."""
    if len(table) < HEADER_OCTETS:
        raise ValueError("not a table")
    magic, version, size, *numbers = _HEADER.unpack_from(table)
    if magic != MAGIC or size != len(table):
        raise ValueError("not a table")
    if version != VERSION:
        raise ValueError(f"table of version {version}, not {VERSION}")
    places = numbers[_NUMBERS:]
    if any(place % ALIGNMENT or not HEADER_OCTETS <= place <= size for place in places):
        raise ValueError("section outside the table")
    view = memoryview(table)
    parts = {name: view[place:] for name, place in zip(SECTIONS, places, strict=True)}
    return Header(*numbers[:_NUMBERS]), parts
