"""Mistakes that are shipped with a bundled grammar: what is known of them without reading or binding them.

``to_data`` makes what ``tools/build_grammars.py`` stores, and ``Shipped`` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abnforge.charset import CharSet
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.encoding import decoded, encoded
from abnforge.mistakes.model import Mapped, Mistake, Mistakes
from abnforge.source import Source


class Shipped:
    """What is known of mistakes from what is stored of them. Safe for several threads."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._mistakes: list[Any] = list(data["mistakes"].values())
        self._sets: dict[str, list[tuple[int, int]]] = data["sets"]
        self._helpers: list[Any] = list(data["helpers"].values())
        self._made: dict[int, Mistake] = {}
        self.names: Mapping[str, str] = data["names"]
        self.count = len(self._mistakes)

    def mistake(self, order: int) -> Mistake:
        """The mistake of a place in the order, the same object each time."""
        found = self._made.get(order)
        if found is None:
            found = self._made.setdefault(order, decoded(self._mistakes[order]))
        return found

    def mistakes(self, source: Source) -> Mistakes:
        """All of them, as they are read from their text."""
        every = tuple([self.mistake(order) for order in range(self.count)])
        return Mistakes(source.name, every, tuple([decoded(helper) for helper in self._helpers]), source)

    def characters(self, rule: str) -> CharSet:
        """The set that a rule stands for in a fix."""
        return CharSet(tuple([(low, high) for low, high in self._sets[rule]]))


def to_data(bound: BoundMistakes) -> dict[str, Any]:
    """What is stored of some mistakes: the values, the names of rules, the sets that fixes use."""
    named = {
        part.rule
        for mistake in bound.mistakes.mistakes
        for part in mistake.fix or ()
        if isinstance(part, Mapped) and part.rule is not None
    }
    return {
        "names": dict(bound.core.names),
        "sets": {rule: [list(each) for each in bound.characters(rule).ranges] for rule in sorted(named)},
        "helpers": {rule.name: encoded(rule) for rule in bound.mistakes.helpers},
        "mistakes": {mistake.key: encoded(mistake) for mistake in bound.mistakes.mistakes},
    }
