"""A regular expression as a tree, whatever notation it was written in.

There are no anchors here: each is said by what stands before or behind a place (:class:`Look`). The beginning
of the text is where no character stands before, a word boundary where a word character stands on one side
alone. So what follows knows one kind of assertion.

Nodes compare by identity: a part of a tree may stand in several places, and is one part. Trees are nested
at most ``MAX_NESTING`` levels beyond what an anchor takes, so functions on them recurse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from abnforge.charset import ANY, CharSet

MAX_NESTING = 100
"""Groups within one another. In patterns found in the wild there are below 20."""


@dataclass(frozen=True, slots=True, eq=False)
class Char:
    """One character of a set, which may be empty."""

    charset: CharSet


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Its items one after the other; without items nothing is read."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of its items, earlier ones preferred; without items nothing matches."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """``min`` to ``max`` times ``item`` (None: no upper limit), as often as possible, or as rarely where it
    is not ``greedy``. Which of the two matters within :class:`Atomic` only.
    """

    item: Node
    min: int
    max: int | None
    greedy: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Atomic:
    """The first match of its item in order of preference, with no way back into it."""

    item: Node


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Nothing is read: its item matches what is ``ahead``, or what ends here; or, ``negative``, does not."""

    item: Node
    ahead: bool
    negative: bool


Node = Union[Char, Run, Choice, Repeat, Atomic, Look]
Width = tuple[int, int | None]

EMPTY = Run(())
NOTHING = Choice(())
EVERY = Char(ANY)


def ahead(*items: Node) -> Node:
    """The items follow."""
    return Look(run(items), True, False)


def not_ahead(*items: Node) -> Node:
    """The items do not follow."""
    return Look(run(items), True, True)


def behind(*items: Node) -> Node:
    """The items end here."""
    return Look(run(items), False, False)


def not_behind(*items: Node) -> Node:
    """The items do not end here."""
    return Look(run(items), False, True)


def run(items: Iterable[Node]) -> Node:
    """Items one after the other."""
    found = tuple(items)
    return found[0] if len(found) == 1 else Run(found)


def choice(items: Iterable[Node]) -> Node:
    """One of some items."""
    found = tuple(items)
    return found[0] if len(found) == 1 else Choice(found)


def chars(text: str) -> Node:
    """One of some characters."""
    return Char(CharSet.of(text))


def possessive(item: Node, least: int, most: int | None, cuts_turns: bool) -> Node:
    """A loop that gives nothing back. With ``cuts_turns`` the turns that have to be there are cut one by one,
    and those that may be there as a whole, as in Python and Java; in PCRE it is an atomic group.
    """
    if least == 0 or not cuts_turns:
        return Atomic(Repeat(item, least, most))
    needed = Repeat(Atomic(item), least, least)
    if most == least:
        return needed
    return Run((needed, Atomic(Repeat(item, 0, None if most is None else most - least))))


START = not_behind(EVERY)
END = not_ahead(EVERY)
NEWLINE = chars("\n")
BEFORE_LAST_NEWLINE = Choice((END, ahead(NEWLINE, END)))


def boundary(word: CharSet) -> Node:
    """Between a character of a set and none of it."""
    one = Char(word)
    return Choice((Run((behind(one), not_ahead(one))), Run((not_behind(one), ahead(one)))))


def no_boundary(word: CharSet) -> Node:
    """Any other place."""
    one = Char(word)
    return Choice((Run((behind(one), ahead(one))), Run((not_behind(one), not_ahead(one)))))


def width(node: Node, known: dict[Node, Width] | None = None) -> Width:
    """The least and the largest number of characters that a node reads; None for no bound.

    What never matches counts as reading nothing. ``known`` is what was found before. Cost: linear in the
    parts that are not known.
    """
    known = {} if known is None else known
    found = known.get(node)
    if found is None:
        found = known[node] = _width(node, known)
    return found


def _width(node: Node, known: dict[Node, Width]) -> Width:
    match node:
        case Char():
            return 1, 1
        case Look():
            return 0, 0
        case Atomic(item=item):
            return width(item, known)
        case Repeat(item=item, min=least, max=most):
            low, high = width(item, known)
            if high == 0 or most == 0:
                return low * least, 0
            return low * least, None if high is None or most is None else high * most
        case Run(items=items):
            widths = [width(item, known) for item in items]
            highs = [high for _, high in widths]
            return sum(low for low, _ in widths), None if None in highs else sum(h for h in highs if h)
        case Choice(items=items):
            widths = [width(item, known) for item in items]
            highs = [high for _, high in widths]
            least = min((low for low, _ in widths), default=0)
            return least, None if None in highs else max((h for h in highs if h), default=0)
