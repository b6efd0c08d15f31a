"""Find rules of two grammars that are written the same way, and rules that contain others for that reason.

Two rules correspond if their bodies are equal once each reference is replaced by the rule that corresponds
to it. Such rules derive the same strings, by induction on the height of derivations. Neither their names nor
recursion matter. The pairs are found by merging, as for the states of two automata (Hopcroft and Karp
1971): each merge compares two bodies, and there are fewer merges than rules.

Containment follows in the same way. If two bodies are equal apart from references, and each referenced rule
of one grammar contains its counterpart in the other, then so does the rule.

Bodies are compared in a normal form of the core form. It ignores letter case, the notation of numbers,
comments, redundant brackets, and the order of one-character alternatives.
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import NamedTuple

from abnforge._lazy import cached_property
from abnforge.automata.algebra import preference
from abnforge.charset import CharSet, union
from abnforge.engine.compilation import Compilation
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Choice, Node, Prose, Ref, Repeat, Seq, lower
from abnforge.grammar.sentences import SHORTEST, Sentences, Uniform


class _Place(NamedTuple):
    """A rule of one of the two grammars, by key."""

    side: int
    key: str


class _Reference(NamedTuple):
    key: str


class Correspondence:
    """Pairs of rules of two grammars that are known to be written the same way, or known to differ.

    All calls of ``holds`` that return True cost linear time in the size of the two grammars. A call that
    returns False costs at most linear time in the size of the rules that the two rules use.
    """

    def __init__(self, left: Compilation, right: Compilation) -> None:
        self._sides = (_Side(left), _Side(left) if left is right else _Side(right))
        self._same = left is right
        self._merged: dict[_Place, _Place] = {}
        self._different: set[tuple[_Place, _Place]] = set()
        self._contained: set[tuple[_Place, _Place]] = set()

    def covers(self, left: Rule, right: Rule) -> bool:
        """Return whether two rules belong to these grammars."""
        pair = left.grammar.compilation, right.grammar.compilation
        return all(rule is side.compilation for rule, side in zip(pair, self._sides, strict=True))

    def holds(self, left: str, right: str) -> bool:
        """Return whether two rules, by key, are written the same way, including all rules that they use.

        The result is False for rules of set algebra, which do not have a definition in ABNF.
        """
        if self._combined(left, right):
            return False
        pair = self._places(left, right)
        merged: dict[_Place, _Place] = {}
        waiting = [pair]
        while waiting:
            one, other = (self._root(place, merged) for place in waiting.pop())
            if one == other:
                continue
            following = None if (one, other) in self._different else self._references(one, other)
            if following is None:
                self._different |= {pair, (one, other)}
                return False
            merged[one] = other
            waiting += following
        self._merged |= merged
        return True

    def references(self, left: str, right: str) -> list[tuple[str, str]] | None:
        """Return the pairs of rules that two bodies refer to; None if the bodies differ in anything else."""
        if self._combined(left, right):
            return None
        pairs = self._references(*self._places(left, right))
        return None if pairs is None else [(one.key, other.key) for one, other in pairs]

    def learn(self, left: str, right: str, *, in_right: bool, in_left: bool) -> None:
        """Store that one of two rules matches all strings of the other."""
        one, other = self._places(left, right)
        self._contained |= {(one, other)} if in_right else set()
        self._contained |= {(other, one)} if in_left else set()

    def contains(self, left: str, right: str) -> tuple[bool, bool]:
        """Return whether the right rule is known to match all strings of the left one, and the reverse.

        Cost: linear in the size of the rules that the two rules use.
        """
        if self._combined(left, right):
            return False, False
        one, other = self._places(left, right)
        return self._contains(one, other), self._contains(other, one)

    def _contains(self, inner: _Place, outer: _Place) -> bool:
        pairs = {(inner, outer)}
        for pair in (queue := list(pairs)):
            if pair in self._contained or self._root(pair[0], {}) == self._root(pair[1], {}):
                continue
            if any(self._sides[place.side].excepts(place.key) for place in pair):
                return False  # with more exceptions, a rule matches fewer strings
            following = self._references(*pair)
            if following is None:
                return False
            queue += [each for each in following if each not in pairs]
            pairs.update(following)
        self._contained |= pairs
        return True

    def _combined(self, left: str, right: str) -> bool:
        """Return whether a rule is one of set algebra, which does not have a definition in ABNF."""
        rules = zip(self._sides, (left, right), strict=True)
        return any(side.compilation.bound.outline[key].origin == "combined" for side, key in rules)

    def _places(self, left: str, right: str) -> tuple[_Place, _Place]:
        return _Place(0, left), _Place(0 if self._same else 1, right)

    def shortest(self, key: str) -> str | None:
        """Return a shortest string of a rule of the left grammar, by key.

        None if it does not match any string, or if the search exceeds the budget.
        """
        try:
            return self._sides[0].sentences.drawn(key, _Readable(Random(0)), 0)
        except LimitExceeded:
            return None

    def _root(self, place: _Place, merged: dict[_Place, _Place]) -> _Place:
        """Return the representative of all places that a place is merged with."""
        root = place
        while (above := merged.get(root) or self._merged.get(root)) is not None:
            root = above
        while place != root:
            above = merged.get(place) or self._merged[place]
            merged[place], place = root, above
        return root

    def _references(self, one: _Place, other: _Place) -> list[tuple[_Place, _Place]] | None:
        """Return the references that must correspond if two bodies do; None if the bodies differ."""
        left, right = (self._sides[place.side].form(place.key) for place in (one, other))
        if len(left) != len(right):
            return None
        pairs: list[tuple[_Place, _Place]] = []
        for mine, its in zip(left, right, strict=True):
            if isinstance(mine, _Reference) and isinstance(its, _Reference):
                pairs.append((_Place(one.side, mine.key), _Place(other.side, its.key)))
            elif mine != its or isinstance(mine, _Reference) or isinstance(its, _Reference):
                return None
        return pairs


class _Side:
    """One of the two grammars."""

    def __init__(self, compilation: Compilation) -> None:
        self.compilation = compilation
        self._forms: dict[str, list[Hashable]] = {}

    @cached_property
    def bodies(self) -> dict[str, Node]:
        """The definitions without their exceptions, which ``form`` adds."""
        bound = self.compilation.bound
        return dict((lower(bound) if bound.has_exceptions else self.compilation.core).rules)

    @cached_property
    def sentences(self) -> Sentences:
        """The source of strings of the grammar's rules, the shortest first."""
        compilation = self.compilation
        return Sentences(compilation.core, compilation.facts, compilation.budget, SHORTEST)

    def excepts(self, key: str) -> bool:
        """Return whether a rule has exceptions."""
        return bool(self.compilation.bound.rules[key].excepted)

    def form(self, key: str) -> list[Hashable]:
        """Return the normal form of a definition, in prefix notation."""
        if key not in self._forms:
            form = self._forms[key] = []
            _write(self.bodies[key], key, form)
            excepted = self.compilation.bound.rules[key].excepted
            form += ["except" if excepted else "", *(_Reference(each.name.lower()) for each in excepted)]
        return self._forms[key]


class _Readable(Uniform):
    """Makes deterministic choices, with readable characters."""

    def character(self, charset: CharSet) -> str:
        return preference(charset)[1]


def _write(node: Node, key: str, form: list[Hashable]) -> None:
    """Append a node of the rule ``key`` to a form."""
    match node:
        case Chars(charset=charset):
            form.append(charset)
        case Ref(key=name):
            form.append(_Reference(name))
        case Prose(text=text):
            # A prose-val can be about the rule that it defines, so its form includes the rule.
            form.append((key, text))
        case Repeat(item=item, min=low, max=high):
            form.append((low, high))
            _write(item, key, form)
        case Seq(items=items):
            form.append(("sequence", len(items)))
            for item in items:
                _write(item, key, form)
        case Choice():
            chars, others = _alternatives(node)
            if not others:
                form.append(chars)
                return
            form += [("choice", len(others)), chars]
            for item in others:
                _write(item, key, form)


def _alternatives(choice: Choice) -> tuple[CharSet, list[Node]]:
    """Return the single characters of a choice and of choices in it, and its other alternatives in order."""
    chars: list[CharSet] = []
    others: list[Node] = []
    waiting = [*reversed(choice.items)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Choice):
            waiting += reversed(node.items)
        elif isinstance(node, Chars):
            chars.append(node.charset)
        else:
            others.append(node)
    return union(chars), others
