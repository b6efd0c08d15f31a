"""Test whether an implementation accepts exactly the strings of a rule, and measure grammar coverage.

Only ``learn`` requires a library: AALpy (extra ``learn``). A regular rule has a test suite that is complete
up to a number of states; see ``abnforge.conformance.suites``. For a pattern or another rule, equality is
proved.
"""

from abnforge.conformance.causes import Deviation
from abnforge.conformance.coverage import Coverage, PartUse, TransitionUse, coverage
from abnforge.conformance.judges import Answer, Judge, Raised, UnsteadyError, parses
from abnforge.conformance.learning import Learnt, UnfinishedError, learn
from abnforge.conformance.matrix import Cluster, Matrix, run_all
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
    "Cluster",
    "Command",
    "Coverage",
    "Deviation",
    "Example",
    "Judge",
    "Learnt",
    "Matrix",
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
    "run_all",
    "sentences",
    "suite",
]
