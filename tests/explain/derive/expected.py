"""Parse the characters that are named in messages of derived mistakes."""

from __future__ import annotations

import re

from abnforge.charset import CharSet

_EXPECTED = re.compile(r" is not allowed .+; use (?P<named>.+?)(, or end the input)?$")

_NAMED = {
    "a visible character": CharSet.from_ranges([(0x21, 0x7E)]),
    "an ASCII letter": CharSet.from_ranges([(0x41, 0x5A), (0x61, 0x7A)]),
    "an ASCII digit": CharSet.of("0123456789"),
    "a letter": CharSet.from_ranges([(0x41, 0x5A), (0x61, 0x7A)]),
    "an uppercase letter": CharSet.from_ranges([(0x41, 0x5A)]),
    "a lowercase letter": CharSet.from_ranges([(0x61, 0x7A)]),
    "a hex digit": CharSet.of("0123456789ABCDEFabcdef"),
    "a digit": CharSet.of("0123456789"),
    "a space": CharSet.of(" "),
    "a tab": CharSet.of("\t"),
    "a line feed": CharSet.of("\n"),
    "a carriage return": CharSet.of("\r"),
    "whitespace": CharSet.of("\t\n\v\f\r "),
    "a non-ASCII character": CharSet.from_ranges([(0x80, 0x10FFFF)]),
}
_PART = re.compile(
    rf"""({"|".join(map(re.escape, _NAMED))})|'(\w)'\ to\ '(\w)'
    |one\ of\ ((?:\S\ )*\S+?)(?=,\ |\ or\ |$)|\[(.+?)\]|["'](.)[^"']*["']""",
    re.VERBOSE,
)


def named(text: str) -> CharSet:
    """Return the characters that a message mentions."""
    result = CharSet()
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        assert part, text[at:]
        kind, low, high, marks, charset, mark = part.groups()
        if low:
            result |= CharSet.from_ranges([(ord(low), ord(high))])
        else:
            result |= _NAMED[kind] if kind else in_class(charset) if charset else CharSet.of(marks or mark)
        at = part.end()
        at += len(re.match(r", | or |$", text[at:])[0])  # type: ignore[index]
    return result


def in_class(written: str) -> CharSet:
    pattern = re.compile(f"[{written}]")
    return CharSet.of("".join(char for char in map(chr, range(0x180)) if pattern.match(char)))


def expected_in(message: str) -> CharSet | None:
    """Return the characters that a message allows instead, or None if it does not name any."""
    result = _EXPECTED.search(message)
    return None if result is None else named(result["named"])
