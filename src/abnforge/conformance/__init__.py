"""Conformance: does an implementation accept exactly what a rule derives? Suites, and what they show.

Needs nothing beside the core. Rules that are regular have suites that are complete up to a number of states;
see ``abnforge.conformance.suites``. Of a pattern, and of another rule, it is proved.
"""

from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.pattern import Pattern, pattern
from abnforge.conformance.patterns.errors import PatternError
from abnforge.conformance.proof import Proof, prove
from abnforge.conformance.running import Deviation, Report, run
from abnforge.conformance.suites import LEVELS, Suite, suite
from abnforge.conformance.vectors import Vector

__all__ = [
    "LEVELS",
    "Deviation",
    "Pattern",
    "PatternError",
    "Proof",
    "Report",
    "Suite",
    "Vector",
    "near_misses",
    "pattern",
    "prove",
    "run",
    "suite",
]
