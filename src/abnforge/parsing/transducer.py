"""Find the preferred derivation in two linear passes: forward through frames, back along backpointers.

A nondeterministic transducer is determinized lazily (``frames``). Its alternatives are ordered by preference,
so the first alternative that ends is the preferred derivation (Frisch and Cardelli 2004; Laurikari 2000).
Read ``trace`` first, then ``positions``, ``frames`` and this module; ``grammar.loops`` prepares left
recursion.

*Stack.* While all alternatives wait for one nested frame that cannot end yet, only that frame is needed. The
return positions are pushed on a list (``_SpilledCalls``) and popped when the frame can end. So a move
involves few frames at any nesting, and 100,000 brackets do not need recursion. A frame that can both end and
continue stays nested in its caller's frame; stacks that grow in this way are not supported (TOO_DEEP).

*Cost.* The passes take linear time in the string; about 0.1 µs per character and direction for cached frames.
In each string, the meter is charged once for each frame, with its nested frames, and once for each move. So
the cache does not affect whether a string exceeds the budget. Frames are dropped between strings if there are
more than MAX_KEPT; within a string, backtracking needs all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from operator import attrgetter, getitem
from typing import Any

from abnforge._lazy import cached_property, lazy
from abnforge.budget import Budget, Meter
from abnforge.charset import AlphabetCompressor
from abnforge.grammar.core import Node
from abnforge.grammar.facts import Facts, components
from abnforge.parsing.frames import MAX_DEPTH, Backpointers, Frame, Frames
from abnforge.parsing.positions import GrammarPosition, GrammarPositions
from abnforge.parsing.trace import CYCLE, LEFT_RECURSION, TOO_DEEP, Trace, TransducerError

with lazy:
    from abnforge.grammar import loops
    from abnforge.parsing.recognizer import network

# The maximum number of frames or positions kept from one string to the next, and an allowance for each rule.
MAX_KEPT = 20_000
KEPT_PER_RULE = 20

# The number of characters between two charges.
_PIECE = 1 << 12

# The maximum steps of a frame that is used before it is charged.
_MAX_UNCHARGED_STEPS = 200

# The memory per character in bytes: references to a frame and a tuple of events.
_CHARACTER_OCTETS = 32

# The memory per step of frames, moves and closures, in bytes.
_STEP_OCTETS = 200

_backpointers, _contents, _cost = map(attrgetter, ("backpointers", "contents", "cost"))

# The return positions of the open calls below a frame, innermost first; None below a root.
_SpilledCalls = tuple[tuple[GrammarPosition | None, ...], "_SpilledCalls | None"]


class Transducer:
    """Find the preferred derivations of strings by any rule of one grammar.

    An object serves one thread at a time. Raises: LimitExceeded if the grammar exceeds the budget.
    """

    def __init__(self, facts: Facts, budget: Budget) -> None:
        meter = budget.meter("calls of the grammar")
        core = facts.core
        meter.charge(len(core.rules))
        self._facts = facts
        self._called: frozenset[str] = frozenset()
        marks: Mapping[Node, str] = {}
        if facts.recursive:
            if facts.left_recursive:
                core, marks = loops.with_loops(facts)
                self._facts = Facts(core)
            self._called = network.called_rules(self._facts, core.rules, meter, None)
        self._looped = {event[1:] for event in marks.values()}
        meter.charge(10 * len(self._facts.terminals))
        self._table = AlphabetCompressor.first_of(self._facts.terminals)
        self._positions = GrammarPositions(self._facts, marks, self._called)
        self._max_kept = MAX_KEPT + KEPT_PER_RULE * len(core.rules)
        self._frames: dict[bool, Frames] = {}
        self._by_rule: dict[str, Frames] = {}
        self._reasons: dict[str, str | None] = {}

    @cached_property
    def _corner_depths(self) -> Mapping[str, int]:
        return _corner_depths(self._facts, self._called)

    def unsupported_reason(self, key: str) -> str | None:
        """Return why the transducer does not support a rule, or None."""
        if key not in self._reasons:
            self._reasons[key] = self._find_reason(key)
        return self._reasons[key]

    def _find_reason(self, key: str) -> str | None:
        reachable = self._facts.reachable(key)
        if self._facts.recursive.isdisjoint(reachable):
            return None
        if not self._facts.left_recursive.isdisjoint(reachable):
            return LEFT_RECURSION
        if not self._facts.cyclic.isdisjoint(reachable):
            return CYCLE
        if max(self._corner_depths[rule] for rule in reachable) > MAX_DEPTH:
            return TOO_DEEP
        return None

    def trace(self, key: str, text: str, meter: Meter) -> Trace | None:
        """Return the preferred derivation of a string by a rule, or None.

        Raises: TransducerError if the rule or the string is not supported; LimitExceeded.
        """
        frames = self._by_rule.get(key) or self._frames_of(key)
        if frames.size > self._max_kept or self._positions.size > self._max_kept:
            self._forget()
        return _Run(frames, key, text.translate(self._table), meter).trace()

    def _frames_of(self, key: str) -> Frames:
        """Return the frames for a rule; rules that need strict frames do not share them with others."""
        reason = self.unsupported_reason(key)
        if reason is not None:
            raise TransducerError(reason)
        strict = not self._looped.isdisjoint(self._facts.reachable(key))
        frames = self._frames.setdefault(strict, Frames(self._positions, strict, len(self._facts.core.rules)))
        self._by_rule[key] = frames
        return frames

    def _forget(self) -> None:
        for frames in self._frames.values():
            frames.forget()
        self._positions.forget()


def _corner_depths(facts: Facts, called: frozenset[str]) -> Mapping[str, int]:
    """Return how deep called rules can begin with called rules, for each rule without left recursion.

    Only calls before the first character count. Complexity: linear in the grammar.
    """
    deepest: dict[str, int] = {}
    edges = {key: tuple(dict.fromkeys(corners)) for key, corners in facts.left_corners.items()}
    for group in components(edges):
        for key in group:
            deepest[key] = (key in called) + max((deepest.get(other, 0) for other in edges[key]), default=0)
    return deepest


class _Run:
    """The parse of one string."""

    __slots__ = (
        *("_before", "_changes", "_charged", "_charged_changes", "_frames", "_meter", "_moves", "_spilled"),
        "_text",
    )

    def __init__(self, frames: Frames, key: str, text: str, meter: Meter) -> None:
        self._frames = frames
        self._meter = meter
        self._text = text
        # The frame before each character, whose backpointers for the character lead to the next frame; and
        # the pushes (offset, True) and pops (offset, False) of spilled calls.
        self._before: list[Frame] = [frames.start(key)]
        self._changes: list[tuple[int, bool]] = []
        self._spilled: _SpilledCalls | None = None
        # The moves charged so far, all objects charged so far, and the number of charged pushes and pops.
        self._moves: list[Backpointers] = []
        self._charged: set[Any] = set()
        self._charged_changes = 0

    def trace(self) -> Trace | None:
        text = self._text
        if not text or self._before[0].weight > _MAX_UNCHARGED_STEPS:
            self._charge_new()
        for begin in range(0, len(text), _PIECE):
            try:
                whole = self._forward(text[begin : begin + _PIECE])
            finally:
                self._charge_new()
            if not whole:
                return None
        return self._back()

    def _charge_new(self) -> None:
        """Charge the frames, moves, pushes and pops since the last charge."""
        before = self._before
        begin, last = len(self._moves), len(before) - 1
        moves: list[Backpointers] = []
        if begin < last:
            moves += map(getitem, map(_backpointers, before[begin:last]), self._text[begin:last])
            self._moves += moves
        new = {*moves, *before[begin:]}
        if self._charged:
            new -= self._charged
            new = new.union(*map(_contents, new)) - self._charged
            self._charged |= new
        else:
            new.update(*map(_contents, new))
            self._charged = new
        steps = sum(map(_cost, new)) + len(self._changes) - self._charged_changes
        self._charged_changes = len(self._changes)
        self._meter.charge(steps)
        self._meter.hold(_STEP_OCTETS * steps + _CHARACTER_OCTETS * len(moves))

    def _forward(self, text: str) -> bool:
        """Parse a piece; return whether all its characters were read."""
        before = self._before
        following = iter(text)
        while True:
            current = before.pop()
            try:
                # ``extend`` keeps the frames before a KeyError, in a third of the time of a loop.
                before.extend(accumulate(following, getitem, initial=current))
                return True
            except KeyError as missing:
                (char,) = missing.args
            current = before[-1]
            if current.final is not None and not current.root:
                current = self._restored(current)
                before[-1] = current
            if current.weight > _MAX_UNCHARGED_STEPS:
                self._charge_new()
            target = current.moves.get(char)
            if target is None:
                target = self._move(current, char)
                if target is None:
                    return False
            if target.spilled_form is not None:
                while target.spilled_form is not None:
                    positions, target = target.spilled_form
                    self._spilled = positions, self._spilled
                    self._changes.append((len(before), True))
            before.append(target)

    def _move(self, frame: Frame, char: str) -> Frame | None:
        half, _ = self._frames.move(frame, char)
        if half is None:
            return None
        target, backpointers = half
        frame.backpointers[char] = backpointers
        frame.moves[char] = target
        if target.spilled_form is None:
            frame[char] = target
        return target

    def _restored(self, frame: Frame) -> Frame:
        """Pop calls until the frame cannot end or no call is open around it."""
        while frame.final is not None and not frame.root:
            assert self._spilled is not None
            positions, self._spilled = self._spilled
            frame = self._frames.restore(frame, positions, self._spilled is None)
            self._changes.append((len(self._before) - 1, False))
        return frame

    def _back(self) -> Trace | None:
        """Return the events of the first alternative that ends, or None."""
        last = self._before[-1]
        if not last.root:
            last = self._restored(last)
        if last.final is None or not last.root:
            return None
        path, events, ambiguous = last.final
        if ambiguous:
            self._frames.check(ambiguous)
        trace: Trace = [events]
        add = trace.append
        moves = self._moves
        returns: list[int] = []
        offset = len(moves)
        for change, is_spill in [*reversed(self._changes), (0, None)]:
            while offset > change:
                offset -= 1
                path, events = moves[offset][path]
                add(events)
            if is_spill:
                path = (returns.pop(), *path)
            elif is_spill is not None:
                returns.append(path[0])
                path = path[1:]
        trace.reverse()
        return trace
