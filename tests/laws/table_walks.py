"""Checks that every walk through a rule's tables agrees with the automaton and the derivation."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import Any

import abnforge
from abnforge._native import compiled
from abnforge.automata.code_points import CodePointDFA, without_tags
from abnforge.automata.tables import SET_BYTES, PythonTable, packed, sections_of

WALKS = ("portable", "pairs", "ssse3", "avx2")


def check_verdicts(rule: abnforge.Rule, texts: Sequence[str], least_loop: int = 16) -> None:
    """Check that all walks over str, bytes and columns return the automaton's verdict and offset."""
    automaton = rule.automaton
    octets = packed(without_tags(automaton), least_loop=least_loop)
    walker = PythonTable(octets)
    expected = []
    for text in texts:
        offset, row = automaton.read(text)
        expected.append((max(offset, 0), offset == len(text) and row in automaton.accepting))
        assert walker.read(text) == expected[-1], text
        if not _has_surrogate(text):
            reached, valid = read_bytes(octets, text.encode())
            assert valid is expected[-1][1], text
            assert len(text.encode()[:reached].decode(errors="ignore")) == expected[-1][0], text
    if compiled is None:
        return
    for walk in WALKS:
        table = walking(octets, walk)
        if table is not None:
            assert [table.read(text) for text in texts] == expected, walk
            check_column(table, texts, expected)


def read_bytes(table: bytes, text: bytes) -> tuple[int, bool]:
    """Walk the rows of a table; return the length of the longest viable prefix in UTF-8, and the verdict."""
    header, sections = sections_of(table)
    code = "I" if header.entry == 4 else "H"
    state = header.start
    for offset, byte in enumerate(text):
        at = (state << header.shift) + SET_BYTES + header.entry * sections["class_of"][byte]
        (entry,) = struct.unpack_from(f"<{code}", sections["rows"], at)
        if not (state := entry & 0xFFFFFF):
            return offset, False
    return len(text), bool(sections["accepting"][state])


def walking(octets: bytes, walk: str) -> Any:
    """Return a table that uses one kind of walk, or None if the table does not support it."""
    if compiled is None:
        return None
    try:
        return compiled.Table(octets).walking(walk)
    except ValueError:
        return None


def check_column(table: Any, texts: Sequence[str], wanted: Sequence[tuple[int, bool]]) -> None:
    """Check columns in every layout, with missing rows."""
    kept = [(text, want) for text, want in zip(texts, wanted, strict=True) if not _has_surrogate(text)]
    rows: list[str | None] = [text for text, _ in kept]
    rows[3::7] = [None] * len(rows[3::7])
    for column in columns(rows):
        bits, offsets = bytearray(-(-len(rows) // 8)), array("q", bytes(8 * len(rows)))
        column.read(table, 0, len(rows), bits, offsets)
        for at, (row, (_, (offset, valid))) in enumerate(zip(rows, kept, strict=True)):
            there = row is not None
            assert bit(bits, at) is (there and valid), row
            assert offsets[at] == (-1 if valid or not there else offset), row


def check_components(
    rule: abnforge.Rule, names: Sequence[str], points: CodePointDFA, texts: Sequence[str]
) -> None:
    """Check that a tagged automaton reports the positions in the preferred derivation."""
    octets = packed(points)
    walker = PythonTable(octets)
    expectation = []
    for text in texts:
        expectation.append(_places(rule, names, text))
        result = walker.find(text)
        assert (None if result is None else result[0]) == expectation[-1], text
    if compiled is None:
        return
    kept = [(text, want) for text, want in zip(texts, expectation, strict=True) if not _has_surrogate(text)]
    rows = [text for text, _ in kept]
    tags = 2 * len(names)
    for walk in WALKS:
        table = walking(octets, walk)
        if table is None:
            continue
        for text, want in zip(texts, expectation, strict=True):
            result = table.find(text)
            assert (None if result is None else result[0]) == want, (walk, text)
        for column in columns(rows):
            size = len(rows)
            bits, places = bytearray(-(-size // 8)), array("i", bytes(4 * tags * size))
            again = bytearray(-(-size // 8))
            there_of = [bytearray(-(-size // 8)) for _ in names]
            column.places(table, 0, size, bits, tuple(there_of), places)
            valid = [bytearray(-(-size // 8)) for _ in names]
            views = [bytearray(16 * size) for _ in names]
            column.views(table, 0, size, again, tuple(valid), tuple(views))
            assert (again, valid) == (bits, there_of)
            for at, (text, want) in enumerate(kept):
                assert bit(bits, at) is (want is not None), text
                expected = (-1,) * tags if want is None else want
                there = tuple(places[tag * size + at] for tag in range(tags))
                assert there == expected, (walk, text)
                for part in range(len(names)):
                    begin, end = expected[2 * part : 2 * part + 2]
                    assert bit(valid[part], at) is (end >= 0)
                    view = views[part][16 * at : 16 * at + 16]
                    assert _viewed(view, column, rows) == ("" if end < 0 else text[begin:end])


def _places(rule: abnforge.Rule, names: Sequence[str], text: str) -> tuple[int, ...] | None:
    """Return the positions of components in the preferred derivation."""
    if not rule.matches(text, engine="automaton"):
        return None
    components = rule.components(text, names, engine="automaton")
    return tuple(place for name in names for place in (components[name] or (-1, -1)))


def columns(rows: Sequence[str | None]) -> list[Any]:
    """Return columns with these rows: offsets of both widths and views, sliced from longer columns."""
    padded: list[str | None] = ["before", *rows, "and behind"]
    octets = [(row or "").encode() for row in padded]
    valid = bytearray(-(-len(padded) // 8))
    for at, row in enumerate(padded):
        valid[at >> 3] |= (row is not None) << (at & 7)
    ends = [0]
    for each in octets:
        ends.append(ends[-1] + len(each))
    data = b"".join(octets)
    views = b"".join(
        struct.pack("<i12s", len(each), each)
        if len(each) <= 12
        else struct.pack("<i4sii", len(each), each[:4], 1, end - len(each))
        for each, end in zip(octets, ends[1:], strict=True)
    )
    size = len(rows)
    results = [
        compiled.Column(4, 1, size, valid, array("i", ends), (data,), False),
        compiled.Column(8, 1, size, valid, array("q", ends), (data,), False),
        compiled.Column(16, 1, size, valid, views, (b"", data), False),
    ]
    _DATA.clear()
    _DATA.append(data)
    return results


_DATA: list[bytes] = []


def _viewed(view: bytes | bytearray, column: Any, rows: Sequence[str]) -> str:
    (length,) = struct.unpack_from("<i", view)
    if length <= 12:
        assert not any(view[4 + length :])
        return bytes(view[4 : 4 + length]).decode()
    prefix, buffer, offset = struct.unpack_from("<4sii", view, 4)
    assert buffer in (0, 1)
    result = _DATA[0][offset : offset + length]
    assert result[:4] == prefix
    return result.decode()


def bit(bits: bytes | bytearray, at: int) -> bool:
    return bool(bits[at >> 3] >> (at & 7) & 1)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
