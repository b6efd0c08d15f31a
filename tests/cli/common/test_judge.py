"""Judging: what is masked of outcomes, and how they are counted."""

from __future__ import annotations

import json
from dataclasses import replace

from abnforge.cli.common.inputs import Item, Record, decode
from abnforge.cli.common.judge import Tally, judge
from abnforge.errors import LimitExceeded
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion
from tests.cli.reports.outcomes import ALL, REJECTED, REJECTION, TARGET, VALID


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


def test_what_could_not_be_judged_stays_where_it_is() -> None:
    items = [Item("f", 3, "a", begins=(4, 5)), Item("f", 1, "b", whole=True, newline="crlf")]
    first, second = judge(items, TooMuch(), TARGET)
    assert (first.code, first.shown, first.place(0)) == ("limit-exceeded", "a", (4, 5))
    plain = second.to_dict()
    assert plain["message"] == "not decided: too many steps"
    assert [plain[key] for key in ("line", "column", "newline", "valid", "input")] == [
        1,
        1,
        "crlf",
        None,
        "b",
    ]
