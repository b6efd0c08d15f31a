"""Conformance: does an implementation accept exactly what a rule derives? Suites, and what they show.

Needs nothing beside the core, but for ``learn``, which needs AALpy (extra ``learn``). Rules that are regular
have suites that are complete up to a number of states; see ``abnforge.conformance.suites``.
"""

from abnforge.conformance.black_box import Raised, Unsteady
from abnforge.conformance.learning import Unfinished, learn
from abnforge.conformance.learnt import Learnt
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.running import Deviation, Report, run
from abnforge.conformance.suites import LEVELS, Suite, suite
from abnforge.conformance.vectors import Vector

__all__ = [
    "LEVELS",
    "Deviation",
    "Learnt",
    "Raised",
    "Report",
    "Suite",
    "Unfinished",
    "Unsteady",
    "Vector",
    "learn",
    "near_misses",
    "run",
    "suite",
]
