"""Exploring the configurations that are stored with a bundled grammar (``stored``).

First those that known texts lead to, such as the examples beside a rule; then in order of cost (Dijkstra
1959): a character costs 1, a frame on the stack ``NESTING``. So documents that are flat as a rule and long
are read to their ends, and shallow nesting comes before deep one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from abnforge.pushdown.configurations import Configuration
from abnforge.pushdown.machine import Machine
from abnforge.pushdown.stack import StackNode
from abnforge.pushdown.stored import BETWEEN, letter_of

# What a frame on the stack costs: as much as so many characters.
NESTING = 10


def to_data(
    machine: Machine, most: Mapping[str, int], texts: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """What is stored of some rules of a grammar, ``most`` configurations of each: the classes of characters
    that it tells apart, where they start and with a letter each, and for each rule its configurations.
    ``texts`` are known ones, by rule.
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
        "rules": {
            key: BETWEEN.join(explorer.rows(key, number, (texts or {}).get(key, ())))
            for key, number in most.items()
        },
    }


class _Explorer:
    def __init__(self, machine: Machine) -> None:
        self._configurations = machine.configurations
        self._letters = {charset.min(): letter_of(number) for number, charset in enumerate(machine.classes)}
        self._classes = {charset.min(): charset for charset in machine.classes}

    def rows(self, key: str, most: int, texts: Sequence[str]) -> list[str]:
        heads = self._reached(key, most, texts)
        number = {configuration: index for index, configuration in enumerate(heads)}
        return [f"{head} {self._moves(found, number)}" for found, head in heads.items()]

    def _next(self, current: Configuration, char: str) -> tuple[Configuration | None, bool]:
        """The configuration after a character, and whether it can be stored: nothing is folded away."""
        following, base = self._configurations.next(current, char, None)
        return following, base is None

    def _read(self, heads: dict[Configuration, str], lengths: dict[Configuration, int], text: str) -> None:
        """Add the configurations that a text leads to."""
        current = next(iter(heads))
        for char in text:
            char = next((low for low, charset in self._classes.items() if char in charset), "")
            following, storable = self._next(current, char) if char else (None, False)
            if following is None or not storable:
                return
            if following not in heads:
                access = f"{self._letters[char]}{list(heads).index(current)}"
                lengths[following] = lengths[current] + 1
                heads[following] = ("+" if following.accepting else "-") + access
            current = following

    def _reached(self, key: str, most: int, texts: Sequence[str]) -> dict[Configuration, str]:
        """The configurations that are stored, each with the head of its row."""
        start = self._configurations.start(key)
        heads = {start: "+" if start.accepting else "-"}
        lengths = {start: 0}
        for text in texts:
            if len(heads) < most:
                self._read(heads, lengths, text[: most - len(heads)])
        # Cost, what makes the order definite, how long the text is, configuration, where it is reached from.
        waiting = [
            (lengths[each] + NESTING * _depth(each), made, lengths[each], each, "")
            for made, each in enumerate(heads)
        ]
        heapify(waiting)
        numbers = {configuration: number for number, configuration in enumerate(heads)}
        expanded = set()
        made = len(heads)
        while waiting and len(heads) < most:
            _, _, length, current, access = heappop(waiting)
            if current in expanded:
                continue
            expanded.add(current)
            if current not in heads:
                numbers[current] = len(heads)
                heads[current] = ("+" if current.accepting else "-") + access
            here = numbers[current]
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
