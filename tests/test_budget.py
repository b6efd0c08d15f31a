"""Budgets: charges, limits, and the notation of limits."""

from __future__ import annotations

import pytest

from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from tests.law import each_row
from tests.raising import raises


def test_work_is_charged_up_to_the_limit() -> None:
    meter = Budget(steps=10).meter("a search")
    meter.charge(10)
    with pytest.raises(LimitExceeded) as caught:
        meter.charge()
    error = caught.value
    assert (error.operation, error.used, error.limit, error.setting) == ("a search", 11, 10, "budget.steps")
    assert error.message.data == {"operation": "a search", "limit": 10}


ONE = [
    (Budget(steps=1), "limit-steps"),
    (Budget(memory=1), "limit-memory"),
    (Budget(seconds=1), "limit-seconds"),
]


@pytest.mark.parametrize(("budget", "code"), ONE)
def test_one_of_a_unit(budget: Budget, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0])
    monkeypatch.setattr("abnforge.budget.monotonic", lambda: next(clock, 2.0))
    meter = budget.meter("a search")

    def search() -> None:
        meter.charge(1)
        meter.hold(2)
        meter.charge(100_000)

    with raises(LimitExceeded, code):
        search()


def test_a_share_is_reported_as_one_of_the_setting() -> None:
    whole = Budget(steps=1_000).meter("the whole")
    with raises(LimitExceeded, "limit-steps-share", share="15%", operation="a part", limit=150):
        whole.share("a part", 0.15).charge(151)
    with raises(LimitExceeded, "limit-steps-share", share="10%", limit=100):
        Budget(steps=1_000).meter("the whole").share("a part", 0.5).share("a part of it", 0.2).charge(101)


def test_reading_may_cost_more_the_longer_the_text() -> None:
    meter = Budget(steps=10, per_character=3).meter("reading", size=5)
    assert meter.left == 25


def test_a_part_charges_the_whole() -> None:
    whole = Budget(steps=10).meter("the whole")
    part = whole.part("a part", 4, "MAX_PART")
    part.charge(4)
    assert (whole.steps, whole.left, part.left) == (4, 6, 0)
    with raises(LimitExceeded, "limit-constant", setting="MAX_PART", operation="a part", limit=4):
        part.charge()
    second = whole.part("another part", 100, "MAX_PART")
    assert second.left == 5
    with raises(LimitExceeded, "limit-steps", operation="the whole", limit=10):
        second.charge(6)


def test_memory_is_charged_to_the_whole() -> None:
    whole = Budget(memory=1_000).meter("the whole")
    whole.part("a part", 4, "MAX_PART").hold(1_000)
    with raises(LimitExceeded, "limit-memory", operation="the whole", limit=1000):
        whole.hold(1)


def test_seconds_are_a_backstop() -> None:
    meter = Budget(steps=10**9, seconds=0).meter("a search")
    with raises(LimitExceeded, "limit-seconds", operation="a search", limit=0):
        meter.charge(100_000)


@each_row(
    ("text", "budget"),
    [
        ("steps=5M", Budget(steps=5_000_000)),
        ("steps=20k, memory=2G,seconds=0.5", Budget(steps=20_000, memory=2_000_000_000, seconds=0.5)),
        ("per_character=7", Budget(per_character=7)),
        ("2x", Budget(2_400_000, 200, 800_000_000, 240.0)),
    ],
)
def test_written(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget


@each_row("text", ["", "x", "-1", "10", "5M", "steps", "steps=", "steps=2x", "time=3", "1e6", "1,,2", "٣"])
def test_not_a_budget(text: str) -> None:
    with raises(ValueError, "budget-unknown"):
        Budget.parse(text)


@each_row("text", ["0x", "0.0x", "00x"])
def test_no_work_at_all_is_rejected(text: str) -> None:
    """A budget with all limits 0 could not decide anything. A single limit may be 0."""
    with raises(ValueError, "budget-empty"):
        Budget.parse(text)
    assert Budget.parse("steps=0") == Budget(steps=0)


@each_row("value", ["5", None, 1.5, True])
def test_a_field_of_another_type(value: object) -> None:
    with raises(TypeError, "argument-type", name="budget steps"):
        Budget(steps=value)  # type: ignore[arg-type]


@each_row("text", ["memory=" + "9" * 5000, "steps=" + "9" * 5000, "9" * 400 + "x", "steps=2000000000000M"])
def test_more_than_a_budget_takes(text: str) -> None:
    with raises(ValueError, "budget-too-large"):
        Budget.parse(text)


def test_the_largest_budget() -> None:
    assert Budget.parse("steps=1000000000G") == Budget(steps=10**18)
    assert Budget(seconds=float("inf")).meter("a search").left == Budget().steps
    for value in (10**18 + 1, 10**5000):  # Python does not convert an integer this long to a string
        with raises(ValueError, "budget-too-large", name="steps"):
            Budget(steps=value)
    with raises(ValueError, "argument-value", name="budget steps", value="negative"):
        Budget(steps=-(10**5000))


def test_invalid_budgets_are_quoted_briefly() -> None:
    with raises(ValueError, "budget-unknown"):
        Budget.parse("9" * 5000 + "?")


def test_a_negative_field() -> None:
    with raises(ValueError, "argument-value", name="budget memory", value=-1):
        Budget(memory=-1)
