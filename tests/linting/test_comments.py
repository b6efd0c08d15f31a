"""Comments that contradict their rule, and comments that only seem to do so."""

from __future__ import annotations

from abnforge import lint
from tests.law import each_row

# Grammar, line and column, end of the message, suggested fix.
FOUND = [
    ('a = "get" ; case-sensitive\n', 1, 5, "comment-disagrees-case", '%s"get"'),
    ('; these are case sensitive\na = "get" / "put"\n', 2, 5, "comment-disagrees-case", '%s"get"'),
    ("; lower case letters only\na = ALPHA *DIGIT\n", 2, 5, "comment-disagrees-letters", "%x61-7A"),
    ("a = DIGIT / ALPHA ; upper-case ASCII\n", 1, 13, "comment-disagrees-letters", "%x41-5A"),
    ("a = %x31-39 ; 0-9\n", 1, 5, "comment-disagrees-range", "%x30-39"),
    ("a = ALPHA /\n    %x41-5B ; A-Z\n", 2, 5, "comment-disagrees-range", "%x41-5A"),
    ('a = %x54 / %x56 ; capital "T" or "F"\n', 1, 12, "comment-disagrees-character", "%x46"),
    ("a = %x3A ; ;\n", 1, 5, "comment-disagrees-character", "%x3B"),
    ("a = 3*DIGIT ; at most 3\n", 1, 5, "comment-disagrees-least", "*3DIGIT"),
    ("a = *3DIGIT ; at least 3 digits\n", 1, 5, "comment-disagrees-most", "3*DIGIT"),
    (
        '; at least one and at most 8\na = b 1*8( "," b )\nb = ALPHA\n',
        2,
        7,
        "comment-disagrees-one-more",
        '0*7( "," b )',
    ),
    (
        "a = %x0-9 / %xB-29\n  ; anything but <CR>\n",
        1,
        13,
        "comment-disagrees-exclusion",
        None,
    ),
    ("a = %x21-7E ; any character except * or /\n", 1, 5, "comment-disagrees-exclusion", None),
    ("a = 1*5DIGIT ; at most 4 digits\n", 1, 5, "comment-disagrees-maximum", "1*4DIGIT"),
    ("a = 3*5DIGIT ; at most 2 digits\n", 1, 5, "comment-disagrees-maximum", "2DIGIT"),
    ("a = 1*5DIGIT ; at least 2\n", 1, 5, "comment-disagrees-minimum", "2*5DIGIT"),
    ("a = 1*HEXDIG ; lower case letters\n", 1, 7, "comment-disagrees-letters", "( DIGIT / %x61-66 )"),
    ("a = 2*DIGIT ; two digits\n", 1, 5, "comment-disagrees-count", "2DIGIT"),
    ("a = 1*3DIGIT ; exactly 3 digits\n", 1, 5, "comment-disagrees-count", "3DIGIT"),
    ("a = %xCE.BB ; U+03BB\n", 1, 5, "utf8-octets", "utf8-octets-fix"),
]


@each_row(("text", "line", "column", "message", "fix"), FOUND)
def test_found(text: str, line: int, column: int, message: str, fix: str | None) -> None:
    results = [each for each in lint(text) if each.name in ("comment-disagrees", "utf8-octets")]
    assert [(each.line, each.column) for each in results] == [(line, column)]
    assert results[0].message.code == message
    assert getattr(results[0].fix, "code", results[0].fix) == fix
    assert [place.note.code for place in results[0].related] == ["comment-here"]


NOT_FOUND = [
    "  a = %x0D\n  ; anything but <CR>\n  b = DIGIT\n",  # the comment is about the following rule
    'a = "get" ; case-insensitive\n',
    'a = "get" ; not case-sensitive\n',
    'a = "get" ; it need not be case-sensitive\n',
    'a = "get" ; case-insensitive, unlike the case-sensitive names\n',
    "a = 1*DIGIT ; 0-9\n",
    'a = %s"get" / "+" ; case-sensitive\n',
    'a = "123" ; case-sensitive\n',
    "a = ALPHA ; lower case is preferred\n",
    "a = ALPHA ; letters of upper or lower case\n",
    "a = ALPHA ; lowercase and uppercase letters\n",
    "a = DIGIT ; lower case letters\n",
    "a = %x30-39 ; 0-9\n",
    "a = %x30-39 ; 1-3 digits\n",
    "a = %x30-39 ; 3-1\n",
    "a = %x41-5A / %x61-7A ; A-Z / a-z\n",
    "a = %x22 ; a quotation mark\n",
    'a = %x54 / %x46 ; capital "T" or "F"\n',
    'a = %x54 / %x46 ; as "x" in "y"\n',
    "a = %x2D ; -\nb = %x2B ; +\n",
    "a = 1*3DIGIT ; at most 3\n",
    "a = 3DIGIT ; at least 3\n",
    '; at most 8\na = b *7( "," b )\nb = ALPHA\n',
    '; at most 8\na = "x" *8( "," b )\nb = ALPHA\n',
    "a = %x0-9 / %xE-29 ; anything but <CR>\n",
    "a = %x21-7E ; any character except those below\n",
    "a = %x21-7E ; any character except: SP\n",
    "a = %xCE.BB ; U+03BC\n",
    "a = %x41.42 ; U+4142\n",
    'a = "; case-sensitive"\n',
    "a = 1*2DIGIT ; one or two digits\n",
    "a = 2DIGIT ; two digits\n",
    "a = 2*DIGIT ; two digits or more\n",
    'a = DIGIT "." DIGIT ; two digits\n',
    "a = 1*HEXDIG ; upper or lower case letters\n",
]


@each_row("text", NOT_FOUND)
def test_not_found(text: str) -> None:
    assert [each.message for each in lint(text) if each.name in ("comment-disagrees", "utf8-octets")] == []


# Grammar, ranges in the comment, position.
RANGES = [
    ("month = 2DIGIT ; 01-12\n", "01-12", (1, 1)),
    (
        "a = b\nb = 2DIGIT  ; 01-28, 01-29, 01-31 based on\n            ; the month\n",
        "01-28, 01-29, 01-31",
        (2, 1),
    ),
    ("a = 1*3DIGIT\n  ; a decimal value in the range 0 through 255\n", "0 through 255", (1, 1)),
    ("; values 1 to 9\na = DIGIT\n", "1 to 9", (2, 1)),
    ("a = 1*DIGIT ; 0..255\n", "0..255", (1, 1)),
    ("a = DIGIT ; 0-9\n  / 2DIGIT ; 10-99\n", "10-99", (1, 1)),
    ('a = "2" %x30-35 DIGIT ; 200-255\n', "200-255", (1, 1)),
]


@each_row(("text", "numbers", "place"), RANGES)
def test_a_range_that_the_rule_does_not_check(text: str, numbers: str, place: tuple[int, int]) -> None:
    results = [each for each in lint(text) if each.name == "range-in-comment"]
    assert [(each.line, each.column) for each in results] == [place]
    assert results[0].message.data["numbers"] == numbers
    assert results[0].severity == "info"


@each_row(
    "text",
    [
        'a = "0" %x31-39 / "1" %x30-32 ; 01-12\n',
        "a = %x31-39 DIGIT ; 10-99\n  / DIGIT ; 0-9\n",
        'a = "1" 2DIGIT ; 100-199\n',
        "a = 1*3DIGIT ; 1-3 digits\n",
        "a = 2DIGIT ; see pages 10-12\n",
        "a = 2DIGIT ; RFC 3339, section 5-6\n",
        "a = 2ALPHA ; 01-12\n",
        'a = DIGIT "." DIGIT ; 1-5\n',
        "a = 2DIGIT ; 00-99\n",
        "a = %x30-39 ; %x30-39\n",
        "a = 4DIGIT ; 2026-11-22\n",
    ],
)
def test_no_range_that_is_missed(text: str) -> None:
    assert [each.message for each in lint(text) if each.name == "range-in-comment"] == []
