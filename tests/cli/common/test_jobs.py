"""Answers of several processes are those of one, in the same order."""

from __future__ import annotations

from itertools import count, islice

import abnforge
from abnforge.cli.common.inputs import Item, Record, decode
from abnforge.cli.common.jobs import BATCH, WAITING, explained
from abnforge.errors import LimitExceeded
from abnforge.rejection import Rejection

TEXTS = [f"http://h/{number}" + (" " if number % 3 else "") for number in range(2 * BATCH + 7)]


def explain(text: str) -> Rejection | None:
    """What travels to another process: a function of a module, or what pickles."""
    if text == "too much":
        raise LimitExceeded("too much", operation="reading it", used=2, limit=1, setting="budget.steps")
    return abnforge.load("rfc3986")["URI"].explain(text)


def records(texts: list[str]) -> list[Record]:
    return [Item("f", number, text) for number, text in enumerate(texts, 1)]


def test_order_and_answers() -> None:
    asked = [*records(TEXTS), decode(b"\xff", "f", 0)]
    alone, beside = list(explained(asked, explain)), list(explained(asked, explain, 2))
    assert beside == alone
    assert [record for record, _ in beside] == asked
    assert sum(answer is not None for _, answer in beside) == sum(" " in text for text in TEXTS)
    assert beside[-1][1] is None


def test_where_the_budget_ends() -> None:
    found = [answer for _, answer in explained(records(["a:b", "too much", "a b"]), explain, 2)]
    assert found[0] is None
    assert isinstance(found[1], LimitExceeded)
    assert isinstance(found[2], Rejection)


def test_who_has_enough_leaves() -> None:
    """Records are taken ahead, but not without end."""
    taken = []

    def endless():  # type: ignore[no-untyped-def]
        for number in count(1):
            taken.append(number)
            yield Item("f", number, "a b")

    answers = explained(endless(), explain, 2)
    assert [record.line for record, _ in islice(answers, 3)] == [1, 2, 3]
    answers.close()
    assert len(taken) <= (2 * WAITING + 1) * BATCH


def test_what_comes_again_is_asked_once() -> None:
    """A text has one answer, however often it comes, until too many are known."""
    texts = ["a b", "c d"] * BATCH + TEXTS
    beside = [answer for _, answer in explained(records(texts), explain, 2)]
    assert beside == [answer for _, answer in explained(records(texts), explain)]
    assert all(answer is beside[number % 2] for number, answer in enumerate(beside[: 2 * BATCH]))
