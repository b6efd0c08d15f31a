"""Why the rejected texts of a column are rejected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import (
    Array,
    Layout,
    column_argument,
    in_characters,
    in_chunks,
    layout_of,
    rule_argument,
    texts_of,
)
from abnforge.columns.fields import REASON, REJECTION, fields_of, filled
from abnforge.columns.messages import message as _message
from abnforge.columns.mistakes import Sentences, told_by_kernel
from abnforge.columns.narrowed import told_of_narrowed
from abnforge.columns.selecting import taken
from abnforge.columns.threads import threads_argument
from abnforge.columns.verdicts import kernel_table, matches, offsets_of, rejected_rows
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of

# Texts whose rejections, or sentences, are kept: a pipeline meets the same wrong text again and again.
MOST_KEPT = 10_000


def rejections(
    rule: Rule | str,
    array: object,
    suggest: bool = False,
    threads: int | None = None,
    message: bool = True,
) -> Array:
    """Why texts are rejected: a StructArray with a row for each rejected text, in order.

    ``row`` is which text of the array it is; ``start`` and ``end`` are what its mistake is about, and
    ``suggestion`` is a nearby valid text, where ``suggest`` asks for one and there is one. ``message=False``
    leaves out the sentences, which take most of the time. All else is as in
    :class:`~abnforge.Rejection`: offsets count code points, of octets octets; ``found`` is ``\\xFF`` for an
    octet that is not UTF-8. Missing texts are not rejected.
    Arguments and errors are those of :func:`matches`. Cost: that of ``matches``, and for each rejected text
    some microseconds, most of them for the sentence; with ``suggest``, without the kernel, and where no
    declared mistake tells why, that of ``rule.explain``, once for texts that come again.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    column = column_argument(array)
    verdicts = (matches(judged, chunk, count) for chunk in column.chunks)
    return explained(judged, column.chunks, verdicts, suggest, message)


def reasons(
    rule: Rule | str,
    array: object,
    suggest: bool = False,
    threads: int | None = None,
    message: bool = True,
) -> Array:
    """The same for each row: a struct, missing where there is nothing to say; in chunks if the array is.

    The fields are those of :func:`rejections` but for ``row``, and so are arguments, errors and cost.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    column = column_argument(array)
    explainer = _Explainer(judged, suggest, message)
    made = (_by_row(explainer, chunk, matches(judged, chunk, count)) for chunk in column.chunks)
    return in_chunks(made, column.chunked, REASON)


def _by_row(explainer: _Explainer, chunk: Array, verdicts: Array) -> Array:
    """What is told of each text of a chunk, missing where it is not rejected."""
    wrong = rejected_rows(verdicts)
    if not len(wrong):
        return pa.nulls(len(chunk), REASON)
    told = explainer.explain(taken(chunk, wrong))
    places = pc.index_in(pa.array(range(len(chunk)), wrong.type), wrong)
    given = {name: pc.take(field, places) for name, field in fields_of(told).items()}
    return filled(REASON, len(chunk), given, mask=places.is_null())


def explained(
    rule: Rule, chunks: Iterable[Array], verdicts: Iterable[Array], suggest: bool, message: bool = True
) -> Array:
    """The rejections of what the verdicts say is rejected."""
    explainer = _Explainer(rule, suggest, message)
    rows: list[Array] = [pa.array([], pa.int64())]
    told: list[Array] = [pa.array([], REASON)]
    first = 0
    for chunk, judged in zip(chunks, verdicts, strict=True):
        wrong = rejected_rows(judged)
        if len(wrong):  # else the texts may all be missing, and of no type
            rows.append(pc.add(wrong.cast(pa.int64()), first))
            told.append(explainer.explain(taken(chunk, wrong)))
        first += len(chunk)
    row = pa.concat_arrays(rows)
    return filled(REJECTION, len(row), {"row": row, **fields_of(pa.concat_arrays(told))})


class _Explainer:
    """Explains texts that are rejected."""

    def __init__(self, rule: Rule, suggest: bool, message: bool) -> None:
        self._rule = rule
        self._suggest = suggest
        self._message = message
        self._known: dict[str | bytes, dict[str, Any]] = {}
        self._sentences: Sentences = {}
        self._root: _Explainer | None = None  # of the rule that this one narrows

    def explain(self, texts: Array) -> Array:
        """What is told of each text of an array."""
        if pa.types.is_dictionary(texts.type):
            numbers = pc.unique(texts.indices)
            told = self.explain(taken(texts.dictionary, numbers))
            return pc.take(told, pc.index_in(texts.indices, numbers))
        if self._suggest:  # what is offered is the whole rule's matter
            return self._by_rule(texts)
        if expression_of(self._rule) is not None:
            told = told_of_narrowed(self._rule, texts, self._part, self._message)
            return self._by_rule(texts) if told is None else told
        table = kernel_table(self._rule)
        by_kernel = None
        if table is not None:
            if len(self._sentences) >= MOST_KEPT:
                self._sentences.clear()
            sentences = self._sentences if self._message else None
            by_kernel = told_by_kernel(self._rule, texts, offsets_of(table, texts), sentences)
        if by_kernel is None:
            return self._by_rule(texts)
        told, left = by_kernel
        if not left.true_count:
            return told
        ours = fields_of(told)
        theirs = fields_of(self._by_rule(taken(texts, pc.indices_nonzero(left))))
        mixed = {name: pc.replace_with_mask(ours[name], left, theirs[name]) for name in ours}
        return filled(REASON, len(told), mixed)

    def _part(self, rule: Rule, texts: Array) -> Array:
        """The same by a rule that this one is made of, or by itself."""
        if rule is self._rule:
            return self._by_rule(texts)
        if self._root is None:
            self._root = _Explainer(rule, self._suggest, self._message)
        return self._root.explain(texts)

    def _by_rule(self, texts: Array) -> Array:
        """The same by ``rule.explain`` for each text, once for those that come again."""
        layout = layout_of(texts.type)
        assert layout is not None
        told: list[dict[str, Any]] = []
        for text in texts_of(texts):
            assert text is not None
            if text not in self._known:
                if len(self._known) >= MOST_KEPT:
                    self._known.clear()
                self._known[text] = _told(self._rule, text, layout, self._suggest, self._message)
            told.append(self._known[text])
        return pa.array(told, REASON)


def _told(rule: Rule, text: str | bytes, layout: Layout, suggest: bool, message: bool) -> dict[str, Any]:
    rejection = rule.explain(text, suggest=suggest)
    if rejection is None:
        raise ArgumentError(_message("array-changed"))
    start, end = rejection.span
    suggestion = rejection.suggestion
    return {
        "code": rejection.code,
        "rule": rejection.rule,
        "offset": in_characters(text, rejection.offset, layout),
        "start": in_characters(text, start, layout),
        "end": in_characters(text, end, layout),
        "found": found_text(rejection.found),
        "message": rejection.message if message else None,
        "section": rejection.section,
        "suggestion": None if suggestion is None else suggestion.text,
    }


def found_text(char: str | None) -> str | None:
    """Return ``Rejection.found`` as columns have it: ``\\xFF`` for a byte that is not UTF-8."""
    if char is None or not "\udc80" <= char <= "\udcff":
        return char
    return f"\\x{ord(char) & 0xFF:02X}"
