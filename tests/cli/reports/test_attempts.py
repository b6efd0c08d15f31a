"""Attempts as lines: what a part read, what would have gone on there, and nothing twice."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.reports.attempts import MAX_LINES, NAME_COLUMNS, attempt_lines
from abnforge.teaching.failures import attempts

OWN = abnforge.loads(
    """
    ip = v4 / name
    v4 = 3( 1*3DIGIT "." ) 1*3DIGIT
    name = 1*ALPHA *( "." 1*ALPHA )
    hour = "0" DIGIT / "1" DIGIT / "2" ( "0" / "1" / "2" / "3" )
    list = [ item *( "," item ) ]
    item = %x20-7E / %x0-1F / %xE9 %x300
    """,
    name="own",
)


def lines(rule: str, text: str, **style: bool) -> list[str]:
    return list(attempt_lines(attempts(OWN[rule], text), text, Style(**style)))


def test_what_was_left(snapshot: SnapshotAssertion) -> None:
    assert lines("ip", "1.2.3.4.5") == snapshot


def test_what_was_expected_and_what_stands_there_once(snapshot: SnapshotAssertion) -> None:
    assert lines("hour", "24", ascii=True) == snapshot


FIRST = [
    ("hour", ""),
    ("ip", "a."),
    ("ip", "abc"),
    ("list", "\x7f"),
    ("list", "\x1b\u202e"),
    ("list", '"'),
    ("hour", "2*"),  # it may be a masked character
    ("list", "," + "a" * 50),
]


def test_the_first_line(snapshot: SnapshotAssertion) -> None:
    assert {(rule, text): lines(rule, text)[0] for rule, text in FIRST} == snapshot


def test_what_was_read_in_a_row_is_a_line() -> None:
    text = "2019-11-01T00:00:00X"
    found = attempts(abnforge.rule("rfc3339:date-time"), text)
    assert [line.partition(": ")[0] for line in attempt_lines(found, text)] == [
        "date-time",
        '├─ full-date "T"',
        "└─ full-time",
        "   ├─ partial-time",
        '   │  ├─ time-hour ":" time-minute ":" time-second',
        "   │  └─ [ time-secfrac ]",
        "   └─ time-offset",
    ]


def test_lines_are_bounded() -> None:
    grammar = abnforge.loads(
        f"a = {' / '.join(f'r{n}' for n in range(60))}\n"
        + "".join(f'r{n} = "x" 1*( "b" / {"%x62 " * n} "c" )\n' for n in range(60))
    )
    found = list(attempt_lines(attempts(grammar["a"], "x!"), "x!"))
    assert len(found) == MAX_LINES + 1
    assert found[-1].startswith("... ")
    names = [line.partition(": matched")[0].lstrip("├└│─ ") for line in found[:-1]]
    assert max(map(len, names)) <= NAME_COLUMNS
    assert any(name.endswith("...") for name in names)
