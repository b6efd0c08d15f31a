"""One pass forward by frames, one pass back by where their alternatives came from: the preferred derivation.

*Stack.* As long as all alternatives wait for one frame inside, which cannot end yet, only that frame is
needed: the places to return to go on a list (``_Base``), and come off it when the frame may end. So moves are
those of few frames however deep the text nests, and a hundred thousand brackets are a loop. Where a frame may
end and may go on, it is taken back into its caller's, and if that may end too, into that one's: such stacks
grow, and are refused (TOO_DEEP).

*Cost.* Linear in the text; a tenth of a microsecond a character each way where frames are known. What is
charged is what reading the text takes from nothing: each frame that it leads to when it does so first, with
those inside it, and each move once; so whether an answer is found within a budget does not depend on what was
read before. Frames that are known are forgotten between texts when there are more than MOST; within a text
the way back needs them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from operator import attrgetter, getitem

from abnforge._lazy import cached_property, importing
from abnforge.budget import Budget, Meter
from abnforge.charset import AlphabetCompressor, partition
from abnforge.grammar.core import Node
from abnforge.grammar.facts import Facts, components, terminals
from abnforge.parsing.frames import MAX_DEPTH, Frame, Frames, Origins
from abnforge.parsing.places import Place, Places
from abnforge.parsing.trace import CYCLE, LEFT_RECURSION, TOO_DEEP, Trace, TransducerError

# After a text, so many frames or places are worth keeping for the next one.
MOST = 20_000

# Characters read between two looks at what they cost.
_PIECE = 1 << 12

# Frames with more steps are charged before anything is done with them.
_WIDE = 200

# What a character takes in octets: a frame, a tuple of events.
_CHARACTER_OCTETS = 32

# What an open call takes in octets on the list beside the frame, and each time it comes or goes.
_CALL_OCTETS = 200

_frame, _weight, _cost, _octets, _inside = map(attrgetter, ("frame", "weight", "cost", "octets", "inside"))

# Where the calls return to that are open below a frame, innermost first; None below a root.
_Base = tuple[tuple[Place | None, ...], "_Base | None"]


class Transducer:
    """What finds the preferred derivations of texts by any rule of one grammar.

    Not for several threads at once. Raises LimitExceeded when the grammar takes more than the budget.
    """

    def __init__(self, facts: Facts, budget: Budget) -> None:
        meter = budget.meter("calls of the grammar")
        core = facts.core
        meter.charge(len(core.rules))
        self._facts = facts
        self._called: frozenset[str] = frozenset()
        marks: Mapping[Node, str] = {}
        if facts.recursive:
            with importing:
                from abnforge.parsing.loops import with_loops
                from abnforge.parsing.recognizer.calls import called_rules

            core, marks = with_loops(facts)
            self._facts = Facts(core)
            self._called = called_rules(self._facts, core.rules, meter, None)
        self._looped = {event[1:] for event in marks.values()}
        sets = terminals(core.rules.values())
        meter.charge(10 * len(sets))
        self._table = AlphabetCompressor.first_of(partition(sets))
        self._places = Places(self._facts, marks, self._called)
        self._frames: dict[bool, Frames] = {}
        self._by_rule: dict[str, Frames] = {}
        self._refusals: dict[str, str | None] = {}

    @cached_property
    def _corners(self) -> Mapping[str, int]:
        return _corners(self._facts, self._called)

    def refusal(self, key: str) -> str | None:
        """Why no text is read by a rule, None where texts are."""
        if key not in self._refusals:
            self._refusals[key] = self._refusal(key)
        return self._refusals[key]

    def _refusal(self, key: str) -> str | None:
        reachable = self._facts.reachable(key)
        if self._facts.recursive.isdisjoint(reachable):
            return None
        if not self._facts.left_recursive.isdisjoint(reachable):
            return LEFT_RECURSION
        if not self._facts.cyclic.isdisjoint(reachable):
            return CYCLE
        if max(self._corners[rule] for rule in reachable) > MAX_DEPTH:
            return TOO_DEEP
        return None

    def trace(self, key: str, text: str, meter: Meter) -> Trace | None:
        """The preferred derivation of a text from a rule; None when there is none.

        Raises TransducerError when that cannot be told here, LimitExceeded when ``meter`` has no more to
        spend.
        """
        reason = self.refusal(key)
        if reason is not None:
            raise TransducerError(reason)
        frames = self._frames_of(key)
        if max(frames.size, self._places.size) > MOST:
            self._forget()
        return _Reading(frames, key, text.translate(self._table), meter).trace()

    def _frames_of(self, key: str) -> Frames:
        """The frames that texts of a rule are read by: of all rules that need it strict, or need it not."""
        found = self._by_rule.get(key)
        if found is None:
            strict = not self._looped.isdisjoint(self._facts.reachable(key))
            found = self._frames.setdefault(strict, Frames(self._places, strict))
            self._by_rule[key] = found
        return found

    def _forget(self) -> None:
        for frames in self._frames.values():
            frames.forget()
        self._places.forget()


def _corners(facts: Facts, called: frozenset[str]) -> Mapping[str, int]:
    """How many called rules can begin one inside another before a character is read, for each rule that is
    not left-recursive. Cost: linear in the grammar.
    """
    deepest: dict[str, int] = {}
    edges = {key: tuple(dict.fromkeys(corners)) for key, corners in facts.left_corners.items()}
    for group in components(edges):
        for key in group:
            deepest[key] = (key in called) + max((deepest.get(other, 0) for other in edges[key]), default=0)
    return deepest


class _Reading:
    """One text being read."""

    def __init__(self, frames: Frames, key: str, text: str, meter: Meter) -> None:
        self._frames = frames
        self._meter = meter
        self._text = text
        self._met: set[Frame] = set()
        self._made: set[Origins] = set()
        self._moves: list[Origins] = []
        # The frame before each character, and where the move by it came from; at some places frames go onto
        # the list (the place, True) or come off.
        self._before: list[Frame] = [frames.start(key)]
        self._changes: list[tuple[int, bool]] = []
        self._base: _Base | None = None
        # How many characters and changes have been charged.
        self._charged = (0, 0)

    def trace(self) -> Trace | None:
        """Read the text, and go back."""
        self._meter.hold(_CHARACTER_OCTETS * len(self._text))
        self._meet()
        for begin in range(0, len(self._text), _PIECE):
            try:
                whole = self._forward(self._text[begin : begin + _PIECE])
            finally:
                self._meet()
            if not whole:
                return None
        return self._back()

    def _meet(self) -> None:
        """Charge what was met since it was charged last."""
        before, text = self._before, self._text
        begin, changes = self._charged
        last = len(before) - 1
        self._charged = last, len(self._changes)
        moves = [
            frame.origins[char] for frame, char in zip(before[begin:last], text[begin:last], strict=True)
        ]
        self._moves += moves
        made = set(moves) - self._made
        self._made |= made
        frames = [*map(_frame, made)]
        # A move looks at every step of the frame, and of those inside it.
        cost = sum(map(_weight, frames)) + len(made)
        octets = _CALL_OCTETS * (len(self._changes) - changes)
        fresh = {*frames, before[last]} - self._met
        while fresh:
            self._met |= fresh
            cost += sum(map(_cost, fresh))
            octets += sum(map(_octets, fresh))
            fresh = set().union(*map(_inside, fresh)) - self._met
        self._meter.charge(cost + (len(self._changes) - changes))
        self._meter.hold(octets)

    def _forward(self, text: str) -> bool:
        """Read some characters. False when one of them cannot be read."""
        before = self._before
        following = iter(text)
        while True:
            current = before.pop()
            try:
                # As a loop would, in a third of the time: what was reached before an exception stays.
                before.extend(accumulate(following, getitem, initial=current))
                return True
            except KeyError as missing:
                (char,) = missing.args
            current = before[-1]
            if current.final is not None and not current.root:
                current = self._unfolded(current)
                before[-1] = current
            if current.weight > _WIDE:
                self._meet()
            target = current.moves.get(char)
            if target is None:
                target = self._move(current, char)
                if target is None:
                    return False
            if target.folded is not None:
                while target.folded is not None:
                    places, target = target.folded
                    self._base = places, self._base
                    self._changes.append((len(before), True))
            before.append(target)

    def _move(self, frame: Frame, char: str) -> Frame | None:
        """A move that was not made before."""
        half, _ = self._frames.move(frame, char)
        if half is None:
            return None
        target, origins = half
        frame.origins[char] = origins
        frame.moves[char] = target
        if target.folded is None:
            frame[char] = target
        return target

    def _unfolded(self, frame: Frame) -> Frame:
        """Take calls off the list until the frame cannot end, or no call is open around it."""
        while frame.final is not None and not frame.root:
            assert self._base is not None
            places, self._base = self._base
            frame = self._frames.unfold(frame, places, self._base is None)
            self._changes.append((len(self._before) - 1, False))
        return frame

    def _back(self) -> Trace | None:
        """The events of the way that ends first, if one ends."""
        last = self._unfolded(self._before[-1])
        if not last.root:
            return None
        if last.final is None:
            return None
        path, events, twice = last.final
        self._frames.check(twice)
        trace: Trace = [events]
        add = trace.append
        moves = self._moves
        returns: list[int] = []
        place = len(moves)
        for change, folded in [*reversed(self._changes), (0, None)]:
            while place > change:
                place -= 1
                path, events = moves[place][path]
                add(events)
            if folded:
                path = (returns.pop(), *path)
            elif folded is not None:
                returns.append(path[0])
                path = path[1:]
        trace.reverse()
        return trace
