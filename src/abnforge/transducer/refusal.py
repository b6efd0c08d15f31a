"""Why a text is not read in one pass: then another way to its derivation has to be taken."""

from __future__ import annotations


class TransducerError(Exception):
    """The transducer cannot tell which derivation is preferred, or it would cost too much. No verdict."""


LEFT_RECURSION = "hidden left recursion"
CYCLE = "cyclic rule"
AMBIGUOUS = "ambiguous left recursion"
TOO_DEEP = "too many open rules"
TOO_WIDE = "too many next characters"
