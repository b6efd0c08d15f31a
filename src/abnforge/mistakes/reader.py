"""Texts read by a rule or its mistakes: the cheapest reading, and the next ones that begin with another code.

Bands are widened until the reading is known to be the cheapest. Where the budget, or the widest band, ends
that before, the best reading so far is given, and says that it may not be. Every text has a reading: at worst
anything at all in the place of the whole rule.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field, replace

from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.mistakes.augmented import Augmented
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.model import Mistake, Slot
from abnforge.mistakes.readings import Found, Reading, SlotSpan, unreadable
from abnforge.mistakes.sets import MAX_KEPT_SETS, MAX_KEPT_STATES, Classes, Sets
from abnforge.mistakes.states import (
    CATCH_ALL,
    CATCH_ALL_CHARACTER,
    UNIT,
    Begin,
    CatchAll,
    End,
    SlotBegin,
    States,
    Way,
)

BANDS = (3 * UNIT, 8 * UNIT, 24 * UNIT)
"""How much dearer than the cheapest a state may be on the way: narrow first: most texts have one mistake."""

MAX_KEPT_EXCLUSIONS = 4
"""Sets of codes whose readers are kept for further readings: each has sets of its own."""


class Reader:
    """Reads texts by one rule and the mistakes in it. Not for several threads at once.

    ``start`` is the rule's name. Reading one text may cost ``budget``. Raises UnknownName for a rule
    that does not exist, GrammarError for one whose recursion is not read (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str, budget: Budget = DEFAULT) -> None:
        self.bound = bound
        self.rule = bound.grammar.rules[bound.grammar.key(start)].name
        self.budget = budget
        self._lanes: OrderedDict[frozenset[str], _Lane] = OrderedDict()
        self._all = _Lane(bound, self.rule.lower(), frozenset())

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(lane.kept for lane in (self._all, *self._lanes.values()))

    def read(self, text: str) -> Reading:
        """The cheapest reading; one without mistakes exactly if the rule derives the text.

        Cost: linear in the text, for each band that is tried.
        """
        return self._read(text, self._all, self._meter(text))

    def readings(self, text: str, limit: int = 3) -> tuple[Reading, ...]:
        """The cheapest reading, then the cheapest that does without the mistake that came first in
        it, and so on: at most ``limit`` in all, none of them without a mistake but the first.
        """
        meter = self._meter(text)
        found = [self._read(text, self._all, meter)]
        without: frozenset[str] = frozenset()
        while len(found) < limit and found[-1].found and found[-1].found[0].mistake is not None:
            without |= {found[-1].found[0].code}
            found.append(self._read(text, self._without(without), meter))
        return tuple(found)

    def _meter(self, text: str) -> Meter:
        return self.budget.meter(f"reading {self.rule} with its mistakes", len(text), rule=self.rule)

    def _without(self, codes: frozenset[str]) -> _Lane:
        lane = self._lanes.pop(codes, None)
        if lane is None:
            lane = _Lane(self.bound, self.rule.lower(), codes)
        self._lanes[codes] = lane
        if len(self._lanes) > MAX_KEPT_EXCLUSIONS:
            self._lanes.popitem(last=False)
        return lane

    def _read(self, text: str, lane: _Lane, meter: Meter) -> Reading:
        lane.forget_if_full()
        whole = CATCH_ALL + len(self.bound.mistakes.mistakes) + 1 + CATCH_ALL_CHARACTER * len(text)
        best: tuple[int, list[tuple[int, Way]]] | None = None
        exact = False
        for sets in lane.bands:
            try:
                found = sets.read(text, meter)
            except LimitExceeded:
                break
            if found is not None and (best is None or found[0] < best[0]):
                best = found
            exact = min(whole, best[0] if best else whole) <= sets.band
            if exact:
                break
        if best is None:
            catch_all = Found(unreadable(self.rule), None, 0, len(text), (), (), (self.rule,))
            return Reading(self.rule, text, _cost(whole), (catch_all,), exact)
        return Reading(self.rule, text, _cost(best[0]), self._found(best[1]), exact)

    def _found(self, ways: list[tuple[int, Way]]) -> tuple[Found, ...]:
        """The mistakes on a way, outermost ones."""
        top = _Open(None, 0, (), ())
        stack = [top]
        for at, way in ways:
            events = []
            while way is not None:
                events.append(way[0])
                way = way[1]
            for event in reversed(events):
                current = stack[-1]
                match event:
                    case Begin(what=what, state=state):
                        # What is within a mistake is within the rules around that, too.
                        rules = (*current.rules, *(key for key in state.trail if '"' not in key))
                        stack.append(_Open(what, at, rules, self._trail(what, rules)))
                    case End():
                        stack.pop()
                        stack[-1].inner.append(current.close(at, stack[-1].slot))
                    case SlotBegin(name=name):
                        current.turns[name] += 1
                        current.slots.append(SlotSpan(Slot(name, current.turns[name]), at, at))
                        current.in_slot = True
                    case _:
                        current.slots[-1] = replace(current.slots[-1], end=at)
                        current.in_slot = False
        return tuple(top.inner)

    def _trail(self, what: Mistake | CatchAll, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The names of some rules, with the one that a mistake is about."""
        if isinstance(what, Mistake) and what.about is not None and keys[-1] != what.about:
            keys = (*keys, what.about)
        return tuple(self.bound.core.names[key] if key else self.rule for key in keys)


def _cost(weight: int) -> float:
    """A weight as a price, in halves: the order of mistakes is not part of it."""
    return weight // CATCH_ALL_CHARACTER * CATCH_ALL_CHARACTER / UNIT


@dataclass
class _Open:
    """A mistake that has begun."""

    what: Mistake | CatchAll | None
    start: int
    rules: tuple[str, ...]  # the keys of those that are open where it begins
    trail: tuple[str, ...]
    slots: list[SlotSpan] = field(default_factory=list)
    in_slot: bool = False  # the last one has not ended; slots do not nest
    inner: list[Found] = field(default_factory=list)
    turns: Counter[str] = field(default_factory=Counter)

    @property
    def slot(self) -> Slot | None:
        """The slot that is open."""
        return self.slots[-1].slot if self.in_slot else None

    def close(self, end: int, within: Slot | None) -> Found:
        assert self.what is not None
        mistake = self.what if isinstance(self.what, Mistake) else None
        code = mistake.code if mistake is not None else unreadable(self.trail[-1])
        return Found(code, mistake, self.start, end, tuple(self.slots), tuple(self.inner), self.trail, within)


class _Lane:
    """Everything that reads by some of the mistakes: the bands over the same states."""

    def __init__(self, bound: BoundMistakes, start: str, without: frozenset[str]) -> None:
        augmented = Augmented(bound, start, without)
        self._states = States(augmented)
        classes = Classes(augmented)
        self.bands = tuple(Sets(self._states, classes, band) for band in BANDS)

    @property
    def kept(self) -> int:
        return sum(map(len, self.bands))

    def forget_if_full(self) -> None:
        if self.kept > MAX_KEPT_SETS or len(self._states) > MAX_KEPT_STATES:
            self._states.forget()
            for sets in self.bands:
                sets.forget()
