"""Define errors about regular expressions: rules without a pattern, and patterns without an automaton."""

from __future__ import annotations

from abnforge.catalog import CodedError
from abnforge.errors import LimitExceeded
from abnforge.regex.messages import message as _message

MAX_NESTING = 100
"""The maximum nesting depth of groups in a foreign pattern. Public code uses fewer than 20 levels."""


class UnsafeError(CodedError, ValueError):
    """Raised if a rule's expressions are not safe to match by backtracking, or are too large."""


class TooLargeError(UnsafeError):
    """Raised if the expression of a rule would be too large for any engine."""


class UnreadError(CodedError, ValueError):
    """Raised for a pattern outside the notation that ``reading`` supports."""


class UndecidedError(CodedError, ValueError):
    """Raised for a pattern that was neither proved nor disproved, with the reason."""


class PatternError(CodedError, ValueError):
    """Raised for a pattern that its dialect does not allow or that cannot be converted to an automaton.

    ``construct`` names the part that automata do not support, such as ``a back reference``; such a pattern
    can only be tested (``conformance.run``). For a pattern that its dialect does not allow, ``construct`` is
    None and ``offset`` is the position of the mistake, in code points.
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
    """Return the error for a pattern that exceeds the remaining stack."""
    return LimitExceeded(
        _message("pattern-stack"),
        operation="reading a pattern",
        setting="sys.setrecursionlimit",
    )
