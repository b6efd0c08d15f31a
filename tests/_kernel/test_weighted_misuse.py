"""Weighted sets of the kernel refuse what cannot be, and keep nothing."""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from abnforge._kernel.loaded import compiled
from tests._kernel.test_binding import resident
from tests._kernel.weighted import (
    BEGIN,
    LIMITS,
    NOTHING,
    PAGE,
    WHOLE,
    answers,
    column,
    known,
    one,
    slots,
    told,
    weighted,
    words,
)

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

STOPS = array("q", [0])


def ask(**changed: Any) -> Any:
    """A call of ``tell`` that is right, but for what is changed."""
    given: dict[str, Any] = {"column": None, "stops": STOPS, "answers": None, "first": 0}
    given |= {"begin": 0, "again": False, "limits": LIMITS, **changed}
    read = column([b"a"]) if given["column"] is None else given["column"]
    found = given["answers"] or answers(1)
    return known().tell(
        read,
        given["stops"],
        found,
        given["first"],
        given["begin"],
        given["again"],
        given["limits"],
    )


def out_of_line(kind: str, size: int) -> memoryview:
    """A buffer of numbers that begins where none of them does."""
    return memoryview(bytearray(array(kind, [0]).itemsize * size + 1))[1:]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: weighted(page_of=bytes(2 * 0x1100 - 2)), ValueError),
        (lambda: weighted(page_of=array("H", [1] * 0x1100)), ValueError),
        (lambda: weighted(pages=b""), ValueError),
        (lambda: weighted(pages=PAGE[1:]), ValueError),
        (lambda: weighted(classes=1), ValueError),
        (lambda: weighted(classes=257), ValueError),
        (lambda: weighted(classes=0), ValueError),
        (lambda: weighted(pages="text"), TypeError),
        (lambda: weighted().add(-1, 1), ValueError),
        (lambda: weighted().add(1, -1), ValueError),
        (lambda: weighted().add(1 << 32, 1), ValueError),
        (lambda: weighted().add(1, 1 << 32), ValueError),
        (lambda: weighted().add(1 << 64, 1), OverflowError),
        (lambda: weighted().add("1", 1), TypeError),
        (lambda: one().way(words(8 + BEGIN)), ValueError),
        (lambda: one().way(words(0xFFFFFFFF)), ValueError),
        (lambda: one().way(b"123"), ValueError),
        (lambda: one().way([0]), TypeError),
        (lambda: one().mistake(slots(), slots(*[(WHOLE, 1)] * 9)), ValueError),
        (lambda: one().mistake(b"1234567", b""), ValueError),
        (lambda: one().mistake(b"", b"1234567"), ValueError),
        (lambda: one().mistake("", b""), TypeError),
        (lambda: one().path(words(0), words()), ValueError),
        (lambda: one().path(words(0), words(2)), ValueError),
        (lambda: one().path(words(0), words(0xFFFFFFFF)), ValueError),
        (lambda: one().path(b"12345", b"\0\0\0\0\0"), ValueError),
        (lambda: one().path(words(0), None), TypeError),
        (lambda: one().end(1, 0, 0, 0), IndexError),
        (lambda: one().end(-1, 0, 0, 0), IndexError),
        (lambda: one().end(0, -2, 0, 0), ValueError),
        (lambda: one().end(0, 0, 2, 0), ValueError),
        (lambda: one().end(0, 0, -1, 0), ValueError),
        (lambda: one().end(0, 0, 1 << 32, 0), ValueError),
        (lambda: one().end(0, 0, 0, 2), ValueError),
        (lambda: one().end(0, 0, 0, -1), ValueError),
        (lambda: one().end(0, -1, 0, 1 << 32), ValueError),
        (lambda: one().end(0, 1 << 31, 0, 0), OverflowError),
        (lambda: one().learn(1, "a", 0, 0, 0), IndexError),
        (lambda: one().learn(-1, "a", 0, 0, 0), IndexError),
        (lambda: one().learn(0, "a", 1, 0, 0), IndexError),
        (lambda: one().learn(0, "ab", 0, 0, 0), TypeError),
        (lambda: one().learn(0, "a", 0, -1, 0), ValueError),
        (lambda: one().learn(0, "a", 0, 0, 1), ValueError),
        (lambda: one().learn(0, "a", 0, 0, (1 << 63) - 1), ValueError),
        (lambda: one().learn(0, "a", 0, 1 << 31, 0), OverflowError),
        (lambda: [made := one(), made.add(1, 2), made.learn(0, "a", 1, 0, -1)], ValueError),
        (lambda: [made := one(), made.add(1, 0), made.learn(0, "a", 1, 0, 0)], ValueError),  # no members
        (lambda: [made := one(), made.add(1, 1), made.learn(1, "a", 0, 0, 0)], ValueError),  # no such source
        (lambda: weighted().read("a", 0, False), IndexError),
        (lambda: weighted().read("a", -1, False), ValueError),
        (lambda: one().read("a", -1, False), ValueError),  # none was begun
        (lambda: one().read("a", 1, False), IndexError),
        (lambda: one().read(b"a", 0, False), TypeError),
        (lambda: ask(column=1), TypeError),
        (lambda: ask(first=2), IndexError),
        (lambda: ask(first=-1), IndexError),
        (lambda: ask(begin=-1), ValueError),
        (lambda: ask(again=True), ValueError),
        (lambda: ask(column=column([None])), ValueError),
        (lambda: ask(column=compiled.Column(4, 0, 1, None, array("i", (0, 9)), (b"a",), False)), ValueError),
        (lambda: ask(stops=b""), ValueError),
        (lambda: ask(stops=None), TypeError),
        (lambda: ask(stops=out_of_line("q", 1)), ValueError),
        *(
            (
                lambda place=place, wrong=wrong: ask(
                    answers=(*answers(1)[:place], wrong, *answers(1)[place + 1 :])
                ),
                error,
            )
            for place, kind, size in zip(range(5), "iiiqq", (1, 1, 16, 1, 1), strict=True)
            for wrong, error in (
                (array(kind, [0] * (size - 1)), ValueError),
                (out_of_line(kind, size), ValueError),
                (bytes(100), BufferError),
                (None, TypeError),
            )
        ),
        *(
            (lambda place=place: ask(limits=(*LIMITS[:place], -1, *LIMITS[place + 1 :])), ValueError)
            for place in range(4)
        ),
        (lambda: ask(limits=(1, 1, 1, (1 << 29) + 1, 1)), ValueError),
        (lambda: ask(limits=(1 << 63, 1, 1, 1, 1)), OverflowError),
        (lambda: ask(limits=(1, 1, 1, 1)), TypeError),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.slow
def test_there_are_so_many_sets_at_most() -> None:
    made = weighted(pages=bytes(256), classes=1)
    for number in range(1 << 22):
        assert made.add(1, 1) == number
    with pytest.raises(OverflowError, match="at most 4194304 sets"):
        made.add(1, 1)
    made.learn((1 << 22) - 1, "a", -1, 0, -1)
    assert made.read("a", (1 << 22) - 1, True) == (NOTHING, 1, ord("a"), (1 << 22) - 1)


def test_buffers_may_begin_anywhere_where_they_are_copied() -> None:
    made = weighted()
    made.add(1, 1)
    made.mistake(out_of_line("i", 2), out_of_line("i", 2))
    made.way(out_of_line("I", 2))
    assert made.path(out_of_line("I", 1), out_of_line("I", 1)) == 0
    made.learn(0, "a", 0, 5, 0)
    assert made.read("aa", 0, True) == (0, 1, 10, [])


def test_buffers_are_let_go_of() -> None:
    """Also where one of them is refused: what is held cannot be resized."""
    for place in range(7):
        given = [bytearray(size) for size in (8, 4, 4, 64, 8, 8)]
        if place < 6:
            del given[place][:1]
        made = known()
        try:
            made.tell(column([b"a"]), given[0], tuple(given[1:]), 0, 0, False, LIMITS)
        except ValueError:
            assert place < 6
        for each in given:
            each += b"1"


# ---- anything at all ----

ERRORS = (ValueError, IndexError, TypeError, OverflowError, BufferError)


def garbage(random: Random, most: int) -> int:
    """A number that is often there, and sometimes far from it."""
    edges = (
        -1,
        0,
        1,
        2,
        7,
        255,
        1 << 31,
        (1 << 31) - 1,
        1 << 32,
        (1 << 32) - 1,
        -(1 << 31),
        1 << 63,
        -(1 << 63),
    )
    return random.choice(edges) if random.random() < 0.1 else random.randrange(max(1, most))


def some_words(random: Random, most: int, count: int) -> bytes:
    numbers = [garbage(random, most) & 0xFFFFFFFF for _ in range(count)]
    return words(*numbers).tobytes()[: random.choice((None, None, None, None, None, None, -1))]


@pytest.mark.parametrize("seed", range(5))
def test_calls_in_any_order_with_any_numbers(seed: int) -> None:
    """Nothing is read or written outside, whatever was told: a sanitizer watches (tools/sanitize.sh)."""
    random = Random(seed)
    made, sets, ways, mistakes, paths = weighted(), 0, 1, 1, 0
    texts = ["", "a", "b", "ab" * 20, "aé", "😀a\ud800", "a" * 300]
    rows = [each.encode(errors="surrogatepass") for each in texts]
    columns = [column([*rows, b"\xff"]), column(list(reversed(rows)), True), column([None, b"a"])]
    right = asked = 0
    for _ in range(2_000):
        call = random.randrange(12)
        count = random.choice((0, 1, 1, 1, 2, 3, 40))
        asked += 1
        try:
            if call == 0:
                sets = made.add(garbage(random, 100), random.choice((0, 1, 1, 2, garbage(random, 4)))) + 1
            elif call == 1:
                mistakes = (
                    made.mistake(some_words(random, 3, 2 * count), some_words(random, 3, 2 * count)) + 1
                )
            elif call == 2:
                ways = made.way(some_words(random, 4 * mistakes, count)) + 1
            elif call == 3:
                paths = made.path(some_words(random, 3, count), some_words(random, ways, count)) + 1
            elif call == 4:
                made.end(
                    garbage(random, sets), garbage(random, 30) - 1, garbage(random, 2), garbage(random, ways)
                )
            elif call in (5, 6, 7):
                given = garbage(random, sets), random.choice("aab\ud800😀"), garbage(random, sets)
                made.learn(*given, garbage(random, 30), random.choice((-1, garbage(random, paths))))
            elif call in (8, 9):
                made.read(
                    random.choice(texts), random.choice((-1, garbage(random, sets))), random.random() < 0.7
                )
            else:
                which, size = random.choice(columns), random.randrange(9)
                stops = array("q", [random.choice((-1, 0, 1, 5, 1 << 40)) for _ in range(8)])
                limits = [abs(garbage(random, 1_000)) for _ in range(5)]
                begin, again = garbage(random, 3), random.random() < 0.3
                made.tell(which, stops, answers(size), garbage(random, sets), begin, again, tuple(limits))
            right += 1
        except ERRORS:
            pass
    assert asked / 4 < right < asked


@pytest.mark.usefixtures("little_garbage")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("calls", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_nothing_is_kept(calls: int) -> None:
    def everything() -> None:
        made = known()
        made.read("abab", 0, False), made.read("é", 0, True), made.read("", 0, False)
        told(made, [b"ab", "aé".encode(), b"\xff"])
        wrong: Any
        for wrong in (
            lambda: made.read("a", 9, False),
            lambda: made.way(words(99)),
            lambda: made.path(words(0), words(99)),
            lambda: made.mistake(b"1", b""),
            lambda: made.add(-1, 0),
            lambda: ask(stops=b""),
            lambda: ask(answers=(bytearray(3), *answers(1)[1:])),
        ):
            with pytest.raises((ValueError, IndexError)):
                wrong()

    for _ in range(100):
        everything()
    gc.collect()
    before, blocks = resident(), sys.getallocatedblocks()
    for _ in range(calls):
        everything()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert resident() - before < 2 << 20
