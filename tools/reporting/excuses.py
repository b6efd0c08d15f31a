"""What a grammar derives and its specification's prose forbids, or leaves to who reads it.

Refusing such a string is no mistake. So nobody is asked for it: an answer of no counts for nothing.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from abnforge.conformance.judges import Answer, Judge
from abnforge.engine.rule import Rule

Excused = Callable[[Rule, str], bool]

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_INFINITE = (float("inf"), -float("inf"))
_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d))?")


@dataclass(frozen=True)
class Excuse:
    """``excused`` says of a string that the rule derives whether it may be refused; ``note`` says why."""

    excused: Excused
    note: str


class Lenient(Judge):
    """A judge whose refusals count only where they are not excused."""

    def __init__(self, judge: Judge, rule: Rule, excused: Excused) -> None:
        self._judge = judge
        self._rule = rule
        self._excused = excused
        self.dear = judge.dear

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """The judge's answers, None for a refusal that is excused."""
        for text, answer in zip(texts, self._judge.answers(texts), strict=True):
            refused = answer is not None and not answer.yes
            excused = refused and self._rule.matches(text) and self._excused(self._rule, text)
            yield None if excused else answer


def off_calendar(text: str) -> bool:
    """Whether there is a date in a text that no calendar has, or a time that no clock shows. A second 60 is
    one of those: whether there was a leap second, no rule says.
    """
    for year, month, day in _DATE.findall(text):
        if not 1 <= int(month) <= 12 or not 1 <= int(day) <= monthrange(int(year) or 4, int(month))[1]:
            return True
    return any(
        int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59
        for hour, minute, second in _TIME.findall(text)
    )


def _date_time(rule: Rule, text: str) -> bool:
    return off_calendar(text)


def _beyond(text: str) -> float:
    number = float(text)
    if number in _INFINITE or len(text) > 300:
        raise OverflowError
    return number


def _json(rule: Rule, text: str) -> bool:
    """Numbers beyond what a double holds, halves of surrogate pairs, and names that come twice."""

    def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(pairs) > len(dict(pairs)):
            raise OverflowError
        return dict(pairs)

    try:
        value = json.loads(text, parse_float=_beyond, parse_int=_beyond, object_pairs_hook=object_of)
        json.dumps(value, ensure_ascii=False).encode()
    except (OverflowError, RecursionError, UnicodeEncodeError):
        return True
    return False


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")


def _toml(rule: Rule, text: str) -> bool:
    """Several keys, of which one may be defined twice; dates; escapes that are no character; large numbers;
    DEL in a comment, which the text of 1.0.0 forbids.
    """
    names: Counter[str] = Counter()
    for name, start, end in rule.events(text):
        part = text[start:end]
        names[name] += 1
        if name == "comment" and "\x7f" in part:
            return True
        if name == "date-time" and off_calendar(part):
            return True
        if name == "integer" and _large(part):
            return True
        if name == "float" and float(part.replace("_", "")) in _INFINITE and "inf" not in part:
            return True
    scalars = (int(four or eight, 16) for four, eight in _ESCAPE.findall(text))
    return names["key"] > 1 or any(0xD800 <= code <= 0xDFFF or code > 0x10FFFF for code in scalars)


def _large(text: str) -> bool:
    if len(text) > 4_000:
        return True
    return not -(1 << 63) <= int(text.replace("_", ""), 0 if text[:2] in ("0x", "0o", "0b") else 10) < 1 << 63


def _mailbox(rule: Rule, text: str) -> bool:
    local, _, domain = text.rpartition("@")
    return (
        len(local) > 64
        or len(text) > 254
        or any(len(label) > 63 for label in domain.split("."))
        or len(domain) > 253
    )


EXCUSES = {
    "rfc3339:date-time": Excuse(
        _date_time,
        "The ABNF derives 2024-13-01T25:00:00Z, and section 5.7 forbids it: nobody is asked for what no "
        "calendar and no clock has, nor for a second 60.",
    ),
    "rfc8259:JSON-text": Excuse(
        _json,
        "Sections 4, 6 and 8.2 leave to readers what they do with names that come twice, numbers beyond what "
        "a double holds and halves of surrogate pairs: to refuse them is no mistake here. Texts that are not "
        "UTF-8 are not asked. The rule recurses: no suite is complete for it.",
    ),
    "toml-1.0.0:toml": Excuse(
        _toml,
        "The text forbids what the ABNF derives: to refuse a document of several keys (one may be defined "
        "twice), with a date that no calendar has, an escape that is no character, a number beyond 64 bits "
        "or DEL in a comment is no mistake here. The rule recurses: no suite is complete for it.",
    ),
    "toml-1.1.0:toml": Excuse(_toml, "As for TOML 1.0.0."),
    "rfc5321:Mailbox": Excuse(
        _mailbox,
        "Section 4.5.3.1 limits lengths, and DNS those of labels: to refuse longer ones is no mistake here.",
    ),
}
