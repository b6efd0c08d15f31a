"""The pushdown recogniser of a grammar, for all of its rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.analysis.core_form import Chars, Node
from abnforge.analysis.facts import Facts, walk
from abnforge.budget import Budget, Meter
from abnforge.charset import partition
from abnforge.pushdown.calls import called_rules
from abnforge.pushdown.configurations import Configurations
from abnforge.pushdown.network import Network
from abnforge.pushdown.reading import Reading, Representatives


class Machine:
    """What reads texts by any rule of one grammar. ``bodies`` are recursion-free bodies of its regular rules.

    Not for several threads at once. Exact for every context-free grammar. Raises LimitExceeded when making
    the network takes more than the budget.
    """

    def __init__(self, facts: Facts, bodies: Mapping[str, Node], budget: Budget) -> None:
        core = facts.core
        self._facts = facts
        self._budget = budget
        self.bodies = {key: bodies.get(key, body) for key, body in core.rules.items()}
        meter = budget.meter("making the network of the grammar")
        called = called_rules(facts, self.bodies, meter)
        sets = [n.charset for body in self.bodies.values() for n in walk(body) if isinstance(n, Chars)]
        meter.charge(10 * len(sets))
        classes = partition(sets)
        self.table = Representatives(classes)
        self.network = Network(facts, self.bodies, called, classes, budget)
        self.configurations = Configurations(self.network)

    @property
    def size(self) -> int:
        """How many things are kept for what is read next."""
        return self.network.size + self.configurations.size

    def reading(self, key: str, meter: Meter) -> Reading:
        """Begin to read a text by a rule."""
        return Reading(self.configurations, key, self.table, meter)

    def read(self, key: str, pieces: Iterable[str], meter: Meter) -> Reading:
        """Read a text, given in pieces, as far as it can be read."""
        reading = self.reading(key, meter)
        for piece in pieces:
            if not reading.feed(piece):
                break
        return reading
