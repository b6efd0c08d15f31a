"""Code for Spark's workers: batches of rows in, batches of rows out. It does not import Spark.

Rules arrive as bytes: the source or name of a grammar, with its mistakes and its budget. A worker process
compiles them once for all tasks, because the bytes are the same.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge import columns
from abnforge.columns.arrays import filter_table, take
from abnforge.columns.fields import ERRORS, ORIGIN, SOURCE
from abnforge.columns.tables import verdicts_and_rejects
from abnforge.engine.rule import Rule

Batch = Any  # types of pyarrow, which has no annotations
Batches = Iterable[Batch]
Judged = tuple[dict[str, Rule], bool]  # the rule of each column, and whether to suggest corrections


def shipped(rules: dict[str, Rule], suggest: bool) -> bytes:
    """Serialize rules for workers."""
    return pickle.dumps((rules, suggest))


@lru_cache(maxsize=16)
def received(octets: bytes) -> Judged:
    """Deserialize rules, once per process."""
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
        yield filter_table(batch, good)


def rejected_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    rules, suggest = received(octets)
    for batch in batches:
        _, rejects = columns.split(rules, batch, suggest=suggest, threads=1)
        unknown = pa.nulls(len(rejects), SOURCE)  # Spark does not number rows
        yield rejects.set_column(rejects.num_columns - 1, ORIGIN, unknown)


def marked_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """Yield all rows of each batch, with the errors of rejected rows."""
    rules, suggest = received(octets)
    for batch in batches:
        # Rows are not filtered: the errors are moved to their rows.
        good, errors = verdicts_and_rejects(rules, batch, suggest, 1)
        numbers = pc.cumulative_sum(pc.invert(good).cast(pa.int64()))
        places = pc.if_else(good, pa.scalar(None, pa.int64()), pc.subtract(numbers, 1))
        yield pa.RecordBatch.from_arrays(
            [*batch.columns, take(errors, places)], [*batch.schema.names, ERRORS]
        )
