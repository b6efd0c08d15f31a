"""What a rule that is made of other rules compiles to: its automaton is that of set algebra.

The rule stands in a grammar of its own, beside the rules that its trees and rejections name. These stay
rules of the grammars that they come from, and nothing of them is compiled here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from abnforge.budget import Meter
from abnforge.engine.combination import OR, Combination, derived_from, others
from abnforge.engine.compilation import Compilation
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Choice, Core, Node, Prose, Ref
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    ProseVal,
    Repetition,
    Rule,
)
from abnforge.late import importing
from abnforge.once import once

if TYPE_CHECKING:
    from abnforge.automaton.bounded import Bounded
    from abnforge.automaton.dfa import Automaton
    from abnforge.backends.regex.patterns import Patterns
    from abnforge.backends.regex.tree import Regex
    from abnforge.explain.bind import BoundMistakes
    from abnforge.explain.reading import Reader
    from abnforge.tables.points import PointAutomaton


class Combined(Compilation):
    """The same for a rule made of others; ``key`` is its own."""

    combined: Combination

    def __init__(self, made: Combination) -> None:
        self._left: Compilation = made.left.grammar.compilation
        self.others = others(made)
        super().__init__(_bound_grammar(made, self.others), self._left.budget)
        self.combined = made
        self.key = made.name.lower()

    @once
    def core(self) -> Core:
        """The rules; its own is told in words, as its definition is."""
        rules: dict[str, Node] = {self.key: Prose(self.combined.meaning)}
        rules |= {key: rule.grammar.core.rules[key] for key, rule in self.others.items()}
        return Core(rules, {key: rule.name for key, rule in self.bound.rules.items()})

    @once
    def bodies(self) -> Mapping[str, Node]:
        """The rule as an expression: a choice, one made of its automaton, or its operand's made narrower.
        Raises UnsafeError.
        """
        with importing:
            from abnforge.backends.regex.elimination import expressions
            from abnforge.backends.regex.messages import message
            from abnforge.backends.regex.tree import TooLargeError, UnsafeError, to_core

        made = self.combined
        if made.operation == OR and self._left.combined is None and made.is_of_one_grammar:
            return {**self._left.bodies, self.key: Choice(tuple(Ref(each.key) for each in made.operands))}
        try:
            automaton = self.small_automaton(self.key)
            for expression in expressions(automaton):
                return {self.key: to_core(expression)}
            if not automaton.table:
                raise UnsafeError(message("regex-empty"))
            narrower = self._narrowed()
        except LimitExceeded as error:
            raise TooLargeError(error.message) from None
        if narrower is not None:
            return {**derived_from(made.left).grammar.compilation.bodies, self.key: to_core(narrower)}
        raise TooLargeError(message("regex-states", states=automaton.states))

    def _narrowed(self) -> Regex | None:
        """The expression of the rule that this one narrows, made narrower. Raises TooLargeError,
        LimitExceeded.
        """
        with importing:
            from abnforge.automaton.dfa import QUICK_SHARE
            from abnforge.backends.regex.expression import regex_tree
            from abnforge.backends.regex.narrowing import narrowed

        root = derived_from(self.combined.left)
        if root is None or self.combined.bound is not None:
            return None
        operation = f"pattern of {self.combined.name}"
        meter = self.budget.meter(operation).share(operation, QUICK_SHARE)
        by = self.combined.narrowing(meter)
        if by is None:
            return None
        bodies = root.grammar.compilation.bodies
        if root.key not in bodies:  # an automaton that is too large for an expression
            return None
        return narrowed(regex_tree(bodies, root.key), by, meter)

    @once
    def patterns(self) -> Patterns:
        with importing:
            from abnforge.backends.regex.patterns import Patterns

        return Patterns(Core(self.bodies, self.core.names), self.bodies, self._automaton_of)

    def _automaton_of(self, key: str) -> Automaton:
        if key == self.key:
            return self.small_automaton(key)
        found: Automaton = derived_from(self.combined.left).grammar.compilation.small_automaton(key)
        return found

    def is_regular(self, key: str) -> bool:
        return key == self.key

    def _build(self, key: str, meter: Meter, *, quick: bool) -> Automaton:
        with importing:
            from abnforge.automaton.dfa import QUICK_SHARE

        return self.combined.build(meter.share(meter.operation, QUICK_SHARE) if quick else meter)

    @once
    def bounded(self) -> Bounded:
        """What reads a text as far as it is viable. Raises LimitExceeded."""
        with importing:
            from abnforge.automaton.bounded import Bounded

        bound = self.combined.bound
        return Bounded(self.automaton(self.key)) if bound is None else Bounded(bound[0].automaton, bound[1])

    def viable(self, text: str) -> int:
        """The length of the longest prefix of a text that a string of the rule begins with. Raises
        LimitExceeded. Cost: linear.
        """
        bound = self.combined.bound
        table = self.table(self.key)
        if table is None and bound is not None:
            table = bound[0].grammar.compilation.table(bound[0].key)
        if table is not None:
            offset: int = table.read(text)[0]
            if bound is None or offset + self.bounded.furthest <= bound[1]:  # no shorter text is wanted
                return offset
        return self.bounded.read(text)[0]

    def is_long_list(self, key: str) -> bool:
        return False

    def tagged(
        self, key: str, parts: Mapping[str, tuple[str, ...]], kinds: Mapping[str, tuple[str, ...]]
    ) -> PointAutomaton | None:
        """The left operand's, of the rule's own texts; None where not all of these are the operand's."""
        made = self.combined
        if not made.is_narrower:
            return None
        with importing:
            from abnforge.tables.product import narrowed

        points = self._left.tagged(made.left.key, parts, kinds)
        meter = self.budget.meter(f"tagged automaton of {made.name}")
        try:
            return points and narrowed(points, self.small_automaton(key), meter)
        except LimitExceeded:
            return None

    def prose(self, key: str) -> None:
        """None: a rule that needs a prose-val is not combined."""

    def mistakes_of(self, key: str) -> BoundMistakes:
        return self._left.mistakes_of(self.combined.left.key if key == self.key else key)

    def mistakes_reader(self, key: str) -> Reader | None:
        """None: the operands read mistakes."""
        return None


def _bound_grammar(made: Combination, others: Mapping[str, Any]) -> BoundGrammar:
    section = made.left.section if made.is_narrower else None
    elements = Alternation((Concatenation((Repetition(ProseVal(made.meaning)),)),))
    own = BoundRule(made.name, elements, "combined", section, Rule(made.name, elements, section=section))
    known = {key: rule.grammar.compilation.bound.rules[key] for key, rule in others.items()}
    source = made.left.grammar.compilation.bound.source
    return BoundGrammar(made.grammar_name, source, MappingProxyType({made.name.lower(): own, **known}))
