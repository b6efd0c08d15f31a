"""The general lane: every rule, by the pushdown recogniser of its grammar. Linear on what people write.

Verdict, offset and expected set are the recogniser's, trees those of ``recursive``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from abnforge.automaton.derivatives import Derivatives
from abnforge.explain.failure import Failure, expected, viable_states
from abnforge.pushdown.machine import Machine
from abnforge.transducer.trace import Trace

if TYPE_CHECKING:
    from abnforge.engine.lanes.recursive import Derivations
    from abnforge.engine.lanes.trees import ParseTree, TreeBuilder


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
        return self._machine.read(self._key, (text,)).accepting

    def failure(self, text: str) -> Failure | None:
        """Where reading stops; None when the rule derives the text."""
        reading = self._machine.read(self._key, (text,))
        if reading.accepting:
            return None
        reached = viable_states(self._derivatives, self._key, text, reading.offset)
        following = expected(self._machine.waiting(reading.last), self._derivatives.core.names)
        return Failure(reading.offset, following, reading.last.accepting, reached)

    def events(self, text: str) -> Trace | None:
        """The preferred derivation; None when there is none."""
        return self._derivations().preferred(self._key, text)

    def parse(self, text: str) -> ParseTree | None:
        """The tree of the preferred derivation; None when there is none."""
        trace = self.events(text)
        return None if trace is None else self._builder().build(text, trace)
