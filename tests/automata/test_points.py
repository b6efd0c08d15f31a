"""Automata over code points in the form that tables are made of."""

from __future__ import annotations

import abnforge
from abnforge.automata.code_points import NO_TAGS, without_tags


def test_an_automaton_without_tags() -> None:
    points = without_tags(abnforge.loads('s = %s"a" *%s"b"\n')["s"].automaton)
    assert points.tags is NO_TAGS
    assert points.accepting == {1}
    letter = {letter: points.classes[points.starts.index(ord(letter))] for letter in "ab"}
    other = points.classes[0]
    assert sorted({*letter.values(), other}) == [0, 1, 2]
    assert points.rows[0][letter["a"]] == 2  # a target's number plus one
    assert points.rows[1][letter["b"]] == 2
    assert sum(map(sum, points.rows)) == 4  # and nothing else leads anywhere


def test_the_empty_language_has_no_way_on() -> None:
    points = without_tags(abnforge.loads('s = "a" s\n')["s"].automaton)
    assert not points.accepting
    assert not any(map(any, points.rows))
