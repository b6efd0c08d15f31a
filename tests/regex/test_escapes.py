"""Sets in brackets and characters by number, as each engine reads them."""

from __future__ import annotations

import pytest

from abnforge.charset import CharSet
from abnforge.conformance import PatternError, pattern
from tests.law import each_row


def members(text: str, dialect: str, flags: str = "") -> CharSet:
    """The characters that a pattern for one takes."""
    automaton = pattern(text, dialect, flags=flags).automaton
    return automaton.expected(0)


SETS = [
    ("[a-c]", "pcre", "", "abc"),
    ("[c-]", "java", "", "c-"),
    ("[-c]", "re2", "", "c-"),
    ("[a-b-d]", "javascript", "", "ab-d"),
    (r"[\]\\]", "re2", "", "]\\"),
    (r"[\x41-\x43]", "javascript", "", "ABC"),
    (r"[\0-\x01]", "javascript", "", "\0\x01"),
    (r"[\d]", "java", "", "0123456789"),
    ("[a^]", "pcre", "", "a^"),
    ("[.$|()]", "pcre", "", ".$|()"),
    ("[b]", "javascript", "i", "bB"),
    ("[[:xdigit:]]", "re2", "", "0123456789abcdefABCDEF"),
    (r"\cA", "pcre", "", "\x01"),
    (r"\ca", "pcre", "", "\x01"),
    (r"\ca", "java", "", "!"),
    (r"\x", "pcre", "", "\0"),
    (r"\x4", "pcre", "", "\x04"),
    (r"\07", "pcre", "", "\x07"),
    (r"\0377", "java", "", "\xff"),
    (r"\377", "re2", "", "\xff"),
    (r"\u{1F600}", "javascript", "u", "\U0001f600"),
]


@each_row(("text", "dialect", "flags", "expected"), SETS)
def test_sets(text: str, dialect: str, flags: str, expected: str) -> None:
    assert members(text, dialect, flags) == CharSet.of(expected)


def test_negated_sets_leave_out_every_case() -> None:
    assert ~members("[^k]", "javascript", "iu") == CharSet.of("kK\u212a")
    assert ~members("[^k]", "javascript", "i") == CharSet.of("kK")
    assert ~members(r"\W", "re2", "i") == members(r"\w", "re2", "i")


@each_row(
    ("text", "dialect", "flags"),
    [
        (r"[\w-z]", "pcre", ""),
        (r"[a-\d]", "java", ""),
        (r"[\d-a]", "javascript", "u"),
        (r"\-", "javascript", "u"),
        (r"\p{Lu}", "pcre", "i"),
        (r"\p{L}", "javascript", "iu"),
        (r"[[:upper:]]", "pcre", "i"),
        ("[a b]", "java", "x"),
        (r"[\R]", "pcre", ""),
        (r"\xZ", "java", ""),
        (r"\u00", "java", ""),
        ("[[.a.]]", "pcre", ""),
    ],
)
def test_what_engines_differ_in_is_refused(text: str, dialect: str, flags: str) -> None:
    with pytest.raises(PatternError):
        pattern(text, dialect, flags=flags)
