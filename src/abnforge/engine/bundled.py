"""A bundled grammar compiled: read from what ``tools/build_grammars.py`` has made, as far as it has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abnforge._kernel.loaded import compiled
from abnforge._lazy import cached_property, importing
from abnforge.budget import DEFAULT, Budget
from abnforge.engine.compilation import Compilation
from abnforge.engine.keyed_lines import KeyedLines
from abnforge.grammar.syntax import BoundGrammar

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from abnforge.automaton.dfa import Automaton
    from abnforge.backends.lark import LarkGrammar
    from abnforge.explain.bind import Binding, BoundMistakes
    from abnforge.explain.mistakes import Mistakes
    from abnforge.explain.shipped import Shipped
    from abnforge.pushdown.stored import Stored
    from abnforge.tables.code_points import CodePointDFA


class Bundled(Compilation):
    """The same, read from the files in ``_generated`` where they have it.

    Of what others define and a grammar imports, and of rules whose automata are large and that nobody starts
    from, they have nothing: that is made when it is asked for, as for any grammar.
    """

    def __init__(
        self,
        bound: BoundGrammar,
        folder: Traversable,
        budget: Budget = DEFAULT,
        declared: Mistakes | None = None,
    ) -> None:
        super().__init__(bound, budget, declared)
        self._folder = folder

    @cached_property
    def mistakes(self) -> BoundMistakes:
        known = self._stored_mistakes
        if known is None or self.declares:
            return self._bind_mistakes()
        with importing:
            from abnforge.explain.bind import BoundMistakes

        return BoundMistakes(self.bound, lambda: self._stored_binding(known), known)

    def _stored_binding(self, known: Shipped) -> Binding:
        return known.binding(f"{self.bound.name}.mistakes.abnf", lambda: self._read("mistakes.abnf"))

    @cached_property
    def _stored_mistakes(self) -> Shipped | None:
        """What is stored of the mistakes that are shipped."""
        file = self._lines("mistakes.json")
        if file is None:
            return None
        with importing:
            from abnforge.explain.shipped import stored

        return stored(file, self._folder)

    @property
    def _has_mistakes(self) -> bool:
        return self.declares or self._is_there("mistakes.abnf")

    def _is_large(self, key: str) -> bool:
        known = self._stored_mistakes
        return super()._is_large(key) if known is None else key in known.large_rules

    def _shipped_mistakes(self) -> Mistakes | None:
        if not self._is_there("mistakes.abnf"):
            return None
        known = self._stored_mistakes
        if known is None:
            with importing:
                from abnforge.explain.shipped import shipped_mistakes

            return shipped_mistakes(self._folder, self.bound.name)
        return self._stored_binding(known).mistakes

    @cached_property
    def lark(self) -> LarkGrammar:
        if not (self._is_there("lark") and self._is_there("names.json")):
            return super().lark
        with importing:
            from abnforge.backends.lark import LarkGrammar

        return LarkGrammar.from_text(self._read("lark"), json.loads(self._read("names.json")))

    def is_regular(self, key: str) -> bool:
        file = self._patterns_file
        if file is None:
            return super().is_regular(key)
        return file.has("patterns", key) or key in self._left_out

    def small_automaton(self, key: str) -> Automaton:
        if key not in self._automata and (data := self._stored_automaton(key)) is not None:
            with importing:
                from abnforge.automaton.dfa import from_data

            self._automata[key] = from_data(data)
        return super().small_automaton(key)

    def pattern(self, key: str) -> str | None:
        file = self._patterns_file
        if file is None or key in self._left_out:
            return super().pattern(key)
        found: str | None = file.get("patterns", key)
        return found

    def is_long_list(self, key: str) -> bool:
        known = self._patterns_file is not None and key not in self._left_out  # then its pattern is at hand
        return not known and super().is_long_list(key)

    def components_pattern(self, key: str, groups: frozenset[str]) -> str | None:
        file = self._patterns_file
        if file is not None and groups == frozenset(file.value("groups")):
            pattern: str | None = file.get("components", key)
            if pattern is not None or file.has("components", key):
                return pattern
        return super().components_pattern(key, groups)

    def _make_table(self, key: str) -> Any:
        if key in self._automata or (data := self._stored_automaton(key)) is None:
            return super()._make_table(key)
        with importing:
            from abnforge.tables.code_points import from_automaton_data
            from abnforge.tables.tables import packed

        return compiled.Table(packed(from_automaton_data(data)))

    def tagged(
        self, key: str, parts: Mapping[str, tuple[str, ...]], kinds: Mapping[str, tuple[str, ...]]
    ) -> CodePointDFA | None:
        file = self._tagged_file
        if file is not None and (data := file.get("automata", key)) is not None:
            with importing:
                from abnforge.tables.code_points import from_data

            found = from_data(data)
            same = found.tags.names == tuple(parts) and found.tags.kinds == dict(kinds)
            if same and data["rules"] == [list(rules) for rules in parts.values()]:
                return found
        return super().tagged(key, parts, kinds)

    def stored(self, key: str) -> Stored | None:
        if self.is_regular(key) and key not in self._left_out:
            return None
        file = self._configurations_file
        if file is None:
            return None
        with importing:
            from abnforge.pushdown.stored import Stored

        known = {"starts": file.value("starts"), "letters": file.value("letters")}
        rows = file.get("rules", key)
        return None if rows is None else Stored.from_data({**known, "rules": {key: rows}}, key)

    def exports_proved(self, key: str) -> frozenset[str]:
        file = self._patterns_file
        if file is None or key in self._left_out:
            return frozenset()
        return frozenset(file.value("proved")).difference(file.get("unproved", key) or ())

    @cached_property
    def _left_out(self) -> frozenset[str]:
        """The regular rules of which nothing is stored."""
        file = self._patterns_file
        return frozenset() if file is None else frozenset(file.value("left out"))

    def _stored_automaton(self, key: str) -> Any:
        return None if self._automata_file is None else self._automata_file.get("automata", key)

    @cached_property
    def _patterns_file(self) -> KeyedLines | None:
        return self._lines("patterns.json")

    @cached_property
    def _automata_file(self) -> KeyedLines | None:
        return self._lines("automata.json")

    @cached_property
    def _tagged_file(self) -> KeyedLines | None:
        return self._lines("tagged.json")

    @cached_property
    def _configurations_file(self) -> KeyedLines | None:
        return self._lines("configurations.json")

    def _lines(self, ending: str) -> KeyedLines | None:
        return KeyedLines(self._read_bytes(ending)) if self._is_there(ending) else None

    def _is_there(self, ending: str) -> bool:
        return (self._folder / f"{self.bound.name}.{ending}").is_file()

    def _read(self, ending: str) -> str:
        return self._read_bytes(ending).decode()

    def _read_bytes(self, ending: str) -> bytes:
        # As text, each line's end would be looked at, which takes longer than all of the rest.
        return (self._folder / f"{self.bound.name}.{ending}").read_bytes()
