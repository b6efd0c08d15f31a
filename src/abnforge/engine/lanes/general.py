"""The general lane: every rule, by the pushdown recogniser of its grammar. Linear on what people write.

Verdict, offset and expected set are the recogniser's, trees those of ``recursive``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from abnforge.automaton.derivative import Derivatives
from abnforge.explain.failure import Failure
from abnforge.pushdown.machine import Machine
from abnforge.rejection import Expected
from abnforge.transducer.trace import Trace

if TYPE_CHECKING:
    from abnforge.engine.lanes.recursive import Derivations
    from abnforge.engine.lanes.trees import ParseTree, TreeBuilder

# Steps of states for an explanation: tangled recursion would lead to more than an answer is worth.
MAX_STATE_STEPS = 200_000


class GeneralLane:
    """One rule read by its grammar's ``machine``. ``derivatives`` are the grammar's states, for the sake of
    explanations; ``derivations`` and ``builder`` give what makes trees.
    """

    def __init__(
        self,
        machine: Machine,
        derivatives: Derivatives,
        key: str,
        derivations: Callable[[], Derivations],
        builder: Callable[[], TreeBuilder],
    ) -> None:
        self._machine = machine
        self._derivatives = derivatives
        self._key = key
        self._derivations = derivations
        self._builder = builder

    def matches(self, text: str) -> bool:
        """Whether the rule derives the text."""
        return self.matches_pieces((text,))

    def matches_pieces(self, pieces: Iterable[str]) -> bool:
        """Whether the rule derives what the pieces are one after the other.

        Memory grows with the nesting of what is read, not with its length.
        """
        return self._machine.read(self._key, pieces).accepting

    def failure(self, text: str) -> Failure | None:
        """Where reading stops; None when the rule derives the text."""
        reading = self._machine.read(self._key, (text,))
        if reading.accepting:
            return None
        known, _ = self._derivatives.read_within(self._key, text, MAX_STATE_STEPS)
        reached = known[: reading.offset + 1]
        sets = self._machine.expected(reading.last)
        names = self._derivatives.core.names
        expected = tuple(Expected(name, sets[key].to_class()) for key, name in names.items() if key in sets)
        return Failure(reading.offset, expected, reading.last.accepting, reached)

    def events(self, text: str) -> Trace | None:
        """The preferred derivation; None when there is none."""
        return self._derivations().preferred(self._key, text)

    def parse(self, text: str) -> ParseTree | None:
        """The tree of the preferred derivation; None when there is none."""
        trace = self.events(text)
        return None if trace is None else self._builder().build(text, trace)
