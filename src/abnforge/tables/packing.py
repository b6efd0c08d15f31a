"""Tables out of automata."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from abnforge.tables import layout
from abnforge.tables.layout import Header, assemble
from abnforge.tables.octets import octet_automaton
from abnforge.tables.points import STATE_BITS, Operation, PointAutomaton, without_tags

if TYPE_CHECKING:  # what is stored needs no builder of automata
    from abnforge.automaton.dfa import Automaton

# A state that loops on fewer octets is not worth a look at what comes: a step is as quick.
LEAST_LOOP = 16

# Of the rows of a table: beyond, it would hold nothing that a processor keeps near.
MAX_OCTETS = 32 << 20

_STATE = (1 << STATE_BITS) - 1
_ASCII = 128


class TooLargeError(ValueError):
    """An automaton that the format of tables cannot hold: the unit, the limit and the size."""


def table_of(automaton: Automaton) -> bytes:
    """A minimal automaton as a table. Raises TooLargeError. Cost: linear in its table, twice."""
    return packed(without_tags(automaton))


def packed(points: PointAutomaton, *, least_loop: int = LEAST_LOOP) -> bytes:
    """An automaton as a table. Raises TooLargeError.

    Cost: states x (classes of characters + octets beyond US-ASCII that occur).
    """
    octets = octet_automaton(points)
    ascii_classes = [points.classes[bisect_right(points.starts, octet) - 1] for octet in range(_ASCII)]
    class_of, columns = _octet_classes(points.rows, octets.high, ascii_classes)
    loops = _loops(points.rows, ascii_classes, least_loop)
    order = sorted(range(len(octets.high)), key=lambda state: state not in loops)
    numbers = [0] * (len(order) + 1)  # entry's state -> its place in the table; the dead state stays first
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
        pages=len(pages) // layout.PAGE,
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


def _refuse(points: PointAutomaton, states: int, classes: int, operations: Sequence[Operation]) -> None:
    limits = (
        ("states", states, layout.MAX_STATES),
        ("byte classes", classes, layout.MAX_CLASSES),
        ("character classes", max(points.classes, default=0) + 1, layout.MAX_CLASSES),
        ("registers", points.tags.registers, layout.MAX_REGISTERS),
        ("operations on registers", len(operations), layout.MAX_OPERATIONS),
        ("registers per operation", max(map(len, operations)), layout.MAX_SETTINGS),
        ("kinds", len(points.tags.kinds), layout.MAX_KINDS),
    )
    for what, found, most in limits:
        if found > most:
            raise TooLargeError(what, most, found)
    size = states * 4 * (classes + max(points.classes, default=0))
    if size > MAX_OCTETS:
        raise TooLargeError("bytes", MAX_OCTETS, size)


def _octet_classes(
    rows: Sequence[Sequence[int]], high: Sequence[dict[int, int]], ascii_classes: Sequence[int]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """The class of each octet, and for each class the entries of all states."""
    inner = (0,) * (len(high) - len(rows))
    by_number = list(zip(*rows, strict=True))
    known: dict[tuple[int, ...], int] = {}
    by_class: dict[int, int] = {}
    class_of = []
    for number in ascii_classes:
        if number not in by_class:
            column = (*(by_number[number] if rows else ()), *inner)
            by_class[number] = known.setdefault(column, len(known))
        class_of.append(by_class[number])
    used = set().union(*high) if high else set()
    for octet in range(_ASCII, 256):
        column = tuple(entries.get(octet, 0) for entries in high) if octet in used else (0,) * len(high)
        class_of.append(known.setdefault(column, len(known)))
    return class_of, list(known)


def _loops(
    rows: Sequence[Sequence[int]], ascii_classes: Sequence[int], least: int
) -> dict[int, frozenset[int]]:
    """The octets that a state loops on and sets nothing, of the states that are accelerated."""
    members: dict[int, list[int]] = {}
    for octet, number in enumerate(ascii_classes):
        members.setdefault(number, []).append(octet)
    known: dict[tuple[int, ...], frozenset[int]] = {}
    found: dict[int, frozenset[int]] = {}
    for state, row in enumerate(rows):
        looping = tuple(number for number in members if row[number] == state + 1)
        if looping and sum(len(members[number]) for number in looping) >= least:
            if looping not in known:
                known[looping] = frozenset(octet for number in looping for octet in members[number])
            found[state] = known[looping]
    if len(known) <= layout.MAX_SETS:
        return found
    often = Counter(found.values())
    kept = sorted(often, key=lambda octets: (-often[octets], sorted(octets)))[: layout.MAX_SETS]
    return {state: octets for state, octets in found.items() if octets in kept}


def _rows(
    columns: Sequence[tuple[int, ...]],
    order: Sequence[int],
    numbers: Sequence[int],
    loops: dict[int, frozenset[int]],
    entry: int,
) -> tuple[bytes, int]:
    """The rows of all states and the number of bits that count a row's octets."""
    need = layout.SET_OCTETS + entry * len(columns)
    shift = max(6, (need - 1).bit_length())
    padding = bytes((1 << shift) - need)
    masks = {octets: _mask(octets) for octets in set(loops.values())}
    plain = bytes(layout.SET_OCTETS)
    rows = [bytes(1 << shift)]
    code = "I" if entry == 4 else "H"
    renumbered = _renumbered(columns, numbers)
    of_states = list(zip(*(map(renumbered.__getitem__, column) for column in columns), strict=True))
    for state in order:
        entries = array(code, of_states[state])
        rows += [masks[loops[state]] if state in loops else plain, _little(entries), padding]
    return b"".join(rows), shift


def _renumbered(rows: Sequence[Sequence[int]], numbers: Sequence[int]) -> dict[int, int]:
    """What each entry becomes; they are fewer than the places where they stand."""
    return {entry: entry & ~_STATE | numbers[entry & _STATE] for entry in set().union(*rows)}


def _mask(octets: frozenset[int]) -> bytes:
    """A set of octets of US-ASCII: for each low half, a bit for each high half."""
    mask = bytearray(layout.SET_OCTETS)
    for octet in octets:
        mask[octet & 15] |= 1 << (octet >> 4)
    return bytes(mask)


def _sets_with(octet: int, sets: dict[frozenset[int], int]) -> int:
    return sum(1 << number - 1 for octets, number in sets.items() if octet in octets)


def pages_of(starts: Sequence[int], classes_of: Sequence[int]) -> tuple[bytes, list[int]]:
    """The classes of code points in pages of 256, each page once, and the page of each 256 code points.

    ``starts`` are where ranges begin, 0 first, and ``classes_of`` their classes, which are below 256.
    """
    known: dict[bytes, int] = {}
    page_of: list[int] = []
    begun = b""  # of a page, the classes of its first code points
    for (start, stop), number in zip(
        pairwise([*starts, layout.PAGES * layout.PAGE]), classes_of, strict=True
    ):
        left = stop - start
        if begun:
            taken = min(left, layout.PAGE - len(begun))
            begun += bytes((number,)) * taken
            left -= taken
            if len(begun) < layout.PAGE:
                continue
            page_of.append(known.setdefault(begun, len(known)))
        whole, rest = divmod(left, layout.PAGE)
        if whole:
            page = bytes((number,)) * layout.PAGE
            page_of += [known.setdefault(page, len(known))] * whole
        begun = bytes((number,)) * rest
    return b"".join(known), page_of


def _setting(operation: Operation) -> bytes:
    registers = _padded([register for register, _ in operation], layout.MAX_SETTINGS, layout.SPARE_REGISTER)
    changes = _padded([change & 0xFF for _, change in operation], layout.MAX_SETTINGS, 0)
    return bytes((len(operation), *registers, 0, *changes))


def _initial(registers: Sequence[int]) -> bytes:
    count = layout.MAX_REGISTERS + 1
    return struct.pack(f"<{count}i", *_padded(registers, count, -1))


def _padded(values: Sequence[int], length: int, filler: int) -> list[int]:
    return [*values, *[filler] * (length - len(values))]


def _little(values: array[int]) -> bytes:
    if values.itemsize not in (2, 4):  # pragma: no cover (no platform of today)
        raise TooLargeError("integers", 16, 32)
    if struct.pack("=H", 1) != struct.pack("<H", 1):  # pragma: no cover (a big-endian machine)
        values = values[:]
        values.byteswap()
    return values.tobytes()
