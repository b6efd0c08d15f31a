"""The format of tables: positions of sections, invalid tables, and constants that equal those in C."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping

import pytest

import abnforge
from abnforge.automata import tables
from abnforge.automata.code_points import CodePointDFA, Operation, Tags
from abnforge.automata.tables import (
    Header,
    PythonTable,
    TableTooLargeError,
    assemble,
    packed,
    sections_of,
    table_of,
)
from tests.law import each_row
from tests.laws.table_walks import check_verdicts, read_bytes
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
    assert places[0] == tables.HEADER_BYTES
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
def test_invalid_tables_are_rejected(table: bytes) -> None:
    with pytest.raises(ValueError, match="table"):
        sections_of(table)


def test_the_c_code_has_the_same_numbers() -> None:
    header = (ROOT / "src/abnforge/_native/walk.h").read_text("utf-8")
    code = (ROOT / "src/abnforge/_native/walk.c").read_text("utf-8")
    result = re.findall(r"^#define (\w+) (0?x?[0-9A-F]+)u?\b", header + code, re.MULTILINE)
    numbers = {name: int(value, 0) for name, value in result}
    assert numbers["ABNF_VERSION"] == tables.VERSION
    assert numbers["ABNF_ALIGNMENT"] == tables.ALIGNMENT
    assert numbers["ABNF_MAX_REGISTERS"] == tables.MAX_REGISTERS + 1
    assert numbers["ABNF_SPARE"] == tables.SPARE_REGISTER
    assert numbers["ABNF_MAX_SETS"] == tables.MAX_SETS
    assert numbers["ABNF_MAX_SETTINGS"] == tables.MAX_SETTINGS
    assert numbers["MAGIC"] == tables.MAGIC
    assert numbers["HEADER"] == tables.HEADER_BYTES
    assert numbers["STATE_MASK"] > tables.MAX_STATES


def rule(text: str) -> abnforge.Rule:
    return abnforge.loads(text if "\n" in text else f"s = {text}\n")["s"]


def test_a_small_table() -> None:
    """In the table for ``*"a" "b"``, the looping state comes first and the state after "b" comes last."""
    header, parts = sections_of(packed_of('*%s"a" %s"b"', least_loop=1))
    assert header == Header(3, 3, 6, 1, 1, 1, 3, 0, 0, 0, 1, 2, 2)
    other, a, b = (parts["class_of"][ord(letter)] for letter in "cab")
    assert sorted((other, a, b)) == [0, 1, 2]
    assert [parts["class_of"][octet] for octet in range(256)] == [
        {ord("a"): a, ord("b"): b}.get(octet, other) for octet in range(256)
    ]
    rows = parts["rows"]
    for state, entries in enumerate(({}, {a: 1, b: 2}, {})):
        row = struct.unpack_from("<16s3H", rows, 64 * state)
        assert list(row[1:]) == [entries.get(number, 0) for number in range(3)]
        assert row[0] == (bytes((0, 1 << 6, *[0] * 14)) if state == 1 else bytes(16))  # 0x61
    assert bytes(parts["accepting"][:3]) == bytes((0, 0, 1))
    assert bytes(parts["set_of"][:3]) == bytes((0, 1, 0))
    with_a = struct.unpack_from("<256I", parts["sets_with"])
    assert [octet for octet in range(256) if with_a[octet]] == [ord("a")]
    assert with_a[ord("a")] == 1
    page_of = struct.unpack_from("<4352H", parts["page_of"])
    assert page_of == (0, *[1] * 4351)
    assert [parts["pages"][octet] for octet in (*b"cab", 256 + ord("a"))] == [other, a, b, other]
    point_rows = struct.unpack_from("<9I", parts["point_rows"])
    assert point_rows == (0, 0, 0, *({a: 1, b: 2}.get(number, 0) for number in range(3)), 0, 0, 0)
    assert bytes(parts["settings"][:16]) == bytes((0, *[tables.SPARE_REGISTER] * 7, *[0] * 8))
    assert struct.unpack_from("<64i", parts["initial"]) == (-1,) * 64


def packed_of(text: str, least_loop: int = 16) -> bytes:
    from abnforge.automata.code_points import without_tags

    return packed(without_tags(rule(text).automaton), least_loop=least_loop)


def test_the_empty_language_and_the_empty_string() -> None:
    nothing, _ = sections_of(table_of(rule('s = "a" s\n').automaton))
    empty, parts = sections_of(table_of(rule('""').automaton))
    assert (nothing.states, nothing.start, empty.states, empty.start) == (1, 0, 2, 1)
    assert bytes(parts["accepting"][:2]) == bytes((0, 1))


@each_row(
    ("text", "accelerated"),
    [
        ("*%x61-6F", 0),  # 15 bytes: too few
        ("*%x61-70", 1),  # 16 bytes
        ("*%x61-70 %x71", 1),
        ("*%x80-10FFFF", 0),  # only US-ASCII bytes count
        ("*%x7-FFFF", 1),
    ],
)
def test_a_state_that_loops_on_16_bytes_is_accelerated(text: str, accelerated: int) -> None:
    header, _ = sections_of(packed_of(text))
    assert (header.accelerated, header.sets) == (accelerated, accelerated)


def test_of_more_than_32_sets_the_others_are_not_accelerated() -> None:
    loops = " ".join(f"*%x{0x20 + at:X}-{0x40 + at:X} %x10" for at in range(40))
    header, parts = sections_of(packed_of(loops))
    assert header.sets == tables.MAX_SETS
    assert header.accelerated == 32
    assert sorted(parts["set_of"][: header.states]) == [0] * (header.states - 32) + list(range(1, 33))
    texts = ["".join(chr(0x30 + at) * size + "\x10" for at in range(40)) for size in (0, 1, 40)]
    check_verdicts(rule(loops), [*texts, *(text[:-1] for text in texts), *(text + "a" for text in texts)])


def test_sets_that_serve_most_states_are_kept() -> None:
    alike = " ".join(f"*%x40-70 %x{at:X}" for at in range(1, 4))
    single = " ".join(f"*%x{0x20 + at:X}-{0x40 + at:X} %x10" for at in range(1, 33))
    header, _ = sections_of(packed_of(f"{single} {alike}"))
    assert header.sets == tables.MAX_SETS
    assert header.accelerated == 3 + 31


def test_many_states_have_wide_entries() -> None:
    states = 0xFFFF
    chain = CodePointDFA(
        rows=[[0, state + 2 if state + 1 < states else 0] for state in range(states)],
        accepting=frozenset((states - 1,)),
        starts=(0, 0x61, 0x62),
        classes=(0, 1, 0),
    )
    assert sections_of(packed(chain))[0].entry == 4


def automaton(
    classes: int = 1,
    registers: int = 0,
    operations: tuple[Operation, ...] = ((),),
    kinds: Mapping[str, tuple[str, ...]] | None = None,
) -> CodePointDFA:
    tags = Tags((), kinds or {}, registers, (-1,) * registers, operations, {})
    return CodePointDFA([[0] * classes], frozenset((0,)), tuple(range(classes)), tuple(range(classes)), tags)


@each_row(
    ("most", "beyond", "excess"),
    [
        (
            lambda: automaton(classes=256),
            lambda: automaton(classes=257),
            ("character classes", 256, 257),
        ),
        (
            lambda: automaton(registers=63),
            lambda: automaton(registers=64),
            ("registers", 63, 64),
        ),
        (
            lambda: automaton(operations=tuple(((number % 63, number // 63 - 3),) for number in range(256))),
            lambda: automaton(operations=tuple(((number % 63, number // 63 - 3),) for number in range(257))),
            ("operations on registers", 256, 257),
        ),
        (
            lambda: automaton(operations=((), tuple((number, 0) for number in range(7)))),
            lambda: automaton(operations=((), tuple((number, 0) for number in range(8)))),
            ("registers per operation", 7, 8),
        ),
        (
            lambda: automaton(kinds={f"k{number}": () for number in range(16)}),
            lambda: automaton(kinds={f"k{number}": () for number in range(17)}),
            ("kinds", 16, 17),
        ),
    ],
)
def test_limits(
    most: Callable[[], CodePointDFA], beyond: Callable[[], CodePointDFA], excess: tuple[str, int, int]
) -> None:
    packed(most())
    with pytest.raises(TableTooLargeError) as raised:
        packed(beyond())
    assert raised.value.args == excess


def test_the_number_of_states_and_the_size_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    small = automaton()
    monkeypatch.setattr(tables, "MAX_STATES", 0)
    with pytest.raises(TableTooLargeError) as caught:
        packed(small)
    assert caught.value.args == ("states", 0, 1)
    monkeypatch.undo()
    monkeypatch.setattr(tables, "MAX_BYTES", 3)
    with pytest.raises(TableTooLargeError) as caught:
        packed(small)
    assert caught.value.args == ("bytes", 3, 4)


def test_a_rule_that_is_too_large_is_validated_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_BYTES", 0)
    assert rule('1*"a"').matches("aaa")
    assert not rule('1*"a"').matches("aab")
    assert rule('s = 1*t\nt = "a"\n').components("aaa", ["t"]) == {"t": (2, 3)}


def walker(text: str) -> PythonTable:
    return PythonTable(table_of(abnforge.loads(f"s = {text}\n")["s"].automaton))


@each_row(
    ("text", "read"),
    [
        ("", (0, False)),
        ("b", (1, True)),
        ("aab", (3, True)),
        ("aac", (2, False)),
        ("aa", (2, False)),
        ("c", (0, False)),
        ("b\ud800", (1, False)),
    ],
)
def test_reads_a_string(text: str, read: tuple[int, bool]) -> None:
    assert walker('*%s"a" %s"b"').read(text) == read


def test_reads_bytes_counted_in_bytes() -> None:
    table = table_of(abnforge.loads('s = *%xE9 "b"\n')["s"].automaton)
    assert PythonTable(table).read("ééb") == (3, True)
    assert read_bytes(table, "ééb".encode()) == (5, True)
    assert read_bytes(table, "éè".encode()) == (3, False)
    assert read_bytes(table, b"\xc3") == (1, False)


def test_the_empty_language_has_no_viable_prefix() -> None:
    result = PythonTable(table_of(abnforge.loads('s = "a" s\n')["s"].automaton))
    assert result.read("") == (0, False)
    assert result.read("a") == (0, False)


def test_automata_without_tags_return_no_offsets() -> None:
    assert walker('"a"').find("a") == ((), ())
    assert walker('"a"').find("b") is None


def test_reading_rejects_other_bytes() -> None:
    with pytest.raises(ValueError, match="table"):
        PythonTable(b"no table")


def test_numbers_are_little_endian_wherever_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    octets = memoryview(bytes((1, 2, 3, 4)))
    here = tables._numbers("H", octets).tolist()
    monkeypatch.setattr(tables.sys, "byteorder", {"little": "big", "big": "little"}[tables.sys.byteorder])
    other = tables._numbers("H", octets).tolist()
    assert sorted((here, other)) == [[0x0102, 0x0304], [0x0201, 0x0403]]
