"""Which regions of two languages are known to be empty, as far as how the two rules are built shows it.

For rules that recurse no procedure answers always (Bar-Hillel, Perles and Shamir 1961); here are two that
answer often, on rules as networks (``networks``).

* Where both recurse in the same way, whatever the rules are called and however their bodies are written, the
  rules of the one side are simulated by those of the other (Milner 1971). At first each is taken to be within
  each; a pair is given up when a word of the one body is none of the other, a call standing for every call
  that it is still taken to be within. What never has to be given up is so, by induction on the height of
  derivations.
* Where one side is regular, where its automaton can be after a rule of the other is a least fixed point (the
  construction of Bar-Hillel, Perles and Shamir): whether all strings of the recursive side, or none, are
  accepted is decided.
"""

from __future__ import annotations

from collections import deque

from abnforge.automaton.dfa import DEAD
from abnforge.automaton.exploration import BOTH, ONLY_LEFT, ONLY_RIGHT, Region
from abnforge.budget import Meter
from abnforge.charset import partition
from abnforge.comparison.networks import Bodies, Network
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded

# What a pair of states costs in steps, beside its moves, and what it takes in octets.
_PAIR_COST = 3
_PAIR_OCTETS = 200

_Pair = tuple[str, str]


def empty_regions(left: Rule, right: Rule, meter: Meter) -> frozenset[Region]:
    """The regions of two languages that are known to have no string.

    Of those that are not in it nothing is known. Neither rule needs a prose-val. Cost: a minimal automaton
    for each rule that has to be called, and some products of two of them, as far as ``meter`` allows.
    """
    known: set[Region] = set()
    try:
        one, other = Network(left, meter), Network(right, meter)
        classes = partition((*one.terminals, *other.terminals))
        a, b = one.automata(classes, meter), other.automata(classes, meter)
        for first, second, region in ((a, b, ONLY_LEFT), (b, a, ONLY_RIGHT)):
            if (regular := second.whole) is not None:
                ends = _Ends(first, second, meter).all()
                known |= {region} if ends <= regular.accepting else set()
                known |= {BOTH} if ends.isdisjoint(regular.accepting) else set()
            elif _Simulation(first, second, meter).holds():
                known.add(region)
    except LimitExceeded:
        pass
    return frozenset(known)


class _Simulation:
    """Which rules of one side are within which of the other, until that is seen not to be shown so."""

    def __init__(self, left: Bodies, right: Bodies, meter: Meter) -> None:
        self._left = left
        self._right = right
        self._meter = meter
        self._refused: set[_Pair] = set()
        self._symbols: list[tuple[int, str | None]] = [(number, None) for number in range(left.width)]
        self._symbols += [(number, key) for key, number in left.calls.items()]

    def holds(self) -> bool:
        """Whether the one rule is within the other."""
        asked = self._left.root, self._right.root
        users: dict[_Pair, dict[_Pair, None]] = {asked: {}}
        waiting = [asked]
        while waiting:
            pair = waiting.pop()
            if pair in self._refused:
                continue
            grounds = self._grounds(*pair)
            if grounds is None:
                self._refused.add(pair)
                waiting += users[pair]
                continue
            for each in grounds:
                if each not in users:
                    users[each] = {}
                    waiting.append(each)
                users[each][pair] = None
        return asked not in self._refused

    def _grounds(self, one: str, other: str) -> dict[_Pair, None] | None:
        """The pairs that a pair rests on; None where it is not shown: one side's words are read, and of the
        other all that can be meant by them.
        """
        left, right = self._left.automata[one], self._right.automata[other]
        if not left.table or not right.table:
            return None if left.table else {}
        grounds: dict[_Pair, None] = {}
        start = 0, frozenset({0})
        met = {start}
        for row, rows in (queue := [start]):
            self._meter.charge(_PAIR_COST)
            if row in left.accepting and rows.isdisjoint(right.accepting):
                return None
            for number, called in self._symbols:
                target = self._left.move(one, row, number)
                if target == DEAD:
                    continue
                if called is None:
                    following = self._read(other, rows, number)
                else:
                    following = self._call(called, other, rows, grounds)
                if not following:
                    return None
                if (pair := (target, following)) not in met:
                    met.add(pair)
                    queue.append(pair)
        return grounds

    def _read(self, key: str, rows: frozenset[int], number: int) -> frozenset[int]:
        """The rows of a body on the right after a class or a call."""
        self._meter.charge(1 + len(rows) // 4)
        return frozenset(self._right.move(key, row, number) for row in rows) - {DEAD}

    def _call(
        self, called: str, key: str, rows: frozenset[int], grounds: dict[_Pair, None]
    ) -> frozenset[int]:
        """The rows after every call that a call on the left may be within; each is a ground."""
        found: frozenset[int] = frozenset()
        for each, number in self._right.calls.items():
            if (called, each) not in self._refused and (after := self._read(key, rows, number)):
                grounds[called, each] = None
                found |= after
        return found


class _Ends:
    """Where a regular language's automaton can be after the strings of a rule that recurses."""

    def __init__(self, rule: Bodies, regular: Bodies, meter: Meter) -> None:
        self._rule = rule
        self._regular = regular
        self._meter = meter
        # A called rule and the row before it -> the rows after its strings, and who has to know of more.
        self._ends: dict[tuple[str, int], set[int]] = {}
        self._users: dict[tuple[str, int], dict[tuple[str, int], None]] = {}

    def all(self) -> set[int]:
        """The rows after the strings of the rule itself; ``DEAD`` among them where one has left the
        language.
        """
        asked = self._rule.root, 0 if self._regular.automata[self._regular.root].table else DEAD
        self._ends[asked], self._users[asked] = set(), {}
        waiting = deque([asked])
        while waiting:
            place = waiting.popleft()
            found, new = self._follow(place)
            waiting += new
            if not found <= self._ends[place]:
                self._ends[place] |= found
                waiting += self._users[place]
        return self._ends[asked]

    def _follow(self, place: tuple[str, int]) -> tuple[set[int], list[tuple[str, int]]]:
        """The rows at the ends of a rule's strings as far as it is known, and what is asked for the first
        time.
        """
        key, begin = place
        automaton = self._rule.automata[key]
        found: set[int] = set()
        new: list[tuple[str, int]] = []
        met = {(0, begin)} if automaton.table else set()
        for row, state in (queue := list(met)):
            self._meter.charge(_PAIR_COST)
            if row in automaton.accepting:
                found.add(state)
            targets = [
                (self._rule.move(key, row, number), self._regular_move(state, number))
                for number in range(self._rule.width)
            ]
            for called, number in self._rule.calls.items():
                if (target := self._rule.move(key, row, number)) == DEAD:
                    continue
                call = called, state
                if call not in self._ends:
                    self._ends[call], self._users[call] = set(), {}
                    new.append(call)
                self._users[call][place] = None
                targets += [(target, end) for end in sorted(self._ends[call])]
            self._meter.charge(len(targets) // 4)
            for pair in targets:
                if pair[0] != DEAD and pair not in met:
                    self._meter.hold(_PAIR_OCTETS)
                    met.add(pair)
                    queue.append(pair)
        return found, new

    def _regular_move(self, state: int, number: int) -> int:
        return DEAD if state == DEAD else self._regular.move(self._regular.root, state, number)
