"""Patterns as networks: places, lookbehind in order, and classes of characters."""

from __future__ import annotations

import pytest

from abnforge.budget import DEFAULT, Budget
from abnforge.errors import LimitExceeded
from abnforge.regex.network import BehindPlace, PatternNetwork, ReadPlace
from abnforge.regex.python import read


def network(text: str) -> PatternNetwork:
    meter = DEFAULT.meter("a test")
    return PatternNetwork(read(text, 0, meter), meter)


def test_classes_are_told_by_their_sets() -> None:
    made = network("[ab][bc]")
    assert len(made.classes) == len(made.masks) == 4
    assert len(set(made.masks)) == 4
    sets = {place.number for place in made.places if isinstance(place, ReadPlace)}
    for charset, mask in zip(made.classes, made.masks, strict=True):
        inside = {number for number in sets if mask >> number & 1}
        assert len(inside) == ("a" in charset) + ("c" in charset) + 2 * ("b" in charset)


def test_equal_assertions_are_one_wherever_they_stand() -> None:
    assert len(network(r"\ba\b|\bb\b").trackers) == 1
    assert len(network("(?<=ab)c|(?<=ab)d").trackers) == 1
    assert len(network("(?<=ab)c|(?<=ac)d").trackers) == 2


def test_what_is_behind_comes_after_what_is_within_it() -> None:
    made = network("(?<=(?<=(?<!a)b)c)d|(?<=(?<=x)(?=(?<=y)z))")
    for number, start in enumerate(made.trackers):
        waiting, seen = [start], set[int]()
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            found = made.places[place]
            if isinstance(found, BehindPlace):
                assert found.tracker < number
            waiting += [getattr(found, name) for name in ("target", "body") if hasattr(found, name)]
            waiting += getattr(found, "targets", ())


@pytest.mark.parametrize("text", ["(a{1000}){1000}", "(?:){999999999}", "(a{0,1000}){0,1000}"])
def test_work_is_charged(text: str) -> None:
    meter = Budget(steps=100_000).meter("a test")
    with pytest.raises(LimitExceeded):
        PatternNetwork(read(text, 0, meter), meter)


def test_many_sets_are_charged() -> None:
    """Each of thousands of sets is around each end of another one."""
    text = "".join(f"[^{chr(code)}]" for code in range(0x4E00, 0x4E00 + 9_000))
    meter = DEFAULT.meter("a test")
    with pytest.raises(LimitExceeded):
        PatternNetwork(read(text, 0, meter), meter)
