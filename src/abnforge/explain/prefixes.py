"""What a text leads to that stands before a window: states that are reached without a mistake.

The same states as in ``states``, by a shorter way: what a task can read next does not depend on what is
behind it. So that is found once for each task, and put before what is behind it when a character is read. A
set costs some microseconds, where one with mistakes costs hundreds.
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
    too_many_ways,
)
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq

# Steps for a set that a text leads to for the first time, and for each of its members.
_SET_STEPS, _MEMBER_STEPS = 8, 4
_SET_OCTETS, _MEMBER_OCTETS = 600, 200

# Characters between two accounts of what a text has cost.
_CHUNK = 4096

Frames = tuple[tuple[Task, int], ...]
"""Tasks with their indices, the one that is next last: what a character leaves of a task."""

Arc = tuple[CharSet | None, Frames]
"""A character that can be read, and what is left of the task then. None: nothing is read before that."""


class Reached:
    """States that a text leads to, preferred ones first (as far as no repeated item is empty), and where
    characters lead from there.
    """

    __slots__ = ("members", "moves")

    def __init__(self, members: tuple[ErrorState | None, ...]) -> None:
        self.members = members
        self.moves: dict[str, Reached | None] = {}


class Prefixes:
    """Reads what stands before windows. Not for several threads at once."""

    def __init__(self, states: ErrorStates, classes: Classes) -> None:
        self._states = states
        self._classes = classes
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[tuple[ErrorState | None, ...], Reached] = {}
        self._arcs: dict[tuple[int, int], tuple[Arc, ...]] = {}
        self._left: dict[tuple[int, int, int], tuple[tuple[bool, Frames], ...]] = {}

    def __len__(self) -> int:
        return len(self._sets)

    def read(self, text: str, meter: Meter) -> tuple[ErrorState | None, ...]:
        """The states that a text leads to; none if it is not the beginning of a valid one.

        Raises LimitExceeded, at the same place whatever was read before: a set is charged when the text first
        leads to it. Cost: linear.
        """
        here = self._set((self._states.start,))
        met: set[Reached] = set()
        for begin in range(0, len(text), _CHUNK):
            new: set[Reached] = set()
            for char in text[begin : begin + _CHUNK]:
                try:
                    there = here.moves[char]
                except KeyError:
                    there = self._move(here, char)
                if there is None:
                    return ()
                if there is not here:
                    here = there
                    new.add(there)
            new -= met
            met |= new
            members = sum([len(each.members) for each in new])
            meter.charge(_SET_STEPS * len(new) + _MEMBER_STEPS * members)
            meter.hold(_SET_OCTETS * len(new) + _MEMBER_OCTETS * members)
        return here.members

    def _set(self, members: tuple[ErrorState | None, ...]) -> Reached:
        found = self._sets.get(members)
        if found is None:
            found = self._sets[members] = Reached(members)
        return found

    def _move(self, here: Reached, char: str) -> Reached | None:
        number = self._classes.number(char)
        found: dict[ErrorState | None, None] = {}
        seen: set[ErrorState] = set()
        # What is left of states, and what is behind each. The preferred ones are followed to their ends.
        waiting: list[tuple[Iterator[tuple[bool, Frames]], ErrorState | None]] = []
        put = 0
        for member in here.members:
            state = member
            while True:
                if state is not None and state not in seen:
                    seen.add(state)
                    waiting.append((iter(self._behind(state, number)), state.rest))
                if not waiting:
                    break
                left, rest = waiting[-1]
                state = None
                for read, frames in left:
                    put += 1
                    if put > MAX_FOLLOWED:
                        raise too_many_ways(put)
                    state = self._put(frames, rest)
                    if not read:
                        break
                    found.setdefault(self._states.awaiting(state))
                else:
                    state = None
                    waiting.pop()
            if len(seen) > MAX_FOLLOWED:
                raise too_many_ways(len(seen))
        here.moves[char] = self._set(tuple(found)) if found else None
        return here.moves[char]

    def _put(self, frames: Frames, rest: ErrorState | None) -> ErrorState | None:
        for task, index in frames:
            rest = self._states.state(task, rest, index)
        return rest

    def _behind(self, state: ErrorState, number: int) -> tuple[tuple[bool, Frames], ...]:
        """What a character of a class leaves of a state's task, and what is to be read before it (False)."""
        key = id(state.task), state.index, number
        found = self._left.get(key)
        if found is None:
            members = self._classes.members
            arcs = self._of(state.task, state.index)
            left = [(cs is not None, frames) for cs, frames in arcs if cs is None or number in members(cs)]
            found = self._left[key] = tuple(left)
        return found

    def _of(self, task: Task, index: int) -> tuple[Arc, ...]:
        """What a task can read next, the preferred first. Tasks that it begins with are looked at before."""
        waiting = [(task, index)]
        while waiting:
            each, at = waiting[-1]
            if (id(each), at) not in self._arcs:
                ways = self._ways(each, at)
                missing = [(first, 0) for first, _ in ways if first and (id(first), 0) not in self._arcs]
                if missing:
                    waiting += missing
                    continue
                found: dict[Arc, None] = {}
                for first, frames in ways:
                    own: tuple[Arc, ...] = ((None, ()),)
                    if first is not None:
                        own = self._arcs[id(first), 0]
                    found.update(dict.fromkeys([(charset, (*frames, *left)) for charset, left in own]))
                if isinstance(each, Chars):
                    found = {(each.charset, ()): None}
                self._arcs[id(each), at] = tuple(found)
            waiting.pop()
        return self._arcs[id(task), index]

    def _ways(self, task: Task, index: int) -> list[tuple[Task | None, Frames]]:
        """How a task can begin, the preferred first: a task (None: with nothing), and what is behind it."""
        match task:
            case EndMarker():
                return [(None, ())]
            case Ref(key=key):
                closing, body = self._states.opened(key)
                return [(body, () if closing is None else ((closing, 0),))]
            case Seq(items=items):
                more = index + 1 < len(items)
                return [(items[index], ((task, index + 1),) if more else ())] if items else [(None, ())]
            case Choice(items=items):
                return [(item, ()) for item in items]
            case Repeat(item=item):
                again = self._states.again(task)
                first: tuple[Task, Frames] = item, () if again is None else ((again, 0),)
                return [first, (None, ())] if task.min == 0 else [first]
            case _:
                return []
