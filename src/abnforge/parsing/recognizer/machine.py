"""The pushdown recognizer of a grammar, for all of its rules.

``ConfigurationWalk`` offers the configurations of a rule as the states of an automaton. Their number may be
infinite.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from abnforge._lazy import cached_property
from abnforge.budget import Budget
from abnforge.charset import AlphabetCompressor, CharSet, partition
from abnforge.grammar.core import Chars, Node
from abnforge.grammar.facts import Facts, terminals, walk
from abnforge.parsing.recognizer.calls import called_rules
from abnforge.parsing.recognizer.configurations import Base, Configuration, Configurations
from abnforge.parsing.recognizer.network import Network
from abnforge.parsing.recognizer.reading import Reading, Trails
from abnforge.parsing.recognizer.stack import StackNode

# Configurations, items and nodes that are worth keeping for what is read next.
MAX_KEPT = 100_000


class Plan:
    """What is decided of a grammar before anything is read: how its rules are read, and which of them are
    called. ``bodies`` are recursion-free bodies of its regular rules.

    Nothing changes it, so that machines share one. Raises LimitExceeded.
    """

    def __init__(self, facts: Facts, bodies: Mapping[str, Node], budget: Budget) -> None:
        meter = budget.meter("network of the grammar")
        self.facts = facts
        self.budget = budget
        self.bodies = {key: bodies.get(key, body) for key, body in facts.core.rules.items()}
        self.called = called_rules(facts, self.bodies, meter)
        sets = terminals(self.bodies.values())
        meter.charge(len(sets) // 4)
        self.classes = partition(sets)

    @cached_property
    def owners(self) -> Mapping[int, str]:
        """The rule that a terminal stands in, by the terminal's identity: no two rules share one."""
        rules = self.facts.core.rules
        return {
            id(node): key for key, body in rules.items() for node in walk(body) if isinstance(node, Chars)
        }


class Machine:
    """What reads texts by any rule of one grammar. Not for several threads at once.

    Exact for every context-free grammar. Raises LimitExceeded.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.table = AlphabetCompressor.first_of(plan.classes)
        network = Network(plan.facts, plan.bodies, plan.called, plan.classes, plan.budget)
        self.configurations = Configurations(network)
        self.trails = Trails.of(plan.classes)
        self.classes = plan.classes

    @property
    def full(self) -> bool:
        """Whether more is known than is worth keeping for what is read next."""
        return self.configurations.size > MAX_KEPT

    def reading(self, key: str) -> Reading:
        """Begin to read a text by a rule."""
        meter = self._plan.budget.meter(f"parsing {self._plan.facts.core.names[key]}")
        return Reading(self.configurations, key, self.table, meter, self.trails)

    def read(self, key: str, pieces: Iterable[str]) -> Reading:
        """Read a text, given in pieces, as far as it can be read."""
        reading = self.reading(key)
        for piece in pieces:
            if not reading.feed(piece):
                break
        return reading

    def standing_for(self, char: str) -> str:
        """The character that stands for the class of one."""
        return chr(self.table[ord(char)])

    def waiting(self, configuration: Configuration) -> Iterator[tuple[str, CharSet]]:
        """What can be read next, each set with the key of the rule that it stands in. Cost: the items of the
        configuration.
        """
        owners = self._plan.owners
        states = {state for _, state in self.configurations.opened(configuration)}
        for terminal in {item.task for state in states for item in state.items if type(item.task) is Chars}:
            yield owners[id(terminal)], terminal.charset


# What a stack node and the number of what is folded away take in octets.
_NODE_OCTETS = 1_000

# A configuration, and the number of what is folded away from its stack.
_State = tuple[Configuration, int]


class ConfigurationWalk:
    """One rule, by key. What is folded away is numbered, so that equal states are equal at once."""

    def __init__(self, machine: Machine, key: str) -> None:
        self._machine = machine
        self._configurations = machine.configurations
        self._bases: list[Base] = [None]
        self._numbers: dict[int, int] = {id(None): 0}
        self._known: dict[tuple[StackNode, int], int] = {}
        self.charsets: Sequence[CharSet] = machine.classes
        self.start: Hashable | None = (self._configurations.start(key), 0)

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """The state after one more character; None when the rule derives nothing that begins so."""
        current, number = cast(_State, state)
        following, base = self._configurations.next(
            current, self._machine.standing_for(char), self._bases[number]
        )
        return None if following is None else (following, self._number(base))

    def accepts(self, state: Hashable) -> bool:
        """Whether the rule derives what led here."""
        return cast(_State, state)[0].accepting

    def cost(self, state: Hashable) -> tuple[int, int]:
        """What a state takes: its configuration, which may be a new one, and a node of its stack."""
        current, _ = cast(_State, state)
        # Of many frames that end each can return to many.
        pairs = len(current.pairs)
        return current.cost + pairs * pairs // 4, current.octets + _NODE_OCTETS

    def _number(self, base: Base) -> int:
        new: list[StackNode] = []
        while id(base) not in self._numbers:
            assert base is not None
            new.append(base[0])
            base = base[1]
        number = self._numbers[id(base)]
        for node in reversed(new):
            found = self._known.get((node, number))
            if found is None:
                found = self._known[node, number] = len(self._bases)
                made = node, self._bases[number]
                self._bases.append(made)
                self._numbers[id(made)] = found
            number = found
        return number
