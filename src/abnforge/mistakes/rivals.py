"""Doubtful fixes: where another reading of a text costs no more, two people would mend it differently."""

from __future__ import annotations

from itertools import islice

from abnforge.mistakes.fixes import Fixer
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.readings import Reading

MAX_RIVALS = 4
"""Other readings that are looked at."""


def has_rival(reader: Reader, fixer: Fixer, reading: Reading, around: int | None = None) -> bool:
    """Whether a reading has a mistake whose fix is doubtful, and another reading costs no more and would
    mend the text otherwise, or not at all.

    ``around`` is as it was when the text was read. Cost: some more readings, where there is doubt.
    """
    if not any(each.mistake is not None and each.mistake.doubtful for each in reading.all_found):
        return False
    meant = fixer.mend(reading)
    for other in islice(reader.in_turn(reading.text, around), 1, MAX_RIVALS + 1):
        if other.cost > reading.cost:
            return False
        mended = fixer.mend(other)
        if mended is None or meant is None or mended.text != meant.text:
            return True
    return False
