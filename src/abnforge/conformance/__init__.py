"""Conformance: does an implementation accept exactly what a rule derives? Suites, and what they show. And
what do texts use of a grammar?

Needs nothing beside the core. Rules that are regular have suites that are complete up to a number of states;
see ``abnforge.conformance.suites``. What texts use is counted by ``abnforge.conformance.coverage``.
"""

from abnforge.conformance.coverage import Coverage, PartUse, coverage
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.parts import Part
from abnforge.conformance.running import Deviation, Report, run
from abnforge.conformance.suites import LEVELS, Suite, suite
from abnforge.conformance.transitions import TransitionUse
from abnforge.conformance.usage import Example
from abnforge.conformance.vectors import Vector

__all__ = [
    "LEVELS",
    "Coverage",
    "Deviation",
    "Example",
    "Part",
    "PartUse",
    "Report",
    "Suite",
    "TransitionUse",
    "Vector",
    "coverage",
    "near_misses",
    "run",
    "suite",
]
