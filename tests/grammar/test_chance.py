"""Who decides where a rule leaves a choice."""

from __future__ import annotations

from random import Random

from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Ref, Repeat, Seq
from abnforge.grammar.sentences import Uniform

A, B = Ref("a"), Seq((Chars(CharSet.of("x")), Repeat(Ref("b"), 0, None)))


def test_all_alike() -> None:
    chance = Uniform(Random(1))
    assert {chance.alternative((A, B), (1, 2)) for _ in range(50)} == {A, B}
    assert {chance.character(CharSet.of("az")) for _ in range(50)} == set("az")
    counts = set()
    for _ in range(50):
        another, count = chance.turns(), 0
        while another():
            count += 1
        counts.add(count)
    assert len(counts) > 5
