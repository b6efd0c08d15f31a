"""Convert an automaton to a definition by state elimination (Brzozowski and McCluskey 1963), or to rules.

The size of a definition depends on the order of elimination: the state that adds least is eliminated first
(Delgado and Morais 2004). For lists of words, and for strings that begin with such words, the definition is
as large as the automaton; in general, its size can be exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.budget import Budget, Meter
from abnforge.charset import CharSet, union
from abnforge.errors import GrammarError
from abnforge.grammar.core import (
    EPSILON,
    Chars,
    Core,
    Node,
    Ref,
    Repeat,
    Seq,
    alternatives,
    choice,
    lower,
    sequence,
)
from abnforge.grammar.regular import Elimination
from abnforge.grammar.syntax import BoundGrammar

with lazy:
    from abnforge import messages
    from abnforge.automata import algebra, dfa
    from abnforge.grammar import annotations as structured_comments
    from abnforge.grammar import facts, regular

if TYPE_CHECKING:
    from abnforge.automata.dfa import Automaton
    from abnforge.grammar.facts import Facts


# Additional states: before the start, and after all accepting states.
START, END = -1, -2

# The cost of an edge, in steps, and the memory of a part of an expression, in bytes.
_EDGE_COST = 2
_PART_BYTES = 100

_Sized = tuple[Node, int]  # a node, and its size with shared parts expanded


def edges_of(automaton: Automaton) -> dict[tuple[int, int], CharSet | None]:
    """Return the character sets of the edges between states of an automaton; None reads nothing."""
    edges: dict[tuple[int, int], CharSet | None] = {(START, 0): None}
    width = automaton.width
    for state in range(automaton.states):
        row = state * width
        charsets: dict[int, list[CharSet]] = {}
        for number, charset in enumerate(automaton.charsets):
            if (target := automaton.table[row + number]) >= 0:
                charsets.setdefault(target // width, []).append(charset)
        edges |= {(state, target): union(parts) for target, parts in charsets.items()}
        if row in automaton.accepting:
            edges[state, END] = None
    return edges


def to_node(automaton: Automaton, meter: Meter) -> Node | None:
    """Return a node without rules that derives an automaton's language, or None for the empty language.

    The node shares parts. Raises: LimitExceeded.
    """
    if not automaton.table:
        return None

    def union_of(one: _Sized, other: _Sized) -> _Sized:
        # The size counts a shared part each time it occurs, since code that walks the node visits it each
        # time.
        meter.charge(one[1] + other[1])
        return _either(one[0], other[0]), one[1] + other[1]

    def path(before: _Sized, loop: _Sized | None, after: _Sized) -> _Sized:
        meter.charge(_EDGE_COST)
        meter.hold(_PART_BYTES)
        node, size = loop or (EPSILON, 0)
        turns: Node = Repeat(node, 0, None) if size else EPSILON
        return sequence((before[0], turns, after[0])), before[1] + size + after[1]

    def weight(state: int) -> tuple[int, int]:
        """Return the growth of the definition when a state is eliminated, and the state."""
        leaving, entering = graph.leaving[state], graph.entering[state]
        after = [size for target, (_, size) in leaving.items() if target != state]
        before = [size for source, (_, size) in entering.items() if source != state]
        loop = leaving[state][1] if state in leaving else 0
        growth = (
            sum(before) * (len(after) - 1)
            + sum(after) * (len(before) - 1)
            + loop * (len(after) * len(before) - 1)
        )
        meter.charge()
        return growth, state

    edges: dict[tuple[int, int], _Sized] = {
        pair: (EPSILON, 0) if charset is None else (Chars(charset), 1)
        for pair, charset in edges_of(automaton).items()
    }
    meter.charge(_EDGE_COST * len(edges))
    meter.hold(_PART_BYTES * len(edges))
    graph = Elimination(edges, union_of, path)
    graph.run(range(automaton.states), weight)
    return graph.leaving[START][END][0]


def _either(one: Node, other: Node) -> Node:
    """Return the choice between two nodes; single characters are merged into one set."""
    items = [*alternatives(one), other]
    single = [item for item in items if isinstance(item, Chars)]
    if len(single) > 1:
        rest = [item for item in items if not isinstance(item, Chars)]
        items = [Chars(union(item.charset for item in single)), *rest]
    return choice(items)


def linear_rules(automaton: Automaton, name: str) -> Core:
    """Return a right-linear grammar of a language, with one rule for each state (Chomsky 1959).

    The first rule, named ``name``, derives the language.

    Complexity: linear in the table.
    """
    if not automaton.table:
        return Core({name: Ref(name)}, {name: name})
    keys = {
        row: f"{name} {row // automaton.width}" for row in range(0, len(automaton.table), automaton.width)
    }
    keys[0] = name
    rules: dict[str, Node] = {}
    for row, key in keys.items():
        moves: list[Node] = []
        for number, charset in enumerate(automaton.charsets):
            target = automaton.table[row + number]
            if target >= 0:
                moves.append(Seq((Chars(charset), Ref(keys[target]))))
        if row in automaton.accepting:
            moves.append(EPSILON)
        rules[key] = choice(moves)
    return Core(rules, {key: key for key in rules})


# Lower a grammar to core form, and convert exceptions (``;@ except``) to definitions.
#
# The difference of regular languages is regular. It is computed as an automaton and converted to a
# definition, which every engine can use like any other definition. Only the language is kept: rules that the
# original definition names do not become nodes of a tree. The difference of other languages may not be
# context-free.


def core_form(grammar: BoundGrammar, budget: Budget) -> Core:
    """Return the core form of a bound grammar, with differences converted to definitions.

    Raises: GrammarError if a rule in a difference is not known to be regular, or has a prose-val;
    LimitExceeded.
    Complexity: the cost of ``lower`` and of building the automata.
    """
    core = lower(grammar)
    if not grammar.has_exceptions:
        return core
    rules: dict[str, Node] = dict(core.rules)
    for key in _order(grammar):
        rules[key] = _difference(grammar, key, Core(rules, core.names), budget)
    return Core(rules, core.names)


def _order(grammar: BoundGrammar) -> Iterator[str]:
    """Yield the rules with exceptions, each after the rules that it needs."""
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
    node = to_node(automaton, meter)
    return Ref(key) if node is None else node  # ``a = a`` derives nothing


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
