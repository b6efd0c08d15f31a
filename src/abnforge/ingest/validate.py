"""Validate the columns of a batch, and explain why rows are rejected."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from abnforge import columns
from abnforge.charset import BYTES
from abnforge.columns.arrays import column_argument, layout_of, take, texts_of
from abnforge.columns.fields import RowError
from abnforge.columns.rejections import found_text
from abnforge.columns.warnings import has_warnings
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.ingest.batch import Array, Batch, Column, Texts, element
from abnforge.ingest.messages import message
from abnforge.rejection import NOT_TEXT, NULL, UNDECIDED, Rejection
from abnforge.uri.security import Severity

FIELDS = RowError._fields[1:-2]  # all except the column, the string and the severity

FieldValues = list[tuple[Any, ...]]  # for each string, the values of FIELDS


def explained(rule: Rule, texts: Array, suggest: bool) -> FieldValues:
    """Explain rejected strings. One whose explanation exceeds the budget is reported as undecided."""
    try:
        struct = columns.rejections(rule, texts, suggest=suggest, threads=1)
    except LimitExceeded:
        if len(texts) == 1:
            raise
        return [each for at in range(len(texts)) for each in _alone(rule, texts.slice(at, 1), suggest)]
    fields = [struct.field(name).to_pylist() for name in FIELDS]
    reasons = list(zip(*fields, strict=True))
    assert len(reasons) == len(texts), "the lanes disagree"
    return reasons


def _alone(rule: Rule, text: Array, suggest: bool) -> FieldValues:
    try:
        return explained(rule, text, suggest)
    except LimitExceeded as limit:
        return [undecided(rule, limit)]


def undecided(rule: Rule, limit: LimitExceeded) -> tuple[Any, ...]:
    """Return the fields of a string whose validation exceeded the budget."""
    problem = f"not decided: {limit.message}"
    error = RowError(None, code=UNDECIDED, component=rule.name, rule=rule.name, message=problem)
    return tuple(getattr(error, name) for name in FIELDS)


def verdicts_of(
    rule: Rule, texts: Array, threads: int | None = None
) -> tuple[Array, dict[int, tuple[Any, ...]]]:
    """Validate strings; those that exceed the budget are invalid, with fields in the second result."""
    try:
        return columns.matches(rule, texts, threads), {}
    except LimitExceeded:
        pass
    reasons: dict[int, tuple[Any, ...]] = {}
    verdicts: list[bool | None] = []
    for at, text in enumerate(texts_of(texts)):
        try:
            verdicts.append(None if text is None else rule.matches(text))
        except LimitExceeded as limit:
            verdicts.append(False)
            reasons[at] = undecided(rule, limit)
    return pa.array(verdicts, pa.bool_()), reasons


def decode_dictionary(texts: Array) -> Array:
    """Return the strings of a column without dictionaries, runs and extension types."""
    [stored] = column_argument(texts).chunks
    return take(stored.dictionary, stored.indices) if pa.types.is_dictionary(stored.type) else stored


def _as_bytes(texts: Array) -> Array:
    """Return the UTF-8 of strings as a binary column, for a grammar of bytes; other columns unchanged."""
    layout = layout_of(texts.type)
    if layout is None or layout.octets:
        return texts
    plain = decode_dictionary(texts)
    return plain.cast(pa.binary_view() if plain.type == pa.string_view() else pa.large_binary())


def processors() -> int:
    """Return the number of threads that can run in parallel."""
    available: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


Item = TypeVar("Item")


def ahead(items: Iterator[Item], threads: int) -> Iterator[Item]:
    """Yield the items of an iterator, while a thread computes the next item. Raises the iterator's errors.

    The caller does not wait for the thread if it stops early: a source can be a pipe that stays open. If
    ``threads`` is 1, an item is computed when it is needed.
    """
    if threads == 1:
        yield from items
        return
    end: Any = object()
    wanted: SimpleQueue[bool] = SimpleQueue()
    ready: SimpleQueue[tuple[Item, BaseException | None]] = SimpleQueue()

    def compute() -> None:
        while wanted.get():
            try:
                ready.put((next(items, end), None))
            except BaseException as error:  # raised in the caller's thread
                ready.put((end, error))

    Thread(target=compute, daemon=True).start()
    try:
        wanted.put(True)
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is end:
                return
            wanted.put(True)
            yield item
            del item
    finally:
        wanted.put(False)


_DECAY = 10_000  # milliseconds


def keep_memory_a_while() -> None:
    """Let jemalloc keep freed memory for the next batch.

    By default, jemalloc returns memory after a second, hence between slow batches, which costs a fifth of a
    job's time.
    """
    if pa.default_memory_pool().backend_name == "jemalloc":
        pa.jemalloc_set_decay_ms(_DECAY)


# Limits of the cache of explanations: a pipeline sees the same wrong string repeatedly.
MOST_KEPT = 10_000
LONGEST_KEPT = 1_000


@dataclass(frozen=True)
class Verdicts:
    """The result for each row of a batch.

    ``good`` is a BooleanArray, or None if all rows are valid. ``reasons`` has the errors of rejected rows, in
    row order. ``unexplained`` counts, by column, further rejected rows whose errors were not determined.
    ``warnings`` has the warnings about valid rows, in row order.
    """

    good: Array
    reasons: Mapping[int, list[RowError]]
    unexplained: Mapping[str, int]
    warnings: Mapping[int, list[RowError]] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """The number of rejected rows."""
        return 0 if self.good is None else int(self.good.false_count)


class _Found(NamedTuple):
    """The rows that a column rejects, in order, with their errors, and rows that need no explanation."""

    told: list[tuple[int, RowError]]
    unexplained: Any = ()
    warnings: Sequence[tuple[int, RowError]] = ()


class Redactor(Protocol):
    """An object that hides passwords."""

    def text(self, text: str) -> str:
        """Return a string of the same length with its passwords hidden."""

    def rejection(self, rejection: Rejection) -> Rejection:
        """Return a rejection with its passwords hidden."""


@dataclass(frozen=True)
class Validator:
    """The columns to validate, and how to treat nulls. ``threads`` is the number of threads for verdicts."""

    columns: Sequence[Column]
    reject_nulls: bool
    suggest: bool = False
    redactor: Redactor | None = None
    threads: int | None = None
    null_values: Sequence[str] = ()
    warn: frozenset[str] = frozenset()  # the codes of warnings
    reject_warned: bool = False  # reject rows with warnings and errors about valid URIs
    cache: bool = True  # read and write the tables of warnings on disk
    _known: dict[Column, dict[str | bytes, RowError]] = field(default_factory=dict, init=False, repr=False)

    def validate(self, batch: Batch, most: int | None = None) -> Verdicts:
        """Validate a batch.

        With ``most``, only that many errors of each column are explained. The others are only counted, which
        costs no more than validation.
        """
        reasons = {row: [reason] for row, reason in batch.broken.items()}
        unexplained = {}
        warnings: dict[int, list[RowError]] = {}
        mask = np.ones(batch.rows, np.bool_)
        for column in self.columns:
            rejected = self._column(column, batch, most)
            for row, reason in rejected.told:
                reasons.setdefault(row, []).append(reason)
            for row, warning in rejected.warnings:
                rejects = self.reject_warned and Severity(warning.severity).at_least(Severity.WARNING)
                (reasons if rejects else warnings).setdefault(row, []).append(warning)
            if len(rejected.unexplained):
                unexplained[column.name] = len(rejected.unexplained)
                mask[rejected.unexplained] = False
        rows = sorted(reasons)
        mask[rows] = False
        warnings = {row: warnings[row] for row in sorted(warnings) if mask[row]}
        if not reasons and not unexplained:
            return Verdicts(None, reasons, unexplained, warnings)
        return Verdicts(pa.array(mask), {row: reasons[row] for row in rows}, unexplained, warnings)

    def _column(self, column: Column, batch: Batch, most: int | None) -> _Found:
        texts = self._texts(batch, column)
        errors = self._without_text(column, batch, texts)
        place: Any = _place if column.listed else itemgetter(0)
        verdicts, undecided = verdicts_of(column.rule, texts.values, self.threads)
        warnings = self._warnings(column, texts)
        if not verdicts.false_count:
            return _Found(sorted(errors, key=place), warnings=warnings)
        which = pc.indices_nonzero(pc.invert(verdicts))
        rows = which if texts.rows is None else pc.take(texts.rows, which)
        asked = np.ones(len(which), np.bool_)
        if most is not None:  # undecided strings keep their code
            asked[most:] = np.isin(which.to_numpy()[most:], list(undecided))
        explained = which.filter(pa.array(asked))
        reasons = self._reasons(column, take(texts.values, explained), undecided, explained)
        if texts.indexes is not None:
            indexes = pc.take(texts.indexes, explained).to_pylist()
            reasons = [
                each._replace(column=element(column.name, at))
                for each, at in zip(reasons, indexes, strict=True)
            ]
        errors.extend(zip(rows.filter(pa.array(asked)).to_pylist(), reasons, strict=True))
        return _Found(sorted(errors, key=place), rows.to_numpy()[~asked], warnings)

    def _warnings(self, column: Column, texts: Texts) -> list[tuple[int, RowError]]:
        """Return the warnings about the valid URIs of a column, each with its row."""
        if not self.warn or not has_warnings(column.rule):
            return []
        found = columns.warnings(column.rule, texts.values, self.warn, self.threads, cache=self.cache)
        which = found.field("row")
        plain = texts_of(take(decode_dictionary(texts.values), which))
        rows = (which if texts.rows is None else pc.take(texts.rows, which)).to_pylist()
        names = [column.name] * len(found)
        if texts.indexes is not None:
            names = [element(column.name, index) for index in pc.take(texts.indexes, which).to_pylist()]
        warnings: list[tuple[int, RowError]] = []
        for row, name, text, each in zip(rows, names, plain, found.to_pylist(), strict=True):
            fields = (each[field] for field in FIELDS)
            shown = text.decode() if isinstance(text, bytes) else text
            if self.redactor is not None and shown is not None:
                shown = self.redactor.text(shown)
            warnings.append((row, RowError._make((name, *fields, shown, each["severity"]))))
        return warnings

    def _texts(self, batch: Batch, column: Column) -> Texts:
        """Return the strings of a column; those in ``null_values`` are missing."""
        texts = batch.texts(column)
        if column.rule.grammar.alphabet == BYTES:
            texts = texts._replace(values=_as_bytes(texts.values))
        if not self.null_values or pa.types.is_null(texts.values.type):
            return texts
        values = decode_dictionary(texts.values)
        octets = layout_of(values.type)
        assert octets is not None
        plain = values.cast(pa.large_binary() if octets.octets else pa.large_string())
        missing = pc.is_in(plain, value_set=pa.array(self.null_values, plain.type))
        if (verbatim := batch.is_verbatim(column.plain)) is not None:
            missing = pc.and_(missing, pa.array(verbatim))
        return texts._replace(values=pc.if_else(missing, pa.scalar(None, plain.type), plain))

    def _without_text(self, column: Column, batch: Batch, texts: Texts) -> list[tuple[int, RowError]]:
        """Return an error for each value that is not a string, and for nulls if they are rejected."""
        name, rule = column.name, column.rule.name
        wrong = batch.type_errors(column)
        errors = [
            (row, RowError(element(name, indexes), NOT_TEXT, rule=rule, message=problem))
            for row, problems in wrong.items()
            for problem, indexes in problems
        ]
        if self.reject_nulls and texts.values.null_count:
            missing = pc.indices_nonzero(pc.is_null(texts.values))
            rows = (missing if texts.rows is None else pc.take(texts.rows, missing)).to_pylist()
            names = [name] * len(rows)
            if texts.indexes is not None:
                names = [element(name, at) for at in pc.take(texts.indexes, missing).to_pylist()]
            errors += [
                (row, RowError(each, NULL, rule=rule, message=message("value-missing", column=each)))
                for row, each in zip(rows, names, strict=True)
                if row not in batch.broken and (column.listed or row not in wrong)
            ]
        return errors

    def _reasons(
        self, column: Column, texts: Array, undecided: dict[int, tuple[Any, ...]], which: Array
    ) -> list[RowError]:
        """Return the error of each rejected string. Equal strings are explained once."""
        texts = decode_dictionary(texts)
        plain = texts_of(texts)
        limits: dict[int, RowError] = {}
        if undecided:
            for at, row in enumerate(which.to_pylist()):
                if row in undecided:
                    limits[at] = _row_error(column, undecided[row], plain[at])
        cache = self._known.setdefault(column, {})
        new = {
            text: at
            for at, text in enumerate(plain)
            if text is not None and text not in cache and at not in limits
        }
        if new:
            some = take(texts, pa.array(list(new.values()), pa.int64()))
            cache.update(zip(new, self._explained(column, list(new), some), strict=True))
        reasons = [limits[at] if at in limits else cache[text] for at, text in enumerate(plain)]  # type: ignore[index]
        for text in new:
            if len(text) > LONGEST_KEPT:
                del cache[text]
        if len(cache) > MOST_KEPT:
            cache.clear()
        return reasons

    def _explained(self, column: Column, plain: Sequence[Any], texts: Array) -> list[RowError]:
        """Explain rejected strings without the cache; ``plain`` has them as Python objects."""
        hidden: dict[int, RowError] = {}
        if self.redactor is not None:
            for at, text in enumerate(plain):
                if _may_hide(text, self.redactor):
                    reason = self._hidden(column, text, layout_of(texts.type))
                    if reason is not None:
                        hidden[at] = reason
        if hidden:
            rest = [at for at in range(len(plain)) if at not in hidden]
            texts = take(texts, pa.array(rest, pa.int64()))
        explanations = iter(explained(column.rule, texts, self.suggest) if len(texts) else ())
        return [
            hidden[at] if at in hidden else _row_error(column, next(explanations), text)
            for at, text in enumerate(plain)
        ]

    def _hidden(self, column: Column, text: Any, layout: Any) -> RowError | None:
        """Return the masked error if the string or its suggestion contains a password, else None."""
        assert self.redactor is not None
        shown = text if isinstance(text, str) else text.decode(errors="backslashreplace")
        rejection = column.rule.explain(text, suggest=self.suggest)
        assert rejection is not None
        masked = self.redactor.rejection(rejection)
        if masked == rejection and self.redactor.text(shown) == shown:
            return None
        if layout is not None and layout.octets:
            masked = masked.to_byte_offsets()
        start, end = masked.span
        suggestion = None if masked.suggestion is None else masked.suggestion.text
        found = found_text(masked.found)
        values: dict[str, Any] = {"suggestion": suggestion, "start": start, "end": end, "found": found}
        fields = [values[each] if each in values else getattr(masked, each) for each in FIELDS]
        return _row_error(column, fields, masked.input)


_INDEX = re.compile(r"\[(\d+)\]")


def _place(error: tuple[int, RowError]) -> tuple[int, list[int]]:
    """Return the row of an error, and the indexes of its element in lists."""
    row, reason = error
    return row, [int(index) for index in _INDEX.findall(reason.column or "")]


def _row_error(column: Column, fields: Iterable[Any], text: Any) -> RowError:
    return RowError._make((column.name, *fields, text, "error"))


def _may_hide(text: Any, redactor: Redactor) -> bool:
    """Return whether a value or its suggestion may contain a password."""
    signs: tuple[Any, ...] = ("@", "%40", "\uff20", "\ufe6b", "at]", "at)")
    if isinstance(text, bytes):
        signs = tuple(each.encode() for each in signs)
    if any(each in text for each in signs):
        return True
    shown = text if isinstance(text, str) else text.decode(errors="backslashreplace")
    return redactor.text(shown) != shown
