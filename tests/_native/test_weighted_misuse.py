"""Programs and weighted sets in the C extension reject invalid calls without leaking memory."""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable
from random import Random
from threading import Thread
from typing import Any

import pytest

from abnforge._native import compiled
from tests._native.test_binding import resident
from tests._native.weighted import (
    ANYTHING,
    CHARS,
    CHOICE,
    CLOSING,
    LIMITS,
    MUCH,
    NONE,
    PAGES,
    PLACE,
    PLAIN,
    PROSE,
    REPEAT,
    SEQ,
    SLOT_OF,
    UNIT,
    UNREADABLE,
    WHOLE,
    Made,
    answers,
    chars,
    column,
    known,
    mistake,
    program,
    slots,
    task,
    told,
    weighted,
    words,
)
from tests.law import each_row

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

STOPS = array("q", [0])


def ask(**changed: Any) -> Any:
    """Call ``tell`` with valid arguments, except those that the test changes."""
    results = known()
    inputs: dict[str, Any] = {"column": None, "stops": STOPS, "answers": None, "first": results.first()}
    inputs |= {"begin": 0, "again": False, "limits": LIMITS, **changed}
    read = column([b"a"]) if inputs["column"] is None else inputs["column"]
    result = inputs["answers"] or answers(1)
    return results.sets.tell(
        read,
        inputs["stops"],
        result,
        inputs["first"],
        inputs["begin"],
        inputs["again"],
        inputs["limits"],
    )


def out_of_line(kind: str, size: int) -> memoryview:
    """Return a misaligned buffer of numbers."""
    return memoryview(bytearray(array(kind, [0]).itemsize * size + 1))[1:]


def with_task(*arguments: Any) -> Any:
    """Return a program after adding a task. It has one mistake and the tasks 0 to 3."""
    result = program()
    mistake(result, 0)
    result.task()
    return result.make(result.task(), *arguments)


NUMBERS = (0, 0, 0, 0)
OUTSIDE = (4, -1, 1 << 32, 1 << 64)


@each_row(
    ("call", "error"),
    [
        (lambda: compiled.Program(), TypeError),
        (lambda: compiled.Program("1"), TypeError),
        (lambda: compiled.Program(declared=1), TypeError),
        (lambda: weighted(None), TypeError),
        (lambda: weighted(known().sets), TypeError),
        (lambda: weighted(program(), page_of=bytes(2 * 0x1100 - 2)), ValueError),
        (lambda: weighted(program(), page_of=array("H", [2] * 0x1100)), ValueError),
        (lambda: weighted(program(), pages=b""), ValueError),
        (lambda: weighted(program(), pages=PAGES[1:]), ValueError),
        (lambda: weighted(program(), pages="text"), TypeError),
        (lambda: weighted(program(), classes=3), ValueError),
        (lambda: weighted(program(), classes=257), ValueError),
        (lambda: weighted(program(), classes=0), ValueError),
        (lambda: weighted(program(), band=-1), ValueError),
        (lambda: weighted(program(), band=(1 << 29) + 1), ValueError),
        (lambda: weighted(program(), band=1 << 32), OverflowError),
        (lambda: weighted(program(), kept=(1, -1, 1)), ValueError),
        (lambda: weighted(program(), kept=(1, 1)), TypeError),
        (lambda: program().charset(bytes(31)), ValueError),
        (lambda: program().charset(bytes(33)), ValueError),
        (lambda: program().charset("a" * 32), TypeError),
        (lambda: program().make(2, PROSE, NUMBERS, (), ()), IndexError),
        (lambda: program().make(0, PROSE, NUMBERS, (), ()), ValueError),
        (lambda: with_task(0, NUMBERS, (), ()), ValueError),
        (lambda: with_task(PROSE + 1, NUMBERS, (), ()), ValueError),
        (lambda: with_task(-1, NUMBERS, (), ()), ValueError),
        (lambda: with_task(1 << 32, NUMBERS, (), ()), OverflowError),
        (lambda: with_task(PROSE, (0, 0, 0), (), ()), TypeError),
        (lambda: with_task(PROSE, (1, 0, 0, 0), (), ()), IndexError),
        (lambda: with_task(PROSE, NUMBERS, (0,), ()), IndexError),
        (lambda: with_task(SEQ, NUMBERS, (0,), (0,)), IndexError),
        (lambda: with_task(SEQ, NUMBERS, [0], ()), TypeError),
        (lambda: with_task(SEQ, NUMBERS, ("0",), ()), TypeError),
        (lambda: with_task(SEQ, NUMBERS, (None,), ()), TypeError),
        (lambda: with_task(CHARS, (1, 0, 0, 0), (), ()), IndexError),
        (lambda: with_task(CHARS, (None, 0, 0, 0), (), ()), TypeError),
        (lambda: with_task(REPEAT, (0, None, 2, 0), (), ()), IndexError),
        (lambda: with_task(SLOT_OF, (0, 1 << 30, 0, 0), (), ()), IndexError),
        (lambda: with_task(PLACE, NUMBERS, (2,), ()), IndexError),
        (lambda: with_task(PLACE, NUMBERS, (), (2,)), IndexError),
        (lambda: with_task(PLACE, (0, 0, None, None), (), (1,)), ValueError),
        (lambda: with_task(CLOSING, NUMBERS, (0, 1, 2), ()), IndexError),
        *(
            (
                lambda kind=kind, place=place, wrong=wrong: with_task(
                    kind, (*NUMBERS[:place], wrong, *NUMBERS[place + 1 :]), (), ()
                ),
                (IndexError, OverflowError),
            )
            for kind, place in (
                (REPEAT, 0),
                (REPEAT, 1),
                (PLAIN, 0),
                (SLOT_OF, 0),
                *((PLACE, at) for at in range(4)),
            )
            for wrong in OUTSIDE
        ),
        *(
            (
                lambda kind=kind, wrong=wrong: with_task(kind, NUMBERS, (0, wrong), ()),
                (IndexError, OverflowError),
            )
            for kind in (SEQ, CHOICE, PLACE)
            for wrong in OUTSIDE
        ),
        (lambda: mistake(program(), None, -1), ValueError),
        (lambda: mistake(program(), None, (1 << 29) + 1), ValueError),
        (lambda: mistake(program(), None, said=slots(*[(WHOLE, 1)] * 9)), ValueError),
        (lambda: mistake(program(), None, blamed=b"1234567"), ValueError),
        (lambda: mistake(program(), None, said=b"1234567"), ValueError),
        (lambda: mistake(program(), None, said=""), TypeError),
        (lambda: program().body(0, 0), ValueError),  # not a mistake
        (lambda: program().body(1, 0), IndexError),
        (lambda: mistake(program(), 2), IndexError),
        (lambda: [result := program(), result.body(mistake(result, 0), 0)], ValueError),  # it has a body
        (lambda: program().state(2, 0, 0), IndexError),
        (lambda: program().state(0, 1, 0), IndexError),
        (lambda: program().state(0, 0, 1), IndexError),
        (lambda: [result := program(), result.state(task(result, SEQ, items=[0, 0]), 2, 0)], IndexError),
        (lambda: program().at(1), IndexError),
        (lambda: program().at(-1), OverflowError),
        (lambda: program().at(None), TypeError),
        (lambda: program().way(1), IndexError),
        (lambda: known().sets.set(words(), MUCH), ValueError),
        (lambda: known().sets.set(words(1), MUCH), ValueError),
        (lambda: known().sets.set(words(0xFFFFFFFF), MUCH), ValueError),
        (lambda: known().sets.set(b"\0\0\0\0\0", MUCH), ValueError),
        (lambda: known().sets.set([0], MUCH), TypeError),
        (lambda: known().sets.set(words(0), "1"), TypeError),
        (lambda: known().sets.read("a", 0, False), IndexError),
        (lambda: known().sets.read("a", -1, False), ValueError),  # no task was begun
        (lambda: [result := known(), result.first(), result.sets.read("a", -1, False)], ValueError),
        (lambda: [result := known(), result.sets.read("a", result.first() + 1, False)], IndexError),
        (lambda: known().sets.read(b"a", 0, False), TypeError),
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
def test_invalid_arguments(call: Callable[[], object], error: Any) -> None:
    with pytest.raises(error):
        call()


def test_rejected_calls_change_nothing() -> None:
    result = known()
    expected = result.read("abb")
    unknown = result.program.task()
    for wrong in (99, -1, None):
        with pytest.raises((IndexError, OverflowError, TypeError)):
            result.program.make(unknown, SEQ, NUMBERS, (result.task, result.task, wrong), ())
        with pytest.raises((IndexError, OverflowError, TypeError)):
            result.program.make(
                unknown, PLACE, (result.task, result.task, None, result.task), (1,), (1, wrong)
            )
    task(result.program, SEQ, items=[result.task], at=unknown)
    assert Made(result.program, result.sets, unknown).read("abb") == expected


def test_buffers_may_begin_anywhere_where_they_are_copied() -> None:
    result = program()
    mistake(result, 0, UNIT, out_of_line("i", 2), out_of_line("i", 2))
    empty = task(result, SEQ)
    assert result.state(empty, 0, 0) == 1
    sets = weighted(result)
    states = out_of_line("I", 1)
    states[:] = b"\1\0\0\0"
    assert sets.set(states, MUCH) == (0, 0)
    assert sets.read("", 0, False)[0] == 0


def test_buffers_are_let_go_of() -> None:
    """A buffer that is in use cannot be resized. Rejected calls must also release it."""
    for place in range(8):
        inputs = [bytearray(size) for size in (8, 4, 4, 64, 8, 8)]
        if place < 6:
            del inputs[place][:1]
        result = known()
        first = result.first() + (place == 6)  # the number of an unknown set
        try:
            result.sets.tell(column([b"a"]), inputs[0], tuple(inputs[1:]), first, 0, False, LIMITS)
        except (ValueError, IndexError):
            assert place < 7
        for each in inputs:
            each += b"1"


class Forgetful:
    """A buffer that makes the program forget its sets when the program requests it."""

    def __init__(self, made: Made, kind: str) -> None:
        self._made = made
        self._kind = kind

    def __buffer__(self, flags: int) -> memoryview:
        self._made.program.forget()
        return memoryview(array(self._kind, [0] * 16))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="buffers are made in C alone")
def test_what_gives_a_buffer_may_make_the_program_forget() -> None:
    result = known()
    states = result.first()
    for place in range(6):
        inputs = [
            Forgetful(result, kind) if at == place else array(kind, [0] * 16)
            for at, kind in enumerate("qiiiqq")
        ]
        first = result.first()
        assert result.read("abb")[0] == UNIT + 1
        with pytest.raises(IndexError):
            result.sets.tell(column([b"abb"]), inputs[0], tuple(inputs[1:]), first, 0, False, LIMITS)
    assert result.first() == states


def test_threads() -> None:
    """Several threads share a program, and one of them makes it forget its sets."""
    results = known()
    others = [Made(results.program, weighted(results.program), results.task) for _ in range(3)]
    wrong: list[object] = []

    def read(which: Made) -> None:
        for number in range(400):
            try:
                result = which.read("a" + "b" * (number % 9))
            except (IndexError, ValueError, AssertionError):  # the program forgot its sets between two calls
                continue
            if result != UNREADABLE and result[0] != UNIT + 1:
                wrong.append(result)

    def forget() -> None:
        for _ in range(400):
            results.program.forget()

    threads = [Thread(target=read, args=(each,)) for each in others] + [Thread(target=forget)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert others[0].read("abb")[0] == UNIT + 1


# ---- random input ----

ERRORS = (ValueError, IndexError, TypeError, OverflowError, BufferError)
KINDS = (CHARS, SEQ, CHOICE, REPEAT, PLAIN, SLOT_OF, PLACE, CLOSING, ANYTHING, 10, 11, PROSE)


def garbage(random: Random, most: int) -> int:
    """Return a random number that is mostly valid and sometimes far too large."""
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
    return random.choice(edges) if random.random() < 0.03 else random.randrange(max(1, most))


def numbers_of(random: Random, kind: int, tasks: int) -> tuple[int | None, ...]:
    """Return plausible arguments for a task of a kind."""
    any_task = garbage(random, tasks)
    maybe = random.choice((None, garbage(random, tasks)))
    few = garbage(random, 2)
    of = {
        CHARS: (garbage(random, 4), 0, 0, 0),
        REPEAT: (any_task, maybe, few, 0),
        PLAIN: (any_task, 0, 0, 0),
        SLOT_OF: (any_task, few, 0, 0),
        PLACE: (any_task, garbage(random, tasks), maybe, garbage(random, tasks)),
    }
    return of.get(kind, (0, 0, 0, 0))


@pytest.mark.parametrize("seed", range(5))
def test_calls_in_any_order_with_any_numbers(seed: int) -> None:
    """Calls with any description stay within their memory, as sanitizers check (tools/sanitize.sh)."""
    random = Random(seed)
    result = program(garbage(random, 9) & 0xFFFFFFFF)
    sets = [weighted(result, random.choice((0, UNIT, 4 * UNIT))) for _ in range(2)]
    tasks, mistakes, states, first = 2, 1, 1, 1
    for classes in (NONE, 2, 6):
        chars(result, classes)
    texts = ["", "a", "b", "ab" * 20, "aé", "😀a\ud800", "a" * 300]
    rows = [each.encode(errors="surrogatepass") for each in texts]
    columns = [column([*rows, b"\xff"]), column(list(reversed(rows)), True), column([None, b"a"])]
    right = asked = 0
    for _ in range(2_000):
        call, which = random.randrange(14), random.choice(sets)
        count = random.choice((0, 1, 1, 1, 2, 3))
        asked += 1
        try:
            if call == 0:
                tasks = result.task() + 1
            elif call in (1, 2, 3):
                kind = random.choice(KINDS)
                most = mistakes if kind in (PLACE, CLOSING) else tasks
                items = tuple(
                    garbage(random, most)
                    for _ in range(count if kind in (SEQ, CHOICE, PLACE, CLOSING) else 0)
                )
                before = tuple(garbage(random, mistakes) for _ in range(count if kind == PLACE else 0))
                result.make(garbage(random, tasks), kind, numbers_of(random, kind, tasks), items, before)
            elif call == 4:
                pairs = slots(*[(random.randrange(-4, 4), random.randrange(3)) for _ in range(count)])
                mistakes = result.mistake(garbage(random, 3 * UNIT), count > 1, count > 0, pairs, pairs) + 1
            elif call == 5:
                result.body(garbage(random, mistakes), garbage(random, tasks))
            elif call == 6:
                result.state(garbage(random, tasks), garbage(random, 2), garbage(random, states))
                states = result.states()
            elif call in (7, 8):
                value = words(*[garbage(random, states) & 0xFFFFFFFF for _ in range(count)])
                status, number = which.set(value, random.choice((0, 300, 2_000, 100_000)))
                first = number + 1 if status == 0 else first
            elif call in (9, 10):
                which.read(
                    random.choice(texts), random.choice((-1, garbage(random, first))), random.random() < 0.7
                )
            elif call == 11:
                (
                    result.at(garbage(random, states)),
                    result.way(garbage(random, 9)),
                    result.wanted(),
                    which.kept(),
                )
                if random.random() < 0.05:
                    result.forget()
                    states = 1
            else:
                asked_for, size = random.choice(columns), random.randrange(9)
                stops = array("q", [random.choice((-1, 0, 1, 5, 1 << 40)) for _ in range(8)])
                limits = tuple(abs(garbage(random, 100_000)) for _ in range(5))
                begin, again = garbage(random, 3), random.random() < 0.3
                which.tell(asked_for, stops, answers(size), garbage(random, first), begin, again, limits)
            right += 1
        except ERRORS:
            pass
    assert asked / 4 < right < asked


@pytest.mark.memory
@pytest.mark.usefixtures("little_garbage")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("calls", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_nothing_is_kept(calls: int) -> None:
    def everything() -> None:
        result = known()
        result.read("abbb"), result.read("é", True), result.read("")
        told(result, [b"ab", "aé".encode(), b"\xff"])
        result.program.forget()
        (
            result.read("abbb"),
            result.program.wanted(),
            result.program.states(),
            result.sets.kept(),
            result.program.at(1),
        )
        wrong: Any
        for wrong in (
            lambda: result.sets.read("a", 9, False),
            lambda: result.sets.set(words(99), MUCH),
            lambda: result.program.charset(b"1"),
            lambda: result.program.make(0, SEQ, NUMBERS, (0, 1), ()),
            lambda: with_task(SEQ, NUMBERS, (0, 99), ()),
            lambda: mistake(result.program, None, blamed=b"1"),
            lambda: weighted(result.program, band=-1),
            lambda: weighted(result.program, classes=1),
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
