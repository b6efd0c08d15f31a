"""An automaton as a definition, by the elimination of states (Brzozowski and McCluskey 1963), or as rules.

The size of a definition depends on the order of the elimination: the state that adds least goes first
(Delgado and Morais 2004). For words, and for strings that begin like words, the definition is as large as
the automaton; in general it can be exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from abnforge.budget import Meter
from abnforge.charset import CharSet, union
from abnforge.grammar.core import EPSILON, Chars, Choice, Core, Node, Ref, Repeat, Seq, sequence

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton

# The state before the start and the state after all accepting states.
START, END = -1, -2

# The cost of an edge in steps, and the memory of a part of an expression in bytes.
_EDGE_COST = 2
_PART_BYTES = 100

State = TypeVar("State", bound=Hashable)
Label = TypeVar("Label")
_Sized = tuple[Node, int]  # a node, and its size if its shared parts are expanded


class Elimination(Generic[State, Label]):
    """A graph whose states are eliminated one by one.

    ``union`` joins the labels of two edges between the same states. ``path`` joins the label of an edge to a
    state, that of its loop, if any, and that of an edge from it.
    """

    def __init__(
        self,
        edges: Mapping[tuple[State, State], Label],
        union: Callable[[Label, Label], Label],
        path: Callable[[Label, Label | None, Label], Label],
    ) -> None:
        self._union = union
        self._path = path
        self.leaving: dict[State, dict[State, Label]] = {}
        self.entering: dict[State, dict[State, Label]] = {}
        for (source, target), label in edges.items():
            self._set(source, target, label)

    def _set(self, source: State, target: State, label: Label) -> None:
        self.leaving.setdefault(source, {})[target] = label
        self.entering.setdefault(target, {})[source] = label

    def eliminate(self, state: State) -> None:
        """Replace the paths through a state by edges."""
        after = self.leaving.pop(state, {})
        before = self.entering.pop(state, {})
        loop = after.pop(state, None)
        before.pop(state, None)
        for target in after:
            del self.entering[target][state]
        for source, first in before.items():
            edges = self.leaving[source]
            del edges[state]
            for target, last in after.items():
                label = self._path(first, loop, last)
                if target in edges:
                    label = self._union(edges[target], label)
                self._set(source, target, label)

    def run(self, states: Iterable[State], weight: Callable[[State], Any]) -> None:
        """Eliminate states, each time the one of the least weight."""
        remaining = set(states)
        while remaining:
            state = min(remaining, key=weight)
            remaining.remove(state)
            self.eliminate(state)


def edges_of(automaton: Automaton) -> dict[tuple[int, int], CharSet | None]:
    """Return the characters of the edges between the states of an automaton; None reads nothing."""
    edges: dict[tuple[int, int], CharSet | None] = {(START, 0): None}
    width = automaton.width
    for state in range(automaton.states):
        row = state * width
        charsets: dict[int, list[CharSet]] = {}
        for number, charset in enumerate(automaton.charsets):
            if (target := automaton.table[row + number]) >= 0:
                charsets.setdefault(target // width, []).append(charset)
        edges |= {(state, target): union(parts) for target, parts in charsets.items()}
        if row in automaton.accepting:
            edges[state, END] = None
    return edges


def to_node(automaton: Automaton, meter: Meter) -> Node | None:
    """Return a node without rules that derives an automaton's language, or None for the empty language.

    The node shares parts. Raises: LimitExceeded.
    """
    if not automaton.table:
        return None

    def union_of(one: _Sized, other: _Sized) -> _Sized:
        # The size counts shared parts each time, as code that walks through the node does.
        meter.charge(one[1] + other[1])
        return _either(one[0], other[0]), one[1] + other[1]

    def path(before: _Sized, loop: _Sized | None, after: _Sized) -> _Sized:
        meter.charge(_EDGE_COST)
        meter.hold(_PART_BYTES)
        node, size = loop or (EPSILON, 0)
        turns: Node = Repeat(node, 0, None) if size else EPSILON
        return sequence((before[0], turns, after[0])), before[1] + size + after[1]

    def weight(state: int) -> tuple[int, int]:
        """Return how much the definition grows when a state is eliminated."""
        leaving, entering = graph.leaving[state], graph.entering[state]
        after = [size for target, (_, size) in leaving.items() if target != state]
        before = [size for source, (_, size) in entering.items() if source != state]
        loop = leaving[state][1] if state in leaving else 0
        growth = (
            sum(before) * (len(after) - 1)
            + sum(after) * (len(before) - 1)
            + loop * (len(after) * len(before) - 1)
        )
        meter.charge()
        return growth, state

    edges: dict[tuple[int, int], _Sized] = {
        pair: (EPSILON, 0) if charset is None else (Chars(charset), 1)
        for pair, charset in edges_of(automaton).items()
    }
    meter.charge(_EDGE_COST * len(edges))
    meter.hold(_PART_BYTES * len(edges))
    graph = Elimination(edges, union_of, path)
    graph.run(range(automaton.states), weight)
    return graph.leaving[START][END][0]


def _either(one: Node, other: Node) -> Node:
    """Return the choice of two nodes, with single characters as one set."""
    items = [*(one.items if isinstance(one, Choice) else (one,)), other]
    single = [item for item in items if isinstance(item, Chars)]
    if len(single) > 1:
        rest = [item for item in items if not isinstance(item, Chars)]
        items = [Chars(union(item.charset for item in single)), *rest]
    return items[0] if len(items) == 1 else Choice(tuple(items))


def linear_rules(automaton: Automaton, name: str) -> Core:
    """Return a right-linear grammar of a language, with one rule for each state (Chomsky 1959).

    The first rule, named ``name``, derives the language.

    Complexity: linear in the table.
    """
    if not automaton.table:
        return Core({name: Ref(name)}, {name: name})
    keys = {
        row: f"{name} {row // automaton.width}" for row in range(0, len(automaton.table), automaton.width)
    }
    keys[0] = name
    rules: dict[str, Node] = {}
    for row, key in keys.items():
        moves: list[Node] = []
        for number, charset in enumerate(automaton.charsets):
            target = automaton.table[row + number]
            if target >= 0:
                moves.append(Seq((Chars(charset), Ref(keys[target]))))
        if row in automaton.accepting:
            moves.append(EPSILON)
        rules[key] = moves[0] if len(moves) == 1 else Choice(tuple(moves))
    return Core(rules, {key: key for key in rules})
