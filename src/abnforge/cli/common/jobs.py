"""Explanations of records, by this process or by several, in the records' order."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.cli.common.inputs import Item, Record
from abnforge.errors import LimitExceeded
from abnforge.rejection import Rejection

with lazy:
    from concurrent import futures

if TYPE_CHECKING:
    from concurrent.futures import Future

# Records that are handed to a process at once, and how many times as many wait for each.
BATCH = 100
WAITING = 3

# Texts whose answers are kept: an answer takes long to travel, and what is wrong comes again.
MOST_KEPT = 4_000

# What becomes of a text; LimitExceeded where the budget ran out. Of what is no text, None.
Answer = Rejection | LimitExceeded | None
Explain = Callable[[str], Rejection | None]

# Who answers a text, and which of the answers it is.
Asked = tuple["Future[list[Answer]]", int]


def explained(records: Iterable[Record], explain: Explain, jobs: int = 1) -> Iterator[tuple[Record, Answer]]:
    """Each record with its answer. With several ``jobs``, so many processes answer, and ``explain`` travels
    to each of them; records are taken some hundreds ahead.
    """
    if jobs == 1:
        for record in records:
            yield record, _answer(explain, record.text) if isinstance(record, Item) else None
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
                        [each.text for each in batch if isinstance(each, Item) and each.text not in asked]
                    )
                )
                if new:
                    future = pool.submit(_answers, new)
                    asked.update((text, (future, place)) for place, text in enumerate(new))
                waiting.append(
                    [(each, asked[each.text] if isinstance(each, Item) else None) for each in batch]
                )
                if len(waiting) > WAITING * jobs:
                    yield from _told(waiting.popleft())
            while waiting:
                yield from _told(waiting.popleft())
        finally:  # whoever wanted the answers may have enough of them
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is told to the process that has asked
    _explain = explain


def _answers(texts: list[str]) -> list[Answer]:
    return [_answer(_explain, text) for text in texts]
