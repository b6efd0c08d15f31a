"""Find the cheapest path of a string through the error automaton, by weighted sets of states.

The automaton is determinized on demand (Mohri 1997, "Finite-state transducers in language and speech
processing"). A set contains the states that a prefix can lead to, each with its residual weight. This is the
weight of its lightest path minus that of the lightest path to any state. A move between sets is cached with
back pointers. So parsing takes one look-up per character, and following the cheapest path back takes one
index per character. States more than ``width`` (the beam) heavier than the lightest state are dropped; a
result of weight at most ``width`` is therefore the lightest.

``WeightedDeterminizer`` is the reference; ``NativeSearch`` implements the same search in the C extension, for
single strings and for columns.

``Prefixes`` finds the states after the part of a long string before a window, without mistakes. Such states
are faster to find, since the next characters of a task do not depend on the states after it. Each task is
therefore expanded once, to *frames*, which a move pushes on the rest of the state. A set takes a few
microseconds to construct, a set with mistakes takes hundreds.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, compress, count, islice
from operator import getitem, is_not, itemgetter
from typing import Any

from abnforge._lazy import gc_paused
from abnforge._native import compiled
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.explain.bind import Classes
from abnforge.explain.error_grammar import (
    MAX_FOLLOWED,
    EndMarker,
    ErrorArc,
    ErrorState,
    ErrorStates,
    Follow,
    Path,
    Task,
    too_many_paths,
)
from abnforge.explain.mistakes import Mistake
from abnforge.explain.program import Program
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq
from abnforge.messages import message
from abnforge.records import NamedTuple

# Steps for a set, for each of its members, and for each state visited from them.
_SET_STEPS, _MEMBER_STEPS, _FOLLOWED_STEPS = 100, 3, 3

# Steps and bytes for each new set of a prefix, and for each of its members.
_PREFIX_STEPS, _PREFIX_MEMBER_STEPS = 8, 4
_PREFIX_BYTES, _PREFIX_MEMBER_BYTES = 600, 200

_PREFIX_CHUNK = 4096  # the number of characters between two charges


Final = tuple[int, int, Path]  # weight, index of the member, and path of an end


Members = tuple[tuple[ErrorState | None, int], ...]  # states and their residual weights, best first


class WeightedState(dict[str, "WeightedState"]):
    """A weighted set of states; the dict maps characters to the next sets and is filled on demand.

    ``max_steps`` is the number of steps to construct the set if none of its states was followed before. A
    character leads back to the same object only if its move is ``idle``, otherwise to an equal twin.
    ``moves`` are by character, ``of_class`` by character class; ``final`` is False until it is computed. Sets
    compare by identity.
    """

    __slots__ = ("_find", "final", "max_steps", "members", "moves", "of_class")

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(
        self, find: Callable[[WeightedState, str], Move | None], members: Members, max_steps: int
    ) -> None:
        self._find = find
        self.members = members
        self.max_steps = max_steps
        self.moves: dict[str, Move] = {}
        self.of_class: dict[int, Move | None] = {}
        self.final: Final | bool | None = False

    def __missing__(self, char: str) -> WeightedState:
        move = self._find(self, char)
        if move is None:
            return DEAD_STATE
        self.moves[char] = move
        target = move.target if move.target is not self or move.idle else self._twin()
        self[char] = target
        return target

    def _twin(self) -> WeightedState:
        """Return an equal set without steps, since the string was already charged for this one."""
        twin = WeightedState(self._find, self.members, 0)
        twin.of_class = self.of_class
        return twin


class _DeadState(WeightedState):
    """The state after a prefix that is not a prefix of any interpretation within the beam."""

    __slots__ = ()

    def __missing__(self, char: str) -> WeightedState:
        return self


class Move(NamedTuple):
    """A move to ``target`` that adds ``weight``, with the source member and path of each target member."""

    target: WeightedState
    weight: int
    sources: tuple[int, ...]
    paths: tuple[Path, ...]

    @property
    def idle(self) -> bool:
        """Return whether the move keeps the members, without an event or a weight."""
        return not self.weight and not any(self.paths) and self.sources == tuple(range(len(self.sources)))


DEAD_STATE = _DeadState(lambda state, char: None, (), 0)


class WeightedDeterminizer:
    """The sets of one error grammar within a beam. Not thread-safe.

    This is the reference for the C extension and replaces it if it is not available. It is ``full`` if there
    are more than ``max_sets`` sets.
    """

    def __init__(self, states: ErrorStates, classes: Classes, width: int, max_sets: int) -> None:
        self.width = width
        self._max_sets = max_sets
        self._states = states
        self._classes = classes
        self._find = self.move  # shared by all sets
        self._limit = self._left = 0  # steps for the current string: limit, remaining
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[Members, WeightedState] = {}
        self._follows: dict[ErrorState | None, Follow] = {}

    def __len__(self) -> int:
        return len(self._sets)

    @property
    def full(self) -> bool:
        """Return whether there are more sets than the limit of kept sets."""
        return len(self._sets) > self._max_sets

    def cheapest(
        self,
        text: str,
        limit: int,
        *,
        start: tuple[ErrorState | None, ...] | None = None,
        is_cut: bool = False,
    ) -> tuple[int, list[tuple[int, Path]]] | None:
        """Return the weight of a string's cheapest interpretation and its paths with events, by offset.

        The result is None if no interpretation is within the beam. ``start`` are the states after an earlier
        prefix, preferred first; with ``is_cut``, the string may end in any state. Raises LimitExceeded if
        constructing the sets for the string takes more than ``limit`` steps, even if they already exist.
        """
        with gc_paused():  # no set is garbage
            return self._read(text, limit, (self._states.start,) if start is None else start, is_cut)

    def _read(
        self, text: str, limit: int, start: tuple[ErrorState | None, ...], is_cut: bool
    ) -> tuple[int, list[tuple[int, Path]]] | None:
        self._limit = self._left = limit
        initial = self._set(tuple([(state, 0) for state in start]))
        path_states = list(accumulate(text, getitem, initial=initial))
        if path_states[-1] is DEAD_STATE:
            del path_states[path_states.index(DEAD_STATE) :]
        # Most characters lead back to the same set without an event; ``changes`` are the others.
        changes = list(compress(count(), map(is_not, islice(path_states, 1, None), path_states)))
        if initial.max_steps + sum([path_states[at + 1].max_steps for at in changes]) > limit:
            self._allow(sum([state.max_steps for state in set(path_states)]), limit)  # count each set once
        if len(path_states) <= len(text):
            return None
        final = (0, 0, None) if is_cut else self._final(path_states[-1])
        if final is None:
            return None
        weight, index, path = final
        paths: list[tuple[int, Path]] = [] if path is None else [(len(text), path)]
        for at in reversed(changes):
            move = path_states[at].moves[text[at]]
            weight += move.weight
            if (taken := move.paths[index]) is not None:
                paths.append((at, taken))
            index = move.sources[index]
        return weight, paths[::-1]

    def _allow(self, steps: int, remaining: int) -> None:
        if steps > remaining:
            raise limit_exceeded(self._limit - remaining + steps, self._limit)

    def _set(self, members: Members) -> WeightedState:
        state = self._sets.get(members)
        if state is None:
            own_steps = _SET_STEPS + _MEMBER_STEPS * len(members)
            self._allow(own_steps, self._left)
            self._left -= own_steps
            followed = sum([self._follow(state).cost for state, _ in members])
            max_steps = own_steps + _FOLLOWED_STEPS * followed
            state = self._sets[members] = WeightedState(self._find, members, max_steps)
        return state

    def _follow(self, state: ErrorState | None) -> Follow:
        follow = self._follows.get(state)
        if follow is None:
            follow = self._states.follow(state, self.width)
            self._allow(_FOLLOWED_STEPS * follow.cost, self._left)
            self._left -= _FOLLOWED_STEPS * follow.cost
            self._follows[state] = follow
        return follow

    def move(self, state: WeightedState, char: str) -> Move | None:
        """Return the move of a set by a character; the characters of a class share a move."""
        number = self._classes.number(char)
        if number not in state.of_class:
            state.of_class[number] = self._make_move(state, number)
        return state.of_class[number]

    def _make_move(self, source: WeightedState, number: int) -> Move | None:
        """Return the move by a character class: the best path to each next state."""
        best: dict[ErrorState | None, tuple[tuple[int, int, int, int], Path]] = {}
        for index, (state, residual) in enumerate(source.members):
            for place, arc in enumerate(self._arcs(state, number)):
                weight = residual + arc.weight
                rank = (weight, arc.rank, index, place)
                earlier = best.get(arc.target)
                if earlier is None or rank < earlier[0]:
                    best[arc.target] = rank, arc.path
        if not best:
            return None
        lightest = min([rank[0] for rank, _ in best.values()])
        in_beam = [
            (rank, target_state, path)
            for target_state, (rank, path) in best.items()
            if rank[0] <= lightest + self.width
        ]
        in_beam.sort(key=itemgetter(0))
        target = self._set(tuple([(target_state, rank[0] - lightest) for rank, target_state, _ in in_beam]))
        return Move(
            target,
            lightest,
            tuple([rank[2] for rank, _, _ in in_beam]),
            tuple([path for *_, path in in_beam]),
        )

    def _arcs(self, state: ErrorState | None, number: int) -> tuple[ErrorArc, ...]:
        follow = self._follow(state)
        arcs = follow.of_class.get(number)
        if arcs is None:
            if follow.classes is None:
                members = self._classes.members
                follow.classes = [(arc, members(arc.charset)) for arc in follow.arcs]
            arcs = tuple([arc for arc, classes in follow.classes if number in classes])
            follow.of_class[number] = arcs
        return arcs

    def _final(self, source: WeightedState) -> Final | None:
        """Return the lightest end of a set."""
        if not isinstance(source.final, bool):
            return source.final
        best: tuple[int, int, int, Path] | None = None
        for index, (state, residual) in enumerate(source.members):
            final = self._follow(state).final
            if final is None:
                continue
            weight, rank, path = final
            if best is None or (residual + weight, rank) < best[:2]:
                best = residual + weight, rank, index, path
        source.final = None if best is None else (best[0], best[2], best[3])
        return source.final


def limit_exceeded(used: int, limit: int) -> LimitExceeded:
    """Return the error for sets whose construction takes more than ``limit`` steps."""
    return LimitExceeded(
        message("reading-too-long", limit=limit),
        operation="finding mistakes",
        used=used,
        limit=limit,
        setting="budget.steps",
    )


MAX_CLASSES = 256  # the limit on character classes in the C extension

_READ, _WANTED, _TOO_MANY, _LIMIT, _UNREADABLE = range(5)  # result codes, as in follow.h
_MAX_STEPS = (1 << 62) - 1


class NativeSearch:
    """The sets within one beam in the C extension, without the ``excluded`` codes.

    Not thread-safe. The search is ``full`` if the number of sets, of states or of members on paths exceeds
    its limit in ``limits``.
    """

    def __init__(
        self,
        program: Program,
        classes: Classes,
        width: int,
        limits: tuple[int, int, int],
        excluded: frozenset[str],
    ) -> None:
        self.width = width
        self._program = program
        self._begin: int | None = None  # the set of the empty string
        self._begun = program.forgotten
        self._sets = compiled.Weighted(
            program.kernel, *classes.pages, len(classes), width, limits, program.flags(excluded)
        )

    def __len__(self) -> int:
        return int(self._sets.kept()[0])

    @property
    def full(self) -> bool:
        """Return whether a limit in ``limits`` is exceeded."""
        return bool(self._sets.full)

    @property
    def mistakes(self) -> Sequence[Mistake | None]:
        """The mistakes by number; None represents the catch-all."""
        return self._program.mistakes

    def cheapest(
        self,
        text: str,
        limit: int,
        *,
        start: tuple[ErrorState | None, ...] | None = None,
        is_cut: bool = False,
    ) -> tuple[int, list[tuple[int, Path]]] | None:
        """Return the cheapest interpretation of a string, as ``WeightedDeterminizer.cheapest`` does."""
        limit = min(limit, _MAX_STEPS)
        if start is None and self._begin is not None and self._begun == self._program.forgotten:
            number, allowed = self._begin, limit
        else:
            number, allowed = self._first(limit, start), -1
        status, cost, *result = self._sets.read(text, number, is_cut, allowed)
        if status == _WANTED:
            with gc_paused():  # no definition is garbage
                while status == _WANTED:
                    self._program.define_requested()
                    status, cost, *result = self._sets.read(text, -1, is_cut)
        if status in (_TOO_MANY, _LIMIT):
            raise _limit_error(status, cost, limit)
        if cost > limit:
            raise limit_exceeded(cost, limit)
        if status == _UNREADABLE:
            return None
        weight, events = result
        paths = self._program.paths
        return weight, [(at, paths[path]) for at, path in events]

    def first_mistakes(
        self, column: Any, offsets: Any, columns: Any, limits: tuple[int, ...], begin: int
    ) -> int:
        """Find the first mistakes of the rejected rows of a column, from row ``begin`` on.

        Returns the number of rows, or, if the search is ``full``, an earlier row from which to continue after
        ``forget``. ``offsets`` is a buffer with the offset at which parsing of each row stops. ``columns``
        are output buffers with, for each row, the number of its mistake (0: use ``cheapest``) and the
        character at the offset. They also contain the begin and end of ``MAX_MESSAGE_SLOTS`` slots of the
        message, and of the blamed slot. The five ``limits`` are the steps per string, per character and per
        beam, the length of a string, and the weight. Raises LimitExceeded if no string can be searched within
        the limits.
        """
        first = self._first(limits[2], None)
        is_continued = False
        while True:
            status, row = self._sets.tell(column, offsets, columns, first, begin, is_continued, limits)
            if status != _WANTED:
                return int(row)
            with gc_paused():
                self._program.define_requested()
            begin, is_continued = row, True

    def _first(self, limit: int, start: tuple[ErrorState | None, ...] | None) -> int:
        """Return the index of the character set at the start of a string."""
        program = self._program
        starts = (program.states.start,) if start is None else start
        states = array("I", map(program.state, starts))
        with gc_paused():
            status, number = self._sets.set(states, limit)
            while status == _WANTED:
                self._program.define_requested()
                status, number = self._sets.set(states, limit)
        if status != _READ:
            raise _limit_error(status, number, limit)
        if start is None:
            self._begin, self._begun = number, program.forgotten
        return int(number)


def _limit_error(status: int, used: int, limit: int) -> LimitExceeded:
    return limit_exceeded(used, limit) if status == _LIMIT else too_many_paths(MAX_FOLLOWED + 1)


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
        for begin in range(0, len(text), _PREFIX_CHUNK):
            new: set[PrefixState] = set()
            for char in text[begin : begin + _PREFIX_CHUNK]:
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
            meter.charge(_PREFIX_STEPS * len(new) + _PREFIX_MEMBER_STEPS * members)
            meter.hold(_PREFIX_BYTES * len(new) + _PREFIX_MEMBER_BYTES * members)
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
