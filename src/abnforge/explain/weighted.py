"""Texts and columns read by weighted sets in the kernel, which makes those that it does not know yet.

The answers are those of ``sets``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, compress, count, islice
from operator import getitem, is_not, itemgetter
from typing import Any

from abnforge._lazy import LARGE, gc_paused
from abnforge._native import compiled
from abnforge.errors import LimitExceeded
from abnforge.explain.character_sets import Classes
from abnforge.explain.error_grammar import (
    MAX_FOLLOWED,
    ErrorArc,
    ErrorState,
    ErrorStates,
    Follow,
    Way,
    too_many_ways,
)
from abnforge.explain.messages import message
from abnforge.explain.mistakes import Mistake
from abnforge.explain.program import Program
from abnforge.records import NamedTuple

# Weighted sets of states, determinised as texts lead to them.
#
# A set is what a text can have led to: states, each with the weight by which its lightest way is above the
# lightest of all (Mohri 1997, "Finite-state transducers in language and speech processing": residual
# weights). A move is cached with pointers back, so reading is one look-up a character forward, and the way
# of the best reading one index a character back. States more than ``band`` above the lightest are left out:
# then a reading of weight at most ``band`` is the lightest one, since what is left out weighs more already.


# What a set takes in steps, each of its members, and each state that is followed from one of these.
_SET_STEPS, _MEMBER_STEPS, _FOLLOWED_STEPS = 100, 3, 3


Final = tuple[int, int, Way]
"""Weight, member and way of an end."""


Members = tuple[tuple[ErrorState | None, int], ...]
"""States and their residual weights, the best first."""


class WeightedState(dict[str, "WeightedState"]):
    """A set; as a dictionary the sets that characters lead to, found when they are first asked for: so a text
    is read by look-ups alone. ``most`` are the steps that it takes, if none of its states is followed for
    another set.

    A character leads to the set itself only where the move is ``idle``; else, to a twin of the set, which
    differs in nothing. ``moves`` are by character, too, ``of_class`` by class of characters; ``final`` is
    False until it is asked for. Sets are compared by identity.
    """

    __slots__ = ("_find", "final", "members", "most", "moves", "of_class")

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(
        self, find: Callable[[WeightedState, str], Move | None], members: Members, most: int
    ) -> None:
        self._find = find
        self.members = members
        self.most = most
        self.moves: dict[str, Move] = {}
        self.of_class: dict[int, Move | None] = {}
        self.final: Final | bool | None = False

    def __missing__(self, char: str) -> WeightedState:
        move = self._find(self, char)
        if move is None:
            return NOWHERE
        self.moves[char] = move
        target = move.target if move.target is not self or move.idle else self._twin()
        self[char] = target
        return target

    def _twin(self) -> WeightedState:
        """The same set once more; a text that leads there has paid for it."""
        twin = WeightedState(self._find, self.members, 0)
        twin.of_class = self.of_class
        return twin


class _DeadState(WeightedState):
    """What a text leads to that no reading within a band begins with, and from there."""

    __slots__ = ()

    def __missing__(self, char: str) -> WeightedState:
        return self


class Move(NamedTuple):
    """To ``target`` for ``weight`` more; for each member there the member it comes from, and the way."""

    target: WeightedState
    weight: int
    sources: tuple[int, ...]
    ways: tuple[Way, ...]

    @property
    def idle(self) -> bool:
        """Whether nothing begins, ends or is paid for, and each member comes from the one of its number."""
        return not self.weight and not any(self.ways) and self.sources == tuple(range(len(self.sources)))


NOWHERE = _DeadState(lambda live, char: None, (), 0)


class WeightedDeterminizer:
    """The sets of one augmented grammar within a band. Not for several threads at once.

    The reference for the kernel's (``walks``), and what reads without it. ``band`` is how much dearer than
    the cheapest a state may be; there are more than ``kept`` sets if they are ``full``.
    """

    def __init__(self, states: ErrorStates, classes: Classes, band: int, kept: int) -> None:
        self.band = band
        self._kept = kept
        self._states = states
        self._classes = classes
        self._find = self.move  # one for all sets
        self._limit = self._left = 0  # steps of the text that is read, and those for sets that are made
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[Members, WeightedState] = {}
        self._follows: dict[ErrorState | None, Follow] = {}

    def __len__(self) -> int:
        return len(self._sets)

    @property
    def full(self) -> bool:
        """Whether there are more than are worth keeping."""
        return len(self._sets) > self._kept

    def read(
        self, text: str, limit: int, *, start: tuple[ErrorState | None, ...] | None = None, cut: bool = False
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        """The weight of the best reading of a text, and the ways on it that are not empty, each with its
        offset; None if no reading is within the band.

        ``start`` are the states where a text begins that stands behind another one, the preferred one first;
        a text that is ``cut`` may end anywhere. Raises LimitExceeded if the sets that the text leads to take
        more than ``limit`` steps to make, whether or not they were made before.
        """
        with gc_paused(LARGE):  # sets are kept, and none is garbage
            return self._read(text, limit, (self._states.start,) if start is None else start, cut)

    def _read(
        self, text: str, limit: int, start: tuple[ErrorState | None, ...], cut: bool
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        self._limit = self._left = limit
        first = self._set(tuple([(state, 0) for state in start]))
        lives = list(accumulate(text, getitem, initial=first))
        if lives[-1] is NOWHERE:
            del lives[lives.index(NOWHERE) :]
        # Most characters lead back to the set that they are read in, and do nothing else. Those that do more:
        turns = list(compress(count(), map(is_not, islice(lives, 1, None), lives)))
        if first.most + sum([lives[at + 1].most for at in turns]) > limit:
            self._allow(sum([live.most for live in set(lives)]), limit)  # each made once
        if len(lives) <= len(text):
            return None
        final = (0, 0, None) if cut else self._final(lives[-1])
        if final is None:
            return None
        weight, index, way = final
        ways: list[tuple[int, Way]] = [] if way is None else [(len(text), way)]
        for at in reversed(turns):
            move = lives[at].moves[text[at]]
            weight += move.weight
            if (taken := move.ways[index]) is not None:
                ways.append((at, taken))
            index = move.sources[index]
        return weight, ways[::-1]

    def _allow(self, steps: int, left: int) -> None:
        if steps > left:
            raise over_the_limit(self._limit - left + steps, self._limit)

    def _set(self, members: Members) -> WeightedState:
        found = self._sets.get(members)
        if found is None:
            own = _SET_STEPS + _MEMBER_STEPS * len(members)
            self._allow(own, self._left)
            self._left -= own
            followed = sum([self._follow(state).cost for state, _ in members])
            most = own + _FOLLOWED_STEPS * followed
            found = self._sets[members] = WeightedState(self._find, members, most)
        return found

    def _follow(self, state: ErrorState | None) -> Follow:
        found = self._follows.get(state)
        if found is None:
            found = self._states.follow(state, self.band)
            self._allow(_FOLLOWED_STEPS * found.cost, self._left)
            self._left -= _FOLLOWED_STEPS * found.cost
            self._follows[state] = found
        return found

    def move(self, live: WeightedState, char: str) -> Move | None:
        """The move of a set by a character. Characters of one class share it."""
        number = self._classes.number(char)
        if number not in live.of_class:
            live.of_class[number] = self._make_move(live, number)
        return live.of_class[number]

    def _make_move(self, live: WeightedState, number: int) -> Move | None:
        """The move by a class of characters: the best way to each state that it leads to."""
        best: dict[ErrorState | None, tuple[tuple[int, int, int, int], Way]] = {}
        for index, (state, residual) in enumerate(live.members):
            for place, arc in enumerate(self._arcs(state, number)):
                weight = residual + arc.weight
                rank = (weight, arc.late, index, place)
                known = best.get(arc.target)
                if known is None or rank < known[0]:
                    best[arc.target] = rank, arc.way
        if not best:
            return None
        lightest = min([rank[0] for rank, _ in best.values()])
        kept = [(rank, to, way) for to, (rank, way) in best.items() if rank[0] <= lightest + self.band]
        kept.sort(key=itemgetter(0))
        target = self._set(tuple([(to, rank[0] - lightest) for rank, to, _ in kept]))
        return Move(
            target, lightest, tuple([rank[2] for rank, _, _ in kept]), tuple([way for *_, way in kept])
        )

    def _arcs(self, state: ErrorState | None, number: int) -> tuple[ErrorArc, ...]:
        follow = self._follow(state)
        found = follow.of_class.get(number)
        if found is None:
            if follow.classes is None:
                members = self._classes.members
                follow.classes = [(arc, members(arc.charset)) for arc in follow.arcs]
            found = tuple([arc for arc, classes in follow.classes if number in classes])
            follow.of_class[number] = found
        return found

    def _final(self, live: WeightedState) -> Final | None:
        """The lightest end of a set."""
        if not isinstance(live.final, bool):
            return live.final
        best: tuple[int, int, int, Way] | None = None
        for index, (state, residual) in enumerate(live.members):
            final = self._follow(state).final
            if final is None:
                continue
            weight, late, way = final
            if best is None or (residual + weight, late) < best[:2]:
                best = residual + weight, late, index, way
        live.final = None if best is None else (best[0], best[2], best[3])
        return live.final


def over_the_limit(used: int, limit: int) -> LimitExceeded:
    """The error where the sets that a text leads to take more than ``limit`` steps to make."""
    return LimitExceeded(
        message("reading-too-long", limit=limit),
        operation="finding mistakes",
        used=used,
        limit=limit,
        setting="budget.steps",
    )


MAX_CLASSES = 256
"""Classes of characters that the kernel can tell apart."""

_READ, _WANTED, _TOO_MANY, _LIMIT, _UNREADABLE = range(5)  # how reading ends, as follow.h has it
_MOST_STEPS = (1 << 62) - 1


class NativeSearch:
    """The sets of one band in the kernel, without some codes. Not for several threads at once.

    ``band`` is how much dearer than the cheapest a state may be; ``kept`` are the numbers of sets, of states
    and of members on paths from which on it is ``full``.
    """

    def __init__(
        self,
        program: Program,
        classes: Classes,
        band: int,
        kept: tuple[int, int, int],
        without: frozenset[str],
    ) -> None:
        self.band = band
        self._program = program
        self._begin: int | None = None  # the set of the empty text
        self._begun = program.forgotten
        self._sets = compiled.Weighted(
            program.kernel, *classes.pages, len(classes), band, kept, program.flags(without)
        )

    def __len__(self) -> int:
        return int(self._sets.kept()[0])

    @property
    def full(self) -> bool:
        """Whether more is known than is worth keeping."""
        return bool(self._sets.full)

    @property
    def mistakes(self) -> Sequence[Mistake | None]:
        """The mistakes by the numbers that ``tell`` gives; None stands for what is no mistake."""
        return self._program.mistakes

    def read(
        self, text: str, limit: int, *, start: tuple[ErrorState | None, ...] | None = None, cut: bool = False
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        """The best reading of a text, as ``WeightedDeterminizer.read`` gives it."""
        limit = min(limit, _MOST_STEPS)
        if start is None and self._begin is not None and self._begun == self._program.forgotten:
            number, allowed = self._begin, limit
        else:
            number, allowed = self._first(limit, start), -1
        status, cost, *told = self._sets.read(text, number, cut, allowed)
        if status == _WANTED:
            with gc_paused(LARGE):  # what is told is kept, and none of it is garbage
                while status == _WANTED:
                    self._program.tell()
                    status, cost, *told = self._sets.read(text, -1, cut)
        if status in (_TOO_MANY, _LIMIT):
            raise _ended(status, cost, limit)
        if cost > limit:
            raise over_the_limit(cost, limit)
        if status == _UNREADABLE:
            return None
        weight, gone = told
        known = self._program.ways
        return weight, [(at, known[way]) for at, way in gone]

    def tell(self, column: Any, offsets: Any, answers: Any, limits: tuple[int, ...], begin: int) -> int:
        """The first mistakes of the rows of a column of the kernel, all of which are rejected, from row
        ``begin`` on. Gives the number of rows; or of the one to go on with, once so much was learned that
        this is ``full``: then ``forget``. Raises LimitExceeded where no text can be read within the limits.

        ``offsets`` is a buffer with the offset where reading each row stopped.
        ``answers`` are buffers with room for each row: the number of its mistake (one of
        ``mistakes``; 0 where that is not told so), the character at the offset, begin and end of
        ``MOST_SLOTS`` slots of the sentence, and begin and end of what is blamed. ``limits`` are the steps
        that a text may cost, those for each character more, and the most for one band; the longest text; and
        the heaviest reading.
        """
        first = self._first(limits[2], None)
        again = False
        while True:
            status, row = self._sets.tell(column, offsets, answers, first, begin, again, limits)
            if status != _WANTED:
                return int(row)
            with gc_paused(LARGE):
                self._program.tell()
            begin, again = row, True

    def _first(self, limit: int, start: tuple[ErrorState | None, ...] | None) -> int:
        """The number of the set that a text begins in, for which so many steps may be taken."""
        program = self._program
        starts = (program.states.start,) if start is None else start
        states = array("I", map(program.state, starts))
        with gc_paused(LARGE):
            status, number = self._sets.set(states, limit)
            while status == _WANTED:
                self._program.tell()
                status, number = self._sets.set(states, limit)
        if status != _READ:
            raise _ended(status, number, limit)
        if start is None:
            self._begin, self._begun = number, program.forgotten
        return int(number)


def _ended(status: int, used: int, limit: int) -> LimitExceeded:
    return over_the_limit(used, limit) if status == _LIMIT else too_many_ways(MAX_FOLLOWED + 1)
