"""Rewrite rules for parsing expression grammars, whose choices commit to the first alternative that matches.

A choice or a repetition of a parsing expression grammar (Ford 2004) is an atomic group of a regular
expression. So the rules of a regular rule are a pattern, and ``regex.proof`` compares the pattern with the
rule's automaton.

The first candidates are the rules in the order of the grammar, and with longer alternatives first. Then come
the same rules without alternatives that others cover. The last candidate has a rule for each state of the
automaton, whose alternatives begin with different characters.

Rules with recursion keep their order; only an alternative that can be empty moves to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from abnforge.automata.dfa import Automaton
from abnforge.budget import Meter
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref, Repeat, Seq, map_parts
from abnforge.grammar.facts import Facts, predictions
from abnforge.notations import rules as changes
from abnforge.regex.ast import (
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Regex,
    width,
)
from abnforge.regex.dialects import PCRE2
from abnforge.regex.errors import UndecidedError
from abnforge.regex.proof import tree_difference
from abnforge.regex.writer import RulePatterns

MAX_PATTERN = 20_000
"""The maximum number of nodes of rules that are compared with an automaton."""

MAX_STATES = 2_000
"""The maximum number of states of an automaton that become rules."""

MAX_PROOF_STEPS = 300_000
"""The maximum number of steps for one comparison."""


def regular_rules(core: Core, key: str, automaton: Automaton, meter: Meter) -> Core | None:
    """Return rules without recursion as rules of a parsing expression grammar with the same strings.

    The result is None if only the states of the automaton are left, and they exceed MAX_STATES. Raises
    LimitExceeded. Cost: that of four proofs at most.
    """
    for candidate in _candidates(core, automaton, meter):
        try:
            tree = _Patterns(candidate.rules).of(key)
            limited = meter.part("proof of ordered rules", MAX_PROOF_STEPS, "MAX_PROOF_STEPS")
            if tree_difference(tree, automaton, PCRE2, limited) is None:
                return candidate
        except (UndecidedError, changes.SizeError):
            continue
        except LimitExceeded as error:
            if error.setting != "MAX_PROOF_STEPS":
                raise
    if automaton.states > MAX_STATES:
        return None
    return changes.restricted(changes.of_automaton(automaton, core.names[key]), "0", PCRE2.alphabet)


def recursive_rules(core: Core, key: str) -> tuple[Core, list[str]]:
    """Return rules of a parsing expression grammar, and the names of those that it does not decide.

    If the next character decides each choice and each repetition (LL(1)), the first alternative that matches
    is the only one that can lead to a match (Redziejowski 2008). An alternative that can be empty comes last.
    The grammar has the same strings if no rule is undecided. Cost: linear, except within groups of recursive
    rules.
    """
    facts = Facts(core)
    _, conflicts = predictions(facts, key, facts.language_bounds)
    undecided = [core.names.get(name, name) for name, each in conflicts.items() if each.chars or each.end]
    return _reordered(core, lambda items: sorted(items, key=facts.is_nullable)), undecided


def _candidates(core: Core, automaton: Automaton, meter: Meter) -> Iterator[Core]:
    yield core
    yield _reordered(core, _longest_first(core))
    patterns = RulePatterns(core, core.rules, lambda _: automaton)
    core = _reordered(core, lambda items: [items[index] for index in patterns.uncovered(meter, items)])
    yield core
    yield _reordered(core, _longest_first(core))


class _Patterns:
    """Patterns of rules with the semantics of parsing expressions."""

    def __init__(self, rules: Mapping[str, Node]) -> None:
        self._rules = rules
        self._patterns: dict[str, tuple[Regex, int]] = {}
        self._nodes = 0

    def of(self, key: str) -> Regex:
        if key not in self._patterns:
            before = self._nodes
            pattern = self.node(self._rules[key])
            self._patterns[key] = pattern, self._nodes - before
        else:
            self._nodes += self._patterns[key][1]
        if self._nodes > MAX_PATTERN:
            raise changes.SizeError
        return self._patterns[key][0]

    def node(self, node: Node) -> Regex:
        self._nodes += 1
        match node:
            case Chars(charset=charset):
                return CharacterClass(charset)
            case Ref(key=key):
                return self.of(key)
            case Seq(items=items):
                return Concat(tuple(map(self.node, items)))
            case Choice(items=items):
                return AtomicGroup(Alternatives(tuple(map(self.node, items))))
            case Repeat(item=item, min=low, max=high):
                return AtomicGroup(Iteration(self.node(item), low, high))
        raise AssertionError("prose cannot be exported")


def _longest_first(core: Core) -> Callable[[Sequence[Node]], list[Node]]:
    """Return a function that sorts alternatives by their minimum length, in descending order."""
    patterns = _Patterns(core.rules)
    return lambda items: sorted(items, key=lambda item: -width(patterns.node(item))[0])


def _reordered(core: Core, order: Callable[[Sequence[Node]], list[Node]]) -> Core:
    def changed(node: Node) -> Node:
        if isinstance(node, Choice):
            return changes.choice(order(list(map(changed, node.items))))
        return map_parts(node, changed)

    return Core({key: changed(node) for key, node in core.rules.items()}, core.names)
