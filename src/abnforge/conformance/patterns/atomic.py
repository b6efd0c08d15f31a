"""What gives nothing back, said without it.

An atomic group matches what its item matches first, in order of preference. Which match that is, can be said
by what must not follow: ``(?>a*b)`` is ``a*`` up to a place where ``b`` follows and behind no further ``a`` a
``b`` does, then ``b``. So a pattern becomes one with lookahead alone, and has the same language. A possessive
quantifier is an atomic group around a loop.

Not known is a loop whose turns can end at several places with something behind it in the same group; such a
pattern is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abnforge.budget import Meter
from abnforge.conformance.patterns.errors import unproved
from abnforge.conformance.patterns.tree import (
    EMPTY,
    Atomic,
    Char,
    Choice,
    Look,
    Node,
    Repeat,
    Run,
    Width,
    choice,
    not_ahead,
    run,
    width,
)

# Octets that a node takes, an estimate.
_OCTETS = 300


def without_atomic(tree: Node, meter: Meter) -> Node:
    """A tree with the same language and no atomic group.

    Raises PatternError for a group that is not known to have such a form, LimitExceeded. Cost: linear but for
    atomic groups, within which what follows a choice is said once for each of its items.
    """
    return _Rewriter(meter).rewritten(tree)


class _Rewriter:
    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._widths: dict[Node, Width] = {}
        self._ends_once: set[Node] = set()  # what was made of atomic groups

    def rewritten(self, node: Node) -> Node:
        """A node without atomic groups in it."""
        self._meter.charge()
        match node:
            case Char():
                return node
            case Run(items=items) | Choice(items=items):
                made = [self.rewritten(item) for item in items]
                if all(one is other for one, other in zip(made, items, strict=True)):
                    return node
                return type(node)(tuple(made))
            case Repeat(item=item) | Look(item=item):
                inner = self.rewritten(item)
                return node if inner is item else replace(node, item=inner)
            case Atomic(item=item):
                first = self._first((self.rewritten(item),))
                self._ends_once.add(first)
                return first

    def _first(self, items: Sequence[Node]) -> Node:
        """What matches exactly the first match of some items in a row: at most one from any place."""
        self._meter.charge(1 + len(items))
        self._meter.hold(_OCTETS)
        if not items:
            return EMPTY
        head, rest = items[0], items[1:]
        if self._single(head):
            return run((head, self._first(rest))) if rest else head
        if isinstance(head, Run):
            return self._first((*head.items, *rest))
        if isinstance(head, Choice):
            return self._first_choice([(item, *rest) for item in head.items])
        assert isinstance(head, Repeat)
        if head.max == 0:
            return self._first(rest)
        if width(head.item, self._widths)[0] == 0:
            raise unproved("an atomic group with a loop that can match the empty string")
        if self._single(head.item):
            return self._first_loop(head, rest)
        return self._first_turns(head, rest)

    def _first_choice(self, ways: Sequence[Sequence[Node]]) -> Node:
        """The first match of the first way that has one."""
        self._meter.charge(len(ways) * len(ways))
        refused = [not_ahead(*way) for way in ways[:-1]]
        return choice(run((*refused[:number], self._first(way))) for number, way in enumerate(ways))

    def _first_loop(self, loop: Repeat, rest: Sequence[Node]) -> Node:
        """The same of a loop whose turns end at one place, and what follows it."""
        item, least, most = loop.item, loop.min, loop.max
        behind = self._first(rest)
        if not loop.greedy:
            more = None if most is None else most - least
            further = Repeat(run((not_ahead(*rest), item)), 0, more)
            return run((_times(item, least, least), further, behind))
        if most is None:
            again = not_ahead(Repeat(item, 1, None), *rest) if rest else not_ahead(item)
            return run((Repeat(item, least, None), again, behind))
        if _always(rest):
            whole = _times(item, most, most)
            if most == least:
                return run((whole, behind))
            fewer = run((Repeat(item, least, most - 1), not_ahead(item)))
            return run((Choice((whole, fewer)), behind))
        self._meter.charge((most - least + 1) * most)
        return choice(
            run((_times(item, count, count), not_ahead(Repeat(item, 1, most - count), *rest), behind))
            if count < most
            else run((_times(item, count, count), behind))
            for count in range(most, least - 1, -1)
        )

    def _first_turns(self, loop: Repeat, rest: Sequence[Node]) -> Node:
        """The same of a loop whose turns can end at several places."""
        item, least, most = loop.item, loop.min, loop.max
        if least > 0:
            left = Repeat(item, least - 1, None if most is None else most - 1, loop.greedy)
            return self._first((item, left, *rest))
        if _always(rest):
            # What follows never fails, and neither do further turns: each is the first match of its own.
            if not loop.greedy:
                return self._first(rest)
            turn = self._first((item,))
            if most is None:
                turns = run((Repeat(turn, 0, None), not_ahead(item)))
            else:
                fewer = run((Repeat(turn, 0, most - 1), not_ahead(item)))
                turns = Choice((_times(turn, most, most), fewer))
            return run((turns, self._first(rest)))
        if most is None:
            raise unproved("an atomic group with a loop whose turns can end in several ways")
        again = (item, Repeat(item, 0, most - 1, loop.greedy), *rest)
        return self._first_choice([again, rest] if loop.greedy else [rest, again])

    def _single(self, node: Node) -> bool:
        """Whether all matches of a node from one place end at one place, as far as its width tells."""
        low, high = width(node, self._widths)
        if low == high or node in self._ends_once:
            return True
        match node:
            case Run(items=items):
                return all(map(self._single, items))
            case Repeat(item=item, min=least, max=most) if least == most:
                return self._single(item)
            case Choice(items=items) if len(items) == 1:
                return self._single(items[0])
        return False


def _times(item: Node, least: int, most: int) -> Node:
    return item if least == most == 1 else Repeat(item, least, most)


def _always(items: Sequence[Node]) -> bool:
    """Whether some items in a row match at every place, if only nothing."""
    return all(map(_never_fails, items))


def _never_fails(node: Node) -> bool:
    match node:
        case Run(items=items):
            return all(map(_never_fails, items))
        case Choice(items=items):
            return any(map(_never_fails, items))
        case Repeat(item=item, min=least):
            return least == 0 or _never_fails(item)
        case _:
            return False
