"""Where reading stopped: what every lane hands to the explanation of a rejection.

These are facts, which follow from the grammar alone: every lane finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abnforge.automaton.states import LiveSet
from abnforge.rejection import Expected


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that a rule does not derive, as far as it can be read.

    ``offset`` is the length of its longest viable prefix; ``expected`` what could follow that prefix, an
    entry a rule, in the grammar's order of rules; ``may_end`` tells whether the prefix itself is derived.
    ``reached`` are the live sets of the viable prefixes from the empty one on, as far as states know them:
    where recursion is too tangled for states, they are fewer than ``offset + 1``.
    """

    offset: int
    expected: tuple[Expected, ...]
    may_end: bool
    reached: Sequence[LiveSet]
