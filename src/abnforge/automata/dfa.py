"""Build minimal deterministic automata, which represent regular rules as tables.

The characters are divided into classes (a partition of the code points). The derivatives are the states of a
nondeterministic automaton. The subset construction (Rabin and Scott 1959) makes it deterministic, and
partition refinement (Hopcroft 1971) minimizes it. Every state is live: some input leads from it to
acceptance. So reading fails exactly at the first character that no valid string has at that place, which is
the offset of a rejection.

Layout: ``table`` is flat, with one row of ``width`` entries per state. An entry is the row of the next state
(its number times ``width``), or ``DEAD``. Row 0 is the start. The C extension reads the same layout.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from abnforge._arguments import instance_argument, plain_argument, wrong_value
from abnforge._lazy import cached_property, gc_paused
from abnforge.automata.derivatives import Derivatives, State
from abnforge.automata.words import minimal_rows, words_of
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.charset import ANY, EMPTY, CharSet, partition, union
from abnforge.grammar.core import Core, Node
from abnforge.grammar.facts import Facts, terminals
from abnforge.records import dataclass

# The cost of a state before minimization, in steps, without its moves; and the estimated memory of its row
# and of each member of its set, in bytes.
_ROW_COST = 10
_ROW_BYTES = 300
_MEMBER_BYTES = 40

# The share of a budget that an attempt to build an automaton may use if an alternative exists.
QUICK_SHARE = 0.15

# The minimum number of letters in a list of words that is built directly; for fewer, both methods take the
# same time.
MIN_LETTERS = 500

DEAD = -1

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True)
class Automaton:
    """A minimal deterministic automaton; every state is live.

    ``starts[i]`` is the first code point of the i-th range, and ``classes[i]`` is the class of the code
    points in that range. ``accepting`` contains the accepting rows. The language is empty if and only if
    ``table`` is. Two automata are equal exactly when their languages are equal: the numbers of states and
    classes are minimal, classes are sorted by first character, and states are in breadth-first order.
    """

    width: int
    table: Sequence[int]
    accepting: frozenset[int]
    starts: tuple[int, ...]
    classes: tuple[int, ...]

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.table) // self.width

    @cached_property
    def charsets(self) -> tuple[CharSet, ...]:
        """The character set of each class."""
        ranges: list[list[tuple[int, int]]] = [[] for _ in range(self.width)]
        ends = [*self.starts[1:], 0x110000]
        for low, end, number in zip(self.starts, ends, self.classes, strict=True):
            ranges[number].append((low, end - 1))
        return tuple(CharSet.from_ranges(r) for r in ranges)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # An array is not hashable.
        return hash((self.width, tuple(self.table), self.accepting, self.starts, self.classes))

    def class_of(self, char: str) -> int:
        """Return the class of a character.

        Raises: TypeError if ``char`` is not a str; ValueError if it is not one character.
        """
        if type(char) is not str:
            char = plain_argument(char, "char")
        try:
            return self.classes[bisect_right(self.starts, ord(char)) - 1]
        except TypeError:
            raise wrong_value("char", "one character", f"{len(char)}") from None

    def _class(self, char: str) -> int:
        return self.classes[bisect_right(self.starts, ord(char)) - 1]

    @cached_property
    def _class_table(self) -> dict[str, int]:
        return {chr(code): self._class(chr(code)) for code in range(128)}

    def read(self, text: str) -> tuple[int, int]:
        """Return the length of the longest viable prefix, and the row that the prefix leads to.

        A string is valid if and only if the whole string is viable and the row is accepting. In the empty
        language, not even the empty prefix is viable; the result is then (0, DEAD).

        Raises: TypeError if ``text`` is not a str.
        Complexity: O(n), constant memory.
        """
        if type(text) is not str:
            text = plain_argument(text, "text")
        if not self.table:
            return 0, DEAD
        table, class_table = self.table, self._class_table
        row = 0
        for offset, char in enumerate(text):
            number = class_table.get(char)
            following = table[row + (self._class(char) if number is None else number)]
            if following < 0:
                return offset, row
            row = following
        return len(text), row

    def accepts(self, text: str) -> bool:
        """Return whether a string is in the language.

        Raises: TypeError if ``text`` is not a str.
        Complexity: O(n).
        """
        if type(text) is not str:
            text = plain_argument(text, "text")
        table, class_table = self.table, self._class_table
        if not table:
            return False
        row = 0
        for char in text:
            number = class_table.get(char)
            row = table[row + (self._class(char) if number is None else number)]
            if row < 0:
                return False
        return row in self.accepting

    def expected(self, row: int) -> CharSet:
        """Return the characters that can follow in the state of a row; no character can follow ``DEAD``.

        Raises: TypeError if ``row`` is not an int; ValueError if it is not a row.
        """
        instance_argument(row, "row", int, "an int")
        if row == DEAD:
            return CharSet()
        if row not in range(0, len(self.table), self.width):
            raise wrong_value("row", f"a multiple of {self.width} below {len(self.table)}, or {DEAD}", row)
        sets = self.charsets
        ranges_of_classes = (sets[c].ranges for c in range(self.width) if self.table[row + c] >= 0)
        return CharSet.from_ranges(pair for ranges in ranges_of_classes for pair in ranges)


def distances(automaton: Automaton) -> Mapping[int, int]:
    """Return, for each row, the length of a shortest string from the row to acceptance.

    Complexity: linear in the table.
    """
    width, table = automaton.width, automaton.table
    sources: dict[int, set[int]] = {}
    for place, target in enumerate(table):
        if target != DEAD:
            sources.setdefault(target, set()).add(place - place % width)
    result = dict.fromkeys(automaton.accepting, 0)
    for row in (queue := sorted(automaton.accepting)):
        for source in sorted(sources.get(row, ())):
            if source not in result:
                result[source] = result[row] + 1
                queue.append(source)
    return result


def number_of_strings(automaton: Automaton, most: int) -> int:
    """Return the number of strings of a language, up to ``most``.

    Complexity: linear in the table for each examined string length.
    """
    count = 0
    ways = {0: 1} if automaton.table else {}  # row -> number of strings of the current length
    sizes = [len(charset) for charset in automaton.charsets]
    while ways and count < most:
        count += sum(number for row, number in ways.items() if row in automaton.accepting)
        following: dict[int, int] = {}
        for row, number in ways.items():
            for column, size in enumerate(sizes):
                if (target := automaton.table[row + column]) >= 0:
                    following[target] = following.get(target, 0) + number * size
        ways = following
    return min(count, most)


# The cost of a state of the length-counting automaton, in steps, without its moves.
_COUNTING_STATE_COST = 2


def at_most(automaton: Automaton, longest: int, meter: Meter) -> Automaton:
    """Return the minimal automaton of the strings of a language with up to ``longest`` code points.

    Raises: LimitExceeded, immediately if a lower bound of the number of states is too large.
    Complexity: the states times the lengths that lead to them, times the classes.
    """
    width, table = automaton.width, automaton.table
    remaining = distances(automaton)
    if not table or remaining[0] > longest:
        return minimal([], frozenset(), [ANY])
    cost = _COUNTING_STATE_COST + width
    if _least_counting_states(automaton, remaining, longest) * cost > meter.left:
        meter.charge(meter.left + 1)

    def row_of(state: tuple[int, int]) -> list[tuple[int, int] | None]:
        meter.charge(cost)
        meter.hold(_ROW_BYTES)
        row, length = state
        return [
            None if target == DEAD or remaining[target] > longest - length - 1 else (target, length + 1)
            for target in table[row : row + width]
        ]

    states, rows = tabulate((0, 0), row_of)
    accepting = [number for number, (row, _) in enumerate(states) if row in automaton.accepting]
    return minimal(rows, frozenset(accepting), list(automaton.charsets))


def _least_counting_states(automaton: Automaton, remaining: Mapping[int, int], longest: int) -> int:
    """Return a lower bound for the number of states of the length-counting automaton.

    A state with a loop occurs once for each length, starting from the length of a shortest string to it.
    """
    width, table = automaton.width, automaton.table
    depths = {0: 0}
    count = 0
    for row in (queue := [0]):
        targets = table[row : row + width]
        if row in targets:
            count += max(0, longest - depths[row] - remaining[row] + 1)
        for target in targets:
            if target != DEAD and target not in depths:
                depths[target] = depths[row] + 1
                queue.append(target)
    return count


@dataclass(frozen=True)
class Bounded:
    """The strings of a language with up to ``longest`` code points; None means no bound.

    A length-counting automaton for 2,000 code points would have 2,000 states for each state of the language.
    A bound does not need such an automaton: a prefix can be extended to a string within the bound if a
    shortest extension fits. So the distances of the states from acceptance are enough.
    """

    automaton: Automaton
    longest: int | None = None

    @cached_property
    def distances(self) -> Mapping[int, int]:
        """The distance of each row of the automaton from acceptance."""
        return distances(self.automaton)

    @property
    def is_empty(self) -> bool:
        """True if the language is empty."""
        shortest = self.distances.get(0)
        return shortest is None or (self.longest is not None and shortest > self.longest)

    @cached_property
    def furthest(self) -> int:
        """The greatest distance: a prefix that is shorter than the bound by this length can be completed."""
        return max(self.distances.values(), default=0)

    def read(self, text: str) -> tuple[int, CharSet, bool]:
        """Return the length of the longest viable prefix, its next characters, and whether it is valid.

        Complexity: linear.
        """
        automaton, longest = self.automaton, self.longest
        if longest is None:
            offset, row = automaton.read(text)
            return offset, automaton.expected(row), row in automaton.accepting
        if self.is_empty:
            return 0, EMPTY, False
        row = offset = 0
        for char in text:
            target = automaton.table[row + automaton.class_of(char)]
            if target == DEAD or self.distances[target] > longest - offset - 1:
                break
            row = target
            offset += 1
        left = longest - offset - 1
        targets = automaton.table[row : row + automaton.width]
        sets = automaton.charsets
        allowed = union(
            sets[number]
            for number, target in enumerate(targets)
            if target != DEAD and self.distances[target] <= left
        )
        return offset, allowed, row in automaton.accepting

    def accepts(self, pieces: Iterable[str]) -> bool:
        """Return whether a string in pieces is in the language; read only as many pieces as necessary.

        Complexity: linear, constant memory.
        """
        automaton, longest = self.automaton, self.longest
        table, class_of = automaton.table, automaton.class_of
        row, length = (0 if table else DEAD), 0
        for piece in pieces:
            length += len(piece)
            if longest is not None and length > longest:
                return False
            for char in piece:
                if row == DEAD:
                    return False
                row = table[row + class_of(char)]
        return row in automaton.accepting


def character_classes(nodes: Iterable[Node]) -> list[CharSet]:
    """Return the coarsest partition of Unicode whose unions include every terminal of the nodes."""
    return partition(terminals(nodes))


def automaton_meter(budget: Budget, name: str) -> Meter:
    """Return the meter for building the automaton of a rule."""
    return budget.meter(f"automaton of {name}", code="automaton-too-large", rule=name)


def build(
    core: Core, bodies: Mapping[str, Node], key: str, meter: Meter | None = None, *, quick: bool = False
) -> Automaton:
    """Return the minimal automaton of a regular rule; ``quick`` uses only a small share of ``meter``.

    ``bodies`` must not contain recursion (``regular_bodies``). The automaton of a list of words is built
    directly (``words``).

    Raises: LimitExceeded.
    Complexity: the size of the subset automaton; below 0.2 s for every rule of RFC 3986.
    """
    meter = meter or automaton_meter(DEFAULT, core.names.get(key, "a rule"))
    words = words_of(bodies, key)
    letters = 0 if words is None else sum(map(len, words))
    if words is not None and letters >= MIN_LETTERS:
        with gc_paused(letters):
            rows_and_classes = minimal_rows(words, meter)
        if rows_and_classes is not None:
            return _automaton(*rows_and_classes)
    if quick:
        meter = meter.share(meter.operation, QUICK_SHARE)
    plain = Core(bodies, core.names)
    derivatives = Derivatives(Facts(plain), marks=False)
    derivatives.meter = meter
    classes = character_classes(bodies[k] for k in derivatives.facts.reachable(key))
    if key not in derivatives.facts.productive:
        return minimal([], frozenset(), classes)
    members: dict[CharSet, tuple[int, ...]] = {}
    symbols = [charset.min() for charset in classes]
    moves_of: dict[State, list[tuple[State, tuple[int, ...]]]] = {}

    def moves(state: State) -> list[tuple[State, tuple[int, ...]]]:
        if state not in moves_of:
            for arc in (arcs := derivatives.arcs(state)):
                if arc.charset not in members:
                    members[arc.charset] = tuple(n for n, char in enumerate(symbols) if char in arc.charset)
            moves_of[state] = [(arc.target, members[arc.charset]) for arc in arcs]
        return moves_of[state]

    start = derivatives.start(key).states
    rows, accepting = determinize(start, moves, derivatives.accepts, len(classes), meter)
    meter.charge(len(rows) * len(classes))
    return minimal(rows, accepting, classes)


def tabulate(start: S, row_of: Callable[[S], Sequence[S | None]]) -> tuple[list[S], list[list[int]]]:
    """Assign numbers to the reachable states in breadth-first order.

    ``row_of`` returns the target of a state for each class. Returns the states, and for each state the
    numbers of its targets; the target None becomes ``DEAD``.
    """
    numbers: dict[S | None, int] = {None: DEAD, start: 0}
    rows: list[list[int]] = []
    for state in (states := [start]):
        row = row_of(state)
        for target in dict.fromkeys(row):
            if target is not None and target not in numbers:
                numbers[target] = len(states)
                states.append(target)
        rows.append([numbers[target] for target in row])
    return states, rows


def determinize(
    start: Iterable[S],
    moves: Callable[[S], Iterable[tuple[S, Sequence[int]]]],
    accepts: Callable[[S], bool],
    width: int,
    meter: Meter,
    close: Callable[[Iterable[S]], Collection[S]] | None = None,
) -> tuple[list[list[int]], frozenset[int]]:
    """Return the rows and the accepting states of the subset automaton (Rabin and Scott 1959).

    ``moves`` returns the targets of a state, each with the numbers of the classes that lead to it. There are
    ``width`` classes. ``close`` adds the states that empty moves lead to.
    """
    # Subsets with the same members are equal; members stay in order of discovery.
    first = tuple(start if close is None else close(start))
    numbers = {frozenset(first): 0}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    for members in (queue := [first]):
        if any(map(accepts, members)):
            accepting.add(len(rows))
        targets: dict[int, dict[S, None]] = {}
        for state in members:
            for target, columns in moves(state):
                meter.charge(1 + len(columns) // 4)
                for column in columns:
                    targets.setdefault(column, {})[target] = None
        meter.charge(_ROW_COST + width)
        meter.hold(_ROW_BYTES + 8 * width + _MEMBER_BYTES * len(members))
        row = [DEAD] * width
        for column, states in targets.items():
            closed = states if close is None else close(states)
            subset = frozenset(closed)
            number = numbers.get(subset)
            if number is None:
                number = numbers[subset] = len(queue)
                queue.append(tuple(closed))
            row[column] = number
        rows.append(row)
    return rows, frozenset(accepting)


def minimal(rows: list[list[int]], accepting: frozenset[int], classes: list[CharSet]) -> Automaton:
    """Return the minimal automaton for rows (state x class -> state or DEAD) with start state 0.

    Unreachable states and states that are not live are dropped. Classes that no state distinguishes are
    merged.

    Complexity: O(states x classes x log states).
    """
    live = live_states(rows, accepting)
    if 0 not in live:
        return _automaton(array("i"), frozenset(), [ANY])
    rows = [[t if t in live else DEAD for t in row] for row in rows]
    rows, classes = _merge_classes(rows, classes)
    block = equivalence(rows, (set(accepting), live - accepting))
    member = {number: state for state, number in block.items()}
    order = {block[0]: 0}
    result: list[list[int]] = []
    final: set[int] = set()
    for number in (queue := [block[0]]):
        state = member[number]
        if state in accepting:
            final.add(len(result))
        row = []
        for target in rows[state]:
            if target < 0:
                row.append(DEAD)
                continue
            if block[target] not in order:
                order[block[target]] = len(queue)
                queue.append(block[target])
            row.append(order[block[target]])
        result.append(row)
    # Two classes may differ only in states that have been merged.
    result, classes = _merge_classes(result, classes)
    width = len(classes)
    table = array("i", (t * width if t >= 0 else DEAD for row in result for t in row))
    return _automaton(table, frozenset(state * width for state in final), classes)


def equivalence(rows: Sequence[Sequence[int]], parts: Iterable[set[int]]) -> dict[int, int]:
    """Return the block of each state: states share a block if no string leads them to different parts.

    ``parts`` divides the states by label. Hopcroft's algorithm splits blocks by their moves into a waiting
    block, and only the smaller half must wait again. ``DEAD`` is one of the states.

    Complexity: O(states x classes x log states).
    """
    blocks = [set(part) for part in (*parts, {DEAD}) if part]
    block_of = {state: number for number, block in enumerate(blocks) for state in block}
    width = len(rows[0])
    sources: list[dict[int, list[int]]] = [{} for _ in range(width)]
    for state in block_of:
        if state != DEAD:
            for number, target in enumerate(rows[state]):
                sources[number].setdefault(target, []).append(state)
    waiting = set(range(len(blocks)))
    while waiting:
        splitter = tuple(blocks[waiting.pop()])
        for into in sources:
            touched: dict[int, set[int]] = {}
            for target in splitter:
                for state in into.get(target, ()):
                    touched.setdefault(block_of[state], set()).add(state)
            for number, part in touched.items():
                rest = blocks[number]
                if len(part) == len(rest):
                    continue
                rest -= part
                for state in part:
                    block_of[state] = len(blocks)
                waiting.add(len(blocks) if number in waiting or len(part) <= len(rest) else number)
                blocks.append(part)
    del block_of[DEAD]
    return block_of


def live_states(rows: Iterable[Iterable[int]], accepting: Iterable[int]) -> set[int]:
    """Return the states from which an accepting state can be reached.

    ``rows`` contains the targets of each state; a negative target is not a state.
    """
    sources: dict[int, list[int]] = {}
    for state, row in enumerate(rows):
        for target in set(row):
            if target >= 0:
                sources.setdefault(target, []).append(state)
    live = set(accepting)
    stack = list(accepting)
    while stack:
        for source in sources.get(stack.pop(), ()):
            if source not in live:
                live.add(source)
                stack.append(source)
    return live


def _merge_classes(rows: list[list[int]], classes: list[CharSet]) -> tuple[list[list[int]], list[CharSet]]:
    columns: dict[tuple[int, ...], int] = {}
    merged: list[CharSet] = []
    for column, charset in zip(zip(*rows, strict=True), classes, strict=True):
        if column in columns:
            merged[columns[column]] |= charset
        else:
            columns[column] = len(merged)
            merged.append(charset)
    return [list(row) for row in zip(*columns, strict=True)], merged


def _automaton(table: array[int], accepting: frozenset[int], classes: list[CharSet]) -> Automaton:
    ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
    return Automaton(
        width=len(classes),
        table=table,
        accepting=accepting,
        starts=tuple(low for low, _ in ranges),
        classes=tuple(number for _, number in ranges),
    )


def to_data(automaton: Automaton) -> dict[str, Any]:
    """Return an automaton as data for ``json.dumps``."""
    return {
        "width": automaton.width,
        "accepting": sorted(automaton.accepting),
        "starts": list(automaton.starts),
        "classes": list(automaton.classes),
        "table": list(automaton.table),
    }


def from_data(data: dict[str, Any]) -> Automaton:
    """Return the automaton that the data from ``to_data`` represents."""
    return Automaton(
        width=data["width"],
        table=array("i", data["table"]),
        accepting=frozenset(data["accepting"]),
        starts=tuple(data["starts"]),
        classes=tuple(data["classes"]),
    )
