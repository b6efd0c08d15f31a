"""Strings in, outcomes out: what every verb that judges strings shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from abnforge._native import compiled
from abnforge.cli.common.inputs import UNDECIDED, Item, Lines, Record, Unreadable
from abnforge.cli.common.jobs import explained
from abnforge.cli.common.masking import Mask, masked_like, masked_record, masked_rejection
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.errors import LimitExceeded
from abnforge.rejection import Rejection

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


class Explains(Protocol):
    """What is needed of a rule."""

    def explain(
        self, text: str, *, suggest: bool = ..., hypotheses: int = ..., engine: str = ...
    ) -> Rejection | None: ...


def judge(
    records: Iterable[Record],
    rule: Explains,
    target: Target,
    *,
    engine: str = "auto",
    suggest: bool = True,
    hypotheses: int = 1,
    mask: Mask | None = None,
    jobs: int = 1,
) -> Iterator[Outcome]:
    """Each record's outcome, in order. ``mask`` keeps a text's length and hides a part of it; so many
    ``jobs`` explain at a time.

    Where the budget runs out, the outcome is that nothing is known, and the next record is judged.
    """
    explain = _Remembered(partial(rule.explain, suggest=suggest, hypotheses=hypotheses, engine=engine))
    for record, answer in explained(records, explain, jobs):
        shown = record if mask is None else masked_record(record, mask)
        if isinstance(record, Unreadable):
            yield Outcome(shown, target)
            continue
        if isinstance(answer, LimitExceeded):
            yield Outcome(_undecided(record, shown, answer), target)
            continue
        if answer is not None and mask is not None:
            answer = masked_rejection(answer, mask)
            shown = masked_like(shown, answer)
        yield Outcome(shown, target, answer, record.text)


def _undecided(record: Item, shown: Record, limit: LimitExceeded) -> Unreadable:
    return Unreadable(
        record.source,
        record.line,
        UNDECIDED,
        f"not decided: {limit.message}",
        0,
        shown.text if isinstance(shown, Item) else "",
        begins=record.begins,
        whole=record.whole,
        newline=record.newline,
    )


class _Remembered:
    """Explanations of the texts of one run: in a file a wrong text seldom stands alone."""

    MOST_TEXTS = 4_000
    MOST_CHARACTERS = 1_000  # of a text that is worth keeping

    def __init__(self, explain: Callable[[str], Rejection | None]) -> None:
        self._explain = explain
        self._known: dict[str, Rejection | None] = {}

    def __call__(self, text: str) -> Rejection | None:
        try:
            return self._known[text]
        except KeyError:
            found = self._explain(text)
        if len(text) <= self.MOST_CHARACTERS:
            if len(self._known) >= self.MOST_TEXTS:
                self._known.clear()
            self._known[text] = found
        return found


def matcher(rule: Rule, engine: str) -> Callable[[str], bool]:
    """The quickest way to a rule's verdict in an engine."""
    if engine != "auto":
        return partial(rule.matches, engine=engine)
    return rule.matches


def lines_matcher(rule: Rule, engine: str) -> Lines | None:
    """The same for many lines at once; None where there is nothing that can."""
    table = rule.grammar.compilation.table(rule.key) if engine == "auto" else None
    if table is None:
        return None
    lines = compiled.lines
    return lambda block, skip_empty: lines(table, block, ord("\n"), skip_empty)


class Judged(Protocol):
    """What became of a record."""

    @property
    def valid(self) -> bool: ...


J = TypeVar("J", bound=Judged)


class Tally:
    """Counts what became of records, on its way to a report; ends with the ``limit``-th that is rejected.

    ``undecided`` are those that could not be judged within the budget; they are not ``rejected``.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.records = 0
        self.rejected = 0
        self.undecided = 0

    @property
    def full(self) -> bool:
        """Whether as many were not valid as there may be."""
        return self.rejected == self.limit

    def count(self, judged: Iterable[J]) -> Iterator[J]:
        """The same, counted."""
        for each in judged:
            self.records += 1
            if isinstance(each, Outcome) and each.undecided:
                self.undecided += 1
            else:
                self.rejected += not each.valid
            yield each
            if self.full:
                return
