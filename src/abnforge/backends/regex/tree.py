"""A regular rule as a regular expression: simplified, and with what is known about its matching.

The tree is independent of a dialect; ``writer`` writes it out. It is made in three steps:

1. rules are put in place of their names;
2. it is simplified by identities that keep the language: single characters become one set, an
   alternative is dropped when others cover it (asked of automata), ``*(A *B)`` becomes ``[A *(A / B)]``;
3. every repetition is asked whether it is *deterministic* where it stands: whether the next character alone
   decides between another iteration and what follows, and which way through an iteration to take (LL(1);
   Brueggemann-Klein and Wood 1998 call such expressions one-unambiguous). Then giving back what was
   read can never help, and a possessive quantifier changes nothing but the time.

So an engine that backtracks does so only over alternatives and small bounded repetitions, a number of
times that depends on the grammar and not on the input. A rule in which an unbounded repetition is not
deterministic gets no expression: ``Unsafe`` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Union

from abnforge.analysis import core_form as core
from abnforge.charset import EMPTY, CharSet

# A bounded repetition up to this many times may be left to backtracking.
MAX_BACKTRACKED = 8
# Nodes after rules have been put in place of their names.
MAX_NODES = 20_000
# How deep they may be nested: rules in rules, which engines and this module follow by recursion.
MAX_DEPTH = 100


class Unsafe(ValueError):
    """No expression is known for a rule that is safe to match by backtracking, or it would be too large."""


@dataclass(frozen=True, slots=True)
class Set:
    """One character of a set; of the empty one, nothing (``restricted`` takes those out)."""

    charset: CharSet


@dataclass(frozen=True, slots=True)
class Cat:
    """Its items one after the other."""

    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of its items, the first that leads to a match being preferred."""

    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Rep:
    """``min`` to ``max`` times ``item``, as often as possible; None: no limit."""

    item: Regex
    min: int
    max: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """A part whose text is wanted, by the key of its rule."""

    key: str
    item: Regex


Regex = Union[Set, Cat, Alt, Rep, Group]

EPSILON = Cat(())

# Whether the first language is a part of the second; asked only where alternatives overlap.
Covers = Callable[[core.Node, core.Node], bool]
# A rule's expression in place of the one its definition gives; it may be the same.
Rewrite = Callable[[str, Regex], Regex]
# Whether no text of the first language begins another one of it, nor one of the second language.
Apart = Callable[[core.Node, core.Node], bool]


def regex_tree(
    bodies: Mapping[str, core.Node],
    key: str,
    groups: frozenset[str] = frozenset(),
    covers: Covers | None = None,
    rewrite: Rewrite | None = None,
) -> Regex:
    """The simplified expression of a regular rule.

    ``bodies`` are recursion-free; parts of rules in ``groups`` are marked as groups. ``covers`` tells whether
    an alternative is covered by another; without it none is dropped. ``rewrite`` is asked about every rule
    without groups. Raises Unsafe when it grows too large.
    """
    return _Builder(bodies, groups, covers, rewrite).rule(key)


class _Builder:
    def __init__(
        self,
        bodies: Mapping[str, core.Node],
        groups: frozenset[str],
        covers: Covers | None,
        rewrite: Rewrite | None,
    ) -> None:
        self._bodies = bodies
        self._groups = groups
        self._covers = covers
        self._rewrite = rewrite
        self._done: dict[str, Regex] = {}
        self._size = 0
        self._depth = 0

    def rule(self, key: str) -> Regex:
        if key not in self._done:
            self._done[key] = Set(EMPTY)  # what a rule stands for that derives nothing: it is only itself
            body = self.node(self._bodies[key])
            if self._rewrite is not None and not has_group(body):
                body = self._rewrite(key, body)
            self._done[key] = Group(key, body) if key in self._groups else body
        return self._done[key]

    def node(self, node: core.Node) -> Regex:
        self._size += 1
        if self._size > MAX_NODES:
            raise Unsafe(f"the expression would have more than {MAX_NODES} nodes (MAX_NODES)")
        if self._depth == MAX_DEPTH:
            raise Unsafe(f"the expression would be nested deeper than {MAX_DEPTH} levels (MAX_DEPTH)")
        self._depth += 1
        found = self._inside(node)
        self._depth -= 1
        return found

    def _inside(self, node: core.Node) -> Regex:
        match node:
            case core.Chars(charset=charset):
                return Set(charset)
            case core.Ref(key=key):
                return self.rule(key)
            case core.Seq(items=items):
                return cat([self.node(item) for item in items])
            case core.Choice(items=items):
                branches = [self.node(item) for item in items]
                if any(map(has_group, branches)):
                    return ordered(branches)
                return alt([branches[index] for index in self._uncovered(items)])
            case core.Repeat(item=item, min=minimum, max=maximum):
                return rep(self.node(item), minimum, maximum)
            case core.Prose():
                raise Unsafe("prose has no expression")

    def _uncovered(self, items: tuple[core.Node, ...]) -> list[int]:
        """The alternatives without those that a later one covers, as ``reg-name`` covers ``IPv4address``."""
        if self._covers is None:
            return list(range(len(items)))
        kept: list[int] = []
        for index, item in enumerate(items):
            rest = items[index + 1 :]
            if not any(not isinstance(other, core.Chars) and self._covers(item, other) for other in rest):
                kept.append(index)
        return kept


def cat(items: list[Regex]) -> Regex:
    """A sequence, flattened."""
    flat: list[Regex] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Cat) else (item,))
    return flat[0] if len(flat) == 1 else Cat(tuple(flat))


def alt(items: list[Regex]) -> Regex:
    """An alternation, flattened; all sets among its items as one, at the place of the first.

    Moving a single character before other alternatives changes which one matches, not what matches as a
    whole.
    """
    flat: list[Regex] = []
    chars = EMPTY
    place: int | None = None
    optional = False
    for item in items:
        for part in item.items if isinstance(item, Alt) else (item,):
            if isinstance(part, Set):
                chars |= part.charset
                place = len(flat) if place is None else place
            elif part == EPSILON:
                optional = True
            elif part not in flat:
                flat.append(part)
    if place is not None:
        flat.insert(place, Set(chars))
    if not flat:
        return EPSILON
    result = flat[0] if len(flat) == 1 else Alt(tuple(flat))
    return rep(result, 0, 1) if optional else result


def ordered(items: list[Regex]) -> Regex:
    """An alternation as it stands: which one matches first decides what the groups in them hold."""
    flat = [part for item in items for part in (item.items if isinstance(item, Alt) else (item,))]
    return flat[0] if len(flat) == 1 else Alt(tuple(flat))


def rep(item: Regex, minimum: int, maximum: int | None) -> Regex:
    """A repetition, simplified."""
    if item == EPSILON or maximum == 0:
        return EPSILON
    if (minimum, maximum) == (1, 1):
        return item
    if (minimum, maximum) == (0, 1) and nullable(item):
        return item
    unbounded = maximum is None and minimum == 0
    if unbounded and isinstance(item, Rep) and item.min <= 1 and item.max is None:
        return Rep(item.item, 0, None)
    if unbounded and isinstance(item, Cat) and len(item.items) > 1:
        # *(A *B) = [A *(A / B)]: one loop instead of two, for paths one over all segments.
        *head, last = item.items
        if isinstance(last, Rep) and (last.min, last.max) == (0, None) and not has_group(item):
            first = cat(head)
            if not nullable(first):
                return Rep(cat([first, rep(alt([first, last.item]), 0, None)]), 0, 1)
    return Rep(item, minimum, maximum)


def has_group(node: Regex) -> bool:
    """Whether the text of some part is wanted."""
    match node:
        case Group():
            return True
        case Set():
            return False
        case Cat(items=items) | Alt(items=items):
            return any(map(has_group, items))
        case Rep(item=item):
            return has_group(item)


def restricted(node: Regex, alphabet: CharSet) -> Regex | None:
    """The part of an expression's language that is made of some characters; None: nothing is."""
    match node:
        case Set(charset=charset):
            kept = charset & alphabet
            return Set(kept) if kept else None
        case Cat(items=items):
            parts = [restricted(item, alphabet) for item in items]
            kept_parts = tuple(part for part in parts if part is not None)
            return Cat(kept_parts) if len(kept_parts) == len(parts) else None
        case Alt(items=items):
            found = [part for item in items if (part := restricted(item, alphabet)) is not None]
            return (found[0] if len(found) == 1 else Alt(tuple(found))) if found else None
        case Rep(item=item, min=minimum, max=maximum):
            inner = restricted(item, alphabet)
            if inner is None:
                return EPSILON if minimum == 0 else None
            return Rep(inner, minimum, maximum)
        case Group(key=key, item=item):
            inner = restricted(item, alphabet)
            return None if inner is None else Group(key, inner)


def nullable(node: Regex) -> bool:
    """Whether an expression matches the empty string."""
    match node:
        case Set():
            return False
        case Cat(items=items):
            return all(map(nullable, items))
        case Alt(items=items):
            return any(map(nullable, items))
        case Rep(item=item, min=minimum):
            return minimum == 0 or nullable(item)
        case Group(item=item):
            return nullable(item)


def first(node: Regex) -> CharSet:
    """The characters that a match can begin with."""
    match node:
        case Set(charset=charset):
            return charset
        case Cat(items=items):
            result = EMPTY
            for item in items:
                result |= first(item)
                if not nullable(item):
                    break
            return result
        case Alt(items=items):
            return CharSet.from_ranges(r for item in items for r in first(item).ranges)
        case Rep(item=item) | Group(item=item):
            return first(item)


def deterministic(node: Regex, follow: CharSet) -> bool:
    """Whether the next character decides every choice in an expression behind which ``follow`` can come."""
    match node:
        case Set():
            return True
        case Cat(items=items):
            for item in reversed(items):
                if not deterministic(item, follow):
                    return False
                follow = first(item) | follow if nullable(item) else first(item)
            return True
        case Alt(items=items):
            seen = EMPTY
            if sum(map(nullable, items)) > 1:
                return False
            for item in items:
                starts = first(item) | follow if nullable(item) else first(item)
                if seen & starts or not deterministic(item, follow):
                    return False
                seen |= starts
            return True
        case Rep(item=item, min=minimum, max=maximum):
            starts = first(item)
            if nullable(item) or (minimum != maximum and starts & follow):
                return False
            return deterministic(item, follow if maximum == 1 else starts | follow)
        case Group(item=item):
            return deterministic(item, follow)


def _decided(node: Regex) -> bool:
    """Whether the next character decides between the alternatives of every alternation."""
    match node:
        case Set():
            return True
        case Cat(items=items):
            return all(map(_decided, items))
        case Alt(items=items):
            starts = list(map(first, items))
            apart = sum(map(len, starts)) == len(CharSet.from_ranges(r for s in starts for r in s.ranges))
            return apart and not any(map(nullable, items)) and all(map(_decided, items))
        case Rep(item=item) | Group(item=item):
            return _decided(item)


@dataclass(frozen=True, slots=True)
class After:
    """What can come behind a part: the characters that it can begin with, and all of it, part by part."""

    first: CharSet
    rest: tuple[Regex, After] | None

    def behind(self, node: Regex) -> After:
        """What comes before all this when ``node`` does."""
        starts = first(node)
        return After(starts | self.first if nullable(node) else starts, (node, self))

    def node(self) -> core.Node:
        """All of it in core form."""
        items: list[core.Node] = []
        after = self
        while after.rest is not None:
            node, after = after.rest
            items.append(to_core(node))
        return core.Seq(tuple(items))


def to_core(node: Regex) -> core.Node:
    """An expression in core form."""
    match node:
        case Set(charset=charset):
            return core.Chars(charset)
        case Cat(items=items):
            return core.Seq(tuple(map(to_core, items)))
        case Alt(items=items):
            return core.Choice(tuple(map(to_core, items)))
        case Rep(item=item, min=minimum, max=maximum):
            return core.Repeat(to_core(item), minimum, maximum)
        case Group(item=item):
            return to_core(item)


def is_possessive(node: Rep, after: After, apart: Apart | None = None) -> bool:
    """Whether a repetition never profits from giving back what it read.

    That is so where the next character decides. If there is ``apart`` to ask, it is so, too, where no
    iteration begins another one or a text that can follow: then what an attempt reads in vain ends within
    the iteration that is there instead, so that all attempts together stay linear. Raises Unsafe for a
    repetition that may profit, if it is not small and bounded.
    """
    if deterministic(node, after.first):
        return True
    if node.max is None or node.max > MAX_BACKTRACKED:
        if apart is None or not _decided(node.item) or not apart(to_core(node.item), after.node()):
            raise Unsafe(
                "a repetition is not deterministic where it stands, so matching it could backtrack at length"
            )
        return True
    return False
