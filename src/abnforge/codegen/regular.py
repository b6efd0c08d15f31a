"""Compute the tables of a regular rule.

The states of the rule are pairs: a state of its automaton, which finds parts, and a state that determines
the characters that can follow, by rule. States that are equal for verdicts can differ in the latter: after a
digit of an address, either a host name or an address can continue. The pairs become an automaton over bytes.
Operations move from transitions to the states that these reach, because few states are reached by different
operations. Then equal states are merged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from abnforge.automata.code_points import NO_TAGS, STATE_BITS, CodePointDFA, byte_automaton, utf8_automaton
from abnforge.automata.dfa import DEAD, character_classes, equivalence, tabulate
from abnforge.automata.tables import byte_classes
from abnforge.catalog import ArgumentError
from abnforge.codegen.model import CodeTables, FileHeading
from abnforge.grammar.core import Core
from abnforge.grammar.facts import Facts
from abnforge.messages import message
from abnforge.parsing.recognizer.machine import Machine
from abnforge.parsing.stop import expected
from abnforge.records import dataclass
from abnforge.rejection import Expected

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton
    from abnforge.budget import Meter
    from abnforge.charset import CharSet
    from abnforge.grammar.core import Node
    from abnforge.parsing.recognizer.configurations import Configuration
    from abnforge.parsing.recognizer.machine import Plan

MAX_CELLS = 1 << 18
"""The maximum number of cells in the rows of a file, which is then about 1.5 MB large."""

MAX_CLASSES = 255
_MASK = (1 << STATE_BITS) - 1
_STATE_COST = 20


class Following(Protocol):
    """The characters that can follow the prefixes of a rule's strings; states are compared by equality."""

    start: Any

    def classes(self) -> Sequence[CharSet]:
        """Return character classes; all characters of a class lead to the same state."""

    def step(self, state: Any, char: str) -> Any:
        """Return the state after a character, or None if no string continues with it."""

    def expected(self, state: Any) -> tuple[Expected, ...]:
        """Return the characters that can follow, by rule in the grammar's order."""


class FollowingByRule:
    """The states of the pushdown recognizer, which know the rules that read a character."""

    def __init__(self, plan: Plan, bodies: Mapping[str, Node], key: str) -> None:
        self._machine = Machine(plan)
        self._names = plan.facts.core.names
        self._bodies = bodies
        self._key = key
        self.start: Configuration = self._machine.configurations.start(key)

    def classes(self) -> Sequence[CharSet]:
        reachable = Facts(Core(self._bodies, self._names)).reachable(self._key)
        return character_classes(self._bodies[key] for key in reachable)

    def step(self, state: Configuration, char: str) -> Configuration | None:
        return self._machine.configurations.next(state, self._machine.representative(char), None)[0]

    def expected(self, state: Configuration) -> tuple[Expected, ...]:
        return expected(self._machine.expected_terminals(state), self._names)


class FollowingBySet:
    """The states of an automaton, for a rule that set algebra defines: ``name`` reads all characters."""

    start = 0

    def __init__(self, automaton: Automaton, name: str) -> None:
        self._automaton = automaton
        self._name = name

    def classes(self) -> Sequence[CharSet]:
        return self._automaton.charsets

    def step(self, state: int, char: str) -> int | None:
        following = self._automaton.table[state + self._automaton.class_of(char)]
        return None if following == DEAD else following

    def expected(self, state: int) -> tuple[Expected, ...]:
        characters = self._automaton.expected(state).to_class()
        return (Expected(self._name, characters),) if characters else ()


@dataclass(frozen=True)
class RuleAutomata:
    """The automata of one rule: ``points`` finds its parts (if any), ``automaton`` is minimal."""

    automaton: Automaton
    points: CodePointDFA
    following: Following


def expectation(items: Iterable[Expected], may_end: bool) -> str:
    """Return the description of expected characters: ``DIGIT [0-9]; URI [:]; the end``."""
    texts = [f"{item.rule} [{item.chars}]" for item in items]
    return "; ".join([*texts, "the end"] if may_end else texts)


def code_tables(
    rule: RuleAutomata, heading: FileHeading, meter: Meter, *, surrogates: bool = False
) -> CodeTables:
    """Return the tables of a regular rule. Raises ArgumentError if they are too large, LimitExceeded.

    With ``surrogates``, strings can contain lone surrogates.
    Complexity: states x (character classes + bytes that occur) x log states.
    """
    points, texts = _refined(rule, heading, meter)
    octets = byte_automaton(points) if heading.of_bytes else utf8_automaton(points, surrogates=surrogates)
    starts, classes = points.starts, points.classes
    ascii_classes = [classes[bisect_right(starts, octet) - 1] for octet in range(128)]
    class_of, columns = byte_classes(points.rows, octets.high, ascii_classes)
    meter.charge(len(octets.high) * len(columns))
    entries = list(zip(*columns, strict=True))
    arrivals, rows = _on_arrival(entries) if entries else ([], [])
    tags = points.tags
    final = dict.fromkeys(tags.final.values()) or {(0,) * 2 * len(tags.names): None}
    final_numbers = {registers: number for number, registers in enumerate(final)}
    expected_texts = {text: number for number, text in enumerate(dict.fromkeys(["", *texts]))}

    def facts_of(arrival: tuple[int, int]) -> tuple[bool, bool, int, int, int]:
        state, operation = arrival
        is_point = state < len(points.rows)
        return (
            not is_point,
            state in points.accepting,
            expected_texts[texts[state]] if is_point else 0,
            final_numbers[tags.final[state]] if state in tags.final else 0,
            operation,
        )

    facts = list(map(facts_of, arrivals))
    order, rows = _merged(rows, facts)
    merged = _merged_classes(rows, class_of, len(columns))
    width = len(merged) + 1
    if len(merged) > MAX_CLASSES:
        raise too_large(heading, "byte class", len(merged), MAX_CLASSES)
    if (len(rows) + 1) * width > MAX_CELLS:
        raise too_large(heading, "cell", (len(rows) + 1) * width, MAX_CELLS)
    columns_of = {old: new for new, olds in enumerate(merged, 1) for old in olds}
    operations = dict.fromkeys([0, *(facts[state][4] for state in order)])
    numbers = {operation: number for number, operation in enumerate(operations)}
    firsts = [olds[0] for olds in merged]
    inner = sum(not facts[state][0] for state in order)
    return CodeTables(
        heading=heading,
        class_of=[columns_of[number] for number in class_of],
        width=width,
        rows=[
            [0] * width,
            *(
                [numbers[facts[state][4]], *((row[column] + 1) * width for column in firsts)]
                for state, row in zip(order, rows, strict=True)
            ),
        ],
        start=width if rows else 0,
        points=(inner + 1) * width,
        accepting=[0, *(int(facts[state][1]) for state in order)],
        labels=[0, *(facts[state][2] for state in order)],
        expected=list(expected_texts),
        parts=tags.names,
        operations=[octets.operations[operation] for operation in operations],
        initial=tags.initial,
        final=[0, *(facts[state][3] for state in order)],
        finals=list(final),
        surrogates=surrogates,
    )


def too_large(heading: FileHeading, unit: str, number: int, limit: int) -> ArgumentError:
    """Return the error about a file that is too large."""
    return ArgumentError(message("code-too-large", rule=heading.title, number=number, unit=unit, limit=limit))


def _refined(rule: RuleAutomata, heading: FileHeading, meter: Meter) -> tuple[CodePointDFA, list[str]]:
    """Return the automaton of pairs, and for each pair the description of expected characters."""
    points, following = rule.points, rule.following
    if not points.rows:
        return points, []
    classes = following.classes()
    lows = sorted({*points.starts, *(low for charset in classes for low, _ in charset.ranges)})
    number_of = {low: number for number, each in enumerate(classes) for low, _ in each.ranges}
    pairs: dict[tuple[int, int], int] = {}
    symbols: list[tuple[int, str]] = []
    ranges: list[int] = []
    current = 0
    for low in lows:
        current = number_of.get(low, current)
        column = points.classes[bisect_right(points.starts, low) - 1]
        if (column, current) not in pairs:
            pairs[column, current] = len(symbols)
            symbols.append((column, classes[current].min()))
        ranges.append(pairs[column, current])
    numbers = {(0, following.start): 0}
    rows: list[list[int]] = []
    texts: list[str] = []
    for state, prefix in (queue := [(0, following.start)]):
        texts.append(expectation(following.expected(prefix), state in points.accepting))
        meter.charge(_STATE_COST + len(symbols))
        if len(queue) * 2 > MAX_CELLS:
            raise too_large(heading, "state", len(queue), MAX_CELLS // 2)
        row = []
        for column, symbol in symbols:
            entry = points.rows[state][column]
            if entry & _MASK:
                pair = (entry & _MASK) - 1, following.step(prefix, symbol)
                assert pair[1] is not None, "the engines disagree"
                if pair not in numbers:
                    numbers[pair] = len(queue)
                    queue.append(pair)
                entry = entry & ~_MASK | numbers[pair] + 1
            row.append(entry)
        rows.append(row)
    accepting = frozenset(n for n, (state, _) in enumerate(queue) if state in points.accepting)
    tags = points.tags
    if tags.names:
        final = {n: tags.final[state] for n, (state, _) in enumerate(queue) if state in tags.final}
        tags = type(tags)(tags.names, {}, tags.registers, tags.initial, tags.operations, final)
    else:
        tags = NO_TAGS
    return CodePointDFA(rows, accepting, tuple(lows), tuple(ranges), tags), texts


def _on_arrival(entries: Sequence[Sequence[int]]) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Return pairs of a state and the operation on arrival, and the rows of these pairs."""

    def row_of(arrival: tuple[int, int]) -> list[tuple[int, int] | None]:
        return [((e & _MASK) - 1, e >> STATE_BITS) if e else None for e in entries[arrival[0]]]

    return tabulate((0, 0), row_of)


def _merged(
    rows: list[list[int]], facts: Sequence[tuple[bool, bool, int, int, int]]
) -> tuple[list[int], list[list[int]]]:
    """Merge equal states: return one state of each block, those between characters first, and the rows."""
    if not rows:
        return [], []
    parts: dict[tuple[bool, bool, int, int, int], set[int]] = {}
    for state, fact in enumerate(facts):
        parts.setdefault(fact, set()).add(state)
    block_of = equivalence(rows, parts.values())
    first: dict[int, int] = {}
    for state in range(len(rows)):
        first.setdefault(block_of[state], state)
    order = sorted(first.values(), key=lambda state: (facts[state][0], state))
    numbers = {block_of[state]: number for number, state in enumerate(order)}
    numbers_of = {state: numbers[block] for state, block in block_of.items()} | {DEAD: DEAD}
    return order, [[numbers_of[target] for target in rows[state]] for state in order]


def _merged_classes(rows: list[list[int]], class_of: Sequence[int], width: int) -> list[list[int]]:
    """Return the groups of classes with equal columns, in order of their first byte."""
    columns: dict[tuple[int, ...], list[int]] = {}
    by_number = list(zip(*rows, strict=True)) or [()] * width
    for number in dict.fromkeys(class_of):
        columns.setdefault(by_number[number], []).append(number)
    return list(columns.values())
