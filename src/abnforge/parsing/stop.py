"""The end of a failed parse: the input of the explanation of a rejection.

The facts follow from the grammar alone, so every engine returns the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from abnforge.automata.derivatives import Derivatives, State, StateSet
from abnforge.charset import ANY, CharSet
from abnforge.errors import LimitExceeded
from abnforge.records import dataclass
from abnforge.rejection import Expected

# The steps of states for an explanation; ambiguous recursion would need many more.
MAX_STATE_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A string that a rule does not derive, up to where parsing stops.

    ``offset`` is the length of the longest viable prefix; ``expected`` are the characters that can follow it,
    by rule in the grammar's order; ``may_end``: the rule derives the prefix. ``reached`` are the state sets
    of the viable prefixes from the empty one on; there are fewer than ``offset + 1`` if recursion exceeds the
    states' limits.
    """

    offset: int
    expected: tuple[Expected, ...]
    may_end: bool
    reached: Sequence[StateSet]


def viable_states(derivatives: Derivatives, key: str, text: str, offset: int) -> Sequence[StateSet]:
    """Return the state sets of a string's viable prefixes, for an engine that parses without states.

    ``offset`` is the length of the longest one. For a rule that recursion cannot reach the result is that of
    the automaton engine.
    """
    facts = derivatives.facts
    if facts.recursive.isdisjoint(facts.reachable(key)):
        try:
            return derivatives.read(key, text)[: offset + 1]
        except LimitExceeded:
            pass
    reached, _ = derivatives.read_within(key, text, MAX_STATE_STEPS)
    return reached[: offset + 1]


class Expectations:
    """The expected characters in the states of one grammar, cached: many inputs end in few states."""

    def __init__(self, derivatives: Derivatives) -> None:
        self._derivatives = derivatives
        self._names = derivatives.core.names
        self._known: dict[tuple[tuple[State, ...], CharSet], tuple[Expected, ...]] = {}

    def of(self, states: tuple[State, ...], allowed: CharSet = ANY) -> tuple[Expected, ...]:
        """Return the characters of ``allowed`` that the innermost rules of the states read next.

        The rules are in the order of the grammar.
        """
        expectations = self._known.get((states, allowed))
        if expectations is None:
            arcs = (arc for state in states for arc in self._derivatives.arcs(state))
            terminals = ((arc.rule_path[-1], arc.charset & allowed) for arc in arcs)
            expectations = expected(((key, charset) for key, charset in terminals if charset), self._names)
            self._known[states, allowed] = expectations
        return expectations


def expected(terminals: Iterable[tuple[str, CharSet]], names: Mapping[str, str]) -> tuple[Expected, ...]:
    """Return the terminals, pairs of a rule's key and a set, joined by rule in the grammar's order.

    ``names`` are the rules' names by key.
    """
    sets: dict[str, CharSet] = {}
    for key, charset in terminals:
        sets[key] = sets[key] | charset if key in sets else charset
    return tuple(Expected(name, sets[key].to_class()) for key, name in names.items() if key in sets)
