"""Edits that repair an input: the steps of a search, and the repairs they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abnforge.automaton.states import State
from abnforge.explain.reasons import Kind
from abnforge.rejection import Edit


@dataclass(frozen=True, slots=True)
class Step:
    """One edit on the way: where, what, and the rules it is about (keys, outermost first)."""

    kind: Kind
    edit: Edit
    trail: tuple[str, ...]
    state: State
    previous: Step | None


@dataclass(frozen=True, slots=True)
class Repair:
    """A valid string near the input (``text`` None when the window did not reach the end of the input).

    ``steps`` are the edits from left to right, ``first`` those of them that make up the first mistake.
    """

    cost: float
    text: str | None
    steps: tuple[Step, ...]
    first: tuple[Step, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Where the first mistake starts and ends."""
        return self.first[0].edit.start, self.first[-1].edit.end

    def same_mistake(self, other: Repair) -> bool:
        """Whether both are about the same rule and places that overlap or touch."""
        (start, end), (other_start, other_end) = self.span, other.span
        return self.first[0].trail == other.first[0].trail and start <= other_end and other_start <= end


def first_mistake(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The first steps of a repair that make up one mistake: neighbours of one kind."""
    first = [steps[0]]
    for step in steps[1:]:
        if step.edit.start != first[-1].edit.end or step.kind is not first[0].kind:
            break
        first.append(step)
    return tuple(first)


def merge(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Neighbouring edits as one. Cost: linear."""
    result: list[Edit] = []
    start = 0
    for index, edit in enumerate(edits):
        if index + 1 == len(edits) or edits[index + 1].start != edit.end:
            run = edits[start : index + 1]
            result.append(Edit(run[0].start, edit.end, "".join(e.text for e in run)))
            start = index + 1
    return tuple(result)


def blamed(trail: tuple[str, ...], before: State, after: State) -> tuple[str, ...]:
    """The rules an edit is about: of those that read the new character, the ones that last.

    A rule that begins and ends with that character (``ALPHA``) says nothing about the mistake.
    """
    return trail[: max(common(trail, before.trail), common(trail, after.trail))]


def common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """How many elements two sequences share at their beginning. Cost: a few comparisons of slices."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while high - low > 1:  # the first ``low`` are shared, the first ``high`` are not
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low
