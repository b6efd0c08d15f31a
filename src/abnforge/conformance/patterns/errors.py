"""Why a pattern is not read."""

from __future__ import annotations

from abnforge.conformance.patterns.tree import MAX_NESTING
from abnforge.errors import LimitExceeded


class PatternError(ValueError):
    """A pattern that is not of its dialect, or that no automaton is made of.

    ``construct`` names what no automaton stands for, or none is made of here, such as ``a back reference``:
    ask the pattern itself then (``conformance.run``). It is None for a pattern that its dialect has not,
    whose mistake is at ``offset``, in code points.
    """

    def __init__(self, message: str, *, construct: str | None = None, offset: int | None = None) -> None:
        self.construct = construct
        self.offset = offset
        super().__init__(message)


def unproved(construct: str, offset: int | None = None) -> PatternError:
    """What is said of a construct that no automaton is made of."""
    place = "" if offset is None else f" (at {offset})"
    return PatternError(
        f"no automaton is made of {construct}{place}: whether the pattern is right can be tested, by "
        "conformance.run with a function that asks it, and not proved",
        construct=construct,
        offset=offset,
    )


def too_deep() -> LimitExceeded:
    """What is said of groups within one another that are too many."""
    return LimitExceeded(
        f"the groups of the pattern are nested deeper than {MAX_NESTING} levels (MAX_NESTING)",
        operation="reading a pattern",
        limit=MAX_NESTING,
        setting="MAX_NESTING",
    )


def out_of_stack() -> LimitExceeded:
    """What is said where what is left of the stack does not do."""
    return LimitExceeded(
        "the pattern is nested too deeply for what is left of the stack",
        operation="reading a pattern",
        setting="sys.setrecursionlimit",
    )
