"""Weighted sets of states, determinised as texts lead to them.

A set is what a text can have led to: states, each with the weight by which its lightest way is above the
lightest of all (Mohri 1997, "Finite-state transducers in language and speech processing": residual weights).
A move is cached with pointers back, so reading is one look-up a character forward, and the way of the best
reading one index a character back. States more than ``band`` above the lightest are left out: then a reading
of weight at most ``band`` is the lightest one, since what is left out weighs more already.
"""

from __future__ import annotations

from abnforge.errors import LimitExceeded
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.states import Arc, Follow, State, States, Way

# Sets and states worth keeping for what is read next: the mistakes of URIs have some thousand.
MAX_KEPT_SETS = 20_000
MAX_KEPT_STATES = 400_000

# What a set takes in steps, each of its members, and each state that is followed from one of these.
_SET_STEPS, _MEMBER_STEPS, _FOLLOWED_STEPS = 100, 3, 3


class Live:
    """A set: ``members`` are states and their residual weights, the best first.

    ``most`` are the steps that it takes, if none of its states is followed for another set.
    """

    __slots__ = ("final", "members", "most", "moves", "of_class")

    def __init__(self, members: tuple[tuple[State | None, int], ...], most: int) -> None:
        self.members = members
        self.most = most
        self.moves: dict[str, Move | None] = {}
        self.of_class: dict[int, Move | None] = {}
        self.final: tuple[int, int, Way] | bool | None = False


class Move:
    """To ``target`` for ``weight`` more; for each member there the member it comes from, and the way."""

    __slots__ = ("sources", "target", "ways", "weight")

    def __init__(self, target: Live, weight: int, sources: tuple[int, ...], ways: tuple[Way, ...]) -> None:
        self.target = target
        self.weight = weight
        self.sources = sources
        self.ways = ways


class Sets:
    """The sets of one augmented grammar within a band. Not for several threads at once."""

    def __init__(self, states: States, classes: Classes, band: int) -> None:
        self.band = band
        self._states = states
        self._classes = classes
        self._limit = self._left = 0  # steps of the text that is read, and those for sets that are made
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[tuple[tuple[State | None, int], ...], Live] = {}
        self._follows: dict[State | None, Follow] = {}
        self._most = 0  # of all sets

    def __len__(self) -> int:
        return len(self._sets)

    def read(
        self, text: str, limit: int, *, start: tuple[State | None, ...] | None = None, cut: bool = False
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        """The weight of the best reading of a text, and the ways on it that are not empty, each with its
        offset; None if no reading is within the band.

        ``start`` are the states where a text begins that stands behind another one, the preferred one first;
        a text that is ``cut`` may end anywhere. Raises LimitExceeded if the sets that the text leads to take
        more than ``limit`` steps to make, whether or not they were made before.
        """
        self._limit = self._left = limit
        live = self._set(tuple([(state, 0) for state in start or (self._states.start,)]))
        first = live
        moves: list[Move] = []
        add = moves.append
        for char in text:
            try:
                move = live.moves[char]
            except KeyError:
                move = self._move(live, char)
            if move is None:
                break
            add(move)
            live = move.target
        if self._most * (len(moves) + 1) > limit:
            self._account({first, *[move.target for move in moves]})
        if len(moves) < len(text):
            return None
        final = (0, 0, None) if cut else live.final if live.final is not False else self._final(live)
        if not isinstance(final, tuple):
            return None
        weight, index, way = final
        at = len(moves)
        ways: list[tuple[int, Way]] = [] if way is None else [(at, way)]
        for move in reversed(moves):
            at -= 1
            weight += move.weight
            if (way := move.ways[index]) is not None:
                ways.append((at, way))
            index = move.sources[index]
        ways.reverse()
        return weight, ways

    def _account(self, sets: set[Live]) -> None:
        """Raise LimitExceeded if some sets take more steps than there are."""
        steps = sum([_SET_STEPS + _MEMBER_STEPS * len(live.members) for live in sets])
        followed = {state for live in sets for state, _ in live.members}
        self._allow(
            steps + _FOLLOWED_STEPS * sum([self._follow(state).cost for state in followed]), self._limit
        )

    def _allow(self, steps: int, left: int) -> None:
        if steps > left:
            raise LimitExceeded(
                f"reading a text with its mistakes would take more than {self._limit} steps (budget.steps)",
                doing="reading a text with its mistakes",
                used=self._limit - left + steps,
                limit=self._limit,
                knob="budget.steps",
            )

    def _set(self, members: tuple[tuple[State | None, int], ...]) -> Live:
        found = self._sets.get(members)
        if found is None:
            own = _SET_STEPS + _MEMBER_STEPS * len(members)
            self._allow(own, self._left)
            self._left -= own
            followed = sum([self._follow(state).cost for state, _ in members])
            found = self._sets[members] = Live(members, own + _FOLLOWED_STEPS * followed)
            self._most = max(self._most, found.most)
        return found

    def _follow(self, state: State | None) -> Follow:
        found = self._follows.get(state)
        if found is None:
            found = self._states.follow(state, self.band)
            self._allow(_FOLLOWED_STEPS * found.cost, self._left)
            self._left -= _FOLLOWED_STEPS * found.cost
            self._follows[state] = found
        return found

    def _move(self, live: Live, char: str) -> Move | None:
        """The move of a set by a character. Characters of one class share it."""
        number = self._classes.number(char)
        if number not in live.of_class:
            live.of_class[number] = self._make_move(live, number)
        move = live.moves[char] = live.of_class[number]
        return move

    def _make_move(self, live: Live, number: int) -> Move | None:
        best: dict[State | None, tuple[tuple[int, int, int, int], Way]] = {}
        for index, (state, residual) in enumerate(live.members):
            for place, arc in enumerate(self._arcs(state, number)):
                weight = residual + arc.weight
                rank = (weight, arc.late, index, place)
                known = best.get(arc.target)
                if known is None or rank < known[0]:
                    best[arc.target] = rank, arc.way
        if not best:
            return None
        lightest = min(rank[0] for rank, _ in best.values())
        kept = sorted(
            ((rank, target, way) for target, (rank, way) in best.items() if rank[0] - lightest <= self.band),
            key=lambda each: each[0],
        )
        return Move(
            self._set(tuple([(target, rank[0] - lightest) for rank, target, _ in kept])),
            lightest,
            tuple([rank[2] for rank, _, _ in kept]),
            tuple([way for _, _, way in kept]),
        )

    def _arcs(self, state: State | None, number: int) -> tuple[Arc, ...]:
        follow = self._follow(state)
        found = follow.of_class.get(number)
        if found is None:
            members = self._classes.members
            found = tuple([arc for arc in follow.arcs if number in members(arc.charset)])
            follow.of_class[number] = found
        return found

    def _final(self, live: Live) -> tuple[int, int, Way] | None:
        """The lightest end of a set: weight, member and way."""
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
