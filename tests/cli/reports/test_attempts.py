"""Attempts as lines: what a part read, what would have gone on there, and nothing twice."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.reports.attempts import MAX_LINES, NAME_COLUMNS, attempt_lines
from abnforge.teaching.attempts import attempts
from tests.cli.command import Seen

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

LIST = 'list › [ item *( "," item ) ]'  # a part that is all of another stands in its line


def lines(rule: str, text: str, **style: bool) -> list[str]:
    return list(attempt_lines(attempts(OWN[rule], text), text, Style(**style)))


def test_what_was_left(seen: Seen) -> None:
    seen(lines("ip", "1.2.3.4.5"))


def test_what_was_expected_and_what_stands_there_once(seen: Seen) -> None:
    seen(lines("hour", "24", ascii=True))


@pytest.mark.parametrize(
    ("rule", "text", "first"),
    [
        ("hour", "", "hour: read nothing; one of [0-2] was expected, and the text ends here"),
        ("ip", "a.", 'ip: read "a.", then one of [A-Za-z] was expected, and the text ends here'),
        ("ip", "abc", 'ip: read "abc"'),
        ("list", "\x7f", rf"{LIST}: read nothing; one of [\x00-~\xE9] could follow, and U+007F stands here"),
        ("list", "\x1b\u202e", rf'{LIST}: read "\x1b", then "\u202e" was left'),
        ("list", '"', f"""{LIST}: read '"'"""),
        ("hour", "2*", 'hour: read "2", then one of [0-3] was expected'),  # it may be a masked character
        ("list", "," + "a" * 50, f'{LIST}: read ",", then "{"a" * 40}..." was left'),
    ],
)
def test_the_first_line(rule: str, text: str, first: str) -> None:
    assert lines(rule, text)[0] == first


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
    names = [line.partition(": read")[0].lstrip("├└│─ ") for line in found[:-1]]
    assert max(map(len, names)) <= NAME_COLUMNS
    assert any(name.endswith("...") for name in names)
