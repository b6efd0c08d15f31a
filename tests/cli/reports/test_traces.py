"""Traces as text."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from abnforge.cli.reports.traces import Trace, told
from abnforge.teaching.messages import message
from abnforge.teaching.trace import Attempt, Tried
from tests.cli.reports.outcomes import UNDECODABLE, run
from tests.cli.reports.test_structure import structures


def test_of_each_string(snapshot: SnapshotAssertion) -> None:
    assert run(Trace, *structures("host", "1.2.3.4.5", "a b", "1.2.3.4")) == snapshot


def test_a_string_that_could_not_be_read_has_no_trace(snapshot: SnapshotAssertion) -> None:
    [structure] = structures("host", "a")
    structure = type(structure)(UNDECODABLE, structure.rule, "auto", None)
    assert run(Trace, structure) == snapshot


def test_a_string_that_does_not_match_has_its_attempts(snapshot: SnapshotAssertion) -> None:
    assert run(Trace, *structures("IPv6address", "1::2::3")) == snapshot


def test_a_long_string_has_no_attempts() -> None:
    lines = run(Trace, *structures("host", "a" * 2_001 + " ")).splitlines()
    why = message("attempts-too-long", limit=2_000, length=2_002)
    [place] = [number for number, line in enumerate(lines) if line.endswith(f": {why}")]
    assert lines[place + 1].startswith("not valid: ")


def test_each_end_of_an_attempt(snapshot: SnapshotAssertion) -> None:
    text = "ab\x1bcd"
    attempts = tuple(
        Attempt(*each) for each in (("w", 1, False), ("x", 5, False), ("y", 5, True), ("z", 0, True))
    )
    assert told(Tried("a", 0, 5, attempts, "b", 3), text) == snapshot
