"""Conformance: does an implementation accept exactly what a rule derives? Suites, and what they show. And
what do texts use of a grammar?

Needs nothing beside the core, but for ``learn``, which needs AALpy (extra ``learn``). Rules that are regular
have suites that are complete up to a number of states; see ``abnforge.conformance.suites``. Of a pattern, and
of another rule, it is proved.
"""

from abnforge.conformance.causes import Deviation
from abnforge.conformance.coverage import Coverage, PartUse, TransitionUse, coverage
from abnforge.conformance.judges import Answer, Judge, Raised, UnsteadyError, parses
from abnforge.conformance.learning import Learnt, UnfinishedError, learn
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.programs import Command, Process
from abnforge.conformance.proof import Pattern, Proof, pattern, prove
from abnforge.conformance.running import Report, run
from abnforge.conformance.sentences import sentences
from abnforge.conformance.suites import LEVELS, Suite, suite
from abnforge.conformance.usage import Example, Part
from abnforge.conformance.vectors import Vector
from abnforge.regex.errors import PatternError

__all__ = [
    "LEVELS",
    "Answer",
    "Command",
    "Coverage",
    "Deviation",
    "Example",
    "Judge",
    "Learnt",
    "Part",
    "PartUse",
    "Pattern",
    "PatternError",
    "Process",
    "Proof",
    "Raised",
    "Report",
    "Suite",
    "TransitionUse",
    "UnfinishedError",
    "UnsteadyError",
    "Vector",
    "coverage",
    "learn",
    "near_misses",
    "parses",
    "pattern",
    "prove",
    "run",
    "sentences",
    "suite",
]
