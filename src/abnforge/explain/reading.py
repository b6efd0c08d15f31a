"""Interpretations of a string by a grammar with mistakes: the cheapest, and the next with other codes.

``Interpreter`` widens a beam (``weighted``) until it finds the cheapest interpretation. If it reaches the
budget or the widest beam first, it returns the best interpretation so far, marked as not ``exact``. Every
string has an interpretation: in the worst case a catch-all for the start rule. In a long string, the search
is limited to a window around the offset where parsing stops.

This module is long because the search, its windows and the plausibility of its results share their types.
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
    Path,
    SlotBegin,
    Wildcard,
    ordered_events,
)
from abnforge.explain.mistakes import (
    ALL,
    ALONE,
    END,
    MAX_SHOWN,
    OF,
    START,
    Mistake,
    Slot,
    Text,
    fill,
    is_look_alike,
    is_refutable,
    is_space_for_sign,
    neighbor,
    placed,
)
from abnforge.explain.program import Program
from abnforge.explain.weighted import MAX_CLASSES, NativeSearch, Prefixes, WeightedDeterminizer
from abnforge.records import NamedTuple
from abnforge.rejection import UNREADABLE
from abnforge.text import in_quotes, shortened


def unreadable(rule: str) -> str:
    """Return the code of a rule's catch-all."""
    return f"{UNREADABLE}-{rule}"


class SlotSpan(NamedTuple):
    """A slot and its span, in code points."""

    slot: Slot
    start: int
    end: int


class FoundMistake(NamedTuple):
    """A mistake in a string: its code, span, slots and inner mistakes.

    ``mistake`` is None for a catch-all. ``rule_path`` names the rules from the start rule to the innermost
    rule that contains the mistake, or to the rule of its ``about`` directive. ``within`` is the slot of the
    outer mistake that contains it.
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
        """Return the span of a slot or word, or None."""
        if slot == ALL:
            return self.start, self.end
        if slot in (START, END):
            place = self.start if slot == START else self.end
            return place, place
        for each in self.slots:
            if each.slot == slot:
                return each.start, each.end
        return None

    @property
    def span(self) -> tuple[int, int]:
        """The span of the first blamed slot that exists, otherwise of the mistake."""
        for slot in self.mistake.blame if self.mistake is not None else ():
            span = self.slot_span(slot)
            if span is not None:
                return span
        return self.start, self.end

    def message(self, text: str) -> str:
        """Return the message about the mistake in a string."""
        if self.mistake is not None and self.mistake.say is not None:
            texts = {each.slot: text[each.start : each.end] for each in self.slots}
            texts[ALL] = text[self.start : self.end]
            return placed(self.mistake, fill(self.mistake.say, texts), text, self.start)
        start, end = self.span
        rule = self.rule_path[-1]
        if self.mistake is None:
            if start == end:
                return f"the {rule} is missing{neighbor(text, start)}"
            return f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} is not a valid {rule}"
        where = f"the {rule} at offset {start}"
        if start < end:
            where = f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} in the {rule}"
        return f"{where} is not valid: {self.code}"


class Interpretation(NamedTuple):
    """One way to parse a string by ``rule``: its cost, and its outermost mistakes from left to right.

    If it is ``exact``, no other interpretation costs less; otherwise the search exceeded its limits.
    ``window`` is the span that was searched for mistakes, or None for the whole string. Mistakes can occur
    after a window, but not before it.
    """

    rule: str
    text: str
    cost: float
    mistakes: tuple[FoundMistake, ...]
    exact: bool = True
    window: tuple[int, int] | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all mistakes, outer ones before inner ones."""
        return tuple(each.code for each in self.all_mistakes)

    @property
    def all_mistakes(self) -> tuple[FoundMistake, ...]:
        """All mistakes, outer ones before inner ones."""
        mistakes = self.mistakes
        if not mistakes or (len(mistakes) == 1 and not mistakes[0].inner):
            return mistakes
        result: list[FoundMistake] = []
        waiting = list(reversed(mistakes))
        while waiting:
            each = waiting.pop()
            result.append(each)
            waiting.extend(reversed(each.inner))
        return tuple(result)


MAX_PLAUSIBLE_COST = 1  # maximum cost of plausible mistakes before the offset

MAX_PLAUSIBLE_WEIGHT = (MAX_PLAUSIBLE_COST + 1) * UNIT - 1
"""Up to this weight, an interpretation by derived mistakes is implausible only if facts refute it."""


def is_refuted(first: FoundMistake, offset: int, text: str) -> bool:
    """Return whether the input is valid beyond the place where a mistake claims that it is invalid.

    A derived mistake does not cut a valid run of digits or letters to insert a delimiter.
    """
    if first.span[0] < offset and (cuts_word(first, text) or has_literal(first, text)):
        return True
    if first.mistake is not None and not is_refutable(first.mistake):
        return False
    return _stops(first) < offset


def is_past(first: FoundMistake, offset: int) -> bool:
    """Return whether a mistake has no fix and the input is valid beyond it."""
    return (first.mistake is None or first.mistake.fix is None) and _stops(first) < offset


def is_implausible(interpretation: Interpretation, offset: int) -> bool:
    """Return whether an interpretation by derived mistakes is less likely than an error at ``offset``.

    ``offset`` is the length of the longest viable prefix. An interpretation is plausible if its first mistake
    reaches the offset, unless it cuts a word, or if every mistake has a fix, since a valid result indicates
    the intention. Cost: linear in the mistakes.
    """
    if not interpretation.mistakes or refutes(interpretation, offset):
        return bool(interpretation.mistakes)
    if _is_cut(interpretation) or _is_useless(interpretation, offset):
        return True
    first, *others = interpretation.all_mistakes
    is_other_missing = any(each.mistake is not None and each.mistake.is_missing for each in others)
    if (
        first.end <= offset
        and is_other_missing
        and first.mistake is not None
        and is_look_alike(first.mistake)
    ):
        return True  # the character is allowed, and another one is not enough
    mistakes = [each.mistake for each in interpretation.all_mistakes]
    if all(each is not None and each.fix is not None for each in mistakes):
        return False
    if first.span == (offset, offset) and any(each.start == offset < each.end for each in others):
        return True  # the character at the offset is wrong after the missing item, too
    if first.mistake is not None and first.mistake.reach is not None and _stops(first) < offset:
        return True
    start, end = first.span
    if start < end <= offset and first.mistake is not None and first.mistake.fix is not None:
        # The grammar allows the characters at the mistake, and without it, the next ones are still wrong.
        unfixed = [each for each in others if each.mistake is None or each.mistake.fix is None]
        if any(each.start <= offset + 1 for each in unfixed):
            return True
    if first.end >= offset:
        return cuts_word(first, interpretation.text)
    early = [each.mistake for each in interpretation.all_mistakes if each.start < offset]
    return None in early or sum(each.cost for each in early if each is not None) > MAX_PLAUSIBLE_COST


def _is_cut(interpretation: Interpretation) -> bool:
    """Return whether the first mistake replaces a rule that is incomplete at the end of the window."""
    first, window = interpretation.all_mistakes[0], interpretation.window
    is_at_end = window is not None and first.end == window[1] < len(interpretation.text)
    return is_at_end and first.mistake is not None and first.mistake.place == OF


def _is_useless(interpretation: Interpretation, offset: int) -> bool:
    """Return whether the fix of the first mistake does not help: the next character is wrong with it, too."""
    first, *others = interpretation.all_mistakes
    if first.mistake is None:
        return False
    missing = [each.mistake for each in others if each.mistake and each.span == (first.end, first.end)]
    if is_space_for_sign(first.mistake) and any(each.is_missing for each in missing):
        return True  # the sign cannot be before the next character
    if first.mistake.fix is None:
        return False
    if first.start < first.end and _is_doubled(first, interpretation.text):
        return True
    if first.end < offset:
        inserted = "".join([each.value for each in first.mistake.fix if isinstance(each, Text)])
        is_present = first.start == first.end and interpretation.text.startswith(inserted, first.start)
        return is_present or any(each.start == offset < each.end for each in others)
    size = first.end - first.start
    is_here = first.start <= offset <= first.end < len(interpretation.text)
    return is_here and any(each.is_missing and (size == 1 or each.fix is None) for each in missing)


def _is_doubled(first: FoundMistake, text: str) -> bool:
    """Return whether a mistake is a character that resembles a sign, but follows that sign."""
    fix = first.mistake.fix if first.mistake is not None else None
    return fix == (Text(before := text[first.start - 1 : first.start]),) and before in ALONE


def refutes(interpretation: Interpretation, offset: int) -> bool:
    """Return whether the input refutes the first mistake of an interpretation, which must have one.

    Whitespace before the offset is allowed, so it is not a mistake if the character at the offset is one.
    """
    first, *others = interpretation.all_mistakes
    if is_refuted(interpretation.mistakes[0], offset, interpretation.text):
        return True
    start, end = first.span
    is_space = (
        first.mistake is not None and first.mistake.derived and interpretation.text[start:end].isspace()
    )
    if is_space and end <= offset and interpretation.text[start : offset + 1].isspace():
        return offset < len(interpretation.text)  # less whitespace is allowed
    return is_space and end == offset and any(each.start == offset < each.end for each in others)


def cuts_word(first: FoundMistake, text: str) -> bool:
    """Return whether a derived mistake inserts a delimiter between two digits or two letters."""
    start, end = first.span
    around = text[start - 1 : start + 1] if 0 < start == end else ""
    is_derived = first.mistake is not None and first.mistake.derived
    return is_derived and len(around) == 2 and (around.isdigit() or around.isalpha())


def has_literal(first: FoundMistake, text: str) -> bool:
    """Return whether a derived mistake starts with the whole literal that it lacks."""
    mistake, word = first.mistake, text[first.start : first.end]
    if mistake is None or not mistake.derived or mistake.literal is None or mistake.part is not None:
        return False
    size = len(mistake.literal)
    return len(word) < size and text[first.start : first.start + size].lower() == mistake.literal.lower()


def _stops(first: FoundMistake) -> int:
    """Return the offset beyond which the input cannot match, according to a mistake."""
    if first.mistake is None or first.mistake.reach is None:
        return first.end
    return first.span[0] + first.mistake.reach


MAX_KEPT_EXCLUSIONS = 4  # searches kept, one per set of excluded codes

MAX_BEAM_STEPS = 400_000
"""The step limit for one beam in one window; if it is exceeded, the next window is narrower."""


class Interpreter:
    """Find interpretations by one rule and its mistakes. Not thread-safe.

    ``start`` is the rule's name, and ``budget`` limits each call. Raises UnknownNameError for an undefined
    rule.
    """

    def __init__(self, bound: BoundMistakes, start: str, budget: Budget = DEFAULT) -> None:
        self.bound = bound
        self.rule = bound.grammar.outline[bound.grammar.key(start)].name
        self.budget = budget
        self._searches: OrderedDict[frozenset[str], BeamSearch] = OrderedDict()
        self.search = BeamSearch(bound, self.rule.lower())
        self._last: Interpretation | None = None  # often needed again
        self._assembler = MistakeAssembler(bound.names, self.rule)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(search.kept for search in (self.search, *self._searches.values()))

    def interpret(self, text: str, offset: int | None = None) -> Interpretation:
        """Return the cheapest interpretation; it has no mistakes if and only if the rule matches the string.

        ``offset`` is the length of the longest viable prefix. If it is passed, strings that exceed
        ``MAX_WHOLE`` characters or the step limit are searched for mistakes only in a window around the
        offset (``Interpretation.window``). The fixes of such an interpretation make the string valid only if
        no mistake occurs after the window. If a search exceeds its limits, the next window is narrower. If
        all of them do, the result is inexact, and usually a catch-all.

        Cost: for each beam, linear in the string, or in the window plus one look-up for each character before
        it.
        """
        if offset is None or len(text) > MAX_WHOLE:
            return self._interpret(text, offset, self.search)
        last = self._last
        if last is None or last.text != text:
            self._last = last = self._interpret(text, offset, self.search)
        return last

    def interpretations(
        self, text: str, limit: int = 3, offset: int | None = None
    ) -> tuple[Interpretation, ...]:
        """Return the cheapest interpretations, each without the first mistakes of earlier ones.

        At most ``limit`` are returned; only the first can be free of mistakes.
        """
        return tuple(islice(self.iterate(text, offset), limit))

    def iterate(self, text: str, offset: int | None = None) -> Iterator[Interpretation]:
        """Yield the results of ``interpretations``, each computed on demand."""
        interpretation = self.interpret(text, offset)
        yield interpretation
        excluded: frozenset[str] = frozenset()
        while interpretation.mistakes and interpretation.mistakes[0].mistake is not None:
            excluded |= {interpretation.mistakes[0].code}
            interpretation = self._interpret(text, offset, self._without(excluded))
            yield interpretation

    def first_mistakes(
        self, column: Any, offsets: Any, columns: Any, max_weight: int | None = None
    ) -> Sequence[Mistake | None] | None:
        """Find the first mistakes of a column's rejected rows (``NativeSearch.first_mistakes``).

        Returns the mistakes by number. Rows with number 0 need a call of ``interpretations``, as do
        interpretations heavier than ``max_weight``. The result is None without the C extension, or if no
        string can be searched within the limits.
        """
        search = self.search
        beam = search.beams[0]
        if not isinstance(beam, NativeSearch):
            return None
        limit_weight = beam.width if max_weight is None else min(max_weight, beam.width)
        steps, per_character = (
            self.budget.steps // len(BEAM_WIDTHS),
            self.budget.per_character // len(BEAM_WIDTHS),
        )
        limits = steps, per_character, MAX_BEAM_STEPS, MAX_WHOLE, limit_weight
        row, rows = 0, memoryview(offsets).nbytes // 8
        while row < rows:
            self._forget_if_full(search)
            try:
                row = beam.first_mistakes(column, offsets, columns, limits, row)
            except LimitExceeded:
                return None
        return beam.mistakes

    def _without(self, codes: frozenset[str]) -> BeamSearch:
        search = self._searches.pop(codes, None)
        if search is None:
            search = self.search.without(codes)
        self._searches[codes] = search
        if len(self._searches) > MAX_KEPT_EXCLUSIONS:
            self._searches.popitem(last=False)
        return search

    def _forget_if_full(self, search: BeamSearch) -> None:
        if search.full:
            search.forget()
            self._assembler.forget()  # the kept paths refer to dropped states

    def _interpret(self, text: str, offset: int | None, search: BeamSearch) -> Interpretation:
        self._forget_if_full(search)
        if offset is None:
            return self._interpret_window(text, 0, len(text), search)[0]
        widest, *narrower = windows(len(text), offset)
        first, is_complete = self._interpret_window(text, *widest, search)
        for window in () if is_complete else narrower:
            interpretation, is_complete = self._interpret_window(text, *window, search)
            if is_complete:  # the wider window also has further mistakes
                is_same = interpretation.mistakes[:1] == first.mistakes[:1]
                return first if is_same else interpretation
        return first

    def _interpret_window(
        self, text: str, begin: int, end: int, search: BeamSearch
    ) -> tuple[Interpretation, bool]:
        """Return the best interpretation with mistakes in a window, and whether the search was completed."""
        before: tuple[ErrorState | None, ...] | None = None
        if begin:
            try:
                meter = self.budget.meter(f"parsing {self.rule} with its mistakes", len(text), rule=self.rule)
                before = search.states_after(text[:begin], meter)
            except LimitExceeded:
                before = ()
            if not before:
                return self._catch_all(text, exact=False), False
        letters = search.representatives(text[begin:end])
        is_cut = end < len(text)
        budget = self.budget
        limit = min((budget.steps + budget.per_character * (end - begin)) // len(BEAM_WIDTHS), MAX_BEAM_STEPS)
        best: tuple[int, list[tuple[int, Path]]] | None = None
        weight = catch_all_weight = self._catch_all_weight(end - begin)
        for beam in search.beams:
            try:
                result = beam.cheapest(letters, limit, start=before, is_cut=is_cut)
            except LimitExceeded:
                exact = is_complete = False
                break
            if result is not None and (best is None or result[0] < best[0]):
                best = result
                weight = best[0]
            exact, is_complete = min(catch_all_weight, weight) <= beam.width, True
            if exact:
                break
        if best is None:
            return self._catch_all(text, exact=exact), is_complete
        paths = [(begin + at, path) for at, path in best[1]] if begin else best[1]
        mistakes = self._assembler.assemble(paths, end)
        window = (begin, end) if begin or is_cut else None
        return Interpretation(self.rule, text, _cost(weight), mistakes, exact, window), is_complete

    def _catch_all_weight(self, size: int) -> int:
        """Return the weight of a catch-all of N characters for the start rule."""
        return CATCH_ALL + self.bound.count + 1 + CATCH_ALL_CHARACTER * size

    def _catch_all(self, text: str, *, exact: bool) -> Interpretation:
        """Return the catch-all, an interpretation of any string."""
        catch_all = FoundMistake(unreadable(self.rule), None, 0, len(text), (), (), (self.rule,))
        return Interpretation(self.rule, text, _cost(self._catch_all_weight(len(text))), (catch_all,), exact)


MAX_WHOLE = 20_000  # longer strings are searched in a window

WINDOW, NARROW_WINDOWS = 400, (24, 6, 2)
"""Characters searched for mistakes on each side of the failing offset: in longer strings, and if the steps
are exceeded.
"""

Window = tuple[int, int]  # a span of a string


def windows(length: int, offset: int) -> list[Window]:
    """Return the distinct windows of a string of ``length`` that fails at ``offset``, from wide to narrow."""
    sizes = (length if length <= MAX_WHOLE else WINDOW, *NARROW_WINDOWS)
    return [*dict.fromkeys([(max(0, offset - size), min(length, offset + size)) for size in sizes])]


BEAM_WIDTHS = (3 * UNIT + UNIT // 2, 8 * UNIT + UNIT // 2, 24 * UNIT + UNIT // 2)
"""The beams: maximum weights above the lightest state, narrow first, since most strings have one mistake.

The halves allow for the order of mistakes, which adds to the weight.
"""

MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS = 20_000, 400_000, 20_000_000
"""Limits for kept sets and states (the mistakes of URIs need a few thousand), and for members of eight bytes
each on all paths in the C extension.
"""

MAX_PREFIX_STEPS = 150_000
"""The step limit for the prefix before a window, since recursive rules can lead to ever new sets."""


class BeamSearch:
    """The beams over the states of one rule, without mistakes of some codes. Not thread-safe."""

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.classes = bound.classes
        self.states = ErrorStates(ErrorGrammar(bound, start))
        self._prefixes = Prefixes(self.states, self.classes)
        self.program: Program | None = None
        if compiled is not None and len(self.classes) <= MAX_CLASSES:
            self.program = Program(self.states, self.classes)
        self.beams = self._beams(frozenset())

    def without(self, codes: frozenset[str]) -> BeamSearch:
        """Return a search without some codes. Both searches share the states in the C extension."""
        other = copy(self)
        if self.program is None:  # in Python, states cache moves, which depend on the codes
            other.states = ErrorStates(self.states.grammar, codes)
            other._prefixes = Prefixes(other.states, self.classes)
        other.beams = other._beams(codes)
        return other

    def _beams(self, excluded: frozenset[str]) -> tuple[NativeSearch | WeightedDeterminizer, ...]:
        if self.program is None:
            return tuple(
                WeightedDeterminizer(self.states, self.classes, width, MAX_KEPT_SETS) for width in BEAM_WIDTHS
            )
        limits = MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS
        return tuple(
            NativeSearch(self.program, self.classes, width, limits, excluded) for width in BEAM_WIDTHS
        )

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(map(len, self.beams)) + len(self._prefixes)

    @property
    def full(self) -> bool:
        """Return whether there are too many states and sets to keep them."""
        if len(self.states) > MAX_KEPT_STATES or len(self._prefixes) > MAX_KEPT_SETS:
            return True
        return any(beam.full for beam in self.beams)

    def forget(self) -> None:
        """Drop all states and sets, including those of searches that share the states."""
        self.states.forget()
        self._prefixes.forget()
        if self.program is not None:
            self.program.forget()
        for beam in self.beams:
            if isinstance(beam, WeightedDeterminizer):
                beam.forget()

    def representatives(self, text: str) -> str:
        """Replace each character by the representative of its class, unless the string is ASCII."""
        return text if text.isascii() else text.translate(self.classes.representatives)

    def states_after(self, prefix: str, meter: Meter) -> tuple[ErrorState | None, ...]:
        """Return the states after a prefix without mistakes, or () if no valid string begins with it.

        Raises LimitExceeded beyond ``MAX_PREFIX_STEPS``. Cost: linear.
        """
        part = meter.part("reading the input before a window", MAX_PREFIX_STEPS, "MAX_PREFIX_STEPS")
        return self._prefixes.states_after(self.representatives(prefix), part)


MAX_KEPT_PATHS = 20_000  # number of paths kept


class MistakeAssembler:
    """Build mistakes from the events of paths. ``names`` are the names of rules by key."""

    def __init__(self, names: Mapping[str, str], rule: str) -> None:
        self._names = names
        self._rule = rule
        self.forget()

    def forget(self) -> None:
        """Drop the kept paths."""
        self._events: dict[Path, tuple[Event, ...]] = {}
        self._begun: dict[MistakeBegin, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def assemble(self, paths: Iterable[tuple[int, Path]], end: int) -> tuple[FoundMistake, ...]:
        """Return the outermost mistakes on some paths with offsets; open mistakes end at ``end``."""
        if len(self._events) > MAX_KEPT_PATHS:
            self.forget()
        top = current = _OpenMistake(None, 0, (), ())
        stack = [top]
        for at, path in paths:
            events = self._events.get(path)
            if events is None:
                events = self._events[path] = ordered_events(path)
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

    def _open(self, event: MistakeBegin, at: int, outer: _OpenMistake) -> _OpenMistake:
        """Return a mistake that begins inside ``outer``."""
        rules_and_path = None if outer.rules else self._begun.get(event)
        if rules_and_path is None:
            # A mistake inside another mistake is also inside that mistake's rules.
            rules = (*outer.rules, *(key for key in event.state.rule_path if '"' not in key))
            rules_and_path = rules, self._rule_path(event.what, rules)
            if not outer.rules:
                self._begun[event] = rules_and_path
        return _OpenMistake(event.what, at, *rules_and_path)

    def _rule_path(self, what: Mistake | Wildcard, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of some rules and of the rule that a mistake is about."""
        if isinstance(what, Mistake) and what.about is not None and keys[-1] != what.about:
            keys = (*keys, what.about)
        return tuple([self._names[key] if key else self._rule for key in keys])


class _OpenMistake:
    """A mistake that has begun."""

    __slots__ = ("_slot_start", "_turns", "inner", "rule_path", "rules", "slot", "slots", "start", "what")

    def __init__(
        self, what: Mistake | Wildcard | None, start: int, rules: tuple[str, ...], rule_path: tuple[str, ...]
    ) -> None:
        self.what = what
        self.start = start
        self.rules = rules  # keys of the rules open at its beginning
        self.rule_path = rule_path
        self.slots: list[SlotSpan] = []
        self.inner: list[FoundMistake] = []
        self.slot: Slot | None = None  # the open slot; slots are not nested
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


def _cost(weight: int) -> float:
    """Return the cost of a weight, rounded to halves to drop the order of mistakes."""
    return weight // CATCH_ALL_CHARACTER * CATCH_ALL_CHARACTER / UNIT
