"""The rules in rfc3339.abnf that check ranges agree with Python's ``datetime``."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import product

import pytest

import abnforge
from tests.law import each_row

STRICT = abnforge.load("rfc3339")
DATE, TIME, DATE_TIME = (STRICT[f"{name}-strict"] for name in ("full-date", "full-time", "date-time"))
SIGNS = (("+", 1), ("-", -1))


def is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def check_days(years: range) -> None:
    for year, month, day in product(years, range(14), range(33)):
        text = f"{year:04}-{month:02}-{day:02}"
        expected = is_date(year, month, day)
        assert DATE.matches(text) == expected, text
        assert DATE_TIME.matches(text + "T00:00:00Z") == expected, text


@pytest.mark.parametrize("start", [1580, 1890, 2390])
def test_days_of_years(start: int) -> None:
    check_days(range(start, start + 10))


@pytest.mark.slow
def test_days_of_all_years() -> None:
    check_days(range(1, 10_000, 7))


def test_a_month_or_a_day_has_no_other_numbers() -> None:
    for low, high in product(range(100), range(100)):
        assert DATE.matches(f"2023-{low:02}-{high:02}") == is_date(2023, low, high)


def test_year_0_is_a_leap_year() -> None:
    """Python's ``datetime`` does not support the year 0. By appendix C, the year 0 is a multiple of 400."""
    assert DATE.matches("0000-02-29")
    assert not DATE.matches("0000-02-30")


def test_hours_minutes_and_seconds() -> None:
    for hour, minute in product(range(100), range(100)):
        expected = hour < 24 and minute < 60
        assert TIME.matches(f"{hour:02}:{minute:02}:00Z") == expected
        assert DATE_TIME.matches(f"2023-05-06T{hour:02}:{minute:02}:59.25z") == expected
        for sign, _ in SIGNS:
            assert DATE_TIME.matches(f"2023-05-06T07:08:09{sign}{hour:02}:{minute:02}") == expected
    for second in range(100):
        assert TIME.matches(f"12:34:{second:02}Z") == (second < 60)


def test_each_match_is_a_datetime_of_python() -> None:
    for hour, minute, second in product(range(24), range(0, 60, 7), range(0, 60, 11)):
        for zone in ("Z", "+00:00", "-23:59", "+05:30"):
            text = f"2024-02-29T{hour:02}:{minute:02}:{second:02}{zone}"
            assert DATE_TIME.matches(text)
            assert datetime.fromisoformat(text).time() == time(hour, minute, second)


def offsets() -> list[tuple[str, timezone]]:
    return [
        (f"{sign}{hour:02}:{minute:02}", timezone(factor * timedelta(hours=hour, minutes=minute)))
        for (sign, factor), hour, minute in product(SIGNS, range(24), range(60))
    ]


def test_a_leap_second_matches_with_every_offset() -> None:
    for year, month, day in ((1990, 12, 31), (2015, 6, 30)):
        instant = datetime(year, month, day, 23, 59, tzinfo=UTC)
        assert DATE_TIME.matches(f"{instant:%Y-%m-%dT%H:%M}:60.125z")
        for written, zone in offsets():
            local = instant.astimezone(zone)
            assert DATE_TIME.matches(f"{local:%Y-%m-%dT%H:%M}:60{written}"), written
            assert TIME.matches(f"{local:%H:%M}:60.5{written}"), written


@pytest.mark.parametrize(("month", "day"), [(6, 30), (12, 31)])
def test_a_leap_second_is_at_the_day_and_the_minute_of_its_offset(month: int, day: int) -> None:
    """The hour is compared only without an offset, as the comment next to the rules explains."""
    instant = datetime(2016, month, day, 23, 59, tzinfo=UTC)
    days = [instant.date() + timedelta(days=shift) for shift in (-1, 0, 1, 2)]
    for written in ("Z", "+00:00", "-00:00", "+01:00", "-08:00", "+23:00", "-23:00"):
        local = datetime.fromisoformat(f"2000-01-01T00:00:00{written}").tzinfo
        right = instant.astimezone(local)
        for other, hour, minute in product(days, (0, 1, 15, 16, 22, 23), range(60)):
            text = f"{other}T{hour:02}:{minute:02}:60{written}"
            expected = (other, minute) == (right.date(), right.minute)
            if not right.utcoffset():
                expected = expected and hour == right.hour
            assert DATE_TIME.matches(text) == expected, text


@each_row("month", range(1, 13))
def test_no_other_month_ends_with_a_leap_second(month: int) -> None:
    last = date(2016 + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    assert DATE_TIME.matches(f"{last}T23:59:60Z") == (month in (6, 12))


@pytest.mark.parametrize("rule", ["full-date", "full-time", "partial-time", "time-offset", "date-time"])
def test_a_strict_rule_is_narrower(rule: str) -> None:
    compared = abnforge.compare(STRICT[f"{rule}-strict"], STRICT[rule])
    assert compared.relation == "narrower"


@each_row(
    ("text", "code", "offset"),
    [
        ("2026-13-01T00:00:00Z", "month-out-of-range", 6),
        ("2026-02-30T00:00:00Z", "day-out-of-range", 8),
        ("2026-02-29T00:00:00Z", "day-out-of-range", 9),
        ("2026-01-01T24:00:00Z", "hour-out-of-range", 12),
        ("2026-01-01T00:60:00Z", "minute-out-of-range", 14),
        ("2026-01-02T00:00:61Z", "second-out-of-range", 17),
        ("2026-01-01T00:00:60Z", "leap-second-elsewhere", 19),
        ("2026-01-01 00:00:00Z", "space-for-T", 10),
        ("2026-01-01", "time-missing", 10),
    ],
)
def test_the_reason_is_that_of_the_range(text: str, code: str, offset: int) -> None:
    rejection = DATE_TIME.explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.offset) == (code, offset)
