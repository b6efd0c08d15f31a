"""A failing case made small: as long as a smaller variant fails in the same way, it takes its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from fuzzing.cases import Case


@dataclass(frozen=True, slots=True)
class Failure:
    """What was wrong with a case. ``claim`` is what a test of it says, ``kind`` with which exception."""

    law: str
    kind: str
    claim: str
    why: str

    def like(self, other: Failure | None) -> bool:
        """Whether two failures are of the same kind, so that one may stand for the other."""
        return other is not None and (self.law, self.kind) == (other.law, other.kind)


def minimised(
    case: Case,
    failure: Failure,
    check: Callable[[Case], Failure | None],
    seconds: float = 60.0,
    attempts: int = 20_000,
) -> tuple[Case, Failure]:
    """The smallest case found that fails in the same way, and its failure.

    Greedy (Zeller and Hildebrandt 2002 without their bookkeeping): a case that comes out cannot be made
    smaller by one step, unless time or attempts ran out.
    """
    deadline = monotonic() + seconds
    again = True
    while again:
        again = False
        for variant in case.smaller():
            if variant.size >= case.size:
                continue
            attempts -= 1
            if attempts < 0 or monotonic() > deadline:
                return case, failure
            found = check(variant)
            if found is not None and failure.like(found):
                case, failure, again = variant, found, True
                break
    return case, failure
