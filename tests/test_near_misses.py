"""Near misses: whom they are compared with, and how long a name may be."""

from __future__ import annotations

import difflib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge.text import MAX_NEAR_MISS_LENGTH, near_misses


def test_near_misses_of_hostile_names() -> None:
    long = "x" * (MAX_NEAR_MISS_LENGTH + 1)
    assert near_misses(long, [long]) == []
    assert near_misses("x", [long, "X"]) == ["X"]


def test_two_characters_the_other_way_round_come_first() -> None:
    assert near_misses("lnit", ["list", "lint", "unit"])[0] == "lint"
    assert near_misses("Hots", ["hotel", "hosts", "HOST"], 0.6)[0] == "HOST"
    assert near_misses("abab", ["baba", "abba"], 0.5) == ["abba", "baba"]


NAMES = st.text("abc", max_size=6)


@given(NAMES, st.lists(NAMES, max_size=3, unique=True), st.sampled_from([0.0, 0.5, 0.7, 0.8, 1.0]))
def test_they_are_those_that_difflib_finds(name: str, known: list[str], likeness: float) -> None:
    assert sorted(near_misses(name, known, likeness)) == sorted(
        difflib.get_close_matches(name, known, 3, likeness)
    )


def test_names_with_too_few_characters_in_common_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "difflib", None)  # importing it raises
    assert near_misses("match", ["import", "reject"], 0.8) == []
    with pytest.raises(ImportError):
        near_misses("improt", ["import"], 0.8)
