"""Derivations of texts by rules that no automaton serves: the preferred one, all of them in order, how many.

The preferred one comes from the transducer (``transducer.reading``), in linear time; what that refuses, and
all that asks for more than one derivation, from a chart (``chart``) and the choice over it (``derivation``).
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge._lazy import cached_property
from abnforge.budget import Budget
from abnforge.engine.lanes.chart import Charts
from abnforge.engine.lanes.counting import count
from abnforge.engine.lanes.derivation import derivations
from abnforge.errors import LimitExceeded
from abnforge.grammar.facts import Facts
from abnforge.transducer.reading import Transducer
from abnforge.transducer.refusal import TransducerError
from abnforge.transducer.trace import Trace

# What the transducer may take of a text's budget, and in steps: what it takes for texts that people write,
# with much to spare. Where it does not suffice, the text is a tangle, which a chart is better at.
TRANSDUCER_SHARE = 0.5
TRANSDUCER_STEPS = 40_000
TRANSDUCER_STEPS_A_CHARACTER = 100


class Derivations:
    """What tells the derivations of texts by any rule of one grammar, which is given by its key.

    Not for several threads at once. Everything raises LimitExceeded beyond the budget, which is that of one
    question; whether it does depends on the rule and the text alone.
    """

    def __init__(self, facts: Facts, budget: Budget) -> None:
        self._facts = facts
        self._budget = budget

    @cached_property
    def _transducer(self) -> Transducer:
        return Transducer(self._facts, self._budget)

    @cached_property
    def _charts(self) -> Charts:
        return Charts(self._facts, self._budget)

    def preferred(self, key: str, text: str) -> Trace | None:
        """The preferred derivation of a text; None when there is none. Cost: as for the transducer, or, where
        it refuses, as for the chart and the choice over it.
        """
        meter = self._budget.meter(f"tree of {self._facts.core.names[key]}", len(text))
        most = TRANSDUCER_STEPS + TRANSDUCER_STEPS_A_CHARACTER * len(text)
        part = meter.part(meter.operation, min(most, int(TRANSDUCER_SHARE * meter.left)), "TRANSDUCER_STEPS")
        try:
            return self._transducer.trace(key, text, part)
        except (TransducerError, LimitExceeded):
            # Where the budget is spent, the first step of the chart says so.
            ends = self._charts.ends(key, text, meter)
        if ends is None:
            return None
        return next(derivations(ends, self._facts, key, len(text), meter, 1))

    def in_order(self, key: str, text: str, limit: int | None) -> Iterator[Trace]:
        """The derivations of a text, preferred first, each made when it is asked for; no more than ``limit``
        (None: all that a tree can have, which are finitely many).
        """
        meter = self._budget.meter(f"derivations of {self._facts.core.names[key]}", len(text))
        ends = None if limit == 0 else self._charts.ends(key, text, meter)
        if ends is None:
            return iter(())
        return derivations(ends, self._facts, key, len(text), meter, limit)

    def count(self, key: str, text: str) -> int | float:
        """How many derivations a text has; ``math.inf`` for infinitely many: then some rule can be below
        itself over the same span. Cost: at worst cubic in the length of the text.
        """
        meter = self._budget.meter(f"number of derivations of {self._facts.core.names[key]}", len(text))
        ends = self._charts.ends(key, text, meter)
        return 0 if ends is None else count(ends, key, len(text), meter)
