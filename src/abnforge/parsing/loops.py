"""Left recursion as loops that say where rules begin again.

``a = a t / b`` derives ``b`` and then any number of ``t``; read from left to right, how often ``a`` begins is
known at the end alone. So ``b`` is read as the only ``a`` there is, and before each ``t`` stands a mark: what
has been read of ``a`` becomes the first child of a new one. (Moving the nodes is what parsers of the LC
family do, too: Rosenkrantz and Lewis 1970.)

Where rules begin with one another, ``a = b t / c`` and ``b = a u / d``, what was read of one becomes the
first child of another one. Such a group is a finite automaton: its states are the rules, it begins with what
begins with no rule of the group, and each move reads what stands behind a rule and leads to the rule that
this is part of. The body of each rule is that automaton as an expression (Brzozowski and McCluskey 1963) that
ends with the rule.

A loop decides last how many iterations there are, and left recursion decides it first. So where a text has
several derivations through such rules the preferred one need not be the one that is found; then the reader
refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from abnforge.grammar.core import Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, components, walk
from abnforge.parsing.trace import AGAIN, RATHER

# Nodes of the expression for one rule; of larger ones the group stays as it is.
MAX_SIZE = 2_000

_Tail = tuple[Node, ...]


def with_loops(facts: Facts) -> tuple[Core, dict[Node, str]]:
    """The grammar with loops, and its marks: empty sequences, each with the event that stands there.

    Left recursion stays where it is hidden behind what can be empty, or where rules derive one another with
    nothing read. Cost: linear in the grammar and the expressions.
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
        self._again: dict[str, Node] = {}
        self._rather: dict[str, Node] = {}
        self._bases: dict[str, list[Node]] = {}
        # (rule that was read, rule that it is the first child of) -> what follows it there
        self._moves: dict[tuple[str, str], list[_Tail]] = {}
        for key in sorted(keys):
            self._bases[key] = []
            for first, tail in self._split(facts.core.rules[key]):
                if first is None:
                    self._bases[key].append(_sequence(tail))
                elif first != key or tail:  # a tree never has a rule below itself over the same span
                    self._moves.setdefault((first, key), []).append(tail)

    def bodies(self) -> dict[str, Node]:
        """The bodies of the rules; none where loops cannot tell the derivations."""
        if self._is_cyclic():
            return {}
        found = {key: self._body(key) for key in sorted(self._keys)}
        if len(self._keys) > 1 and any(_is_large(body) for body in found.values()):
            return {}
        return found

    def _split(self, node: Node) -> Iterator[tuple[str | None, _Tail]]:
        """The alternatives of a node: the rule of the group that one begins with, and what follows it; None,
        and all of it, where it begins with none of them.
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
        """Whether a rule of the group stands first."""
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
        """Whether rules can derive one another with nothing read."""
        edges: dict[str, tuple[str, ...]] = dict.fromkeys(self._keys, ())
        for (first, key), tails in self._moves.items():
            if any(all(map(self._facts.is_nullable, tail)) for tail in tails):
                edges[first] += (key,)
        return any(len(group) > 1 for group in components(edges))

    def _body(self, goal: str) -> Node:
        """All that is read for a rule, by leaving out the others one after the other."""
        start = ""  # no rule's key
        moves: dict[tuple[str, str], list[Node]] = {}
        for key, bases in self._bases.items():
            if bases:
                base = _one_of(bases)
                moves[start, key] = [base if key == goal else Seq((self._mark(RATHER, key), base))]
        for (first, key), tails in self._moves.items():
            moves[first, key] = [_one_of(Seq((self._mark(AGAIN, key), *tail)) for tail in tails)]
        for key in sorted(self._keys - {goal}):
            again = _any(moves.pop((key, key), []))
            before = [(one, nodes) for (one, other), nodes in moves.items() if other == key]
            behind = [(other, nodes) for (one, other), nodes in moves.items() if one == key]
            moves = {pair: nodes for pair, nodes in moves.items() if key not in pair}
            for one, nodes in before:
                for other, following in behind:
                    path = Seq((_one_of(nodes), *again, _one_of(following)))
                    moves.setdefault((one, other), []).append(path)
        base = _one_of(moves.get((start, goal), []))
        again = _any(moves.get((goal, goal), []))
        return Seq((base, *again)) if again else base

    def _mark(self, event: str, key: str) -> Node:
        """The node that stands for an event."""
        known = self._again if event == AGAIN else self._rather
        if key not in known:
            known[key] = Seq(())
            self._marks[known[key]] = event + key
        return known[key]


def _sequence(items: _Tail) -> Node:
    return items[0] if len(items) == 1 else Seq(items)


def _one_of(alternatives: Iterable[Node]) -> Node:
    """One of them; without any there is nothing to derive."""
    items = tuple(alternatives)
    return items[0] if len(items) == 1 else Choice(items)


def _any(alternatives: list[Node]) -> _Tail:
    """Any number of them, one after the other."""
    return (Repeat(_one_of(alternatives), 0, None),) if alternatives else ()


def _is_large(node: Node) -> bool:
    return len(list(islice(walk(node, letters=False), MAX_SIZE + 1))) > MAX_SIZE
