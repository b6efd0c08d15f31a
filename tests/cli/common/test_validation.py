"""Validation: masked outcomes, and their counts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count, islice
from typing import Any

import pytest

import abnforge
from abnforge.cli.common.inputs import Record, StringRecord, decode
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.security import always_masking
from abnforge.cli.common.validation import (
    BATCH,
    WAITING,
    LineEndAdvice,
    Tally,
    _Remembered,
    explained,
    lines_matcher,
    validate_records,
)
from abnforge.errors import LimitExceeded
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion
from tests.cli.command import Seen
from tests.cli.output.outcomes import ALL, REJECTED, REJECTION, TARGET, VALID


class FakeRule:
    """A rule that rejects "!"; its messages and suggestions quote the input."""

    def explain(
        self, text: str, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        offset = text.find("!")
        if offset < 0:
            return None
        suggestion = (
            Suggestion(text.replace("!", ""), (Edit(offset, offset + 1, ""),), 1.0) if suggest else None
        )
        hypotheses = (Hypothesis(("URI",), offset, offset, (), f"bad: {text}"),)
        return replace(
            REJECTION,
            input=text,
            offset=offset,
            message=f"bad: {text}",
            code="bad",
            suggestion=suggestion,
            hypotheses=hypotheses,
        )


def test_judge_masks_everything_shown() -> None:
    def hide(text: str) -> str:
        return text.replace("secret", "******").replace("sec!ret", "*******")

    items: list[Record] = [
        StringRecord("f", n, text) for n, text in enumerate(["secret", "secret!", "sec!ret x"], 1)
    ]
    items.append(decode(b"secret\xff", "f", 4))
    outcomes = list(validate_records(items, FakeRule(), TARGET, mask=hide))
    assert [o.code for o in outcomes] == ["valid", "bad", "bad", "not-utf-8"]
    shown = json.dumps([o.to_dict() for o in outcomes])
    assert "secret" not in shown
    assert "sec!ret" not in shown
    assert [o.shown for o in outcomes] == ["******", "******!", "******* x", "******\\xff"]
    assert [o.rejection.offset for o in outcomes if o.rejection] == [6, 3]
    suggestions = [o.rejection.suggestion for o in outcomes if o.rejection]
    assert [each and each.text for each in suggestions] == ["******", "****** x"]


def test_judge_passes_suggest_on() -> None:
    [outcome] = validate_records([StringRecord("f", 1, "!")], FakeRule(), TARGET, suggest=False)
    assert outcome.rejection is not None
    assert outcome.rejection.suggestion is None


def test_outcomes_are_counted_on_their_way() -> None:
    tally = Tally()
    assert tuple(tally.count(ALL)) == ALL
    assert (tally.records, tally.rejected, tally.full) == (4, 3, False)


def test_counting_ends_with_the_last_that_may_be_rejected() -> None:
    tally = Tally(2)
    assert list(tally.count([REJECTED, VALID, REJECTED, VALID])) == [REJECTED, VALID, REJECTED]
    assert (tally.records, tally.rejected, tally.full) == (3, 2, True)


class TooMuch:
    """A rule that exceeds its budget."""

    def explain(
        self, text: str, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        raise LimitExceeded("too many steps")


def test_what_could_not_be_judged_stays_where_it_is(seen: Seen) -> None:
    items = [StringRecord("f", 3, "a", begins=(4, 5)), StringRecord("f", 1, "b", whole=True, newline="crlf")]
    first, second = validate_records(items, TooMuch(), TARGET)
    assert (first.code, first.shown, first.place(0)) == ("limit-exceeded", "a", (4, 5))
    plain = second.to_dict()
    seen(plain["message"])
    assert [plain[key] for key in ("line", "column", "newline", "valid", "input")] == [
        1,
        1,
        "crlf",
        None,
        "b",
    ]


class Counting(FakeRule):
    """A rule that records its calls."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def explain(self, text: str, **options: Any) -> Rejection | None:
        self.asked.append(text)
        return super().explain(text)


def test_a_string_that_comes_again_is_explained_once() -> None:
    rule, long = Counting(), "!" * (_Remembered.MOST_CHARACTERS + 1)
    records = [
        StringRecord("f", number, text) for number, text in enumerate(("a!", "b!", "a!", long, long), 1)
    ]
    outcomes = list(validate_records(records, rule, TARGET))
    assert rule.asked == ["a!", "b!", long, long]
    assert [outcome.rejection and outcome.rejection.input for outcome in outcomes] == [
        "a!",
        "b!",
        "a!",
        long,
        long,
    ]


def test_the_cache_is_bounded() -> None:
    rule = Counting()
    explain = _Remembered(rule.explain)
    texts = [f"{number}!" for number in range(_Remembered.MOST_TEXTS + 1)]
    assert [result and result.input for result in map(explain, texts)] == texts
    explain(texts[-1])
    explain(texts[0])  # the full cache was cleared before the last string
    assert len(rule.asked) == len(texts) + 1


@pytest.mark.skipif(abnforge.KERNEL == "python", reason="lines are judged in blocks by the kernel")
def test_lines_are_validated_in_blocks() -> None:
    lines = lines_matcher(abnforge.load("rfc3986")["URI"], "auto")
    assert lines is not None
    block = b"a:b\r\n\nx y\na:\xff\na:c\n"
    assert lines(block, False) == (5, 2, [(2, 5, 5), (3, 6, 9), (4, 10, 13)])
    assert lines(block, True) == (5, 2, [(3, 6, 9), (4, 10, 13)])
    assert lines_matcher(abnforge.load("rfc3986")["URI"], "lark") is None
    assert lines_matcher(abnforge.load("rfc5234")["rulelist"], "auto") is None


TEXTS = [f"http://h/{number}" + (" " if number % 3 else "") for number in range(2 * BATCH + 7)]


def explain(text: str) -> Rejection | None:
    """Explain a string. This function is in a module, so that it can be sent to another process."""
    if text == "too much":
        raise LimitExceeded("too much", operation="reading it", used=2, limit=1, setting="budget.steps")
    return abnforge.load("rfc3986")["URI"].explain(text)


def records(texts: list[str]) -> list[Record]:
    return [StringRecord("f", number, text) for number, text in enumerate(texts, 1)]


def test_order_and_answers() -> None:
    asked = [*records(TEXTS), decode(b"\xff", "f", 0)]
    alone, beside = list(explained(asked, explain)), list(explained(asked, explain, 2))
    assert beside == alone
    assert [record for record, _ in beside] == asked
    assert sum(answer is not None for _, answer in beside) == sum(" " in text for text in TEXTS)
    assert beside[-1][1] is None


def test_where_the_budget_ends() -> None:
    results = [answer for _, answer in explained(records(["a:b", "too much", "a b"]), explain, 2)]
    assert results[0] is None
    assert isinstance(results[1], LimitExceeded)
    assert isinstance(results[2], Rejection)


def test_who_has_enough_leaves() -> None:
    """If the consumer stops, the producer has read ahead only up to a limit."""
    taken = []

    def endless():  # type: ignore[no-untyped-def]
        for number in count(1):
            taken.append(number)
            yield StringRecord("f", number, "a b")

    answers = explained(endless(), explain, 2)
    assert [record.line for record, _ in islice(answers, 3)] == [1, 2, 3]
    answers.close()
    assert len(taken) <= (2 * WAITING + 1) * BATCH


def test_repeated_strings_are_validated_once() -> None:
    """A repeated string is explained only once, until the cache is full."""
    texts = ["a b", "c d"] * BATCH + TEXTS
    beside = [answer for _, answer in explained(records(texts), explain, 2)]
    assert beside == [answer for _, answer in explained(records(texts), explain)]
    assert all(answer is beside[number % 2] for number, answer in enumerate(beside[: 2 * BATCH]))


UNIX = abnforge.loads("doc = 1*( 1*ALPHA LF )\n")["doc"]
NET = abnforge.loads("doc = 1*( 1*ALPHA CRLF )\n")["doc"]


def watched(rule: abnforge.Rule, *texts: str, whole: bool = True, masked: bool = False) -> list[Outcome]:
    records = [StringRecord(f"f{number}", 1, text, whole=whole) for number, text in enumerate(texts)]
    unread = decode(b"\xff\n", "f", 1, whole=whole)
    advice = LineEndAdvice()
    mask = always_masking() if masked else None
    outcomes = list(validate_records([*records, unread], rule, Target("g", "doc"), suggest=False, mask=mask))
    assert list(advice.watch(outcomes)) == outcomes
    advice.tell()
    return outcomes


@pytest.mark.parametrize("masked", [False, True])
def test_the_option_that_would_help_is_named(
    capsys: pytest.CaptureFixture[str], masked: bool, seen: Seen
) -> None:
    watched(NET, "a\n", masked=masked)
    watched(UNIX, "b\n", "a\r\n", "a\r\nb", "c\r\n", masked=masked)
    seen(capsys.readouterr().err)


def test_nothing_is_reported_where_it_would_not_help(capsys: pytest.CaptureFixture[str]) -> None:
    watched(NET, "a\r\n", "a", "\n", "a\r\n1\n")
    watched(UNIX, "a\n", "a\n\r\n", "a\r")
    watched(NET, "a\n", whole=False)  # lines, or strings that end with NUL
    assert capsys.readouterr().err == ""
