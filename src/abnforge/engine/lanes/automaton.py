"""The automaton lane: verdict, offset and tree of a rule that no recursion can reach, in linear time.

The tree comes from two passes (Frisch and Cardelli 2004): forward to the live states of every place, backward
to those among them from which the rest is accepted; then the preferred move that stays among these
is taken from place to place. Moves are in order of preference, so this is the contract's derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from abnforge.automaton.derivatives import Arc, Derivatives, State, StateSet
from abnforge.explain.failure import Expectations, Failure
from abnforge.transducer.trace import END, Trace

if TYPE_CHECKING:  # trees are lark's, which takes longer to import than a verdict takes
    from abnforge.engine.lanes.trees import ParseTree, TreeBuilder


class AutomatonLane:
    """One rule read by its grammar's states. ``builder`` gives what makes its trees."""

    def __init__(
        self,
        derivatives: Derivatives,
        key: str,
        expectations: Expectations,
        builder: Callable[[], TreeBuilder],
    ) -> None:
        self._derivatives = derivatives
        self._key = key
        self._expectations = expectations
        self._builder = builder

    def matches(self, text: str) -> bool:
        """Whether the rule derives the text. Cost: linear."""
        reached = self._derivatives.read(self._key, text)
        return len(reached) > len(text) and reached[-1].accepting

    def failure(self, text: str) -> Failure | None:
        """Where reading stops; None when the rule derives the text. Cost: linear."""
        reached = self._derivatives.read(self._key, text)
        offset, last = len(reached) - 1, reached[-1]
        if offset == len(text) and last.accepting:
            return None
        return Failure(offset, self._expectations.of(last.states), last.accepting, reached)

    def events(self, text: str) -> Trace | None:
        """The preferred derivation; None when there is none. Cost: as for ``derivation``."""
        return derivation(self._derivatives, self._key, text)

    def parse(self, text: str) -> ParseTree | None:
        """The tree of the preferred derivation; None when there is none. Cost: as for ``derivation``."""
        trace = self.events(text)
        if trace is None:
            return None
        return self._builder().build(text, trace)


def derivation(derivatives: Derivatives, key: str, text: str) -> Trace | None:
    """The begins and ends of rules in the preferred derivation; None when there is none.

    Cost: linear in the text, times the live states; memory likewise.
    """
    reached = derivatives.read(key, text)
    if len(reached) <= len(text) or not reached[-1].accepting:
        return None
    viable = _viable(derivatives, text, reached)
    trace: Trace = []
    state = reached[0].states[0]
    ended: tuple[str, ...] = ()
    # The same choices come again and again, for a state, a character, and what is viable behind it.
    known: dict[tuple[State, str, frozenset[State]], tuple[tuple[str, ...], tuple[str, ...], State]] = {}
    for char, following in zip(text, viable, strict=True):
        choice = state, char, following
        found = known.get(choice)
        if found is None:
            arc = _preferred(derivatives.moves(state, char), following)
            found = known[choice] = arc.before, (END,) * arc.ends, arc.target
        before, ends, state = found
        trace.append(ended + before if ended else before)
        ended = ends
    trace.append(ended + derivatives.final(state))
    return trace


def _viable(derivatives: Derivatives, text: str, reached: Sequence[StateSet]) -> list[frozenset[State]]:
    """Element i: the live states after ``text[: i + 1]`` from which the rest is accepted."""
    following = frozenset(filter(derivatives.accepts, reached[-1].states))
    result: list[frozenset[State]] = []
    known: dict[tuple[int, str, frozenset[State]], frozenset[State]] = {}
    for offset in range(len(text) - 1, -1, -1):
        result.append(following)
        live, char = reached[offset], text[offset]
        key = (id(live), char, following)
        found = known.get(key)
        if found is None:
            found = known[key] = frozenset(
                state
                for state in live.states
                if any(arc.target in following for arc in derivatives.moves(state, char))
            )
        following = found
    result.reverse()
    return result


def _preferred(arcs: Sequence[Arc], viable: frozenset[State]) -> Arc:
    for arc in arcs:
        if arc.target in viable:
            return arc
    raise AssertionError("a viable state must have a move to a viable state")
