"""Weighted sets in the C extension, for strings and for rows of columns."""

from __future__ import annotations

import gc
import sys
from array import array
from typing import Any

import pytest

from abnforge._native import compiled
from tests._native.test_binding import resident
from tests._native.weighted import (
    ANY,
    ANYTHING,
    BEGIN,
    CHARS,
    CHOICE,
    CLOSING,
    END,
    FULL,
    LIMIT,
    LIMITS,
    MUCH,
    PLACE,
    PLAIN,
    PROSE,
    READ,
    REPEAT,
    SEQ,
    SLOT,
    SLOT_END,
    SLOT_OF,
    START,
    STOP,
    TOO_MANY,
    UNIT,
    UNREADABLE,
    WANTED,
    WHOLE,
    A,
    B,
    Made,
    answers,
    chars,
    column,
    known,
    mistake,
    one_way,
    program,
    slots,
    star,
    task,
    told,
    weighted,
    words,
)
from tests.law import each_row

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

BEGUN, X, Y = 4 + BEGIN, 4 * 0 + SLOT, 4 * 5 + SLOT  # events in results of known()


@each_row(
    ("text", "cut", "answer"),
    [
        ("", False, (0, [])),
        ("bbb", False, (0, [])),
        ("a", False, (UNIT + 1, [(0, [BEGUN, X]), (1, [SLOT_END, Y, SLOT_END, END])])),
        ("abb", False, (UNIT + 1, [(0, [BEGUN, X]), (1, [SLOT_END, Y]), (3, [SLOT_END, END])])),
        ("abb", True, (UNIT + 1, [(0, [BEGUN, X]), (1, [SLOT_END, Y])])),
        ("", True, (0, [])),
        ("aa", False, UNREADABLE),
        ("ba", True, UNREADABLE),
        ("bé", False, UNREADABLE),
        ("b\ud800", False, UNREADABLE),
    ],
)
def test_strings(text: str, cut: bool, answer: object) -> None:
    result = known()
    for _ in range(2):  # again, now that the string is cached
        assert result.read(text, cut) == answer


def test_characters_are_distinguished_beyond_ascii() -> None:
    to = program()
    result = Made(to, weighted(to), star(to, chars(to, 8)))
    assert result.read("é😀" * 3) == (0, [])
    for wrong in ("éa", "\u0161", "é\U0010ffff", "😀\ud83d"):
        assert result.read(wrong) == UNREADABLE


def test_tasks_of_all_kinds() -> None:
    to = program(declared=7)
    a, b = chars(to, A), chars(to, B)
    twice = task(to, REPEAT, a, task(to, REPEAT, a, None, 1), 0)  # once or twice
    body = task(to, CHOICE, items=[twice, task(to, SEQ, items=[b, task(to, SEQ), task(to, PLAIN, b)])])
    before = mistake(to, b, 2 * UNIT)
    after = mistake(to, task(to, SEQ, items=[b, b, b]), UNIT, after=True)
    closing = task(to, CLOSING, items=[after])
    own = task(to, PLACE, body, closing, None, None)
    result = Made(
        to, weighted(to, 9 * UNIT), task(to, PLACE, body, closing, task(to, ANYTHING), own, before=[before])
    )
    assert result.read("a")[0] == result.read("aa")[0] == result.read("bb")[0] == 0
    assert result.read("ba") == (2 * UNIT, [(0, [4 * before + BEGIN]), (1, [END])])
    assert result.read("abbb") == (UNIT, [(1, [4 * after + BEGIN]), (4, [END])])
    assert result.read("éé") == (5 * UNIT + 8, [(0, [BEGIN]), (2, [END])])  # the only open rule
    assert result.read("") == (4 * UNIT + 8, [(0, [BEGIN, END])])
    nothing = Made(to, weighted(to), task(to, PROSE))
    assert nothing.read("") == nothing.read("a") == UNREADABLE


def test_what_is_wanted_is_reported_and_the_text_read_on() -> None:
    to = program()
    late, end = to.task(), to.task()
    wrong = mistake(to, None)
    place = task(to, PLACE, late, task(to, CLOSING), None, None, items=[wrong])
    sets = weighted(to)
    start = words(to.state(place, 0, 0))
    assert sets.set(start, MUCH)[0] == WANTED
    assert sorted(to.wanted()) == [2 * wrong + 1, 2 * late]
    assert sets.set(start, MUCH)[0] == WANTED  # the task is not described yet
    task(to, SEQ, items=[chars(to, A), end], at=late)
    assert sets.set(start, MUCH)[0] == WANTED
    assert to.wanted() == [2 * wrong + 1]
    to.body(wrong, task(to, PROSE))
    status, first = sets.set(start, MUCH)
    assert status == READ
    assert sets.read("abb", first, False)[0] == WANTED
    assert to.wanted() == [2 * end]
    assert sets.read("abb", -1, False)[0] == WANTED
    with pytest.raises(ValueError, match="made once"):
        task(to, PROSE, at=late)
    some = star(to, chars(to, B))
    task(to, PLAIN, some, at=end)
    status, cost, weight, gone = sets.read("abb", -1, False)
    assert (status, weight, gone) == (READ, 0, [])
    assert sets.read("abbbb", -1, False) == (
        READ,
        cost,
        0,
        [],
    )  # the walk does not read earlier characters again
    with pytest.raises(ValueError, match=r"last place$"):
        sets.read("ab", -1, False)
    assert sets.read("abb", first, False) == (READ, cost, 0, [])


def test_steps() -> None:
    """A string costs the same however much is cached; only new states use the rest of the limit."""
    result = known()
    first = result.first()
    status, cost, *_ = result.sets.read("abb", first, False)
    assert status == READ
    assert result.sets.read("abb", first, False)[1] == cost
    for limit in range(0, cost + 60, 20):
        fresh = known()
        state = words(fresh.program.state(fresh.task, 0, 0))
        results = fresh.sets.set(state, limit)
        if results[0] == READ:
            results = fresh.sets.read("abb", results[1], False)
        assert results[0] == (READ if limit >= cost else LIMIT)
        assert results[1] == cost if limit >= cost else results[1] > limit
        again = fresh.sets.set(state, MUCH)[1]
        assert fresh.sets.read("abb", again, False)[:2] == (READ, cost)


def test_a_set_is_paid_for_once_in_each_string() -> None:
    to = program()
    result = Made(to, weighted(to), star(to, task(to, SEQ, items=[chars(to, A), chars(to, B)])))
    first = result.first()
    costs = [result.sets.read("ab" * times, first, False)[1] for times in (1, 2, 3, 1_000)]
    assert len(set(costs)) <= 2  # the first task may differ from the task after "ab"
    assert costs[1] == costs[3]


def test_there_are_too_many_ways() -> None:
    to = program()
    number = to.task()
    task(to, SEQ, items=[number, chars(to, A)], at=number)  # left-recursive
    result = Made(to, weighted(to), number)
    state = words(to.state(number, 0, 0))
    assert [result.sets.set(state, MUCH)[0] for _ in range(2)] == [TOO_MANY] * 2
    a = Made(to, result.sets, star(to, chars(to, A)))
    assert a.read("aaa") == (0, [])


def test_sets_ignore_duplicates() -> None:
    result = known()
    state = result.program.state(result.task, 0, 0)
    first = result.first()
    assert result.sets.set(words(state, state, state), MUCH) == (READ, first)
    other = known()
    states = words(*[other.program.state(other.task, 0, 0)] * 9)
    for limit in range(0, 400, 3):  # some limits are exceeded while the set is built
        assert other.sets.set(states, limit)[0] in (READ, LIMIT)
    assert other.read("abb") == result.read("abb")


def test_states_are_named_by_their_tasks() -> None:
    to = program()
    inner = task(to, SEQ, items=[chars(to, A)] * 3)
    outer = to.state(inner, 2, 0)
    state = to.state(inner, 1, outer)
    assert (to.at(state), to.at(outer), to.at(0)[2]) == ((inner, 1, outer), (inner, 2, 0), 0)
    assert to.state(inner, 1, outer) == state
    assert to.states() == 3


def test_dropped_states_are_built_again() -> None:
    result = known()
    expected = [result.read(text) for text in ("abb", "bb", "aa")]
    count, _ = result.sets.kept()
    first = result.first()
    result.program.forget()
    assert (result.program.states(), result.sets.kept()[0]) == (1, 0)
    with pytest.raises(IndexError):
        result.sets.read("abb", first, False)
    with pytest.raises(ValueError, match=r"last place$"):
        result.sets.read("abb", -1, False)
    with pytest.raises(IndexError):
        result.sets.tell(column([b"a"]), array("q", [0]), answers(1), first, 0, False, LIMITS)
    assert [result.read(text) for text in ("abb", "bb", "aa")] == expected
    assert result.sets.kept()[0] == count


def nested() -> Made:
    """Return a program for N "a" followed by N "b"; each "a" leads to a new set."""
    to = program()
    number, a, b = to.task(), chars(to, A), chars(to, B)
    inner = task(to, REPEAT, number, None, 1)
    task(to, SEQ, items=[a, inner, b], at=number)
    classes = 256
    pages = bytes(4 if each == 0 else each for each in range(256)) * 2
    return Made(
        to, weighted(to, pages=pages.replace(b"a", b"\1").replace(b"b", b"\2"), classes=classes), number
    )


def test_many_sets() -> None:
    result = nested()
    deep = 3_000
    assert result.read("a" * deep + "b" * deep) == (0, [])
    assert result.sets.kept()[0] > deep
    assert result.read("a" * deep + "b" * (deep - 1)) == UNREADABLE


@pytest.mark.memory
@pytest.mark.usefixtures("little_garbage")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_dropped_states_is_freed() -> None:
    result = nested()
    gc.collect()
    before = resident()
    assert result.read("a" * 40_000, True)[0] == 0
    full = resident()
    assert full - before > 36 << 20  # a row of a set takes one kilobyte
    result.program.forget()
    assert result.sets.kept() == (0, 0)
    assert resident() - before < (full - before) / 2


# ---- rows of columns ----

UNTOLD = (0, -1, 0, 0)


def test_rows() -> None:
    rows = told(known(), [b"ab", b"a", b"b", b"", b"a\xff", b"aba"])
    assert rows[0] == (1, ord("a"), 1, 2, 0, 2, 0, 1, -1, -1)
    assert rows[1] == (1, ord("a"), 1, 1, 0, 1, 0, 1, -1, -1)
    assert [row[:4] for row in rows[2:]] == [UNTOLD] * 4


def anything() -> Made:
    """Return a program for "a", with a mistake that matches "a" and any characters."""
    to = program()
    a = chars(to, A)
    some = star(to, chars(to, ANY))
    body = task(to, SEQ, items=[task(to, SLOT_OF, a, 0), some])
    wrong = mistake(to, body, UNIT, slots((WHOLE, 1)), slots((0, 1), (WHOLE, 1)))
    return Made(to, weighted(to), task(to, PLACE, a, task(to, CLOSING), None, None, items=[wrong]))


@pytest.mark.parametrize(
    ("octets", "at", "point", "end"),
    [(False, 1, 0xE9, 3), (True, 1, 0xE9, 7), (True, 3, 0x1F600, 7), (True, 7, -1, 7)],
)
def test_places_in_bytes(octets: bool, at: int, point: int, end: int) -> None:
    """Blamed positions use the unit of the column; slots always count characters."""
    [row] = told(anything(), ["aé😀".encode()], octets, at)
    assert row == (1, point, 0, end, 0, 1, 0, 3, -1, -1)


@each_row(
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
def test_invalid_utf_8_is_skipped(text: bytes) -> None:
    assert [row[0] for row in told(anything(), [text, b"aa", "aé".encode()])] == [0, 1, 1]


@each_row(
    ("limits", "there"),
    [
        ((1, 0, 1, 0, 0), True),
        ((0, 0, 1, 0, 0), False),
        ((-2, 1, 1, 0, 0), True),  # the first has one less, and each other character one more
        ((-4, 1, 1, 0, 0), False),
        ((1, 10**18, 1, 0, 0), True),
        ((1, 0, 0, 0, 0), False),
        ((10**18, 10**18, 0, 0, 0), False),
        ((1, 0, 1, -1, 0), False),
        ((1, 0, 1, 0, -1), False),
    ],
)
def test_limits(limits: tuple[int, ...], there: bool) -> None:
    """The limits are the smallest that are enough, or one of them is too low."""
    for text in ("abb", "aéb"):
        result = anything()
        cost = result.sets.read(text, result.first(), False)[1]
        least = cost - 1, 0, cost - 1, 3, UNIT
        inputs = tuple(low + more for low, more in zip(least, limits, strict=True))
        for which in (result, anything()):
            assert (told(which, [text.encode()], limits=inputs)[0][0] == 1) is there


def test_rows_that_want_to_know_more_are_read_on() -> None:
    to = program()
    late = to.task()
    some = star(to, task(to, CHOICE, items=[chars(to, B), task(to, SEQ, items=[chars(to, A), late])]))
    results = Made(to, weighted(to), some)
    first, result = results.first(), answers(3)
    inputs = column([b"bb", b"ba", b"b"]), array("q", [0] * 3)
    assert results.sets.tell(*inputs, result, first, 0, False, LIMITS) == (WANTED, 1)
    assert results.sets.tell(*inputs, result, first, 1, True, LIMITS) == (WANTED, 1)
    with pytest.raises(ValueError, match=r"last place$"):  # a string that ends before the recorded position
        results.sets.tell(column([b"bb", b"", b"b"]), inputs[1], result, first, 1, True, LIMITS)
    task(to, SEQ, at=late)
    assert results.sets.tell(*inputs, result, first, 1, True, LIMITS) == (READ, 3)
    assert list(result[0]) == [0, 0, 0]
    assert results.sets.tell(*inputs, result, first, 7, False, LIMITS) == (READ, 7)


@pytest.mark.parametrize("kept", [(1, MUCH, MUCH), (MUCH, 3, MUCH), (MUCH, MUCH, 0)])
def test_states_added_by_rows_are_bounded(kept: tuple[int, ...]) -> None:
    """Only the first requested row may add states."""
    result = known()
    full = Made(result.program, weighted(result.program, kept=kept), result.task)
    rows = column([b"ab", b"abb", b"a", b"abbb"]), array("q", [0] * 4), answers(4)
    begin, times = 0, 0
    while True:
        status, begin = full.sets.tell(*rows, full.first(), begin, False, LIMITS)
        if status == READ:
            break
        assert status == FULL
        assert full.sets.kept()[1]
        result.program.forget()
        times += 1
    assert (begin, list(rows[2][0])) == (4, [1] * 4)
    assert 0 < times < 4


EVENTS: list[Any] = [
    # Items to read; slots to blame; slots of the message; blamed range; ranges in the message.
    ([("mistake", "a")], [], [(WHOLE, 1), (START, 1), (STOP, 1)], (0, 1), [0, 1, 0, 0, 1, 1]),
    ([("mistake", ("slot", 3, "a"))], [(3, 1)], [(3, 1)], (0, 1), [0, 1]),
    ([("mistake", "a")], [(0, 1), (START, 1)], [(0, 1)], (0, 0), [-1, -1]),
    # If slots are nested, only the innermost has an end.
    ([("mistake", ("slot", 0, ("slot", 0, "a")))], [(0, 1)], [(0, 1), (0, 2)], (0, 1), [-1, -1, 0, 1]),
    ([("mistake", ("slot", 0), "a", ("slot", 0))], [(0, 2)], [(0, 1), (0, 2)], (1, 1), [0, 0, 1, 1]),
    ([("mistake", ("slot", 0), "a", ("slot", 1))], [(1, 2), (1, 1)], [(1, 2)], (1, 1), [-1, -1]),
    # Slots and ends of nested mistakes count separately.
    ([("mistake", ("mistake", ("slot", 0, "a")), ("slot", 0))], [(0, 1)], [(0, 2)], (1, 1), [-1, -1]),
    ([("mistake",), ("mistake", ("slot", 0, "a"))], [], [(0, 1)], (0, 0), [-1, -1]),  # only the first
    ([("slot", 0, "a"), ("mistake", ("slot", 0))], [], [(0, 1), (0, 2)], (1, 1), [1, 1, -1, -1]),
    ([("untold",), ("mistake", "a")], [], [], None, []),
    ([("untold", ("mistake", "a"))], [], [], None, []),
    (["a", ("mistake",)], [(STOP, 1)], [], (1, 1), []),
    (["a"], [], [], None, []),
    ([("mistake", *[("slot", 0)] * 32, "a")], [(0, 32)], [(0, 33)], (0, 0), [-1, -1]),
    (
        [("mistake", *[("slot", 0)] * 33, "a")],
        [(0, 1)],
        [(0, 1)],
        None,
        [],
    ),  # more slots than the limit
]


@each_row(("items", "blamed", "said", "place", "shown"), EVENTS)
def test_the_first_mistake(
    items: list[Any],
    blamed: list[tuple[int, int]],
    said: list[tuple[int, int]],
    place: tuple[int, int] | None,
    shown: list[int],
) -> None:
    result = one_way(*items, blamed=slots(*blamed), said=slots(*said))
    [row] = told(result, [b"a"])
    if place is None:
        assert row[:4] == UNTOLD
        return
    assert row[0] > 0
    assert row[1:4] == (ord("a"), *place)
    assert list(row[4 : 4 + len(shown)]) == shown


def test_mistakes_within_mistakes() -> None:
    items: Any = "a"
    for _ in range(200):
        items = ("mistake", items)
    [row] = told(one_way(items, said=slots(*[(WHOLE, 1)] * 8)), [b"a"])
    assert row == (200, ord("a"), 0, 1, *[0, 1] * 3)


def test_the_set_of_all_characters() -> None:
    to = program()
    result = Made(to, weighted(to), task(to, CHARS, 0))
    assert result.read("é") == result.read("\U0010ffff") == (0, [])
