"""A bundled grammar compiled: read from what ``tools/build_grammars.py`` has made, as far as it has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abnforge._kernel.loaded import compiled
from abnforge.abnf.names import BoundGrammar
from abnforge.budget import DEFAULT, Budget
from abnforge.engine.compilation import Compilation
from abnforge.late import importing
from abnforge.once import once
from abnforge.source import Source

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from abnforge.automaton.dfa import Automaton
    from abnforge.backends.lark import LarkGrammar
    from abnforge.mistakes.binding import BoundMistakes
    from abnforge.mistakes.model import Mistakes
    from abnforge.mistakes.shipped import Shipped
    from abnforge.mistakes.stored import Table, Tables
    from abnforge.pushdown.stored import Stored
    from abnforge.tables.points import PointAutomaton


class Bundled(Compilation):
    """The same, read from the files in ``_generated`` where they have it."""

    def __init__(
        self,
        bound: BoundGrammar,
        folder: Traversable,
        budget: Budget = DEFAULT,
        declared: Mistakes | None = None,
    ) -> None:
        super().__init__(bound, budget, declared)
        self._folder = folder

    @once
    def mistakes(self) -> BoundMistakes:
        known = self._stored_mistakes
        if known is None or self.declares:
            return self._bind_mistakes()
        with importing:
            from abnforge.mistakes.binding import BoundMistakes

        return BoundMistakes(self.bound, lambda: self._bind_mistakes().binding, known)

    @once
    def _stored_mistakes(self) -> Shipped | None:
        """What is stored of the mistakes that are shipped."""
        if not (self._folder / f"{self.bound.name}.mistakes.json").is_file():
            return None
        with importing:
            from abnforge.mistakes.shipped import Shipped

        return Shipped(json.loads(self._read("mistakes.json")))

    @once
    def _tables(self) -> Tables | None:
        known = self._stored_mistakes
        if known is None or self.declares or not self._mistakes_are_whole:
            return None
        with importing:
            from abnforge.mistakes.stored import Tables

        return Tables(self._read_bytes("mistakes.sets"), known.mistake)

    def _find_mistakes_of(self, key: str) -> BoundMistakes:
        return self.mistakes if self._mistakes_are_whole else super()._find_mistakes_of(key)

    @property
    def _has_mistakes(self) -> bool:
        return self.declares or self._stored_mistakes is not None

    @once
    def _mistakes_are_whole(self) -> bool:
        """Whether what is shipped is about all of the grammar, and not taken over from another one."""
        return (self._folder / f"{self.bound.name}.mistakes.sets").is_file()

    def _sets_of_mistakes(self, key: str) -> Table | None:
        return None if self._tables is None else self._tables.table(key)

    def _shipped_mistakes(self) -> Mistakes | None:
        if not (self._folder / f"{self.bound.name}.mistakes.abnf").is_file():
            return None
        stored = self._stored_mistakes
        if stored is None:
            with importing:
                from abnforge.mistakes.shipped import shipped_mistakes

            return shipped_mistakes(self._folder, self.bound.name)
        return stored.mistakes(Source(self._read("mistakes.abnf"), f"{self.bound.name}.mistakes.abnf"))

    @once
    def lark(self) -> LarkGrammar:
        with importing:
            from abnforge.backends.lark import LarkGrammar

        return LarkGrammar.from_text(self._read("lark"), json.loads(self._read("names.json")))

    def is_regular(self, key: str) -> bool:
        return key in self._stored_patterns

    def small_automaton(self, key: str) -> Automaton:
        if key not in self._automata and (data := self._stored_automata.get(key)) is not None:
            with importing:
                from abnforge.automaton.storage import from_data

            self._automata[key] = from_data(data)
        return super().small_automaton(key)

    def pattern(self, key: str) -> str | None:
        return self._stored_patterns.get(key)

    def is_long_list(self, key: str) -> bool:
        return False  # it has its pattern at hand

    def components_pattern(self, key: str, groups: frozenset[str]) -> str | None:
        if groups == frozenset(self._stored["groups"]) and key in self._stored["components"]:
            pattern: str | None = self._stored["components"][key]
            return pattern
        return super().components_pattern(key, groups)

    def _make_table(self, key: str) -> Any:
        if key in self._automata or (data := self._stored_automata.get(key)) is None:
            return super()._make_table(key)
        with importing:
            from abnforge.tables.packing import packed
            from abnforge.tables.points import from_data

        return compiled.Table(packed(from_data(data)))

    def tagged(
        self, key: str, parts: Mapping[str, tuple[str, ...]], kinds: Mapping[str, tuple[str, ...]]
    ) -> PointAutomaton | None:
        if (data := self._stored_tagged.get(key)) is not None:
            with importing:
                from abnforge.tables.storage import from_data

            found = from_data(data)
            same = found.tags.names == tuple(parts) and found.tags.kinds == dict(kinds)
            if same and data["rules"] == [list(rules) for rules in parts.values()]:
                return found
        return super().tagged(key, parts, kinds)

    def stored(self, key: str) -> Stored | None:
        with importing:
            from abnforge.pushdown.stored import Stored

        return Stored.from_data(self._stored_configurations, key)

    def exports_proved(self) -> frozenset[str]:
        return frozenset(self._stored["proved"])

    @once
    def _stored(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read("patterns.json"))
        return data

    @property
    def _stored_patterns(self) -> dict[str, str | None]:
        patterns: dict[str, str | None] = self._stored["patterns"]
        return patterns

    @once
    def _stored_automata(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read("automata.json"))["automata"]
        return data

    @once
    def _stored_tagged(self) -> dict[str, Any]:
        if not (self._folder / f"{self.bound.name}.tagged.json").is_file():
            return {}
        data: dict[str, Any] = json.loads(self._read("tagged.json"))["automata"]
        return data

    @once
    def _stored_configurations(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read("configurations.json"))
        return data

    def _read(self, ending: str) -> str:
        return self._read_bytes(ending).decode()

    def _read_bytes(self, ending: str) -> bytes:
        # As text, each line's end would be looked at, which takes longer than all of the rest.
        return (self._folder / f"{self.bound.name}.{ending}").read_bytes()
