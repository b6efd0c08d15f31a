"""Tagged automata as data of JSON, and those of the bundled grammars."""

from __future__ import annotations

import json

import abnforge
from abnforge.automata.code_points import from_data, to_data
from abnforge.automata.tables import packed
from abnforge.automata.tagged import tagged
from abnforge.budget import Budget

GRAMMAR = abnforge.loads('s = [p] q "x" [p]\np = 1*%xE9-FF\nq = *"b" / "c" p\n')


def test_comes_back_as_it_was() -> None:
    made = GRAMMAR.compilation
    points = tagged(
        made.core, made.bodies, "s", {"p": ("p",)}, {"k": ("p", "q")}, Budget().meter("the automaton")
    )
    assert points.tags.names == ("p",)
    again = from_data(json.loads(json.dumps(to_data(points))))
    assert again == points
    assert packed(again) == packed(points)
