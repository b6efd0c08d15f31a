"""Sets of code points behave like sets of numbers, and ``re`` parses their classes."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import strategies as st

from abnforge.charset import ANY, EMPTY, MAX_CODE_POINT, CharSet, partition, union
from tests.law import each_row, law
from tests.raising import raises

# Code points at boundaries: both ends, special characters in classes, and where escapes become longer.
EDGES = (
    0,
    1,
    0x1F,
    0x20,
    0x2D,
    0x2F,
    0x30,
    0x39,
    0x3A,
    0x5B,
    0x5C,
    0x5D,
    0x5E,
    0x7E,
    0x7F,
    0xFF,
    0x100,
    0xFFFF,
    0x10000,
)
VISIBLE = "".join(map(chr, range(0x21, 0x7F)))
codes = st.sampled_from([*EDGES, *range(0x60, 0x68), MAX_CODE_POINT - 1, MAX_CODE_POINT])
ranges = st.lists(st.tuples(codes, st.integers(0, 3)), max_size=5).map(
    lambda pairs: [(low, min(low + more, MAX_CODE_POINT)) for low, more in pairs]
)


def members(parts: list[tuple[int, int]]) -> set[int]:
    return {code for low, high in parts for code in range(low, high + 1)}


@law(ranges, ranges, few=20, many=400)
def test_sets_are_sets(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    a, b = CharSet.from_ranges(one), CharSet.from_ranges(other)
    left, right = members(one), members(other)
    assert set(a) == left
    assert list(a) == sorted(left)
    assert len(a) == len(left)
    assert bool(a) is bool(left)
    assert a == CharSet.of("".join(map(chr, left)))
    assert set(a | b) == left | right
    assert set(a & b) == left & right
    assert set(a - b) == left - right
    assert ~~a == a
    assert len(~a) == MAX_CODE_POINT + 1 - len(left)
    assert not a & ~a
    assert a | ~a == ANY
    for code in members(one) | members(other) | set(EDGES):
        assert (code in a) is (code in left)
        assert (chr(code) in a) is (code in left)
        assert (code in ~a) is (code not in left)
    if left:
        assert a.min() == chr(min(left))
        pattern = re.compile(f"[{a.to_class()}]")
        assert str(a) == pattern.pattern
        assert {code for code in left | right | set(EDGES) if pattern.fullmatch(chr(code))} == left
    assert (a == b) is (left == right)


@law(st.lists(ranges, max_size=4), few=20, many=300)
def test_a_partition_tells_apart_what_sets_do(parts: list[list[tuple[int, int]]]) -> None:
    sets = [CharSet.from_ranges(one) for one in parts]
    blocks = partition(sets)
    assert sum(map(len, blocks)) == len(ANY)
    assert all(blocks)
    assert [block.min() for block in blocks] == sorted(block.min() for block in blocks)
    # Disjoint blocks; each is inside or outside of each set, and no two are in the same sets.
    sides = []
    for block in blocks:
        assert all(block & charset in (block, EMPTY) for charset in sets)
        sides.append(tuple(bool(block & charset) for charset in sets))
    assert len(set(sides)) == len(blocks)


@each_row(
    ("text", "written"),
    [
        ("a", "a"),
        ("ab", "ab"),
        ("abc", "a-c"),
        ("-[]^\\", r"\-\[-\^"),
        (" !\x7f", r"\x20!\x7F"),
        ("\xff\u0100\uffff\U00010000", r"\xFF\u0100\uFFFF\U00010000"),
        ("~", "~"),
        ("x", "x"),
        ("", ""),
        ("*+-./0123456789", r"*+\--/0-9"),
        ("0123456789:ABCDEF", "0-9:A-F"),
        ("(0123456789", "(0-9"),
        ("@ABC", "@A-C"),
        ("XYZ[", r"X-Z\["),
        ("_`abc", "_`a-c"),
        ("xyz{", "x-z{"),
        ("./0", "./0"),
        (string.ascii_letters + string.digits + "!$&'()*+,-.:;=@_~", r"!$&-.0-9:;=@A-Z_a-z~"),
        (VISIBLE, "!-~"),
        (VISIBLE.replace('"', "").replace("\\", ""), r"!#-\[\]-~"),
    ],
)
def test_classes(text: str, written: str) -> None:
    assert CharSet.of(text).to_class() == written


def test_almost_all_of_ascii() -> None:
    assert ANY.almost_all
    assert CharSet.of(VISIBLE[:86] + "é").almost_all
    assert not CharSet.of(VISIBLE[:85] + "é").almost_all
    assert not CharSet.from_ranges([(0x80, MAX_CODE_POINT)]).almost_all


@pytest.mark.parametrize(
    "parts", [((2, 1),), ((0, 0), (1, 1)), ((5, 6), (1, 2)), ((0, 3), (3, 4)), ((0, MAX_CODE_POINT + 1),)]
)
def test_invalid_character_sets(parts: tuple[tuple[int, int], ...]) -> None:
    with raises(ValueError, "argument-value", name="ranges"):
        CharSet(parts)


def test_characters_have_numbers() -> None:
    some = CharSet.from_ranges([(0x30, 0x32), (0x61, 0x61), (0x78, 0x7A)])
    assert [some.nth(number) for number in range(7)] == list("012axyz")
    for number in (-1, 7):
        with pytest.raises(IndexError, match=f"from 0 to 6, not {number}"):
            some.nth(number)


def test_the_ends() -> None:
    assert CharSet(((0, 0), (2, MAX_CODE_POINT))) == ~CharSet.of("\x01")
    assert (EMPTY, ANY) == (~ANY, ~EMPTY)
    with raises(ValueError, "argument-empty"):
        EMPTY.min()
    assert partition([]) == partition([EMPTY]) == partition([ANY]) == [ANY]


def test_the_union_of_several() -> None:
    sets = [CharSet.of("a"), CharSet.of("cb"), CharSet(), CharSet.from_ranges([(0x61, 0x7A)])]
    assert union(sets) == CharSet.from_ranges([(0x61, 0x7A)])
    assert union([]) == CharSet()
