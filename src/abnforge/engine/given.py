"""A rule of an automaton that did not come from a grammar: it is written as ABNF, and known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from abnforge._lazy import cached_property, importing
from abnforge.automaton.dfa import Automaton
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.engine.writing import abnf_of
from abnforge.grammar.core import Node
from abnforge.grammar.syntax import BoundGrammar

if TYPE_CHECKING:
    from abnforge.backends.regex.patterns import Patterns
    from abnforge.pushdown.machine import Plan


def rule_of(automaton: Automaton, name: str, grammar: str, budget: Budget = DEFAULT) -> Rule:
    """The rule of an automaton, in a grammar so called. It is asked, explained, compared, combined and
    exported like any other rule.

    Raises ValueError for what cannot be a rule's name. Cost: that of writing it, below a second.
    """
    return _grammar(abnf_of(automaton, name), name, grammar, automaton, budget)[name]


def _grammar(text: str, name: str, title: str, automaton: Automaton, budget: Budget) -> Grammar:
    bound = loads(text, name=title, budget=budget, cache=False).compilation.bound
    made = Given(bound, budget, name.lower(), automaton)
    return Grammar(made, (_grammar, (text, name, title, automaton, budget)))


class Given(Compilation):
    """A grammar of which one rule's automaton is known. Its other rules are compiled as those of any other
    grammar: a rule for each state may recurse in larger groups than are solved there.
    """

    def __init__(self, bound: BoundGrammar, budget: Budget, key: str, automaton: Automaton) -> None:
        super().__init__(bound, budget)
        self._key = key
        self._automaton = automaton

    def is_regular(self, key: str) -> bool:
        return key == self._key or super().is_regular(key)

    def is_long_list(self, key: str) -> bool:
        return key in self.bodies and super().is_long_list(key)

    def _build(self, key: str, meter: Meter, *, quick: bool) -> Automaton:
        if key == self._key:
            return self._automaton
        return super()._build(key, meter, quick=quick)

    @cached_property
    def _solved(self) -> Mapping[str, Node]:
        with importing:
            from abnforge.grammar.regular import regular_bodies

        return regular_bodies(self.facts)

    @cached_property
    def bodies(self) -> Mapping[str, Node]:
        """Bodies without recursion, of this rule one made of its automaton where that is small."""
        with importing:
            from abnforge.backends.regex.elimination import expressions
            from abnforge.backends.regex.tree import to_core

        if self._key in self._solved:
            return self._solved
        made = next(expressions(self._automaton), None)
        return self._solved if made is None else {**self._solved, self._key: to_core(made)}

    @cached_property
    def plan(self) -> Plan:
        """How the rules are read as they are written."""
        with importing:
            from abnforge.pushdown.machine import Plan

        return Plan(self.facts, self._solved, self.budget)

    @cached_property
    def patterns(self) -> Patterns:
        """The regular rules as patterns. Raises TooLargeError where the rule itself has no expression."""
        with importing:
            from abnforge.backends.regex.messages import message
            from abnforge.backends.regex.patterns import Patterns
            from abnforge.backends.regex.tree import TooLargeError

        if self._key not in self.bodies:
            raise TooLargeError(message("regex-states", states=self._automaton.states))
        return Patterns(self.core, self.bodies, self.small_automaton)
