"""The cheapest edits that make a rejected input valid, and which one a person would call the mistake.

A shortest path (A*, Hart, Nilsson and Raphael 1968) through input x states: reading a character that a
state admits is free, every edit has a price. The prices (module ``prices``) say
how people go wrong.

An edit made where a reading broke off late and an edit made earlier, which opens another reading, compete
in one search: so ``http://host:80x/`` is found to be about the port (drop "x"), although it can be
read further as userinfo (where "@" is missing).

Cost: bounded by ``MAX_STEPS`` whatever the input; long inputs are looked at through a window.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from abnforge.analysis.core import Chars
from abnforge.analysis.facts import walk
from abnforge.automaton.derivative import Arc, Derivatives, LiveSet, State
from abnforge.charset import CharSet
from abnforge.explain import reasons as prices
from abnforge.explain.edits import Kind, Repair, Step, apply, blamed, common, first_mistake
from abnforge.explain.encoding import begins_triplet, like_ascii, percent_encoded
from abnforge.rejection import Edit

# Search steps for one input: about a tenth of a second, and far more than ordinary mistakes need.
MAX_STEPS = 20_000
# States that the search may follow to find out what a state reads next: tangled recursion only comes near.
MAX_WORK = 20_000
# Characters looked at before and behind the offset. A repair further away would not be "nearby".
WINDOW = 400
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
        ranges = [
            pair
            for rule in derivatives.facts.reachable(key)
            for node in walk(derivatives.core.rules[rule])
            if isinstance(node, Chars)
            for pair in node.charset.ranges
        ]
        self.alphabet = CharSet.from_ranges(ranges)
        self._generation: object = None

    def repairs(self, text: str, reached: Sequence[LiveSet]) -> list[Repair]:
        """The cheapest repairs, best first, each with another first mistake.

        ``reached`` are the live sets of the input's viable prefixes, as ``Derivatives.read`` gives them.
        """
        if self._generation is not self._derivatives.generation:
            self._generation = self._derivatives.generation
            self._known_options: dict[State, tuple[_Option, ...]] = {}
        search = _Search(self._derivatives, self._key, self.alphabet, self._known_options, text, reached)
        found: list[Repair] = []
        for repair in search.run():
            if found and repair.cost > found[0].cost + SPREAD:
                break
            if not any(repair.same_mistake(other) for other in found):
                found.append(repair)
                if len(found) == MAX_REPAIRS:
                    break
        return found

    def accepts(self, text: str) -> bool:
        """Whether the rule derives a text, as far as the states know."""
        reached = self._derivatives.read(self._key, text, MAX_WORK)
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
    ) -> None:
        self._known_options = known_options
        self._derivatives = derivatives
        self._key = key
        self._text = text
        self._offset = len(reached) - 1
        self._begin = max(0, self._offset - WINDOW)
        self._end = min(len(text), self._offset + WINDOW)
        self._whole = self._end == len(text)
        # Nothing valid has been read yet, so the part the rule begins with may be what is missing.
        self._leading = not any(live.accepting for live in reached)
        self._foreign = [char not in alphabet for char in text[self._begin : self._end]]
        self._first_foreign = self._begin + self._foreign.index(True) if True in self._foreign else self._end
        # What was read before here is not doubted. Right before a character that cannot be meant, nothing is.
        doubted = 0 if self._first_foreign == self._offset else prices.SETTLED
        self._settled = self._offset - doubted
        self._reached = reached
        self._ahead = self._least_costs()
        self._heap: list[tuple[float, int, _Point]] = []
        self._counter = itertools.count()

    def _least_costs(self) -> list[float]:
        """Element i: what the characters from ``begin + i`` on cost at least: never too much, for A*."""
        result = [0.0] * (len(self._foreign) + 1)
        for index in range(len(self._foreign) - 1, -1, -1):
            result[index] = result[index + 1] + (prices.REPEATED if self._foreign[index] else 0.0)
        first = self._first_foreign - self._begin
        if first < len(self._foreign):
            # Whatever stands before it, the first one must be paid for in full.
            extra = self._least_price(self._first_foreign) - prices.REPEATED
            result[: first + 1] = [cost + extra for cost in result[: first + 1]]
        return result

    def _least_price(self, position: int) -> float:
        """The least that can be paid for the first character that the rule nowhere admits."""
        char = self._text[position]
        least = prices.ENCODE_SPACE if char == " " else prices.ENCODE
        if prices.is_blank(char):
            least = min(least, prices.DELETE_AT_END)
        if position < prices.WRAPPER_LENGTH:
            least = min(least, prices.WRAPPER + prices.WRAPPER_MORE * (position + 1))
        return min([least, *(price for price, *_ in self._replacements(position))])

    def run(self) -> Iterator[Repair]:
        """Repairs, cheapest first."""
        for state in self._reached[self._begin].states:
            self._push(_Point(0.0, self._begin, state, _Mode.READ, None, None))
        closed: dict[tuple[int, State, _Mode], list[tuple[int, str] | None]] = {}
        steps = MAX_STEPS
        while steps and self._heap:
            steps -= 1
            _, _, point = heapq.heappop(self._heap)
            if point.position > self._end:
                yield self._repair(point)
                steps = min(steps, MAX_FURTHER_STEPS)
                continue
            origins = closed.setdefault((point.position, point.state, point.mode), [])
            if point.origin in origins or len(origins) >= MAX_REPAIRS:
                continue
            origins.append(point.origin)
            self._expand(point)

    def _push(self, point: _Point) -> None:
        if point.cost <= MAX_COST:
            ahead = self._ahead[min(point.position, self._end) - self._begin]
            heapq.heappush(self._heap, (point.cost + ahead, next(self._counter), point))

    def _expand(self, point: _Point) -> None:
        position, state = point.position, point.state
        at_end = position == self._end
        done = at_end and point.last is not None and point.mode is not _Mode.WRAPPED
        if done and (not self._whole or self._derivatives.accepts(state)):
            self._push(_Point(point.cost, self._end + 1, state, _Mode.READ, point.last, point.origin))
        if not at_end:
            # What was wrapped begins like a word, and the wrapper does not end in one.
            if point.mode is not _Mode.WRAPPED or (
                prices.is_word(self._text[position]) and not prices.is_word(self._text[position - 1])
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
            if kind is not Kind.WRAPPER and not (self._leading and edit.start == 0):
                price += prices.DISTANCE * max(0, self._offset - edit.start)
            origin = (edit.start, trail[-1])
        last = Step(kind, edit, trail, point.state, point.last)
        self._push(_Point(point.cost + price, edit.end, target, mode, last, origin))

    def _delete(self, point: _Point) -> None:
        position, state = point.position, point.state
        char = self._text[position]
        edit = Edit(position, position + 1, "")
        wraps = position == 0 or point.mode is _Mode.WRAPPED
        if self._begin == 0 and wraps and position < prices.WRAPPER_LENGTH and self._is_data(position):
            price = prices.WRAPPER_MORE + (prices.WRAPPER if position == 0 else 0.0)
            self._step(point, price, Kind.WRAPPER, edit, (self._key,), state, _Mode.WRAPPED)
        if point.mode is _Mode.WRAPPED:
            return
        trail = self._blamed_for(char, point)
        begun = point.mode is _Mode.DELETING
        if (point.last is None or begun) and self._is_settled(position, state):
            price = prices.DELETE_STRUCTURE
        elif begun:
            price = prices.DELETE_MORE
        elif prices.is_blank(char):
            price = prices.DELETE_AT_END if self._is_blank_rest(position) else prices.DELETE_BLANK
        else:
            price = prices.DELETE
            if self._derivatives.moves(state, char):
                price = prices.DELETE_READ if position >= self._settled else prices.DELETE_SETTLED
            if position == self._offset and self._is_structure(position) and self._is_structure(position + 1):
                price = prices.DELETE_RUN
        if self._is_repeated(position):
            price = prices.REPEATED if prices.is_blank(char) else prices.DELETE_REPEATED
        self._step(point, price, Kind.DELETE, edit, trail, state, _Mode.DELETING)
        if self._whole and position == self._offset and self._derivatives.accepts(state):
            length = len(self._text) - position
            if prices.is_blank(char) or char in prices.DELIMITERS:
                price = prices.TRAILER + prices.TRAILER_MORE * length
            else:
                price = prices.CUT + prices.CUT_MORE * length
            rest = Edit(position, len(self._text), "")
            self._step(point, price, Kind.TRAILER, rest, trail, state)

    def _is_data(self, position: int) -> bool:
        """Whether no reading that went on well behind a character took it for a delimiter."""
        if prices.is_word(self._text[position]) or position > self._offset:
            return True
        return not any(self._is_settled(position, state) for state in self._reached[position].states)

    def _is_settled(self, position: int, state: State) -> bool:
        """Whether a character well before the offset was read as a delimiter, not as one of many like it."""
        char = self._text[position]
        if position >= self._settled or char == "%":
            return False
        states = (state,) if self._derivatives.moves(state, char) else self._reached[position].states
        targets = [arc.target for other in states for arc in self._derivatives.moves(other, char)]
        return not any(again.target is t for t in targets for again in self._derivatives.moves(t, char))

    def _blamed_for(self, char: str, point: _Point) -> tuple[str, ...]:
        """The rules to blame for a character that is dropped.

        That is the rule that would have read it, if that one is being read; otherwise the one being
        read, or rather the one around it, if the reading may as well be there (in ``[1::2::3]``
        between two groups, not in a last pair of groups that nothing but hindsight calls the last).
        """
        state = point.state
        own = self._derivatives.moves(state, char)
        if own:
            return blamed(own[0].trail, state, own[0].target)
        reading = state.reading
        if point.last is not None:
            return reading
        position = point.position
        if position > self._begin:
            # The rule that was read last, even if it is complete: behind "1.2.3.4" an IPv4address.
            last = [
                blamed(arc.trail, other, arc.target)
                for other in self._reached[position - 1].states
                for arc in self._derivatives.moves(other, self._text[position - 1])
                if arc.target is state
            ]
            inner = [t for t in last if len(t) > len(reading) == common(t, reading)]
            if inner:
                return min(inner, key=len)
        alive = self._reached[position].states
        around = [arc.trail for other in alive for arc in self._derivatives.moves(other, char)]
        around += [other.reading for other in alive]
        return min((t for t in around if t and t == reading[: len(t)]), key=len, default=reading)

    def _is_blank_rest(self, position: int) -> bool:
        return self._whole and all(map(prices.is_blank, self._text[position:]))

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
        if self._is_repeated(position):
            return prices.ENCODE_REPEATED
        if char == "%":
            triplet = prices.is_triplet(self._text, position)
            return prices.ENCODE_MISPLACED if triplet else prices.ENCODE_PERCENT
        if position < self._offset:
            return prices.ENCODE_READ
        if prices.BRACKETS.get(char, "\0") in self._text[self._offset : position]:
            return prices.ENCODE_CLOSING
        if self._foreign[position - self._begin]:
            return prices.encode_foreign(char)
        return prices.ENCODE_STRUCTURE if self._is_structure(position + 1) else prices.ENCODE_MISPLACED

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
        for price, kind, length, replacement in self._replacements(position):
            edit = Edit(position, position + length, replacement)
            for arc, target in self._through(state, replacement):
                trail = blamed(arc.trail, state, target)
                if kind is Kind.SUBSTITUTE and length == 1:
                    price = prices.SUBSTITUTE_LEAVING if _leaves(trail, state) else prices.SUBSTITUTE_LIKE
                    if self._is_repeated(position):
                        price = prices.REPEATED
                self._step(point, price, kind, edit, trail, target)
        if not prices.is_blank(char):
            for option in self._options(state):
                if char not in option.charset:
                    edit = Edit(position, position + 1, option.text)
                    price = self._substitute_price(char, option.text, position, state)
                    self._step(point, price, Kind.SUBSTITUTE, edit, option.trail, option.target)

    def _substitute_price(self, char: str, text: str, position: int, state: State) -> float:
        if text == "@":
            price = prices.INSERT_AT_SIGN
        elif self._derivatives.accepts(state):
            price = prices.SUBSTITUTE_OPTIONAL
        elif prices.is_word(char) or prices.is_word(text) or self._foreign[position - self._begin]:
            price = prices.SUBSTITUTE
        else:
            price = prices.SUBSTITUTE_DELIMITER
        if position < self._settled:
            return price + prices.SUBSTITUTE_SETTLED
        return price + prices.SUBSTITUTE_READ if position < self._offset else price

    def _replacements(self, position: int) -> Iterator[tuple[float, Kind, int, str]]:
        text = self._text
        char = text[position]
        if like := like_ascii(char):
            yield prices.SUBSTITUTE_LIKE, Kind.SUBSTITUTE, 1, like
        if char == "%" and position + 3 <= self._end:
            octet = int(text[position + 1 : position + 3], 16) if prices.is_triplet(text, position) else 0
            if 0x20 < octet < 0x7F:
                yield prices.DECODE, Kind.DECODE, 3, chr(octet)
        for written, meant in prices.REWRITES.items():
            if text.startswith(written, position):
                yield prices.REWRITE, Kind.SUBSTITUTE, len(written), meant

    def _insert(self, point: _Point) -> None:
        position, state, last = point.position, point.state, point.last
        # Where something was missing, no reading went on without it.
        optional = self._derivatives.accepts(state) or (last is None and position < self._offset)
        behind_word = position > 0 and prices.is_word(self._text[position - 1])
        readable = position < self._end and bool(self._derivatives.moves(state, self._text[position]))
        settled = position < self._end and last is None and self._is_settled(position, state)
        needless = not behind_word or readable or settled
        for option in self._options(state):
            text, trail = option.text, option.trail
            if position == 0 and self._leading:
                price = prices.INSERT_LEADING
            elif text == "@":
                price = prices.INSERT_AT_SIGN
            elif text in "[]":
                price = prices.INSERT_BRACKET
            elif text.isalnum():
                early = last is None and position < self._offset
                price = prices.INSERT_EARLY if early else prices.INSERT
                price = prices.INSERT_NEEDLESS if settled else price
            elif optional:
                price = prices.INSERT_NEEDLESS if needless else prices.INSERT_OPTIONAL
                trail = state.trail if behind_word else trail
            else:
                price = prices.INSERT_DELIMITER
            if text != "@" and last is not None and last.kind is Kind.INSERT and last.edit.end == position:
                price = min(price, prices.INSERT_MORE)
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

    def _is_structure(self, position: int) -> bool:
        if position >= self._end or self._foreign[position - self._begin]:
            return False
        return self._text[position] != "%" and not prices.is_word(self._text[position])

    def _is_repeated(self, position: int) -> bool:
        return self._foreign[position - self._begin] and position > self._first_foreign

    def _repair(self, point: _Point) -> Repair:
        steps: list[Step] = []
        step = point.last
        while step is not None:
            steps.append(step)
            step = step.previous
        steps.reverse()
        text = apply(self._text, [s.edit for s in steps]) if self._whole else None
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
