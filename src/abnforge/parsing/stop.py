"""Where reading stopped: what every lane hands to the explanation of a rejection.

These are facts, which follow from the grammar alone: every lane finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from abnforge.automata.derivatives import Derivatives, State, StateSet
from abnforge.charset import ANY, CharSet
from abnforge.errors import LimitExceeded
from abnforge.records import dataclass
from abnforge.rejection import Expected

# Steps of states for an explanation: tangled recursion would lead to more than an answer is worth.
MAX_STATE_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that a rule does not derive, as far as it can be read.

    ``offset`` is the length of its longest viable prefix; ``expected`` what could follow that prefix, an
    entry a rule, in the grammar's order of rules; ``may_end`` tells whether the prefix itself is derived.
    ``reached`` are the live sets of the viable prefixes from the empty one on, as far as states know them:
    where recursion is too tangled for states, they are fewer than ``offset + 1``.
    """

    offset: int
    expected: tuple[Expected, ...]
    may_end: bool
    reached: Sequence[StateSet]


def viable_states(derivatives: Derivatives, key: str, text: str, offset: int) -> Sequence[StateSet]:
    """The live sets of a text's viable prefixes as far as states know them, for a lane that reads without
    states; ``offset`` is the length of the longest one. Of a rule that no recursion can reach they are known
    as the automaton lane knows them.
    """
    facts = derivatives.facts
    if facts.recursive.isdisjoint(facts.reachable(key)):
        try:
            return derivatives.read(key, text)[: offset + 1]
        except LimitExceeded:
            pass
    known, _ = derivatives.read_within(key, text, MAX_STATE_STEPS)
    return known[: offset + 1]


# States told in the grammar's words: which rules can read what next.


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
