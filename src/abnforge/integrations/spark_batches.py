"""What Spark's workers run: batches of rows in, batches of rows out. Nothing here needs Spark.

Rules arrive as octets: what a grammar is made from, its text or its name, with its mistakes and its budget.
A worker process compiles them once, however many tasks it is given, since these octets are the same.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge import columns
from abnforge.columns.arrays import kept_rows, taken
from abnforge.columns.fields import ERRORS, ORIGIN, SOURCE
from abnforge.columns.tables import verdicts_and_rejects
from abnforge.engine.rule import Rule

Batch = Any  # of pyarrow, which has no types that a checker could read
Batches = Iterable[Batch]
Judged = tuple[dict[str, Rule], bool]  # the rule of each column, and whether suggestions are asked for


def shipped(rules: dict[str, Rule], suggest: bool) -> bytes:
    """Rules as octets that workers make them from again."""
    return pickle.dumps((rules, suggest))


@lru_cache(maxsize=16)
def received(octets: bytes) -> Judged:
    """Rules made again from what :func:`shipped` gave, once in a process."""
    judged: Judged = pickle.loads(octets)
    return judged


def valid_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """Yield the valid rows of each batch, unchanged."""
    rules, _ = received(octets)
    for batch in batches:
        good = None
        for verdicts in columns.judge(rules, batch, threads=1).columns:
            valid = pc.fill_null(verdicts, True)
            good = valid if good is None else pc.and_(good, valid)
        yield kept_rows(batch, good)


def rejected_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    rules, suggest = received(octets)
    for batch in batches:
        _, rejects = columns.split(rules, batch, suggest=suggest, threads=1)
        unknown = pa.nulls(len(rejects), SOURCE)  # Spark does not number rows
        yield rejects.set_column(rejects.num_columns - 1, ORIGIN, unknown)


def marked_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """All rows of each batch, with the reasons where there are some."""
    rules, suggest = received(octets)
    for batch in batches:
        # Rows that are kept need not be gathered: reasons go back to where they belong.
        good, told = verdicts_and_rejects(rules, batch, suggest, 1)
        numbers = pc.cumulative_sum(pc.invert(good).cast(pa.int64()))
        places = pc.if_else(good, pa.scalar(None, pa.int64()), pc.subtract(numbers, 1))
        yield pa.RecordBatch.from_arrays([*batch.columns, taken(told, places)], [*batch.schema.names, ERRORS])
