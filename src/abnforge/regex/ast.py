"""Define the syntax tree of regular expressions in all dialects: nodes, constructors and measures.

``from_rule`` creates such a tree from a rule, ``reading`` from a pattern that this package wrote, and
``foreign`` and ``python`` from patterns of other engines. Constructors simplify by identities that keep the
language. For example, single characters become one set, and ``*(A *B)`` becomes ``[A *(A / B)]``.

Trees do not contain anchors: a :class:`Lookaround` expresses each anchor. The beginning of the input is not
preceded by a character. A word boundary has a word character on exactly one side.

Trees are nested at most 120 levels deep, so functions on trees may recurse. A node may occur in several
places in a tree. Tables for such trees use the identity of nodes (:class:`NodeTable`), since hashing a node
visits a shared part once for each path to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar, Union

from abnforge.charset import ANY, EMPTY, CharSet, Range, union
from abnforge.grammar import core

Mode = Literal["greedy", "lazy"]  # order of attempts: as many turns as possible first, or as few


@dataclass(frozen=True, slots=True)
class CharacterClass:
    """A single character from a set. The empty set matches nothing."""

    charset: CharSet


@dataclass(frozen=True, slots=True)
class Concat:
    """A sequence of items. Without items, it matches the empty string."""

    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A choice of items; engines prefer the first that leads to a match. Without items, nothing matches."""

    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Iteration:
    """``min`` to ``max`` repetitions of ``item``; if ``max`` is None, the number is unlimited."""

    item: Regex
    min: int
    max: int | None
    mode: Mode = "greedy"


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """A captured part, named after the rule ``key``."""

    key: str
    item: Regex


@dataclass(frozen=True, slots=True)
class AtomicGroup:
    """The first match of the item in order of preference; engines do not backtrack into the group."""

    item: Regex


@dataclass(frozen=True, slots=True)
class Lookaround:
    """An empty match at each position where ``item`` matches the next (``ahead``) or preceding characters.

    If ``negative``, it matches at each position where ``item`` does not match.
    """

    item: Regex
    ahead: bool
    negative: bool


Regex = Union[CharacterClass, Concat, Alternatives, Iteration, NamedGroup, AtomicGroup, Lookaround]

EPSILON = Concat(())
NEVER = Alternatives(())
EVERY = CharacterClass(ANY)

Value = TypeVar("Value")


class NodeTable(Generic[Value]):
    """Values by the identity of a node and an additional key. The table keeps the nodes alive."""

    def __init__(self) -> None:
        self._entries: dict[object, tuple[Regex, Value]] = {}

    def get(self, node: Regex, key: object = None) -> Value | None:
        """Return the value for a node, or None."""
        entry = self._entries.get((id(node), key))
        return None if entry is None else entry[1]

    def set(self, node: Regex, value: Value, key: object = None) -> Value:
        """Set the value for a node, and return the value."""
        self._entries[id(node), key] = node, value
        return value


def children(node: Regex) -> tuple[Regex, ...]:
    """Return the nodes directly below a node."""
    match node:
        case CharacterClass():
            return ()
        case Concat(items=items) | Alternatives(items=items):
            return items
        case _:
            return (node.item,)


def postorder(tree: Regex) -> Iterator[Regex]:
    """Yield all nodes of a tree, children first, without recursion. Complexity: linear."""
    stack = [(tree, False)]
    while stack:
        node, entered = stack.pop()
        if entered or isinstance(node, CharacterClass):
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children(node)))


# Constructors


def concat(items: Iterable[Regex]) -> Regex:
    """Return a flat concatenation."""
    flat: list[Regex] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Concat) else (item,))
    return flat[0] if len(flat) == 1 else Concat(tuple(flat))


def alternatives(items: Iterable[Regex]) -> Regex:
    """Return flat alternatives, with all character classes merged at the position of the first class.

    Moving a single character before other alternatives changes which one matches, but not the language.
    """
    flat: list[Regex] = []
    members: set[Regex] = set()
    ranges: list[Range] = []
    position: int | None = None
    optional = False
    for item in items:
        for part in item.items if isinstance(item, Alternatives) else (item,):
            if isinstance(part, CharacterClass):
                ranges += part.charset.ranges
                position = len(flat) if position is None else position
            elif part == EPSILON:
                optional = True
            elif part not in members:
                members.add(part)
                flat.append(part)
    if position is not None:
        flat.insert(position, CharacterClass(CharSet.from_ranges(ranges)))
    if not flat:
        return EPSILON
    result = flat[0] if len(flat) == 1 else Alternatives(tuple(flat))
    return iteration(result, 0, 1) if optional else result


def ordered(items: Iterable[Regex]) -> Regex:
    """Return flat alternatives in the same order: the first match determines the content of groups."""
    flat = [part for item in items for part in (item.items if isinstance(item, Alternatives) else (item,))]
    return flat[0] if len(flat) == 1 else Alternatives(tuple(flat))


def iteration(item: Regex, minimum: int, maximum: int | None) -> Regex:
    """Return a simplified greedy iteration."""
    if item == EPSILON or maximum == 0:
        return EPSILON
    if (minimum, maximum) == (1, 1):
        return item
    if nullable(item):
        if maximum == 1:
            return item
        if not has_group(item):
            # The number of empty turns is arbitrary, and engines treat a minimum number of such turns
            # differently: Java may skip them.
            minimum = 0
            if isinstance(item, Iteration) and item.min == 0 and None not in (item.max, maximum):
                # (X{0,3}){0,3} can split a string in many ways, and an engine would try all of them.
                return Iteration(item.item, 0, (item.max or 0) * (maximum or 0))
    unbounded = maximum is None and minimum == 0
    if (
        unbounded
        and isinstance(item, Iteration)
        and item.min <= 1
        and (item.max is None or not has_group(item))
    ):
        return Iteration(item.item, 0, None)
    if unbounded and isinstance(item, Concat) and len(item.items) > 1:
        # *(A *B) = [A *(A / B)]: one loop instead of two; for paths, one loop over all segments.
        *head, last = item.items
        if isinstance(last, Iteration) and (last.min, last.max) == (0, None) and not has_group(item):
            start = concat(head)
            if not nullable(start):
                turns = iteration(alternatives([start, last.item]), 0, None)
                return Iteration(concat([start, turns]), 0, 1)
    return Iteration(item, minimum, maximum)


def possessive(item: Regex, minimum: int, maximum: int | None, cuts_turns: bool) -> Regex:
    """Return a possessive iteration as atomic groups.

    With ``cuts_turns``, as in Python and Java, each required turn is an atomic group, and all optional turns
    together form another. Otherwise, as in PCRE, the whole iteration is one atomic group. For single
    characters, both forms are equivalent.
    """
    if minimum == 0 or not cuts_turns or isinstance(item, CharacterClass):
        return AtomicGroup(Iteration(item, minimum, maximum))
    required = Iteration(AtomicGroup(item), minimum, minimum)
    if maximum == minimum:
        return required
    optional = Iteration(item, 0, None if maximum is None else maximum - minimum)
    return Concat((required, AtomicGroup(optional)))


def chars(text: str) -> Regex:
    """Return the character class for the characters of a string."""
    return CharacterClass(CharSet.of(text))


def ahead(*items: Regex) -> Regex:
    """Return the assertion that the items follow."""
    return Lookaround(concat(items), True, False)


def not_ahead(*items: Regex) -> Regex:
    """Return the assertion that the items do not follow."""
    return Lookaround(concat(items), True, True)


def behind(*items: Regex) -> Regex:
    """Return the assertion that the items end here."""
    return Lookaround(concat(items), False, False)


def not_behind(*items: Regex) -> Regex:
    """Return the assertion that the items do not end here."""
    return Lookaround(concat(items), False, True)


START = not_behind(EVERY)
END = not_ahead(EVERY)
NEWLINE = chars("\n")
BEFORE_LAST_NEWLINE = Alternatives((END, ahead(NEWLINE, END)))


def boundary(word: CharSet) -> Regex:
    """Return the assertion that exactly one of the characters next to a position is in a set."""
    one = CharacterClass(word)
    return Alternatives((Concat((behind(one), not_ahead(one))), Concat((not_behind(one), ahead(one)))))


def no_boundary(word: CharSet) -> Regex:
    """Return the negation of ``boundary``."""
    one = CharacterClass(word)
    return Alternatives((Concat((behind(one), ahead(one))), Concat((not_behind(one), not_ahead(one)))))


# Measures


def has_group(node: Regex) -> bool:
    """Return whether an expression contains a captured group."""
    return isinstance(node, NamedGroup) or any(map(has_group, children(node)))


def has_long_turns(node: Regex) -> bool:
    """Return whether an unbounded loop has turns of several characters, so engines keep a frame per turn."""
    if isinstance(node, Iteration) and node.max is None and not isinstance(node.item, CharacterClass):
        return True
    return any(map(has_long_turns, children(node)))


def size(node: Regex) -> int:
    """Return the number of nodes."""
    return 1 + sum(map(size, children(node)))


def nullable(node: Regex) -> bool:
    """Return whether an expression matches the empty string."""
    match node:
        case CharacterClass():
            return False
        case Lookaround():
            return True
        case Alternatives(items=items):
            return any(map(nullable, items))
        case Iteration(item=item, min=minimum):
            return minimum == 0 or nullable(item)
        case _:
            return all(map(nullable, children(node)))


def first(node: Regex) -> CharSet:
    """Return the characters that a match can begin with."""
    match node:
        case CharacterClass(charset=charset):
            return charset
        case Lookaround():
            return EMPTY
        case Concat(items=items):
            result = EMPTY
            for item in items:
                result |= first(item)
                if not nullable(item):
                    break
            return result
        case Alternatives(items=items):
            return union(map(first, items))
        case _:
            return first(node.item)


def restricted(node: Regex, alphabet: CharSet) -> Regex | None:
    """Return the expression restricted to strings over an alphabet, or None if no string remains."""
    match node:
        case CharacterClass(charset=charset):
            common = charset & alphabet
            return CharacterClass(common) if common else None
        case Concat(items=items):
            parts = [restricted(item, alphabet) for item in items]
            kept_parts = tuple(part for part in parts if part is not None)
            return Concat(kept_parts) if len(kept_parts) == len(parts) else None
        case Alternatives(items=items):
            branches = [part for item in items if (part := restricted(item, alphabet)) is not None]
            return (
                (branches[0] if len(branches) == 1 else Alternatives(tuple(branches))) if branches else None
            )
        case _:
            inner = restricted(node.item, alphabet)
            if inner is None:
                return EPSILON if isinstance(node, Iteration) and node.min == 0 else None
            return replace(node, item=inner)


def to_core(node: Regex) -> core.Node:
    """Convert an expression that comes from a rule to core form."""
    match node:
        case CharacterClass(charset=charset):
            return core.Chars(charset)
        case Concat(items=items):
            return core.Seq(tuple(map(to_core, items)))
        case Alternatives(items=items):
            return core.choice(map(to_core, items))
        case Iteration(item=item, min=minimum, max=maximum):
            return core.Repeat(to_core(item), minimum, maximum)
        case _:
            assert isinstance(node, NamedGroup), "atomic groups and assertions are not from a rule"
            return to_core(node.item)


Width = tuple[int, "int | None"]


def width(node: Regex, table: NodeTable[Width] | None = None) -> Width:
    """Return the minimum and maximum number of characters that a node matches; None means no limit.

    The width of a node that never matches is 0. ``table`` contains earlier results. Complexity: linear in the
    number of nodes that are not in the table.
    """
    table = NodeTable() if table is None else table
    return table.get(node) or table.set(node, _width(node, table))


def _width(node: Regex, table: NodeTable[Width]) -> Width:
    match node:
        case CharacterClass():
            return 1, 1
        case Lookaround():
            return 0, 0
        case AtomicGroup(item=item) | NamedGroup(item=item):
            return width(item, table)
        case Iteration(item=item, min=minimum, max=maximum):
            low, high = width(item, table)
            if high == 0 or maximum == 0:
                return low * minimum, 0
            return low * minimum, None if high is None or maximum is None else high * maximum
        case Concat(items=items):
            widths = [width(item, table) for item in items]
            highs = [high for _, high in widths]
            return sum(low for low, _ in widths), None if None in highs else sum(h for h in highs if h)
        case Alternatives(items=items):
            widths = [width(item, table) for item in items]
            highs = [high for _, high in widths]
            least = min((low for low, _ in widths), default=0)
            return least, None if None in highs else max((h for h in highs if h), default=0)
