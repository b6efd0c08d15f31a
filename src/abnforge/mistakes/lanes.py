"""Everything that reads texts by some of the mistakes of a grammar: one band after the other, and windows."""

from __future__ import annotations

from abnforge.budget import Meter
from abnforge.mistakes.augmented import Augmented
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.prefixes import Prefixes
from abnforge.mistakes.sets import MAX_KEPT_SETS, MAX_KEPT_STATES, Sets
from abnforge.mistakes.states import UNIT, State, States

BANDS = (3 * UNIT, 8 * UNIT, 24 * UNIT)
"""How much dearer than the cheapest a state may be on the way: narrow first: most texts have one mistake."""

MAX_PREFIX_STEPS = 150_000
"""Steps for what stands before a window: texts of rules that recurse can lead to new sets without end."""


class Lane:
    """The bands over the same states, for one rule and without some codes. Not for several threads at once.

    Raises GrammarError where the rule's recursion is not read (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str, without: frozenset[str]) -> None:
        augmented = Augmented(bound, start, without)
        self._states = States(augmented)
        self._classes = Classes(augmented)
        self.bands = tuple(Sets(self._states, self._classes, band) for band in BANDS)
        self._prefixes = Prefixes(self._states, self._classes)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(map(len, self.bands)) + len(self._prefixes)

    def forget_if_full(self) -> None:
        """Drop all states and sets, if there are too many to keep."""
        if self.kept > MAX_KEPT_SETS or len(self._states) > MAX_KEPT_STATES:
            self._states.forget()
            self._prefixes.forget()
            for sets in self.bands:
                sets.forget()

    def letters(self, text: str) -> str:
        """The text with one character of each class in the place of all, unless it is ASCII alone."""
        return text if text.isascii() else text.translate(self._classes.representatives)

    def behind(self, prefix: str, meter: Meter) -> tuple[State | None, ...]:
        """The states behind a text that is read without a mistake; none if it begins no valid one.

        Raises LimitExceeded where that takes more than ``MAX_PREFIX_STEPS`` steps. Cost: linear.
        """
        part = meter.part("reading what stands before a window", MAX_PREFIX_STEPS, "MAX_PREFIX_STEPS")
        return self._prefixes.read(self.letters(prefix), part)
