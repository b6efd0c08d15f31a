"""States told in the grammar's words: which rules can read what next."""

from __future__ import annotations

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import State
from abnforge.charset import CharSet
from abnforge.rejection import Expected


class Expectations:
    """What the states of one grammar expect. Answers are kept: a million inputs end in few states."""

    def __init__(self, derivatives: Derivatives) -> None:
        self._derivatives = derivatives
        self._names = derivatives.core.names
        self._known: dict[tuple[State, ...], tuple[Expected, ...]] = {}

    def of(self, states: tuple[State, ...]) -> tuple[Expected, ...]:
        """What the innermost rules read next in any of the states, in the grammar's order of rules."""
        found = self._known.get(states)
        if found is None:
            sets: dict[str, CharSet] = {}
            for state in states:
                for arc in self._derivatives.arcs(state):
                    key = arc.trail[-1]
                    sets[key] = sets[key] | arc.charset if key in sets else arc.charset
            found = self._known[states] = tuple(
                Expected(name, sets[key].to_class()) for key, name in self._names.items() if key in sets
            )
        return found
