"""Why a text is not read in one pass: then another way to its derivation has to be taken."""

from __future__ import annotations


class TransducerError(Exception):
    """The transducer cannot tell which derivation is preferred, or it would cost too much. No verdict."""


LEFT_RECURSION = "a rule begins with itself behind what can be empty, or rules derive one another"
CYCLE = "a rule derives itself and nothing else"
AMBIGUOUS = "the text has several derivations, and rules begin with themselves"
TOO_DEEP = "too many rules are open that may all end here"
TOO_WIDE = "too much can be read next"
