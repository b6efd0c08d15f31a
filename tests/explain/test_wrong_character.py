"""Wrong characters: the place, the rule, and the characters and words that are listed."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge

COOKIE = """
cookie = pair *("; " attribute)
pair = token "=" token
attribute = "Max-Age=" 1*DIGIT / "Path=" 1*("/" / ALPHA) / %s"Secure"
token = 1*(ALPHA / DIGIT)
"""
HOURS = """
hours = "24/7" / day "-" day
day = "Mo" / "Tu"
"""
QUERY = """
query = term *(SP "OR" SP term)
term = ["NOT" SP] (name "=" value / "(" query ")")
name = 1*%x61-7A
value = 1*DIGIT
"""
DURATION = """
duration = "P" (date / "T" time)
date = 1*(years / months)
years = 1*DIGIT "Y"
months = 1*DIGIT "M"
time = 1*DIGIT "H"
"""
POSITION = """
position = number "." fraction east-west
number = 1*DIGIT
fraction = 1*DIGIT
east-west = "E" / "W"
"""
MODE = """
mode = 1*clause
clause = who 1*(("+" / "-" / "=" / "," / "*") 1*("r" / "w"))
who = "u" / "g"
"""
HEADER = """
header = name ":" SP 1*ALPHA
name = "Content-Type" / "Content-Length"
"""
INDENTED = """
line = 2SP word
word = 1*ALPHA
"""
FORMAT = """
format = *(text / directive)
text = %x20-24 / %x26-7E
directive = "%" *DIGIT conversion
conversion = %s"d" / %s"i" / %s"u" / %s"x" / %s"f" / %s"e" / %s"g" / %s"s" / "%"
"""
KNIT = """
step = yarn-over / decrease
yarn-over = "yo"
decrease = "k2tog" / "ssk"
"""
SET = """
set = "[" ["!"] 1*item "]"
item = ALPHA
"""
SIGNED = """
sum = term *("+" term)
term = "-" term / 1*ALPHA
"""


@pytest.mark.parametrize(
    ("grammar", "text", "code", "span", "path"),
    [
        (COOKIE, "a=b; x", "other-than-attribute", (5, 6), ("cookie", "attribute")),
        (COOKIE, "a=b; Path-x", "other-than-attribute", (9, 10), ("cookie", "attribute")),
        (COOKIE, "a=b;  Secure", "other-than-attribute", (5, 6), ("cookie", "attribute")),
        (COOKIE, "a=b; MAX", "unreadable-attribute", (8, 8), ("cookie", "attribute")),
        (HOURS, "", "missing-hours", (0, 0), ("hours",)),
        (HOURS, ",Mo-Tu", "first-character-in-hours", (0, 1), ("hours",)),
        (QUERY, "a=1 OR OR b=2", "unreadable-name", (7, 8), ("query", "term", "name")),
        (QUERY, "a=1 o", "unreadable-query", (5, 5), ("query",)),
        (DURATION, "P1H", "unreadable-date", (2, 3), ("duration", "date")),
        (POSITION, "3.40O", "unreadable-position", (4, 5), ("position",)),
        (MODE, "u+rz", "character-in-clause", (3, 4), ("mode", "clause")),
        (HEADER, "Cont", "unreadable-name", (4, 4), ("header", "name")),
        (INDENTED, "   a", "unreadable-word", (2, 3), ("line", "word")),
        (FORMAT, "a%", "unreadable-conversion", (2, 2), ("format", "directive", "conversion")),
        (KNIT, "yo2", "unreadable-step", (2, 3), ("step",)),
        (SET, "[!]", "unreadable-set", (2, 3), ("set",)),
        (SIGNED, "-_a", "unreadable-term", (1, 2), ("sum", "term", "term")),
    ],
)
def test_wrong_characters(
    grammar: str,
    text: str,
    code: str,
    span: tuple[int, int],
    path: tuple[str, ...],
    snapshot: SnapshotAssertion,
) -> None:
    rejection = abnforge.loads(grammar)[grammar.split()[0]].explain(text)
    assert rejection is not None
    first = rejection.hypotheses[0]
    assert (rejection.code, (first.offset, first.end), first.rule_path) == (code, span, path)
    assert rejection.component == path[-1]
    assert rejection.message == snapshot


CHEMISTRY = """
formula = 1*part
part = element [1*DIGIT]
element = %x41-5A [%x61-7A]
"""
ACCEPT = """
accept = range *("," range)
range = type "/" type *(";" "q=" DIGIT)
type = 1*ALPHA
"""
LINE = """
line = pair *(SP pair)
pair = name "=" [value]
name = 1*ALPHA
value = 1*ALPHA / quoted
quoted = DQUOTE *(ALPHA / SP) DQUOTE
"""


@pytest.mark.parametrize(
    ("grammar", "text", "suggestion"),
    [
        # Fewer changes than another case of each letter are enough.
        (CHEMISTRY, "nacl", "NaCl"),
        (ACCEPT, "text/html;level=a", None),  # a parameter is not another type
        (LINE, "a=b c=hello world", None),  # "=" or quotes
        (FORMAT, "a%", None),  # "a%%" is possible, too
        (SIGNED, "-_a", None),  # not "--a"
        (COOKIE, "a=b;  Secure", "a=b; Secure"),
    ],
)
def test_suggestions(grammar: str, text: str, suggestion: str | None) -> None:
    rejection = abnforge.loads(grammar)[grammar.split()[0]].explain(text)
    assert rejection is not None
    assert (rejection.suggestion and rejection.suggestion.text) == suggestion


@pytest.mark.parametrize(
    ("grammar", "text", "first"),
    [
        (
            'mail = word *("." word) "@" word "." word\nword = 1*ALPHA',
            "a.bee.com",
            "a@bee.com",
        ),  # no word is divided
        ('keep = 1*DIGIT "k" ("h" / "l") DIGIT', "4k3", "4kh3"),
        ('move = "MOV" SP "R" DIGIT', " R1", "MOV R1"),
    ],
)
def test_order_of_repairs(grammar: str, text: str, first: str) -> None:
    rejection = abnforge.loads(grammar)[grammar.split()[0]].explain(text)
    assert rejection is not None
    assert rejection.repairs[0].text == first
