"""The configurations of a rule as the states of an automaton, which may be without number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from abnforge.charset import CharSet
from abnforge.pushdown.configurations import Base, Configuration
from abnforge.pushdown.machine import Machine
from abnforge.pushdown.nodes import StackNode

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
