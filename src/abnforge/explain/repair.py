"""The cheapest edits that make a rejected input valid, and which one a person would call the mistake.

A shortest path (A*, Hart, Nilsson and Raphael 1968) through input x states: reading a character that a
state admits is free, every edit has a price. The prices (``reasons``) say how
people go wrong.

An edit made where a reading broke off late and an edit made earlier, which opens another reading, compete
in one search: so ``http://host:80x/`` is found to be about the port (drop "x"), although it can be
read further as userinfo (where "@" is missing).

Cost: bounded by ``MAX_POINTS`` and the budget whatever the input; long inputs are looked at through a window.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from abnforge.analysis.facts import terminals
from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import Arc, LiveSet, State
from abnforge.budget import Meter
from abnforge.charset import CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.explain import reasons
from abnforge.explain.edits import Repair, Step, blamed, common, first_mistake
from abnforge.explain.encoding import begins_triplet, percent_encoded
from abnforge.explain.reasons import Kind
from abnforge.explain.search_window import Window
from abnforge.rejection import Edit, applied

# Points of the search for one input that are gone on from: far more than ordinary mistakes need.
MAX_POINTS = 20_000
# What one search may take of an explanation's budget, and what going on from a point costs, in steps: the
# point, each way on from it, and its state when the search first meets it, known before or not.
SEARCH_SHARE = 0.5
_POINT_COST = 10
_PUSH_COST = 12
# Steps for reading a repaired text again.
MAX_READ_STEPS = 100_000
# A repair that costs more is a rewrite, not a repair.
MAX_COST = 12.0
# Repairs looked for, and how much worse than the best one they may be.
MAX_REPAIRS = 4
SPREAD = 1.0
# Search steps for the others once the best one is known.
MAX_FURTHER_STEPS = 200


@dataclass(frozen=True, slots=True)
class _Option:
    """A character that a state could read: ``text`` stands for ``charset``; ``trail`` is what it is about."""

    charset: CharSet
    text: str
    trail: tuple[str, ...]
    target: State


class Repairer:
    """Finds repairs for one start rule."""

    def __init__(self, derivatives: Derivatives, key: str) -> None:
        self._derivatives = derivatives
        self._key = key
        rules = derivatives.core.rules
        self.alphabet = union(terminals(rules[rule] for rule in derivatives.facts.reachable(key)))
        self._known_options: dict[State, tuple[_Option, ...]] = {}

    def repairs(self, text: str, reached: Sequence[LiveSet], meter: Meter) -> list[Repair]:
        """The cheapest repairs, best first, each with another first mistake.

        ``reached`` are the live sets of the input's viable prefixes, as ``Derivatives.read`` gives them. What
        has been found when ``meter`` runs out is what there is.
        """
        found: list[Repair] = []
        with suppress(LimitExceeded):
            part = meter.share("the search for what was meant", SEARCH_SHARE)
            known = self._known_options
            search = _Search(self._derivatives, self._key, self.alphabet, known, text, reached, part)
            for repair in search.run():
                if found and repair.cost > found[0].cost + SPREAD:
                    break
                if not any(repair.same_mistake(other) for other in found):
                    found.append(repair)
                    if len(found) == MAX_REPAIRS:
                        break
        return found

    def accepts(self, text: str, meter: Meter) -> bool:
        """Whether the rule derives a text, as far as the states know within ``MAX_READ_STEPS``."""
        reached, used = self._derivatives.read_within(self._key, text, MAX_READ_STEPS)
        meter.charge(used)
        return len(reached) > len(text) and reached[-1].accepting


class _Mode(Enum):
    READ = 0
    DELETING = 1  # in a run of deletions
    WRAPPED = 2  # in something pasted before the identifier


@dataclass(slots=True)
class _Point:
    """A place in the search: ``cost`` so far at ``position`` in ``state``; the edits made."""

    cost: float
    position: int
    state: State
    mode: _Mode
    last: Step | None
    origin: tuple[int, str] | None  # the first edit's place and rule: what tells two mistakes apart


class _Search:
    def __init__(
        self,
        derivatives: Derivatives,
        key: str,
        alphabet: CharSet,
        known_options: dict[State, tuple[_Option, ...]],
        text: str,
        reached: Sequence[LiveSet],
        meter: Meter,
    ) -> None:
        self._meter = meter
        self._met: set[State] = set()
        self._known_options = known_options
        self._derivatives = derivatives
        self._key = key
        self._window = Window(derivatives, alphabet, text, reached)
        self._text = text
        self._ahead = self._window.least_costs()
        self._heap: list[tuple[float, int, _Point]] = []
        self._counter = itertools.count()

    def run(self) -> Iterator[Repair]:
        """Repairs, cheapest first."""
        for state in self._window.reached[self._window.begin].states:
            self._push(_Point(0.0, self._window.begin, state, _Mode.READ, None, None))
        closed: dict[tuple[int, State, _Mode], list[tuple[int, str] | None]] = {}
        steps = MAX_POINTS
        while steps and self._heap:
            steps -= 1
            _, _, point = heapq.heappop(self._heap)
            if point.position > self._window.end:
                yield self._repair(point)
                steps = min(steps, MAX_FURTHER_STEPS)
                continue
            origins = closed.setdefault((point.position, point.state, point.mode), [])
            if point.origin in origins or len(origins) >= MAX_REPAIRS:
                continue
            origins.append(point.origin)
            self._meter.charge(_POINT_COST + len(point.state.trail) // 8)
            if point.state not in self._met:
                self._met.add(point.state)
                self._derivatives.arcs(point.state)  # its cost is known from then on
                self._meter.charge(point.state.cost)
            self._expand(point)

    def _push(self, point: _Point) -> None:
        self._meter.charge(_PUSH_COST)
        if point.cost <= MAX_COST:
            ahead = self._ahead[min(point.position, self._window.end) - self._window.begin]
            heapq.heappush(self._heap, (point.cost + ahead, next(self._counter), point))

    def _expand(self, point: _Point) -> None:
        position, state = point.position, point.state
        at_end = position == self._window.end
        done = at_end and point.last is not None and point.mode is not _Mode.WRAPPED
        if done and (not self._window.whole or self._derivatives.accepts(state)):
            self._push(_Point(point.cost, self._window.end + 1, state, _Mode.READ, point.last, point.origin))
        if not at_end:
            # What was wrapped begins like a word, and the wrapper does not end in one.
            if point.mode is not _Mode.WRAPPED or (
                reasons.is_word(self._text[position]) and not reasons.is_word(self._text[position - 1])
            ):
                for arc in self._derivatives.moves(state, self._text[position]):
                    self._push(
                        _Point(point.cost, position + 1, arc.target, _Mode.READ, point.last, point.origin)
                    )
            self._delete(point)
            self._encode(point)
            self._replace(point)
        if point.mode is not _Mode.WRAPPED:
            self._insert(point)

    def _step(
        self,
        point: _Point,
        price: float,
        kind: Kind,
        edit: Edit,
        trail: tuple[str, ...],
        target: State,
        mode: _Mode = _Mode.READ,
    ) -> None:
        trail = trail or (self._key,)
        origin = point.origin
        if origin is None:
            if kind is not Kind.WRAPPER and not (self._window.leading and edit.start == 0):
                price += reasons.DISTANCE * max(0, self._window.offset - edit.start)
            origin = (edit.start, trail[-1])
        last = Step(kind, edit, trail, point.state, point.last)
        self._push(_Point(point.cost + price, edit.end, target, mode, last, origin))

    def _delete(self, point: _Point) -> None:
        position, state, window = point.position, point.state, self._window
        char = self._text[position]
        edit = Edit(position, position + 1, "")
        wraps = position == 0 or point.mode is _Mode.WRAPPED
        if window.begin == 0 and wraps and position < reasons.WRAPPER_LENGTH and window.is_data(position):
            price = reasons.WRAPPER_MORE + (reasons.WRAPPER if position == 0 else 0.0)
            self._step(point, price, Kind.WRAPPER, edit, (self._key,), state, _Mode.WRAPPED)
        if point.mode is _Mode.WRAPPED:
            return
        trail = window.blamed_for(position, state, edited=point.last is not None)
        begun = point.mode is _Mode.DELETING
        if (point.last is None or begun) and window.is_settled(position, state):
            price = reasons.DELETE_STRUCTURE
        elif begun:
            price = reasons.DELETE_MORE
        elif reasons.is_blank(char):
            price = reasons.DELETE_AT_END if window.is_blank_rest(position) else reasons.DELETE_BLANK
        else:
            price = reasons.DELETE
            if self._derivatives.moves(state, char):
                price = reasons.DELETE_READ if position >= window.settled else reasons.DELETE_SETTLED
            if (
                position == window.offset
                and window.is_structure(position)
                and window.is_structure(position + 1)
            ):
                price = reasons.DELETE_RUN
        if window.is_repeated(position):
            price = reasons.REPEATED if reasons.is_blank(char) else reasons.DELETE_REPEATED
        self._step(point, price, Kind.DELETE, edit, trail, state, _Mode.DELETING)
        if window.whole and position == window.offset and self._derivatives.accepts(state):
            length = len(self._text) - position
            if reasons.is_blank(char) or char in reasons.DELIMITERS:
                price = reasons.TRAILER + reasons.TRAILER_MORE * length
            else:
                price = reasons.CUT + reasons.CUT_MORE * length
            rest = Edit(position, len(self._text), "")
            self._step(point, price, Kind.TRAILER, rest, trail, state)

    def _encode(self, point: _Point) -> None:
        position = point.position
        char = self._text[position]
        if char.isascii() and char.isalnum():
            return
        encoded = percent_encoded(char)
        if not encoded:
            return
        price = self._encode_price(char, position)
        for arc, target in self._through(point.state, encoded):
            trail = blamed(arc.trail, point.state, target)
            self._step(point, price, Kind.ENCODE, Edit(position, position + 1, encoded), trail, target)

    def _encode_price(self, char: str, position: int) -> float:
        if self._window.is_repeated(position):
            return reasons.ENCODE_REPEATED
        if char == "%":
            triplet = reasons.is_triplet(self._text, position)
            return reasons.ENCODE_MISPLACED if triplet else reasons.ENCODE_PERCENT
        if position < self._window.offset:
            return reasons.ENCODE_READ
        if reasons.BRACKETS.get(char, "\0") in self._text[self._window.offset : position]:
            return reasons.ENCODE_CLOSING
        if self._window.is_foreign(position):
            return reasons.encode_foreign(char)
        return (
            reasons.ENCODE_STRUCTURE if self._window.is_structure(position + 1) else reasons.ENCODE_MISPLACED
        )

    def _through(self, state: State, text: str) -> Iterator[tuple[Arc, State]]:
        """The first arc and the last state of every way to read a text from a state."""
        ways = [(arc, arc.target) for arc in self._derivatives.moves(state, text[0])]
        if len(text) > 2 and text[0] == "%":
            ways = [(arc, target) for arc, target in ways if begins_triplet(self._derivatives, arc)]
        for char in text[1:]:
            ways = [
                (first, arc.target) for first, target in ways for arc in self._derivatives.moves(target, char)
            ]
        yield from dict.fromkeys(ways)

    def _replace(self, point: _Point) -> None:
        """Look-alikes, decoded triplets, defanged delimiters, and any character for any other."""
        position, state, text = point.position, point.state, self._text
        char = text[position]
        for price, kind, length, replacement in self._window.replacements(position):
            edit = Edit(position, position + length, replacement)
            for arc, target in self._through(state, replacement):
                trail = blamed(arc.trail, state, target)
                if kind is Kind.SUBSTITUTE and length == 1:
                    price = reasons.SUBSTITUTE_LEAVING if _leaves(trail, state) else reasons.SUBSTITUTE_LIKE
                    if self._window.is_repeated(position):
                        price = reasons.REPEATED
                self._step(point, price, kind, edit, trail, target)
        if not reasons.is_blank(char):
            for option in self._options(state):
                if char not in option.charset:
                    edit = Edit(position, position + 1, option.text)
                    price = self._substitute_price(char, option.text, position, state)
                    self._step(point, price, Kind.SUBSTITUTE, edit, option.trail, option.target)

    def _substitute_price(self, char: str, text: str, position: int, state: State) -> float:
        if text == "@":
            price = reasons.INSERT_AT_SIGN
        elif self._derivatives.accepts(state):
            price = reasons.SUBSTITUTE_OPTIONAL
        elif reasons.is_word(char) or reasons.is_word(text) or self._window.is_foreign(position):
            price = reasons.SUBSTITUTE
        else:
            price = reasons.SUBSTITUTE_DELIMITER
        if position < self._window.settled:
            return price + reasons.SUBSTITUTE_SETTLED
        return price + reasons.SUBSTITUTE_READ if position < self._window.offset else price

    def _insert(self, point: _Point) -> None:
        position, state, last = point.position, point.state, point.last
        # Where something was missing, no reading went on without it.
        optional = self._derivatives.accepts(state) or (last is None and position < self._window.offset)
        behind_word = position > 0 and reasons.is_word(self._text[position - 1])
        readable = position < self._window.end and bool(self._derivatives.moves(state, self._text[position]))
        settled = position < self._window.end and last is None and self._window.is_settled(position, state)
        needless = not behind_word or readable or settled
        for option in self._options(state):
            text, trail = option.text, option.trail
            if position == 0 and self._window.leading:
                price = reasons.INSERT_LEADING
            elif text == "@":
                price = reasons.INSERT_AT_SIGN
            elif text in "[]":
                price = reasons.INSERT_BRACKET
            elif text.isalnum():
                early = last is None and position < self._window.offset
                price = reasons.INSERT_EARLY if early else reasons.INSERT
                price = reasons.INSERT_NEEDLESS if settled else price
            elif optional:
                price = reasons.INSERT_NEEDLESS if needless else reasons.INSERT_OPTIONAL
                trail = state.trail if behind_word else trail
            else:
                price = reasons.INSERT_DELIMITER
            if text != "@" and last is not None and last.kind is Kind.INSERT and last.edit.end == position:
                price = min(price, reasons.INSERT_MORE)
            self._step(point, price, Kind.INSERT, Edit(position, position, text), trail, option.target)

    def _options(self, state: State) -> tuple[_Option, ...]:
        """One character for every state that can be next."""
        found = self._known_options.get(state)
        if found is None:
            arcs: dict[State, Arc] = {}
            for arc in self._derivatives.arcs(state):
                arcs.setdefault(arc.target, arc)
            found = self._known_options[state] = tuple(
                _Option(
                    arc.charset,
                    _representative(arc.charset),
                    blamed(arc.trail, state, arc.target),
                    arc.target,
                )
                for arc in arcs.values()
            )
        return found

    def _repair(self, point: _Point) -> Repair:
        steps: list[Step] = []
        step = point.last
        while step is not None:
            steps.append(step)
            step = step.previous
        steps.reverse()
        text = applied(self._text, [s.edit for s in steps]) if self._window.whole else None
        return Repair(point.cost, text, tuple(steps), first_mistake(steps))


def _leaves(trail: tuple[str, ...], state: State) -> bool:
    """Whether an edit about ``trail`` ends a rule that the state is reading and begins another one."""
    shared = common(trail, state.trail)
    return shared < len(trail) and shared < len(state.trail)


def _representative(charset: CharSet) -> str:
    """A character to stand for a set: a digit, a letter, otherwise the smallest."""
    for char in "1a":
        if char in charset:
            return char
    return charset.min()
