"""Strings in, outcomes out: what every verb that judges strings shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from abnforge.cli.common.inputs import Record, Unreadable
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.rejection import Rejection

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


class Explains(Protocol):
    """What is needed of a rule."""

    def explain(self, text: str, *, suggest: bool = ..., engine: str = ...) -> Rejection | None: ...


Mask = Callable[[str], str]


def judge(
    records: Iterable[Record],
    rule: Explains,
    target: Target,
    *,
    engine: str = "auto",
    suggest: bool = True,
    mask: Mask | None = None,
) -> Iterator[Outcome]:
    """Each record's outcome, one at a time. ``mask`` keeps a text's length and hides a part of it."""
    for record in records:
        if isinstance(record, Unreadable):
            if mask is not None:
                record = replace(record, shown=mask(record.shown))
            yield Outcome(record, target)
            continue
        judged = record.text
        rejection = rule.explain(judged, suggest=suggest, engine=engine)
        if mask is not None and (hidden := mask(judged)) != judged:
            record = replace(record, text=hidden)
            if rejection is not None:
                masked = rule.explain(hidden, suggest=suggest, engine=engine)
                rejection = _without_secrets(rejection, masked, hidden)
        yield Outcome(record, target, rejection, judged)


def _without_secrets(rejection: Rejection, masked: Rejection | None, hidden: str) -> Rejection:
    """The rejection with nothing of what the mask hides: messages and suggestions quote the input.

    ``masked`` is the explanation of the masked text; it serves when it is about the same place.
    """
    if masked is not None and masked.offset == rejection.offset:
        return masked
    return replace(
        rejection,
        input=hidden,
        found=hidden[rejection.offset : rejection.offset + 1] or None,
        message="the string is rejected here (more would show the password)",
        hypotheses=(),
        suggestion=None,
    )


def matcher(rule: Rule, engine: str) -> Callable[[str], bool]:
    """The quickest way to a rule's verdict in an engine."""
    if engine != "auto":
        return partial(rule.matches, engine=engine)
    return rule.matches


class Judged(Protocol):
    """What became of a record."""

    @property
    def valid(self) -> bool: ...


J = TypeVar("J", bound=Judged)


class Tally:
    """Counts what became of records, on its way to a report; ends with the ``limit``-th that is not valid."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.records = 0
        self.rejected = 0

    @property
    def full(self) -> bool:
        """Whether as many were not valid as there may be."""
        return self.rejected == self.limit

    def count(self, judged: Iterable[J]) -> Iterator[J]:
        """The same, counted."""
        for each in judged:
            self.records += 1
            self.rejected += not each.valid
            yield each
            if self.full:
                return
