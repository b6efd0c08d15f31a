"""Verdicts on texts, and why they are rejected, as jobs need them: a text that the budget does not suffice
for ends none.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from abnforge import columns
from abnforge.columns.arrays import column_argument, texts_of
from abnforge.columns.selecting import taken
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.ingest.parts import Array
from abnforge.rejection import UNDECIDED

FIELDS = ("code", "rule", "offset", "message", "section", "suggestion", "start", "end", "found")

Told = list[tuple[Any, ...]]  # for each text what FIELDS say


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
    return (UNDECIDED, rule.name, None, f"not decided: {limit.message}", None, None, None, None, None)


def judged(rule: Rule, texts: Array, threads: int | None = None) -> tuple[Array, dict[int, tuple[Any, ...]]]:
    """The verdicts on texts; those that the budget does not suffice for are not valid, and told."""
    try:
        return columns.matches(rule, texts, threads), {}
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


def one_by_one(texts: Array) -> Array:
    """Texts of a column as they are, out of dictionaries, runs and other types' storage."""
    [stored] = column_argument(texts).chunks
    return taken(stored.dictionary, stored.indices) if pa.types.is_dictionary(stored.type) else stored


def processors() -> int:
    """How many threads can work at once here."""
    available: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1
