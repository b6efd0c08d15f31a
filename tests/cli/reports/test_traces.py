"""Traces as text."""

from __future__ import annotations

from abnforge.cli.reports.traces import Trace, told
from abnforge.teaching.tracing import Attempt, Tried
from tests.cli.reports.outcomes import UNDECODABLE, run
from tests.cli.reports.test_structure import structures


def test_of_each_string() -> None:
    first, second, third = run(Trace, *structures("host", "1.2.3.4.5", "a b", "1.2.3.4")).split("\n\n")
    assert first.splitlines()[:2] == [
        '"1.2.3.4.5"  is derived from host',
        '  host at 0: IP-literal read nothing; IPv4address: read "1.2.3.4", then ".5" was left; '
        'so reg-name "1.2.3.4.5"',
    ]
    assert second.splitlines()[0] == '"a b"  is not derived from host'
    assert "\nnot valid: " in second
    assert third.splitlines()[1] == '  host at 0: IP-literal read nothing; so IPv4address "1.2.3.4"'


def test_what_could_not_be_read_is_told() -> None:
    [structure] = structures("host", "a")
    structure = type(structure)(UNDECODABLE, structure.rule, "auto", None)
    assert "derived" not in run(Trace, structure)


def test_a_string_that_is_not_derived_is_told_with_what_each_part_read() -> None:
    lines = run(Trace, *structures("IPv6address", "1::2::3")).splitlines()
    assert (
        lines[1] == '  IPv6address: read "1::2:", then one of [0-9A-Fa-f] was expected, and ":" stands here'
    )
    assert '  ├─ [ *5( h16 ":" ) h16 ] "::" h16: read "1::2", then "::3" was left' in lines


def test_why_nothing_is_told_of_what_was_read() -> None:
    lines = run(Trace, *structures("host", "a" * 2_001 + " ")).splitlines()
    [why] = [line for line in lines if "attempts are told" in line]
    assert why.startswith(
        "  what was read is not told: attempts are told of texts of at most 2,000 characters"
    )
    assert lines[lines.index(why) + 1].startswith("not valid: ")


def test_what_becomes_of_an_attempt() -> None:
    text = "ab\x1bcd"
    attempts = tuple(
        Attempt(*each) for each in (("w", 1, False), ("x", 5, False), ("y", 5, True), ("z", 0, True))
    )
    assert told(Tried("a", 0, 5, attempts, "b", 3), text) == (
        '  a at 0: w: read "a", and "b\\x1bcd" does not go on with it; '
        'x: read "ab\\x1bcd", then more was needed; y: read "ab\\x1bcd", and what follows does not fit; '
        'z read nothing; so b "ab\\x1bcd" (3 places)'
    )
