"""Why texts are rejected by a rule that narrows another one, as a policy does: for whole arrays of them.

What the narrowed rule rejects is told as of that rule, by whatever tells it quickest. The rest is asked of
one operation after the other, by columns, and each text is refused by the first one that has it not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.columns.arrays import Array, layout_of, texts_of
from abnforge.columns.fields import REASON, fields_of, filled, struct_type
from abnforge.columns.selecting import taken
from abnforge.columns.verdicts import matches, offsets, rejected_rows
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import ExclusionMessage, base_of, expression_of
from abnforge.rejection import octets_before

Explain = Callable[[Rule, Array], Array]
"""What explains texts that a rule rejects: a struct for each, as ``columns.rejections`` has them but for
``row``. It is asked of the narrowed rule, and of the rule itself where the operation has no words of its own.
"""


def told_of_narrowed(rule: Rule, texts: Array, explain: Explain, message: bool = True) -> Array | None:
    """The same for a rule that narrows others; None for one that does not, and where some octets are not
    UTF-8. The texts are all rejected, and no dictionary. Cost: that of ``explain``, and some microseconds for
    each text that is refused.
    """
    steps = list(_steps(rule))
    root = base_of(rule)
    layout = layout_of(texts.type)
    if not steps or root is None or layout is None:
        return None
    characters = _characters(texts)
    if characters is None:
        return None
    rows, told = [], []

    def tell(numbers: Array, answers: Array) -> None:
        rows.append(numbers)
        told.append(answers)

    left = pa.array(range(len(texts)), pa.int64())
    for narrower, refusal in [(root, None), *steps]:
        some = taken(texts, left)
        verdicts = matches(narrower, some)
        refused = rejected_rows(verdicts)
        if len(refused):
            numbers = left.take(refused)
            if refusal is None or (refusal.says is None and refusal.missing is None):
                tell(numbers, explain(root if refusal is None else rule, taken(texts, numbers)))
            else:
                some_characters = [characters[number] for number in numbers.to_pylist()]
                tell(numbers, _refused(narrower, refusal, some_characters, layout.octets, message))
        left = left.filter(verdicts)
    return _put_together(rule, characters, pa.concat_arrays(rows), told, offsets(rule, texts), layout.octets)


def _steps(rule: Rule) -> Iterator[tuple[Rule, ExclusionMessage]]:
    """The operations that narrow a rule, the first one first, each with the rule it makes."""
    made = expression_of(rule)
    if made is not None and made.is_narrower:
        yield from _steps(made.left)
        yield rule, made.exclusion_message


def _characters(texts: Array) -> list[str] | None:
    """The texts as str; None where some octets are not UTF-8."""
    try:
        return [each if isinstance(each, str) else (each or b"").decode() for each in texts_of(texts)]
    except UnicodeDecodeError:
        return None


def _refused(rule: Rule, refusal: ExclusionMessage, texts: list[str], octets: bool, message: bool) -> Array:
    """What is told of texts that an operation leaves out; the offset is not known yet."""
    made = expression_of(rule)
    assert made is not None
    told: list[dict[str, Any]] = []
    for text in texts:
        place = refusal.place(text) if made.longest is None else (made.longest, len(text))
        start, end = place or (0, 0)
        said = refusal.message(text, place) if message else None
        if octets and not text.isascii():
            at = octets_before(text)
            start, end = at(start), at(end)
        told.append({"start": start, "end": end, "message": said})
    fields = fields_of(pa.array(told, struct_type("start", "end", "message")))
    return filled(REASON, len(texts), {"code": pa.repeat(refusal.code, len(texts)), **fields})


def _put_together(
    rule: Rule, characters: list[str], rows: Array, told: list[Array], where: Array, octets: bool
) -> Array:
    """All that was told, in the order of the texts, with what is exact of the rule itself."""
    mixed = pa.concat_arrays(told).take(pc.sort_indices(rows))
    found = [_at(text, offset, octets) for text, offset in zip(characters, where.to_pylist(), strict=True)]
    own = {"rule": pa.repeat(rule.name, len(mixed)), "offset": where, "found": pa.array(found, pa.string())}
    return filled(REASON, len(mixed), {**fields_of(mixed), **own})


def _at(text: str, offset: int, octets: bool) -> str | None:
    """The character at an offset; None at the end."""
    if octets and not text.isascii():
        offset = len(text.encode()[:offset].decode())
    return text[offset] if offset < len(text) else None
