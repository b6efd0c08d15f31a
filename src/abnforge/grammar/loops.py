"""Rewrite left recursion as loops, with marks where a rule begins again.

``a = a t / b`` derives ``b`` and then any number of ``t``. A parser that reads from left to right learns only
at the end how many ``a`` begin at the start. So it first parses ``b`` as a single ``a``. Before each ``t``, a
mark makes the current ``a`` the first child of a new ``a``: the left-corner transform (Rosenkrantz and Lewis
1970).

If rules begin with one another, as in ``a = b t / c`` and ``b = a u / d``, a match of one rule becomes the
first child of another. Such a group is a finite automaton. Its states are the rules, and it starts with the
alternatives that begin with no rule of the group. Each move parses the rest of an alternative after its first
rule. The body of each rule is an expression for the automaton with that rule as the final state (Brzozowski
and McCluskey 1963).

A loop decides the number of iterations last, whereas left recursion decides it first. So if a string has
several derivations through such rules, the preferred derivation may differ; then the transducer raises
AMBIGUOUS.

Explanations need the strings and the open rules, but not the trees. For them, ``LeftCorners`` creates the
same automaton on demand. It also resolves left recursion that nullable parts hide, and rules that derive one
another without consuming input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from operator import add

from abnforge._lazy import cached_property
from abnforge.grammar.core import Choice, Core, Node, Ref, Repeat, Seq, choice
from abnforge.grammar.facts import Facts, components, walk
from abnforge.grammar.regular import Elimination

# Prefixes of a rule's key that denote the events of marks: see ``parsing.trace``.
WRAP = "^"
REPLACE_BEGIN = "="

# A suffix of a rule's key that restricts the rule to its nonempty strings.
NONEMPTY = "\0"

# The maximum number of nodes in the expression for one rule; a group that needs more is not changed.
MAX_SIZE = 2_000

_Tail = tuple[Node, ...]


def with_loops(facts: Facts) -> tuple[Core, dict[Node, str]]:
    """Return the grammar with loops, and its marks: empty sequences and the event of each.

    Left recursion stays if nullable parts hide it, or if rules derive one another without consuming input.
    Cost: linear in the size of the grammar and of the expressions.
    """
    core = facts.core
    marks: dict[Node, str] = {}
    rules = dict(core.rules)
    for group in facts.left_recursive_groups:
        rules |= _Group(facts, frozenset(group), marks).bodies()
    return Core(rules, core.names), marks


class _Group:
    """Rules that begin with one another."""

    def __init__(
        self,
        facts: Facts,
        keys: frozenset[str],
        marks: dict[Node, str],
        nonempty: Callable[[Node], Node] | None = None,
    ) -> None:
        self._facts = facts
        self._keys = keys
        self._marks = marks
        self._nonempty = nonempty
        self._wraps: dict[str, Node] = {}
        self._replaced: dict[str, Node] = {}
        self.bases: dict[str, list[Node]] = {}
        # (rule, parent whose first child is the rule) -> the parts that follow the rule in the parent
        self.moves: dict[tuple[str, str], list[_Tail]] = {}
        for key in sorted(keys):
            self.bases[key] = []
            for first, tail in self._split(facts.core.rules[key]):
                if first is None:
                    if tail or nonempty is None:
                        self.bases[key].append(_sequence(tail))
                elif first != key or tail:  # a tree never nests a rule in itself over the same span
                    self.moves.setdefault((first, key), []).append(tail)

    def bodies(self) -> dict[str, Node]:
        """Return the bodies of the rules, or an empty dict if loops cannot represent the derivations."""
        if self._is_cyclic():
            return {}
        bodies = {key: self._body(key) for key in sorted(self._keys)}
        if len(self._keys) > 1 and any(_is_large(body) for body in bodies.values()):
            return {}
        return bodies

    def _split(self, node: Node) -> Iterator[tuple[str | None, _Tail]]:
        """Yield each alternative of a node as the rule of the group that it begins with and the rest.

        If an alternative begins with no rule of the group, the rule is None and the rest is the whole
        alternative. With ``nonempty``, rules and alternatives do not derive the empty string, except an
        alternative without parts.
        """
        facts, nonempty = self._facts, self._nonempty
        match node:
            case Ref(key=key) if key in self._keys:
                yield key, ()
                if nonempty is not None and key in facts.nullable:
                    yield None, ()
            case Choice(items=items):
                for item in items:
                    yield from self._split(item)
            case Seq(items=(first, *rest)) if self._begins(node):
                for begin, tail in self._split(first):
                    if begin is None and not tail and nonempty is not None:
                        yield from self._split(_sequence(tuple(rest)))
                    else:
                        yield begin, (*tail, *rest)
            case Repeat(item=item, min=low, max=high) if self._begins(item) and (
                nonempty is not None or (low == 0 and high == 1 and not facts.is_nullable(item))
            ):
                for begin, tail in self._split(item):
                    if begin is not None or tail:
                        yield begin, (*tail, *_after_one(node))
                if low == 0 or facts.is_nullable(item):
                    yield None, ()
            case _ if nonempty is not None and facts.is_nullable(node):
                yield None, (nonempty(node),)
                yield None, ()
            case _:
                yield None, (node,)

    def _begins(self, node: Node) -> bool:
        """Return whether a node can begin with a rule of the group."""
        return not self._keys.isdisjoint(self._facts.beginnings(node))

    def _is_cyclic(self) -> bool:
        """Return whether rules can derive one another without consuming input."""
        edges: dict[str, tuple[str, ...]] = dict.fromkeys(self._keys, ())
        for (first, key), tails in self.moves.items():
            if any(all(map(self._facts.is_nullable, tail)) for tail in tails):
                edges[first] += (key,)
        return any(len(group) > 1 for group in components(edges))

    def _body(self, goal: str) -> Node:
        """Return the expression for a rule: the automaton after elimination of the other states."""
        start = ""  # not a rule's key
        edges = {
            (start, key): [base if key == goal else Seq((self._mark(REPLACE_BEGIN, key), base))]
            for key, base in ((key, choice(bases)) for key, bases in self.bases.items() if bases)
        }
        for (first, key), tails in self.moves.items():
            edges[first, key] = [choice(Seq((self._mark(WRAP, key), *tail)) for tail in tails)]
        graph = Elimination(edges, add, _path)
        for key in sorted(self._keys - {goal}):
            graph.eliminate(key)
        base = choice(graph.leaving.get(start, {}).get(goal, ()))
        loop = _any(graph.leaving.get(goal, {}).get(goal, ()))
        return Seq((base, *loop)) if loop else base

    def _mark(self, event: str, key: str) -> Node:
        """Return the node that represents an event."""
        marks = self._wraps if event == WRAP else self._replaced
        if key not in marks:
            marks[key] = Seq(())
            self._marks[marks[key]] = event + key
        return marks[key]


class LeftCorners:
    """The rules of a grammar without left recursion, created on demand; they keep strings but not trees.

    ``facts`` covers the rules of the grammar and the added rules that derive another rule's nonempty strings.
    """

    def __init__(self, facts: Facts) -> None:
        self._original = facts
        self._added: dict[str, Node] = {}
        self._groups: dict[str, _Group] = {}
        for keys in facts.left_recursive_groups:
            self._groups |= dict.fromkeys(keys, _Group(facts, frozenset(keys), {}, self._nonempty))
        waiting = list(self._added)
        for key in waiting:
            node = facts.core.rules[key.rstrip(NONEMPTY)]
            if key.rstrip(NONEMPTY) not in self._groups:
                self._added[key] = self._nonempty(node)
            waiting += list(self._added)[len(waiting) :]
        self.facts = facts
        if self._added:
            names = facts.core.names
            added_names = {key: names[key.rstrip(NONEMPTY)] for key in self._added}
            self.facts = Facts(Core({**facts.core.rules, **self._added}, {**names, **added_names}))
        self._corners: dict[tuple[str, str], Corner] = {}
        self._sources: dict[str, frozenset[str]] = {}

    def body(self, key: str) -> Node | Corner:
        """Return the body of a rule. Cost: constant."""
        rule = key.rstrip(NONEMPTY)
        return self.corner(rule, key[len(rule) :]) if rule in self._groups else self.facts.core.rules[key]

    def corner(self, goal: str, key: str) -> Corner:
        """Return the remainder of ``goal`` after its left corner ``key``."""
        corner = self._corners.get((goal, key))
        if corner is None:
            corner = self._corners[goal, key] = Corner(self, goal, key)
        return corner

    def moves(self, goal: str, key: str) -> Iterator[tuple[Node, Corner]]:
        """Yield the moves of a corner: a node, and the remainder after the node."""
        group = self._groups[goal]
        sources = self._sources_of(goal)
        is_productive = self.facts.is_productive
        if key.rstrip(NONEMPTY):
            tails = [(to, tails) for (first, to), tails in group.moves.items() if first == key]
            nodes = [(to, _sequence(tail)) for to, each in tails for tail in each]
        else:
            bases = sorted(group.bases, key=lambda base: base != goal)
            nodes = [(base, node) for base in bases for node in group.bases[base]]
        for to, node in nodes:
            if to in sources and is_productive(node):
                yield node, self.corner(goal, to)

    def _sources_of(self, goal: str) -> frozenset[str]:
        """Return the rules that can be a left corner of ``goal``."""
        sources = self._sources.get(goal)
        if sources is None:
            before: dict[str, list[str]] = {}
            for (first, key), tails in self._groups[goal].moves.items():
                if any(all(map(self.facts.is_productive, tail)) for tail in tails):
                    before.setdefault(key, []).append(first)
            reached = [goal]
            for key in reached:
                reached += [first for first in before.get(key, ()) if first not in reached]
            sources = self._sources[goal] = frozenset(reached)
        return sources

    def _nonempty(self, node: Node) -> Node:
        """Return a node that derives the nonempty strings of another node."""
        if not self._original.is_nullable(node):
            return node
        match node:
            case Ref(key=key):
                self._added.setdefault(key + NONEMPTY, node)
                return Ref(key + NONEMPTY)
            case Choice(items=items):
                return choice(map(self._nonempty, items))
            case Repeat(item=item):
                return Seq((self._nonempty(item), *_after_one(node)))
            case Seq(items=items):
                return choice(
                    Seq((self._nonempty(item), *items[index:])) for index, item in enumerate(items, 1)
                )
        raise AssertionError(node)


class Corner:
    """The rest of the left-recursive rule ``goal`` after its left corner, a match of the rule ``key``.

    The key is empty at the beginning of the rule. ``is_end`` is True if the goal may be complete.
    """

    def __init__(self, corners: LeftCorners, goal: str, key: str) -> None:
        self._corners = corners
        self.goal = goal
        self.key = key
        self.is_end = key == goal or (not key and goal in corners.facts.nullable)

    @cached_property
    def moves(self) -> tuple[tuple[Node, Corner], ...]:
        """Pairs of a node, which belongs to the next corner's rule, and that corner; the preferred first."""
        return tuple(self._corners.moves(self.goal, self.key))


def _after_one(repeat: Repeat) -> _Tail:
    """Return the repetition that remains after one nonempty iteration."""
    if repeat.max == 1:
        return ()
    return (Repeat(repeat.item, max(0, repeat.min - 1), None if repeat.max is None else repeat.max - 1),)


def _sequence(items: _Tail) -> Node:
    return items[0] if len(items) == 1 else Seq(items)


def _path(first: list[Node], loop: list[Node] | None, last: list[Node]) -> list[Node]:
    return [Seq((choice(first), *_any(loop or ()), choice(last)))]


def _any(alternatives: Collection[Node]) -> _Tail:
    """Return any number of the alternatives in sequence."""
    return (Repeat(choice(alternatives), 0, None),) if alternatives else ()


def _is_large(node: Node) -> bool:
    return len(list(islice(walk(node, letters=False), MAX_SIZE + 1))) > MAX_SIZE
