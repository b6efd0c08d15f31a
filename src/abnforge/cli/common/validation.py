"""Validate strings, in one process or several, and count the results."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from abnforge._lazy import lazy
from abnforge._native import compiled
from abnforge.charset import BYTES
from abnforge.cli.common.inputs import UNDECIDED, Lines, Record, StringRecord, Unreadable
from abnforge.cli.common.lines import WORDS, Newline, advice
from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.output import note
from abnforge.cli.common.security import Mask, masked_like, masked_record, masked_rejection
from abnforge.errors import LimitExceeded
from abnforge.rejection import Rejection

if TYPE_CHECKING:
    from concurrent.futures import Future

    from abnforge.engine.rule import Rule


with lazy:
    from concurrent import futures


# Number of records per call of a process, and number of waiting calls per process.
BATCH = 100
WAITING = 3

# Number of cached results: sending a string takes long, and mistakes recur.
MOST_KEPT = 4_000

# None for a valid string and an unreadable record; LimitExceeded beyond the budget
Answer = Rejection | LimitExceeded | None
Explain = Callable[[str], Rejection | None]

# the call that explains a string, and the index of the result
Asked = tuple["Future[list[Answer]]", int]


def explained(records: Iterable[Record], explain: Explain, jobs: int = 1) -> Iterator[tuple[Record, Answer]]:
    """Yield each record with its result. With several ``jobs``, that many processes explain strings.

    ``explain`` is sent to each process, and a few hundred records are read ahead.
    """
    if jobs == 1:
        for record in records:
            yield record, _answer(explain, record.text) if isinstance(record, StringRecord) else None
    else:
        yield from _by_processes(iter(records), explain, jobs)


def _by_processes(records: Iterator[Record], explain: Explain, jobs: int) -> Iterator[tuple[Record, Answer]]:
    asked: dict[str, Asked] = {}
    waiting: deque[list[tuple[Record, Asked | None]]] = deque()
    with futures.ProcessPoolExecutor(jobs, initializer=_begin, initargs=(explain,)) as pool:
        try:
            while batch := list(islice(records, BATCH)):
                if len(asked) >= MOST_KEPT:
                    asked.clear()
                new = list(
                    dict.fromkeys(
                        [
                            each.text
                            for each in batch
                            if isinstance(each, StringRecord) and each.text not in asked
                        ]
                    )
                )
                if new:
                    future = pool.submit(_answers, new)
                    asked.update((text, (future, place)) for place, text in enumerate(new))
                waiting.append(
                    [(each, asked[each.text] if isinstance(each, StringRecord) else None) for each in batch]
                )
                if len(waiting) > WAITING * jobs:
                    yield from _told(waiting.popleft())
            while waiting:
                yield from _told(waiting.popleft())
        finally:  # the caller may stop early
            pool.shutdown(cancel_futures=True)


def _told(batch: list[tuple[Record, Asked | None]]) -> Iterator[tuple[Record, Answer]]:
    for record, asked in batch:
        yield record, None if asked is None else asked[0].result()[asked[1]]


def _answer(explain: Explain, text: str) -> Answer:
    try:
        return explain(text)
    except LimitExceeded as limit:
        return limit


# ---- in the other processes ----

_explain: Explain


def _begin(explain: Explain) -> None:
    global _explain
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles the signal
    _explain = explain


def _answers(texts: list[str]) -> list[Answer]:
    return [_answer(_explain, text) for text in texts]


class LineEndAdvice:
    """Collects rejected line endings from outcomes, and reports them at the end."""

    def __init__(self) -> None:
        self._seen: dict[Newline, list[str]] = {}  # the files that need each conversion

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes unchanged. Cost: constant for each."""
        for outcome in outcomes:
            rejection = outcome.rejection
            if rejection is not None and outcome.record.whole:
                admitted = (each.chars for each in rejection.expected)
                newline = advice(outcome.judged, rejection.offset, admitted)
                if newline is not None:
                    self._seen.setdefault(newline, []).append(outcome.record.source)
            yield outcome

    def tell(self) -> None:
        """Write a note for each conversion of line endings that would have helped."""
        for newline, sources in self._seen.items():
            actual = WORDS["lf" if newline == "crlf" else "crlf"]
            more = f" (and {len(sources) - 1:,} more)" if len(sources) > 1 else ""
            note(
                message(
                    "line-ends-differ",
                    source=sources[0],
                    more=more,
                    expected=WORDS[newline],
                    found=actual,
                    option=newline,
                )
            )


class Explains(Protocol):
    """The required interface of a rule."""

    def explain(
        self, text: str, *, suggest: bool = ..., hypotheses: int = ..., engine: str = ...
    ) -> Rejection | None: ...


def validate_records(
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
    """Yield the outcome of each record, in order. ``jobs`` is the number of processes.

    ``mask`` hides characters of a string, and keeps its length. A string that exceeds the budget is
    undecided, and the next record follows.
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


def _undecided(record: StringRecord, shown: Record, limit: LimitExceeded) -> Unreadable:
    return Unreadable(
        record.source,
        record.line,
        UNDECIDED,
        f"not decided: {limit.message}",
        0,
        shown.text if isinstance(shown, StringRecord) else "",
        begins=record.begins,
        whole=record.whole,
        newline=record.newline,
    )


class _Remembered:
    """A cache of explanations: in a file, the same wrong string often recurs."""

    MOST_TEXTS = 4_000
    MOST_CHARACTERS = 1_000  # maximum length of a cached string

    def __init__(self, explain: Callable[[str], Rejection | None]) -> None:
        self._explain = explain
        self._known: dict[str, Rejection | None] = {}

    def __call__(self, text: str) -> Rejection | None:
        try:
            return self._known[text]
        except KeyError:
            rejection = self._explain(text)
        if len(text) <= self.MOST_CHARACTERS:
            if len(self._known) >= self.MOST_TEXTS:
                self._known.clear()
            self._known[text] = rejection
        return rejection


def matcher(rule: Rule, engine: str) -> Callable[[str], bool]:
    """Return the fastest function for a rule's verdict in an engine."""
    if engine != "auto":
        return partial(rule.matches, engine=engine)
    return rule.matches


def lines_matcher(rule: Rule, engine: str) -> Lines | None:
    """Return the fastest function for the verdicts on a block of lines; None if there is none."""
    if engine != "auto":
        return None
    table = rule.grammar.compilation.table(rule.key, of_bytes=rule.grammar.alphabet == BYTES)
    if table is None:
        return None
    lines = compiled.lines
    return lambda block, skip_empty: lines(table, block, ord("\n"), skip_empty)


class Judged(Protocol):
    """The result for a record."""

    @property
    def valid(self) -> bool: ...


J = TypeVar("J", bound=Judged)


class Tally:
    """Counts results on their way to a report, and stops at rejection number ``limit``.

    ``undecided`` results, which exceeded the budget, are not ``rejected``.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.records = 0
        self.rejected = 0
        self.undecided = 0

    @property
    def full(self) -> bool:
        """Return whether the limit of rejections is reached."""
        return self.rejected == self.limit

    def count(self, judged: Iterable[J]) -> Iterator[J]:
        """Yield the results, counted."""
        for each in judged:
            self.records += 1
            if isinstance(each, Outcome) and each.undecided:
                self.undecided += 1
            else:
                self.rejected += not each.valid
            yield each
            if self.full:
                return
