"""States told in the grammar's words: which rules can read what next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import State
from abnforge.charset import ANY, CharSet
from abnforge.rejection import Expected


class Expectations:
    """What the states of one grammar expect. Answers are kept: a million inputs end in few states."""

    def __init__(self, derivatives: Derivatives) -> None:
        self._derivatives = derivatives
        self._names = derivatives.core.names
        self._known: dict[tuple[tuple[State, ...], CharSet], tuple[Expected, ...]] = {}

    def of(self, states: tuple[State, ...], allowed: CharSet = ANY) -> tuple[Expected, ...]:
        """What the innermost rules read next in any of the states, in the grammar's order of rules; of the
        characters that are ``allowed``.
        """
        found = self._known.get((states, allowed))
        if found is None:
            arcs = (arc for state in states for arc in self._derivatives.arcs(state))
            waiting = ((arc.rule_path[-1], arc.charset & allowed) for arc in arcs)
            found = expected(((key, charset) for key, charset in waiting if charset), self._names)
            self._known[states, allowed] = found
        return found


def expected(waiting: Iterable[tuple[str, CharSet]], names: Mapping[str, str]) -> tuple[Expected, ...]:
    """Sets that can be read next, each with the key of a rule that reads it, told for each rule in the
    grammar's order; ``names`` are the names by key.
    """
    sets: dict[str, CharSet] = {}
    for key, charset in waiting:
        sets[key] = sets[key] | charset if key in sets else charset
    return tuple(Expected(name, sets[key].to_class()) for key, name in names.items() if key in sets)
