"""A regular expression as a tree, independent of a dialect: its nodes, and how they are put together.

Putting together simplifies by identities that keep the language: single characters become one set,
``*(A *B)`` becomes ``[A *(A / B)]``. ``expression`` makes such a tree of a rule, ``safety`` tells what is
known about matching it, ``writer`` writes it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from abnforge.catalog import CodedError
from abnforge.charset import EMPTY, CharSet, Range
from abnforge.grammar import core


class UnsafeError(CodedError, ValueError):
    """No expression is known for a rule that is safe to match by backtracking, or it would be too large."""


class TooLargeError(UnsafeError):
    """The expression of a rule would be too large, for whatever engine."""


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
    seen: set[Regex] = set()
    sets: list[Range] = []
    place: int | None = None
    optional = False
    for item in items:
        for part in item.items if isinstance(item, Alt) else (item,):
            if isinstance(part, Set):
                sets += part.charset.ranges
                place = len(flat) if place is None else place
            elif part == EPSILON:
                optional = True
            elif part not in seen:
                seen.add(part)
                flat.append(part)
    if place is not None:
        flat.insert(place, Set(CharSet.from_ranges(sets)))
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
    if nullable(item):
        if maximum == 1:
            return item
        if not has_group(item):
            # Turns that read nothing are as many as one likes, and engines differ in what they make of a
            # minimum of such turns: Java may skip them.
            minimum = 0
            if isinstance(item, Rep) and item.min == 0 and item.max is not None and maximum is not None:
                # (X{0,3}){0,3} can be split in as many ways as one likes, which an engine would try.
                return Rep(item.item, 0, item.max * maximum)
    unbounded = maximum is None and minimum == 0
    if unbounded and isinstance(item, Rep) and item.min <= 1 and (item.max is None or not has_group(item)):
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


def has_long_turns(node: Regex) -> bool:
    """Whether it has an unbounded loop over more than one character, of which engines keep a frame a turn."""
    match node:
        case Set():
            return False
        case Cat(items=items) | Alt(items=items):
            return any(map(has_long_turns, items))
        case Rep(item=item, max=maximum):
            return (maximum is None and not isinstance(item, Set)) or has_long_turns(item)
        case Group(item=item):
            return has_long_turns(item)


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
