"""Left recursion as loops, marked with the rules that begin again.

``a = a t / b`` derives ``b`` and then any number of ``t``. Read from left to right, the number of rules that
begin is known only at the end. So ``b`` is parsed as the only ``a``, and before each ``t`` a mark makes that
``a`` the first child of a new one: the left-corner transform (Rosenkrantz and Lewis 1970).

If rules begin with one another, ``a = b t / c`` and ``b = a u / d``, a part of one becomes the first child of
another. Such a group is a finite automaton. Its states are the rules, and it starts with the alternatives
that begin with no rule of the group. Each move reads the rest of an alternative after its first rule. The
body of each rule is the automaton as an expression that ends with this rule (Brzozowski and McCluskey 1963).

A loop decides the number of iterations last, left recursion decides it first. So for a string with several
derivations through such rules the preferred one may differ; then the transducer raises AMBIGUOUS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from operator import add

from abnforge._lazy import lazy
from abnforge.grammar.core import Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, components, walk
from abnforge.parsing.trace import REPLACE_BEGIN, WRAP

with lazy:
    from abnforge.automata import expressions

# The nodes of the expression for one rule; a group with a larger one is not changed.
MAX_SIZE = 2_000

_Tail = tuple[Node, ...]


def with_loops(facts: Facts) -> tuple[Core, dict[Node, str]]:
    """Return the grammar with loops, and its marks: empty sequences, each with its event.

    Left recursion stays if it is hidden after nullable parts, or if rules derive one another without reading.
    Complexity: linear in the grammar and the expressions.
    """
    core = facts.core
    marks: dict[Node, str] = {}
    rules = dict(core.rules)
    for group in components(facts.left_corners):
        if not facts.left_recursive.isdisjoint(group):
            rules |= _Group(facts, frozenset(group), marks).bodies()
    return Core(rules, core.names), marks


class _Group:
    """Rules that begin with one another."""

    def __init__(self, facts: Facts, keys: frozenset[str], marks: dict[Node, str]) -> None:
        self._facts = facts
        self._keys = keys
        self._marks = marks
        self._wraps: dict[str, Node] = {}
        self._replaced: dict[str, Node] = {}
        self._bases: dict[str, list[Node]] = {}
        # (rule, the rule whose first child it is) -> the parts after it there
        self._moves: dict[tuple[str, str], list[_Tail]] = {}
        for key in sorted(keys):
            self._bases[key] = []
            for first, tail in self._split(facts.core.rules[key]):
                if first is None:
                    self._bases[key].append(_sequence(tail))
                elif first != key or tail:  # a tree never has a rule below itself over the same span
                    self._moves.setdefault((first, key), []).append(tail)

    def bodies(self) -> dict[str, Node]:
        """Return the bodies of the rules, or none if loops cannot represent their derivations."""
        if self._is_cyclic():
            return {}
        bodies = {key: self._body(key) for key in sorted(self._keys)}
        if len(self._keys) > 1 and any(_is_large(body) for body in bodies.values()):
            return {}
        return bodies

    def _split(self, node: Node) -> Iterator[tuple[str | None, _Tail]]:
        """Yield the alternatives of a node: the rule of the group with which one begins, and the rest.

        The rule is None, and the rest is the whole alternative, if it begins with no rule of the group.
        """
        match node:
            case Ref(key=key) if key in self._keys:
                yield key, ()
            case Choice(items=items):
                for item in items:
                    yield from self._split(item)
            case Seq(items=(first, *rest)) if self._begins(first):
                for begin, tail in self._split(first):
                    yield begin, (*tail, *rest)
            case Repeat(item=item, min=0, max=1) if self._begins(item) and not self._facts.is_nullable(item):
                yield from self._split(item)
                yield None, ()
            case _:
                yield None, (node,)

    def _begins(self, node: Node) -> bool:
        """Return whether a node begins with a rule of the group."""
        match node:
            case Ref(key=key):
                return key in self._keys
            case Choice(items=items):
                return any(map(self._begins, items))
            case Seq(items=(first, *_)):
                return self._begins(first)
            case Repeat(item=item, min=0, max=1):
                return self._begins(item)
        return False

    def _is_cyclic(self) -> bool:
        """Return whether rules can derive one another without reading."""
        edges: dict[str, tuple[str, ...]] = dict.fromkeys(self._keys, ())
        for (first, key), tails in self._moves.items():
            if any(all(map(self._facts.is_nullable, tail)) for tail in tails):
                edges[first] += (key,)
        return any(len(group) > 1 for group in components(edges))

    def _body(self, goal: str) -> Node:
        """Return the expression of a rule: the automaton without the other states."""
        start = ""  # not a rule's key
        edges = {
            (start, key): [base if key == goal else Seq((self._mark(REPLACE_BEGIN, key), base))]
            for key, base in ((key, _one_of(bases)) for key, bases in self._bases.items() if bases)
        }
        for (first, key), tails in self._moves.items():
            edges[first, key] = [_one_of(Seq((self._mark(WRAP, key), *tail)) for tail in tails)]
        graph = expressions.Elimination(edges, add, _path)
        for key in sorted(self._keys - {goal}):
            graph.eliminate(key)
        base = _one_of(graph.leaving.get(start, {}).get(goal, ()))
        loop = _any(graph.leaving.get(goal, {}).get(goal, ()))
        return Seq((base, *loop)) if loop else base

    def _mark(self, event: str, key: str) -> Node:
        """Return the node that represents an event."""
        marks = self._wraps if event == WRAP else self._replaced
        if key not in marks:
            marks[key] = Seq(())
            self._marks[marks[key]] = event + key
        return marks[key]


def _sequence(items: _Tail) -> Node:
    return items[0] if len(items) == 1 else Seq(items)


def _one_of(alternatives: Iterable[Node]) -> Node:
    """Return the choice of some alternatives; an empty one derives nothing."""
    items = tuple(alternatives)
    return items[0] if len(items) == 1 else Choice(items)


def _path(first: list[Node], loop: list[Node] | None, last: list[Node]) -> list[Node]:
    return [Seq((_one_of(first), *_any(loop or ()), _one_of(last)))]


def _any(alternatives: Collection[Node]) -> _Tail:
    """Return any number of the alternatives in sequence."""
    return (Repeat(_one_of(alternatives), 0, None),) if alternatives else ()


def _is_large(node: Node) -> bool:
    return len(list(islice(walk(node, letters=False), MAX_SIZE + 1))) > MAX_SIZE
