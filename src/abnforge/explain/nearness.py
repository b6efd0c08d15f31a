"""Readings by derived mistakes that are further from a text than the facts about it.

Up to the exact offset a text can be read as it stands, for nothing. A reading that finds something wrong
before that, and is done with it there, must be cheap: one slip, as where a comma is missing and only the next
sign shows it. A story of more is less likely than that the text ends too early, or that one character is not
allowed. Those are facts, and so they are told first.
"""

from __future__ import annotations

from abnforge.mistakes.readings import Reading
from abnforge.mistakes.states import UNIT

CHEAP = 1
"""What a reading may cost before the exact offset."""

NEAR = (CHEAP + 1) * UNIT - 1
"""The weight up to which no reading by derived mistakes is far."""


def is_far(reading: Reading, offset: int) -> bool:
    """Whether a reading by derived mistakes is further from its text than that reading stops at ``offset``,
    the length of the longest viable prefix.

    None is whose first mistake reaches there, and none of which every mistake has a fix: what makes the text
    valid tells what was meant. Cost: linear in the mistakes.
    """
    if not reading.found or reading.found[0].end >= offset:
        return False
    every = [each.mistake for each in reading.all_found]
    if all(each is not None and each.fix is not None for each in every):
        return False
    before = [each.mistake for each in reading.all_found if each.start < offset]
    return None in before or sum(each.cost for each in before if each is not None) > CHEAP
