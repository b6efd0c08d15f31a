"""From a minimal automaton back to expressions, by the elimination of states (Brzozowski and McCluskey 1963).

The automaton knows after every character where it is; an expression made from it keeps some of that, so it
may be safe to match by backtracking where the grammar's own is not: RFC 2396's
``alpha / alpha *( alphanum / "-" ) alphanum`` becomes, in effect, ``alpha *( alphanum / 1*"-" alphanum )``.
Which expression comes out depends on the order in which states go.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.automaton.dfa import Automaton
from abnforge.backends.regex.tree import EPSILON, Alt, Cat, Regex, Rep, Set, alt, cat, rep
from abnforge.charset import CharSet

# States of an automaton for which expressions are tried. Beyond, they grow fast and are seldom of use.
MAX_STATES = 12

_START, _END = -1, -2


def expressions(automaton: Automaton) -> Iterator[Regex]:
    """Expressions of an automaton's language, one for each state that is eliminated last; none when there are
    more than MAX_STATES.
    """
    if automaton.states <= MAX_STATES:
        for last in range(automaton.states):
            yield _expression(automaton, last)


def _expression(automaton: Automaton, last: int) -> Regex:
    edges = _edges(automaton)
    left = set(range(automaton.states))
    while left:
        # The one that leaves the fewest edges behind first, as in Delgado and Morais (2004).
        state = min(left, key=lambda s: (s == last, _weight(edges, s), s))
        left.remove(state)
        loop = rep(edges.pop((state, state), EPSILON), 0, None)
        sources = [(a, edge) for (a, b), edge in edges.items() if b == state]
        targets = [(b, edge) for (a, b), edge in edges.items() if a == state]
        edges = {pair: edge for pair, edge in edges.items() if state not in pair}
        for source, before in sources:
            for target, after in targets:
                path = cat([before, loop, after])
                known = edges.get((source, target))
                edges[source, target] = path if known is None else _either([known, path])
    return edges[_START, _END]


def _edges(automaton: Automaton) -> dict[tuple[int, int], Regex]:
    """(from, to) -> what is read on the way, with a start of its own and one end."""
    edges: dict[tuple[int, int], Regex] = {(_START, 0): EPSILON}
    for state in range(automaton.states):
        row = state * automaton.width
        charsets: dict[int, CharSet] = {}
        for number, charset in enumerate(automaton.charsets):
            target = automaton.table[row + number]
            if target >= 0:
                charsets[target] = charsets[target] | charset if target in charsets else charset
        for target, charset in charsets.items():
            edges[state, target // automaton.width] = Set(charset)
        if row in automaton.accepting:
            edges[state, _END] = EPSILON
    return edges


def _either(items: list[Regex]) -> Regex:
    """One of the items, with what alternatives have in common at their beginning written once."""
    node = alt(items)
    if isinstance(node, Rep) and isinstance(node.item, Alt):
        return rep(_either([node.item]), node.min, node.max)
    if not isinstance(node, Alt):
        return node
    tails: dict[Regex, list[Regex]] = {}
    for item in node.items:
        head, *tail = item.items if isinstance(item, Cat) and item.items else (item,)
        tails.setdefault(head, []).append(cat(tail))
    if len(tails) == len(node.items):
        return node
    return alt([cat([head, _either(rest)]) for head, rest in tails.items()])


def _weight(edges: dict[tuple[int, int], Regex], state: int) -> int:
    """Paths that the elimination of a state makes."""
    return sum(b == state for _, b in edges) * sum(a == state for a, _ in edges)
