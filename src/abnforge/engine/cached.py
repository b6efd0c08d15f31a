"""A grammar of the user's own compiled: what takes long is looked for on disk, and kept there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, importing
from abnforge.budget import Budget, Meter
from abnforge.engine.cache import Cache, Names
from abnforge.engine.compilation import Compilation
from abnforge.grammar.core import Core
from abnforge.grammar.facts import Facts
from abnforge.grammar.syntax import BoundGrammar

if TYPE_CHECKING:
    from abnforge.automaton.dfa import Automaton
    from abnforge.explain.mistakes import Mistakes

MIN_STEPS = 10_000
"""Steps of a budget, about a microsecond each, from which on what they made is kept."""


class Cached(Compilation):
    """The same with a cache, whose answers are those that compiling would give."""

    def __init__(self, bound: BoundGrammar, budget: Budget, declared: Mistakes | None, cache: Cache) -> None:
        super().__init__(bound, budget, declared)
        self._cache = cache

    @cached_property
    def _names(self) -> Names:
        return Names(self.bodies, self.budget)

    @cached_property
    def _regular(self) -> Facts:
        return Facts(Core(self.bodies, self.core.names))

    def _name(self, kind: str, key: str) -> str:
        return self._names.name(kind, key, self._regular.reachable(key))

    def _build(self, key: str, meter: Meter, *, quick: bool) -> Automaton:
        name = self._name("quick automaton" if quick else "automaton", key)
        if (data := self._cache.get(name)) is not None:
            with importing:
                from abnforge.automaton.dfa import from_data
            return from_data(data)
        made = super()._build(key, meter, quick=quick)
        if meter.steps >= MIN_STEPS:
            with importing:
                from abnforge.automaton.dfa import to_data
            self._cache.put(name, to_data(made))
        return made

    def _prove(self, key: str, groups: frozenset[str], meter: Meter) -> str | None:
        name = self._name(f"pattern {sorted(groups)}", key)
        if (found := self._cache.get(name)) is not None:
            pattern: str | None = found["pattern"]
            return pattern
        made = super()._prove(key, groups, meter)
        if meter.steps >= MIN_STEPS:
            self._cache.put(name, {"pattern": made})
        return made
