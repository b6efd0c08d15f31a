"""Who decides where a rule leaves a choice: chance, chance with weights, or whoever else draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from abnforge.analysis.core_form import Choice, Node, Ref, Repeat, Seq
from abnforge.charset import CharSet


class Chance(Protocol):
    """The decisions of a derivation, as they come."""

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """One of some alternatives; ``costs`` are those of their cheapest derivations."""

    def character(self, charset: CharSet) -> str:
        """A character of a set."""

    def turns(self) -> Callable[[], bool]:
        """For one repetition: whether there is another turn, each time that it is asked."""


class Uniform:
    """Every alternative alike, every range alike, and of a repetition any number of turns."""

    def __init__(self, source: Random) -> None:
        self._source = source

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Any of them."""
        return self._source.choice(items)

    def character(self, charset: CharSet) -> str:
        """Any character of any range."""
        return chr(self._source.randint(*self._source.choice(charset.ranges)))

    def turns(self) -> Callable[[], bool]:
        """With one probability drawn for all turns, large counts stay possible."""
        more = self._source.random()
        return lambda: self._source.random() < more


class Weighted(Uniform):
    """The same, with weights by rule: an alternative has that of the heaviest rule that it names itself, or
    1 where it names none that has one.
    """

    def __init__(self, source: Random, weights: Mapping[str, float]) -> None:
        super().__init__(source)
        self._weights = weights

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """The likelier the heavier; with no weight left, any of them."""
        weights = [max((self._weights[key] for key in self._named(item)), default=1.0) for item in items]
        if not any(weights):
            return super().alternative(items, costs)
        [chosen] = self._source.choices(items, weights)
        return chosen

    def _named(self, node: Node) -> list[str]:
        found = []
        stack = [node]
        while stack:
            match stack.pop():
                case Ref(key=key) if key in self._weights:
                    found.append(key)
                case Seq(items=items) | Choice(items=items):
                    stack.extend(items)
                case Repeat(item=item):
                    stack.append(item)
        return found
