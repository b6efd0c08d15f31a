"""Why the rejected texts of a column are rejected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from abnforge.columns.arrays import (
    Array,
    Layout,
    column_argument,
    in_characters,
    layout_of,
    rule_argument,
    texts_of,
)
from abnforge.columns.selecting import taken
from abnforge.columns.threads import threads_argument
from abnforge.columns.verdicts import matches, rejected_rows
from abnforge.engine.rule import Rule

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
    :class:`~abnforge.Rejection`: offsets count code points, of octets octets; ``found`` is ``\\xFF`` for an
    octet that is not UTF-8. Missing texts are not rejected.
    Arguments and errors are those of :func:`matches`. Cost: that of ``matches``, and of ``rule.explain`` for
    each text that is rejected; of texts that come again, and of a dictionary's values, once.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    column = column_argument(array)
    verdicts = (matches(judged, chunk, count) for chunk in column.chunks)
    return explained(judged, column.chunks, verdicts, suggest)


def explained(rule: Rule, chunks: Iterable[Array], verdicts: Iterable[Array], suggest: bool) -> Array:
    """The rejections of what the verdicts say is rejected."""
    known: dict[str | bytes, int] = {}
    told: list[dict[str, Any]] = []  # each once
    rows: list[int] = []
    which: list[int] = []
    first = 0
    for chunk, judged in zip(chunks, verdicts, strict=True):
        wrong = rejected_rows(judged)
        rows += (first + row for row in wrong.to_pylist())
        first += len(chunk)
        texts, layout = taken(chunk, wrong), layout_of(chunk.type)
        if pa.types.is_dictionary(texts.type):
            texts = taken(texts.dictionary, texts.indices)
        if layout is None:  # of texts that are all missing none is wrong
            continue
        for text in texts_of(texts):
            assert text is not None
            if text not in known:
                if len(known) >= MOST_KEPT:
                    known.clear()
                known[text] = len(told)
                told.append(_told(rule, text, layout, suggest))
            which.append(known[text])
    fields = taken(pa.array(told, REJECTION), pa.array(which, pa.int64())).flatten()
    return pa.StructArray.from_arrays([pa.array(rows, pa.int64()), *fields[1:]], fields=list(REJECTION))


def _told(rule: Rule, text: str | bytes, layout: Layout, suggest: bool) -> dict[str, Any]:
    rejection = rule.explain(text, suggest=suggest)
    assert rejection is not None, "the lanes disagree"
    start, end = rejection.blamed
    suggestion = rejection.suggestion
    return {
        "code": rejection.code,
        "rule": rejection.rule,
        "offset": in_characters(text, rejection.offset, layout),
        "found": _found(rejection.found),
        "section": rejection.section,
        "start": in_characters(text, start, layout),
        "end": in_characters(text, end, layout),
        "message": rejection.message,
        "suggestion": None if suggestion is None else suggestion.text,
    }


def _found(char: str | None) -> str | None:
    """The character that stands there; ``\\xFF`` for an octet that is not UTF-8, and so no character."""
    if char is None or not "\udc80" <= char <= "\udcff":
        return char
    return f"\\x{ord(char) & 0xFF:02X}"
