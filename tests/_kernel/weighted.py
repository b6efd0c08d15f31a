"""Weighted sets made by hand, columns to read by them, and what is told of rows."""

from __future__ import annotations

from array import array
from typing import Any

from abnforge._kernel.loaded import compiled

PAGE_OF = array("H", bytes(2 * 0x1100))
PAGE = bytes(97) + b"\1" + bytes(158)  # "a" is of class 1
END, SLOT_END, SLOT, BEGIN = range(4)  # events: four times a number, and one of these
WHOLE, START, STOP = -1, -2, -3  # slots that are words
LIMITS = (1_000, 0, 1_000, 100, 50)
MOVE, ENDING, NOTHING = 1, 2, 3  # what is missing


def words(*numbers: int) -> Any:
    return array("I", numbers)


def slots(*pairs: tuple[int, int]) -> Any:
    return array("i", [number for pair in pairs for number in pair])


def weighted(page_of: Any = PAGE_OF, pages: Any = PAGE, classes: int = 2) -> Any:
    return compiled.Weighted(page_of, pages, classes)


def one() -> Any:
    """A set of two members, a way and a path, and nothing that is known of a text."""
    made = weighted()
    made.add(10, 2)
    made.way(words(END))
    made.path(words(0, 1), words(0, 1))
    return made


def known() -> Any:
    """Two sets; by "a" a mistake begins with a slot, or goes on; others do nothing in the second set."""
    made = weighted()
    assert (made.add(10, 1), made.add(5, 2)) == (0, 1)
    assert made.mistake(slots((7, 1), (0, 2), (0, 1)), slots((WHOLE, 1), (0, 1), (0, 2))) == 1
    assert made.way(words(4 + BEGIN, SLOT)) == 1
    assert made.way(words(SLOT_END, END)) == 2
    assert made.path(words(0, 0), words(1, 0)) == 0
    assert made.path(words(1, 0), words(0, 0)) == 2
    made.learn(0, "a", 1, 7, 0)
    made.learn(1, "a", 1, 3, 2)
    made.learn(1, "b", 1, 0, -1)
    made.learn(0, "b", -1, 0, -1)
    made.end(1, 2, 0, 2)
    made.end(0, -1, 0, 0)
    return made


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
    made: Any, texts: list[bytes | None], octets: bool = False, at: int = 0, limits: tuple[int, ...] = LIMITS
) -> list[tuple[int, ...]]:
    """Of each row: mistake, character, what is blamed, and the three slots of its sentence."""
    size = len(texts)
    stops, found = array("q", [at] * size), answers(size)
    assert made.tell(column(texts, octets), stops, found, 0, 0, False, limits)[:2] == (0, size)
    mistakes, points, said, begins, ends = found
    return [
        (mistakes[row], points[row], begins[row], ends[row], *said[16 * row : 16 * row + 6])
        for row in range(size)
    ]
