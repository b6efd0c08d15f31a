"""The note about ranges that a grammar states only in comments."""

from __future__ import annotations

import pytest

import abnforge

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

from abnforge.cli.common.ingesting import range_note, range_notes
from abnforge.ingest.batch import Column
from tests.cli.command import Seen

GRAMMAR = """
time   = hour ":" minute
hour   = 2DIGIT ; 00-23
minute = 2DIGIT ; 00-59
time-strict = hour-strict ":" ( %x30-35 DIGIT )
hour-strict = ( "0" / "1" ) DIGIT / "2" %x30-33 ; 00-23
"""


def test_ranges_of_all_rules_that_are_reached(seen: Seen) -> None:
    grammar = abnforge.loads(GRAMMAR)
    seen(range_note(grammar["time"]))
    seen(range_note(grammar["hour"]))
    assert range_note(grammar["time-strict"]) is None


def test_no_stricter_rule_is_no_hint(seen: Seen) -> None:
    grammar = abnforge.loads("time = 2DIGIT ; 00-23\n")
    seen(range_note(grammar["time"]))


@pytest.mark.parametrize(
    ("name", "ranges"),
    [
        ("rfc3339:date-time", 5),
        ("rfc3339:date-month", 1),
        ("rfc3339:date-time-strict", 0),
        ("rfc3339:full-date-strict", 0),
        ("rfc3986:URI", 0),
        ("rfc5321:Mailbox", 1),
        ("toml-1.0.0:toml", 5),
    ],
)
def test_shipped_rules(name: str, ranges: int) -> None:
    note = range_note(abnforge.rule(name))
    assert ranges == (0 if note is None else note.count(", ") + 1)


def test_a_combined_rule_has_the_ranges_of_no_text() -> None:
    date_time = abnforge.rule("rfc3339:date-time")
    assert range_note(date_time.at_most(30)) is None or "date-month" in str(range_note(date_time.at_most(30)))


def test_columns_are_named() -> None:
    columns = [
        Column("seen", abnforge.rule("rfc3339:date-time")),
        Column("url", abnforge.rule("rfc3986:URI")),
    ]
    assert list(range_notes(columns)) == ["seen"]
