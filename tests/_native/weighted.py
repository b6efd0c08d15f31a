"""Helpers for weighted sets: hand-made programs, their sets, columns, and the results of rows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from abnforge._native import compiled

PAGE_OF = array("H", bytes(2 * 0x1100))
PAGE_OF[0x1F6] = 1
# class 1: "a"; class 2: "b"; class 3: "é" and "😀"
PAGES = bytes(97) + b"\1\2" + bytes(0xE9 - 99) + b"\3" + bytes(22) + b"\3" + bytes(255)
ANY, NONE, A, B = 15, 0, 2, 4  # sets of character classes
UNIT = 1_000_000
ALL_KEPT = (1 << 30,) * 3

# Constants of follow.h: kinds of tasks; events (four times a number, plus the kind of event); slots.
CHARS, SEQ, CHOICE, REPEAT, PLAIN, SLOT_OF, PLACE, CLOSING, ANYTHING, ENDS, SLOT_ENDS, PROSE = range(1, 13)
END, SLOT_END, SLOT, BEGIN = range(4)
WHOLE, START, STOP = -1, -2, -3
READ, WANTED, TOO_MANY, LIMIT, UNREADABLE, _, FULL = range(7)  # the final state
LIMITS = (100_000, 0, 100_000, 100, 50 * UNIT)
MUCH = 1 << 40


def words(*numbers: int) -> Any:
    return array("I", numbers)


def slots(*pairs: tuple[int, int]) -> Any:
    return array("i", [number for pair in pairs for number in pair])


def program(declared: int = 0) -> Any:
    return compiled.Program(declared)


def task(
    to: Any,
    kind: int,
    *numbers: int | None,
    items: Sequence[int] = (),
    before: Sequence[int] = (),
    at: int | None = None,
) -> int:
    """Add a task, or describe task number ``at``, and return its number."""
    number: int = to.task() if at is None else at
    to.make(number, kind, (*numbers, 0, 0, 0, 0)[:4], tuple(items), tuple(before))
    return number


def chars(to: Any, classes: int) -> int:
    return task(to, CHARS, to.charset(classes.to_bytes(32, "little")))


def star(to: Any, item: int) -> int:
    number: int = to.task()
    return task(to, REPEAT, item, number, 1, at=number)


def mistake(
    to: Any, body: int | None, weight: int = UNIT, blamed: Any = b"", said: Any = b"", **more: bool
) -> int:
    after, is_told = more.get("after", False), more.get("is_told", True)
    number: int = to.mistake(weight, after, is_told, blamed, said)
    if body is not None:
        to.body(number, body)
    return number


def weighted(
    of: Any,
    band: int = 3 * UNIT,
    page_of: Any = PAGE_OF,
    pages: Any = PAGES,
    classes: int = 4,
    kept: tuple[int, ...] = ALL_KEPT,
) -> Any:
    return compiled.Weighted(of, page_of, pages, classes, band, kept)


class Made(NamedTuple):
    """A program, its sets, and the first task of a string."""

    program: Any
    sets: Any
    task: int

    def first(self, limit: int = MUCH) -> int:
        """Return the set before the first character of a string."""
        state = self.program.state(self.task, 0, 0)
        status, number = self.sets.set(words(state), limit)
        assert status == READ
        return int(number)

    def read(self, text: str, cut: bool = False) -> Any:
        """Return the weight and events of the best interpretation, or the final state if there is none."""
        status, _, *message = self.sets.read(text, self.first(), cut)
        if status != READ:
            return status
        weight, gone = message
        return weight, [(at, self.events(way)) for at, way in gone]

    def events(self, way: int) -> list[int]:
        results: list[int] = []
        while way:
            event, _, way = self.program.way(way)
            results.append(event)
        return results[::-1]


def known() -> Made:
    """Return a program for any number of "b", with mistake 1: an "a" and any number of "b"."""
    result = program()
    some = star(result, chars(result, B))
    body = task(
        result, SEQ, items=[task(result, SLOT_OF, chars(result, A), 0), task(result, SLOT_OF, some, 5)]
    )
    wrong = mistake(result, body, UNIT + 1, slots((7, 1), (0, 2), (5, 1)), slots((WHOLE, 1), (0, 1), (0, 2)))
    closing = task(result, CLOSING)
    return Made(result, weighted(result), task(result, PLACE, some, closing, None, None, items=[wrong]))


def one_way(*items: Any, blamed: Any = b"", said: Any = b"") -> Made:
    """Return a program for a string with one interpretation.

    An item is "a", ("slot", name, item...), ("mistake", item...), or ("untold", item...) for a mistake
    without a message. Mistakes have weight 0, so that a string can contain many.
    """
    results = program()
    a = chars(results, A)

    def sequence(parts: Sequence[Any]) -> int:
        return task(results, SEQ, items=list(map(item, parts)))

    def item(what: Any) -> int:
        if what == "a":
            return a
        if what[0] == "slot":
            return task(results, SLOT_OF, sequence(what[2:]), what[1])
        return wrong(what[0], sequence(what[1:]))

    def wrong(number: str, body: int) -> int:
        result = mistake(results, body, 0, blamed, said, is_told=number == "mistake")
        return task(results, PLACE, task(results, PROSE), task(results, CLOSING), None, None, items=[result])

    return Made(results, weighted(results), sequence(items))


def column(texts: list[bytes | None], octets: bool = False) -> Any:
    offsets, bits = [0], bytearray(len(texts) // 8 + 1)
    for row, text in enumerate(texts):
        offsets.append(offsets[-1] + len(text or b""))
        bits[row // 8] |= (text is not None) << row % 8
    data = b"".join(text or b"" for text in texts)
    return compiled.Column(4, 0, len(texts), bits, array("i", offsets), (data,), octets)


def answers(count: int) -> tuple[Any, ...]:
    return tuple(
        array(kind, [9] * (size * count)) for kind, size in zip("iiiqq", (1, 1, 16, 1, 1), strict=True)
    )


def told(
    made: Made, texts: list[bytes | None], octets: bool = False, at: int = 0, limits: tuple[int, ...] = LIMITS
) -> list[tuple[int, ...]]:
    """Return for each row its mistake, the offset, the blamed range, and three slots of the message."""
    size = len(texts)
    stops, result = array("q", [at] * size), answers(size)
    first = made.first()
    assert made.sets.tell(column(texts, octets), stops, result, first, 0, False, limits) == (READ, size)
    mistakes, points, results, begins, ends = result
    return [
        (mistakes[row], points[row], begins[row], ends[row], *results[16 * row : 16 * row + 6])
        for row in range(size)
    ]
