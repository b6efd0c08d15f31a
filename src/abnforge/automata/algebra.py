"""Search product automata for set algebra, the relation between languages, and shortest witnesses.

All of these use one breadth-first search (``Search``), whose nodes are pairs of states (Hopcroft and Ullman
1979, section 3.4). The states belong to finite automata, or are built when a string leads to them
(``LazyDFA``). A ``LazyDFA`` need not be finite, so a search may not terminate: whether two grammars derive
the same strings is undecidable (Bar-Hillel, Perles and Shamir 1961). Every search raises LimitExceeded when
it exceeds its ``meter``, except ``product_search``, which returns the limit.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar, Union

from abnforge._arguments import empty
from abnforge._lazy import gc_paused
from abnforge.automata.code_points import STATE_BITS, CodePointDFA
from abnforge.automata.derivatives import Derivatives, StateSet
from abnforge.automata.dfa import DEAD, Automaton, live_states, minimal, tabulate
from abnforge.budget import DEFAULT, Meter
from abnforge.charset import ANY, CharSet, partition
from abnforge.errors import LimitExceeded
from abnforge.records import dataclass, replace

# The cost of a pair of states without its moves, in steps, and the estimated memory of a pair, in bytes.
_PAIR_COST = 2
_PAIR_BYTES = 300
_CLASSES_PER_STEP = 6  # moves in two finite automata that cost one step
_MOVE_COST = 12  # steps of the budget for a move in automata whose states are built on demand
_STATES_PER_STEP = 8  # states of a set whose moves for one character cost one step

# Relations of the left language to the right language.
EQUAL, NARROWER, WIDER, OVERLAP, DISJOINT = "equal", "narrower", "wider", "overlap", "disjoint"

# The region of a string: whether it is in the left language, and whether it is in the right language.
Region = tuple[bool, bool]
ONLY_LEFT, ONLY_RIGHT, BOTH = (True, False), (False, True), (True, True)
REGIONS = ONLY_LEFT, ONLY_RIGHT, BOTH

Node = TypeVar("Node", bound=Hashable)
_Rows = tuple[int, int]
_Pair = tuple[Hashable, Hashable]


class Search(Generic[Node]):
    """A breadth-first search that keeps a shortest string to each node.

    ``moves`` returns the moves of a node in order of preference. A move whose symbol is the empty string
    leads to a node at the same distance. Iteration yields the nodes, nearest first, and computes the moves of
    a node after it has yielded the node. It does not visit nodes in ``excluded``.
    """

    def __init__(
        self, start: Node, moves: Callable[[Node], Iterable[tuple[str, Node]]], excluded: Iterable[Node] = ()
    ) -> None:
        self._start = start
        self._moves = moves
        # Each node with its predecessor and the symbol between them.
        self.before: dict[Node, tuple[Node, str] | None] = {**dict.fromkeys(excluded), start: None}

    def __iter__(self) -> Iterator[Node]:
        before, moves = self.before, self._moves
        queue = deque([self._start])
        while queue:
            node = queue.popleft()
            yield node
            for symbol, target in moves(node):
                if target not in before:
                    before[target] = node, symbol
                    if symbol:
                        queue.append(target)
                    else:
                        queue.appendleft(target)

    def steps(self, node: Node) -> list[tuple[str, Node]]:
        """Return the moves of a shortest path to a node, each with the node that it leads to."""
        steps: list[tuple[str, Node]] = []
        step = self.before[node]
        while step is not None:
            steps.append((step[1], node))
            node = step[0]
            step = self.before[node]
        return steps[::-1]

    def path(self, node: Node) -> str:
        """Return a shortest string that leads to a node."""
        return "".join(symbol for symbol, _ in self.steps(node))


def _region_strings(
    search: Search[Node], region_of: Callable[[Node], Region], missing: set[Region]
) -> Iterator[tuple[Region, str]]:
    """Yield a shortest string of each region in ``missing``, and remove the region from ``missing``."""
    for node in search:
        region = region_of(node)
        if region in missing:
            missing.remove(region)
            yield region, search.path(node)
            if not missing:
                return


# ---- finite automata ----


@dataclass(frozen=True, slots=True)
class Witnesses:
    """A shortest string of each region of two languages; None for an empty region.

    Among the shortest strings, the most readable characters are preferred: letters, digits, then others.
    """

    only_left: str | None
    only_right: str | None
    common: str | None

    @property
    def relation(self) -> str:
        """The relation: ``equal``, ``narrower``, ``wider``, ``overlap`` or ``disjoint``."""
        if self.only_left is None:
            return EQUAL if self.only_right is None else NARROWER
        if self.only_right is None:
            return WIDER
        return DISJOINT if self.common is None else OVERLAP


def witnesses(left: Automaton, right: Automaton, meter: Meter | None = None) -> Witnesses:
    """Return a shortest string of each region of two languages.

    Complexity: the pairs of states that a string can lead to, times the classes.
    """
    regions = {BOTH} if left == right else {*REGIONS}  # equal automata accept the same language
    one, other = left.accepting, right.accepting
    with gc_paused(max(len(left.table), len(right.table))):
        search = _table_search(left, right, meter)
        strings = dict(_region_strings(search, lambda pair: (pair[0] in one, pair[1] in other), regions))
    return Witnesses(strings.get(ONLY_LEFT), strings.get(ONLY_RIGHT), strings.get(BOTH))


def departures(left: Automaton, right: Automaton, meter: Meter) -> Iterator[tuple[str, str]]:
    """Yield strings of only the left language, one for each place where a string leaves the right language.

    Such a place is a pair of states and a character; "" is the character of a string that ends too early for
    the right language. Each string has a shortest prefix and a shortest suffix, and is yielded after the
    character. Nearest places come first.

    Raises: LimitExceeded.
    Complexity: the pairs of states that a string can lead to, times the classes, plus the strings.
    """
    classes = sorted((preference(charset), i, j) for charset, i, j in _common_classes(left, right))
    before: dict[int, list[tuple[str, int]]] = {}
    for row in range(0, len(left.table), left.width):
        for (_, symbol), column, _ in classes:
            before.setdefault(left.table[row + column], []).append((symbol, row))
    before[DEAD] = [("", row) for row in sorted(left.accepting)]
    ends = Search(DEAD, lambda row: before.get(row, ()))  # backwards from all ends of strings
    meter.charge(sum(1 for _ in ends) * len(classes))
    search = _table_search(left, right, meter)
    for one, other in search:
        if DEAD in (one, other):
            continue
        path = search.path((one, other))
        if one in left.accepting and other not in right.accepting:
            yield "", path
        for (_, symbol), column, opposite in classes:
            target = left.table[one + column]
            if target != DEAD and right.table[other + opposite] == DEAD:
                yield symbol, path + symbol + ends.path(target)[::-1]


def included(left: Automaton, right: Automaton, meter: Meter | None = None) -> bool:
    """Return whether the right language contains every string of the left language."""
    search = _table_search(left, right, meter)
    return all(pair[0] not in left.accepting or pair[1] in right.accepting for pair in search)


def shortest(automaton: Automaton, meter: Meter | None = None) -> str | None:
    """Return a shortest string of a language, or None if the language is empty."""
    return witnesses(automaton, automaton, meter).common


def combine(
    left: Automaton, right: Automaton, keep: Callable[[bool, bool], bool], meter: Meter | None = None
) -> Automaton:
    """Return the minimal automaton of all strings where ``keep(in left, in right)`` is true.

    ``keep(False, False)`` must be false, because neither automaton reads all strings of a complement.
    """
    meter = meter or _default_meter()
    classes = _common_classes(left, right)
    targets = _product_moves(left, right, classes)
    cost = _PAIR_COST + len(classes)

    def row_of(pair: _Rows) -> list[_Rows]:
        meter.charge(cost)
        meter.hold(_PAIR_BYTES)
        return list(targets(pair))

    pairs, rows = tabulate(_starts(left, right), row_of)
    accepting = [
        number
        for number, pair in enumerate(pairs)
        if keep(pair[0] in left.accepting, pair[1] in right.accepting)
    ]
    return minimal(rows, frozenset(accepting), [charset for charset, _, _ in classes])


def union(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Return the automaton of the strings that are in at least one of two languages."""
    return combine(left, right, lambda a, b: a or b, meter)


def intersection(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Return the automaton of the strings that are in both languages."""
    return combine(left, right, lambda a, b: a and b, meter)


def difference(left: Automaton, right: Automaton, meter: Meter | None = None) -> Automaton:
    """Return the automaton of the strings that are in the left language and not in the right language."""
    return combine(left, right, lambda a, b: a and not b, meter)


def everything(characters: CharSet = ANY) -> Automaton:
    """Return the automaton of all strings of some characters."""
    others = ~characters
    return minimal([[0, DEAD][: 1 + bool(others)]], frozenset((0,)), [characters, *[others] * bool(others)])


def complement(automaton: Automaton, meter: Meter | None = None, characters: CharSet = ANY) -> Automaton:
    """Return the automaton of all strings of some characters that are not in a language."""
    return difference(everything(characters), automaton, meter)


def _table_search(left: Automaton, right: Automaton, meter: Meter | None) -> Search[_Rows]:
    """Return a search of the reachable pairs of rows of two automata; ``DEAD`` is outside a language."""
    meter = meter or _default_meter()
    classes = sorted((preference(charset), i, j) for charset, i, j in _common_classes(left, right))
    symbols = [char for (_, char), _, _ in classes]
    targets = _product_moves(left, right, classes)
    cost = _PAIR_COST + len(classes) // _CLASSES_PER_STEP

    def moves(pair: _Rows) -> Iterable[tuple[str, _Rows]]:
        meter.charge(cost)
        meter.hold(_PAIR_BYTES)
        return zip(symbols, targets(pair), strict=True)

    return Search(_starts(left, right), moves, [(DEAD, DEAD)])


def _product_moves(
    left: Automaton, right: Automaton, classes: Iterable[tuple[object, int, int]]
) -> Callable[[_Rows], Iterable[_Rows]]:
    """Return a function that maps a pair of rows to its target pairs, one for each class."""
    _, *columns = zip(*classes, strict=True)
    dead = [DEAD] * len(columns[0])

    def targets(automaton: Automaton, side: int, row: int) -> list[int]:
        table = automaton.table
        return dead if row == DEAD else [table[row + column] for column in columns[side]]

    return lambda pair: zip(targets(left, 0, pair[0]), targets(right, 1, pair[1]), strict=True)


def _common_classes(left: Automaton, right: Automaton) -> list[tuple[CharSet, int, int]]:
    """Return the classes of the product, each with the corresponding classes of both automata."""
    return [
        (charset, left.class_of(charset.min()), right.class_of(charset.min()))
        for charset in partition((*left.charsets, *right.charsets))
    ]


def _starts(left: Automaton, right: Automaton) -> _Rows:
    return 0 if left.table else DEAD, 0 if right.table else DEAD


def _default_meter() -> Meter:
    return DEFAULT.meter("comparing two automata", code="automaton-too-large")


# Characters in order of readability: lower-case letters, digits, upper-case letters, punctuation, letters
# beyond ASCII, and the rest. A digit 0 or a slash comes late because it could seem to have a meaning.
_READABLE = (
    CharSet.from_ranges([(0x61, 0x7A)]),
    CharSet.from_ranges([(0x31, 0x39)]),
    CharSet.from_ranges([(0x30, 0x30), (0x41, 0x5A)]),
    CharSet.from_ranges([(0x21, 0x7E)]),
    CharSet.from_ranges([(0xE0, 0xF6)]),
    ANY,
)


def preference(charset: CharSet) -> tuple[int, str]:
    """Return a sort rank for a character set, and the set's most readable character."""
    for rank, readable in enumerate(_READABLE):
        candidates = charset & readable
        if candidates:
            return rank, candidates.min()
    raise empty("charset")


_STATE = (1 << STATE_BITS) - 1


def intersect(points: CodePointDFA, automaton: Automaton, meter: Meter) -> CodePointDFA:
    """Return the tagged automaton of the strings that ``points`` and ``automaton`` both accept.

    Both automata are deterministic, so the parts of a string are the same as in ``points``.

    Raises: LimitExceeded.
    Complexity: the pairs of states that a string can lead to, times the classes.
    """
    if not points.rows or not automaton.table:
        return _nothing(points)
    width = max(points.classes) + 1
    shape = Automaton(width, (), frozenset(), points.starts, points.classes)
    classes = _common_classes(shape, automaton)
    operations: list[list[int]] = []

    def row_of(pair: tuple[int, int]) -> list[tuple[int, int] | None]:
        meter.charge(_PAIR_COST + len(classes))
        meter.hold(_PAIR_BYTES + 8 * len(classes))
        state, row = pair
        entries = [points.rows[state][column] for _, column, _ in classes]
        targets = [automaton.table[row + column] for _, _, column in classes]
        operations.append([entry & ~_STATE for entry in entries])
        return [
            ((entry & _STATE) - 1, target) if entry & _STATE and target >= 0 else None
            for entry, target in zip(entries, targets, strict=True)
        ]

    pairs, rows = tabulate((0, 0), row_of)
    accepting = {
        number
        for number, (state, row) in enumerate(pairs)
        if state in points.accepting and row in automaton.accepting
    }
    live = live_states(rows, accepting)
    if 0 not in live:
        return _nothing(points)
    numbers = {state: number for number, state in enumerate(sorted(live))}  # the start stays the first
    tags = points.tags
    final = {numbers[pair]: tags.final[pairs[pair][0]] for pair in accepting if pairs[pair][0] in tags.final}
    charsets = [charset for charset, _, _ in classes]
    ranges = sorted((low, number) for number, charset in enumerate(charsets) for low, _ in charset.ranges)
    return CodePointDFA(
        [
            [
                operation | numbers[target] + 1 if target in numbers else 0
                for operation, target in zip(operations[state], rows[state], strict=True)
            ]
            for state in numbers
        ],
        frozenset(numbers[pair] for pair in accepting),
        tuple(low for low, _ in ranges),
        tuple(number for _, number in ranges),
        replace(tags, final=final),
    )


def _nothing(points: CodePointDFA) -> CodePointDFA:
    return CodePointDFA([], frozenset(), (0,), (0,), replace(points.tags, final={}))


# ---- automata that are built when a string leads to their states ----


class LazyDFA(Protocol):
    """A deterministic automaton that need not be finite; the state None is outside its language.

    ``charsets`` contains the character classes that the automaton distinguishes.
    """

    @property
    def charsets(self) -> Sequence[CharSet]: ...

    @property
    def start(self) -> Hashable | None: ...

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """Return the state after one more character."""

    def accepts(self, state: Hashable) -> bool:
        """Return whether a state is accepting."""

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return the cost of a state's moves, in budget steps, and the state's memory, in bytes."""


class TableDFA:
    """A finite automaton as a ``LazyDFA``."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.charsets: Sequence[CharSet] = automaton.charsets
        self.start: Hashable | None = 0 if automaton.table else None

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """Return the row after one more character, or None outside the language."""
        assert isinstance(state, int)
        target = self._automaton.table[state + self._automaton.class_of(char)]
        return None if target == DEAD else target

    def accepts(self, state: Hashable) -> bool:
        """Return whether a row is accepting."""
        return state in self._automaton.accepting

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return zero: the cost was charged when the automaton was built."""
        return 0, 0


@dataclass(frozen=True, slots=True)
class Stopped:
    """Information about a search that exceeded a limit.

    The search tried all strings of up to ``length`` characters, with one character of each class.
    """

    length: int
    limit: LimitExceeded


def product_search(
    left: LazyDFA, right: LazyDFA, meter: Meter, regions: Iterable[Region] = REGIONS
) -> tuple[dict[Region, str], Stopped | None]:
    """Return a shortest string of each region of two languages, up to the limit of ``meter``.

    The second value is None if the search is complete.
    """
    strings: dict[Region, str] = {}
    missing = set(regions)
    symbols = [char for _, char in sorted(map(preference, partition((*left.charsets, *right.charsets))))]
    last: _Pair | None = None

    def charge(pair: _Pair) -> None:
        steps, octets = _PAIR_COST, _PAIR_BYTES
        for automaton, state in zip((left, right), pair, strict=True):
            if state is not None:
                more, size = automaton.cost(state)
                steps, octets = steps + more, octets + size
        meter.charge(steps)
        meter.hold(octets)

    def region_of(pair: _Pair) -> Region:
        nonlocal last
        one, other = pair
        region = one is not None and left.accepts(one), other is not None and right.accepts(other)
        last = pair
        return region

    def moves(pair: _Pair) -> Iterator[tuple[str, _Pair]]:
        one, other = pair
        # Outside one language, only a string of the other language can be found.
        if (one is None and ONLY_RIGHT not in missing) or (other is None and ONLY_LEFT not in missing):
            return
        for symbol in symbols:
            target = (
                None if one is None else left.move(one, symbol),
                None if other is None else right.move(other, symbol),
            )
            meter.charge(_MOVE_COST)
            if target not in search.before:
                charge(target)
                yield symbol, target

    search = Search((left.start, right.start), moves, [(None, None)])
    try:
        charge((left.start, right.start))
        for region, string in _region_strings(search, region_of, missing):
            strings[region] = string
    except LimitExceeded as error:
        return strings, Stopped(0 if last is None else max(0, len(search.steps(last)) - 1), error)
    return strings, None


_SetPair = tuple[Union[StateSet, None], Union[StateSet, None]]
# A phase, and the states of the left and the right part. Phase 0 reads the left part. In phase 1, the left
# part continues while the right part has begun. Phase 2 reads the right part, after the left part has ended.
_Split = tuple[int, StateSet, Union[StateSet, None]]


class Overlaps:
    """Searches sets of derivatives for strings that rules of one grammar share.

    A grammar is unambiguous if the alternatives of every choice are disjoint, and every sequence can be split
    into its parts in only one way (Brabrand, Giegerich and Moller 2007). The results are exact for regular
    languages. For other languages, a witness is exact, but a search may not terminate.

    All searches are charged to ``meter``, and one search may use ``fraction`` of it. ``symbols`` contains the
    characters that a search tries, one from each class, in order of preference for witnesses.
    """

    def __init__(self, derivatives: Derivatives, meter: Meter, fraction: float) -> None:
        self._derivatives = derivatives
        self._meter = meter
        self._fraction = fraction
        self._search_meter = meter

    def intersection_witness(self, left: str, right: str, symbols: Sequence[str]) -> str | None:
        """Return a shortest string that both rules derive, or None."""
        search = self._pairs(left, right, symbols, lambda pair: None not in pair)
        pairs = (pair for pair in search if pair[0] and pair[1] and pair[0].accepting and pair[1].accepting)
        return next(map(search.path, pairs), None)

    def difference_witness(self, left: str, right: str, symbols: Sequence[str]) -> str | None:
        """Return a shortest string that the left rule derives but the right rule does not, or None."""
        search = self._pairs(left, right, symbols, lambda pair: pair[0] is not None)
        pairs = (
            pair for pair in search if pair[0] and pair[0].accepting and not (pair[1] and pair[1].accepting)
        )
        return next(map(search.path, pairs), None)

    def ambiguous_split(self, left: str, right: str, symbols: Sequence[str]) -> tuple[str, str, str] | None:
        """Return u, v (nonempty) and w: the left language contains u and uv, the right language vw and w.

        ``uvw`` splits into a left and a right part in two ways, and is as short as possible. The result is
        None if every string has only one split.
        """
        self._begin()
        left_start, right_start = self._start(left), self._start(right)

        def moves(node: _Split) -> Iterator[tuple[str, _Split]]:
            phase, a, b = node
            if phase == 1 and a.accepting:
                yield "", (2, right_start, b)
            for symbol in symbols:
                target = self._step(a, symbol)
                if target is None:
                    continue
                if phase == 0:
                    yield symbol, (0, target, None)
                    b = right_start if a.accepting else None
                other = self._step(b, symbol)
                if other is not None:
                    yield symbol, (phase or 1, target, other)

        start: _Split = (0, left_start, None)
        search = Search(start, moves)
        for node in search:
            phase, a, b = node
            if phase == 2 and a.accepting and b is not None and b.accepting:
                parts = ["", "", ""]
                for symbol, (step_phase, _, _) in search.steps(node):
                    parts[step_phase] += symbol
                return parts[0], parts[1], parts[2]
        return None

    def _pairs(
        self, left: str, right: str, symbols: Sequence[str], keep: Callable[[_SetPair], bool]
    ) -> Search[_SetPair]:
        """Return a search of the pairs of sets that strings lead to, as long as ``keep`` is true."""

        def moves(pair: _SetPair) -> Iterator[tuple[str, _SetPair]]:
            for symbol in symbols:
                target = self._step(pair[0], symbol), self._step(pair[1], symbol)
                if keep(target):
                    yield symbol, target

        self._begin()
        return Search((self._start(left), self._start(right)), moves)

    def _begin(self) -> None:
        self._search_meter = self._meter.share("a search", self._fraction)
        self._search_meter.charge()
        if self._derivatives.full:
            self._derivatives.forget()

    def _start(self, key: str) -> StateSet:
        self._derivatives.meter = self._search_meter
        return self._derivatives.start(key)

    def _step(self, states: StateSet | None, symbol: str) -> StateSet | None:
        if states is None:
            return None
        self._search_meter.charge(1 + len(states.states) // _STATES_PER_STEP)
        self._derivatives.meter = self._search_meter
        return self._derivatives.step(states, symbol)
