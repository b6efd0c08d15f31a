"""Minimal deterministic automata: a regular rule as a table.

Built from character classes (a partition of the code points), the derivatives as states of a
nondeterministic automaton, subset construction (Rabin and Scott 1959) and minimisation by
partition refinement (Hopcroft 1971). Every state is live: some input leads from it to acceptance. So
reading fails exactly at the first character that no valid string has there, which is the offset that the
contract asks for.

Layout: ``table`` is flat, one row of ``width`` entries a state; an entry is the next state's row (its
number times ``width``), or ``DEAD``. Row 0 is the start. A kernel can walk it as it is.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from abnforge.analysis.core_form import Chars, Core, Node
from abnforge.analysis.facts import Facts, walk
from abnforge.automaton.derivative import Derivatives, State
from abnforge.charset import ANY, CharSet, partition
from abnforge.errors import LimitExceeded

# States before minimisation. The rules of RFC 3986 need under a thousand; a rule beyond this, such
# as ``*a a 20(a / b)``, has a language for which tables are the wrong tool.
MAX_STATES = 10_000
# Moves followed during construction, which bounds the time as the states bound the memory.
MAX_MOVES = 1_000_000

DEAD = -1


@dataclass(frozen=True)
class Automaton:
    """A minimal deterministic automaton in which every state is live.

    ``starts[i]`` is the first code point of the i-th range and ``classes[i]`` the class of the code points
    from there up to the next; ``accepting`` the rows that accept. The language is empty if and only if
    ``table`` is. Two automata are equal exactly when their languages are: there are as few states and
    classes as the language needs, classes sorted by their first character, states in breadth-first order.
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
        """The characters of each class."""
        ranges: list[list[tuple[int, int]]] = [[] for _ in range(self.width)]
        ends = [*self.starts[1:], 0x110000]
        for low, end, number in zip(self.starts, ends, self.classes, strict=True):
            ranges[number].append((low, end - 1))
        return tuple(CharSet.from_ranges(r) for r in ranges)

    def class_of(self, char: str) -> int:
        """The class of a character."""
        return self.classes[bisect_right(self.starts, ord(char)) - 1]

    @cached_property
    def _class_table(self) -> dict[str, int]:
        return {chr(code): self.class_of(chr(code)) for code in range(128)}

    def read(self, text: str) -> tuple[int, int]:
        """The length of the longest viable prefix, and the row it leads to.

        The text is valid exactly when all of it is viable and the row accepts. The empty language has no
        viable prefix, not even the empty one; (0, DEAD) then. Cost: O(n), constant memory.
        """
        if not self.table:
            return 0, DEAD
        table, known = self.table, self._class_table
        row = 0
        for offset, char in enumerate(text):
            number = known.get(char)
            following = table[row + (self.class_of(char) if number is None else number)]
            if following < 0:
                return offset, row
            row = following
        return len(text), row

    def accepts(self, text: str) -> bool:
        """Whether the text is in the language."""
        length, row = self.read(text)
        return length == len(text) and row in self.accepting

    def expected(self, row: int) -> CharSet:
        """The characters that can follow in a state."""
        sets = self.charsets
        found = (sets[c].ranges for c in range(self.width) if self.table[row + c] >= 0)
        return CharSet.from_ranges(pair for ranges in found for pair in ranges)


def character_classes(nodes: Iterable[Node]) -> list[CharSet]:
    """The coarsest partition of Unicode that every terminal below the nodes is a union of."""
    return partition(n.charset for node in nodes for n in walk(node) if isinstance(n, Chars))


def build(core: Core, bodies: Mapping[str, Node], key: str) -> Automaton:
    """The minimal automaton of a regular rule.

    ``bodies`` are recursion-free (``regularity.regular_bodies``). Raises LimitExceeded, naming the rule and
    the limit. Cost: the size of the subset automaton; below 0.2 s for every rule of RFC 3986.
    """
    plain = Core(bodies, core.names)
    derivatives = Derivatives(plain, Facts(plain), marks=False)
    classes = character_classes(bodies[k] for k in derivatives.facts.reachable(key))
    if key not in derivatives.facts.productive:
        return minimal([], frozenset(), classes)
    symbols = [charset.min() for charset in classes]
    start = frozenset(derivatives.start(key).states)
    numbers: dict[frozenset[State], int] = {start: 0}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    moves = 0
    for states in (queue := [start]):
        if any(map(derivatives.accepts, states)):
            accepting.add(len(rows))
        row: list[int] = []
        for symbol in symbols:
            targets = frozenset(arc.target for s in states for arc in derivatives.moves(s, symbol))
            moves += len(states)
            if not targets:
                row.append(DEAD)
                continue
            if targets not in numbers:
                numbers[targets] = len(queue)
                queue.append(targets)
            row.append(numbers[targets])
        rows.append(row)
        if len(queue) > MAX_STATES or moves > MAX_MOVES:
            limit = f"{MAX_STATES} states (MAX_STATES)"
            if moves > MAX_MOVES:
                limit = f"{MAX_MOVES} moves (MAX_MOVES)"
            raise LimitExceeded(
                f"the automaton of {core.names[key]} would need more than {limit}",
                code="automaton-too-large",
                rule=core.names[key],
            )
    return minimal(rows, frozenset(accepting), classes)


def minimal(rows: list[list[int]], accepting: frozenset[int], classes: list[CharSet]) -> Automaton:
    """The minimal automaton for given rows (state x class -> state or DEAD), start state 0.

    Unreachable states, and states from which nothing is accepted, are dropped; classes that no state tells
    apart become one. Cost: O(states x classes x log states).
    """
    live = _live(rows, accepting)
    if 0 not in live:
        return _automaton([], frozenset(), [ANY])
    rows = [[t if t in live else DEAD for t in row] for row in rows]
    rows, classes = _merge_classes(rows, classes)
    block = _equivalence(rows, accepting, live)
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
    # States that became one may have been all that told two classes apart.
    result, classes = _merge_classes(result, classes)
    return _automaton(result, frozenset(final), classes)


def _equivalence(rows: list[list[int]], accepting: frozenset[int], live: set[int]) -> dict[int, int]:
    """Live state -> its block, two states sharing one exactly when the same strings lead to acceptance.

    Hopcroft's algorithm: blocks are split by what leads into a waiting block, and of the two parts only the
    smaller one has to wait again. ``DEAD`` takes part as a state.
    """
    width = len(rows[0])
    sources: list[dict[int, list[int]]] = [{} for _ in range(width)]
    for state in live:
        for number, target in enumerate(rows[state]):
            sources[number].setdefault(target, []).append(state)
    blocks = [block for block in (set(accepting), live - accepting, {DEAD}) if block]
    block_of = {state: number for number, block in enumerate(blocks) for state in block}
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


def _live(rows: list[list[int]], accepting: frozenset[int]) -> set[int]:
    """The states from which an accepting one can be reached."""
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


def _automaton(rows: list[list[int]], accepting: frozenset[int], classes: list[CharSet]) -> Automaton:
    width = len(classes)
    ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
    return Automaton(
        width=width,
        table=array("i", (t * width if t >= 0 else DEAD for row in rows for t in row)),
        accepting=frozenset(state * width for state in accepting),
        starts=tuple(low for low, _ in ranges),
        classes=tuple(number for _, number in ranges),
    )
