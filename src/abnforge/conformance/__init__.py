"""Conformance: does an implementation accept exactly what a rule derives? Suites, and what they show.

Needs nothing beside the core. Rules that are regular have suites that are complete up to a number of states;
see ``abnforge.conformance.suites``.
"""

from abnforge.conformance.deviations import Deviation
from abnforge.conformance.judges import Answer, Judge, parses
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.processes import Command, Process
from abnforge.conformance.running import Report, run
from abnforge.conformance.sentences import sentences
from abnforge.conformance.suites import LEVELS, Suite, suite
from abnforge.conformance.urls import Url
from abnforge.conformance.vectors import Vector

__all__ = [
    "LEVELS",
    "Answer",
    "Command",
    "Deviation",
    "Judge",
    "Process",
    "Report",
    "Suite",
    "Url",
    "Vector",
    "near_misses",
    "parses",
    "run",
    "sentences",
    "suite",
]
