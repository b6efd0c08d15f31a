"""Near misses: whom they are compared with, and how long a name may be."""

from __future__ import annotations

from abnforge.near_misses import MAX_NEAR_MISS_LENGTH, did_you_mean, near_misses


def test_near_misses_of_hostile_names() -> None:
    long = "x" * (MAX_NEAR_MISS_LENGTH + 1)
    assert near_misses(long, [long]) == []
    assert near_misses("x", [long, "X"]) == ["X"]


def test_two_characters_the_other_way_round_come_first() -> None:
    assert near_misses("lnit", ["list", "lint", "unit"])[0] == "lint"
    assert near_misses("Hots", ["hotel", "hosts", "HOST"], 0.6)[0] == "HOST"
    assert near_misses("abab", ["baba", "abba"], 0.5) == ["abba", "baba"]


def test_did_you_mean() -> None:
    assert did_you_mean("hots", ["host", "port"]) == "; did you mean host?"
    assert did_you_mean("x", ["host", "port"]) == ""
