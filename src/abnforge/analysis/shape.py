"""Cheap over-approximations of languages: first characters, alphabet, fixed length.

They settle most questions of overlap without a search: two alternatives that begin differently share no
string, and what always has the same length ends in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from abnforge.analysis.core_form import Chars, Choice, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.analysis.facts import Facts, components, terminals, walk
from abnforge.charset import EMPTY, CharSet, union


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known about a language.

    ``first`` holds every character that a string of it begins with, ``alphabet`` every one that occurs,
    ``length`` is the number of characters of all its strings, None if that differs or is
    unknown.
    """

    first: CharSet
    alphabet: CharSet
    length: int | None
    nullable: bool

    def may_share(self, other: Shape) -> bool:
        """Whether nothing known excludes that two languages share a string."""
        if self.length is not None and other.length is not None and self.length != other.length:
            return False
        return bool(self.first & other.first) or (self.nullable and other.nullable)

    def may_grow(self, following: Shape) -> bool:
        """Whether nothing known excludes that a string goes on with what may also follow it."""
        return self.length is None and bool(self.alphabet & following.first)


_NONE = Shape(EMPTY, EMPTY, None, False)


def shapes(facts: Facts) -> Mapping[str, Shape]:
    """The shape of every rule. Cost: linear but within groups of mutually recursive rules."""
    found: dict[str, Shape] = {}
    for group in components(facts.references):
        recursive = len(group) > 1 or group[0] in facts.references[group[0]]
        for key in group:
            found[key] = _NONE
        changed = True
        while changed:
            changed = False
            for key in group:
                shape = shape_of(facts.core.rules[key], found)
                if recursive:
                    shape = Shape(shape.first, shape.alphabet, None, shape.nullable)
                if shape != found[key]:
                    found[key] = shape
                    changed = recursive
    return found


def shape_of(node: Node, rules: Mapping[str, Shape]) -> Shape:
    """The shape of a node, given those of the rules it names. Cost: linear, whatever the nesting."""
    first: list[CharSet] = []
    length, nullable = _outline(node, rules, first)
    named = (rules[part.key].alphabet for part in walk(node, letters=False) if isinstance(part, Ref))
    return Shape(_together(first), _together((*terminals((node,)), *named)), length, nullable)


def _together(sets: Iterable[CharSet]) -> CharSet:
    """The union of sets, most of which are the same few objects."""
    return union({id(each): each for each in sets}.values())


def _outline(node: Node, rules: Mapping[str, Shape], first: list[CharSet] | None) -> tuple[int | None, bool]:
    """The length of a node's strings, and whether one is empty; what they begin with joins ``first``."""
    match node:
        case Chars(charset=charset) | Literal(items=(Chars(charset=charset), *_)):
            if first is not None:
                first.append(charset)
            return len(node.items) if isinstance(node, Literal) else 1, False
        case Ref(key=key):
            if first is not None:
                first.append(rules[key].first)
            return rules[key].length, rules[key].nullable
        case Prose():
            return None, False
        case Seq(items=items):
            total: int | None = 0
            nullable = True
            for item in items:
                length, empty = _outline(item, rules, first if nullable else None)
                nullable = nullable and empty
                total = None if total is None or length is None else total + length
            return total, nullable
        case Choice(items=items):
            outlines = {_outline(item, rules, first) for item in items}
            lengths = {length for length, _ in outlines}
            return lengths.pop() if len(lengths) == 1 else None, any(empty for _, empty in outlines)
        case Repeat(item=item, min=minimum, max=maximum):
            length, empty = _outline(item, rules, first)
            times = length is not None and minimum == maximum
            return (length or 0) * minimum if times else None, minimum == 0 or empty


def closures(facts: Facts, limit: int) -> Mapping[str, int]:
    """How many characters of a rule can be next at once, where it is worst in it: at most ``limit``.

    What may be empty lets the next part begin, and each reference begins a rule of its own, so that
    this can grow exponentially with the number of rules. Rules that begin with each other count as ``limit``.
    """
    opening: dict[str, int] = {}
    worst: dict[str, int] = {}
    for group in components(facts.references):
        endless = len(group) > 1 and not facts.left_recursive.isdisjoint(group)
        opening |= dict.fromkeys(group, limit if endless else 1)
        found = {key: min(limit, _opening(facts.core.rules[key], facts, opening)) for key in group}
        if not endless:
            opening |= found
        inner = (worst.get(target, 0) for key in group for target in facts.references[key])
        worst |= dict.fromkeys(group, max(*(opening[key] for key in group), *inner, 0))
    return worst


def _opening(node: Node, facts: Facts, rules: Mapping[str, int]) -> int:
    match node:
        case Ref(key=key):
            return rules[key]
        case Choice(items=items):
            return sum(_opening(item, facts, rules) for item in items)
        case Repeat(item=item):
            return _opening(item, facts, rules)
        case Literal():
            return 1
        case Seq(items=items):
            # The worst place to be in: before a part, with all those behind it that may come at once.
            worst = total = 0
            for item in reversed(items):
                total = _opening(item, facts, rules) + (total if facts.is_nullable(item) else 0)
                worst = max(worst, total)
            return worst
        case _:
            return 1
