"""Strings that a grammar derives, but that its specification's prose forbids or leaves to implementations.

If an implementation rejects such a string, the rejection does not count as wrong.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Callable

from abnforge.engine.rule import Rule

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_INFINITE = (float("inf"), -float("inf"))
_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d))?")


def off_calendar(rule: Rule, text: str) -> bool:
    """Return whether a string has an impossible date or time, or a leap second (60)."""
    for year, month, day in _DATE.findall(text):
        if not 1 <= int(month) <= 12 or not 1 <= int(day) <= monthrange(int(year) or 4, int(month))[1]:
            return True
    return any(
        int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59
        for hour, minute, second in _TIME.findall(text)
    )


def _double(text: str) -> float:
    number = float(text)
    if number in _INFINITE or len(text) > 300:
        raise OverflowError
    return number


def _json(rule: Rule, text: str) -> bool:
    """Return whether a document has numbers beyond a double, unpaired surrogates or duplicate names."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(pairs) > len(dict(pairs)):
            raise OverflowError
        return dict(pairs)

    try:
        value = json.loads(text, parse_float=_double, parse_int=_double, object_pairs_hook=unique)
        json.dumps(value, ensure_ascii=False).encode()
    except (OverflowError, RecursionError, UnicodeEncodeError):
        return True
    return False


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")


def _toml(rule: Rule, text: str) -> bool:
    """Return whether a TOML document may be invalid for reasons other than syntax.

    Examples are duplicate keys, impossible dates, escapes of noncharacters, integers beyond 64 bits, floats
    beyond a double, and DEL in a comment.
    """
    parts = [(name, text[start:end]) for name, start, end in rule.events(text)]
    escapes = (int(four or eight, 16) for four, eight in _ESCAPE.findall(text))
    return (
        sum(name == "key" for name, _ in parts) > 1
        or any(name == "comment" and "\x7f" in part for name, part in parts)
        or any(name == "date-time" and off_calendar(rule, part) for name, part in parts)
        or any(name == "integer" and _large(part) for name, part in parts)
        or any(
            name == "float" and float(part.replace("_", "")) in _INFINITE and "inf" not in part
            for name, part in parts
        )
        or any(0xD800 <= code <= 0xDFFF or code > 0x10FFFF for code in escapes)
    )


def _large(text: str) -> bool:
    if len(text) > 4_000:
        return True
    return not -(1 << 63) <= int(text.replace("_", ""), 0 if text[:2] in ("0x", "0o", "0b") else 10) < 1 << 63


def _mailbox(rule: Rule, text: str) -> bool:
    """Return whether an address exceeds the length limits of section 4.5.3.1 or of DNS."""
    local, _, domain = text.rpartition("@")
    labels = domain.split(".")
    return len(local) > 64 or len(text) > 254 or len(domain) > 253 or any(len(each) > 63 for each in labels)


def _jsonpath(rule: Rule, text: str) -> bool:
    """Return whether a query has a function call, which may be badly typed, or an integer beyond a double."""
    return any(
        name == "function-expr"
        or (name == "int" and (end - start > 17 or abs(int(text[start:end])) >= 1 << 53))
        for name, start, end in rule.events(text)
    )


EXCUSES: dict[str, Callable[[Rule, str], bool]] = {
    "rfc3339:date-time": off_calendar,
    "rfc5321:Mailbox": _mailbox,
    "rfc8259:JSON-text": _json,
    "rfc9535:jsonpath-query": _jsonpath,
    "toml-1.0.0:toml": _toml,
    "toml-1.1.0:toml": _toml,
}
"""For each rule, a function that returns whether a string is excused. implementations.toml says why."""
