"""Mistakes that are shipped with a bundled grammar: what is known of them without reading or binding them.

``to_data`` makes what ``tools/build_grammars.py`` stores, and ``Shipped`` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abnforge.abnf.model import Rule
from abnforge.charset import CharSet
from abnforge.late import importing
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.encoding import decoded, encoded
from abnforge.mistakes.model import Mapped, Mistake, Mistakes
from abnforge.source import Source

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class Shipped:
    """What is known of mistakes from what is stored of them. Safe for several threads."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._mistakes: dict[str, str] = data["mistakes"]
        self._sets: dict[str, list[tuple[int, int]]] = data["sets"]
        self._helpers: list[str] = list(data["helpers"].values())
        self._made: dict[str, Mistake] = {}
        self.names: Mapping[str, str] = data["names"]
        self.count = len(self._mistakes)
        self.complete: bool = data["complete"]

    def mistake(self, key: str) -> Mistake:
        """The mistake of a key, the same object each time."""
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, decoded(json.loads(self._mistakes[key])))
        return found

    def mistakes(self, source: Source) -> Mistakes:
        """All of them, as they are read from their text."""
        every = tuple([self.mistake(key) for key in self._mistakes])
        helpers = tuple([decoded(json.loads(helper)) for helper in self._helpers])
        return Mistakes(source.name, every, helpers, source, complete=self.complete)

    def characters(self, rule: str) -> CharSet:
        """The set that a rule stands for in a fix."""
        return CharSet(tuple([(low, high) for low, high in self._sets[rule]]))


def shipped_mistakes(folder: Traversable, name: str) -> Mistakes | None:
    """The mistakes that a bundled grammar is shipped with, and those that it takes over from others, read
    from their texts in a folder.
    """
    path = folder / f"{name}.mistakes.abnf"
    if not path.is_file():
        return None
    with importing:
        from abnforge.mistakes.adoption import with_adopted
        from abnforge.mistakes.notation import read_mistakes

    made = read_mistakes(path.read_text("utf-8"), path.name)
    return with_adopted(made, lambda other: shipped_mistakes(folder, other))


def to_data(bound: BoundMistakes) -> dict[str, Any]:
    """What is stored of some mistakes: the names of rules, the sets that fixes use, and the values. Each of
    these is JSON in itself, which is read when a text has the mistake.
    """
    named = {
        part.rule
        for mistake in bound.mistakes.mistakes
        for part in mistake.fix or ()
        if isinstance(part, Mapped) and part.rule is not None
    }
    return {
        "complete": bound.complete,
        "names": dict(bound.core.names),
        "sets": {rule: [list(each) for each in bound.characters(rule).ranges] for rule in sorted(named)},
        "helpers": {rule.name: _json(rule) for rule in bound.mistakes.helpers},
        "mistakes": {mistake.key: _json(mistake) for mistake in bound.mistakes.mistakes},
    }


def _json(value: Mistake | Rule) -> str:
    return json.dumps(encoded(value), separators=(",", ":"))
