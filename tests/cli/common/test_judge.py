"""Judging: what is masked of outcomes, and how they are counted."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import abnforge
from abnforge.cli.common.inputs import Item, Record, decode
from abnforge.cli.common.judge import Tally, _Remembered, judge, lines_matcher
from abnforge.errors import LimitExceeded
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion
from tests.cli.command import Seen
from tests.cli.output.outcomes import ALL, REJECTED, REJECTION, TARGET, VALID


class FakeRule:
    """Rejects every "!"; its messages and suggestions quote the input."""

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

    items: list[Record] = [Item("f", n, text) for n, text in enumerate(["secret", "secret!", "sec!ret x"], 1)]
    items.append(decode(b"secret\xff", "f", 4))
    outcomes = list(judge(items, FakeRule(), TARGET, mask=hide))
    assert [o.code for o in outcomes] == ["valid", "bad", "bad", "not-utf-8"]
    shown = json.dumps([o.to_dict() for o in outcomes])
    assert "secret" not in shown
    assert "sec!ret" not in shown
    assert [o.shown for o in outcomes] == ["******", "******!", "******* x", "******\\xff"]
    assert [o.rejection.offset for o in outcomes if o.rejection] == [6, 3]
    suggestions = [o.rejection.suggestion for o in outcomes if o.rejection]
    assert [each and each.text for each in suggestions] == ["******", "****** x"]


def test_judge_passes_suggest_on() -> None:
    [outcome] = judge([Item("f", 1, "!")], FakeRule(), TARGET, suggest=False)
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
    """Asks for more than the budget allows."""

    def explain(
        self, text: str, *, suggest: bool = True, hypotheses: int = 1, engine: str = "auto"
    ) -> Rejection | None:
        raise LimitExceeded("too many steps")


def test_what_could_not_be_judged_stays_where_it_is(seen: Seen) -> None:
    items = [Item("f", 3, "a", begins=(4, 5)), Item("f", 1, "b", whole=True, newline="crlf")]
    first, second = judge(items, TooMuch(), TARGET)
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
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def explain(self, text: str, **options: Any) -> Rejection | None:
        self.asked.append(text)
        return super().explain(text)


def test_a_text_that_comes_again_is_explained_once() -> None:
    rule, long = Counting(), "!" * (_Remembered.MOST_CHARACTERS + 1)
    records = [Item("f", number, text) for number, text in enumerate(("a!", "b!", "a!", long, long), 1)]
    outcomes = list(judge(records, rule, TARGET))
    assert rule.asked == ["a!", "b!", long, long]
    assert [outcome.rejection and outcome.rejection.input for outcome in outcomes] == [
        "a!",
        "b!",
        "a!",
        long,
        long,
    ]


def test_what_is_remembered_is_bounded() -> None:
    rule = Counting()
    explain = _Remembered(rule.explain)
    texts = [f"{number}!" for number in range(_Remembered.MOST_TEXTS + 1)]
    assert [found and found.input for found in map(explain, texts)] == texts
    explain(texts[-1])
    explain(texts[0])  # forgotten with all that came before the last
    assert len(rule.asked) == len(texts) + 1


@pytest.mark.skipif(abnforge.KERNEL == "python", reason="lines are judged in blocks by the kernel")
def test_lines_are_judged_in_blocks() -> None:
    lines = lines_matcher(abnforge.load("rfc3986")["URI"], "auto")
    assert lines is not None
    block = b"a:b\r\n\nx y\na:\xff\na:c\n"
    assert lines(block, False) == (5, 2, [(2, 5, 5), (3, 6, 9), (4, 10, 13)])
    assert lines(block, True) == (5, 2, [(3, 6, 9), (4, 10, 13)])
    assert lines_matcher(abnforge.load("rfc3986")["URI"], "lark") is None
    assert lines_matcher(abnforge.load("rfc5234")["rulelist"], "auto") is None
