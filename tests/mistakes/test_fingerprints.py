"""Fingerprints: the same in every process and order, another one for other sets."""

from __future__ import annotations

from random import Random

from abnforge.mistakes.fingerprints import Fingerprints
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.sets import Members
from tests.law import law
from tests.mistakes.small import Case, bound, cases, uris
from tests.reference.small_languages import TEXTS

READ = ["http://a:8x/", "http://a/b c", "://a", "curl http://a/", "http://a/b\\c d", "http://a:80/?b# "]


def members(reader: Reader) -> list[Members]:
    return [sets.members(live) for sets in reader.lane.bands for live in sets.explore()]


@law(cases(), few=10, many=300)
def test_sets_have_fingerprints_of_their_own(case: Case) -> None:
    reader = Reader(bound(case), "r0")
    for text in TEXTS[:40]:
        reader.read(text)
    every = set(members(reader))
    fingerprints = Fingerprints(reader.lane.states)
    assert len({fingerprints.of(each) for each in every}) == len(every)


def test_order_and_process_do_not_count() -> None:
    """Sets of the same texts, read in another order by states of another grammar object."""
    found = []
    for seed in range(3):
        reader = Reader(uris(), "URI")
        texts = list(READ)
        Random(seed).shuffle(texts)
        for text in texts:
            reader.read(text)
        fingerprints = Fingerprints(reader.lane.states)
        found.append({fingerprints.of(each) for each in members(reader)})
    assert found[0] == found[1] == found[2]


def test_a_known_set() -> None:
    """What is stored depends on it: a change needs all grammars to be built again."""
    reader = Reader(uris(), "URI")
    first = reader.lane.bands[0].explore()[0]
    assert Fingerprints(reader.lane.states).of(reader.lane.bands[0].members(first)) == "3238d739cfddc252"
