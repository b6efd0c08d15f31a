"""Trace the alternatives that were tried before the successful ones, and the lengths of their matches.

At every position where a rule is a choice among rules, the trace has the alternatives before the successful
one, and their matches. Only regular alternatives are tried, by their automata, as a first-match parser would
do (RFC 3986, 3.2.2: "first-match-wins").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abnforge._arguments import Text, instance_argument
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar import syntax
from abnforge.teaching.derivations import Node, children_of, nodes_of

_LOOKS_A_STEP = 20


@dataclass(frozen=True, slots=True)
class FailedAlternative:
    """An unsuccessful alternative, which matched ``text[start:end]`` from the choice's ``start``.

    ``complete`` says whether the rule matches this string completely: then the rest of the input did not
    match.
    """

    rule: str
    end: int
    complete: bool


@dataclass(frozen=True, slots=True)
class TraceChoice:
    """A choice of a rule at a position: ``attempts`` failed, ``taken`` matched ``text[start:end]``.

    If none of the attempts matched anything, ``times`` is the number of positions with the same choice; only
    the first position is shown.
    """

    rule: str
    start: int
    end: int
    attempts: tuple[FailedAlternative, ...]
    taken: str
    times: int = 1


def trace(rule: Rule, text: Text) -> list[TraceChoice]:
    """Return the choices in a string, from left to right, outer rules before inner ones.

    These are the choices of the preferred derivation, or those before the mistake of a rejected string.
    Raises TypeError, LimitExceeded. Cost: the same as for ``rule.parse``, plus the length of the match of
    each attempt.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    return choices_of(rule, nodes_of(rule, plain) if rule.matches(plain) else read_nodes(rule, plain), plain)


def choices_of(rule: Rule, nodes: Sequence[Node], text: str) -> list[TraceChoice]:
    """Return the choices for the nodes of a tree, or of its matched part."""
    choices = _Choices(rule.grammar)
    meter = rule.grammar.compilation.budget.meter(f"trace of {rule.name}", len(text))
    below = children_of(nodes)
    traced: list[TraceChoice] = []
    # choices without a successful attempt, and their first positions
    first_places: dict[tuple[str, ...], int] = {}
    for index, node in enumerate(nodes):
        if node.rule is None or len(below[index]) != 1:
            continue
        node_taken = nodes[below[index][0]]
        alternatives = choices.of(node.rule)
        if node_taken.rule is None or node_taken.rule.lower() not in alternatives:
            continue
        attempts = []
        for key in alternatives[: alternatives.index(node_taken.rule.lower())]:
            meter.charge(1 + (node.end - node.start) // _LOOKS_A_STEP)
            attempt = choices.attempt(key, text, node.start, node.end)
            if attempt is not None:
                attempts.append(attempt)
        if not attempts:
            continue
        here = TraceChoice(node.rule, node.start, node.end, tuple(attempts), node_taken.rule)
        if all(each.end == here.start for each in attempts):
            alike = here.rule, here.taken, *(each.rule for each in attempts)
            if alike in first_places:
                first = traced[first_places[alike]]
                traced[first_places[alike]] = replace(first, times=first.times + 1)
                continue
            first_places[alike] = len(traced)
        traced.append(here)
    return traced


def read_nodes(rule: Rule, text: str) -> list[Node]:
    """Return the nodes of the matched part of a rejected string; none if unknown. Raises LimitExceeded."""
    lesson = rule.lesson(text)
    nodes: list[Node] = []
    open_: list[Node] = []
    for part in () if lesson is None else lesson.parts:
        same = 0
        while same < min(len(open_), len(part.rule_path)) and open_[same].rule == part.rule_path[same]:
            same += 1
        del open_[same:]
        for name in part.rule_path[same:]:
            open_.append(Node(name, len(open_), part.start, part.end))
            nodes.append(open_[-1])
        for each in open_:
            each.end = part.end
    return nodes


class _Choices:
    """Finds the alternatives of rules that are single rules, and their matches."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._known: dict[str, list[str]] = {}

    def of(self, name: str) -> list[str]:
        """Return the keys of a rule's alternatives that are one rule each, in order."""
        key = name.lower()
        if key not in self._known:
            bound = self._grammar.compilation.bound.rules.get(key)
            keys = [] if bound is None else [_only(each) for each in bound.elements.alternatives]
            self._known[key] = [each for each in keys if each is not None]
        return self._known[key]

    def attempt(self, key: str, text: str, start: int, end: int) -> FailedAlternative | None:
        """Return the length of a rule's match; None if it is not known to be regular, or too large."""
        rule = self._grammar[key]
        if not rule.regular:
            return None
        try:
            automaton = rule.automaton
        except (GrammarError, LimitExceeded):
            return None
        length, row = automaton.read(text[start:end])
        return FailedAlternative(rule.name, start + length, row in automaton.accepting)


def _only(alternative: syntax.Concatenation) -> str | None:
    """Return the key of the rule of an alternative that is one rule; None for other alternatives."""
    if len(alternative.items) != 1:
        return None
    item = alternative.items[0]
    plain = item.min == item.max == 1 and isinstance(item.element, syntax.RuleName)
    return item.element.name.lower() if plain and isinstance(item.element, syntax.RuleName) else None
