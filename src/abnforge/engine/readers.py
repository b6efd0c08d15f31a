"""Pool the readers of a grammar: states, parsers and explainers that one call at a time uses.

Readers create states as inputs need them, and compare states by identity. So each call takes readers from the
pool and returns them at its end. Two threads never extend the same states, threads do not wait for locks, and
states are dropped only between calls. A pool contains as many readers as the maximum number of simultaneous
calls so far.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, lazy
from abnforge.engine.compilation import Compilation
from abnforge.grammar.core import Prose
from abnforge.records import attributes
from abnforge.rejection import NOT_UTF8, Hypothesis, Rejection

with lazy:
    from abnforge.automata import derivatives
    from abnforge.explain import explainer as explainer_module
    from abnforge.explain import repairs
    from abnforge.parsing import api, lark, stop, trace
    from abnforge.parsing.recognizer import machine

# Most calls need only one of these.
if TYPE_CHECKING:
    from abnforge.automata.derivatives import Derivatives
    from abnforge.automata.dfa import Automaton
    from abnforge.explain.explainer import Explainer
    from abnforge.explain.repairs import Repairer
    from abnforge.parsing.recognizer.machine import Machine


class _States:
    """The states of one grammar, created on demand: explanations by declared mistakes do not need any."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation

    @property
    def full(self) -> bool:
        """True if there are too many states to keep."""
        return "derivatives" in self.__dict__ and self.derivatives.full

    @cached_property
    def derivatives(self) -> Derivatives:
        compilation = self._compilation
        return derivatives.Derivatives(compilation.facts, budget=compilation.budget)

    @cached_property
    def expectations(self) -> stop.Expectations:
        """The expected characters in the states, by rule."""
        return stop.Expectations(self.derivatives)


class GrammarReaders:
    """The states of one grammar, and its rules' engines and explainers over these states, by key."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self._states = _States(compilation)
        self._engines: dict[tuple[str, str], api.Engine] = {}
        self._explainers: dict[str, Explainer] = {}
        self._repairers: dict[str, Repairer] = {}

    @property
    def full(self) -> bool:
        """True if there are too many states to keep."""
        return self._states.full or ("machine" in self.__dict__ and self.machine.full)

    @property
    def derivatives(self) -> Derivatives:
        return self._states.derivatives

    @property
    def expectations(self) -> stop.Expectations:
        """The expected characters in the states, by rule."""
        return self._states.expectations

    @cached_property
    def machine(self) -> Machine:
        """The pushdown recognizer of the grammar."""
        return machine.Machine(self._compilation.plan)

    @cached_property
    def derivations(self) -> api.DerivationParser:
        """The chart parser for all derivations of a string."""
        return api.DerivationParser(self._compilation.facts, self._compilation.budget)

    @cached_property
    def builder(self) -> trace.TreeBuilder:
        return trace.TreeBuilder(self._compilation.tree_names)

    @cached_property
    def spans(self) -> trace.Spans:
        """The converter of derivations to flat events."""
        return trace.Spans(self._compilation.core.names)

    def engine(self, key: str, name: str, parser: Callable[[], lark.RuleParser]) -> api.Engine:
        """Return an engine by name for a rule; ``parser`` returns the rule's Lark parser."""
        engine = self._engines.get((key, name))
        if engine is None:
            engine = self._engines[key, name] = self._make_engine(key, name, parser)
        return engine

    def _make_engine(self, key: str, name: str, parser: Callable[[], lark.RuleParser]) -> api.Engine:
        if name == "lark":
            return lark.LarkEngine(self, key, parser())
        return api.AutomatonEngine(self, key) if name == "automaton" else api.GeneralEngine(self, key)

    def explainer(self, key: str) -> Explainer:
        """Return the explainer of a rule's rejections."""
        explainer = self._explainers.get(key)
        if explainer is None:
            compilation = self._compilation
            mistakes, interpreter = compilation.mistakes_of(key), compilation.mistakes_reader(key)
            explainer = explainer_module.Explainer(
                self._states, compilation.bound, key, mistakes, interpreter
            )
            self._explainers[key] = explainer
        return explainer

    def repairer(self, key: str) -> Repairer:
        """Return the finder of repairs by a rule."""
        repairer = self._repairers.get(key)
        if repairer is None:
            compilation = self._compilation
            source: Automaton | Machine | None = compilation.automaton_or_none(key)
            if source is None:
                is_set = isinstance(compilation.core.rules[key], Prose)  # a rule defined by set algebra
                source = compilation.automaton(key) if is_set else self.machine
            name = compilation.bound.outline[key].name
            repairer = self._repairers[key] = repairs.Repairer(name, key, compilation.budget, source)
        return repairer


class ReaderPool:
    """The readers of one grammar that are not in use."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self._free: list[GrammarReaders] = []

    def taken(self) -> Taken:
        """Return a context manager that reserves readers for one call."""
        try:
            readers = self._free.pop()
        except IndexError:  # all readers are in use
            readers = GrammarReaders(self._compilation)
        return Taken(readers, self._free)


class Taken:
    """Readers in use, and their pool.

    The readers are dropped if they have too many states, or if the call raises an exception, which can leave
    a state incomplete.
    """

    __slots__ = ("_free", "_readers")

    def __init__(self, readers: GrammarReaders, free: list[GrammarReaders]) -> None:
        self._readers = readers
        self._free = free

    def __enter__(self) -> GrammarReaders:
        return self._readers

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if error is None and not self._readers.full:
            self._free.append(self._readers)


def explain_broken(
    readers: GrammarReaders, engine: api.Engine, key: str, text: str, broken: int
) -> Rejection:
    """Return the rejection of a string whose first byte that is not UTF-8 is at offset ``broken``.

    In ``text``, such bytes are represented as surrogates. The longest viable prefix ends there, or at an
    earlier character that the rule does not allow.
    """
    prefix = text[:broken]
    failure = engine.failure(prefix)
    explainer = readers.explainer(key)
    if failure is not None and failure.offset < broken:
        return explainer.explain(text, failure, engine.matches, suggest=False).to_byte_offsets()
    if failure is None:  # the rule matches the prefix
        reached = readers.derivatives.read(key, prefix)
        expected = readers.expectations.of(reached[-1].states) if len(reached) > broken else ()
        failure = stop.Failure(broken, expected, True, reached)
    return not_utf8(
        explainer.explain(prefix, failure, engine.matches, suggest=False), text, broken
    ).to_byte_offsets()


def not_utf8(rejection: Rejection, text: str, broken: int) -> Rejection:
    """Convert the rejection of the string before offset ``broken`` to one for the byte there.

    The facts about the offset stay; all other fields are about another mistake.
    """
    offset = len(text[:broken].encode())
    message = f"byte 0x{ord(text[broken]) & 0xFF:02X} at byte offset {offset} is not UTF-8"
    mistake = Hypothesis(rejection.rule_path, broken, broken + 1, rejection.expected, message, NOT_UTF8)
    facts = attributes(rejection, "grammar rule offset expected rule_path section end_expected")
    return Rejection(
        **facts,
        input=text,
        found=text[broken],
        message=message,
        hypotheses=(mistake,),
        code=NOT_UTF8,
        component=rejection.rule,
    )
