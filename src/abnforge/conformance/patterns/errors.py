"""Why a pattern is not read."""

from __future__ import annotations

from abnforge.catalog import CodedError
from abnforge.conformance.patterns.messages import message as _message
from abnforge.conformance.patterns.tree import MAX_NESTING
from abnforge.errors import LimitExceeded


class PatternError(CodedError, ValueError):
    """A pattern that is not of its dialect, or that no automaton is made of.

    ``construct`` names what no automaton stands for, or none is made of here, such as ``a back reference``:
    ask the pattern itself then (``conformance.run``). It is None for a pattern that its dialect has not,
    whose mistake is at ``offset``, in code points.
    """

    def __init__(self, message: str, *, construct: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.construct = construct
        self.offset = offset


def unproved(construct: str, offset: int | None = None) -> PatternError:
    """Return the error for a construct that automata do not support."""
    if offset is None:
        text = _message("pattern-construct", construct=construct)
    else:
        text = _message("pattern-construct-at", construct=construct, offset=offset)
    return PatternError(text, construct=construct, offset=offset)


def too_deep() -> LimitExceeded:
    """Return the error for groups that are nested too deeply."""
    return LimitExceeded(
        _message("pattern-too-deep", limit=MAX_NESTING),
        operation="reading a pattern",
        limit=MAX_NESTING,
        setting="MAX_NESTING",
    )


def out_of_stack() -> LimitExceeded:
    """Return the error for a pattern that the rest of the stack cannot hold."""
    return LimitExceeded(
        _message("pattern-stack"),
        operation="reading a pattern",
        setting="sys.setrecursionlimit",
    )
