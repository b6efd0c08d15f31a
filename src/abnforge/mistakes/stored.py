"""Sets that are known before a text is read: those that texts lead to which people write, stored.

They are found when a bundled grammar is built (``exploring``), so that a first text is read along a table.
Of a set its moves are stored, and what it can end with, but not its members: these are found again by the
moves that lead to it, when a text goes on where the table ends. A set that is made then is known by its
fingerprint, and back in the table if it is one of those.

A row is looked at when a text leads to it. It has, with blanks between them: the fingerprint; the steps that
the set takes; the class and the row by which it is reached first (``-`` for the first row); weight, member
and way of the end (``-`` if a text cannot end there); then moves, each with the classes that make it, the
row that they lead to, the weight, and the number of the path; classes alone are those that lead nowhere. A
path has for each member there the member that it comes from; the members whose ways are not empty; and the
numbers of these ways.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from abnforge.mistakes.events import END, SLOT_END, Begin, CatchAll, Event, SlotBegin, Way
from abnforge.mistakes.model import Mistake
from abnforge.once import once

NOTHING, BETWEEN = "-", b"\n\n"
"""What is not there; and what is between sections: a head, then of each rule a head, its paths, its bands."""

Final = tuple[int, int, Way]
"""Weight, member and way of an end."""


Path = tuple[tuple[int, ...], tuple[Way | int, ...]]
"""For each member of a move's target, the member that it comes from, and the way, or the number of it."""


class Opened:
    """Where a mistake begins: the keys of the rules that are open there, as ``State.trail`` tells them."""

    __slots__ = ("trail",)

    def __init__(self, trail: tuple[str, ...]) -> None:
        self.trail = trail


class Tables:
    """What is stored of some rules, by key."""

    def __init__(self, text: bytes, mistake: Callable[[str], Mistake]) -> None:
        """``text`` is ASCII; ``mistake`` gives the mistake of a key. Most of the text is not looked at."""
        at = text.index(BETWEEN)
        data: dict[str, Any] = json.loads(text[:at])
        self._classes: list[tuple[int, int]] = [(low, number) for low, number in data["classes"]]
        sections: list[memoryview] = []
        whole = memoryview(text)
        for size in data["sizes"]:
            at += len(BETWEEN)
            sections.append(whole[at : at + size])
            at += size
        rules: list[str] = data["rules"]
        each = len(sections) // len(rules)
        self._sections = {
            rule.lower(): sections[place * each : (place + 1) * each] for place, rule in enumerate(rules)
        }
        self._mistake = mistake

    def table(self, key: str) -> Table | None:
        """The table of a rule; None if none is stored."""
        sections = self._sections.get(key)
        return None if sections is None else Table(self._classes, sections, self._mistake)


class Table:
    """What is stored of one rule: its bands, and the ways on their moves. Safe for several threads."""

    def __init__(
        self,
        classes: Sequence[tuple[int, int]],
        sections: Sequence[memoryview],
        mistake: Callable[[str], Mistake],
    ) -> None:
        head, paths, *bands = sections
        data: dict[str, Any] = json.loads(bytes(head))
        self.classes = classes
        self._mistake = mistake
        self._trails = [Opened(tuple(trail)) for trail in data["trails"]]
        self._events: list[str] = data["ways"]
        self._ways: dict[int, Way] = {0: None}
        self._catch_alls: dict[str, CatchAll] = {}
        self._text_of_paths = paths
        self.bands = tuple(Band(self, rows) for rows in bands)

    @once
    def _paths(self) -> list[str]:
        return _lines(self._text_of_paths)

    def way(self, number: int) -> Way:
        """The way of a number; 0 is the empty one."""
        found = self._ways.get(number)
        if found is None and number:
            for event in reversed(self._events[number - 1].split(" ")):
                found = self._event(event), found
            found = self._ways.setdefault(number, found)
        return found

    def _event(self, text: str) -> Event:
        kind, rest = text[0], text[1:]
        if kind == "E":
            return END
        if kind == "e":
            return SLOT_END
        if kind == "S":
            return SlotBegin(rest)
        name, _, trail = rest.rpartition("/")
        opened = self._trails[int(trail)]
        if kind == "B":
            return Begin(self._mistake(name), opened)
        return Begin(self._catch_alls.setdefault(name, CatchAll(name)), opened)

    def path(self, number: int) -> Path:
        """The path of a number."""
        found, members, taken = self._paths[number].split(" ")
        sources = numbers(found)
        ways: list[Way | int] = [None] * len(sources)
        for member, way in zip(numbers(members), numbers(taken), strict=True):
            ways[member] = way
        return tuple(sources), tuple(ways)


def numbers(text: str) -> list[int]:
    """Numbers between commas; ``3-5`` stands for 3, 4, 5, and ``3*5`` for 3 five times."""
    found: list[int] = []
    for each in text.split(",") if text else ():
        if each.isdecimal():
            found.append(int(each))
        elif "-" in each:
            first, _, last = each.partition("-")
            found.extend(range(int(first), int(last) + 1))
        else:
            first, _, times = each.partition("*")
            found.extend([int(first)] * int(times))
    return found


class Row:
    """A stored set: see above. ``moves`` are what leads from it, by class; None for what leads nowhere."""

    __slots__ = ("access", "final", "most", "moves", "number")

    def __init__(self, band: Band, number: int, text: str) -> None:
        _, most, access, final, *moves = text.split(" ")
        self.number = number
        self.most = int(most)
        self.access: tuple[int, int] | None = None
        if access != NOTHING:
            by, _, before = access.partition(".")
            self.access = int(by), int(before)
        self.final: Final | None = None
        if final != NOTHING:
            weight, member, way = map(int, final.split("."))
            self.final = weight, member, band.table.way(way)
        self.moves: dict[int, tuple[int, int, int] | None] = {}
        for move in moves:
            classes, *found = move.split(":")
            made = (int(found[0]), int(found[1]), int(found[2])) if found else None
            self.moves.update(dict.fromkeys(numbers(classes), made))


class Band:
    """The stored sets of one band; the first is that of the empty text."""

    def __init__(self, table: Table, text: memoryview) -> None:
        self.table = table
        self._text = text

    @once
    def _rows(self) -> list[str]:
        return _lines(self._text)

    @once
    def _numbers(self) -> dict[str, int]:
        return {row.partition(" ")[0]: number for number, row in enumerate(self._rows)}

    def row(self, number: int) -> Row:
        """The row of a number."""
        return Row(self, number, self._rows[number])

    def number(self, fingerprint: str) -> int | None:
        """The number of the row that a set has."""
        return self._numbers.get(fingerprint)


def _lines(text: memoryview) -> list[str]:
    return str(text, "ascii").split("\n")
