"""Regions of two languages that are provably empty, because of the structure of the two rules.

A rule is a recursive transition network here (Woods 1970): minimal automata over characters and calls.
Recursion at the ends of bodies becomes repetition, and rules with other recursion are called. So the body of
each called rule is a regular language, whose automaton is the same however it is written.

No procedure terminates for all recursive rules (Bar-Hillel, Perles and Shamir 1961). Two procedures often
succeed.

* If both rules are recursive, the right side simulates the rules of the left side (Milner 1971).
  At first, every left rule is assumed to be within every right rule. A pair is removed if a word of the left
  body is not a word of the right body. A call counts as any call that it is still assumed to be within. The
  remaining pairs are correct, by induction on the height of derivations.
* If one side is regular, a least fixed point gives the states of its automaton after the strings of each rule
  of the other side. It decides whether the automaton accepts all strings of the recursive side, or none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from functools import reduce

from abnforge._lazy import lazy
from abnforge.automata.algebra import BOTH, ONLY_LEFT, ONLY_RIGHT, REGIONS, Region, difference, union
from abnforge.automata.dfa import DEAD, Automaton, build
from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import EPSILON, Chars, Core, Node, Ref, map_parts
from abnforge.grammar.facts import Facts, terminals
from abnforge.grammar.regular import without_end_recursion

with lazy:
    from abnforge.parsing.recognizer import network as analysis

# The cost of a pair of states in steps, without its moves, and its memory in bytes.
_PAIR_COST = 3
_PAIR_OCTETS = 200

_Pair = tuple[str, str]

# The name of a rule that derives nothing; it cannot occur in a grammar.
_NOTHING = "<nothing>"


class CallAutomata:
    """The bodies that a rule needs, by key, and the rules among them that are called.

    Recursion at the ends of bodies is represented as repetition. Raises LimitExceeded.
    """

    def __init__(self, rule: Rule, meter: Meter) -> None:
        core, facts, regular = rule.grammar.compilation.derivation_rules(rule.key)
        self.root = rule.key
        bodies = dict.fromkeys(core.rules, EPSILON) | {**without_end_recursion(facts), **regular}
        needed = Facts(Core(bodies, {})).reachable(self.root)
        self._productive = facts.productive
        self._bodies = {key: bodies[key] for key in needed if key in self._productive}
        self._bodies.setdefault(self.root, Ref(_NOTHING))
        # The rule itself counts as called, since each side begins with a call of its root.
        rest = {**self._bodies, self.root: EPSILON}
        self._called = sorted({self.root, *analysis.called_rules(facts, rest, meter, None)})
        self.terminals = terminals(self._bodies.values())

    def automata(self, classes: list[CharSet], meter: Meter) -> Bodies:
        """Return the minimal automata of the called bodies, over the numbers of classes and then of calls."""
        calls = {key: number for number, key in enumerate(self._called, len(classes))}
        members: dict[CharSet, CharSet] = {}

        def recoded(node: Node) -> Node:
            match node:
                case Chars(charset=charset):
                    if charset not in members:
                        numbers = [n for n, each in enumerate(classes) if each.min() in charset]
                        members[charset] = CharSet.from_ranges((n, n) for n in numbers)
                    return Chars(members[charset])
                case Ref(key=key) if key not in self._productive:
                    return Ref(_NOTHING)
                case Ref(key=key):
                    return Chars(CharSet(((calls[key], calls[key]),))) if key in calls else node
            return map_parts(node, recoded)

        bodies: dict[str, Node] = {_NOTHING: Ref(_NOTHING)}
        bodies |= {key: recoded(body) for key, body in self._bodies.items()}
        core = Core(bodies, {key: key for key in bodies})
        automata = {key: build(core, bodies, key, meter) for key in self._called}
        return Bodies(self.root, _without_units(automata, calls, meter), calls, len(classes))


class Bodies:
    """Automata by rule. Their symbols are numbers: classes below ``width``, else calls of rules (``calls``).

    ``root`` is the rule that is compared.
    """

    def __init__(self, root: str, automata: dict[str, Automaton], calls: dict[str, int], width: int) -> None:
        self.root = root
        self.automata = automata
        self.calls = calls
        self.width = width
        self._columns = {
            key: [automaton.class_of(chr(number)) for number in range(width + len(calls))]
            for key, automaton in automata.items()
        }

    @property
    def whole(self) -> Automaton | None:
        """The automaton of the rule itself if it does not contain calls and so is regular, else None."""
        automaton = self.automata[self.root]
        rows = range(0, len(automaton.table), automaton.width)
        called = any(self.move(self.root, row, n) != DEAD for row in rows for n in self.calls.values())
        return None if called else automaton

    def move(self, key: str, row: int, number: int) -> int:
        """Return the row of a body's automaton after a class or a call, or ``DEAD``."""
        return self.automata[key].table[row + self._columns[key][number]]


def _without_units(
    automata: dict[str, Automaton], calls: dict[str, int], meter: Meter
) -> dict[str, Automaton]:
    """Replace each word that is a single call by the body of the called rule.

    So a rule that only renames another rule has the same automaton as that rule.
    """
    units = {
        key: [other for other, number in calls.items() if automaton.accepts(chr(number))]
        for key, automaton in automata.items()
    }
    lone = Chars(CharSet.from_ranges((number, number) for number in calls.values()))
    all_calls = build(Core({"": lone}, {}), {"": lone}, "", meter)
    result: dict[str, Automaton] = {}
    for key, automaton in automata.items():
        reached = dict.fromkeys((key,))
        for each in (queue := [key]):
            new = [unit for unit in units[each] if unit not in reached]
            reached.update(dict.fromkeys(new))
            queue += new
        if units[key]:
            joined = reduce(lambda one, other: union(one, other, meter), (automata[each] for each in reached))
            automaton = difference(joined, all_calls, meter)
        result[key] = automaton
    return result


def provably_empty_regions(
    left: Rule, right: Rule, meter: Meter, regions: Collection[Region] = REGIONS
) -> frozenset[Region]:
    """Return those of ``regions`` that provably do not contain strings; others may also be empty.

    Neither rule may need a prose-val.

    Complexity: a minimal automaton for each called rule, and products of two automata, up to the limit of
    ``meter``.
    """
    empty: set[Region] = set()
    try:
        one, other = CallAutomata(left, meter), CallAutomata(right, meter)
        classes = partition((*one.terminals, *other.terminals))
        a, b = one.automata(classes, meter), other.automata(classes, meter)
        for first, second, region in ((a, b, ONLY_LEFT), (b, a, ONLY_RIGHT)):
            if (regular := second.whole) is not None and not {region, BOTH}.isdisjoint(regions):
                ends = _Ends(first, second, meter).all()
                empty |= {region} if ends <= regular.accepting else set()
                empty |= {BOTH} if ends.isdisjoint(regular.accepting) else set()
            elif regular is None and region in regions and _Simulation(first, second, meter).holds():
                empty.add(region)
    except LimitExceeded:
        pass
    return frozenset(empty.intersection(regions))


class _Simulation:
    """Pairs of a left rule and a right rule that contains it, unless refuted."""

    def __init__(self, left: Bodies, right: Bodies, meter: Meter) -> None:
        self._left = left
        self._right = right
        self._meter = meter
        self._refused: set[_Pair] = set()
        self._symbols: list[tuple[int, str | None]] = [(number, None) for number in range(left.width)]
        self._symbols += [(number, key) for key, number in left.calls.items()]

    def holds(self) -> bool:
        """Return whether the left rule is within the right one."""
        roots = self._left.root, self._right.root
        users: dict[_Pair, dict[_Pair, None]] = {roots: {}}
        waiting = [roots]
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
        return roots not in self._refused

    def _grounds(self, one: str, other: str) -> dict[_Pair, None] | None:
        """Return the pairs that a pair depends on, or None if it is refuted.

        Reads the words of the left body, and for each word all words of the right body that may contain it.
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
        """Return the rows of a right body after a class or a call."""
        self._meter.charge(1 + len(rows) // 4)
        return frozenset(self._right.move(key, row, number) for row in rows) - {DEAD}

    def _call(
        self, called: str, key: str, rows: frozenset[int], grounds: dict[_Pair, None]
    ) -> frozenset[int]:
        """Return the rows after every call that may contain a left call; the pair depends on each of them."""
        targets: frozenset[int] = frozenset()
        for each, number in self._right.calls.items():
            if (called, each) not in self._refused and (after := self._read(key, rows, number)):
                grounds[called, each] = None
                targets |= after
        return targets


class _Ends:
    """The rows of a regular language's automaton after the strings of a recursive rule."""

    def __init__(self, rule: Bodies, regular: Bodies, meter: Meter) -> None:
        self._rule = rule
        self._regular = regular
        self._meter = meter
        # A called rule and the row before it -> the rows after its strings, and the calls that depend on
        # them.
        self._ends: dict[tuple[str, int], set[int]] = {}
        self._users: dict[tuple[str, int], dict[tuple[str, int], None]] = {}

    def all(self) -> set[int]:
        """Return the rows after the strings of the rule itself; ``DEAD`` is outside of the language."""
        root = self._rule.root, 0 if self._regular.automata[self._regular.root].table else DEAD
        self._ends[root], self._users[root] = set(), {}
        waiting = deque([root])
        while waiting:
            place = waiting.popleft()
            rows, new = self._follow(place)
            waiting += new
            if not rows <= self._ends[place]:
                self._ends[place] |= rows
                waiting += self._users[place]
        return self._ends[root]

    def _follow(self, place: tuple[str, int]) -> tuple[set[int], list[tuple[str, int]]]:
        """Return the known rows after a rule's strings, and the calls that are new."""
        key, begin = place
        automaton = self._rule.automata[key]
        rows: set[int] = set()
        new: list[tuple[str, int]] = []
        met = {(0, begin)} if automaton.table else set()
        for row, state in (queue := list(met)):
            self._meter.charge(_PAIR_COST)
            if row in automaton.accepting:
                rows.add(state)
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
        return rows, new

    def _regular_move(self, state: int, number: int) -> int:
        return DEAD if state == DEAD else self._regular.move(self._regular.root, state, number)
