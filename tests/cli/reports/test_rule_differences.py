"""What two rules differ in, drawn."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.output import PLAIN
from abnforge.cli.reports.rule_differences import only_lines, rule_lines, title, witnesses
from abnforge.comparison.grammars import differences
from tests.cli.command import Seen

A, B = abnforge.loads('a_b = "x"\n', name="old"), abnforge.loads('a-b = "y"\n', name="new")


def test_each_side_has_a_witness_and_the_other_s_reason(seen: Seen) -> None:
    diff = differences(A, B)
    [rule] = diff.rules
    assert title(rule) == "a_b -> a-b"
    (old, x, why_not), (new, y, _) = witnesses(rule, diff)
    assert (old, x.lower(), new, y.lower()) == ("old", "x", "new", "y")
    seen(rule_lines(rule, diff, PLAIN))
    assert rule_lines(rule, diff, PLAIN)[2:4] == [f'    only old  "{x}"', f"        {why_not}"]


def test_equal_rules_have_none() -> None:
    diff = differences(A, A)
    assert rule_lines(diff.rules[0], diff, PLAIN) == ["equal          a_b"]


def test_names_are_wrapped_between_them() -> None:
    head, names = only_lines("old", ["path-noscheme"] * 20, PLAIN)
    assert head == "only old"
    assert all(line.startswith("    path-noscheme") and len(line) <= 100 for line in names.split("\n"))
    assert names.count("path-noscheme") == 20
