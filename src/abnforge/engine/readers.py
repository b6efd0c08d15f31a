"""What reads by a grammar's states, and explains: kept from question to question, used by one at a time.

States are made as inputs ask for them, and are compared by identity. So a question takes the states, and all
that is known of them, for itself, and gives them back when it is answered: two threads never build on the
same ones, nobody waits for a lock, and states are dropped between questions alone. There are as many sets of
them as questions were ever under way at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, importing
from abnforge.engine.compilation import Compilation

# Imported where they are used, too: most questions need one of them.
if TYPE_CHECKING:
    from abnforge.automata.derivatives import Derivatives
    from abnforge.explain.explainer import Explainer
    from abnforge.parsing.api import DerivationParser, Engine
    from abnforge.parsing.lark import RuleParser
    from abnforge.parsing.recognizer.machine import Machine
    from abnforge.parsing.stop import Expectations
    from abnforge.parsing.trace import Spans
    from abnforge.parsing.trees import TreeBuilder


class _States:
    """The states of one grammar, made late: a declared mistake is explained without them."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation

    @property
    def full(self) -> bool:
        """Return whether there are more states than are worth keeping."""
        return "derivatives" in self.__dict__ and self.derivatives.full

    @cached_property
    def derivatives(self) -> Derivatives:
        """The states."""
        with importing:
            from abnforge.automata.derivatives import Derivatives

        made = self._compilation
        return Derivatives(made.core, made.facts, budget=made.budget)

    @cached_property
    def expectations(self) -> Expectations:
        """The rules and characters that they expect."""
        with importing:
            from abnforge.parsing.stop import Expectations

        return Expectations(self.derivatives)


class Readers:
    """States of one grammar, and the lanes and explainers of its rules over them. Rules are given by key."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self._states = _States(compilation)
        self._lanes: dict[tuple[str, str], Engine] = {}
        self._explainers: dict[str, Explainer] = {}

    @property
    def full(self) -> bool:
        """Whether more is known than is worth keeping for what is asked next."""
        return self._states.full or ("machine" in self.__dict__ and self.machine.full)

    @property
    def derivatives(self) -> Derivatives:
        """The states."""
        return self._states.derivatives

    @property
    def expectations(self) -> Expectations:
        """The rules and characters that the states expect."""
        return self._states.expectations

    @cached_property
    def machine(self) -> Machine:
        """The pushdown recognizer of the grammar."""
        with importing:
            from abnforge.parsing.recognizer.machine import Machine

        return Machine(self._compilation.plan)

    @cached_property
    def derivations(self) -> DerivationParser:
        """What tells derivations by rules of any kind."""
        with importing:
            from abnforge.parsing.api import DerivationParser

        return DerivationParser(self._compilation.facts, self._compilation.budget)

    @cached_property
    def builder(self) -> TreeBuilder:
        """What makes trees of derivations."""
        with importing:
            from abnforge.parsing.trees import TreeBuilder

        return TreeBuilder(self._compilation.tree_names)

    @cached_property
    def spans(self) -> Spans:
        """What tells derivations as flat sequences."""
        with importing:
            from abnforge.parsing.trace import Spans

        return Spans(self._compilation.core.names)

    def lane(self, key: str, engine: str, parser: Callable[[], RuleParser]) -> Engine:
        """The lane of that name that reads a rule; ``parser`` gives the rule's Lark parser."""
        found = self._lanes.get((key, engine))
        if found is None:
            found = self._lanes[key, engine] = self._make_lane(key, engine, parser)
        return found

    def _make_lane(self, key: str, engine: str, parser: Callable[[], RuleParser]) -> Engine:
        if engine == "lark":
            with importing:
                from abnforge.parsing.lark import LarkEngine

            return LarkEngine(self, key, parser())
        with importing:
            from abnforge.parsing.api import AutomatonEngine, GeneralEngine

        return AutomatonEngine(self, key) if engine == "automaton" else GeneralEngine(self, key)

    def explainer(self, key: str) -> Explainer:
        """What explains why a rule rejects an input."""
        found = self._explainers.get(key)
        if found is None:
            with importing:
                from abnforge.explain.explainer import Explainer

            made = self._compilation
            found = Explainer(self._states, made.bound, key, made.mistakes_of(key), made.mistakes_reader(key))
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
        if error is None and not self._readers.full:
            self._free.append(self._readers)
