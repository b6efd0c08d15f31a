"""``explain --teach``."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.reports.lessons import lesson_lines
from tests.mistakes.endpoints import ENDPOINT

RULE = abnforge.loads(ENDPOINT, name="endpoint")["endpoint"]

PORT = """\
not valid: endpoint (endpoint)
    a.b:80x
          ^

1. Read from left to right
    "a"   endpoint > host > label
    "."   endpoint > host
    "b"   endpoint > host > label
    ":"   endpoint
    "80"  endpoint > port

2. Then no rule goes on (offset 6)
    there is "x"; in endpoint > port there could be:
      DIGIT  [0-9]

3. What went wrong: a port has digits only, and no "x" [port-junk]
    people write this instead of port:
      port-junk = digits junk
    in which here
      "80"  digits
      "x"   junk
    what is right: endpoint, section 2

4. What to change
    delete "x" at offset 6
    which gives a.b:80"""

NOTHING = """\
not valid: endpoint (endpoint)
    (the empty string)
    ^

1. Read from left to right
    nothing

2. Then no rule goes on (offset 0)
    there is the end of the input; in endpoint > host > label there could be:
      ALPHA  [A-Za-z]
      DIGIT  [0-9]

3. What went wrong: label is missing [missing-label]
    people write this instead of label:
      missing-label = ""
    what is right: endpoint, section 1

4. What to change
    that depends on what was meant: no one change is surely right"""


def lines(text: str, style: Style | None = None) -> str:
    lesson = RULE.lesson(text)
    assert lesson is not None
    return "\n".join(lesson_lines(lesson) if style is None else lesson_lines(lesson, style))


def test_steps() -> None:
    assert lines("a.b:80x") == PORT
    assert lines("") == NOTHING


def test_the_place_where_no_rule_goes_on_is_the_exact_offset() -> None:
    grammar = abnforge.loads('a = b / c\nb = "x"\nc = "xy!"\n;@ of b; blame all; fix none\nw = "xy"\n')
    lesson = grammar["a"].lesson("xy")
    assert lesson is not None
    assert lesson.rejection.span == (0, 2)
    assert "2. Then no rule goes on (offset 2)" in lesson_lines(lesson)


def test_a_doubled_sign_is_not_said_to_be_possible() -> None:
    lesson = abnforge.loads('e = n *( "-" n )\nn = 1*DIGIT\n')["e"].lesson("9--1")
    assert lesson is not None
    told = lesson_lines(lesson)
    assert "2. Then no rule goes on (offset 2)" in told
    assert "      DIGIT  [0-9]" in told


def test_of_a_long_text_the_last_parts_are_told() -> None:
    told = lines(".".join("abcdefghijklmnop") + ":80x")
    assert "    ... 9 parts before ...\n" in told
    assert '"aaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaa"' in lines("a" * 50 + ":x")


def test_a_mistake_without_a_name() -> None:
    lesson = abnforge.loads('a = 2( "x" / "yz" )\n')["a"].lesson("xq")
    assert lesson is not None
    assert "    this is no mistake that is known by name" in lesson_lines(lesson)


def test_what_comes_from_the_text_is_escaped() -> None:
    assert "\x1b" not in lines("a:\x1b")


def test_further_mistakes_are_told() -> None:
    lesson = abnforge.loads('list = item *( "," item )\nitem = 1*DIGIT\n')["list"].lesson("1,,2,,3")
    assert lesson is not None
    assert lesson_lines(lesson)[-1] == "    and 1 more of the same, mended too: offset 4"
