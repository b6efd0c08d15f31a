"""Weighted sets of states, determinised as texts lead to them.

A set is what a text can have led to: states, each with the weight by which its lightest way is above the
lightest of all (Mohri 1997, "Finite-state transducers in language and speech processing": residual weights).
A move is cached with pointers back, so reading is one look-up a character forward, and the way of the best
reading one index a character back. States more than ``band`` above the lightest are left out: then a reading
of weight at most ``band`` is the lightest one, since what is left out weighs more already.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate, compress, count, islice
from operator import getitem, is_not, itemgetter

from abnforge.budget import MOST
from abnforge.errors import LimitExceeded
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.events import Way
from abnforge.mistakes.fingerprints import Fingerprints
from abnforge.mistakes.states import Arc, Follow, State, States
from abnforge.mistakes.stored import Band, Final, Path, Row
from abnforge.mistakes.walks import Walk
from abnforge.once import once
from abnforge.uncollected import LARGE, uncollected

# Sets and states worth keeping for what is read next: the mistakes of URIs have some thousand.
MAX_KEPT_SETS = 20_000
MAX_KEPT_STATES = 400_000

# What a set takes in steps, each of its members, and each state that is followed from one of these.
_SET_STEPS, _MEMBER_STEPS, _FOLLOWED_STEPS = 100, 3, 3


Members = tuple[tuple[State | None, int], ...]
"""States and their residual weights, the best first."""


Kept = list[tuple[tuple[State | None, int], int, Way]]
"""What a move leads to: members, each with the one that it comes from, and the way."""


class Live(dict[str, "Live"]):
    """A set; as a dictionary the sets that characters lead to, found when they are first asked for: so a text
    is read by look-ups alone. ``most`` are the steps that it takes, if none of its states is followed for
    another set.

    A character leads to the set itself only where the move is ``idle``; else, to a twin of the set, which
    differs in nothing. ``moves`` are by character, too, ``of_class`` by class of characters. ``row`` is what
    is stored of the set; then ``members`` are None until they are needed. Sets are compared by identity.
    """

    __slots__ = ("_find", "final", "members", "most", "moves", "of_class", "row")

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(
        self,
        find: Callable[[Live, str], Move | None],
        members: Members | None,
        most: int,
        row: Row | None = None,
    ) -> None:
        self._find = find
        self.members = members
        self.most = most
        self.row = row
        self.moves: dict[str, Move] = {}
        self.of_class: dict[int, Move | None] = {}
        self.final: Final | bool | None = False if row is None else row.final

    def __missing__(self, char: str) -> Live:
        move = self._find(self, char)
        if move is None:
            return NOWHERE
        self.moves[char] = move
        target = move.target if move.target is not self or move.idle else self._twin()
        self[char] = target
        return target

    def _twin(self) -> Live:
        """The same set once more; a text that leads there has paid for it."""
        twin = Live(self._find, self.members, 0, self.row)
        twin.of_class = self.of_class
        return twin


class _Nowhere(Live):
    """What a text leads to that no reading within a band begins with, and from there."""

    __slots__ = ()

    def __missing__(self, char: str) -> Live:
        return self


class Move:
    """To ``target`` for ``weight`` more; for each member there the member it comes from, and the way."""

    __slots__ = ("_path", "sources", "target", "ways", "weight")

    sources: tuple[int, ...]
    ways: tuple[Way | int, ...]  # or the number of a stored one

    def __init__(self, target: Live, weight: int, path: Callable[[], Path] | Path) -> None:
        self.target = target
        self.weight = weight
        if isinstance(path, tuple):
            self.sources, self.ways = path
        else:
            self._path = path

    def __getattr__(self, name: str) -> object:
        """The path of a move that is stored, when it is first asked for."""
        if name not in ("sources", "ways"):
            raise AttributeError(name)
        self.sources, self.ways = self._path()
        return getattr(self, name)

    @property
    def idle(self) -> bool:
        """Whether nothing begins, ends or is paid for, and each member comes from the one of its number."""
        return not self.weight and not any(self.ways) and self.sources == tuple(range(len(self.sources)))


NOWHERE = _Nowhere(lambda live, char: None, (), 0)


class Sets:
    """The sets of one augmented grammar within a band, of which some may be ``stored``. Not for several
    threads at once.
    """

    def __init__(
        self,
        states: States,
        classes: Classes,
        band: int,
        stored: Band | None = None,
        fingerprints: Fingerprints | None = None,
    ) -> None:
        self.band = band
        self._states = states
        self._classes = classes
        self._stored = stored
        self._fingerprints = fingerprints or Fingerprints(states)
        self._find = self.move  # one for all sets
        self._limit = self._left = 0  # steps of the text that is read, and those for sets that are made
        self.forget()

    def forget(self) -> None:
        """Drop every set."""
        self._sets: dict[Members, Live] = {}
        self._rows: dict[int, Live] = {}
        self._follows: dict[State | None, Follow] = {}
        self._fingerprints.forget()
        if "walk" in self.__dict__ and self.walk is not None:
            self.walk.forget()

    @once
    def walk(self) -> Walk | None:
        """What reads by these sets in C; None where nothing does."""
        return Walk.of(self, self._classes)

    def __len__(self) -> int:
        return len(self._sets)

    @property
    def full(self) -> bool:
        """Whether the kernel knows more of them than is worth keeping."""
        return "walk" in self.__dict__ and self.walk is not None and self.walk.full

    def read(
        self, text: str, limit: int, *, start: tuple[State | None, ...] | None = None, cut: bool = False
    ) -> tuple[int, list[tuple[int, Way]]] | None:
        """The weight of the best reading of a text, and the ways on it that are not empty, each with its
        offset; None if no reading is within the band.

        ``start`` are the states where a text begins that stands behind another one, the preferred one first;
        a text that is ``cut`` may end anywhere. Raises LimitExceeded if the sets that the text leads to take
        more than ``limit`` steps to make, whether or not they were made before.
        """
        self.begin(limit)
        first = self.first if start is None else self._set(tuple([(state, 0) for state in start]))
        if self.walk is not None:
            steps, found = self.walk.read(text, first, cut)
            self._allow(steps, limit)
            return found
        lives = list(accumulate(text, getitem, initial=first))
        if lives[-1] is NOWHERE:
            del lives[lives.index(NOWHERE) :]
        # Most characters lead back to the set that they are read in, and do nothing else. Those that do more:
        turns = list(compress(count(), map(is_not, islice(lives, 1, None), lives)))
        if first.most + sum([lives[at + 1].most for at in turns]) > limit:
            self._account(set(lives))
        if len(lives) <= len(text):
            return None
        final = (0, 0, None) if cut else self.final(lives[-1])
        if not isinstance(final, tuple):
            return None
        weight, index, way = final
        ways: list[tuple[int, Way | int]] = [] if way is None else [(len(text), way)]
        for at in reversed(turns):
            move = lives[at].moves[text[at]]
            weight += move.weight
            if (taken := move.ways[index]) is not None:
                ways.append((at, taken))
            index = move.sources[index]
        return weight, [(at, self.way(taken)) for at, taken in reversed(ways)]

    def begin(self, limit: int) -> None:
        """So many steps may be taken for what the next text leads to."""
        self._limit = self._left = limit

    def way(self, way: Way | int) -> Way:
        """A way, or the stored one of a number."""
        if not isinstance(way, int):
            return way
        assert self._stored is not None
        return self._stored.table.way(way)

    @property
    def first(self) -> Live:
        """The set of the empty text."""
        if self._stored is not None:
            return self._row(0)
        return self._set(((self._states.start, 0),))

    def explore(self) -> list[Live]:
        """The sets whose members are known, the first before the others; their moves may be asked for."""
        self._left = MOST
        return list(dict.fromkeys([self.first, *self._sets.values()]))

    def _account(self, sets: set[Live]) -> None:
        """Raise LimitExceeded if some sets take more steps than there are, each made alone."""
        self._allow(sum([live.most for live in sets]), self._limit)

    def _allow(self, steps: int, left: int) -> None:
        if steps > left:
            raise LimitExceeded(
                f"reading a text with its mistakes would take more than {self._limit} steps (budget.steps)",
                doing="reading a text with its mistakes",
                used=self._limit - left + steps,
                limit=self._limit,
                knob="budget.steps",
            )

    def _set(self, members: Members) -> Live:
        found = self._sets.get(members)
        if found is None and self._stored is not None:
            number = self._stored.number(self._fingerprints.of(members))
            if number is not None:
                found = self._sets[members] = self._row(number)
                found.members = members
        if found is None:
            own = _SET_STEPS + _MEMBER_STEPS * len(members)
            self._allow(own, self._left)
            self._left -= own
            followed = sum([self._follow(state).cost for state, _ in members])
            most = own + _FOLLOWED_STEPS * followed
            found = self._sets[members] = Live(self._find, members, most)
        return found

    def _row(self, number: int) -> Live:
        """The set of a stored row."""
        found = self._rows.get(number)
        if found is None:
            assert self._stored is not None
            row = self._stored.row(number)
            found = self._rows[number] = Live(self._find, None, row.most, row)
        return found

    def members(self, live: Live) -> Members:
        """The members of a set; those of a stored one are found by the moves that lead to it."""
        chain: list[Live] = []
        each = live
        while each.members is None:
            chain.append(each)
            assert each.row is not None
            if each.row.access is None:
                each.members = ((self._states.start, 0),)
            else:
                each = self._row(each.row.access[1])
        left, self._left = self._left, MOST  # the text has nothing to do with it
        for each in reversed(chain):
            if each.members is None:
                assert each.row is not None
                assert each.row.access is not None
                number, before = each.row.access
                each.members = tuple([member for member, _, _ in self._reached(self._row(before), number)[1]])
            self._sets[each.members] = each
        self._left = left
        assert live.members is not None
        return live.members

    def _follow(self, state: State | None) -> Follow:
        found = self._follows.get(state)
        if found is None:
            found = self._states.follow(state, self.band)
            self._allow(_FOLLOWED_STEPS * found.cost, self._left)
            self._left -= _FOLLOWED_STEPS * found.cost
            self._follows[state] = found
        return found

    def move(self, live: Live, char: str) -> Move | None:
        """The move of a set by a character. Characters of one class share it."""
        number = self._classes.number(char)
        if number not in live.of_class:
            if live.row is not None and number in live.row.moves:
                live.of_class[number] = self._stored_move(live, number)
            else:
                with uncollected(LARGE):  # sets are kept, and none is garbage
                    live.of_class[number] = self._make_move(live, number)
        return live.of_class[number]

    def _stored_move(self, live: Live, number: int) -> Move | None:
        assert live.row is not None
        assert self._stored is not None
        found = live.row.moves[number]
        if found is None:
            return None
        target, weight, path = found
        return Move(self._row(target), weight, partial(self._stored.table.path, path))

    def _make_move(self, live: Live, number: int) -> Move | None:
        lightest, kept = self._reached(live, number)
        if not kept:
            return None
        return _move(self._set(tuple([member for member, _, _ in kept])), lightest, kept)

    def known_moves(self, live: Live) -> dict[int, Move | None]:
        """The moves of a set, by class of characters, that lead to sets that were met, or nowhere."""
        states = [state for state, _ in self.members(live)]
        found: dict[int, Move | None] = {}
        known: dict[tuple[tuple[Arc, ...], ...], Move | bool | None] = {}
        for number, _ in self._classes.samples():
            arcs = tuple([self._arcs(state, number) for state in states])
            if arcs not in known:
                known[arcs] = self._known_move(live, number)
            if not isinstance(move := known[arcs], bool):
                found[number] = move
        return found

    def _known_move(self, live: Live, number: int) -> Move | bool | None:
        lightest, kept = self._reached(live, number)
        if not kept:
            return None
        target = self._sets.get(tuple([member for member, _, _ in kept]))
        return False if target is None else _move(target, lightest, kept)

    def _reached(self, live: Live, number: int) -> tuple[int, Kept]:
        """What a class of characters leads to: the lightest weight; then members, each with the member that
        it comes from, and the way.
        """
        best: dict[State | None, tuple[tuple[int, int, int, int], Way]] = {}
        for index, (state, residual) in enumerate(self.members(live)):
            for place, arc in enumerate(self._arcs(state, number)):
                weight = residual + arc.weight
                rank = (weight, arc.late, index, place)
                known = best.get(arc.target)
                if known is None or rank < known[0]:
                    best[arc.target] = rank, arc.way
        lightest = min([rank[0] for rank, _ in best.values()], default=0)
        heaviest = lightest + self.band
        kept = [(rank, target, way) for target, (rank, way) in best.items() if rank[0] <= heaviest]
        kept.sort(key=itemgetter(0))
        return lightest, [((target, rank[0] - lightest), rank[2], way) for rank, target, way in kept]

    def _arcs(self, state: State | None, number: int) -> tuple[Arc, ...]:
        follow = self._follow(state)
        found = follow.of_class.get(number)
        if found is None:
            if follow.classes is None:
                members = self._classes.members
                follow.classes = [(arc, members(arc.charset)) for arc in follow.arcs]
            found = tuple([arc for arc, classes in follow.classes if number in classes])
            follow.of_class[number] = found
        return found

    def final(self, live: Live) -> Final | None:
        """The lightest end of a set: weight, member and way."""
        if not isinstance(live.final, bool):
            return live.final
        best: tuple[int, int, int, Way] | None = None
        for index, (state, residual) in enumerate(self.members(live)):
            final = self._follow(state).final
            if final is None:
                continue
            weight, late, way = final
            if best is None or (residual + weight, late) < best[:2]:
                best = residual + weight, late, index, way
        live.final = None if best is None else (best[0], best[2], best[3])
        return live.final


def _move(target: Live, weight: int, kept: Kept) -> Move:
    return Move(target, weight, (tuple([each[1] for each in kept]), tuple([each[2] for each in kept])))
