"""Write tables, the binary form of automata that the C extension and ``PythonTable`` read (docs/kernel.md).

The format is little-endian. ``walk.c`` reads the same format, and checks a table when it is loaded.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from abnforge._lazy import cached_property
from abnforge.automata.code_points import (
    CLEARED,
    STATE_BITS,
    CodePointDFA,
    Operation,
    byte_automaton,
    utf8_automaton,
    without_tags,
)
from abnforge.records import dataclass, fields

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton

MAGIC = 0x544E4241  # "ABNT"
VERSION = 1
ALIGNMENT = 64
HEADER_BYTES = 128

MAX_REGISTERS = 63
SPARE_REGISTER = 63  # the target of unused settings
MAX_OPERATIONS = 256
MAX_SETTINGS = 7  # maximum number of registers that one operation sets
MAX_CLASSES = 256
MAX_SETS = 32
MAX_KINDS = 16
MAX_STATES = (1 << 24) - 2

PAGES = 0x1100
PAGE = 256
SETTING_BYTES = 16
SET_BYTES = 16

# The order of sections in a table.
SECTIONS = (
    *("class_of", "rows", "accepting", "set_of", "sets_with", "page_of", "pages", "point_rows"),
    *("final", "settings", "initial"),
)


@dataclass(frozen=True)
class Header:
    """The 32-bit numbers at the start of a table, in this order after the magic number, version and size."""

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
    """Return the table with a header and sections."""
    places = []
    size = HEADER_BYTES
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
    """Return the header of a table, and views from the beginning of each section to the table's end.

    Raises: ValueError if ``table`` is not a table.
    """
    if len(table) < HEADER_BYTES:
        raise ValueError("not a table")
    magic, version, size, *numbers = _HEADER.unpack_from(table)
    if magic != MAGIC or size != len(table):
        raise ValueError("not a table")
    if version != VERSION:
        raise ValueError(f"table of version {version}, not {VERSION}")
    places = numbers[_NUMBERS:]
    if any(place % ALIGNMENT or not HEADER_BYTES <= place <= size for place in places):
        raise ValueError("section outside the table")
    view = memoryview(table)
    parts = {name: view[place:] for name, place in zip(SECTIONS, places, strict=True)}
    return Header(*numbers[:_NUMBERS]), parts


# A state with a loop on fewer bytes is not accelerated, because a step takes the same time.
LEAST_LOOP = 16

# The maximum size of a table's rows, in bytes; larger tables do not fit into a cache.
MAX_BYTES = 32 << 20

_ASCII = 128


class TableTooLargeError(ValueError):
    """Raised for an automaton that does not fit into a table, with the unit, the limit and the size."""


def table_of(automaton: Automaton) -> bytes:
    """Return the table of a minimal automaton.

    Raises: TableTooLargeError.
    Complexity: linear in the automaton's table.
    """
    return packed(without_tags(automaton))


def packed(points: CodePointDFA, *, least_loop: int = LEAST_LOOP, of_bytes: bool = False) -> bytes:
    """Return the table of an automaton. Its rows read UTF-8, or with ``of_bytes``, each byte as a character.

    Raises: TableTooLargeError.
    Complexity: states x (character classes + bytes beyond US-ASCII that occur).
    """
    octets = byte_automaton(points) if of_bytes else utf8_automaton(points)
    ascii_classes = [points.classes[bisect_right(points.starts, octet) - 1] for octet in range(_ASCII)]
    class_of, columns = byte_classes(points.rows, octets.high, ascii_classes)
    loops = _loops(points.rows, ascii_classes, least_loop)
    order = sorted(range(len(octets.high)), key=lambda state: state not in loops)
    numbers = [0] * (len(order) + 1)  # state of an entry -> its place in the table; the dead state is first
    for place, state in enumerate(order):
        numbers[state + 1] = place + 1
    _refuse(points, len(order), len(columns), octets.operations)
    wide = bool(points.tags.names) or len(order) > 0xFFFE
    sets = {octets: number for number, octets in enumerate(dict.fromkeys(loops.values()), 1)}
    rows, shift = _rows(columns, order, numbers, loops, 4 if wide else 2)
    pages, page_of = pages_of(points.starts, points.classes)
    point_classes = max(points.classes, default=0) + 1
    tags = points.tags
    header = Header(
        states=len(order) + 1,
        classes=len(columns),
        shift=shift,
        accelerated=len(loops),
        start=numbers[1] if order else 0,
        sets=len(sets),
        point_classes=point_classes,
        registers=tags.registers,
        tags=2 * len(tags.names),
        kinds=len(tags.kinds),
        operations=len(octets.operations),
        entry=4 if wide else 2,
        pages=len(pages) // PAGE,
    )
    point_rows = array("I", bytes(4 * point_classes))
    empty = array("I", bytes(4 * point_classes))
    renumbered = _renumbered(points.rows, numbers)
    for state in order:
        inside = state >= len(points.rows)
        point_rows.extend(empty if inside else map(renumbered.__getitem__, points.rows[state]))
    accepting = bytes((0, *(state in points.accepting for state in order)))
    set_of = bytes((0, *(sets[loops[state]] if state in loops else 0 for state in order)))
    final_width = header.tags + header.kinds
    final = b"".join(bytes(tags.final.get(state, (0,) * final_width)) for state in (-1, *order))
    parts = {
        "class_of": bytes(class_of),
        "rows": rows,
        "accepting": accepting,
        "set_of": set_of,
        "sets_with": _little(array("I", (_sets_with(octet, sets) for octet in range(256)))),
        "page_of": _little(array("H", page_of)),
        "pages": pages,
        "point_rows": _little(point_rows),
        "final": final,
        "settings": b"".join(map(_setting, octets.operations)),
        "initial": _initial(tags.initial),
    }
    return assemble(header, parts)


def _refuse(points: CodePointDFA, states: int, classes: int, operations: Sequence[Operation]) -> None:
    limits = (
        ("states", states, MAX_STATES),
        ("byte classes", classes, MAX_CLASSES),
        ("character classes", max(points.classes, default=0) + 1, MAX_CLASSES),
        ("registers", points.tags.registers, MAX_REGISTERS),
        ("operations on registers", len(operations), MAX_OPERATIONS),
        ("registers per operation", max(map(len, operations)), MAX_SETTINGS),
        ("kinds", len(points.tags.kinds), MAX_KINDS),
    )
    for unit, size_of, most in limits:
        if size_of > most:
            raise TableTooLargeError(unit, most, size_of)
    size = states * 4 * (classes + max(points.classes, default=0))
    if size > MAX_BYTES:
        raise TableTooLargeError("bytes", MAX_BYTES, size)


def byte_classes(
    rows: Sequence[Sequence[int]], high: Sequence[dict[int, int]], ascii_classes: Sequence[int]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the class of each byte and, for each class, the entries of all states."""
    inner = (0,) * (len(high) - len(rows))
    by_number = list(zip(*rows, strict=True))
    class_numbers: dict[tuple[int, ...], int] = {}
    by_class: dict[int, int] = {}
    class_of = []
    for number in ascii_classes:
        if number not in by_class:
            column = (*(by_number[number] if rows else ()), *inner)
            by_class[number] = class_numbers.setdefault(column, len(class_numbers))
        class_of.append(by_class[number])
    used = set().union(*high) if high else set()
    for octet in range(_ASCII, 256):
        column = tuple(entries.get(octet, 0) for entries in high) if octet in used else (0,) * len(high)
        class_of.append(class_numbers.setdefault(column, len(class_numbers)))
    return class_of, list(class_numbers)


def _loops(
    rows: Sequence[Sequence[int]], ascii_classes: Sequence[int], least: int
) -> dict[int, frozenset[int]]:
    """Return, for each accelerated state, the bytes on which it loops without setting registers."""
    members: dict[int, list[int]] = {}
    for octet, number in enumerate(ascii_classes):
        members.setdefault(number, []).append(octet)
    octets_of: dict[tuple[int, ...], frozenset[int]] = {}
    loops: dict[int, frozenset[int]] = {}
    for state, row in enumerate(rows):
        looping = tuple(number for number in members if row[number] == state + 1)
        if looping and sum(len(members[number]) for number in looping) >= least:
            if looping not in octets_of:
                octets_of[looping] = frozenset(octet for number in looping for octet in members[number])
            loops[state] = octets_of[looping]
    if len(octets_of) <= MAX_SETS:
        return loops
    often = Counter(loops.values())
    frequent = sorted(often, key=lambda octets: (-often[octets], sorted(octets)))[:MAX_SETS]
    return {state: octets for state, octets in loops.items() if octets in frequent}


def _rows(
    columns: Sequence[tuple[int, ...]],
    order: Sequence[int],
    numbers: Sequence[int],
    loops: dict[int, frozenset[int]],
    entry: int,
) -> tuple[bytes, int]:
    """Return the rows of all states, and the binary logarithm of the row size."""
    need = SET_BYTES + entry * len(columns)
    shift = max(6, (need - 1).bit_length())
    padding = bytes((1 << shift) - need)
    masks = {octets: _mask(octets) for octets in set(loops.values())}
    plain = bytes(SET_BYTES)
    rows = [bytes(1 << shift)]
    code = "I" if entry == 4 else "H"
    renumbered = _renumbered(columns, numbers)
    of_states = list(zip(*(map(renumbered.__getitem__, column) for column in columns), strict=True))
    for state in order:
        entries = array(code, of_states[state])
        rows += [masks[loops[state]] if state in loops else plain, _little(entries), padding]
    return b"".join(rows), shift


def _renumbered(rows: Sequence[Sequence[int]], numbers: Sequence[int]) -> dict[int, int]:
    """Return the new value of each distinct entry."""
    return {entry: entry & ~_STATE | numbers[entry & _STATE] for entry in set().union(*rows)}


def _mask(octets: frozenset[int]) -> bytes:
    """Return a set of US-ASCII bytes as a mask: a byte for each low half, with a bit for each high half."""
    mask = bytearray(SET_BYTES)
    for octet in octets:
        mask[octet & 15] |= 1 << (octet >> 4)
    return bytes(mask)


def _sets_with(octet: int, sets: dict[frozenset[int], int]) -> int:
    return sum(1 << number - 1 for octets, number in sets.items() if octet in octets)


def pages_of(starts: Sequence[int], classes_of: Sequence[int]) -> tuple[bytes, list[int]]:
    """Return the distinct pages (the classes of 256 code points), and the page of each 256 code points.

    ``starts`` contains the first code points of ranges, starting with 0, and ``classes_of`` their classes,
    below 256.
    """
    page_numbers: dict[bytes, int] = {}
    page_of: list[int] = []
    partial = b""  # the classes of the first code points of a page
    for (start, stop), number in zip(pairwise([*starts, PAGES * PAGE]), classes_of, strict=True):
        left = stop - start
        if partial:
            length = min(left, PAGE - len(partial))
            partial += bytes((number,)) * length
            left -= length
            if len(partial) < PAGE:
                continue
            page_of.append(page_numbers.setdefault(partial, len(page_numbers)))
        whole, rest = divmod(left, PAGE)
        if whole:
            page = bytes((number,)) * PAGE
            page_of += [page_numbers.setdefault(page, len(page_numbers))] * whole
        partial = bytes((number,)) * rest
    return b"".join(page_numbers), page_of


def _setting(operation: Operation) -> bytes:
    registers = _padded([register for register, _ in operation], MAX_SETTINGS, SPARE_REGISTER)
    changes = _padded([change & 0xFF for _, change in operation], MAX_SETTINGS, 0)
    return bytes((len(operation), *registers, 0, *changes))


def _initial(registers: Sequence[int]) -> bytes:
    count = MAX_REGISTERS + 1
    return struct.pack(f"<{count}i", *_padded(registers, count, -1))


def _padded(values: Sequence[int], length: int, filler: int) -> list[int]:
    return [*values, *[filler] * (length - len(values))]


def _little(values: array[int]) -> bytes:
    if values.itemsize not in (2, 4):  # pragma: no cover (no current platform)
        raise TableTooLargeError("integers", 16, 32)
    if struct.pack("=H", 1) != struct.pack("<H", 1):  # pragma: no cover (a big-endian machine)
        values = values[:]
        values.byteswap()
    return values.tobytes()


_STATE = (1 << STATE_BITS) - 1


class PythonTable:
    """A table that Python reads without the C extension. Raises ValueError if the bytes are not a table.

    Unlike the C extension, it does not check the table, since Python cannot read outside the bytes.
    """

    def __init__(self, octets: bytes) -> None:
        self._header, parts = sections_of(octets)
        head = self._header
        self._page_of = _numbers("H", parts["page_of"][: 2 * PAGES])
        self._pages = parts["pages"]
        self._rows = _numbers("I", parts["point_rows"][: 4 * head.states * head.point_classes])
        self._accepting = parts["accepting"]
        self._final = parts["final"]
        self._initial = _numbers("i", parts["initial"][: 4 * head.registers]).tolist()
        settings = parts["settings"]
        self._operations = [
            _operation(bytes(settings[at : at + SETTING_BYTES]))
            for at in range(0, head.operations * SETTING_BYTES, SETTING_BYTES)
        ]

    def read(self, text: str) -> tuple[int, bool]:
        """Return the length of the longest viable prefix in code points, and whether the string is valid."""
        offset, state, _ = self._walked(text)
        return offset, offset == len(text) and bool(self._accepting[state])

    def find(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return the begin and end of each part (-1 if absent) and the kinds; None for an invalid string.

        Complexity: linear.
        """
        offset, state, registers = self._walked(text)
        if offset < len(text) or not self._accepting[state]:
            return None
        head = self._header
        at = state * (head.tags + head.kinds)
        registers[head.registers - 2 :] = [len(text), -1]
        places = [registers[register] for register in self._final[at : at + head.tags]]
        for tag in range(0, head.tags, 2):  # a part without an end is absent
            if places[tag + 1] < 0:
                places[tag] = -1
        return tuple(places), tuple(self._final[at + head.tags : at + head.tags + head.kinds])

    def _walked(self, text: str) -> tuple[int, int, list[int]]:
        """Return the offset of the first invalid character, and the state and registers at that offset."""
        registers = list(self._initial)
        classes, rows, ascii_classes = self._header.point_classes, self._rows, self._class_of_ascii
        state = self._header.start
        if not state:
            return 0, 0, registers
        for offset, char in enumerate(text):
            number = ascii_classes.get(char)
            if number is None:
                point = ord(char)
                number = self._pages[self._page_of[point >> 8] * PAGE + (point & 0xFF)]
            entry = rows[state * classes + number]
            if not entry & _STATE:
                return offset, state, registers
            state = entry & _STATE
            if entry > _STATE:
                for register, change in self._operations[entry >> STATE_BITS]:
                    registers[register] = -1 if change == CLEARED else offset + change
        return len(text), state, registers

    @cached_property
    def _class_of_ascii(self) -> dict[str, int]:
        page = self._page_of[0] * PAGE
        return {chr(code): self._pages[page + code] for code in range(128)}


def _numbers(code: Literal["H", "I", "i"], octets: memoryview) -> memoryview:
    """Convert the little-endian numbers of a table to the byte order of this machine."""
    if sys.byteorder == "little":
        return octets.cast(code)
    swapped = array(code, octets.tobytes())
    swapped.byteswap()
    return memoryview(swapped)


def _operation(octets: bytes) -> tuple[tuple[int, int], ...]:
    half = SETTING_BYTES // 2
    changes = (change - 256 if change > 127 else change for change in octets[half + 1 :])
    return tuple(zip(octets[1 : octets[0] + 1], changes, strict=False))
