"""The pushdown recognizer of a grammar, for all of its rules. Start reading here.

``Machine`` parses strings; ``ConfigurationWalk`` offers the configurations of a rule as the states of a
possibly infinite automaton.
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
from abnforge.parsing.recognizer.configurations import Configuration, Configurations, SpilledStack
from abnforge.parsing.recognizer.network import Network
from abnforge.parsing.recognizer.reading import LearnedDFA, RecognizerRun
from abnforge.parsing.recognizer.stack import StackNode

# Configurations, items and nodes that are kept between strings.
MAX_KEPT = 100_000


class Plan:
    """The constant part of a grammar's recognizer: its bodies, called rules and character classes.

    ``bodies`` are recursion-free bodies of its regular rules. Machines share a plan. Raises: LimitExceeded.
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
        """Return the rules of terminals, by the terminal's identity: rules do not share terminals."""
        rules = self.facts.core.rules
        return {
            id(node): key for key, body in rules.items() for node in walk(body) if isinstance(node, Chars)
        }


class Machine:
    """Parse strings by any rule of one grammar, exactly for every context-free grammar.

    A machine serves one thread at a time. Raises: LimitExceeded.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.table = AlphabetCompressor.first_of(plan.classes)
        network = Network(plan.facts, plan.bodies, plan.called, plan.classes, plan.budget)
        self.configurations = Configurations(network)
        self.learned = LearnedDFA.of(plan.classes)
        self.classes = plan.classes

    @property
    def full(self) -> bool:
        """Return whether the caches exceed MAX_KEPT."""
        return self.configurations.size > MAX_KEPT

    def reading(self, key: str) -> RecognizerRun:
        """Start the parse of a string by a rule."""
        meter = self._plan.budget.meter(f"parsing {self._plan.facts.core.names[key]}")
        return RecognizerRun(self.configurations, key, self.table, meter, self.learned)

    def read(self, key: str, pieces: Iterable[str]) -> RecognizerRun:
        """Parse a string, an iterable of pieces, up to its end or the first rejected character."""
        run = self.reading(key)
        for piece in pieces:
            if not run.feed(piece):
                break
        return run

    def representative(self, char: str) -> str:
        """Return the representative of a character's class."""
        return chr(self.table[ord(char)])

    def expected_terminals(self, configuration: Configuration) -> Iterator[tuple[str, CharSet]]:
        """Yield the sets of characters that can be read next, each with the key of its rule."""
        owners = self._plan.owners
        states = {state for _, state in self.configurations.opened(configuration)}
        for terminal in {item.task for state in states for item in state.items if type(item.task) is Chars}:
            yield owners[id(terminal)], terminal.charset


# The memory of a stack node and the number of a spilled stack, in bytes.
_NODE_OCTETS = 1_000

# A configuration, and the number of its spilled stack.
_State = tuple[Configuration, int]


class ConfigurationWalk:
    """The automaton of one rule, by key. Spilled stacks are numbered, so equal states compare equal."""

    def __init__(self, machine: Machine, key: str) -> None:
        self._machine = machine
        self._configurations = machine.configurations
        self._bases: list[SpilledStack] = [None]
        self._numbers: dict[int, int] = {id(None): 0}
        self._known: dict[tuple[StackNode, int], int] = {}
        self.charsets: Sequence[CharSet] = machine.classes
        self.start: Hashable | None = (self._configurations.start(key), 0)

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """Return the state after a character, or None."""
        current, number = cast(_State, state)
        following, spilled = self._configurations.next(
            current, self._machine.representative(char), self._bases[number]
        )
        return None if following is None else (following, self._number(spilled))

    def accepts(self, state: Hashable) -> bool:
        """Return whether the rule derives the string that leads to a state."""
        return cast(_State, state)[0].accepting

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return the steps and bytes of a state: its configuration, which may be new, and a stack node."""
        current, _ = cast(_State, state)
        # Each of many frames that end can return to many.
        pairs = len(current.pairs)
        return current.cost + pairs * pairs // 4, current.octets + _NODE_OCTETS

    def _number(self, spilled: SpilledStack) -> int:
        new: list[StackNode] = []
        while id(spilled) not in self._numbers:
            assert spilled is not None
            new.append(spilled[0])
            spilled = spilled[1]
        number = self._numbers[id(spilled)]
        for node in reversed(new):
            base_number = self._known.get((node, number))
            if base_number is None:
                base_number = self._known[node, number] = len(self._bases)
                stack = node, self._bases[number]
                self._bases.append(stack)
                self._numbers[id(stack)] = base_number
            number = base_number
        return number
