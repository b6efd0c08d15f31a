"""Lower a grammar to core form, with exceptions (``;@ except``) as definitions.

The difference of regular languages is regular. It is computed as an automaton and converted to a definition,
so that every engine reads it like any other definition. Only the language is kept: the rules that the
definition of the rule names are not nodes of a tree. Differences of other languages may not be context-free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.budget import Budget, Meter
from abnforge.errors import GrammarError
from abnforge.grammar.core import Core, Node, Ref, lower
from abnforge.grammar.syntax import BoundGrammar

with lazy:
    from abnforge.automata import algebra, dfa, expressions, messages
    from abnforge.grammar import annotations as structured_comments
    from abnforge.grammar import facts, regular

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton
    from abnforge.grammar.facts import Facts


def core_form(grammar: BoundGrammar, budget: Budget) -> Core:
    """Return the core form of a bound grammar, with differences as definitions.

    Raises: GrammarError if a rule of a difference is not known to be regular, or has a prose-val;
    LimitExceeded.
    Complexity: that of ``lower``, and of the automata.
    """
    core = lower(grammar)
    if not grammar.has_exceptions:
        return core
    rules: dict[str, Node] = dict(core.rules)
    for key in _order(grammar):
        rules[key] = _difference(grammar, key, Core(rules, core.names), budget)
    return Core(rules, core.names)


def _order(grammar: BoundGrammar) -> Iterator[str]:
    """Yield the rules with exceptions, each after those that it needs."""
    edges = {
        key: tuple(dict.fromkeys(reference.name.lower() for reference in rule.references))
        for key, rule in grammar.rules.items()
    }
    for group in facts.components(edges):
        for key in group:
            if grammar.rules[key].excepted:
                if len(group) > 1 or key in edges[key]:
                    raise _error(grammar, key, "difference-cyclic")
                yield key


def _difference(grammar: BoundGrammar, key: str, core: Core, budget: Budget) -> Node:
    core_facts = facts.Facts(core)
    bodies = regular.regular_bodies(core_facts)
    rule = grammar.rules[key]
    meter = budget.meter(f"difference {rule.name}", code="automaton-too-large", rule=rule.name)
    operands = [key, *(reference.name.lower() for reference in rule.excepted)]
    whole, *excepted = (_automaton(grammar, key, operand, core_facts, bodies, meter) for operand in operands)
    automaton = reduce(lambda a, b: algebra.difference(a, b, meter), excepted, whole)
    node = expressions.to_node(automaton, meter)
    return Ref(key) if node is None else node  # a rule that is only itself derives nothing


def _automaton(
    grammar: BoundGrammar, key: str, operand: str, core_facts: Facts, bodies: Mapping[str, Node], meter: Meter
) -> Automaton:
    if (prose := core_facts.prose(operand)) is not None:
        raise _error(grammar, key, "difference-prose", prose=grammar.rules[prose[0]].name)
    if operand not in bodies:
        raise _error(grammar, key, "difference-not-regular", operand=grammar.rules[operand].name)
    return dfa.build(core_facts.core, bodies, operand, meter)


def _error(grammar: BoundGrammar, key: str, message_code: str, **data: str) -> GrammarError:
    rule = grammar.rules[key]
    names = tuple(reference.name for reference in rule.excepted)
    own = rule.origin == "file"
    return GrammarError(
        messages.message(message_code, rule=rule.name, excepted=names, **data),
        code=structured_comments.EXCEPT_CODE,
        source=grammar.source if own else None,
        span=rule.excepted[0].span if own else None,
        path=None if own else grammar.name,
        rule=rule.name,
    )
