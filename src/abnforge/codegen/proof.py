"""The targets by name, and the proof of a file: its numbers are read back and compared with the rule.

A proof does not trust the tables, nor the code that wrote them. It reads the numbers and strings in a file,
and follows them together with the rule's automata, byte by byte, from the start (translation validation:
Pnueli, Siegel and Singerman 1998). The first bytes of a character leave a range of code points. The place
that they lead to must be dead exactly if the rule cannot read any character of the range. After the last
byte, the place must accept, expect, set and find what the rule's states do. Numbers that no string uses must
be 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge._lazy import lazy
from abnforge.automata.code_points import BEFORE, STATE_BITS, Operation
from abnforge.catalog import CodedError
from abnforge.codegen.c import C
from abnforge.codegen.go import GO
from abnforge.codegen.java import JAVA
from abnforge.codegen.javascript import JAVASCRIPT
from abnforge.codegen.python import PYTHON
from abnforge.codegen.rust import RUST
from abnforge.codegen.writer import Target, arrays
from abnforge.errors import LimitExceeded
from abnforge.messages import message
from abnforge.records import replace

with lazy:
    from abnforge.codegen import regular, stacked

if TYPE_CHECKING:
    from abnforge.budget import Meter
    from abnforge.codegen.model import CodeTables, FileHeading
    from abnforge.codegen.regular import RuleAutomata
    from abnforge.parsing.recognizer.machine import Plan

TARGETS = {target.name: target for target in (C, GO, RUST, JAVA, JAVASCRIPT, PYTHON)}

_INDICES = {"class_of", "rows", "labels", "final", "operation_starts", "set_registers", "start", "points"}
_STATE_COST = 300
_DEAD = 0
_END = 0x110000
_SURROGATES = range(0xD800, 0xE000)
_CONTINUATION = range(0x80, 0xC0)
# The first bytes of characters of several bytes, the code points of each, and the least code point.
_LEADS = (
    (range(0xC0, 0xE0), 1 << 6, 0x80),
    (range(0xE0, 0xF0), 1 << 12, 0x800),
    (range(0xF0, 0xF8), 1 << 18, 0x10000),
)

# States of the automaton with parts, of the expectations and of the minimal automaton.
_State = tuple[int, Any, int]
_Move = tuple[_State, Operation]
_Pieces = tuple[tuple[int, "_Move | None"], ...]  # ranges of code points by their relative start


class ProofError(CodedError, RuntimeError):
    """A file that differs from its rule. This is a fault of abnforge; do not use the file."""


def regular_file(
    target: Target, rule: RuleAutomata, heading: FileHeading, meter: Meter, pattern: str | None = None
) -> str:
    """Return the proved source file of a regular rule. Raises ArgumentError if it is too large."""
    tables = regular.code_tables(rule, heading, meter, surrogates=target.surrogates)
    tables = replace(tables, pattern=pattern)
    text = target.write(tables)
    prove(target, text, tables, rule, meter)
    return text


def stacked_file(target: Target, plan: Plan, key: str, heading: FileHeading, meter: Meter) -> str:
    """Return the proved source file of a recursive rule. Raises ArgumentError if it is too large."""
    recognizer = stacked.saturated_recognizer(plan, key, heading, meter, target.surrogates)
    tables = stacked.code_tables(recognizer, heading, meter, surrogates=target.surrogates)
    text = target.write(tables)
    numbers = {key: list(values) for key, values in target.read(text, tables).items()}
    expected = list(target.read_expected(text, tables))
    is_same = numbers == arrays(tables) and expected == list(tables.expected)
    if not (is_same and stacked.agree(tables, recognizer, meter)):
        raise _differs(target, tables)
    return text


def _differs(target: Target, tables: CodeTables) -> ProofError:
    return ProofError(message("code-differs", rule=tables.heading.title, target=target.name))


def prove(target: Target, text: str, tables: CodeTables, rule: RuleAutomata, meter: Meter) -> None:
    """Raise ProofError unless the numbers and strings in a file represent its rule.

    Complexity: states x (bytes + ranges of characters that the rule distinguishes).
    """
    try:
        numbers, expected = target.read(text, tables), target.read_expected(text, tables)
        of_bytes = tables.heading.of_bytes
        _Comparison(numbers, expected, rule, meter, target.surrogates, of_bytes).compare()
    except LimitExceeded:
        raise
    except (_DifferenceError, KeyError, IndexError, ValueError, ZeroDivisionError) as error:
        raise _differs(target, tables) from error


class _DifferenceError(Exception):
    """A number or string that differs from the rule."""


def _require(condition: bool) -> None:
    if not condition:
        raise _DifferenceError


class _Comparison:
    """The numbers and strings of one file, and the rule that they must represent."""

    def __init__(
        self,
        numbers: Mapping[str, Sequence[int]],
        expected: Sequence[str],
        rule: RuleAutomata,
        meter: Meter,
        surrogates: bool,
        of_bytes: bool,
    ) -> None:
        self._of_bytes = of_bytes
        self._numbers = numbers
        self._expected = expected
        self._rule = rule
        self._meter = meter
        self._excluded = () if surrogates else _SURROGATES
        (self._width,) = numbers["width"]
        (self._start,) = numbers["start"]
        (self._points,) = numbers["points"]
        self._cells = numbers["rows"]
        lows = {*rule.points.starts, *rule.automaton.starts, _SURROGATES.start, _SURROGATES.stop}
        lows.update(low for charset in rule.following.classes() for low, _ in charset.ranges)
        self._lows = sorted(lows)
        self._arrivals: set[int] = set()  # places that are reached by a character
        self._pending: list[tuple[int, _State] | tuple[int, _Pieces, int, int]] = []
        self._reached: set[tuple[int, _State] | tuple[int, _Pieces, int, int]] = set()

    def compare(self) -> None:
        """Raise _DifferenceError unless the numbers and strings represent the rule."""
        numbers, width = self._numbers, self._width
        states = len(self._cells) // width
        # A negative index selects an element from the end in Python, but not in another language.
        for name in _INDICES & numbers.keys():
            _require(min(numbers[name], default=0) >= 0)
        _require(len(self._cells) == states * width and len(numbers["class_of"]) == 256)
        _require(all(0 < number < width for number in numbers["class_of"]))
        _require(not any(self._cells[:width]) and not numbers["accepting"][0] and not numbers["labels"][0])
        _require(len(numbers["accepting"]) == len(numbers["labels"]) == states)
        tags = self._rule.points.tags
        if tags.names:
            _require(tuple(numbers["initial"]) == tags.initial and len(numbers["final"]) == states)
            _require(
                not numbers["operation_starts"][0] and not self._operation(0) and not numbers["final"][0]
            )
            _require(numbers["operation_starts"][-1] > 0 or not any(numbers["set_changes"]))
        if self._rule.points.rows:
            self._reach((self._start, (0, self._rule.following.start, 0)))
        else:
            _require(self._start == _DEAD)
        while self._pending:
            reached = self._pending.pop()
            self._meter.charge(_STATE_COST)
            if len(reached) == 2:
                self._compare_between(*reached)
            else:
                self._compare_within(*reached)
        _require({_DEAD, *(reached[0] for reached in self._reached)} == set(range(0, states * width, width)))
        _require(self._start in self._arrivals or not self._cells[self._start])

    def _reach(self, reached: tuple[int, _State] | tuple[int, _Pieces, int, int]) -> None:
        if reached not in self._reached:
            self._reached.add(reached)
            self._pending.append(reached)

    def _compare_between(self, place: int, state: _State) -> None:
        """Compare a place between characters with a state of the rule."""
        rule, numbers, index = self._rule, self._numbers, place // self._width
        point, prefix, row = state
        is_accepting = point in rule.points.accepting
        _require(is_accepting == (row in rule.automaton.accepting) == numbers["accepting"][index])
        label = regular.expectation(rule.following.expected(prefix), is_accepting)
        _require(self._expected[numbers["labels"][index]] == label)
        if names := rule.points.tags.names:
            begin = numbers["final"][index] * 2 * len(names)
            registers = tuple(numbers["finals"][begin : begin + 2 * len(names)])
            _require(registers == rule.points.tags.final[point] if is_accepting else begin == 0)
        moves = self._moves(state)
        cells = self._cells_of(place)
        for byte in range(0x100 if self._of_bytes else 0x80):
            self._arrive(cells[byte], moves[bisect_right(self._lows, byte) - 1], 1)
        if self._of_bytes:
            return
        for leads, size, least in _LEADS:
            for byte in leads:
                pieces = self._pieces(moves, (byte - leads.start) * size, size, least)
                self._enter(cells[byte], pieces, size, 1)
        _require(not any(cells[byte] for byte in (*_CONTINUATION, *range(0xF8, 0x100))))

    def _compare_within(self, place: int, pieces: _Pieces, size: int, length: int) -> None:
        """Compare a place after ``length`` bytes of a character with the moves of ``size`` code points."""
        index = place // self._width
        for name in ("accepting", "labels", *(["final"] if self._rule.points.tags.names else [])):
            _require(not self._numbers[name][index])
        size //= len(_CONTINUATION)
        starts = [start for start, _ in pieces]
        for byte, target in enumerate(self._cells_of(place)):
            if byte not in _CONTINUATION:
                _require(target == _DEAD)
                continue
            low = (byte - _CONTINUATION.start) * size
            at = bisect_right(starts, low)
            later = [(start - low, move) for start, move in pieces[at:] if start < low + size]
            if size == 1:
                self._arrive(target, pieces[at - 1][1], length + 1)
            else:
                self._enter(target, ((0, pieces[at - 1][1]), *later), size, length + 1)

    def _arrive(self, place: int, move: _Move | None, length: int) -> None:
        """Compare a place after a character of ``length`` bytes with a move of the rule."""
        if move is None:
            _require(place == _DEAD)
            return
        state, operation = move
        _require(0 < place < self._points)
        expected = tuple(
            (register, 1 - length if change == BEFORE else change) for register, change in operation
        )
        _require(self._operation(self._cells[place]) == expected)
        self._arrivals.add(place)
        self._reach((place, state))

    def _enter(self, place: int, pieces: _Pieces, size: int, length: int) -> None:
        """Compare a place within a character with the moves of ``size`` code points."""
        if not any(move for _, move in pieces):
            _require(place == _DEAD)
            return
        _require(self._points <= place and self._cells[place] == 0)
        self._reach((place, pieces, size, length))

    def _operation(self, number: int) -> Operation:
        if not self._rule.points.tags.names:
            _require(number == 0)
            return ()
        starts, registers = self._numbers["operation_starts"], self._numbers["set_registers"]
        begin, end = starts[number], starts[number + 1]
        _require(begin <= end <= len(registers))
        return tuple(zip(registers[begin:end], self._numbers["set_changes"][begin:end], strict=True))

    def _cells_of(self, place: int) -> list[int]:
        """Return the cell of each byte in the row of a place."""
        _require(place % self._width == 0)
        return [self._cells[place + number] for number in self._numbers["class_of"]]

    def _moves(self, state: _State) -> list[_Move | None]:
        """Return the move of the rule for each range of code points."""
        points, following, automaton = self._rule.points, self._rule.following, self._rule.automaton
        point, prefix, row = state
        moves: list[_Move | None] = []
        for low in self._lows:
            entry = points.rows[point][points.classes[bisect_right(points.starts, low) - 1]]
            target = automaton.table[row + automaton.class_of(chr(low))]
            _require(bool(entry) == (target >= 0))
            if entry and low not in self._excluded:
                after = entry & (1 << STATE_BITS) - 1, following.step(prefix, chr(low)), target
                moves.append(((after[0] - 1, *after[1:]), points.tags.operations[entry >> STATE_BITS]))
            else:
                moves.append(None)
        return moves

    def _pieces(self, moves: Sequence[_Move | None], low: int, size: int, least: int) -> _Pieces:
        """Return the moves of ``size`` code points from ``low`` on; those below ``least`` are overlong."""
        first = bisect_right(self._lows, low)
        inside = self._lows[first : bisect_right(self._lows, low + size - 1)]
        cuts = sorted({low, *inside, *(cut for cut in (least, _END) if low < cut < low + size)})
        pieces: list[tuple[int, _Move | None]] = []
        for cut in cuts:
            move = moves[bisect_right(self._lows, cut) - 1] if least <= cut < _END else None
            if not pieces or pieces[-1][1] != move:
                pieces.append((cut - low, move))
        return tuple(pieces)
