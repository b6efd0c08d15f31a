"""The cheapest repairs of a string, by trying every edit.

This module is independent of the project: it takes a verdict as a function, and the alphabet of the
repaired strings. An edit inserts, deletes or replaces one character (Levenshtein 1966). The strings after
``n`` edits follow from those after ``n - 1`` edits, so the first valid strings are all cheapest repairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product


def cheapest_repairs(
    is_valid: Callable[[str], bool], text: str, alphabet: str, most: int
) -> tuple[int, frozenset[str]] | None:
    """Return the smallest number of edits and all valid strings after them, or None beyond ``most`` edits."""
    known = {text}
    strings = {text}
    for cost in range(most + 1):
        valid = frozenset(filter(is_valid, strings))
        if valid:
            return cost, valid
        strings = {other for each in strings for other in edited(each, alphabet)} - known
        known |= strings
    return None


def edited(text: str, alphabet: str) -> Iterator[str]:
    """Yield all strings after one edit."""
    for place in range(len(text) + 1):
        before, after = text[:place], text[place:]
        yield from (before + char + after for char in alphabet)
        if after:
            yield before + after[1:]
            yield from (before + char + after[1:] for char in alphabet)


def strings_of(text: str, edits: Iterable[tuple[int, int, str]], alphabet: str) -> frozenset[str]:
    """Return the strings over an alphabet that a repair describes.

    An edit replaces ``text[start:end]`` by one character of a class in the notation of regular expressions,
    without brackets, or by nothing if the class is empty.
    """
    parts: list[Iterable[str]] = []
    place = 0
    for start, end, chars in edits:
        assert place <= start <= end <= len(text)
        parts.append([text[place:start]])
        if chars:
            parts.append([char for char in alphabet if re.fullmatch(f"[{chars}]", char, re.DOTALL)])
        place = end
    return frozenset(map("".join, product(*parts, [text[place:]])))
