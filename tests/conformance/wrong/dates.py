"""Dates and times of RFC 3339."""

from __future__ import annotations

import re

from tests.conformance.wrong.entries import wrong

DIGITS = frozenset("0123456789")


def shaped(text: str, shape: str) -> bool:
    """Return whether a string has a shape: 0 means any digit, and any other character means itself."""
    return len(text) == len(shape) and all(
        char in DIGITS if mark == "0" else char == mark for char, mark in zip(text, shape, strict=True)
    )


def is_fraction(text: str) -> bool:
    return text == "" or (len(text) > 1 and text[0] == "." and DIGITS.issuperset(text[1:]))


def is_offset(text: str) -> bool:
    return text in ("Z", "z") or shaped(text, "+00:00") or shaped(text, "-00:00")


def cut(text: str) -> tuple[str, str]:
    """Return the time and its offset, which starts with a letter or a sign."""
    for place, char in enumerate(text):
        if char in "Zz+-":
            return text[:place], text[place:]
    return text, ""


@wrong(
    "rfc3339:date-time",
    "danielrichman/strict-rfc3339#5",
    '"t" and "z" refused',
    "0000-00-00t00:00:00Z",
    re.compile("[tz]").search,
)
def capitals(text: str) -> object:
    return re.fullmatch(
        r"[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})", text
    )


@wrong(
    "rfc3339:date-time",
    "vlang/v#25272",
    "any character accepted between date and time",
    "0000-00-00 00:00:00Z",
    lambda text: text[10:11] not in ("T", "t"),
)
def any_separator(text: str) -> bool:
    if len(text) < 20 or not shaped(text[:10], "0000-00-00"):
        return False
    time, offset = cut(text[11:])
    return shaped(time[:8], "00:00:00") and is_fraction(time[8:]) and is_offset(offset)


@wrong(
    "rfc3339:full-time",
    "ruby/time#77",
    "an offset without a colon accepted",
    "00:00:00+0000",
    re.compile("[+-][0-9]{4}").search,
)
def optional_colon(text: str) -> object:
    return re.fullmatch(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[-+][0-9]{2}:?[0-9]{2})", text)


@wrong(
    "rfc3339:time-offset",
    "ruby/time#74",
    "an offset without minutes accepted",
    "+00",
    re.compile("[+-][0-9]{2}$").search,
)
def optional_minutes(text: str) -> bool:
    if text in ("Z", "z"):
        return True
    if text[:1] not in ("+", "-"):
        return False
    hour, *minute = text[1:].split(":")
    fields = [hour, *minute]
    return len(fields) < 3 and all(len(field) == 2 and DIGITS.issuperset(field) for field in fields)


@wrong(
    "rfc3339:partial-time",
    "everit-org/json-schema#59",
    "fractions of other than three digits refused",
    "00:00:00.0",
    re.compile(r"\.").search,
)
def milliseconds(text: str) -> object:
    return re.fullmatch(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?", text)


@wrong(
    "rfc3339:partial-time",
    "sharplispers/local-time#90",
    "a comma before the fraction accepted",
    "00:00:00,0",
    re.compile(",").search,
)
def decimal_comma(text: str) -> bool:
    clock, fraction = text[:8], text[8:]
    if fraction[:1] == ",":
        fraction = "." + fraction[1:]
    return shaped(clock, "00:00:00") and is_fraction(fraction)


@wrong(
    "rfc3339:date-time",
    "cktan/tomlc17#46",
    "a second above 59 refused, so the leap second 60 is",
    "0000-00-00T00:00:60Z",
    lambda text: text[17:19] > "59",
)
def no_leap_second(text: str) -> bool:
    if not shaped(text[:10], "0000-00-00") or text[10:11] not in ("T", "t"):
        return False
    time, offset = cut(text[11:])
    if not (shaped(time[:8], "00:00:00") and is_fraction(time[8:]) and is_offset(offset)):
        return False
    return int(time[6:8]) <= 59


@wrong(
    "rfc3339:date-time",
    "ajv-validator/ajv-formats#117",
    "colon and minutes of an offset are optional, one by one",
    "0000-00-00T00:00:00+00",
    re.compile("[+-][0-9]{2}(?:[0-9]{2})?$").search,
)
def optional_twice(text: str) -> object:
    date = "[0-9]{4}-[0-9][0-9]-[0-9][0-9]"
    time = r"[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:\.[0-9]+)?"
    return re.fullmatch(rf"{date}[tT]{time}(?:[zZ]|[+-][0-9][0-9](?::?[0-9][0-9])?)", text)
