"""Characters that tell implementations apart."""

from __future__ import annotations

from abnforge.charset import CharSet, partition
from abnforge.conformance.edits import ASCII, TRAPS, edges, telling


def test_edges_have_the_neighbours() -> None:
    classes = partition([CharSet.from_ranges([(0x30, 0x39), (0x41, 0x5A)])])
    assert set(edges(classes)) == set("\0/09:@AZ[\U0010ffff")


def test_traps_are_what_is_taken_for_something_else() -> None:
    assert len(TRAPS) == len(set(TRAPS)) > 70
    assert list(TRAPS) == sorted(TRAPS)
    for char in "ſ\u212aİ\n\u2028\u200d。１\ud800\0":
        assert char in TRAPS
    assert set(telling([CharSet()])) == {*ASCII, *TRAPS}
