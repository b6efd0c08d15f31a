"""Weighted sets of states, determinised as texts lead to them.

A set is what a text can have led to: states, each with the weight by which its lightest way is above the
lightest of all (Mohri 1997, "Finite-state transducers in language and speech processing": residual weights).
A move is cached with pointers back, so reading is one look-up a character forward, and the way of the best
reading one index a character back. States more than ``band`` above the lightest are left out: then a reading
of weight at most ``band`` is the lightest one, since what is left out weighs more already.
"""

from __future__ import annotations

from bisect import bisect_right

from abnforge.analysis.facts import terminals
from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.mistakes.augmented import Augmented
from abnforge.mistakes.states import Arc, Follow, State, States, Way

# Sets and states worth keeping for what is read next: the mistakes of URIs have some thousand.
MAX_KEPT_SETS = 20_000
MAX_KEPT_STATES = 400_000

# Characters between two accounts of what a text has cost.
_CHUNK = 64

# Following a state takes so many steps, but most states of a set were followed for others before.
_FOLLOWED_A_STEP = 4
_MEMBER_OCTETS, _SET_OCTETS = 120, 500


class Live:
    """A set: ``members`` are states and their residual weights, the best first."""

    __slots__ = ("cost", "final", "members", "moves", "of_class")

    def __init__(self, members: tuple[tuple[State | None, int], ...], cost: int) -> None:
        self.members = members
        self.cost = cost
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


class Classes:
    """The characters that no terminal of a grammar and its mistakes tells apart."""

    def __init__(self, augmented: Augmented) -> None:
        blocks = partition(terminals((*augmented.core.rules.values(), *augmented.bound.marked.values())))
        ranges = sorted((low, number) for number, block in enumerate(blocks) for low, _ in block.ranges)
        self._starts = [low for low, _ in ranges]
        self._numbers = [number for _, number in ranges]
        self._samples = [block.min() for block in blocks]
        self._members: dict[CharSet, frozenset[int]] = {}

    def number(self, char: str) -> int:
        """The class of a character."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def members(self, charset: CharSet) -> frozenset[int]:
        """The classes that a set of characters is made of."""
        found = self._members.get(charset)
        if found is None:
            numbers = (number for number, char in enumerate(self._samples) if char in charset)
            found = self._members[charset] = frozenset(numbers)
        return found


class Sets:
    """The sets of one augmented grammar within a band. Not for several threads at once."""

    def __init__(self, states: States, classes: Classes, band: int) -> None:
        self.band = band
        self._states = states
        self._classes = classes
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[tuple[tuple[State | None, int], ...], Live] = {}
        self._follows: dict[State | None, Follow] = {}
        self._start: Live | None = None

    def __len__(self) -> int:
        return len(self._sets)

    def read(self, text: str, meter: Meter) -> tuple[int, list[tuple[int, Way]]] | None:
        """The weight of the best reading of a text, and the ways on it that are not empty, each with its
        offset; None if no reading is within the band. Raises LimitExceeded, at the same place whatever was
        read before: each set is charged when the text first leads to it.
        """
        live = self._start
        if live is None:
            live = self._start = self._set(((self._states.start, 0),))
        moves: list[Move] = []
        add = moves.append
        met: set[Live] = set()
        for begin in range(0, len(text), _CHUNK):
            for char in text[begin : begin + _CHUNK]:
                try:
                    move = live.moves[char]
                except KeyError:
                    move = self._move(live, char)
                if move is None:
                    return None
                add(move)
                live = move.target
            new = {move.target for move in moves[begin:]} - met
            met |= new
            meter.charge(sum([each.cost for each in new]))
            meter.hold(sum([_SET_OCTETS + _MEMBER_OCTETS * len(each.members) for each in new]))
        final = live.final if live.final is not False else self._final(live)
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

    def _set(self, members: tuple[tuple[State | None, int], ...]) -> Live:
        found = self._sets.get(members)
        if found is None:
            cost = len(members) + sum(self._follow(state).cost for state, _ in members) // _FOLLOWED_A_STEP
            found = self._sets[members] = Live(members, cost)
        return found

    def _follow(self, state: State | None) -> Follow:
        found = self._follows.get(state)
        if found is None:
            found = self._follows[state] = self._states.follow(state, self.band)
        return found

    def _move(self, live: Live, char: str) -> Move | None:
        """The move of a set by a character. Characters of one class share it."""
        number = self._classes.number(char)
        if number not in live.of_class:
            live.of_class[number] = self._make_move(live, number)
        move = live.of_class[number]
        if char < "\x80":
            live.moves[char] = move  # of others there may be a million
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
