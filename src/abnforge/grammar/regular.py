"""Find rules with regular languages, and a recursion-free body for each of them.

A rule denotes a regular language if, within each group of mutually recursive rules, all recursion is right
recursion (``a = "x" a / "y"``) or all is left recursion. Such grammars are called "strongly regular" (Chomsky
1959; Mohri and Nederhof 2001). Such a group is a system of linear equations. Elimination with Arden's lemma
solves it: ``X = aX + b`` has the least solution ``*a b``. Whether any other recursion denotes a regular
language is undecidable; ``parsing`` matches these rules.

The solution keeps the language, but not the trees: recursion becomes repetition.

``Elimination`` works on graphs, whose states it removes one by one (Brzozowski and McCluskey 1963).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from abnforge.grammar.core import EPSILON, Choice, Node, Ref, Repeat, Seq, choice, sequence
from abnforge.grammar.facts import Facts, components, walk
from abnforge.records import dataclass

# The maximum size of a group of mutually recursive rules. Elimination multiplies out the definitions; no
# specification needs larger groups.
MAX_GROUP = 12
# The maximum number of nodes in a solution.
MAX_SOLUTION = 20_000
# The maximum for :func:`without_end_recursion`: a larger solution is less clear than the rule.
MAX_RESTATED = 500


State = TypeVar("State", bound=Hashable)
Label = TypeVar("Label")


class Elimination(Generic[State, Label]):
    """A graph whose states are eliminated one by one.

    ``union`` combines the labels of two edges between the same states. ``path`` combines the labels of an
    edge to a state, of the state's loop, if any, and of an edge from the state.
    """

    def __init__(
        self,
        edges: Mapping[tuple[State, State], Label],
        union: Callable[[Label, Label], Label],
        path: Callable[[Label, Label | None, Label], Label],
    ) -> None:
        self._union = union
        self._path = path
        self.leaving: dict[State, dict[State, Label]] = {}
        self.entering: dict[State, dict[State, Label]] = {}
        for (source, target), label in edges.items():
            self._set(source, target, label)

    def _set(self, source: State, target: State, label: Label) -> None:
        self.leaving.setdefault(source, {})[target] = label
        self.entering.setdefault(target, {})[source] = label

    def eliminate(self, state: State) -> None:
        """Replace all paths through a state with edges."""
        after = self.leaving.pop(state, {})
        before = self.entering.pop(state, {})
        loop = after.pop(state, None)
        before.pop(state, None)
        for target in after:
            del self.entering[target][state]
        for source, first in before.items():
            edges = self.leaving[source]
            del edges[state]
            for target, last in after.items():
                label = self._path(first, loop, last)
                if target in edges:
                    label = self._union(edges[target], label)
                self._set(source, target, label)

    def run(self, states: Iterable[State], weight: Callable[[State], Any]) -> None:
        """Eliminate states, always choosing the state of least weight."""
        remaining = set(states)
        while remaining:
            state = min(remaining, key=weight)
            remaining.remove(state)
            self.eliminate(state)


@dataclass(frozen=True, slots=True)
class _Term:
    """One alternative of an equation: ``node`` next to the rule ``key`` (None: no rule)."""

    node: Node
    key: str | None


class _NotLinearError(Exception):
    pass


def regular_bodies(facts: Facts) -> Mapping[str, Node]:
    """Return a body without recursion for every rule that is known to be regular, by key.

    A rule is missing if its language is not known to be regular, or if it refers to a missing rule. Cost:
    linear in the grammar, and cubic in the size of each recursive group.
    """
    core = facts.core
    # A rule that derives nothing is regular; so is ``a = a``, which derives nothing.
    bodies: dict[str, Node] = {key: Ref(key) for key in core.rules if key not in facts.productive}
    for component in components(facts.references):
        group = [key for key in component if key in facts.productive]
        members = frozenset(group)
        outside = {key for member in group for key in facts.references[member]} - members
        if not outside <= bodies.keys():
            continue
        if len(group) == 1 and group[0] not in facts.references[group[0]]:
            bodies[group[0]] = core.rules[group[0]]
        elif len(group) <= MAX_GROUP:
            for right in (True, False):
                try:
                    equations = {key: list(_terms(core.rules[key], members, right, facts)) for key in group}
                    bodies |= _solve(equations, right)
                    break
                except _NotLinearError:
                    continue
    return bodies


def without_end_recursion(facts: Facts) -> Mapping[str, Node]:
    """Return a body for each productive rule, without recursion at its ends if elimination succeeds.

    The body has the same language. Recursion elsewhere is treated as a constant: ``X = a(X) X + b(X)`` and
    ``X = *a(X) b(X)`` have the same least solution (Bekic 1969). The cost is that of :func:`regular_bodies`.
    """
    bodies = {key: node for key, node in facts.core.rules.items() if key in facts.productive}
    for right in (False, True):
        edges = {
            key: tuple(sorted({end for end in _ends(node, right) if end in bodies}))
            for key, node in bodies.items()
        }
        for group in components(edges):
            if len(group) > MAX_GROUP or (len(group) == 1 and group[0] not in edges[group[0]]):
                continue
            members = frozenset(group)
            equations = {key: list(_terms(bodies[key], members, right, facts, False)) for key in group}
            try:
                bodies |= _solve(equations, right, MAX_RESTATED)
            except _NotLinearError:  # the solution would be too large
                continue
    return bodies


def _ends(node: Node, right: bool) -> Iterator[str]:
    """Yield the rules that a body ends with (``right``) or begins with."""
    match node:
        case Ref(key=key):
            yield key
        case Choice(items=items):
            for item in items:
                yield from _ends(item, right)
        case Repeat(item=item, min=0, max=1):
            yield from _ends(item, right)
        case Seq(items=items) if items:
            yield from _ends(items[-1] if right else items[0], right)


def _terms(
    node: Node, members: frozenset[str], right: bool, facts: Facts, strict: bool = True
) -> Iterator[_Term]:
    """Yield the terms of a body with a recursive rule at one end; ``strict`` rejects other recursion."""
    if not facts.is_productive(node):
        return
    if not _mentions(node, members):
        yield _Term(node, None)
        return
    match node:
        case Ref(key=key):
            yield _Term(EPSILON, key)
        case Choice(items=items):
            for item in items:
                yield from _terms(item, members, right, facts, strict)
        case Repeat(item=item, min=0, max=1):
            yield _Term(EPSILON, None)
            yield from _terms(item, members, right, facts, strict)
        case Seq(items=items):
            end, others = (items[-1], items[:-1]) if right else (items[0], items[1:])
            if strict and any(_mentions(other, members) for other in others):
                raise _NotLinearError
            for term in _terms(end, members, right, facts, strict):
                yield _Term(sequence((*others, term.node) if right else (term.node, *others)), term.key)
        case _ if strict:
            raise _NotLinearError
        case _:
            yield _Term(node, None)


def _mentions(node: Node, members: frozenset[str]) -> bool:
    return any(isinstance(n, Ref) and n.key in members for n in walk(node, letters=False))


def _solve(equations: dict[str, list[_Term]], right: bool, budget: int = MAX_SOLUTION) -> dict[str, Node]:
    """Return the least solution of linear equations; more than ``budget`` terms raise _NotLinearError."""
    order = list(equations)

    def join(first: Node, second: Node) -> Node:
        return sequence((first, second) if right else (second, first))

    def arden(key: str) -> None:
        loops = [t.node for t in equations[key] if t.key == key and t.node is not EPSILON]
        rest = [t for t in equations[key] if t.key != key]
        if loops:
            star = Repeat(choice(loops), 0, None)
            rest = [_Term(join(star, t.node), t.key) for t in rest]
        equations[key] = rest

    def substitute(key: str, into: str) -> None:
        nonlocal budget
        result: list[_Term] = []
        for term in equations[into]:
            if term.key == key:
                result += [_Term(join(term.node, t.node), t.key) for t in equations[key]]
            else:
                result.append(term)
        budget -= len(result)
        if budget < 0:
            raise _NotLinearError
        equations[into] = result

    for index in range(len(order) - 1, -1, -1):
        arden(order[index])
        for earlier in order[:index]:
            substitute(order[index], earlier)
    for index, key in enumerate(order):
        for later in order[index + 1 :]:
            substitute(key, later)
    return {key: choice(term.node for term in terms) for key, terms in equations.items()}
