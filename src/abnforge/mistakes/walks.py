"""Texts and columns read by weighted sets in the kernel, which makes those that it does not know yet.

The answers are those of ``sets``.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from abnforge._kernel.loaded import compiled
from abnforge.errors import LimitExceeded
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.events import Way
from abnforge.mistakes.model import Mistake
from abnforge.mistakes.program import Program
from abnforge.mistakes.sets import over_the_limit
from abnforge.mistakes.states import MAX_FOLLOWED, State, too_many_ways
from abnforge.uncollected import LARGE, uncollected

MAX_CLASSES = 256
"""Classes of characters that the kernel can tell apart."""

_READ, _WANTED, _TOO_MANY, _LIMIT, _UNREADABLE = range(5)  # how reading ends, as follow.h has it
_MOST_STEPS = (1 << 62) - 1


class Walk:
    """The sets of one band in the kernel, without some codes. Not for several threads at once.

    ``band`` is how much dearer than the cheapest a state may be; ``kept`` are the numbers of sets, of states
    and of members on paths from which on it is ``full``.
    """

    def __init__(
        self,
        program: Program,
        classes: Classes,
        band: int,
        kept: tuple[int, int, int],
        without: frozenset[str],
    ) -> None:
        self.band = band
        self._program = program
        self._begin: int | None = None  # the set of the empty text
        self._begun = program.forgotten
        self._sets = compiled.Weighted(
            program.kernel, *classes.pages, len(classes), band, kept, program.flags(without)
        )

    def __len__(self) -> int:
        return int(self._sets.kept()[0])

    @property
    def full(self) -> bool:
        """Whether more is known than is worth keeping."""
        return bool(self._sets.full)

    @property
    def mistakes(self) -> Sequence[Mistake | None]:
        """The mistakes by the numbers that ``tell`` gives; None stands for what is no mistake."""
        return self._program.mistakes

    def read(
        self, text: str, limit: int, *, start: tuple[State | None, ...] | None = None, cut: bool = False
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        """The best reading of a text, as ``Sets.read`` gives it."""
        limit = min(limit, _MOST_STEPS)
        if start is None and self._begin is not None and self._begun == self._program.forgotten:
            number, allowed = self._begin, limit
        else:
            number, allowed = self._first(limit, start), -1
        status, cost, *told = self._sets.read(text, number, cut, allowed)
        if status == _WANTED:
            with uncollected(LARGE):  # what is told is kept, and none of it is garbage
                while status == _WANTED:
                    self._program.tell()
                    status, cost, *told = self._sets.read(text, -1, cut)
        if status in (_TOO_MANY, _LIMIT):
            raise _ended(status, cost, limit)
        if cost > limit:
            raise over_the_limit(cost, limit)
        if status == _UNREADABLE:
            return None
        weight, gone = told
        known = self._program.ways
        return weight, [(at, known[way]) for at, way in gone]

    def tell(self, column: Any, offsets: Any, answers: Any, limits: tuple[int, ...], begin: int) -> int:
        """The first mistakes of the rows of a column of the kernel, all of which are rejected, from row
        ``begin`` on. Gives the number of rows; or of the one to go on with, once so much was learned that
        this is ``full``: then ``forget``. Raises LimitExceeded where no text can be read within the limits.

        ``offsets`` is a buffer with the offset where reading each row stopped.
        ``answers`` are buffers with room for each row: the number of its mistake (one of
        ``mistakes``; 0 where that is not told so), the character at the offset, begin and end of
        ``MOST_SLOTS`` slots of the sentence, and begin and end of what is blamed. ``limits`` are the steps
        that a text may cost, those for each character more, and the most for one band; the longest text; and
        the heaviest reading.
        """
        first = self._first(limits[2], None)
        again = False
        while True:
            status, row = self._sets.tell(column, offsets, answers, first, begin, again, limits)
            if status != _WANTED:
                return int(row)
            with uncollected(LARGE):
                self._program.tell()
            begin, again = row, True

    def _first(self, limit: int, start: tuple[State | None, ...] | None) -> int:
        """The number of the set that a text begins in, for which so many steps may be taken."""
        program = self._program
        starts = (program.states.start,) if start is None else start
        states = array("I", map(program.state, starts))
        with uncollected(LARGE):
            status, number = self._sets.set(states, limit)
            while status == _WANTED:
                self._program.tell()
                status, number = self._sets.set(states, limit)
        if status != _READ:
            raise _ended(status, number, limit)
        if start is None:
            self._begin, self._begun = number, program.forgotten
        return int(number)


def _ended(status: int, used: int, limit: int) -> LimitExceeded:
    return over_the_limit(used, limit) if status == _LIMIT else too_many_ways(MAX_FOLLOWED + 1)
