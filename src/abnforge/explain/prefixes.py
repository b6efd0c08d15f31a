"""Find the states after the part of a long string before a window, without mistakes.

The states are those of ``error_grammar``, but faster to find, since the next characters of a task do not
depend on the states after it. Each task is therefore expanded once, to *frames*, which a move pushes on the
rest of the state. A set takes a few microseconds to construct, a set with mistakes takes hundreds.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.explain.character_sets import Classes
from abnforge.explain.error_grammar import (
    MAX_FOLLOWED,
    EndMarker,
    ErrorState,
    ErrorStates,
    Task,
    too_many_paths,
)
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq

# Steps for each new set, and for each of its members.
_SET_STEPS, _MEMBER_STEPS = 8, 4
_SET_BYTES, _MEMBER_BYTES = 600, 200

# The number of characters between two charges.
_CHUNK = 4096

Frames = tuple[tuple[Task, int], ...]
"""Tasks with their indices, next task last: the part of a task that remains after a character."""

Arc = tuple[CharSet | None, Frames]
"""A character set and the frames after it. None instead of a set: the task can match the empty string."""


class PrefixState:
    """The set of states after a prefix, and the next set by character.

    Preferred states come first, unless a repeated item is empty.
    """

    __slots__ = ("members", "moves")

    def __init__(self, members: tuple[ErrorState | None, ...]) -> None:
        self.members = members
        self.moves: dict[str, PrefixState | None] = {}


class Prefixes:
    """Find the states after prefixes. Not thread-safe."""

    def __init__(self, states: ErrorStates, classes: Classes) -> None:
        self._states = states
        self._classes = classes
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[tuple[ErrorState | None, ...], PrefixState] = {}
        self._arcs: dict[tuple[int, int], tuple[Arc, ...]] = {}
        self._moves: dict[tuple[int, int, int], tuple[tuple[bool, Frames], ...]] = {}

    def __len__(self) -> int:
        return len(self._sets)

    def states_after(self, text: str, meter: Meter) -> tuple[ErrorState | None, ...]:
        """Return the states after a prefix, or () if no valid string begins with it.

        Raises LimitExceeded independently of earlier calls: each distinct set of this prefix is charged.
        Cost: linear.
        """
        state = self._set((self._states.start,))
        visited: set[PrefixState] = set()
        for begin in range(0, len(text), _CHUNK):
            new: set[PrefixState] = set()
            for char in text[begin : begin + _CHUNK]:
                try:
                    following = state.moves[char]
                except KeyError:
                    following = self._move(state, char)
                if following is None:
                    return ()
                if following is not state:
                    state = following
                    new.add(following)
            new -= visited
            visited |= new
            members = sum([len(each.members) for each in new])
            meter.charge(_SET_STEPS * len(new) + _MEMBER_STEPS * members)
            meter.hold(_SET_BYTES * len(new) + _MEMBER_BYTES * members)
        return state.members

    def _set(self, members: tuple[ErrorState | None, ...]) -> PrefixState:
        state = self._sets.get(members)
        if state is None:
            state = self._sets[members] = PrefixState(members)
        return state

    def _move(self, source: PrefixState, char: str) -> PrefixState | None:
        number = self._classes.number(char)
        targets: dict[ErrorState | None, None] = {}
        visited: set[ErrorState] = set()
        # Moves to follow, and the rest of their state. The search is depth-first, so that preferred states
        # come first.
        waiting: list[tuple[Iterator[tuple[bool, Frames]], ErrorState | None]] = []
        steps = 0
        for member in source.members:
            state = member
            while True:
                if state is not None and state not in visited:
                    visited.add(state)
                    waiting.append((iter(self._moves_of(state, number)), state.rest))
                if not waiting:
                    break
                moves, rest = waiting[-1]
                state = None
                for is_read, frames in moves:
                    steps += 1
                    if steps > MAX_FOLLOWED:
                        raise too_many_paths(steps)
                    state = self._push(frames, rest)
                    if not is_read:
                        break
                    targets.setdefault(self._states.without_ended_rules(state))
                else:
                    state = None
                    waiting.pop()
            if len(visited) > MAX_FOLLOWED:
                raise too_many_paths(len(visited))
        source.moves[char] = self._set(tuple(targets)) if targets else None
        return source.moves[char]

    def _push(self, frames: Frames, rest: ErrorState | None) -> ErrorState | None:
        for task, index in frames:
            rest = self._states.state(task, rest, index)
        return rest

    def _moves_of(self, state: ErrorState, number: int) -> tuple[tuple[bool, Frames], ...]:
        """Return frames after a character of a class (True) and frames to follow before it (False)."""
        key = id(state.task), state.index, number
        moves = self._moves.get(key)
        if moves is None:
            members = self._classes.members
            arcs = self._arcs_of(state.task, state.index)
            following = [
                (cs is not None, frames) for cs, frames in arcs if cs is None or number in members(cs)
            ]
            moves = self._moves[key] = tuple(following)
        return moves

    def _arcs_of(self, task: Task, index: int) -> tuple[Arc, ...]:
        """Return the arcs of a task, preferred ones first.

        Tasks at its beginning are expanded first.
        """
        waiting = [(task, index)]
        while waiting:
            current, position = waiting[-1]
            if (id(current), position) not in self._arcs:
                beginnings = self._beginnings(current, position)
                missing = [
                    (first, 0) for first, _ in beginnings if first and (id(first), 0) not in self._arcs
                ]
                if missing:
                    waiting += missing
                    continue
                arcs: dict[Arc, None] = {}
                for first, frames in beginnings:
                    first_arcs: tuple[Arc, ...] = ((None, ()),)
                    if first is not None:
                        first_arcs = self._arcs[id(first), 0]
                    arcs.update(dict.fromkeys([(charset, (*frames, *rest)) for charset, rest in first_arcs]))
                if isinstance(current, Chars):
                    arcs = {(current.charset, ()): None}
                self._arcs[id(current), position] = tuple(arcs)
            waiting.pop()
        return self._arcs[id(task), index]

    def _beginnings(self, task: Task, index: int) -> list[tuple[Task | None, Frames]]:
        """Return pairs of a first task (None: none) and the frames after it, preferred first."""
        match task:
            case EndMarker():
                return [(None, ())]
            case Ref(key=key):
                end_marker, body = self._states.expansion(key)
                return [(body, () if end_marker is None else ((end_marker, 0),))]
            case Seq(items=items):
                has_more = index + 1 < len(items)
                return [(items[index], ((task, index + 1),) if has_more else ())] if items else [(None, ())]
            case Choice(items=items):
                return [(item, ()) for item in items]
            case Repeat(item=item):
                rest = self._states.rest_of_repetition(task)
                first: tuple[Task, Frames] = item, () if rest is None else ((rest, 0),)
                return [first, (None, ())] if task.min == 0 else [first]
            case _:
                return []
