"""What reads by a grammar's states, and explains: kept from question to question, used by one at a time.

States are made as inputs ask for them, and are compared by identity. So a question takes the states, and all
that is known of them, for itself, and gives them back when it is answered: two threads never build on the
same ones, nobody waits for a lock, and states are dropped between questions alone. There are as many sets of
them as questions were ever under way at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from abnforge.automaton.derivative import Derivatives
from abnforge.engine.compilation import Compilation
from abnforge.explain.expectations import Expectations
from abnforge.late import importing

# Imported where they are used, too: most questions need one of them.
if TYPE_CHECKING:
    from abnforge.engine.lanes.events import Event
    from abnforge.engine.lanes.lark import RuleParser
    from abnforge.engine.lanes.trees import ParseTree
    from abnforge.explain.failure import Failure
    from abnforge.explain.rejections import Explainer


class Lane(Protocol):
    """A way to read a text by a rule."""

    def matches(self, text: str) -> bool:
        """Whether the rule derives the text."""

    def failure(self, text: str) -> Failure | None:
        """Where reading stops; None when the rule derives the text."""

    def parse(self, text: str) -> ParseTree | None:
        """The tree of the preferred derivation; None when there is none."""

    def events(self, text: str) -> list[Event] | None:
        """The same tree as the begins and ends of rules."""


class Readers:
    """States of one grammar, and the lanes and explainers of its rules over them. Rules are given by key."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self.derivatives = Derivatives(compilation.core, compilation.facts, budget=compilation.budget)
        self.expectations = Expectations(self.derivatives)
        self._automaton_lanes: dict[str, Lane] = {}
        self._lark_lanes: dict[str, Lane] = {}
        self._explainers: dict[str, Explainer] = {}

    def lane(self, key: str, parser: RuleParser | None) -> Lane:
        """The lane that reads a rule: by its Lark parser, or by states alone."""
        lanes: dict[str, Lane] = self._automaton_lanes if parser is None else self._lark_lanes
        found = lanes.get(key)
        if found is None:
            found = lanes[key] = self._make_lane(key, parser)
        return found

    def _make_lane(self, key: str, parser: RuleParser | None) -> Lane:
        if parser is not None:
            with importing:
                from abnforge.engine.lanes.lark import LarkLane

            return LarkLane(parser, self.derivatives, key)
        with importing:
            from abnforge.engine.lanes.automaton import AutomatonLane

        made = self._compilation
        return AutomatonLane(self.derivatives, key, self.expectations, lambda: made.tree_names)

    def explainer(self, key: str) -> Explainer:
        """What explains why a rule rejects an input."""
        found = self._explainers.get(key)
        if found is None:
            with importing:
                from abnforge.explain.rejections import Explainer

            bound = self._compilation.bound
            sections = {name: rule.section for name, rule in bound.rules.items()}
            found = Explainer(
                self.derivatives,
                self.expectations,
                bound.name,
                key,
                sections,
                self._compilation.budget,
            )
            self._explainers[key] = found
        return found


class ReaderPool:
    """The readers of one grammar that no question uses at the moment."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self._free: list[Readers] = []

    def taken(self) -> Taken:
        """A context for one question: nobody else has its readers until it is answered."""
        try:
            readers = self._free.pop()
        except IndexError:  # all are taken
            readers = Readers(self._compilation)
        return Taken(readers, self._free)


class Taken:
    """Readers that are in use, and where they belong.

    They are dropped when too much has become known to them, and when the question ends in an exception, which
    may have left half of a state.
    """

    __slots__ = ("_free", "_readers")

    def __init__(self, readers: Readers, free: list[Readers]) -> None:
        self._readers = readers
        self._free = free

    def __enter__(self) -> Readers:
        return self._readers

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if error is None and not self._readers.derivatives.full:
            self._free.append(self._readers)
