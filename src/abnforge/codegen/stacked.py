"""Compute the tables of a recursive rule: a deterministic automaton with a stack.

The configurations of the pushdown recognizer (``parsing.recognizer.configurations``) are the states of an
infinite deterministic automaton, since they contain the stack. Here each level of the stack is spilled as
soon as a configuration has it. If few configurations and spilled parts remain, they are the states and the
stack symbols of a table. ``saturate`` finds them by a search of all pairs of a state and the symbol on top of
the stack (Bouajjani, Esparza and Maler 1997). It can also find pairs that no string reaches, which only add
cells that no string reads.

Then equal states, symbols and returns are merged. Many pairs of a return and a symbol never meet, so their
cells can have any value. Therefore the smallest automaton is not unique; the merging is greedy.

Another saturation compares the finished tables with the recognizer, byte by byte (``agree``). It visits
all pairs of a place in the tables and a configuration. So it proves that both have the same verdicts, offsets
and expected characters for all strings. The recognizer itself is tested, not proved.

This module is long because the search and the proof walk the same pushdown automaton of a rule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from abnforge.automata.code_points import CodePointDFA, byte_automaton, utf8_automaton
from abnforge.automata.dfa import DEAD, equivalence
from abnforge.automata.tables import byte_classes
from abnforge.charset import MAX_CODE_POINT
from abnforge.codegen.model import CodeTables, FileHeading, StackTables
from abnforge.codegen.regular import MAX_CELLS, MAX_CLASSES, expectation, too_large
from abnforge.errors import LimitExceeded
from abnforge.messages import message
from abnforge.parsing.recognizer.machine import MAX_INTERNED_PAIRS, Machine
from abnforge.parsing.stop import expected
from abnforge.records import dataclass

if TYPE_CHECKING:
    from abnforge.budget import Meter
    from abnforge.charset import CharSet
    from abnforge.parsing.recognizer.configurations import Configuration
    from abnforge.parsing.recognizer.machine import Plan
    from abnforge.parsing.recognizer.stack import StackNode

MAX_STATES = 2_000
"""The maximum number of states between characters, before equal states are merged."""

MAX_SYMBOLS = 255  # stack symbols, which a generated file stores in one byte each
MAX_RETURNS = 20_000  # pairs of a return and a stack symbol

# Some rules have a table only if a few upper levels of the stack stay in the state.
_KEPT_LEVELS = 0, 1, 2

# Steps per pair of a search or a comparison, per move, and per state whose cells are read back.
_PAIR_COST = 2
_MOVE_COST = 4
_READ_COST = 256
# The number of cells a step.
_CELLS_A_STEP = 8

_Place = TypeVar("_Place", bound=Hashable)
_Symbol = TypeVar("_Symbol", bound=Hashable)


class PushdownAutomaton(Protocol[_Place, _Symbol]):
    """A deterministic automaton with a stack.

    A place is a state, which reads a character, or it changes the stack: it pushes a symbol and continues in
    a state, or it pops the symbol on top.
    """

    start: _Place

    def pushes(self, place: _Place) -> tuple[_Symbol, _Place] | None:
        """Return the symbol that a place pushes, and the state that follows, or None."""

    def returns(self, place: _Place) -> bool:
        """Return whether a place takes the symbol on top from the stack."""

    def after(self, place: _Place, symbol: _Symbol) -> _Place:
        """Return the place after a return to a symbol."""

    def successors(self, place: _Place) -> Iterable[_Place]:
        """Return the places after any character in a state."""


def saturate(
    automaton: PushdownAutomaton[_Place, _Symbol], meter: Meter
) -> dict[tuple[_Place, _Symbol | None], None]:
    """Return all places, with the symbols on top of the stack there (None: the stack is empty).

    The result contains all pairs that occur, and possibly others. Complexity: places x symbols x successors.
    """
    below: dict[_Symbol, dict[_Symbol | None, None]] = {}
    returned: dict[_Symbol, dict[_Place, None]] = {}
    seen: dict[tuple[_Place, _Symbol | None], None] = {}
    pending: list[tuple[_Place, _Symbol | None]] = [(automaton.start, None)]
    while pending:
        pair = pending.pop()
        if pair in seen:
            continue
        seen[pair] = None
        meter.charge(_PAIR_COST)
        place, top = pair
        pushed = automaton.pushes(place)
        if pushed is not None:
            symbol, state = pushed
            pending.append((state, symbol))
            tops = below.setdefault(symbol, {})
            if top not in tops:
                tops[top] = None
                pending += [(target, top) for target in returned.get(symbol, ())]
        elif automaton.returns(place):
            assert top is not None, "a return to an empty stack"
            target = automaton.after(place, top)
            targets = returned.setdefault(top, {})
            if target not in targets:
                targets[target] = None
                pending += [(target, low) for low in below.get(top, ())]
        else:
            successors = automaton.successors(place)
            pending += [(target, top) for target in successors]
    return seen


class RecognizerAutomaton:
    """The recognizer of a rule as a pushdown automaton: configurations are places, spilled parts symbols.

    ``moves`` contains the place after each character class for each state that ``successors`` visited, and
    ``ends`` the place after each visited return to a symbol.
    """

    def __init__(self, plan: Plan, key: str, kept_levels: int, meter: Meter, surrogates: bool) -> None:
        self.machine = Machine(plan, kept_levels)
        self.moves: dict[Configuration, list[Configuration | None]] = {}
        self.ends: dict[tuple[Configuration, StackNode], Configuration] = {}
        self.symbols: dict[StackNode, None] = {}
        self._successors: dict[Configuration, list[Configuration]] = {}
        self._configurations = self.machine.configurations
        self._chars = [
            each.min() if surrogates or _is_encoded(each) else None for each in self.machine.classes
        ]
        self._meter = meter
        self._names = plan.facts.core.names
        self.start = self._configurations.start(key)

    def label(self, state: Configuration) -> tuple[bool, str]:
        """Return whether the string can end in a state, and the expected characters as a message."""
        items = expected(self.machine.expected_terminals(state), self._names)
        return state.accepting, expectation(items, state.accepting)

    def pushes(self, place: Configuration) -> tuple[StackNode, Configuration] | None:
        if place.spilled_form is not None:
            self.symbols[place.spilled_form[0]] = None
        return place.spilled_form

    def returns(self, place: Configuration) -> bool:
        return place.returning

    def after(self, place: Configuration, symbol: StackNode) -> Configuration:
        target = self.ends[place, symbol] = self._configurations.restore(place, symbol)
        self._charge(target)
        _limit("return", len(self.ends), MAX_RETURNS)
        _limit("stack symbol", len(self.symbols), MAX_STATES)
        return target

    def successors(self, place: Configuration) -> Sequence[Configuration]:
        successors = self._successors.get(place)
        if successors is None:
            move = self._configurations.move
            row = [None if char is None else move(place, char) for char in self._chars]
            self.moves[place] = row
            successors = [target for target in dict.fromkeys(row) if target is not None]
            self._successors[place] = successors
            self._meter.charge(_MOVE_COST * len(row))
            for target in successors:
                self._charge(target)
            _limit("state", len(self.moves), MAX_STATES)
        return successors

    def _charge(self, place: Configuration) -> None:
        subsumption = self._configurations.stack.subsumption
        self._meter.charge(place.cost // 2 + subsumption.work)
        subsumption.work = 0
        _limit("simultaneous stack", len(place.pairs), MAX_INTERNED_PAIRS)


def _is_encoded(charset: CharSet) -> bool:
    """Return whether UTF-8 encodes a character of the set, which is true except for surrogates."""
    return any(low < 0xD800 or high >= 0xE000 for low, high in charset.ranges)


class _ExceededError(Exception):
    """A limit: its unit, the number that exceeds it, and the limit."""


def _limit(unit: str, number: int, limit: int) -> None:
    if number > limit:
        raise _ExceededError(unit, number, limit)


def saturated_recognizer(
    plan: Plan, key: str, heading: FileHeading, meter: Meter, surrogates: bool = False
) -> RecognizerAutomaton:
    """Return the recognizer of a rule with all its places.

    Raises ArgumentError if they are too many, LimitExceeded.
    """
    exceeded: _ExceededError | None = None
    for kept_levels in _KEPT_LEVELS:
        automaton = RecognizerAutomaton(plan, key, kept_levels, meter, surrogates)
        try:
            saturate(automaton, meter)
        except _ExceededError as error:
            exceeded = exceeded or error
        except LimitExceeded as error:
            if exceeded is not None:
                break
            if error.setting != "budget.steps":
                raise
            facts = {"rule": heading.title, "number": len(automaton.moves), "limit": error.limit}
            raise LimitExceeded(
                message("code-undecided", **facts),
                operation=error.operation,
                used=error.used,
                limit=error.limit,
                setting=error.setting,
            ) from None
        else:
            return automaton
    assert exceeded is not None
    raise too_large(heading, *exceeded.args)


# A cell: the number of a state, of a symbol and of the state after the push, or of a return. () is dead.
Cell = tuple[int, ...]

# The labels of symbols and returns. Those of states are whether the string can end, and the expected text.
_SYMBOL = False, "symbol"
_RETURN = False, "return"


@dataclass(frozen=True)
class Pushdown:
    """A pushdown automaton as numbers: states first, then symbols, then returns.

    ``rows`` contains a cell for each state and character class, ``ends`` one for each return and symbol that
    can meet. ``labels`` are equal for numbers that can be merged.
    """

    rows: list[list[Cell]]
    ends: dict[tuple[int, int], Cell]
    labels: list[tuple[bool, str]]
    start: int


def _numbered(automaton: RecognizerAutomaton) -> Pushdown:
    """Return the places and symbols that a saturation visited, as numbers."""
    states, symbols = list(automaton.moves), list(automaton.symbols)
    returns = list(dict.fromkeys(place for place, _ in automaton.ends))
    state_numbers = {state: number for number, state in enumerate(states)}
    symbol_numbers = {symbol: number for number, symbol in enumerate(symbols, len(states))}
    return_numbers = {place: number for number, place in enumerate(returns, len(states) + len(symbols))}

    def cell_of(place: Configuration | None) -> Cell:
        if place is None:
            return ()
        if place.spilled_form is not None:
            symbol, state = place.spilled_form
            return symbol_numbers[symbol], state_numbers[state]
        return ((return_numbers if place.returning else state_numbers)[place],)

    return Pushdown(
        [list(map(cell_of, automaton.moves[state])) for state in states],
        {
            (return_numbers[place], symbol_numbers[symbol]): cell_of(target)
            for (place, symbol), target in automaton.ends.items()
        },
        [*map(automaton.label, states), *[_SYMBOL] * len(symbols), *[_RETURN] * len(returns)],
        state_numbers[automaton.start],
    )


class _Merger:
    """Merge numbers with equal labels whose cells can be merged; cells of pairs that never meet are free."""

    def __init__(self, automaton: Pushdown, meter: Meter) -> None:
        self._automaton = automaton
        self._labels = _blocks(automaton)
        self._meter = meter
        self._ends = automaton.ends
        self.leader = list(range(len(automaton.labels)))

    def run(self) -> None:
        """Merge greedily: symbols and returns first, because they determine which states are equal."""
        labels, states = self._labels, len(self._automaton.rows)
        kept: dict[Hashable, list[int]] = {}
        for number in (*range(states, len(labels)), *range(states)):
            others = kept.setdefault(labels[number], [])
            if self.leader[number] == number and not any(self._merge(low, number) for low in others):
                others.append(number)

    def _merge(self, low: int, high: int) -> bool:
        """Merge two numbers and all that follow from it, or nothing."""
        if self.leader[low] != low:
            return False
        changed: list[int] = []
        if self._follow([(low, high)], changed):
            return True
        for number in changed:
            self.leader[number] = number
        return False

    def _follow(self, pending: list[tuple[int, int]], changed: list[int]) -> bool:
        """Merge pairs and all that follows from them; return False at a contradiction."""
        labels, rows, ends = self._labels, self._automaton.rows, self._ends
        while pending:
            has_stack_merge = False
            while pending:
                first, second = sorted(map(self.find, pending.pop()))
                if first == second:
                    continue
                self._meter.charge(_PAIR_COST + len(rows[0]) // _CELLS_A_STEP)
                if labels[first] != labels[second]:
                    return False
                self.leader[second] = first
                changed.append(second)
                if first >= len(rows):
                    has_stack_merge = True
                elif not _pair_cells(rows[first], rows[second], pending):
                    return False
            if has_stack_merge:
                self._meter.charge(1 + len(ends) // 4)
                combined: dict[tuple[int, int], Cell] = {}
                for (place, symbol), cell in ends.items():
                    other = combined.setdefault((self.find(place), self.find(symbol)), cell)
                    if not _pair_cells((other,), (cell,), pending):
                        return False
                ends = combined
        self._ends = ends
        return True

    def find(self, number: int) -> int:
        """Return the number that a number is merged into."""
        while self.leader[number] != number:
            number = self.leader[number]
        return number


def _blocks(automaton: Pushdown) -> list[Hashable]:
    """Return labels that differ for states that differ whatever the symbols and returns are.

    Without them, comparing the states of a long chain would take cubic time.
    """
    parts: dict[Hashable, set[int]] = {}
    for state, row in enumerate(automaton.rows):
        kinds = tuple((len(cell), bool(cell) and cell[-1] < len(automaton.rows)) for cell in row)
        parts.setdefault((automaton.labels[state], kinds), set()).add(state)
    targets = [
        [cell[-1] if cell and cell[-1] < len(automaton.rows) else DEAD for cell in row]
        for row in automaton.rows
    ]
    blocks = equivalence(targets, parts.values())
    return [blocks[state] for state in range(len(targets))] + [*automaton.labels[len(targets) :]]


def _pair_cells(cells: Sequence[Cell], others: Sequence[Cell], pending: list[tuple[int, int]]) -> bool:
    """Add the pairs of numbers in two rows of cells; return False if the cells differ in kind."""
    for cell, other in zip(cells, others, strict=True):
        if cell != other:
            if len(cell) != len(other):
                return False
            pending += zip(cell, other, strict=True)
    return True


def merged(automaton: Pushdown, meter: Meter) -> Pushdown:
    """Return a small equivalent automaton. Complexity: pairs of states with equal labels x cells at worst."""
    merger = _Merger(automaton, meter)
    merger.run()
    leader = [merger.find(number) for number in range(len(automaton.labels))]
    kept = [number for number, first in enumerate(leader) if number == first]
    number_of = {old: new for new, old in enumerate(kept)}

    def renumbered(cell: Cell) -> Cell:
        return tuple(number_of[leader[number]] for number in cell)

    return Pushdown(
        [list(map(renumbered, automaton.rows[old])) for old in kept if old < len(automaton.rows)],
        {
            (number_of[leader[place]], number_of[leader[symbol]]): renumbered(cell)
            for (place, symbol), cell in automaton.ends.items()
        },
        [automaton.labels[old] for old in kept],
        number_of[leader[automaton.start]],
    )


def code_tables(
    automaton: RecognizerAutomaton, heading: FileHeading, meter: Meter, *, surrogates: bool = False
) -> CodeTables:
    """Return the tables of a saturated recognizer. Raises ArgumentError if they are too large, LimitExceeded.

    With ``surrogates``, strings can contain lone surrogates.
    """
    classes = automaton.machine.classes
    meter.charge(len(automaton.moves) * len(classes) // _CELLS_A_STEP)
    small = merged(_numbered(automaton), meter)
    states = len(small.rows)
    symbols = [number for number, label in enumerate(small.labels) if label is _SYMBOL]
    # Entries of rows: 0, states from 1, changes of the stack, then states within characters.
    cells = dict.fromkeys(cell for cells in (*small.rows, small.ends.values()) for cell in cells)
    changes = [cell for cell in cells if cell and not (len(cell) == 1 and cell[0] < states)]
    entries: dict[Cell, int] = {(): 0} | {(state,): state + 1 for state in range(states)}
    entries |= {change: number for number, change in enumerate(changes, states + 1)}
    class_ranges = _class_ranges(classes)
    starts = [low for low, _ in class_ranges]
    numbers = [number for _, number in class_ranges]
    rows = [[*map(entries.__getitem__, row), 0] for row in small.rows]
    rows += [[0] * (len(classes) + 1)] * len(changes)
    points = CodePointDFA(rows, frozenset(), tuple(starts), tuple(numbers))
    if heading.of_bytes:
        high = byte_automaton(points).high
    else:
        high = utf8_automaton(points, surrogates=surrogates).high
    ascii_classes = [numbers[bisect_right(starts, octet) - 1] for octet in range(128)]
    class_of, columns = byte_classes(rows, high, ascii_classes)
    inner = len(high) - len(rows)
    meter.charge((len(high) * len(columns) + len(changes) * len(symbols)) // _CELLS_A_STEP)
    width = len(columns) + 1
    actions = (1 + states + inner) * width
    for unit, size, limit in (
        ("byte class", len(columns), MAX_CLASSES),
        ("stack symbol", len(symbols), MAX_SYMBOLS),
        ("cell", actions, MAX_CELLS),
    ):
        if size > limit:
            raise too_large(heading, unit, size, limit)
    places = [state * width for state in range(1 + states)]
    for change in changes:
        places.append(actions)
        actions += 2 if len(change) == 2 else 1 + len(symbols)
    places += [(1 + states + number) * width for number in range(inner)]

    def action_of(change: Cell) -> list[int]:
        if len(change) == 2:
            return [1 + symbols.index(change[0]), places[change[1] + 1]]
        targets = (small.ends.get((change[0], symbol), ()) for symbol in symbols)
        return [0, *(places[entries[target]] for target in targets)]

    texts = dict.fromkeys(["", *(text for _, text in small.labels[:states])])
    text_numbers = {text: number for number, text in enumerate(texts)}
    return CodeTables(
        heading=heading,
        class_of=[number + 1 for number in class_of],
        width=width,
        rows=[
            [0] * width,
            *(
                [0, *(places[column[state]] for column in columns)]
                for state in (*range(states), *range(len(rows), len(high)))
            ),
        ],
        start=places[small.start + 1],
        points=(1 + states) * width,
        accepting=[0, *(int(may_end) for may_end, _ in small.labels[:states]), *[0] * inner],
        labels=[0, *(text_numbers[text] for _, text in small.labels[:states]), *[0] * inner],
        expected=list(texts),
        stack=StackTables(len(symbols), list(map(action_of, changes))) if changes else None,
        surrogates=surrogates,
    )


def _class_ranges(classes: Sequence[CharSet]) -> list[tuple[int, int]]:
    """Return the starts of all ranges of characters, each with a class; ``len(classes)`` means none."""
    result = []
    end = 0
    for low, high, number in sorted(
        (low, high, number) for number, charset in enumerate(classes) for low, high in charset.ranges
    ):
        if low > end:
            result.append((end, len(classes)))
        result.append((low, number))
        end = high + 1
    return result if end > MAX_CODE_POINT else [*result, (end, len(classes))]


# The characters that UTF-8 encodes with no, one, two and three bytes after the first one.
_ENCODED = (0x0, 0x80), (0x80, 0x800), (0x800, 0x10000), (0x10000, 0x110000)


def agree(tables: CodeTables, automaton: RecognizerAutomaton, meter: Meter) -> bool:
    """Return whether tables and a recognizer have the same results for all strings, byte by byte."""
    try:
        saturate(_Agreement(tables, automaton, meter), meter)
    except _DisagreementError:
        return False
    return True


class _DisagreementError(Exception):
    """The tables and the recognizer differ."""


class _Agreement:
    """The tables and the recognizer of a rule side by side, as a pushdown automaton.

    A place is a pair of a place in the tables and a configuration, a symbol a pair of symbols. Raises
    _DisagreementError at a pair that differs in the change of the stack, in the places after a character, in
    the verdict or in the expected characters.
    """

    def __init__(self, tables: CodeTables, automaton: RecognizerAutomaton, meter: Meter) -> None:
        self._tables = tables
        self._meter = meter
        self._automaton = automaton
        self._cells = [cell for row in tables.lines for cell in row]
        self._actions = tables.cells
        self._within: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._pairs: dict[int, set[tuple[int, int]]] = {}
        self._successors: dict[tuple[int, Configuration], list[tuple[int, Configuration]]] = {}
        self._ranges = _class_ranges(automaton.machine.classes)
        self.start = tables.start, automaton.start

    def pushes(
        self, place: tuple[int, Configuration]
    ) -> tuple[tuple[int, StackNode], tuple[int, Configuration]] | None:
        at, configuration = place
        pushed = self._automaton.pushes(configuration)
        is_action = at >= self._actions
        _agree(is_action == (pushed is not None or self._automaton.returns(configuration)))
        if pushed is None:
            _agree(not is_action or self._cells[at] == 0)
            return None
        _agree(self._cells[at] > 0)
        return (self._cells[at], pushed[0]), (self._cells[at + 1], pushed[1])

    def returns(self, place: tuple[int, Configuration]) -> bool:
        return self._automaton.returns(place[1])

    def after(
        self, place: tuple[int, Configuration], symbol: tuple[int, StackNode]
    ) -> tuple[int, Configuration]:
        return self._cells[place[0] + symbol[0]], self._automaton.after(place[1], symbol[1])

    def successors(self, place: tuple[int, Configuration]) -> Sequence[tuple[int, Configuration]]:
        successors = self._successors.get(place)
        if successors is None:
            successors = self._successors[place] = list(self._compare(*place))
        return successors

    def _compare(self, at: int, configuration: Configuration) -> Iterator[tuple[int, Configuration]]:
        """Yield the pairs of places after any character in a state."""
        state, column = divmod(at, self._tables.width)
        _agree(0 < at < self._tables.points and column == 0)
        text = self._tables.expected[self._tables.labels[state]]
        _agree((bool(self._tables.accepting[state]), text) == self._automaton.label(configuration))
        pairs = self._pairs.get(at) or self._pairs.setdefault(at, self._read(at))
        self._automaton.successors(configuration)
        row = [*self._automaton.moves[configuration], None]
        self._meter.charge(len(pairs))
        for number, target in pairs:
            following = row[number]
            _agree((target != 0) == (following is not None))
            if following is not None:
                yield target, following

    def _read(self, at: int) -> set[tuple[int, int]]:
        """Return all pairs of a character's class and the place after the character in UTF-8.

        All bytes are read: those that do not begin a character must lead to the dead state. In a grammar of
        bytes, each byte is a character.
        """
        if self._tables.heading.of_bytes:
            targets = [self._cells[at + number] for number in self._tables.class_of]
            _agree(not any(self._tables.points <= target < self._actions for target in targets))
            return {(_value_at(self._ranges, byte), target) for byte, target in enumerate(targets)}
        spans: list[tuple[int, int]] = []
        for byte in range(256):
            target = self._cells[at + self._tables.class_of[byte]]
            size = sum(byte >= first for first in (0xC2, 0xE0, 0xF0))
            if 0x80 <= byte < 0xC2 or byte >= 0xF5:
                _agree(target == 0)
                continue
            low, high = _ENCODED[size]
            base = (byte & 0x7F >> size + (size > 0)) << 6 * size
            ends = *self._rest(target, size), (1 << 6 * size, 0)
            for (begin, place), (end, _) in pairwise(ends):
                start, stop = base + begin, base + end
                if place:
                    _agree(low <= start and stop <= high)
                    _agree(self._tables.surrogates or start >= 0xE000 or stop <= 0xD800)
                if start < high and stop > low:
                    spans.append((max(start, low), place))
        starts = sorted({start for start, _ in (*spans, *self._ranges)})
        self._meter.charge(_READ_COST + len(starts))
        return {
            (_value_at(self._ranges, start), _value_at(spans, start))
            for start in starts
            if self._tables.surrogates or not 0xD800 <= start < 0xE000
        }

    def _rest(self, at: int, size: int) -> list[tuple[int, int]]:
        """Return the starts of ranges of a character's last ``size`` bytes, each with the next place."""
        if size == 0 or at == 0:
            _agree(not self._tables.points <= at < self._actions)
            return [(0, at)]
        spans = self._within.get((at, size))
        if spans is None:
            _agree(self._tables.points <= at < self._actions)
            spans = self._within[at, size] = []
            for byte in range(256):
                target = self._cells[at + self._tables.class_of[byte]]
                if not 0x80 <= byte < 0xC0:
                    _agree(target == 0)
                    continue
                first = byte - 0x80 << 6 * (size - 1)
                for offset, place in self._rest(target, size - 1):
                    if not spans or spans[-1][1] != place:
                        spans.append((first + offset, place))
        return spans


def _value_at(spans: Sequence[tuple[int, int]], start: int) -> int:
    return spans[bisect_right(spans, (start, MAX_CODE_POINT)) - 1][1]


def _agree(condition: bool) -> None:
    if not condition:
        raise _DisagreementError
