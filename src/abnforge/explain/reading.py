"""Texts read by a rule or its mistakes: the cheapest reading, and the next ones that begin with another code.

Bands are widened until the reading is known to be the cheapest. Where the budget, or the widest band, ends
that before, the best reading so far is given, and says that it may not be. Every text has a reading: at worst
anything at all in the place of the whole rule.

Of a long text a window around the place where it fails is read (see ``windows``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import islice
from typing import Any

from abnforge._native import compiled
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.error_grammar import (
    CATCH_ALL,
    CATCH_ALL_CHARACTER,
    UNIT,
    ErrorGrammar,
    ErrorState,
    ErrorStates,
    Event,
    MistakeBegin,
    MistakeEnd,
    SlotBegin,
    Way,
    Wildcard,
    in_order,
)
from abnforge.explain.mistakes import ALL, END, MAX_SHOWN, START, Mistake, Slot, fill
from abnforge.explain.prefixes import Prefixes
from abnforge.explain.program import Program
from abnforge.explain.weighted import MAX_CLASSES, NativeSearch, WeightedDeterminizer
from abnforge.records import NamedTuple
from abnforge.rejection import UNREADABLE
from abnforge.text import in_quotes, shortened

# Everything that reads texts by some of the mistakes of a grammar: one band after the other, and windows.


BEAM_WIDTHS = (3 * UNIT + UNIT // 2, 8 * UNIT + UNIT // 2, 24 * UNIT + UNIT // 2)
"""How much dearer than the cheapest a state may be on the way: narrow first: most texts have one mistake. The
halves are for the order of mistakes, which weighs something, too."""

MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS = 20_000, 400_000, 20_000_000
"""Sets and states worth keeping for what is read next (the mistakes of URIs have some thousand); and members
on all paths that the kernel keeps, of eight octets each."""

MAX_PREFIX_STEPS = 150_000
"""Steps for what stands before a window: texts of rules that recurse can lead to new sets without end."""


class BandedSearch:
    """The bands over the same states, for one rule and without some codes. Not for several threads at once.

    Raises GrammarError where the rule's recursion is not read (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.classes = bound.classes
        self.states = ErrorStates(ErrorGrammar(bound, start))
        self._prefixes = Prefixes(self.states, self.classes)
        self.program: Program | None = None
        if compiled is not None and len(self.classes) <= MAX_CLASSES:
            self.program = Program(self.states, self.classes)
        self.bands = self._bands(frozenset())

    def without(self, codes: frozenset[str]) -> BandedSearch:
        """The same without some codes. What the kernel knows of states is shared."""
        other = copy(self)
        if self.program is None:  # here states know where they lead, which depends on the codes
            other.states = ErrorStates(self.states.augmented, codes)
            other._prefixes = Prefixes(other.states, self.classes)
        other.bands = other._bands(codes)
        return other

    def _bands(self, without: frozenset[str]) -> tuple[NativeSearch | WeightedDeterminizer, ...]:
        if self.program is None:
            return tuple(
                WeightedDeterminizer(self.states, self.classes, band, MAX_KEPT_SETS) for band in BEAM_WIDTHS
            )
        kept = MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS
        return tuple(NativeSearch(self.program, self.classes, band, kept, without) for band in BEAM_WIDTHS)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(map(len, self.bands)) + len(self._prefixes)

    @property
    def full(self) -> bool:
        """Whether there are more states and sets than are worth keeping."""
        if len(self.states) > MAX_KEPT_STATES or len(self._prefixes) > MAX_KEPT_SETS:
            return True
        return any(sets.full for sets in self.bands)

    def forget(self) -> None:
        """Drop all states and sets, and those of lanes that share the states."""
        self.states.forget()
        self._prefixes.forget()
        if self.program is not None:
            self.program.forget()  # and the sets of its states
        for sets in self.bands:
            if isinstance(sets, WeightedDeterminizer):
                sets.forget()

    def letters(self, text: str) -> str:
        """The text with one character of each class in the place of all, unless it is ASCII alone."""
        return text if text.isascii() else text.translate(self.classes.representatives)

    def behind(self, prefix: str, meter: Meter) -> tuple[ErrorState | None, ...]:
        """The states behind a text that is read without a mistake; none if it begins no valid one.

        Raises LimitExceeded where that takes more than ``MAX_PREFIX_STEPS`` steps. Cost: linear.
        """
        part = meter.part("reading the input before a window", MAX_PREFIX_STEPS, "MAX_PREFIX_STEPS")
        return self._prefixes.read(self.letters(prefix), part)


# Which part of a text is read with mistakes: all of it, or what lies around the place where it fails.
#
# What stands before a window was read without a mistake by the grammar, so a window begins with the states
# that this leads to; it may end in any state, as nobody knows what is behind it.


MAX_WHOLE = 20_000
"""Characters of a text that is read as a whole, wherever it fails."""

WINDOW, NARROW = 400, 24
"""Characters before and behind the place where a longer text fails that are read with mistakes; and those of
any text, where more take too long."""

Window = tuple[int, int]
"""A part of a text: from an offset up to another one."""


def windows(size: int, around: int) -> tuple[Window, Window]:
    """The part of a text of ``size`` characters that is read, and the one where that takes too long;
    ``around`` is the length of its longest viable prefix.
    """
    narrow = max(0, around - NARROW), min(size, around + NARROW)
    if size <= MAX_WHOLE:
        return (0, size), narrow
    return (max(0, around - WINDOW), min(size, around + WINDOW)), narrow


# Readings of a text: which mistakes it has, where, and what their slots are. Values, fit to travel.


def unreadable(rule: str) -> str:
    """The code of a rule's catch-all."""
    return f"{UNREADABLE}-{rule}"


class SlotSpan(NamedTuple):
    """A slot and where it is in the text: code points from ``start`` up to ``end``."""

    slot: Slot
    start: int
    end: int


class FoundMistake(NamedTuple):
    """A mistake in a text: its code, what it takes up, its slots and the mistakes within these.

    ``mistake`` is None for a catch-all. ``rule_path`` names the rules from the one that the text is read by
    to the one that the mistake stands in, or the one that it is said to be about. ``within`` is the slot that
    it is in of the mistake around it.
    """

    code: str
    mistake: Mistake | None
    start: int
    end: int
    slots: tuple[SlotSpan, ...]
    inner: tuple[FoundMistake, ...]
    rule_path: tuple[str, ...]
    within: Slot | None = None

    def slot_span(self, slot: Slot) -> tuple[int, int] | None:
        """Where a slot is, or what one of the words stands for; None if the text does not have it."""
        if slot == ALL:
            return self.start, self.end
        if slot in (START, END):
            place = self.start if slot == START else self.end
            return place, place
        return next(((each.start, each.end) for each in self.slots if each.slot == slot), None)

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the first blamed slot that is present, else of the mistake."""
        for slot in self.mistake.blame if self.mistake is not None else ():
            span = self.slot_span(slot)
            if span is not None:
                return span
        return self.start, self.end

    def message(self, text: str) -> str:
        """Return a message about the mistake in a string."""
        if self.mistake is not None and self.mistake.say is not None:
            texts = {each.slot: text[each.start : each.end] for each in self.slots}
            texts[ALL] = text[self.start : self.end]
            return fill(self.mistake.say, texts)
        start, end = self.span
        rule = self.rule_path[-1]
        if self.mistake is None:
            if start == end:
                return f"{rule} is missing at offset {start}"
            return f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} is not a valid {rule}"
        where = f"{rule} at offset {start}"
        if start < end:
            where = f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} in {rule}"
        return f"{where} is not valid: {self.code}"


class Interpretation(NamedTuple):
    """One way to read a text by ``rule``: what it costs, and the mistakes in it from left to right.

    ``exact`` tells that no other reading costs less; else the budget ended the search before. ``window`` is
    the part of a long text, from an offset up to another one, in which mistakes were looked for; None where
    that is all of it. Mistakes before a window there are none; behind it there may be more.
    """

    rule: str
    text: str
    cost: float
    found: tuple[FoundMistake, ...]
    exact: bool = True
    window: tuple[int, int] | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all mistakes, nested ones behind those that they are in."""
        return tuple(each.code for each in self.all_found)

    @property
    def all_found(self) -> tuple[FoundMistake, ...]:
        """All mistakes, nested ones behind those that they are in."""
        result: list[FoundMistake] = []
        waiting = list(reversed(self.found))
        while waiting:
            each = waiting.pop()
            result.append(each)
            waiting.extend(reversed(each.inner))
        return tuple(result)


# What was found, made of the ways of a reading: the mistakes that begin and end on it, and their slots.


MAX_KEPT_WAYS = 20_000
"""Ways that are known before all are forgotten."""


class Assembly:
    """Makes what was found in texts that are read by ``rule``; ``names`` are those of rules by key."""

    def __init__(self, names: Mapping[str, str], rule: str) -> None:
        self._names = names
        self._rule = rule
        self.forget()

    def forget(self) -> None:
        """Drop what is known of ways."""
        self._events: dict[Way, tuple[Event, ...]] = {}
        self._begun: dict[MistakeBegin, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def found(self, ways: Iterable[tuple[int, Way]], end: int) -> tuple[FoundMistake, ...]:
        """The outermost mistakes on some ways, each with its offset; those that are open end at ``end``."""
        if len(self._events) > MAX_KEPT_WAYS:
            self.forget()
        top = current = _Open(None, 0, (), ())
        stack = [top]
        for at, way in ways:
            events = self._events.get(way)
            if events is None:
                events = self._events[way] = in_order(way)
            for event in events:
                if isinstance(event, MistakeBegin):
                    current = self._open(event, at, current)
                    stack.append(current)
                elif isinstance(event, MistakeEnd):
                    stack.pop()
                    stack[-1].inner.append(current.close(at, stack[-1].slot))
                    current = stack[-1]
                elif isinstance(event, SlotBegin):
                    current.begin_slot(event.name, at)
                else:
                    current.end_slot(at)
        while len(stack) > 1:
            current = stack.pop()
            if current.slot is not None:
                current.end_slot(end)
            stack[-1].inner.append(current.close(end, stack[-1].slot))
        return tuple(top.inner)

    def _open(self, event: MistakeBegin, at: int, around: _Open) -> _Open:
        """A mistake that begins within another one, or within none."""
        known = None if around.rules else self._begun.get(event)
        if known is None:
            # What is within a mistake is within the rules around that, too.
            rules = (*around.rules, *(key for key in event.state.rule_path if '"' not in key))
            known = rules, self._rule_path(event.what, rules)
            if not around.rules:
                self._begun[event] = known
        return _Open(event.what, at, *known)

    def _rule_path(self, what: Mistake | Wildcard, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The names of some rules, with the one that a mistake is about."""
        if isinstance(what, Mistake) and what.about is not None and keys[-1] != what.about:
            keys = (*keys, what.about)
        return tuple([self._names[key] if key else self._rule for key in keys])


class _Open:
    """A mistake that has begun."""

    __slots__ = ("_slot_start", "_turns", "inner", "rule_path", "rules", "slot", "slots", "start", "what")

    def __init__(
        self, what: Mistake | Wildcard | None, start: int, rules: tuple[str, ...], rule_path: tuple[str, ...]
    ) -> None:
        self.what = what
        self.start = start
        self.rules = rules  # the keys of those that are open where it begins
        self.rule_path = rule_path
        self.slots: list[SlotSpan] = []
        self.inner: list[FoundMistake] = []
        self.slot: Slot | None = None  # the one that is open; slots do not nest
        self._slot_start = 0
        self._turns: dict[str, int] = {}

    def begin_slot(self, name: str, at: int) -> None:
        turn = self._turns[name] = self._turns.get(name, 0) + 1
        self.slot, self._slot_start = _slot(name, turn), at

    def end_slot(self, at: int) -> None:
        assert self.slot is not None
        self.slots.append(SlotSpan(self.slot, self._slot_start, at))
        self.slot = None

    def close(self, end: int, within: Slot | None) -> FoundMistake:
        assert self.what is not None
        mistake = self.what if isinstance(self.what, Mistake) else None
        code = mistake.code if mistake is not None else unreadable(self.rule_path[-1])
        return FoundMistake(
            code, mistake, self.start, end, tuple(self.slots), tuple(self.inner), self.rule_path, within
        )


@lru_cache(maxsize=1024)
def _slot(name: str, turn: int) -> Slot:
    return Slot(name, turn)


MAX_KEPT_EXCLUSIONS = 4
"""Sets of codes whose lanes are kept for further readings: each has sets of its own."""

MAX_BAND_STEPS, MAX_NARROW_STEPS = 400_000, 100_000
"""Steps for one band: where more would be needed, less of a text is read; and for that."""


class Interpreter:
    """Reads texts by one rule and the mistakes in it. Not for several threads at once.

    ``start`` is the rule's name, ``lane`` what reads by all mistakes. Reading one text may cost ``budget``.
    Raises UnknownNameError for a rule that does not exist, GrammarError for one whose recursion is not read
    (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str, budget: Budget = DEFAULT) -> None:
        self.bound = bound
        self.rule = bound.grammar.outline[bound.grammar.key(start)].name
        self.budget = budget
        self._lanes: OrderedDict[frozenset[str], BandedSearch] = OrderedDict()
        self.lane = BandedSearch(bound, self.rule.lower())
        self._assembly = Assembly(bound.names, self.rule)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(lane.kept for lane in (self.lane, *self._lanes.values()))

    def read(self, text: str, around: int | None = None) -> Interpretation:
        """The cheapest reading; one without mistakes exactly if the rule derives the text.

        ``around`` is the length of the text's longest viable prefix. With it, a text of more than
        ``MAX_WHOLE`` characters, or one that takes too long, is read with mistakes in a window around that
        place alone (``Interpretation.window``). The fixes of such an interpretation make the text valid only
        if no mistake is after the window. Where nothing can be read within the limits, the interpretation is
        "anything at all", and not exact: so in texts that are nested thousands of rules deep.

        Cost: linear in the text, or the window and a look-up for each character before it, for each band
        that is tried.
        """
        return self._read(text, around, self.lane)

    def readings(self, text: str, limit: int = 3, around: int | None = None) -> tuple[Interpretation, ...]:
        """The cheapest reading, then the cheapest that does without the mistake that came first in
        it, and so on: at most ``limit`` in all, none of them without a mistake but the first.
        """
        return tuple(islice(self.in_turn(text, around), limit))

    def in_turn(self, text: str, around: int | None = None) -> Iterator[Interpretation]:
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
        """The first mistakes of the rows of a column of the kernel, as ``NativeSearch.tell`` gives them, by
        number in what is given back; 0 stands for what ``readings`` has to tell, and for readings that weigh
        more than ``heaviest``. None without the kernel, and where no text can be read within the limits.
        """
        lane = self.lane
        sets = lane.bands[0]
        if not isinstance(sets, NativeSearch):
            return None
        most = sets.band if heaviest is None else min(heaviest, sets.band)
        steps, more = self.budget.steps // len(BEAM_WIDTHS), self.budget.per_character // len(BEAM_WIDTHS)
        limits = steps, more, MAX_BAND_STEPS, MAX_WHOLE, most
        done, rows = 0, memoryview(offsets).nbytes // 8
        while done < rows:
            self._forget_if_full(lane)
            try:
                done = sets.tell(column, offsets, answers, limits, done)
            except LimitExceeded:
                return None
        return sets.mistakes

    def _without(self, codes: frozenset[str]) -> BandedSearch:
        lane = self._lanes.pop(codes, None)
        if lane is None:
            lane = self.lane.without(codes)
        self._lanes[codes] = lane
        if len(self._lanes) > MAX_KEPT_EXCLUSIONS:
            self._lanes.popitem(last=False)
        return lane

    def _forget_if_full(self, lane: BandedSearch) -> None:
        if lane.full:
            lane.forget()
            self._assembly.forget()  # it knows ways of the states that were dropped

    def _read(self, text: str, around: int | None, lane: BandedSearch) -> Interpretation:
        self._forget_if_full(lane)
        if around is None:
            return self._read_window(text, 0, len(text), lane, MAX_BAND_STEPS)[0]
        wide, narrow = windows(len(text), around)
        reading, ended = self._read_window(text, *wide, lane, MAX_BAND_STEPS)
        return reading if ended else self._read_window(text, *narrow, lane, MAX_NARROW_STEPS)[0]

    def _read_window(
        self, text: str, begin: int, end: int, lane: BandedSearch, most: int
    ) -> tuple[Interpretation, bool]:
        """The best reading with mistakes in a window; and whether that ended within the limits."""
        before: tuple[ErrorState | None, ...] | None = None
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
        limit = min((budget.steps + budget.per_character * (end - begin)) // len(BEAM_WIDTHS), most)
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
        return Interpretation(self.rule, text, _cost(weight), made, exact, window), ended

    def _meter(self, text: str) -> Meter:
        return self.budget.meter(f"parsing {self.rule} with its mistakes", len(text), rule=self.rule)

    def _whole(self, size: int) -> int:
        """What it weighs to read anything at all, so many characters, in the place of the whole rule."""
        return CATCH_ALL + self.bound.count + 1 + CATCH_ALL_CHARACTER * size

    def _anything(self, text: str, *, exact: bool) -> Interpretation:
        """The reading that every text has."""
        catch_all = FoundMistake(unreadable(self.rule), None, 0, len(text), (), (), (self.rule,))
        return Interpretation(self.rule, text, _cost(self._whole(len(text))), (catch_all,), exact)


def _cost(weight: int) -> float:
    """A weight as a price, in halves: the order of mistakes is not part of it."""
    return weight // CATCH_ALL_CHARACTER * CATCH_ALL_CHARACTER / UNIT
