"""Automata over code points, which are the source of tables."""

from __future__ import annotations

import json
from array import array
from itertools import product

import abnforge
from abnforge._native import compiled
from abnforge.automata.code_points import NO_TAGS, from_data, to_data, utf8_automaton, without_tags
from abnforge.automata.tables import packed
from abnforge.automata.tagged import tagged
from abnforge.budget import Budget
from tests.law import each_row
from tests.laws.table_walks import WALKS, bit, check_verdicts, read_bytes, walking


def test_an_automaton_without_tags() -> None:
    points = without_tags(abnforge.loads('s = %s"a" *%s"b"\n')["s"].automaton)
    assert points.tags is NO_TAGS
    assert points.accepting == {1}
    letter = {letter: points.classes[points.starts.index(ord(letter))] for letter in "ab"}
    other = points.classes[0]
    assert sorted({*letter.values(), other}) == [0, 1, 2]
    assert points.rows[0][letter["a"]] == 2  # the number of the target state, plus one
    assert points.rows[1][letter["b"]] == 2
    assert sum(map(sum, points.rows)) == 4  # all other entries are 0: they have no target


def test_the_empty_language_has_no_transitions() -> None:
    points = without_tags(abnforge.loads('s = "a" s\n')["s"].automaton)
    assert not points.accepting
    assert not any(map(any, points.rows))


# Characters at boundaries, which are tested with their neighbors.
BOUNDARIES = (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)
POINTS = sorted({at + step for at in BOUNDARIES for step in (-1, 0, 1) if at + step <= 0x10FFFF})


def rule(text: str) -> abnforge.Rule:
    return abnforge.loads(f"s = {text}\n")["s"]


@each_row("low", BOUNDARIES)
def test_every_walk_at_every_boundary(low: int) -> None:
    texts = [chr(point) for point in POINTS]
    texts += ["a" * 40 + chr(point) + "b" for point in POINTS] + [chr(point) * 2 for point in POINTS]
    for high in (high for high in BOUNDARIES if high >= low):
        check_verdicts(rule(f"*%x61-7A %x{low:X}-{high:X} [%x62]"), texts, least_loop=2)


@each_row("low", BOUNDARIES)
def test_characters_on_both_sides_lead_to_different_states(low: int) -> None:
    texts = [chr(point) + end for point in POINTS for end in ("", "a", "b")]
    check_verdicts(rule(f'%x{low:X} "a" / %x{low - 1:X} "b" / %x{min(low + 1, 0x10FFFF):X}'), texts)


def test_first_bytes() -> None:
    """The byte ranges equal those in RFC 3629, section 4."""
    points = without_tags(rule("%x80-10FFFF").automaton)
    start, accepted, *inner = utf8_automaton(points).high
    assert sorted(start) == list(range(0xC2, 0xF5))
    assert accepted == {}
    by_last = {frozenset(entries): entries for entries in inner}
    every = frozenset(range(0x80, 0xC0))
    # States before the last one, two and three bytes. After E0, ED, F0 and F4, only some bytes are allowed.
    assert sorted(map(len, map(frozenset, inner))) == sorted([64, 64, 64, 32, 32, 48, 16])
    assert every in by_last
    assert frozenset(range(0xA0, 0xC0)) in by_last
    assert frozenset(range(0x80, 0xA0)) in by_last
    assert frozenset(range(0x90, 0xC0)) in by_last
    assert frozenset(range(0x80, 0x90)) in by_last


def test_characters_that_lead_alike_share_what_is_between() -> None:
    points = without_tags(rule("%x4E00-4E3F / %x5E00-5E3F").automaton)
    high = utf8_automaton(points).high
    assert len(high) == 2 + 2  # two more states: after the first byte and after the second


BROKEN = [
    bytes(octets)
    for octets in (
        *((first,) for first in range(0x80, 0x100)),
        *product(
            (0xC0, 0xC1, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xF8, 0xFF), (0x7F, 0x80, 0x8F, 0x9F, 0xA0, 0xBF, 0xC0)
        ),
        *product((0xE0, 0xED, 0xEF), (0x7F, 0x80, 0x9F, 0xA0, 0xBF), (0x7F, 0x80, 0xBF, 0xC0)),
        *product((0xF0, 0xF4), (0x80, 0x8F, 0x90, 0xBF), (0x7F, 0x80, 0xBF), (0x7F, 0x80, 0xBF)),
    )
]


def is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_broken_utf8_is_never_derived() -> None:
    table = packed(without_tags(rule("*%x0-10FFFF").automaton))
    expected = [is_utf8(octets) for octets in BROKEN]
    assert True in expected
    assert [read_bytes(table, octets)[1] for octets in BROKEN] == expected
    if compiled is None:
        return
    ends = array("i", [0])
    for octets in BROKEN:
        ends.append(ends[-1] + len(octets))
    column = compiled.Column(4, 0, len(BROKEN), None, ends, (b"".join(BROKEN),), True)
    for walk in WALKS:
        if (result := walking(table, walk)) is not None:
            bits, offsets = bytearray(-(-len(BROKEN) // 8)), array("q", bytes(8 * len(BROKEN)))
            column.read(result, 0, len(BROKEN), bits, offsets)
            assert [bit(bits, at) for at in range(len(BROKEN))] == expected
            assert set(offsets) == {-1, 0}


GRAMMAR = abnforge.loads('s = [p] q "x" [p]\np = 1*%xE9-FF\nq = *"b" / "c" p\n')


def test_comes_back_as_it_was() -> None:
    result = GRAMMAR.compilation
    points = tagged(
        result.core, result.bodies, "s", {"p": ("p",)}, {"k": ("p", "q")}, Budget().meter("the automaton")
    )
    assert points.tags.names == ("p",)
    again = from_data(json.loads(json.dumps(to_data(points))))
    assert again == points
    assert packed(again) == packed(points)
