"""Errors about regular expressions: rules without a pattern, and patterns without an automaton."""

from __future__ import annotations

from abnforge.catalog import CodedError
from abnforge.errors import LimitExceeded
from abnforge.regex.messages import message as _message

MAX_NESTING = 100
"""Limit on the nested groups of a foreign pattern. Patterns in public code have fewer than 20."""


class UnsafeError(CodedError, ValueError):
    """A rule without an expression that is safe to match by backtracking, or with one that is too large."""


class TooLargeError(UnsafeError):
    """A rule whose expression would be too large for any engine."""


class UnreadError(CodedError, ValueError):
    """A pattern outside the notation that ``reading`` supports."""


class UndecidedError(CodedError, ValueError):
    """A pattern that was neither proved nor disproved, and the reason."""


class PatternError(CodedError, ValueError):
    """A pattern that its dialect does not allow, or that has no automaton.

    ``construct`` names the part that automata do not support, such as ``a back reference``; test the pattern
    itself then (``conformance.run``). It is None for a pattern that its dialect does not allow, whose mistake
    is at ``offset``, in code points.
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
