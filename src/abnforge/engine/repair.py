"""The cheapest edits that make a rejected input valid, and which one a person would call the mistake.

A shortest path (A*, Hart, Nilsson and Raphael 1968) through input x states: reading a character that a
state admits is free, every edit has a price. The prices say how people go wrong with
identifiers, not with URIs alone: a character that the rule nowhere admits was meant literally and wants
percent-encoding; a bracket or a delimiter is forgotten; a look-alike is typed or pasted; something
that does not belong there is pasted around it. Only differences of prices matter.

An edit made where a reading broke off late and an edit made earlier, which opens another reading, compete
in one search: so ``http://host:80x/`` is found to be about the port (drop "x"), although it can be
read further as userinfo (where "@" is missing).

Cost: bounded by ``MAX_STEPS`` whatever the input; long inputs are looked at through a window.
"""

from __future__ import annotations

import heapq
import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from abnforge.analysis.core import Chars
from abnforge.analysis.facts import walk
from abnforge.automaton.derivative import Arc, Derivatives, LiveSet, State
from abnforge.charset import CharSet
from abnforge.rejection import Edit

# Search steps for one input: about a tenth of a second, and far more than ordinary mistakes need.
MAX_STEPS = 20_000
# Characters looked at before and behind the offset. A repair further away would not be "nearby".
WINDOW = 400
# A repair that costs more is a rewrite, not a repair.
MAX_COST = 12.0
# Repairs looked for, and how much worse than the best one they may be.
MAX_REPAIRS = 4
SPREAD = 1.5

ENCODE = 0.8  # a character that the rule nowhere admits
ENCODE_SPACE = 0.45
ENCODE_PERCENT = 0.5  # a "%" that begins no triplet
ENCODE_MISPLACED = 0.9  # a character that the rule admits elsewhere, ...
ENCODE_STRUCTURE = 1.2  # ... but a run of delimiters is structure, not data
ENCODE_CLOSING = 0.3  # the other bracket of a pair
ENCODE_READ = 2.0  # a delimiter that could be read as one
ENCODE_DELIMITER = 1.1  # <, > and " mark an identifier's end in running text (RFC 3986, appendix C)
DECODE = 0.7  # "%3A" where ":" is needed
REPEATED = 0.1  # the same mistake again: every further character that the rule nowhere admits, ...
ENCODE_REPEATED = 0.12
DELETE_REPEATED = 0.15
DELETE = 1.0
DELETE_READ = 1.1  # a character that could be read
DELETE_RUN = 1.25  # a delimiter in front of another one
DELETE_STRUCTURE = 2.5  # a delimiter that was read as one, and reading went on well behind it
DELETE_BLANK = 0.5  # white space, controls, invisible characters: they come with copying
DELETE_AT_END = 0.3
DELETE_MORE = 0.3  # each further character of a run
INSERT = 1.2
INSERT_DELIMITER = 0.95  # a delimiter is more easily forgotten than content
INSERT_EARLY = 2.2  # content before the offset, where reading went on without it
INSERT_MORE = 0.9  # at most, for what follows something that was inserted
INSERT_BRACKET = 0.8
INSERT_LEADING = 0.4  # the part that a rule begins with, when nothing valid has been read yet
INSERT_OPTIONAL = 1.7  # a delimiter where nothing was missing: it only makes room for what follows
INSERT_NEEDLESS = 3.5  # the same behind another delimiter, or before what could be read
INSERT_AT_SIGN = 4.0  # it turns what was read into something else; hardly ever what was forgotten
SUBSTITUTE_LIKE = 0.6
SUBSTITUTE_LEAVING = 0.9
SUBSTITUTE_DELIMITER = 1.15  # one delimiter for another
SUBSTITUTE = 1.6
SUBSTITUTE_OPTIONAL = 2.2  # where nothing was missing
SUBSTITUTE_READ = 0.3  # added for a character that could be read
REWRITE = 0.5
WRAPPER = 0.5  # something pasted before the identifier, ...
WRAPPER_MORE = 0.08
WRAPPER_LENGTH = 32
TRAILER = 0.9  # ... or behind it, if it begins as no identifier goes on
TRAILER_MORE = 0.02
CUT = 2.0  # leaving out the rest for any other reason
CUT_MORE = 0.05
SUBSTITUTE_SETTLED = 1.5  # ... and reading went on well behind it
SETTLED = 2  # how far behind a delimiter reading must have gone on
DISTANCE = 0.002  # of two equal repairs the one nearer to the offset

# Written for one another, beside what Unicode's compatibility decomposition (NFKC) says.
LOOK_ALIKE = {
    "\\": "/",
    "(": "[",
    ")": "]",
    "{": "[",
    "}": "]",
    ";": ":",
    ",": ".",
    "\u3002": ".",
    "\u2018": "'",
    "\u2019": "'",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2215": "/",
    "\u2044": "/",
    "\u2236": ":",
}
BRACKETS = {"]": "[", ")": "(", "}": "{", ">": "<"}
# Written for delimiters by mistake, or on purpose so that a reader would not take them for a link.
REWRITES = {
    "[dot]": ".",
    "(dot)": ".",
    "[.]": ".",
    "[at]": "@",
    "(at)": "@",
    "[://]": "://",
    ".//": "://",
}


class Kind(Enum):
    """What an edit does."""

    DELETE = "delete"
    INSERT = "insert"
    ENCODE = "encode"
    DECODE = "decode"
    SUBSTITUTE = "substitute"
    WRAPPER = "wrapper"
    TRAILER = "trailer"


@dataclass(frozen=True, slots=True)
class Step:
    """One edit on the way: where, what, and the rules it is about (keys, outermost first)."""

    kind: Kind
    edit: Edit
    trail: tuple[str, ...]
    state: State
    previous: Step | None


@dataclass(frozen=True, slots=True)
class Repair:
    """A valid string near the input (``text`` None when the window did not reach the end of the input).

    ``steps`` are the edits from left to right, ``first`` those of them that make up the first mistake.
    """

    cost: float
    text: str | None
    steps: tuple[Step, ...]
    first: tuple[Step, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Where the first mistake starts and ends."""
        return self.first[0].edit.start, self.first[-1].edit.end

    def same_mistake(self, other: Repair) -> bool:
        """Whether both are about the same rule and places that overlap or touch."""
        (start, end), (other_start, other_end) = self.span, other.span
        return self.first[0].trail == other.first[0].trail and start <= other_end and other_start <= end


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
        self._alphabet = CharSet.from_ranges(ranges)

    def repairs(self, text: str, reached: Sequence[LiveSet]) -> list[Repair]:
        """The cheapest repairs, best first, each with another first mistake.

        ``reached`` are the live sets of the input's viable prefixes, as ``Derivatives.read`` gives them.
        """
        search = _Search(self._derivatives, self._key, self._alphabet, text, reached)
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
        reached = self._derivatives.read(self._key, text)
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
        self, derivatives: Derivatives, key: str, alphabet: CharSet, text: str, reached: Sequence[LiveSet]
    ) -> None:
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
        self._ahead = self._least_costs()
        self._reached = reached
        self._heap: list[tuple[float, int, _Point]] = []
        self._counter = itertools.count()

    def _least_costs(self) -> list[float]:
        """Element i: what the characters from ``begin + i`` on cost at least: never too much, for A*."""
        result = [0.0] * (len(self._foreign) + 1)
        for index in range(len(self._foreign) - 1, -1, -1):
            result[index] = result[index + 1] + (REPEATED if self._foreign[index] else 0.0)
        return result

    def run(self) -> Iterator[Repair]:
        """Repairs, cheapest first."""
        for state in self._reached[self._begin].states:
            self._push(_Point(0.0, self._begin, state, _Mode.READ, None, None))
        closed: dict[tuple[int, State, _Mode], list[tuple[int, str] | None]] = {}
        for _ in range(MAX_STEPS):
            if not self._heap:
                return
            _, _, point = heapq.heappop(self._heap)
            if point.position > self._end:
                yield self._repair(point)
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
                _is_word(self._text[position]) and not _is_word(self._text[position - 1])
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
            price += DISTANCE * max(0, self._offset - edit.start)
            origin = (edit.start, trail[-1])
        last = Step(kind, edit, trail, point.state, point.last)
        self._push(_Point(point.cost + price, edit.end, target, mode, last, origin))

    def _delete(self, point: _Point) -> None:
        position, state = point.position, point.state
        char = self._text[position]
        edit = Edit(position, position + 1, "")
        wraps = position == 0 or point.mode is _Mode.WRAPPED
        if self._begin == 0 and wraps and position < WRAPPER_LENGTH and self._is_data(position):
            price = WRAPPER_MORE + (WRAPPER if position == 0 else 0.0)
            self._step(point, price, Kind.WRAPPER, edit, (self._key,), state, _Mode.WRAPPED)
        if point.mode is _Mode.WRAPPED:
            return
        trail = self._blamed_for(char, point)
        begun = point.mode is _Mode.DELETING
        if (point.last is None or begun) and self._is_settled(position, state):
            price = DELETE_STRUCTURE
        elif begun:
            price = DELETE_MORE
        elif _is_blank(char):
            price = DELETE_AT_END if self._is_blank_rest(position) else DELETE_BLANK
        else:
            price = DELETE_READ if self._derivatives.moves(state, char) else DELETE
            if position == self._offset and self._is_structure(position) and self._is_structure(position + 1):
                price = DELETE_RUN
        if self._is_repeated(position):
            price = REPEATED if _is_blank(char) else DELETE_REPEATED
        self._step(point, price, Kind.DELETE, edit, trail, state, _Mode.DELETING)
        if self._whole and position == self._offset and self._derivatives.accepts(state):
            length = len(self._text) - position
            if _is_blank(char) or char in '<>"':
                price = TRAILER + TRAILER_MORE * length
            else:
                price = CUT + CUT_MORE * length
            rest = Edit(position, len(self._text), "")
            self._step(point, price, Kind.TRAILER, rest, trail, state)

    def _is_data(self, position: int) -> bool:
        """Whether no reading that went on well behind a character took it for a delimiter."""
        if _is_word(self._text[position]) or position > self._offset:
            return True
        return not any(self._is_settled(position, state) for state in self._reached[position].states)

    def _is_settled(self, position: int, state: State) -> bool:
        """Whether a character well before the offset was read as a delimiter, not as one of many like it."""
        char = self._text[position]
        if position >= self._offset - SETTLED or char == "%":
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
            return _blamed(own[0].trail, state, own[0].target)
        reading = state.reading
        if point.last is not None:
            return reading
        position = point.position
        if position > self._begin:
            # The rule that was read last, even if it is complete: behind "1.2.3.4" an IPv4address.
            last = [
                _blamed(arc.trail, other, arc.target)
                for other in self._reached[position - 1].states
                for arc in self._derivatives.moves(other, self._text[position - 1])
                if arc.target is state
            ]
            inner = [t for t in last if len(t) > len(reading) == _common(t, reading)]
            if inner:
                return min(inner, key=len)
        alive = self._reached[position].states
        around = [arc.trail for other in alive for arc in self._derivatives.moves(other, char)]
        around += [other.reading for other in alive]
        return min((t for t in around if t and t == reading[: len(t)]), key=len, default=reading)

    def _is_blank_rest(self, position: int) -> bool:
        return self._whole and all(map(_is_blank, self._text[position:]))

    def _encode(self, point: _Point) -> None:
        position = point.position
        char = self._text[position]
        if char.isascii() and char.isalnum():
            return
        try:
            octets = char.encode()
        except UnicodeEncodeError:  # a lone surrogate has no octets
            return
        encoded = "".join(f"%{octet:02X}" for octet in octets)
        if self._is_repeated(position):
            price = ENCODE_REPEATED
        elif position < self._offset and char != "%":
            price = ENCODE_READ
        elif (
            char in BRACKETS
            and self._offset < position
            and BRACKETS[char] in self._text[self._offset : position]
        ):
            price = ENCODE_CLOSING
        elif char == "%":
            price = ENCODE_MISPLACED if _is_triplet(self._text, position) else ENCODE_PERCENT
        elif self._foreign[position - self._begin]:
            price = ENCODE_SPACE if char == " " else ENCODE_DELIMITER if char in '<>"' else ENCODE
        elif self._is_structure(position + 1):
            price = ENCODE_STRUCTURE
        else:
            price = ENCODE_MISPLACED
        for arc, target in self._through(point.state, encoded):
            trail = _blamed(arc.trail, point.state, target)
            self._step(point, price, Kind.ENCODE, Edit(position, position + 1, encoded), trail, target)

    def _through(self, state: State, text: str) -> Iterator[tuple[Arc, State]]:
        """The first arc and the last state of every way to read a text from a state."""
        ways = [(arc, arc.target) for arc in self._derivatives.moves(state, text[0])]
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
                trail = _blamed(arc.trail, state, target)
                if kind is Kind.SUBSTITUTE and length == 1:
                    price = SUBSTITUTE_LEAVING if _leaves(trail, state) else SUBSTITUTE_LIKE
                    if self._is_repeated(position):
                        price = REPEATED
                self._step(point, price, kind, edit, trail, target)
        if not _is_blank(char):
            for arc in self._targets(state):
                if char not in arc.charset:
                    edit = Edit(position, position + 1, _representative(arc.charset))
                    trail = _blamed(arc.trail, state, arc.target)
                    both = not (
                        _is_word(char) or _is_word(edit.text) or self._foreign[position - self._begin]
                    )
                    price = SUBSTITUTE_DELIMITER if both else SUBSTITUTE
                    if edit.text == "@":
                        price = INSERT_AT_SIGN
                    elif self._derivatives.accepts(state):
                        price = SUBSTITUTE_OPTIONAL
                    if position < self._offset - SETTLED:
                        price += SUBSTITUTE_SETTLED
                    elif position < self._offset:
                        price += SUBSTITUTE_READ
                    self._step(point, price, Kind.SUBSTITUTE, edit, trail, arc.target)

    def _replacements(self, position: int) -> Iterator[tuple[float, Kind, int, str]]:
        text = self._text
        char = text[position]
        like = LOOK_ALIKE.get(char) or unicodedata.normalize("NFKC", char)
        if len(like) == 1 and like != char and like.isascii() and like != " ":
            yield SUBSTITUTE_LIKE, Kind.SUBSTITUTE, 1, like
        if char == "%" and position + 3 <= self._end:
            octet = int(text[position + 1 : position + 3], 16) if _is_triplet(text, position) else 0
            if 0x20 < octet < 0x7F:
                yield DECODE, Kind.DECODE, 3, chr(octet)
        for written, meant in REWRITES.items():
            if text.startswith(written, position):
                yield REWRITE, Kind.SUBSTITUTE, len(written), meant

    def _insert(self, point: _Point) -> None:
        position, state = point.position, point.state
        for arc in self._targets(state):
            text = _representative(arc.charset)
            trail = _blamed(arc.trail, state, arc.target)
            if position == 0 and self._leading:
                price = INSERT_LEADING
            elif text == "@":
                price = INSERT_AT_SIGN
            elif text in "[]":
                price = INSERT_BRACKET
            elif text.isalnum():
                price = INSERT if point.last is not None or position == self._offset else INSERT_EARLY
            elif self._derivatives.accepts(state) or (point.last is None and position < self._offset):
                behind_word = position > 0 and _is_word(self._text[position - 1])
                needless = not behind_word or (
                    position < self._end and self._derivatives.moves(state, self._text[position])
                )
                price = INSERT_NEEDLESS if needless else INSERT_OPTIONAL
                trail = state.trail if behind_word else trail
            else:
                price = INSERT_DELIMITER
            if point.last is not None and point.last.kind is Kind.INSERT and point.last.edit.end == position:
                price = min(price, INSERT_MORE)
            self._step(point, price, Kind.INSERT, Edit(position, position, text), trail, arc.target)

    def _targets(self, state: State) -> Iterator[Arc]:
        """One arc for every state that can be next."""
        seen: set[State] = set()
        for arc in self._derivatives.arcs(state):
            if arc.target not in seen:
                seen.add(arc.target)
                yield arc

    def _is_structure(self, position: int) -> bool:
        if position >= self._end or self._foreign[position - self._begin]:
            return False
        return self._text[position] != "%" and not _is_word(self._text[position])

    def _is_repeated(self, position: int) -> bool:
        return self._foreign[position - self._begin] and position > self._first_foreign

    def _repair(self, point: _Point) -> Repair:
        steps: list[Step] = []
        step = point.last
        while step is not None:
            steps.append(step)
            step = step.previous
        steps.reverse()
        first = [steps[0]]
        for step in steps[1:]:
            if step.edit.start != first[-1].edit.end or step.kind is not first[0].kind:
                break
            first.append(step)
        text = apply(self._text, [s.edit for s in steps]) if self._whole else None
        return Repair(point.cost, text, tuple(steps), tuple(first))


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits that are in order and do not overlap."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += (text[position : edit.start], edit.text)
        position = edit.end
    parts.append(text[position:])
    return "".join(parts)


def merge(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Neighbouring edits as one."""
    result: list[Edit] = []
    for edit in edits:
        if result and result[-1].end == edit.start:
            result[-1] = Edit(result[-1].start, edit.end, result[-1].text + edit.text)
        else:
            result.append(edit)
    return tuple(result)


def _blamed(trail: tuple[str, ...], before: State, after: State) -> tuple[str, ...]:
    """The rules an edit is about: of those that read the new character, the ones that last.

    A rule that begins and ends with that character (``ALPHA``) says nothing about the mistake.
    """
    return trail[: max(_common(trail, before.trail), _common(trail, after.trail))]


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    length = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        length += 1
    return length


def _leaves(trail: tuple[str, ...], state: State) -> bool:
    """Whether an edit about ``trail`` ends a rule that the state is reading and begins another one."""
    common = _common(trail, state.trail)
    return common < len(trail) and common < len(state.trail)


def _is_triplet(text: str, position: int) -> bool:
    digits = text[position + 1 : position + 3]
    return len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits)


def _representative(charset: CharSet) -> str:
    """A character to stand for a set: a digit, a letter, otherwise the smallest."""
    for char in "1a":
        if char in charset:
            return char
    return charset.min()


def _is_word(char: str) -> bool:
    return char.isalnum()


def _is_blank(char: str) -> bool:
    """White space, and what is not seen: controls and format characters."""
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp")
