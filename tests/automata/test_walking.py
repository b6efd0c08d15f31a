"""The walk in Python: verdicts, offsets and places by the octets of a table."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata import tables
from abnforge.automata.tables import PythonTable, table_of
from tests.law import each_row


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
def test_reads_a_text(text: str, read: tuple[int, bool]) -> None:
    assert walker('*%s"a" %s"b"').read(text) == read


def test_reads_octets_counted_in_octets() -> None:
    found = walker('*%xE9 "b"')
    assert found.read("ééb") == (3, True)
    assert found.read_octets("ééb".encode()) == (5, True)
    assert found.read_octets("éè".encode()) == (3, False)
    assert found.read_octets(b"\xc3") == (1, False)


def test_the_empty_language_has_no_viable_prefix() -> None:
    found = PythonTable(table_of(abnforge.loads('s = "a" s\n')["s"].automaton))
    assert found.read("") == (0, False)
    assert found.read("a") == (0, False)


def test_without_tags_there_are_no_places() -> None:
    assert walker('"a"').find("a") == ((), ())
    assert walker('"a"').find("b") is None


def test_refuses_what_is_no_table() -> None:
    with pytest.raises(ValueError, match="table"):
        PythonTable(b"no table")


def test_numbers_are_little_endian_wherever_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    octets = memoryview(bytes((1, 2, 3, 4)))
    here = tables._numbers("H", octets).tolist()
    monkeypatch.setattr(tables.sys, "byteorder", {"little": "big", "big": "little"}[tables.sys.byteorder])
    other = tables._numbers("H", octets).tolist()
    assert sorted((here, other)) == [[0x0102, 0x0304], [0x0201, 0x0403]]
