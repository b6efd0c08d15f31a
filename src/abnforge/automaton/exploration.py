"""Two languages compared string by string, where their automata need not be finite.

The same search of the product as in ``algebra``, as far as a budget leads. For languages that are not regular
there may be no end to it: whether two grammars derive the same strings is undecidable (Bar-Hillel, Perles and
Shamir 1961).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

from abnforge.automaton.algebra import Witnesses, preference
from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.errors import LimitExceeded

# What a pair of states costs, in steps, beside its moves; and what it is estimated to take, in octets.
_PAIR_COST = 2
_PAIR_OCTETS = 300


class Walk(Protocol):
    """A deterministic automaton that need not be finite: states by moves, None for having left the language.

    ``charsets`` are the classes of characters that it tells apart.
    """

    @property
    def charsets(self) -> Sequence[CharSet]: ...

    @property
    def start(self) -> Hashable | None: ...

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """The state after one more character."""

    def accepts(self, state: Hashable) -> bool:
        """Whether a string may end in a state."""


def explore(left: Walk, right: Walk, meter: Meter) -> tuple[Witnesses, int | None]:
    """A shortest string of each region of two languages, as far as ``meter`` allows to look for them.

    With the length up to which all strings were tried, one character of each class standing for all of it;
    None when there is no more to find.
    """
    found: dict[tuple[bool, bool], str] = {}
    classes = sorted(map(preference, partition((*left.charsets, *right.charsets))))
    pairs = [(left.start, right.start, "")]
    met = {pairs[0][:2]}
    tried = -1
    try:
        for one, other, text in pairs:
            accepted = one is not None and left.accepts(one), other is not None and right.accepts(other)
            if accepted != (False, False):
                found.setdefault(accepted, text)
                if len(found) == 3:
                    break
            tried = len(text) - 1
            # Where one language is left, there is one region to find a string of.
            if (one is None and (False, True) in found) or (other is None and (True, False) in found):
                continue
            meter.charge(len(classes))
            for _, char in classes:
                target = (
                    None if one is None else left.move(one, char),
                    None if other is None else right.move(other, char),
                )
                if target not in met and target != (None, None):
                    meter.charge(_PAIR_COST)
                    meter.hold(_PAIR_OCTETS)
                    met.add(target)
                    pairs.append((*target, text + char))
    except LimitExceeded:
        return _witnesses(found), max(0, tried)
    return _witnesses(found), None


def _witnesses(found: dict[tuple[bool, bool], str]) -> Witnesses:
    return Witnesses(found.get((True, False)), found.get((False, True)), found.get((True, True)))
