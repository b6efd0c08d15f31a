"""Attempts are shown as lines: the input that each component matched, and possible continuations."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.output.attempts import (
    MAX_LINES,
    NAME_COLUMNS,
    PARTS,
    Trace,
    attempt_lines,
    choice_line,
    lesson_lines,
)
from abnforge.messages import message
from abnforge.teaching.trace import FailedAlternative, TraceChoice
from tests.cli.output.outcomes import UNDECODABLE, run
from tests.cli.output.test_trees import structures
from tests.explain.endpoints import ENDPOINT

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
    return list(attempt_lines(OWN[rule].attempts(text), text, Style(**style)))


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
    result = abnforge.rule("rfc3339:date-time").attempts(text)
    assert [line.partition(": ")[0] for line in attempt_lines(result, text)] == [
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
    results = list(attempt_lines(grammar["a"].attempts("x!"), "x!"))
    assert len(results) == MAX_LINES + 1
    assert results[-1].startswith("... ")
    names = [line.partition(": matched")[0].lstrip("├└│─ ") for line in results[:-1]]
    assert max(map(len, names)) <= NAME_COLUMNS
    assert any(name.endswith("...") for name in names)


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
        FailedAlternative(*each)
        for each in (("w", 1, False), ("x", 5, False), ("y", 5, True), ("z", 0, True))
    )
    assert choice_line(TraceChoice("a", 0, 5, attempts, "b", 3), text) == snapshot


RULE = abnforge.loads(ENDPOINT, name="endpoint")["endpoint"]


def lesson(text: str, style: Style | None = None) -> str:
    result = RULE.lesson(text)
    assert result is not None
    return "\n".join(lesson_lines(result) if style is None else lesson_lines(result, style))


@pytest.mark.parametrize("text", ["a.b:80x", ""])
def test_steps(text: str, snapshot: SnapshotAssertion) -> None:
    assert lesson(text) == snapshot


def test_the_place_where_no_rule_goes_on_is_the_exact_offset() -> None:
    grammar = abnforge.loads('a = b / c\nb = "x"\nc = "xy!"\n;@ of b; blame all; fix none\nw = "xy"\n')
    result = grammar["a"].lesson("xy")
    assert result is not None
    assert result.rejection.span == (0, 2)
    assert result.rejection.offset == 2
    assert any(line.endswith(" (offset 2)") for line in lesson_lines(result))


def test_a_doubled_sign_is_not_suggested() -> None:
    result = abnforge.loads('e = n *( "-" n )\nn = 1*DIGIT\n')["e"].lesson("9--1")
    assert result is not None
    steps = lesson_lines(result)
    assert any(line.endswith(" (offset 2)") for line in steps)
    assert "      DIGIT  [0-9]" in steps


def test_of_a_long_string_the_last_parts_are_reported() -> None:
    steps = lesson(".".join("abcdefghijklmnop") + ":80x")
    assert steps.count(" endpoint > host") == PARTS - 2
    assert '"aaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaa"' in lesson("a" * 50 + ":x")


def test_a_mistake_without_a_name(snapshot: SnapshotAssertion) -> None:
    result = abnforge.loads('a = 2( "x" / "yz" )\n')["a"].lesson("xq")
    assert result is not None
    assert lesson_lines(result) == snapshot


def test_input_is_escaped() -> None:
    assert "\x1b" not in lesson("a:\x1b")


def test_further_mistakes_are_told(snapshot: SnapshotAssertion) -> None:
    result = abnforge.loads('list = item *( "," item )\nitem = 1*DIGIT\n')["list"].lesson("1,,2,,3")
    assert result is not None
    assert lesson_lines(result) == snapshot
