"""Rejections told by the kernel: of rejected texts the first mistakes, without an object for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.columns.arrays import Array, kernel_column, texts_of
from abnforge.columns.fields import REASON, filled
from abnforge.engine.rule import Rule
from abnforge.explain.explainer import is_refutable
from abnforge.explain.mistakes import Mistake, fill, message_slots
from abnforge.explain.program import MAX_MESSAGE_SLOTS

LONGEST_KEPT = 1_000
"""Characters in the slots of a sentence that is kept for other texts."""

Sentences = dict[tuple[str, tuple[Union[str, None], ...]], str]
"""What is said of the mistakes of some keys with some texts in their slots."""


def told_by_kernel(
    rule: Rule, texts: Array, offsets: Array, sentences: Sentences | None
) -> tuple[Array, Array] | None:
    """What is told of texts that are rejected, as ``rejections`` tells it; and a mask of those that it is not
    told of, which have no declared mistake, or one that facts refute, or are too long. None where nothing can
    be told so.

    ``offsets`` are where reading the texts stops. ``sentences`` are those that were said before, and get
    more; None leaves out the sentences.
    """
    size = len(texts)
    numbers, found = _room(pa.int32(), size), _room(pa.int32(), size)
    begins, ends = _room(pa.int64(), size), _room(pa.int64(), size)
    said = _room(pa.int32(), 2 * MAX_MESSAGE_SLOTS * size)
    with rule.grammar.readers.taken() as readers:
        explainer = readers.explainer(rule.key)
        mistakes = explainer.first_mistakes(
            kernel_column(texts),
            offsets.buffers()[1],
            tuple(each.buffers()[1] for each in (numbers, found, said, begins, ends)),
        )
        if mistakes is None:
            return None
        there = set(pc.unique(numbers).to_pylist())  # the kernel knows many more
        known = tuple([each if number in there else None for number, each in enumerate(mistakes)])
        sections = [None if each is None else explainer.section(each) for each in known]
    codes = [None if each is None else each.code for each in known]
    fields = {
        "code": pc.take(pa.array(codes, pa.string()), numbers),
        "rule": pa.repeat(rule.name, size),
        "offset": offsets,
        "found": _each_once(found, lambda point: None if point < 0 else chr(point)),
        "section": pc.take(pa.array(sections, pa.string()), numbers),
        "start": begins,
        "end": ends,
    }
    if sentences is not None:
        said_of_each = _sentences(texts, numbers, said, known, sentences)
        fields["message"] = pa.array(said_of_each, pa.string())
    left = pc.or_(pc.equal(numbers, 0), _refuted(known, numbers, begins, ends, offsets))
    return filled(REASON, size, fields), left


def _refuted(
    known: Sequence[Mistake | None], numbers: Array, begins: Array, ends: Array, offsets: Array
) -> Array:
    """Whether each row's mistake may be one that the facts refute: see ``explain.nearness``."""
    refutable = [each is not None and is_refutable(each) for each in known]
    reaches = pa.array([None if each is None else each.reach for each in known], pa.int64())
    stops = pc.coalesce(pc.add(begins, pc.take(reaches, numbers)), ends)
    return pc.and_(pc.take(pa.array(refutable), numbers), pc.less(stops, offsets))


def _room(kind: Any, size: int) -> Array:
    """An array whose values are still to be written."""
    return pa.Array.from_buffers(kind, size, [None, pa.allocate_buffer(size * kind.bit_width // 8)])


def _each_once(array: Array, make: Callable[[int], str | None]) -> Array:
    """What is made of each number, of numbers that come again once."""
    coded = pc.dictionary_encode(array)
    made = pa.array([make(each) for each in coded.dictionary.to_pylist()], pa.string())
    return pc.take(made, coded.indices)


def _sentences(
    texts: Array,
    numbers: Array,
    said: Array,
    mistakes: Sequence[Mistake | None],
    known: Sentences,
) -> list[str | None]:
    """The sentence of each text that has a mistake. What slots hold comes again more often than texts do."""
    shown = [() if each is None else message_slots(each) for each in mistakes]
    keys = ["" if each is None else each.key for each in mistakes]
    places = memoryview(said.buffers()[1]).cast("i")
    told: list[str | None] = []
    at = -2 * MAX_MESSAGE_SLOTS
    for text, number in zip(texts_of(texts), numbers.to_pylist(), strict=True):
        at += 2 * MAX_MESSAGE_SLOTS
        mistake = mistakes[number]
        if mistake is None:
            told.append(None)
            continue
        slots = shown[number]
        held: tuple[str | None, ...] = ()
        if slots:
            assert text is not None
            letters = text if isinstance(text, str) else text.decode()
            ends = places[at : at + 2 * len(slots)].tolist()
            held = tuple(
                [
                    None if begin < 0 else letters[begin:end]
                    for begin, end in zip(ends[::2], ends[1::2], strict=True)
                ]
            )
        key = keys[number], held
        sentence = known.get(key)
        if sentence is None:
            assert mistake.say is not None
            there = {slot: text for slot, text in zip(slots, held, strict=True) if text is not None}
            sentence = fill(mistake.say, there)
            if sum(map(len, there.values())) <= LONGEST_KEPT:
                known[key] = sentence
        told.append(sentence)
    return told
