"""Why texts are rejected, told by this process or by several: nothing else of a job takes as long.

Processes are started when the first part has many rejects, and answers come back in the order of the
questions, so that what is written does not depend on how many there are. They end with the process that
asked, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any

import pyarrow as pa

from abnforge import columns
from abnforge.columns.arrays import texts_of
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.ingest.parts import Array
from abnforge.late import importing
from abnforge.rejection import UNDECIDED

# Texts that one process is asked about at once, and how many there must be for it to be worth starting some.
BATCH = 2_000
MANY = 4_000

FIELDS = ("code", "rule", "offset", "message", "section", "suggestion", "start", "end")

Told = list[tuple[Any, ...]]  # for each text what FIELDS say
Answer = Callable[[], Told]  # waits for it


class Explainer:
    """Explains texts that rules reject; to be closed. Of ``jobs`` processes one is this, which reads and
    writes meanwhile.
    """

    def __init__(self, rules: Sequence[Rule], suggest: bool, jobs: int) -> None:
        self._rules = rules
        self._suggest = suggest
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None

    def ask(self, number: int, texts: Array) -> Answer:
        """Why texts are rejected, by the rule of that number."""
        if self._jobs == 1 or (self._pool is None and len(texts) < MANY):
            told = explained(self._rules[number], texts, self._suggest)
            return lambda: told
        if self._pool is None:
            self._pool = self._started()
        pool = self._pool
        pieces = [texts.slice(at, BATCH) for at in range(0, len(texts), BATCH)]
        try:
            futures = [pool.submit(_answer, number, _packed(piece)) for piece in pieces]
        except BrokenProcessPool:
            self._jobs = 1
            return self.ask(number, texts)

        def answer() -> Told:
            try:
                return [each for future in futures for each in future.result()]
            except BrokenProcessPool:  # a process was killed
                self._jobs = 1
                return explained(self._rules[number], texts, self._suggest)

        return answer

    def _started(self) -> ProcessPoolExecutor:
        with importing:
            context = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(self._jobs - 1, context, _begin, (tuple(self._rules), self._suggest))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def explained(rule: Rule, texts: Array, suggest: bool) -> Told:
    """Why each of some texts is rejected, all of which are. One that the budget does not suffice for is told
    to be undecided.
    """
    try:
        found = columns.rejections(rule, texts, suggest=suggest, threads=1)
    except LimitExceeded:
        if len(texts) == 1:
            raise
        return [each for at in range(len(texts)) for each in _alone(rule, texts.slice(at, 1), suggest)]
    fields = [found.field(name).to_pylist() for name in FIELDS]
    told = list(zip(*fields, strict=True))
    assert len(told) == len(texts), "the lanes disagree"
    return told


def _alone(rule: Rule, text: Array, suggest: bool) -> Told:
    try:
        return explained(rule, text, suggest)
    except LimitExceeded as limit:
        return [undecided(rule, limit)]


def undecided(rule: Rule, limit: LimitExceeded) -> tuple[Any, ...]:
    """What is told of a text that the budget does not suffice for."""
    return (UNDECIDED, rule.name, None, f"not decided: {limit.message}", None, None, 0, 0)


def judged(rule: Rule, texts: Array) -> tuple[Array, dict[int, tuple[Any, ...]]]:
    """The verdicts on texts; those that the budget does not suffice for are not valid, and told."""
    try:
        return columns.matches(rule, texts), {}
    except LimitExceeded:
        pass
    told: dict[int, tuple[Any, ...]] = {}
    verdicts: list[bool | None] = []
    for at, text in enumerate(texts_of(texts)):
        try:
            verdicts.append(None if text is None else rule.matches(text))
        except LimitExceeded as limit:
            verdicts.append(False)
            told[at] = undecided(rule, limit)
    return pa.array(verdicts, pa.bool_()), told


def processors() -> int:
    """How many processes can work at once here."""
    available: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def give_memory_back() -> None:
    """Have this process allocate columns by jemalloc, where pyarrow has it and nobody chose another. The
    usual one, mimalloc, keeps a hundred megabytes more of what parts have let go of.
    """
    if _POOL not in os.environ and "jemalloc" in pa.supported_memory_backends():
        pa.set_memory_pool(pa.jemalloc_memory_pool())


_POOL = "ARROW_DEFAULT_MEMORY_POOL"  # pyarrow's own


def _packed(texts: Array) -> bytes:
    """Texts as octets: what is sliced would travel as a whole."""
    batch = pa.RecordBatch.from_arrays([texts], ["t"])
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, batch.schema) as writer:
        writer.write(batch)
    octets: bytes = buffer.getvalue().to_pybytes()
    return octets


# ---- in the other processes ----


@cache
def _known() -> dict[str, Any]:
    return {}


def _begin(rules: Sequence[Rule], suggest: bool) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # told to the process that has asked
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    pa.set_cpu_count(1)
    give_memory_back()
    _known().update(rules=rules, suggest=suggest)


def _end_with(parent: Any) -> None:
    """Whoever asked may be killed, and says nothing then."""
    parent.join()
    os._exit(1)


def _answer(number: int, packed: bytes) -> Told:
    with pa.ipc.open_stream(packed) as reader:
        texts = reader.read_next_batch().column(0)
    return explained(_known()["rules"][number], texts, _known()["suggest"])
