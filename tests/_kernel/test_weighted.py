"""Weighted sets as the kernel has them: texts, and rows of columns."""

from __future__ import annotations

from array import array

import pytest

from abnforge._kernel.loaded import compiled
from tests._kernel.weighted import (
    BEGIN,
    END,
    ENDING,
    LIMITS,
    MOVE,
    NOTHING,
    SLOT,
    SLOT_END,
    START,
    STOP,
    WHOLE,
    answers,
    column,
    known,
    slots,
    told,
    weighted,
    words,
)

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


@pytest.mark.parametrize(
    ("text", "cut", "answer"),
    [
        ("a", False, (0, 15, 9, [(0, 1), (1, 2)])),
        ("abé😀\ud800", False, (0, 15, 9, [(0, 1), (5, 2)])),
        ("aba", False, (0, 15, 12, [(3, 2)])),  # the first member comes from the second one
        ("abab", True, (0, 15, 10, [])),
        ("abaa", True, (0, 15, 13, [(0, 1)])),
        ("", True, (0, 10, 0, [])),
        ("", False, (NOTHING, 10, 0, 0)),
        ("ba", False, (NOTHING, 10, ord("b"), 0)),
        ("éa", True, (NOTHING, 10, ord("é"), 0)),
    ],
)
def test_texts(text: str, cut: bool, answer: object) -> None:
    assert known().read(text, 0, cut) == answer


def test_what_is_missing_is_asked_for_and_the_text_read_on() -> None:
    made = weighted()
    made.add(10, 1)
    assert made.read("bab", 0, False) == (MOVE, 10, ord("b"), 0)
    made.learn(0, "x", 0, 0, -1)  # of the same class
    assert made.read("bab", -1, False) == (MOVE, 10, ord("a"), 0)
    assert made.add(5, 1) == 1
    made.path(words(0), words(0))
    made.learn(0, "a", 1, 4, 0)
    assert made.read("bab", -1, False) == (MOVE, 15, ord("b"), 1)
    made.learn(1, "b", 1, 0, -1)
    assert made.read("bab", -1, False) == (ENDING, 15, 0, 1)
    assert made.read("bab", -1, True) == (0, 15, 4, [])
    made.end(1, 2, 0, 0)
    assert made.read("bab", -1, False) == (0, 15, 6, [])
    assert made.read("babbb", -1, False) == (0, 15, 6, [])  # what it said before is not looked at again
    with pytest.raises(ValueError, match="where it was left"):
        made.read("ba", -1, False)
    assert made.read("b", 0, False) == (ENDING, 10, 0, 0)  # a set is charged for once a text


def test_a_set_is_paid_for_once_in_each_text() -> None:
    made = weighted()
    for number in range(1_000):
        assert made.add(0xFFFFFFFF, 1) == number
    made.path(words(0), words(0))
    for number in range(1_000):
        made.learn(number, "a", (number + 1) % 1_000, 0x7FFFFFFF, 0)
    for length in (999, 999, 2_500, 20_000):
        kind, cost, weight, ways = made.read("a" * length, 0, True)
        assert (kind, cost, weight, ways) == (0, 1_000 * 0xFFFFFFFF, length * 0x7FFFFFFF, [])


# ---- rows of columns ----

UNTOLD = (0, -1, 0, 0)


def test_rows() -> None:
    rows = told(known(), [b"ab", b"a", b"b", b"", b"a\xff", b"aba"])
    assert rows[0] == (1, ord("a"), 0, 2, 0, 2, 0, 2, -1, -1)
    assert rows[1] == (1, ord("a"), 0, 1, 0, 1, 0, 1, -1, -1)
    assert [row[:4] for row in rows[2:]] == [UNTOLD] * 4


@pytest.mark.parametrize(
    ("octets", "at", "point", "end"),
    [(False, 1, 0xE9, 3), (True, 1, 0xE9, 7), (True, 3, 0x1F600, 7), (True, 7, -1, 7)],
)
def test_places_in_octets(octets: bool, at: int, point: int, end: int) -> None:
    """What is blamed is counted as the column is; slots always in characters."""
    [row] = told(known(), ["aé😀".encode()], octets, at)
    assert row == (1, point, 0, end, 0, 3, 0, 3, -1, -1)


@pytest.mark.parametrize(
    "text",
    [
        b"a\x80",
        b"a\xc1\x81",
        b"a\xc3",
        b"a\xe0\x9f\xbf",
        b"a\xed\xa0\x80",
        b"a\xf0\x8f\xbf\xbf",
        b"a\xf4\x90\x80\x80",
        b"a\xe2\x82",
        b"a\xf8",
    ],
)
def test_what_is_not_utf_8_is_left(text: bytes) -> None:
    assert [row[:4] for row in told(known(), [text, b"a"])] == [UNTOLD, (1, ord("a"), 0, 1)]


@pytest.mark.parametrize(
    ("limits", "there"),
    [
        ((15, 0, 15, 3, 9), True),
        ((14, 0, 15, 3, 9), False),
        ((12, 1, 15, 3, 9), True),
        ((1, 10**18, 15, 3, 9), True),
        ((10**18, 10**18, 14, 3, 9), False),
        ((15, 0, 15, 2, 9), False),
        ((15, 0, 15, 3, 8), False),
        ((0, 0, 0, 0, 0), False),
    ],
)
def test_limits(limits: tuple[int, ...], there: bool) -> None:
    for text in (b"abb", "aéb".encode()):
        assert (told(known(), [text], limits=limits)[0][0] == 1) is there


def test_a_row_that_is_not_known_yet_is_begun_again_or_read_on() -> None:
    made = known()
    given = column([b"a", b"bb", b"a"]), array("q", [0] * 3)
    made.learn(0, "b", 1, 1, 0)
    fresh = weighted()
    fresh.add(1, 1)
    found = answers(3)
    assert fresh.tell(*given, found, 0, 0, False, LIMITS) == (MOVE, 0, ord("a"), 0)
    fresh.learn(0, "a", -1, 0, -1)
    assert fresh.tell(*given, found, 0, 0, True, LIMITS) == (MOVE, 1, ord("b"), 0)
    fresh.learn(0, "b", 0, 0, -1)
    assert fresh.tell(*given, found, 0, 1, True, LIMITS) == (ENDING, 1, 0, 0)
    with pytest.raises(ValueError, match="where it was left"):  # another row, and a shorter text
        fresh.tell(*given, found, 0, 2, True, LIMITS)
    fresh.end(0, 0, 0, 0)
    assert fresh.tell(*given, found, 0, 1, True, LIMITS) == (0, 3, 0, 0)
    assert list(found[0]) == [0, 0, 0]
    assert fresh.tell(*given, found, 0, 7, False, LIMITS)[:2] == (0, 7)


EVENTS = [
    # what begins and ends at "a", and at the end; blamed and said slots; blamed, said
    ([4 + BEGIN], [END], [], [], (0, 1), []),
    ([4 + BEGIN], [], [], [(WHOLE, 1), (START, 1), (STOP, 1)], (0, 1), [0, 1, 0, 0, 1, 1]),  # open at the end
    ([4 + BEGIN, 4 * 3 + SLOT], [], [(3, 1)], [(3, 1)], (0, 1), [0, 1]),  # and its slot, too
    ([4 + BEGIN, SLOT], [END], [(0, 1), (START, 1)], [(0, 1)], (0, 0), [-1, -1]),  # a slot without an end
    ([4 + BEGIN, SLOT, SLOT], [SLOT_END, END], [(0, 1)], [(0, 1), (0, 2)], (0, 1), [-1, -1, 0, 1]),
    ([4 + BEGIN, SLOT, SLOT_END], [SLOT, END], [(0, 2)], [(0, 1), (0, 2)], (0, 1), [0, 0, -1, -1]),
    # slots and ends of what is within count for that alone
    (
        [4 + BEGIN, 4 + BEGIN, SLOT],
        [SLOT_END, END, SLOT, SLOT_END, END],
        [(0, 1)],
        [(0, 2)],
        (1, 1),
        [-1, -1],
    ),
    (
        [4 + BEGIN, END, 4 + BEGIN],
        [SLOT, SLOT_END, END],
        [],
        [(0, 1)],
        (0, 0),
        [-1, -1],
    ),  # the first one alone
    ([END, SLOT_END, SLOT, 4 + BEGIN], [SLOT_END, END], [], [(0, 1)], (0, 1), [-1, -1]),  # none is open
    ([BEGIN, END, 4 + BEGIN], [END], [], [], None, []),  # the first one is none
    ([BEGIN, 4 + BEGIN], [END, END], [], [], None, []),
    ([], [4 + BEGIN, END], [(STOP, 1)], [], (1, 1), []),
    ([], [], [], [], None, []),
    ([4 + BEGIN, *[SLOT, SLOT_END] * 32], [END], [(0, 32)], [(0, 33)], (0, 0), [-1, -1]),
    ([4 + BEGIN, *[SLOT, SLOT_END] * 33], [END], [(0, 1)], [(0, 1)], None, []),  # more than are kept
    ([4 + BEGIN, *[4 + BEGIN] * 500], [END] * 501, [], [(WHOLE, 1)] * 8, (0, 1), [0, 1] * 3),
]


@pytest.mark.parametrize(("first", "last", "blamed", "said", "place", "shown"), EVENTS)
def test_the_first_mistake(
    first: list[int],
    last: list[int],
    blamed: list[tuple[int, int]],
    said: list[tuple[int, int]],
    place: tuple[int, int] | None,
    shown: list[int],
) -> None:
    made = weighted()
    made.add(1, 1)
    assert made.mistake(slots(*blamed), slots(*said)) == 1
    made.way(words(*first))
    made.way(words(*last))
    made.path(words(0), words(1))
    made.learn(0, "a", 0, 0, 0)
    made.end(0, 0, 0, 2)
    [row] = told(made, [b"a"])
    assert row[:4] == (UNTOLD if place is None else (1, ord("a"), *place))
    if place is not None:
        assert list(row[4 : 4 + len(shown)]) == shown
