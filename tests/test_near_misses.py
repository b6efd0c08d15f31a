"""Near misses: whom they are compared with, and how long a name may be."""

from __future__ import annotations

from abnforge.near_misses import MAX_NEAR_MISS_LENGTH, did_you_mean, near_misses


def test_near_misses_of_hostile_names() -> None:
    long = "x" * (MAX_NEAR_MISS_LENGTH + 1)
    assert near_misses(long, [long]) == []
    assert near_misses("x", [long, "X"]) == ["X"]


def test_did_you_mean() -> None:
    assert did_you_mean("hots", ["host", "port"]) == "; did you mean host?"
    assert did_you_mean("x", ["host", "port"]) == ""
