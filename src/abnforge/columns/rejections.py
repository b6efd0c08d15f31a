"""Explain the rejected strings of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Union

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.columns.arrays import (
    Array,
    Layout,
    column_argument,
    in_characters,
    in_chunks,
    kernel_column,
    layout_of,
    rule_argument,
    take,
    texts_of,
    threads_argument,
)
from abnforge.columns.fields import OF_MISTAKE, REASON, REJECTION, fields_of, filled, struct_type
from abnforge.columns.messages import message as _message
from abnforge.columns.verdicts import kernel_table, matches, offsets, offsets_of, rejected_rows
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import ExclusionMessage, base_of, expression_of
from abnforge.explain.mistakes import (
    Mistake,
    depends_on_place,
    fill,
    is_placeholder,
    is_refutable,
    is_space_for_sign,
    message_slots,
    placed,
)
from abnforge.explain.program import MAX_MESSAGE_SLOTS
from abnforge.families import family_of
from abnforge.rejection import octets_before
from abnforge.text import ByteText

# Rejections by the C extension: the first mistakes of rejected strings.

LONGEST_KEPT = 1_000  # the maximum number of characters in the slots of a cached message

Sentences = dict[tuple[str, tuple[Union[str, None], ...]], str]
"""Messages by the code of the mistake and the values of its slots."""


def explain_in_c(
    rule: Rule, texts: Array, offsets: Array, sentences: Sentences | None
) -> tuple[Array, Array] | None:
    """Explain rejected strings with the C extension.

    Returns the reasons, and a mask of the strings without a reason. Their mistake is not declared, the facts
    may refute it or are more exact, a field such as its section depends on the string, or they are too long.
    Returns None if the C extension cannot explain them. ``offsets`` are the offsets of the rejections.
    ``sentences`` caches messages; None omits messages.
    """
    size = len(texts)
    numbers, characters = _room(pa.int32(), size), _room(pa.int32(), size)
    begins, ends = _room(pa.int64(), size), _room(pa.int64(), size)
    slots = _room(pa.int32(), 2 * MAX_MESSAGE_SLOTS * size)
    with rule.grammar.readers.taken() as readers:
        explainer = readers.explainer(rule.key)
        mistakes = explainer.first_mistakes(
            kernel_column(texts),
            offsets.buffers()[1],
            tuple(each.buffers()[1] for each in (numbers, characters, slots, begins, ends)),
        )
        if mistakes is None:
            return None
        there = set(pc.unique(numbers).to_pylist())  # a few of the mistakes that the C extension knows
        occurring = tuple([each if number in there else None for number, each in enumerate(mistakes)])
        of_mistakes: dict[str, list[Any]] = {name: [None] * len(mistakes) for name in OF_MISTAKE}
        varies = [False] * len(mistakes)
        for number in there:
            mistake = mistakes[number]
            for name, value_of in OF_MISTAKE.items() if mistake is not None else ():
                value = value_of(explainer, mistake)
                if value is None:
                    varies[number] = True
                else:
                    (of_mistakes[name][number],) = value
    fields = {
        **{
            name: pc.take(pa.array(values, REASON.field(name).type), numbers)
            for name, values in of_mistakes.items()
        },
        "rule": pa.repeat(rule.name, size),
        "offset": offsets,
        "found": _each_once(characters, lambda point: None if point < 0 else chr(point)),
        "start": begins,
        "end": ends,
    }
    if sentences is not None:
        said_of_each = _sentences(texts, numbers, slots, begins, occurring, sentences)
        fields["message"] = pa.array(said_of_each, pa.string())
    left = pc.or_(pc.equal(numbers, 0), _refuted(occurring, numbers, begins, ends, offsets))
    left = pc.or_(left, pc.take(pa.array(varies), numbers))
    vague = pa.array(
        [
            each is not None and (each.is_vague or bool(each.listed) or is_space_for_sign(each))
            for each in occurring
        ]
    )
    left = pc.or_(left, pc.take(vague, numbers))
    derived = pa.array([each is not None and each.derived for each in occurring])
    is_early = pc.less_equal(ends, offsets)
    left = pc.or_(left, pc.and_(is_early, pc.take(derived, numbers)))
    # If the string only ends too early, mistakes declared for the whole string of a rule are true of it.
    of_whole = pa.array([each is not None and is_placeholder(each) for each in occurring])
    is_last = pc.and_(pc.equal(ends, offsets), pc.or_(pc.less(begins, ends), pc.equal(ends, 0)))
    of_whole = pc.and_(pc.take(of_whole, numbers), is_last)
    left = pc.or_(left, pc.and_(pc.less(characters, 0), pc.invert(of_whole)))
    return filled(REASON, size, fields), left


def _refuted(
    mistakes: Sequence[Mistake | None], numbers: Array, begins: Array, ends: Array, offsets: Array
) -> Array:
    """Return whether the facts may refute the mistake of each row: see ``explain.reading.is_refuted``."""
    refutable = [each is not None and is_refutable(each) for each in mistakes]
    reaches = pa.array([None if each is None else each.reach for each in mistakes], pa.int64())
    stops = pc.coalesce(pc.add(begins, pc.take(reaches, numbers)), ends)
    return pc.and_(pc.take(pa.array(refutable), numbers), pc.less(stops, offsets))


def _room(kind: Any, size: int) -> Array:
    """Return an array whose values are not initialized."""
    return pa.Array.from_buffers(kind, size, [None, pa.allocate_buffer(size * kind.bit_width // 8)])


def _each_once(array: Array, make: Callable[[int], str | None]) -> Array:
    """Convert repeated numbers, each distinct number once."""
    coded = pc.dictionary_encode(array)
    values = pa.array([make(each) for each in coded.dictionary.to_pylist()], pa.string())
    return pc.take(values, coded.indices)


def _sentences(
    texts: Array,
    numbers: Array,
    slot_bounds: Array,
    begins: Array,
    mistakes: Sequence[Mistake | None],
    cache: Sentences,
) -> list[str | None]:
    """Return the message of each string with a mistake. Messages are cached by slot values, which recur."""
    shown = [() if each is None else message_slots(each) for each in mistakes]
    keys = ["" if each is None else each.key for each in mistakes]
    is_placed = [each is not None and depends_on_place(each) for each in mistakes]
    starts = begins.to_pylist() if any(is_placed) else []
    places = memoryview(slot_bounds.buffers()[1]).cast("i")
    messages: list[str | None] = []
    at = -2 * MAX_MESSAGE_SLOTS
    for row, (text, number) in enumerate(zip(texts_of(texts), numbers.to_pylist(), strict=True)):
        at += 2 * MAX_MESSAGE_SLOTS
        mistake = mistakes[number]
        if mistake is None:
            messages.append(None)
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
        sentence = cache.get(key)
        if sentence is None:
            assert mistake.say is not None
            there = {slot: text for slot, text in zip(slots, held, strict=True) if text is not None}
            sentence = fill(mistake.say, there)
            if sum(map(len, there.values())) <= LONGEST_KEPT:
                cache[key] = sentence
        if is_placed[number]:
            assert text is not None
            begin = starts[row]
            if isinstance(text, bytes):
                sentence = placed(mistake, sentence, text.decode(), len(text[:begin].decode()))
            else:
                sentence = placed(mistake, sentence, text, begin)
        messages.append(sentence)
    return messages


# Rejections by a restricted rule, such as that of a policy. The restricted rule explains its own rejections;
# the first operation that excludes a string explains the others.

Explain = Callable[[Rule, Array], Array]
"""Explains strings that a rule rejects: a struct for each, as in ``columns.rejections`` without ``row``. The
rule is the restricted one, or the whole one if an operation has no message.
"""


def explain_restricted(rule: Rule, texts: Array, explain: Explain, message: bool = True) -> Array | None:
    """Explain strings that a restricted rule rejects.

    Returns None for a rule that is not restricted, and for bytes that are not UTF-8. The array is not a
    dictionary. Cost: that of ``explain``, and a few microseconds for each excluded string.
    """
    steps = list(_steps(rule))
    root = base_of(rule)
    layout = layout_of(texts.type)
    if not steps or root is None or layout is None:
        return None
    characters = _characters(texts)
    if characters is None:
        return None
    rows, parts = [], []

    def tell(numbers: Array, answers: Array) -> None:
        rows.append(numbers)
        parts.append(answers)

    left = pa.array(range(len(texts)), pa.int64())
    for narrower, refusal in [(root, None), *steps]:
        some = take(texts, left)
        verdicts = matches(narrower, some)
        refused = rejected_rows(verdicts)
        if len(refused):
            numbers = left.take(refused)
            if refusal is None or (refusal.says is None and refusal.missing is None):
                tell(numbers, explain(root if refusal is None else rule, take(texts, numbers)))
            else:
                some_characters = [characters[number] for number in numbers.to_pylist()]
                tell(numbers, _refused(narrower, refusal, some_characters, layout.octets, message))
        left = left.filter(verdicts)
    return _put_together(rule, characters, pa.concat_arrays(rows), parts, offsets(rule, texts), layout.octets)


def _steps(rule: Rule) -> Iterator[tuple[Rule, ExclusionMessage]]:
    """Yield the operations that restrict a rule, in order, each with the resulting rule."""
    expression = expression_of(rule)
    if expression is not None and expression.is_narrower:
        yield from _steps(expression.left)
        yield rule, expression.exclusion_message


def _characters(texts: Array) -> list[str] | None:
    try:
        return [each if isinstance(each, str) else (each or b"").decode() for each in texts_of(texts)]
    except UnicodeDecodeError:
        return None


def _refused(rule: Rule, refusal: ExclusionMessage, texts: list[str], octets: bool, message: bool) -> Array:
    """Explain strings that an operation excludes, without offsets."""
    expression = expression_of(rule)
    assert expression is not None
    excluded: list[dict[str, Any]] = []
    for text in texts:
        place = refusal.place(text) if expression.longest is None else (expression.longest, len(text))
        start, end = place or (0, 0)
        reason = refusal.message(text, place) if message else None
        if octets and not text.isascii():
            at = octets_before(text)
            start, end = at(start), at(end)
        excluded.append({"start": start, "end": end, "message": reason})
    fields = fields_of(pa.array(excluded, struct_type("start", "end", "message")))
    same = {
        "code": refusal.code,
        "family": family_of(refusal.code),
        "component": refusal.part or rule.name,
    }
    return filled(
        REASON, len(texts), {**{name: pa.repeat(value, len(texts)) for name, value in same.items()}, **fields}
    )


def _put_together(
    rule: Rule, characters: list[str], rows: Array, explained: list[Array], where: Array, octets: bool
) -> Array:
    """Join the reasons in the order of the strings, and add the name, offset and character of the rule."""
    mixed = pa.concat_arrays(explained).take(pc.sort_indices(rows))
    chars = [_at(text, offset, octets) for text, offset in zip(characters, where.to_pylist(), strict=True)]
    own = {
        "rule": pa.repeat(rule.name, len(mixed)),
        "offset": where,
        "found": pa.array(chars, pa.string()),
    }
    return filled(REASON, len(mixed), {**fields_of(mixed), **own})


def _at(text: str, offset: int, octets: bool) -> str | None:
    if octets and not text.isascii():
        offset = len(text.encode()[:offset].decode())
    return text[offset] if offset < len(text) else None


# The maximum number of cached rejections and messages, since pipelines repeat wrong strings.
MOST_KEPT = 10_000


def rejections(
    rule: Rule | str,
    array: object,
    suggest: bool = False,
    threads: int | None = None,
    message: bool = True,
) -> Array:
    r"""Explain the rejected strings: a StructArray with a row for each of them, in order.

    ``row`` is the index of the string. ``start`` and ``end`` are the span of its mistake. ``suggestion`` is a
    valid string nearby, with ``suggest=True``. ``message=False`` omits the messages, which take most of the
    time. The other fields are those of :class:`~abnforge.Rejection`: offsets count code points, or bytes in
    binary columns; ``found`` is ``\xff`` for a byte that is not UTF-8. Missing strings are not rejected.

    Arguments and errors are those of :func:`matches`. Cost: that of ``matches``, and a few microseconds for
    each rejected string, mostly for the message. With ``suggest``, without the C extension, and without a
    declared mistake, the cost is that of ``rule.explain``, once for each distinct string.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    column = column_argument(array, judged)
    verdicts = (matches(judged, chunk, count) for chunk in column.chunks)
    return explained(judged, column.chunks, verdicts, suggest, message)


def reasons(
    rule: Rule | str,
    array: object,
    suggest: bool = False,
    threads: int | None = None,
    message: bool = True,
) -> Array:
    """Explain each row as a struct, missing for rows that are not rejected, and chunked like the array.

    The fields are those of :func:`rejections` without ``row``. Arguments, errors and cost are the same as for
    :func:`rejections`.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    column = column_argument(array, judged)
    explainer = _Explainer(judged, suggest, message)
    results = (_by_row(explainer, chunk, matches(judged, chunk, count)) for chunk in column.chunks)
    return in_chunks(results, column.chunked, REASON)


def _by_row(explainer: _Explainer, chunk: Array, verdicts: Array) -> Array:
    wrong = rejected_rows(verdicts)
    if not len(wrong):
        return pa.nulls(len(chunk), REASON)
    explained = explainer.explain(take(chunk, wrong))
    places = pc.index_in(pa.array(range(len(chunk)), wrong.type), wrong)
    fields = {name: pc.take(field, places) for name, field in fields_of(explained).items()}
    return filled(REASON, len(chunk), fields, mask=places.is_null())


def explained(
    rule: Rule, chunks: Iterable[Array], verdicts: Iterable[Array], suggest: bool, message: bool = True
) -> Array:
    """Return the rejections of the strings with negative verdicts."""
    explainer = _Explainer(rule, suggest, message)
    rows: list[Array] = [pa.array([], pa.int64())]
    by_chunk: list[Array] = [pa.array([], REASON)]
    first = 0
    for chunk, judged in zip(chunks, verdicts, strict=True):
        wrong = rejected_rows(judged)
        if len(wrong):  # otherwise the array may be untyped, with only missing strings
            rows.append(pc.add(wrong.cast(pa.int64()), first))
            by_chunk.append(explainer.explain(take(chunk, wrong)))
        first += len(chunk)
    row = pa.concat_arrays(rows)
    return filled(REJECTION, len(row), {"row": row, **fields_of(pa.concat_arrays(by_chunk))})


class _Explainer:
    """Explains rejected strings."""

    def __init__(self, rule: Rule, suggest: bool, message: bool) -> None:
        self._rule = rule
        self._suggest = suggest
        self._message = message
        self._known: dict[str | bytes, dict[str, Any]] = {}
        self._sentences: Sentences = {}
        self._root: _Explainer | None = None  # explains the restricted rule

    def explain(self, texts: Array) -> Array:
        """Return the reason of each string of an array."""
        if pa.types.is_dictionary(texts.type):
            numbers = pc.unique(texts.indices)
            explained = self.explain(take(texts.dictionary, numbers))
            return pc.take(explained, pc.index_in(texts.indices, numbers))
        # Only the whole rule makes suggestions. Other ways read UTF-8.
        if self._suggest or self._rule.grammar.alphabet == BYTES:
            return self._by_rule(texts)
        if expression_of(self._rule) is not None:
            explained = explain_restricted(self._rule, texts, self._part, self._message)
            return self._by_rule(texts) if explained is None else explained
        table = kernel_table(self._rule)
        by_kernel = None
        if table is not None:
            if len(self._sentences) >= MOST_KEPT:
                self._sentences.clear()
            sentences = self._sentences if self._message else None
            by_kernel = explain_in_c(self._rule, texts, offsets_of(table, texts), sentences)
        if by_kernel is None:
            return self._by_rule(texts)
        explained, left = by_kernel
        if not left.true_count:
            return explained
        ours = fields_of(explained)
        theirs = fields_of(self._by_rule(take(texts, pc.indices_nonzero(left))))
        mixed = {name: pc.replace_with_mask(ours[name], left, theirs[name]) for name in ours}
        return filled(REASON, len(explained), mixed)

    def _part(self, rule: Rule, texts: Array) -> Array:
        """Explain strings by an operand of this rule, or by this rule."""
        if rule is self._rule:
            return self._by_rule(texts)
        if self._root is None:
            self._root = _Explainer(rule, self._suggest, self._message)
        return self._root.explain(texts)

    def _by_rule(self, texts: Array) -> Array:
        """Explain strings by ``rule.explain``, once for each distinct string."""
        layout = layout_of(texts.type)
        assert layout is not None
        explained: list[dict[str, Any]] = []
        for text in texts_of(texts):
            assert text is not None
            if text not in self._known:
                if len(self._known) >= MOST_KEPT:
                    self._known.clear()
                self._known[text] = _told(self._rule, text, layout, self._suggest, self._message)
            explained.append(self._known[text])
        return pa.array(explained, REASON)


def _told(rule: Rule, text: str | bytes, layout: Layout, suggest: bool, message: bool) -> dict[str, Any]:
    rejection = rule.explain(text, suggest=suggest)
    if rejection is None:
        raise ArgumentError(_message("array-changed"))
    start, end = rejection.span
    suggestion = rejection.suggestion
    converted = {
        "offset": in_characters(text, rejection.offset, layout),
        "start": in_characters(text, start, layout),
        "end": in_characters(text, end, layout),
        "found": found_text(rejection.found),
        "message": rejection.message if message else None,
        "suggestion": None if suggestion is None else suggestion.text,
    }
    names: Iterable[str] = REASON.names
    return {name: converted[name] if name in converted else getattr(rejection, name) for name in names}


def found_text(char: str | None) -> str | None:
    r"""Return ``Rejection.found`` as columns show it: ``\xFF`` for a byte that is not a character."""
    if char is None or not ("\udc80" <= char <= "\udcff" or (isinstance(char, ByteText) and char > "\x7f")):
        return char
    return f"\\x{ord(char) & 0xFF:02X}"
