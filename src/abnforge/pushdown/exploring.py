"""Exploring the configurations that are stored with a bundled grammar (``stored``).

In order of cost (Dijkstra 1959): a character costs 1, a frame on the stack ``NESTING``. So documents that are
flat as a rule and long are read to their ends, and shallow nesting comes before deep one.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Any

from abnforge.pushdown.configurations import Configuration
from abnforge.pushdown.machine import Machine
from abnforge.pushdown.nodes import StackNode
from abnforge.pushdown.stored import BETWEEN, letter_of

# What a frame on the stack costs: as much as so many characters.
NESTING = 10


def to_data(machine: Machine, most: Mapping[str, int]) -> dict[str, Any]:
    """What is stored of some rules of a grammar, ``most`` configurations of each: the classes of characters
    that it tells apart, where they start and with a letter each, and for each rule its configurations.
    """
    explorer = _Explorer(machine)
    starts = sorted(
        (low, letter_of(number))
        for number, charset in enumerate(machine.classes)
        for low, _ in charset.ranges
    )
    return {
        "starts": [low for low, _ in starts],
        "letters": "".join(letter for _, letter in starts),
        "rules": {key: BETWEEN.join(explorer.rows(key, number)) for key, number in most.items()},
    }


class _Explorer:
    def __init__(self, machine: Machine) -> None:
        self._configurations = machine.configurations
        self._letters = {charset.min(): letter_of(number) for number, charset in enumerate(machine.classes)}

    def rows(self, key: str, most: int) -> list[str]:
        heads = self._reached(key, most)
        number = {configuration: index for index, configuration in enumerate(heads)}
        return [f"{head} {self._moves(found, number)}" for found, head in heads.items()]

    def _next(self, current: Configuration, char: str) -> tuple[Configuration | None, bool]:
        """The configuration after a character, and whether it can be stored: nothing is folded away."""
        following, base = self._configurations.next(current, char, None)
        return following, base is None

    def _reached(self, key: str, most: int) -> dict[Configuration, str]:
        """The configurations that are stored, each with the head of its row."""
        heads: dict[Configuration, str] = {}
        # Cost, what makes the order definite, how long the text is, configuration, where it is reached from.
        waiting = [(0, 0, 0, self._configurations.start(key), "")]
        made = 0
        while waiting and len(heads) < most:
            _, _, length, current, access = heappop(waiting)
            if current in heads:
                continue
            here = len(heads)
            heads[current] = ("+" if current.accepting else "-") + access
            for char, letter in self._letters.items():
                following, storable = self._next(current, char)
                if following is not None and storable and following not in heads:
                    made += 1
                    cost = length + 1 + NESTING * _depth(following)
                    heappush(waiting, (cost, made, length + 1, following, f"{letter}{here}"))
        return heads

    def _moves(self, current: Configuration, number: dict[Configuration, int]) -> str:
        moves: dict[int, str] = {}
        beyond = ""
        for char, letter in self._letters.items():
            following, storable = self._next(current, char)
            if following is None:
                continue
            if storable and following in number:
                target = number[following]
                moves[target] = moves.get(target, "") + letter
            else:
                beyond += letter
        return ",".join(f"{letters}:{target}" for target, letters in moves.items()) + " " + beyond


def _depth(configuration: Configuration) -> int:
    """How many frames are on the stack."""
    level: set[StackNode] = {node for node, _ in configuration.pairs}
    seen = set(level)
    depth = 0
    while level := {below for node in level for _, below in node.edges} - seen:
        seen |= level
        depth += 1
    return depth
