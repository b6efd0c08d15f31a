"""Readings by derived mistakes that the facts about an input refute, or that are further from it than these.

Up to the exact offset an input can be read unchanged, for nothing. So a mistake without a fix that is done
with before that place is none, and what it says cannot stand somewhere can, if the input is read further.

A reading that finds something wrong before that, and is done with it there, must be cheap: one slip, as where
a comma is missing and only the next sign shows it. A story of more is less likely than that the input ends
too early, or that one character is not allowed. Those are facts, and so they are told first.
"""

from __future__ import annotations

from abnforge.mistakes.model import Mistake
from abnforge.mistakes.readings import Found, Reading
from abnforge.mistakes.states import UNIT

CHEAP = 1
"""What a reading may cost before the exact offset."""

NEAR = (CHEAP + 1) * UNIT - 1
"""The weight up to which a reading by derived mistakes is far only if its mistake is refuted."""


def is_refutable(mistake: Mistake) -> bool:
    """Whether facts can refute a mistake: not one that is declared, nor one that has a fix."""
    return mistake.derived and mistake.fix is None


def is_refuted(found: Found, offset: int) -> bool:
    """Return whether the input can be read further, up to ``offset``, than its first mistake says."""
    if found.mistake is not None and not is_refutable(found.mistake):
        return False
    return _stops(found) < offset


def is_past(found: Found, offset: int) -> bool:
    """Return whether a mistake is without a fix, and the input can be read beyond it."""
    return (found.mistake is None or found.mistake.fix is None) and _stops(found) < offset


def is_far(reading: Reading, offset: int) -> bool:
    """Whether a reading by derived mistakes is further from its text than that reading stops at ``offset``,
    the length of the longest viable prefix.

    None is whose first mistake reaches there, and none of which every mistake has a fix: what makes the text
    valid tells what was meant. Cost: linear in the mistakes.
    """
    if not reading.found or is_refuted(reading.found[0], offset):
        return bool(reading.found)
    every = [each.mistake for each in reading.all_found]
    if all(each is not None and each.fix is not None for each in every):
        return False
    first = reading.found[0]
    if first.mistake is not None and first.mistake.reach is not None and _stops(first) < offset:
        return True
    if first.end >= offset:
        return False
    before = [each.mistake for each in reading.all_found if each.start < offset]
    return None in before or sum(each.cost for each in before if each is not None) > CHEAP


def _stops(found: Found) -> int:
    """The place beyond which, as a mistake has it, nothing can be read."""
    if found.mistake is None or found.mistake.reach is None:
        return found.end
    return found.span[0] + found.mistake.reach
