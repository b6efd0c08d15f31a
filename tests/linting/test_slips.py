"""Grammars that differ from what the author intended, and similar grammars that are right."""

from __future__ import annotations

from abnforge import lint
from tests.law import each_row

# name, grammar, the finding's line and column, its fix (ABNF, or the code of a message)
FOUND = [
    (
        "rule-name-in-quotes",
        'date = y "-" "month"\ny = "y"\nmonth = 2DIGIT\n',
        1,
        14,
        "rule-name-in-quotes-fix",
    ),
    ("rule-name-in-quotes", 'a = b\nb = %s"c" / %i"c"\nc = DIGIT\n', 2, 5, "rule-name-in-quotes-fix"),
    (
        "unbalanced-alternatives",
        'a = "(" b / c ")"\nb = DIGIT\nc = ALPHA\n',
        1,
        5,
        "unbalanced-alternatives-fix",
    ),
    ("unbalanced-alternatives", 'a = "x" ( "[" DIGIT / ALPHA "]" )\n', 1, 11, "unbalanced-alternatives-fix"),
    ("unbalanced-alternatives", "a = DQUOTE DIGIT / ALPHA DQUOTE\n", 1, 5, "unbalanced-alternatives-fix"),
    ("unbalanced-alternatives", 'a = %x7B DIGIT / ALPHA / 2DIGIT "}"\n', 1, 5, "unbalanced-alternatives-fix"),
    ("string-as-set", 'a = "x" 1*"0123456789"\n', 1, 11, "DIGIT"),
    ("string-as-set", 'a = "x" "abcdefgh"\n', 1, 9, "%x61-68"),
    ("string-as-set", 'a = *"+-*/" "x"\n', 1, 6, '"+" / "-" / "*" / "/"'),
    ("string-as-set", 'a = *("!?:") "x"\n', 1, 7, '"!" / "?" / ":"'),
    ("string-as-set", 'special-chars = "!@#"\n', 1, 17, '"!" / "@" / "#"'),
    ("suspicious-range", "digit-1 = %x0-9\n", 1, 11, "DIGIT"),
    ("suspicious-range", "a = %x0-9 / %xA-F\n", 1, 5, "DIGIT"),
    ("suspicious-range", "a = DIGIT / %xA-F\n", 1, 13, "%x41-46"),
    ("suspicious-range", "a = %xa-f / %x30-39\n", 1, 5, "%x61-66"),
    ("suspicious-range", 'a = "x" / %d30-39\n', 1, 11, "%x30-39"),
    ("suspicious-range", "a = %x65-90\n", 1, 5, "%d65-90"),
    ("suspicious-range", "a = %x97-122\n", 1, 5, "%d97-122"),
    ("suspicious-range", "a = %x48-57\n", 1, 5, "%d48-57"),
    ("suspicious-range", "a = DIGIT / %x61-66 / %x41-47\n", 1, 23, None),
    ("surrogates-in-range", "a = %x80-10FFFF\n", 1, 5, "%x80-D7FF / %xE000-10FFFF"),
    ("escape-in-string", 'NL = "\\r\\n" / "\\n"\n', 1, 6, "CRLF"),
    ("escape-in-string", 'white-space = " " / "\\t"\n', 1, 21, "HTAB"),
]


@each_row(("name", "text", "line", "column", "fix"), FOUND)
def test_found(name: str, text: str, line: int, column: int, fix: str | None) -> None:
    first = next(finding for finding in lint(text) if finding.name == name)
    assert (first.line, first.column) == (line, column)
    assert first.edits == ()
    assert getattr(first.fix, "code", first.fix) == fix


NOT_FOUND = [
    ';@ except word\nname = 1*ALPHA "word"\nword = "ab" / "cd"\n',
    'date = "-" "MONTH"\nmonth = 2DIGIT\n',
    'date = year "-" month "month"\nyear = 4DIGIT\nmonth = 2DIGIT\n',
    'verb = "get" word / "put" word\nword = 1*ALPHA\nget = "GET" word\n',
    'verb = %s"verb" / "x"\n',
    'a = "first" DIGIT\nb = "a"\n',
    'a = "(" ( b / c ) ")"\nb = DIGIT\nc = ALPHA\n',
    'a = "(" b ")" / "[" c "]"\nb = DIGIT\nc = ALPHA\n',
    'a = "(" / ")"\n',
    'a = "(" DIGIT / ALPHA "]"\n',
    'a = DQUOTE *DIGIT DQUOTE / ALPHA DQUOTE "x" DQUOTE\n',
    'a = "(" *( DIGIT ")" ) / ALPHA ")"\n',
    'a = "12345"\n',
    'a = *"abc" "x"\n',
    'a = *(", ") "x"\n',
    'a = 3"--"\n',
    'chars = "aab"\n',
    "a = %x0-8 / %xB-C / %xE-1F\n",
    "ctl = %x0-9 / %xB-C\n",
    "other = %x0-9\n",
    "ctl = %x0-8 / %xA-F\n",
    "ctl = %x0A-0F\n",
    "a = %d10-15 / %xA-D\n",
    "a = %x30-39 / %d48-57\n",
    "a = %x41-5A / %x61-7A\n",
    "a = %x41-5A / %x61-66\n",
    "a = %x80-D7FF / %xE000-10FFFF\n",
    "a = %xD800-DBFF\n",
    'escape = "\\n" / "\\t"\n',
    'newline = "\\" "n"\n',
]


@each_row("text", NOT_FOUND)
def test_not_found(text: str) -> None:
    names = {name for name, *_ in FOUND}
    assert [finding.name for finding in lint(text) if finding.name in names] == []
