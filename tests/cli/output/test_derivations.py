"""Derivations as text: forms are shortened to the width of the terminal, and trees are side by side."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.output.derivations import FORM_COLUMNS, draw_derivation, side_by_side
from abnforge.teaching.derivations import Node, derivation, flatten

PORT = abnforge.load("rfc3986")["port"]


def test_a_line_for_each_form_with_the_rule_that_is_replaced(snapshot: SnapshotAssertion) -> None:
    assert list(draw_derivation(derivation(PORT, "80"), "80", PORT, "leftmost")) == snapshot


def test_long_lines_are_cut_around_the_rule() -> None:
    text = "1234567890" * 20
    for order in ("leftmost", "rightmost"):
        results = list(derivation(PORT, text, order=order, around=30))
        lines = list(draw_derivation(results, text, PORT, order))[1:]
        assert max(line.index("DIGIT = ") for line in lines[1:-1]) <= FORM_COLUMNS + 7
        assert all("<DIGIT>" in line for line in lines[1:-1])
        whole = list(draw_derivation(derivation(PORT, text, order=order), text, PORT, order, full=True))
        assert not any("..." in line for line in whole)


def test_the_rule_that_is_replaced_is_strong_where_there_are_colors() -> None:
    lines = draw_derivation(derivation(PORT, "8"), "8", PORT, "leftmost", style=Style(color=True))
    assert "\x1b[1m<port>\x1b[0m" in list(lines)[1]


def test_controls_do_not_reach_the_terminal() -> None:
    rule = abnforge.loads("a = 2b\nb = %x0-10FFFF\n")["a"]
    lines = list(draw_derivation(derivation(rule, "\x1b\u202e"), "\x1b\u202e", rule, "rightmost"))
    assert lines[-1] == '4  "\\x1b\\u202e"'


def test_the_first_difference_of_two_trees_is_marked() -> None:
    rule = abnforge.loads('e = e "+" e / "1"\n')["e"]
    first, second = (flatten(tree, str) for tree in rule.derivations("1+1+1"))
    lines = list(side_by_side(first, second, "1+1+1", 2))
    assert lines[:3] == [
        "  derivation 1         derivation 2",
        '  e  "1+1+1"  0-5      e  "1+1+1"  0-5',
        '> ├─ e  "1+1"  0-3   > ├─ e  "1"  0-1',
    ]
    assert sum(line.startswith(">") for line in lines) == 1


def test_trees_that_are_alike_are_said_to_be(snapshot: SnapshotAssertion) -> None:
    nodes = [Node("a", 0, 0, 1)]
    assert list(side_by_side(nodes, nodes, "x", 3)) == snapshot


def test_lines_that_are_alike_are_told_once(snapshot: SnapshotAssertion) -> None:
    first = [Node("a", depth, 0, 22 - depth) for depth in range(20)]
    lines = list(side_by_side([*first, Node("b", 20, 0, 2)], [*first, Node("c", 20, 0, 2)], "xy", 2))
    assert lines == snapshot
