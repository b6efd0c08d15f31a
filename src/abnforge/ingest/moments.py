"""Dates, times and durations of Arrow as text, also those that Python's own types cannot hold."""

from __future__ import annotations

from datetime import date, timedelta

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DAY = 86_400  # seconds

_EPOCH = date(1970, 1, 1)
_CYCLE = 146_097  # days in 400 years, after which the calendar repeats


def day(number: int) -> str:
    """Return the date that is this number of days after 1970-01-01, in the proleptic Gregorian calendar.

    A year outside of 0 to 9999 has a sign (ISO 8601, expanded representation).
    """
    cycles, rest = divmod(number, _CYCLE)
    found = _EPOCH + timedelta(rest)
    year = found.year + 400 * cycles
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return shown + found.isoformat()[4:]


def clock(count: int, unit: str) -> str:
    """Return a time of day; a count outside of a day has more hours, or a minus sign."""
    seconds, fraction = _seconds(abs(count), unit)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' if count < 0 else ''}{hour:02d}:{minute:02d}:{second:02d}{fraction}"


def instant(count: int, unit: str) -> str:
    """Return a date with a time."""
    number, rest = divmod(count, DAY * PER_SECOND[unit])
    return f"{day(number)} {clock(rest, unit)}"


def duration(count: int, unit: str) -> str:
    """Return a duration as ISO 8601 has it, in seconds."""
    seconds, fraction = _seconds(abs(count), unit)
    return f"{'-' if count < 0 else ''}PT{seconds}{fraction}S"


def interval(months: int, days: int, nanoseconds: int) -> str:
    """Return an interval as ISO 8601 has it; each of its three counts has a sign of its own."""
    seconds, fraction = _seconds(abs(nanoseconds), "ns")
    return f"P{months}M{days}DT{'-' if nanoseconds < 0 else ''}{seconds}{fraction}S"


def _seconds(count: int, unit: str) -> tuple[int, str]:
    """Whole seconds, and the digits of the unit after them."""
    per = PER_SECOND[unit]
    seconds, rest = divmod(count, per)
    return seconds, f".{rest:0{len(str(per)) - 1}d}" if per > 1 else ""
