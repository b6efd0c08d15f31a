"""Derivations of strings by any rule, and the engines that parse without Lark.

The transducer finds the preferred derivation in linear time. The chart, and the choice over it, are used for
rules and strings that the transducer does not support, and for all operations that need more than one
derivation. Both engines return the same derivations. They differ in how they find where parsing stops:
"automaton" uses a grammar's states, "general" its pushdown recognizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from abnforge._lazy import cached_property, lazy
from abnforge.budget import Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.grammar.facts import Facts
from abnforge.parsing.trace import Trace, TransducerError
from abnforge.parsing.transducer import Transducer

with lazy:
    from abnforge.parsing import chart, choose, count, stop

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Derivatives
    from abnforge.parsing.recognizer.machine import Machine

# The share of a budget that the transducer can use, and its steps for recursive rules: several times as many
# as ordinary strings need. A string that needs more is ambiguous in many places, so the chart is faster.
TRANSDUCER_SHARE = 0.5
TRANSDUCER_STEPS = 40_000
TRANSDUCER_STEPS_PER_CHARACTER = 100
TRANSDUCER_STEPS_PER_RULE = 30


class DerivationParser:
    """Parse strings by any rule of one grammar, represented by its key.

    An object serves one thread at a time. Each method raises LimitExceeded if one call exceeds the budget;
    this depends only on the rule and the string.
    """

    def __init__(self, facts: Facts, budget: Budget) -> None:
        self._facts = facts
        self._budget = budget
        self._limits: dict[str, tuple[str, int]] = {}

    def _limit_transducer(self, key: str) -> tuple[str, int]:
        """Return the operation and its step limit for a rule: the whole budget if it cannot recurse."""
        facts = self._facts
        recurses = not facts.recursive.isdisjoint(facts.reachable(key))
        steps = TRANSDUCER_STEPS + TRANSDUCER_STEPS_PER_RULE * len(facts.core.rules)
        limit = f"tree of {facts.core.names[key]}", steps if recurses else self._budget.steps
        self._limits[key] = limit
        return limit

    @cached_property
    def _transducer(self) -> Transducer:
        return Transducer(self._facts, self._budget)

    @cached_property
    def _charts(self) -> chart.Charts:
        return chart.Charts(self._facts, self._budget)

    def preferred(self, key: str, text: str) -> Trace | None:
        """Return the preferred derivation of a string, or None.

        Complexity: that of the transducer, or of the chart if the transducer does not support the string.
        """
        budget = self._budget
        operation, steps = self._limits.get(key) or self._limit_transducer(key)
        share = int(TRANSDUCER_SHARE * (budget.steps + budget.per_character * len(text)))
        limit = steps + TRANSDUCER_STEPS_PER_CHARACTER * len(text)
        part = Meter(budget, operation, min(limit, share), setting="TRANSDUCER_STEPS")
        try:
            return self._transducer.trace(key, text, part)
        except (TransducerError, LimitExceeded):
            meter = budget.meter(operation, len(text))
            meter.charge(part.steps)
            meter.hold(part.memory)
            table = self._charts.table(key, text, meter)
        if table is None:
            return None
        return next(choose.derivations(table, self._facts, key, len(text), meter, 1))

    def in_order(self, key: str, text: str, limit: int | None) -> Iterator[Trace]:
        """Return the derivations of a string, the preferred one first, each computed lazily.

        At most ``limit`` are returned. None returns all derivations that a tree can represent, which are
        finitely many. Complexity: that of the chart, plus the size of each derivation.
        """
        meter = self._budget.meter(f"derivations of {self._facts.core.names[key]}", len(text))
        table = None if limit == 0 else self._charts.table(key, text, meter)
        if table is None:
            return iter(())
        return choose.derivations(table, self._facts, key, len(text), meter, limit)

    def count(self, key: str, text: str) -> int | float:
        """Return the number of derivations of a string.

        The result is ``math.inf`` if a rule can contain itself over the same span. Complexity: at worst cubic
        in the length of the string.
        """
        meter = self._budget.meter(f"number of derivations of {self._facts.core.names[key]}", len(text))
        table = self._charts.table(key, text, meter)
        if table is None:
            return 0
        return count.count(table, key, len(text), meter)


class GrammarParsers(Protocol):
    """The states, recognizer and derivation parser of one grammar, each constructed lazily."""

    @property
    def derivatives(self) -> Derivatives: ...
    @property
    def expectations(self) -> stop.Expectations: ...
    @property
    def machine(self) -> Machine: ...
    @property
    def derivations(self) -> DerivationParser: ...


class Engine:
    """An engine for one rule, represented by its key."""

    def __init__(self, readers: GrammarParsers, key: str) -> None:
        self._readers = readers
        self._key = key

    def matches(self, text: str) -> bool:
        """Return whether the rule derives the string."""
        raise NotImplementedError

    def failure(self, text: str) -> stop.Failure | None:
        """Return where parsing stops, or None if the rule derives the string."""
        raise NotImplementedError

    def events(self, text: str) -> Trace | None:
        """Return the preferred derivation, or None."""
        return self._readers.derivations.preferred(self._key, text)


class AutomatonEngine(Engine):
    """Parse a rule that recursion cannot reach by its grammar's states, in linear time."""

    def matches(self, text: str) -> bool:
        reached = self._readers.derivatives.read(self._key, text)
        return len(reached) > len(text) and reached[-1].accepting

    def failure(self, text: str) -> stop.Failure | None:
        reached = self._readers.derivatives.read(self._key, text)
        offset, last = len(reached) - 1, reached[-1]
        if offset == len(text) and last.accepting:
            return None
        return stop.Failure(offset, self._readers.expectations.of(last.states), last.accepting, reached)


class GeneralEngine(Engine):
    """Parse any rule by the pushdown recognizer of its grammar, in linear time for ordinary strings."""

    def matches(self, text: str) -> bool:
        return self._readers.machine.read(self._key, (text,)).accepting

    def failure(self, text: str) -> stop.Failure | None:
        machine, derivatives = self._readers.machine, self._readers.derivatives
        reading = machine.read(self._key, (text,))
        if reading.accepting:
            return None
        reached = stop.viable_states(derivatives, self._key, text, reading.offset)
        following = stop.expected(machine.expected_terminals(reading.last), derivatives.core.names)
        return stop.Failure(reading.offset, following, reading.last.accepting, reached)
