"""Differences between grammars as text and as tables."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.output import PLAIN
from abnforge.cli.output.differences import only_lines, rule_lines, title, witnesses
from abnforge.comparison.grammars import Compatibility, compatibility, differences
from tests.cli.command import Seen
from tests.cli.output.outcomes import written

OLD = 'a = "x" / "|"\nb = <words>\nc = "z"\n; all\nd = "e"\ngone = "g"\n'
NEW = 'c = "z" / "%"\na = "x"\n  / "y"\nb = "b"\nd = "e"\n'


def found() -> Compatibility:
    return compatibility(abnforge.loads(OLD, name="old"), abnforge.loads(NEW, name="new"))


def test_text(seen: Seen) -> None:
    lines = written("compatibility", "text", found()).splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        *("broken", "broken", "not-shown", "compatible", "compatible", "not"),
    ]
    assert lines[0] == "broken     overlap        a"
    assert lines[1] == '    only old  "|"'
    seen(lines[-1])
    same = abnforge.loads('a = "x"\n')
    assert written("compatibility", "text", compatibility(same, same)).endswith("\nbackward compatible\n")


def test_markdown(seen: Seen) -> None:
    lines = written("compatibility", "markdown", found()).splitlines()
    seen(lines[0])
    assert {line.replace("\\|", "").count("|") for line in lines[2:]} == {7}
    assert "<code>&#124;</code>" in lines[4]


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
