"""Traces as text."""

from __future__ import annotations

from abnforge.cli.reports.traces import Trace, told
from abnforge.teaching.tracing import Attempt, Tried
from tests.cli.command import Seen
from tests.cli.reports.outcomes import UNDECODABLE, run
from tests.cli.reports.test_structure import structures


def test_of_each_string(seen: Seen) -> None:
    first, second, third = run(Trace, *structures("host", "1.2.3.4.5", "a b", "1.2.3.4")).split("\n\n")
    seen(first.splitlines()[:2])
    seen(second.splitlines()[0])
    assert "\nnot valid: " in second
    seen(third.splitlines()[1])


def test_what_could_not_be_read_is_told() -> None:
    [structure] = structures("host", "a")
    structure = type(structure)(UNDECODABLE, structure.rule, "auto", None)
    assert "derived" not in run(Trace, structure)


def test_a_string_that_is_not_derived_is_told_with_what_each_part_read(seen: Seen) -> None:
    lines = run(Trace, *structures("IPv6address", "1::2::3")).splitlines()
    seen(lines[1])
    seen(lines)


def test_why_nothing_is_told_of_what_was_read(seen: Seen) -> None:
    lines = run(Trace, *structures("host", "a" * 2_001 + " ")).splitlines()
    seen([line for line in lines if "2,0" in line])
    assert any(line.startswith("not valid: ") for line in lines)


def test_what_becomes_of_an_attempt(seen: Seen) -> None:
    text = "ab\x1bcd"
    attempts = tuple(
        Attempt(*each) for each in (("w", 1, False), ("x", 5, False), ("y", 5, True), ("z", 0, True))
    )
    seen(told(Tried("a", 0, 5, attempts, "b", 3), text))
