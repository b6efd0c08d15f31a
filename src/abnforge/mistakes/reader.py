"""Texts read by a rule or its mistakes: the cheapest reading, and the next ones that begin with another code.

Bands are widened until the reading is known to be the cheapest. Where the budget, or the widest band, ends
that before, the best reading so far is given, and says that it may not be. Every text has a reading: at worst
anything at all in the place of the whole rule.

Of a long text a window around the place where it fails is read (see ``windows``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.mistakes.assembly import Assembly
from abnforge.mistakes.bound import BoundMistakes
from abnforge.mistakes.events import Way
from abnforge.mistakes.lanes import BANDS, Lane
from abnforge.mistakes.model import Mistake
from abnforge.mistakes.readings import Found, Reading, unreadable
from abnforge.mistakes.states import CATCH_ALL, CATCH_ALL_CHARACTER, UNIT, State
from abnforge.mistakes.walks import Walk
from abnforge.mistakes.windows import MAX_WHOLE, windows

MAX_KEPT_EXCLUSIONS = 4
"""Sets of codes whose lanes are kept for further readings: each has sets of its own."""

MAX_BAND_STEPS, MAX_NARROW_STEPS = 400_000, 100_000
"""Steps for one band: where more would be needed, less of a text is read; and for that."""


class Reader:
    """Reads texts by one rule and the mistakes in it. Not for several threads at once.

    ``start`` is the rule's name, ``lane`` what reads by all mistakes. Reading one text may cost ``budget``.
    Raises UnknownNameError for a rule that does not exist, GrammarError for one whose recursion is not read
    (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str, budget: Budget = DEFAULT) -> None:
        self.bound = bound
        self.rule = bound.grammar.outline[bound.grammar.key(start)].name
        self.budget = budget
        self._lanes: OrderedDict[frozenset[str], Lane] = OrderedDict()
        self.lane = Lane(bound, self.rule.lower())
        self._assembly = Assembly(bound.names, self.rule)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(lane.kept for lane in (self.lane, *self._lanes.values()))

    def read(self, text: str, around: int | None = None) -> Reading:
        """The cheapest reading; one without mistakes exactly if the rule derives the text.

        ``around`` is the length of the text's longest viable prefix. With it, a text of more than
        ``MAX_WHOLE`` characters, or one that takes too long, is read with mistakes in a window around that
        place alone (``Reading.window``). The fixes of such a reading make the text valid only if no mistake
        is behind the window. Where nothing can be read within the limits, the reading is that of anything
        at all, and not exact: so in texts that are nested thousands of rules deep.

        Cost: linear in the text, or the window and a look-up for each character before it, for each band
        that is tried.
        """
        return self._read(text, around, self.lane)

    def readings(self, text: str, limit: int = 3, around: int | None = None) -> tuple[Reading, ...]:
        """The cheapest reading, then the cheapest that does without the mistake that came first in
        it, and so on: at most ``limit`` in all, none of them without a mistake but the first.
        """
        return tuple(islice(self.in_turn(text, around), limit))

    def in_turn(self, text: str, around: int | None = None) -> Iterator[Reading]:
        """The readings that ``readings`` gives, each read when it is asked for."""
        reading = self._read(text, around, self.lane)
        yield reading
        without: frozenset[str] = frozenset()
        while reading.found and reading.found[0].mistake is not None:
            without |= {reading.found[0].code}
            reading = self._read(text, around, self._without(without))
            yield reading

    def first_mistakes(
        self, column: Any, offsets: Any, answers: Any, heaviest: int | None = None
    ) -> Sequence[Mistake | None] | None:
        """The first mistakes of the rows of a column of the kernel, as ``Walk.tell`` tells them, each by its
        number in what is given back; 0 stands for what ``readings`` has to tell, and for readings that weigh
        more than ``heaviest``. None without the kernel, and where no text can be read within the limits.
        """
        lane = self.lane
        sets = lane.bands[0]
        if not isinstance(sets, Walk):
            return None
        most = sets.band if heaviest is None else min(heaviest, sets.band)
        steps, more = self.budget.steps // len(BANDS), self.budget.per_character // len(BANDS)
        limits = steps, more, MAX_BAND_STEPS, MAX_WHOLE, most
        done, rows = 0, memoryview(offsets).nbytes // 8
        while done < rows:
            self._forget_if_full(lane)
            try:
                done = sets.tell(column, offsets, answers, limits, done)
            except LimitExceeded:
                return None
        return sets.mistakes

    def _without(self, codes: frozenset[str]) -> Lane:
        lane = self._lanes.pop(codes, None)
        if lane is None:
            lane = self.lane.without(codes)
        self._lanes[codes] = lane
        if len(self._lanes) > MAX_KEPT_EXCLUSIONS:
            self._lanes.popitem(last=False)
        return lane

    def _forget_if_full(self, lane: Lane) -> None:
        if lane.full:
            lane.forget()
            self._assembly.forget()  # it knows ways of the states that were dropped

    def _read(self, text: str, around: int | None, lane: Lane) -> Reading:
        self._forget_if_full(lane)
        if around is None:
            return self._read_window(text, 0, len(text), lane, MAX_BAND_STEPS)[0]
        wide, narrow = windows(len(text), around)
        reading, ended = self._read_window(text, *wide, lane, MAX_BAND_STEPS)
        return reading if ended else self._read_window(text, *narrow, lane, MAX_NARROW_STEPS)[0]

    def _read_window(self, text: str, begin: int, end: int, lane: Lane, most: int) -> tuple[Reading, bool]:
        """The best reading with mistakes in a window; and whether that ended within the limits."""
        before: tuple[State | None, ...] | None = None
        if begin:
            try:
                before = lane.behind(text[:begin], self._meter(text))
            except LimitExceeded:
                before = ()
            if not before:
                return self._anything(text, exact=False), False
        letters = lane.letters(text[begin:end])
        cut = end < len(text)
        budget = self.budget
        limit = min((budget.steps + budget.per_character * (end - begin)) // len(BANDS), most)
        best: tuple[int, list[tuple[int, Way]]] | None = None
        weight = whole = self._whole(end - begin)
        for sets in lane.bands:
            try:
                found = sets.read(letters, limit, start=before, cut=cut)
            except LimitExceeded:
                exact = ended = False
                break
            if found is not None and (best is None or found[0] < best[0]):
                best = found
                weight = best[0]
            exact, ended = min(whole, weight) <= sets.band, True
            if exact:
                break
        if best is None:
            return self._anything(text, exact=exact), ended
        ways = [(begin + at, way) for at, way in best[1]] if begin else best[1]
        made = self._assembly.found(ways, end)
        window = (begin, end) if begin or cut else None
        return Reading(self.rule, text, _cost(weight), made, exact, window), ended

    def _meter(self, text: str) -> Meter:
        return self.budget.meter(f"parsing {self.rule} with its mistakes", len(text), rule=self.rule)

    def _whole(self, size: int) -> int:
        """What it weighs to read anything at all, so many characters, in the place of the whole rule."""
        return CATCH_ALL + self.bound.count + 1 + CATCH_ALL_CHARACTER * size

    def _anything(self, text: str, *, exact: bool) -> Reading:
        """The reading that every text has."""
        catch_all = Found(unreadable(self.rule), None, 0, len(text), (), (), (self.rule,))
        return Reading(self.rule, text, _cost(self._whole(len(text))), (catch_all,), exact)


def _cost(weight: int) -> float:
    """A weight as a price, in halves: the order of mistakes is not part of it."""
    return weight // CATCH_ALL_CHARACTER * CATCH_ALL_CHARACTER / UNIT
