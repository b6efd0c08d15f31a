"""Everything that reads texts by some of the mistakes of a grammar: one band after the other, and windows."""

from __future__ import annotations

from copy import copy

from abnforge._kernel.loaded import compiled
from abnforge.budget import Meter
from abnforge.mistakes.augmented import Augmented
from abnforge.mistakes.bound import BoundMistakes
from abnforge.mistakes.classes import Classes
from abnforge.mistakes.prefixes import Prefixes
from abnforge.mistakes.program import Program
from abnforge.mistakes.sets import Sets
from abnforge.mistakes.states import UNIT, State, States
from abnforge.mistakes.walks import MAX_CLASSES, Walk

BANDS = (3 * UNIT + UNIT // 2, 8 * UNIT + UNIT // 2, 24 * UNIT + UNIT // 2)
"""How much dearer than the cheapest a state may be on the way: narrow first: most texts have one mistake. The
halves are for the order of mistakes, which weighs something, too."""

MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS = 20_000, 400_000, 20_000_000
"""Sets and states worth keeping for what is read next (the mistakes of URIs have some thousand); and members
on all paths that the kernel keeps, of eight octets each."""

MAX_PREFIX_STEPS = 150_000
"""Steps for what stands before a window: texts of rules that recurse can lead to new sets without end."""


class Lane:
    """The bands over the same states, for one rule and without some codes. Not for several threads at once.

    Raises GrammarError where the rule's recursion is not read (see ``augmented``).
    """

    def __init__(self, bound: BoundMistakes, start: str) -> None:
        self.classes = Classes.of(bound)
        self.states = States(Augmented(bound, start))
        self._prefixes = Prefixes(self.states, self.classes)
        self.program: Program | None = None
        if compiled is not None and len(self.classes) <= MAX_CLASSES:
            self.program = Program(self.states, self.classes)
        self.bands = self._bands(frozenset())

    def without(self, codes: frozenset[str]) -> Lane:
        """The same without some codes. What the kernel knows of states is shared."""
        other = copy(self)
        if self.program is None:  # here states know where they lead, which depends on the codes
            other.states = States(self.states.augmented, codes)
            other._prefixes = Prefixes(other.states, self.classes)
        other.bands = other._bands(codes)
        return other

    def _bands(self, without: frozenset[str]) -> tuple[Walk | Sets, ...]:
        if self.program is None:
            return tuple(Sets(self.states, self.classes, band, MAX_KEPT_SETS) for band in BANDS)
        kept = MAX_KEPT_SETS, MAX_KEPT_STATES, MAX_KEPT_MEMBERS
        return tuple(Walk(self.program, self.classes, band, kept, without) for band in BANDS)

    @property
    def kept(self) -> int:
        """The number of sets that are kept."""
        return sum(map(len, self.bands)) + len(self._prefixes)

    @property
    def full(self) -> bool:
        """Whether there are more states and sets than are worth keeping."""
        if len(self.states) > MAX_KEPT_STATES or len(self._prefixes) > MAX_KEPT_SETS:
            return True
        return any(sets.full for sets in self.bands)

    def forget(self) -> None:
        """Drop all states and sets, and those of lanes that share the states."""
        self.states.forget()
        self._prefixes.forget()
        if self.program is not None:
            self.program.forget()  # and the sets of its states
        for sets in self.bands:
            if isinstance(sets, Sets):
                sets.forget()

    def letters(self, text: str) -> str:
        """The text with one character of each class in the place of all, unless it is ASCII alone."""
        return text if text.isascii() else text.translate(self.classes.representatives)

    def behind(self, prefix: str, meter: Meter) -> tuple[State | None, ...]:
        """The states behind a text that is read without a mistake; none if it begins no valid one.

        Raises LimitExceeded where that takes more than ``MAX_PREFIX_STEPS`` steps. Cost: linear.
        """
        part = meter.part("reading the input before a window", MAX_PREFIX_STEPS, "MAX_PREFIX_STEPS")
        return self._prefixes.read(self.letters(prefix), part)
