"""Weighted sets as the kernel walks them: what was found of them is told to it, and texts are read in C.

A walk has a number for every set that texts have led to, and learns each move and each end when a text first
asks for it. The answers are those of ``sets``, which finds what is not known yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from abnforge._kernel.loaded import compiled
from abnforge.errors import LimitExceeded
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.events import Begin, End, Event, SlotBegin, Way, in_order
from abnforge.mistakes.messages import slots_said
from abnforge.mistakes.model import ALL, END, START, Mistake, Slot
from abnforge.mistakes.stored import Final

MAX_CLASSES = 256
"""Classes of characters that the kernel can tell apart."""

MAX_KEPT_MEMBERS = 20_000_000
"""Members on all paths that the kernel keeps, of eight octets each."""

MOST_SLOTS = 8
"""Slots of a sentence that are told with the mistakes of a column."""

_WORDS = {ALL: -1, START: -2, END: -3}
_END, _SLOT_END, _SLOT, _BEGIN = range(4)  # events: four times a number, and one of these
_MOVE, _ENDING = 1, 2  # what the kernel asks for


class Move(Protocol):
    """To ``target`` for ``weight`` more; for each member there the member it comes from, and the way."""

    target: Any
    weight: int
    sources: tuple[int, ...]
    ways: tuple[Way | int, ...]

    @property
    def idle(self) -> bool:
        """Whether nothing is done."""


class Finder(Protocol):
    """What finds out about sets."""

    def begin(self, limit: int) -> None:
        """So many steps may be taken for what a text leads to."""

    def move(self, live: Any, char: str) -> Any:
        """The move of a set by a character, or None."""

    def final(self, live: Any) -> Final | None:
        """How a text can end in a set."""

    def way(self, way: Way | int) -> Way:
        """A way, or the one of a number."""


class Walk:
    """The sets of one band that are known to the kernel. Not for several threads at once."""

    def __init__(self, sets: Finder, classes: Classes) -> None:
        self._sets = sets
        self._made_of = *classes.pages, len(classes)
        self._names: dict[str, int] = {}
        self.mistakes: list[Mistake | None] = [None]
        self._numbers_of_mistakes: dict[str, int] = {}
        self.forget()

    @classmethod
    def of(cls, sets: Finder, classes: Classes) -> Walk | None:
        """None without the kernel, and where there are too many classes of characters."""
        return cls(sets, classes) if compiled is not None and len(classes) <= MAX_CLASSES else None

    def forget(self) -> None:
        """Drop all that is known, but for the numbers of mistakes."""
        self._weighted = compiled.Weighted(*self._made_of)
        for mistake in self.mistakes:
            if mistake is not None:
                self._tell_slots(mistake)
        self._lives: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._paths: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._ways: list[Way] = [None]
        self._numbers_of_ways: dict[Way | int, int] = {None: 0}
        self.kept = 0

    @property
    def full(self) -> bool:
        """Whether more is known than is worth keeping."""
        return self.kept > MAX_KEPT_MEMBERS

    def read(self, text: str, first: Any, cut: bool) -> tuple[int, tuple[int, list[tuple[int, Way]]] | None]:
        """What the sets that a text leads to take in steps; and the weight of its best reading, and the ways
        on it that are not empty, each with its offset: None if there is no reading.

        ``first`` is the set that the text begins in, and one that is ``cut`` may end anywhere.
        """
        kind, cost, *told = self._weighted.read(text, self._number(first, first.members), cut)
        while kind in (_MOVE, _ENDING):
            point, number = told
            self._learn(kind, number, chr(point))
            kind, cost, *told = self._weighted.read(text, -1, cut)
        if kind:
            return cost, None
        ways = self._ways
        return cost, (told[0], [(at, ways[way]) for at, way in told[1]])

    def tell(
        self,
        column: Any,
        offsets: Any,
        answers: Any,
        first: Any,
        limits: tuple[int, ...],
        begin: int,
        full: Callable[[], bool],
    ) -> int:
        """The first mistakes of the rows of a column of the kernel, all of which are rejected, from row
        ``begin`` on. Gives the number of rows; or of the one to go on with, once so much was learned that it
        is ``full``: then ``forget``.

        ``offsets`` is a buffer with the offset where reading each row stopped.
        ``answers`` are buffers with room for each row: the number of its mistake (one of
        ``mistakes``; 0 where that is not told so), the character at the offset, begin and end of
        ``MOST_SLOTS`` slots of the sentence, and begin and end of what is blamed. ``limits`` are the steps
        that a text may cost, those for each character more, and the most for one band; the longest text; and
        the heaviest reading.
        """
        start = self._number(first, first.members)
        most = limits[2]
        at, again = begin, False
        while True:
            told = self._weighted.tell(column, offsets, answers, start, at, again, limits)
            kind, row, point, number = told
            if not kind:
                return int(row)
            if row != at or not again:
                if row > begin and full():
                    return int(row)
                self._sets.begin(most)
            at = row
            try:
                self._learn(kind, number, chr(point))
                again = True
            except LimitExceeded:  # the row is not told so
                at, again = row + 1, False

    def _number(self, live: Any, members: Sequence[object] | None) -> int:
        """The number of a set; one whose members are not known has the first state alone."""
        found = self._numbers.get(live)
        if found is None:
            size = 1 if members is None else len(members)
            found = self._numbers[live] = self._weighted.add(min(live.most, 0xFFFFFFFF), size)
            self._lives.append(live)
        return found

    def _learn(self, kind: int, number: int, char: str) -> None:
        live = self._lives[number]
        if kind == _ENDING:
            final = self._sets.final(live)
            weight, member, way = (-1, 0, None) if final is None else final
            self._weighted.end(number, weight, member, self._way(way))
            return
        move = self._sets.move(live, char)
        if move is None:
            self._weighted.learn(number, char, -1, 0, -1)
        elif move.target is live and move.idle:
            self._weighted.learn(number, char, number, 0, -1)
        else:
            target = self._number(move.target, move.sources)
            self._weighted.learn(number, char, target, move.weight, self._path(move))

    def _path(self, move: Move) -> int:
        key = move.sources, tuple(map(self._way, move.ways))
        found = self._paths.get(key)
        if found is None:
            found = self._paths[key] = self._weighted.path(array("I", key[0]), array("I", key[1]))
            self.kept += len(key[0])
        return found

    def _way(self, way: Way | int) -> int:
        found = self._numbers_of_ways.get(way)
        if found is None:
            meant = self._sets.way(way)
            events = array("I", [self._event(each) for each in in_order(meant)])
            found = self._numbers_of_ways[way] = self._weighted.way(events)
            self._ways.append(meant)
        return found

    def _event(self, event: Event) -> int:
        match event:
            case Begin(what=what):
                return 4 * (self._mistake(what) if isinstance(what, Mistake) else 0) + _BEGIN
            case End():
                return _END
            case SlotBegin(name=name):
                return 4 * self._name(name) + _SLOT
            case _:
                return _SLOT_END

    def _mistake(self, mistake: Mistake) -> int:
        """The number of a mistake; 0 for one whose sentence cannot be told from its slots."""
        found = self._numbers_of_mistakes.get(mistake.key)
        if found is None:
            found, shown = 0, slots_said(mistake)
            if mistake.say is not None and len(shown) <= MOST_SLOTS:
                found = self._tell_slots(mistake)
                self.mistakes.append(mistake)
            self._numbers_of_mistakes[mistake.key] = found
        return found

    def _tell_slots(self, mistake: Mistake) -> int:
        return int(self._weighted.mistake(self._slots(mistake.blame), self._slots(slots_said(mistake))))

    def _slots(self, slots: Sequence[Slot]) -> array[int]:
        return array("i", [part for slot in slots for part in (self._name(slot.name), slot.turn)])

    def _name(self, name: str) -> int:
        word = _WORDS.get(name)
        return self._names.setdefault(name, len(self._names)) if word is None else word
