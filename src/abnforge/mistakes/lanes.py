"""Everything that reads texts by some of the mistakes of a grammar: one band after the other, and windows."""

from __future__ import annotations

from collections.abc import Sequence

from abnforge.budget import Meter
from abnforge.mistakes.augmented import Augmented
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.fingerprints import Fingerprints
from abnforge.mistakes.prefixes import Prefixes
from abnforge.mistakes.sets import MAX_KEPT_SETS, MAX_KEPT_STATES, Sets
from abnforge.mistakes.states import UNIT, State, States
from abnforge.mistakes.stored import Band, Table

BANDS = (3 * UNIT + UNIT // 2, 8 * UNIT + UNIT // 2, 24 * UNIT + UNIT // 2)
"""How much dearer than the cheapest a state may be on the way: narrow first: most texts have one mistake. The
halves are for the order of mistakes, which weighs something, too."""

MAX_PREFIX_STEPS = 150_000
"""Steps for what stands before a window: texts of rules that recurse can lead to new sets without end."""


class Lane:
    """The bands over the same states, for one rule and without some codes. Not for several threads at once.

    Raises GrammarError where the rule's recursion is not read (see ``augmented``).
    """

    def __init__(
        self, bound: BoundMistakes, start: str, without: frozenset[str], table: Table | None = None
    ) -> None:
        if table is None:
            augmented = Augmented(bound, start, without)  # raises what it may raise
            self.states = States(lambda: augmented)
            self.classes = Classes.of(bound)
        else:
            self.states = States(lambda: Augmented(bound, start))
            self.classes = Classes(table.classes)
        fingerprints = Fingerprints(self.states)
        stored: Sequence[Band | None] = (None,) * len(BANDS) if table is None else table.bands
        self.bands = tuple(
            Sets(self.states, self.classes, band, rows, fingerprints)
            for band, rows in zip(BANDS, stored, strict=True)
        )
        self._prefixes = Prefixes(self.states, self.classes)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(map(len, self.bands)) + len(self._prefixes)

    @property
    def full(self) -> bool:
        """Whether there are more states and sets than are worth keeping."""
        if self.kept > MAX_KEPT_SETS or len(self.states) > MAX_KEPT_STATES:
            return True
        return any(sets.full for sets in self.bands)

    def forget(self) -> None:
        """Drop all states and sets that are not stored."""
        self.states.forget()
        self._prefixes.forget()
        for sets in self.bands:
            sets.forget()

    def letters(self, text: str) -> str:
        """The text with one character of each class in the place of all, unless it is ASCII alone."""
        return text if text.isascii() else text.translate(self.classes.representatives)

    def behind(self, prefix: str, meter: Meter) -> tuple[State | None, ...]:
        """The states behind a text that is read without a mistake; none if it begins no valid one.

        Raises LimitExceeded where that takes more than ``MAX_PREFIX_STEPS`` steps. Cost: linear.
        """
        part = meter.part("reading what stands before a window", MAX_PREFIX_STEPS, "MAX_PREFIX_STEPS")
        return self._prefixes.read(self.letters(prefix), part)
