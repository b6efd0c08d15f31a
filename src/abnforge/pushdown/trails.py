"""Configurations as states of the kernel: what is known of where they lead, walked in C.

A trail has a number for every configuration that texts have led to, and learns each move that is kept
(``Configurations.next``). It ends where something has to be worked out, folded away or taken back.
"""

from __future__ import annotations

import encodings.utf_32_le  # noqa: F401 # now, and not within a question
from array import array
from collections.abc import Sequence
from typing import Any

from abnforge._kernel.loaded import compiled
from abnforge.charset import CharSet
from abnforge.pushdown.configurations import Configuration
from abnforge.tables.tables import pages_of

# Classes of characters that a trail can tell apart.
MAX_CLASSES = 256


class Trails:
    """The configurations of one machine that are known to the kernel."""

    def __init__(self, classes: Sequence[CharSet]) -> None:
        ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
        starts = [low for low, _ in ranges]
        pages, page_of = pages_of(starts, [number for _, number in ranges])
        self._made_of = array("H", page_of), pages, len(classes)
        self.forget()

    @classmethod
    def of(cls, classes: Sequence[CharSet]) -> Trails | None:
        """None without the kernel, and where there are too many classes of characters, or none."""
        return cls(classes) if compiled is not None and 0 < len(classes) <= MAX_CLASSES else None

    def forget(self) -> None:
        """Drop all that is known."""
        self.trail = compiled.Trail(*self._made_of)
        self.configurations: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self.trail.begin()

    def number(self, configuration: Configuration) -> int:
        """The number of a configuration."""
        found = self._numbers.get(configuration)
        if found is None:
            found = self._numbers[configuration] = self.trail.add(configuration.cost, configuration.octets)
            self.configurations.append(configuration)
        return found

    def learn(self, last: Configuration, char: str, following: Configuration) -> None:
        """A character, and all others of its class, lead from one configuration to another."""
        self.trail.learn(self.number(last), char, self.number(following))


def units(text: str) -> tuple[Any, int]:
    """The characters of a text as the kernel reads them, and how many octets each has."""
    if text.isascii():
        return text.encode("ascii"), 1
    return text.encode("utf-32-le", "surrogatepass"), 4
