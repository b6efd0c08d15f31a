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
from abnforge.columns.fields import COLUMN_REJECTION, fields_of, filled, without
from abnforge.columns.selecting import kept_rows, taken
from abnforge.columns.tables import REJECT
from abnforge.engine.rule import Rule

# ``row`` is left out: it would count the rows of a batch, and where batches begin is Spark's affair.
TOLD = without(COLUMN_REJECTION, "row")

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


def accepted_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """The accepted rows of each batch, as they are."""
    rules, _ = received(octets)
    for batch in batches:
        good = None
        for verdicts in columns.judge(rules, batch, threads=1).columns:
            valid = pc.fill_null(verdicts, True)
            good = valid if good is None else pc.and_(good, valid)
        yield kept_rows(batch, good)


def rejected_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """The rejected rows of each batch, with the reasons."""
    rules, suggest = received(octets)
    for batch in batches:
        _, rejects = columns.split(rules, batch, suggest=suggest, threads=1)
        *values, told = rejects.columns
        yield _batch([*values, _reasons(told)], batch.schema)


def marked_rows(octets: bytes, batches: Batches) -> Iterator[Batch]:
    """All rows of each batch, with the reasons where there are some."""
    rules, suggest = received(octets)
    for batch in batches:
        # Rows that are kept need not be gathered: reasons go back to where they belong.
        _, rejects = columns.split(rules, batch.select(list(rules)), suggest=suggest, threads=1)
        told = rejects.column(REJECT)
        places: list[int | None] = [None] * batch.num_rows
        for place, row in enumerate(_first_rows(told)):
            places[row] = place
        yield _batch([*batch.columns, taken(_reasons(told), pa.array(places, pa.int64()))], batch.schema)


def _first_rows(told: Any) -> list[int]:
    """Of each list of rejections, none of which is empty, the row that it is about."""
    rows: list[int] = told.values.field("row").take(told.offsets[:-1]).to_pylist()
    return rows


def _reasons(told: Any) -> Any:
    """Lists of rejections without their numbers of rows."""
    fields = fields_of(told.values)
    del fields["row"]
    return pa.ListArray.from_arrays(told.offsets, filled(TOLD, len(told.values), fields))


def _batch(values: list[Any], schema: Any) -> Batch:
    return pa.RecordBatch.from_arrays(values, [*schema.names, REJECT])
