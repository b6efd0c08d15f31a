"""Did you mean ...? The known names that somebody who wrote another one may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from abnforge.late import importing

MAX_NEAR_MISS_CANDIDATES = 5_000
MAX_NEAR_MISS_LENGTH = 100
"""Names compared for "did you mean", and how long they may be: the comparison is quadratic in the length."""


def near_misses(name: str, candidates: Iterable[str], likeness: float = 0.7) -> list[str]:
    """The candidates (at most three) that someone who wrote ``name`` may have meant, nearest first;
    before all, one in which two characters beside each other stand the other way round.

    Compared without regard to case; ``likeness`` is the least that counts, from 0 to 1. Cost: bounded by the
    two limits above.
    """
    if len(name) > MAX_NEAR_MISS_LENGTH:
        return []
    folded: dict[str, str] = {}
    for candidate in islice(candidates, MAX_NEAR_MISS_CANDIDATES):
        if len(candidate) <= MAX_NEAR_MISS_LENGTH:
            folded.setdefault(candidate.lower(), candidate)
    wrong = name.lower()
    if not any(_can_be_near(wrong, key, likeness) for key in folded):
        return []
    with importing:
        import difflib  # most names are right

    near = difflib.get_close_matches(wrong, folded, 3, likeness)
    near.sort(key=lambda key: not _swapped(wrong, key))
    return [folded[key] for key in near]


def _can_be_near(wrong: str, right: str, likeness: float) -> bool:
    """Return whether the two have enough characters in common, in any order: what difflib checks first."""
    common = sum(min(wrong.count(char), right.count(char)) for char in set(wrong))
    length = len(wrong) + len(right)
    return not length or 2 * common / length >= likeness


def _swapped(wrong: str, right: str) -> bool:
    """Whether two characters beside each other changed places. To difflib such a name is no more alike than
    one that lacks a character and has another.
    """
    apart = [place for place, (a, b) in enumerate(zip(wrong, right, strict=False)) if a != b]
    return (
        len(wrong) == len(right)
        and len(apart) == 2
        and apart[1] == apart[0] + 1
        and wrong[apart[0]] == right[apart[1]]
        and wrong[apart[1]] == right[apart[0]]
    )
