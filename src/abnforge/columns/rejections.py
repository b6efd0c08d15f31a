"""Why the rejected texts of a column are rejected, and columns parted into accepted rows and rejects."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.arguments import plain_argument
from abnforge.columns.arrays import Array, column_argument, rule_argument
from abnforge.columns.verdicts import matches
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection

# What is told of a reject. ``row`` counts from 0 over all chunks.
FIELDS: list[tuple[str, Any]] = [
    ("row", pa.int64()),
    ("code", pa.string()),
    ("rule", pa.string()),
    ("offset", pa.int64()),
    ("found", pa.string()),
    ("section", pa.string()),
    ("start", pa.int64()),
    ("end", pa.int64()),
    ("message", pa.string()),
    ("suggestion", pa.string()),
]
REJECTION = pa.struct(FIELDS)

# Texts whose rejections are kept: a pipeline meets the same wrong text again and again.
MOST_KEPT = 10_000


def rejections(rule: Rule | str, array: object, suggest: bool = False, threads: int | None = None) -> Array:
    """Why texts are rejected: a StructArray with a row for each rejected text, in order.

    ``row`` is which text of the array it is; ``start`` and ``end`` are what its mistake is about, and
    ``suggestion`` is a nearby valid text, where ``suggest`` asks for one and there is one. All else is as in
    :class:`~abnforge.Rejection`: offsets count code points, of octets octets. Missing texts are not rejected.
    Errors are those of :func:`matches`. Cost: that of ``matches``, and of ``rule.explain`` for each text that
    is rejected, texts that come again once.
    """
    judged = rule_argument(rule)
    chunks, _ = column_argument(array)
    found: list[dict[str, Any]] = []
    known: dict[str | bytes, dict[str, Any]] = {}
    first = 0
    for chunk in chunks:
        wrong = pc.invert(matches(judged, chunk, threads))
        rows = pc.indices_nonzero(wrong)
        for row, text in zip(rows.to_pylist(), chunk.take(rows).to_pylist(), strict=True):
            if text not in known:
                if len(known) >= MOST_KEPT:
                    known.clear()
                known[text] = _told(judged, text, suggest)
            found.append({"row": first + row, **known[text]})
        first += len(chunk)
    return pa.array(found, REJECTION)


def split(rule: Rule | str, batch: object, column: str, suggest: bool = False) -> tuple[Any, Any]:
    """A table parted into ``(accepted, rejects)`` by the texts of one of its columns.

    ``batch`` is a pyarrow RecordBatch or Table, or anything with the Arrow PyCapsule interface; both parts
    are of pyarrow's type. Rows whose text is missing are accepted. Rejects keep all columns and have one
    more, ``_reject``: a list with the row's rejection, as :func:`rejections` tells it, in which ``row`` is
    the row of the batch. Raises KeyError for a column that there is not, ValueError for a batch that has a
    ``_reject`` already, and otherwise as :func:`rejections`.
    """
    table = batch if isinstance(batch, pa.RecordBatch | pa.Table) else _table(batch)
    name = plain_argument(column, "column")
    if name not in table.column_names:
        raise KeyError(f"there is no column {name!r}; there are {', '.join(map(repr, table.column_names))}")
    if "_reject" in table.column_names:
        raise ValueError("the batch has a column '_reject': rename it, or take it out, before it is split")
    judged = rule_argument(rule)
    texts = table.column(name)
    told = rejections(judged, texts, suggest)
    rows = told.field("row")
    accepted = table.filter(pc.fill_null(matches(judged, texts), True))
    rejects = table.take(rows)
    ends = pa.array(range(len(told) + 1), pa.int32())
    return accepted, rejects.append_column("_reject", pa.ListArray.from_arrays(ends, told))


def _table(batch: object) -> Any:
    if not hasattr(batch, "__arrow_c_stream__"):
        kind = type(batch).__name__
        raise TypeError(
            f"batch is a RecordBatch or a Table, or has the Arrow PyCapsule interface, not {kind}"
        )
    return pa.table(batch)


def _told(rule: Rule, text: str | bytes, suggest: bool) -> dict[str, Any]:
    rejection = rule.explain(text, suggest=suggest)
    assert rejection is not None, "the lanes disagree"
    return _plain(rejection)


def _plain(rejection: Rejection) -> dict[str, Any]:
    start, end = rejection.blamed
    suggestion = rejection.suggestion
    return {
        "code": rejection.code,
        "rule": rejection.rule,
        "offset": rejection.offset,
        "found": rejection.found,
        "section": rejection.section,
        "start": start,
        "end": end,
        "message": rejection.message,
        "suggestion": None if suggestion is None else suggestion.text,
    }
