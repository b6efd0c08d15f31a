"""Strings in, outcomes out: what every verb that judges strings shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from abnforge.cli.common.inputs import Item, Record, Unreadable
from abnforge.rejection import Rejection

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.uri.security import SecurityFinding


class Explains(Protocol):
    """What is needed of a rule."""

    def explain(self, text: str, *, suggest: bool = ..., engine: str = ...) -> Rejection | None: ...


@dataclass(frozen=True, slots=True)
class Target:
    """What strings are judged by, for those who report on it."""

    grammar: str
    rule: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A record and its verdict: valid, rejected, or no string to judge at all.

    ``record`` and ``rejection`` may be shown; ``judged`` is the string as it came in, with nothing masked.
    ``security`` is what ``--security`` found in a valid one.
    """

    record: Record
    target: Target
    rejection: Rejection | None = None
    judged: str = ""
    security: tuple[SecurityFinding, ...] = ()

    @property
    def valid(self) -> bool:
        return self.rejection is None and isinstance(self.record, Item)

    @property
    def code(self) -> str:
        """``valid``, ``rejected``, or the :class:`Unreadable`'s code."""
        if isinstance(self.record, Unreadable):
            return self.record.code
        return "valid" if self.rejection is None else "rejected"

    @property
    def message(self) -> str:
        if isinstance(self.record, Unreadable):
            return self.record.message
        return "" if self.rejection is None else self.rejection.message

    @property
    def shown(self) -> str:
        """The string, or as much of an unreadable line as can be shown."""
        return self.record.shown if isinstance(self.record, Unreadable) else self.record.text

    @property
    def blamed(self) -> tuple[int, int]:
        """The span of ``shown`` that a person would call the mistake."""
        if isinstance(self.record, Unreadable):
            return self.record.start, self.record.end
        return (0, 0) if self.rejection is None else blamed(self.rejection)

    def to_dict(self) -> dict[str, Any]:
        """``source``, ``line``, ``valid``, then the rejection's keys.

        A valid string has ``grammar``, ``rule`` and ``input`` of them, and ``security`` when there are
        findings about it. A line that is no string has them all,
        with ``input`` null, and beside them ``error`` (``not-utf-8``, ``line-too-long``) and ``offset_unit``
        (``bytes``: its ``offset`` counts bytes).
        """
        head = {"source": self.record.source, "line": self.record.line, "valid": self.valid}
        if isinstance(self.record, Unreadable):
            blank = Rejection(
                self.target.grammar,
                self.target.rule,
                "",
                self.record.offset,
                None,
                (),
                (),
                None,
                self.record.message,
            )
            extra = {"input": None, "error": self.record.code, "offset_unit": "bytes"}
            return {**head, **blank.to_dict(), **extra}
        if self.rejection is not None:
            return {**head, **self.rejection.to_dict()}
        found = {"security": [each.to_dict() for each in self.security]} if self.security else {}
        return {
            **head,
            "grammar": self.target.grammar,
            "rule": self.target.rule,
            "input": self.record.text,
            **found,
        }


def blamed(rejection: Rejection) -> tuple[int, int]:
    """The span that the best hypothesis blames; without hypotheses, the exact offset."""
    if rejection.hypotheses:
        best = rejection.hypotheses[0]
        return best.offset, best.end
    return rejection.offset, rejection.offset


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
