"""Compute the number of derivations of a string: exact or infinite.

The count of a part over a span is a sum of products, over its alternatives and over the offsets at which two
consecutive parts meet. Thus the chart is evaluated in the semiring of natural numbers (Goodman 1999). If a
count depends on itself, a part occurs within itself over the same span in a derivation of the whole string,
and the number is infinite. (The derivations that a tree can represent are still finitely many.) The
evaluation visits only parts of derivations of the whole string.

The counts of a part with one start form a row, and those with one end form a column. So each sum of products
is the product of a row and a column. The evaluation takes at worst cubic time in the length of the string,
and at least 0.1 µs per step, since counts become long. Generators on a stack replace recursion.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from operator import mul

from abnforge.budget import Meter
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from abnforge.parsing.chart import Part, PartKey, SpanTable, part_key

_Span = tuple[Part, int, int]

# The cost of a part over a span in steps, and the number of products per step.
_COST = 5
_PAIRS = 8

# The memory of a table entry, in bytes.
_OCTETS = 50


def count(table: SpanTable, start: str, length: int, meter: Meter) -> int | float:
    """Return the number of derivations of a string by a rule, or ``math.inf``.

    Args: ``start`` is the rule's key, ``length`` the string's length. Raises: LimitExceeded.
    """
    if not table.of(Ref(start), 0) >> length & 1:
        return 0
    return _Counter(table, meter).count(start, length)


class _Column(list[int | None]):
    """Counts by length; ``longest`` is the largest length whose count can be positive."""

    longest = -1


class _Counter:
    def __init__(self, table: SpanTable, meter: Meter) -> None:
        self._table = table
        self._meter = meter
        # Part -> offset -> counts by length (None: not yet computed).
        self._rows: dict[PartKey, dict[int, list[int | None]]] = {}
        self._columns: dict[PartKey, dict[int, _Column]] = {}

    def count(self, start: str, length: int) -> int | float:
        """Evaluate each part after the parts that it depends on."""
        span: _Span = (Ref(start), 0, length)
        under_way = {_key(span)}
        work = [(span, self._of(*span))]
        result: int | None = None
        while work:
            span, generator = work[-1]
            try:
                dependency = next(generator) if result is None else generator.send(result)
            except StopIteration as done:
                result = done.value
                self._note(*span, done.value)
                under_way.remove(_key(span))
                work.pop()
                continue
            key = _key(dependency)
            if key in under_way:
                return math.inf
            self._meter.charge(_COST)
            under_way.add(key)
            work.append((dependency, self._of(*dependency)))
            result = None
        assert result is not None
        return result

    def _of(self, part: Part, start: int, end: int) -> Generator[_Span, int, int]:
        if isinstance(part, Ref):
            part = self._table.core.rules[part.key]
        match part:
            case Chars():
                return 1
            case Ref():
                return (yield from self._part(part, start, end))
            case Choice(items=items):
                total = 0
                for item in items:
                    if self._table.of(item, start) >> end - start & 1:
                        counter = self._of if isinstance(item, Seq) else self._part
                        total += yield from counter(item, start, end)
                return total
            case Seq():
                return (yield from self._of((part, 0), start, end))
            case (Seq(items=items) as seq, index):
                if index == len(items):
                    return 1
                if index == len(items) - 1:
                    return (yield from self._part(items[index], start, end))
                return (yield from self._both(items[index], (seq, index + 1), start, end, start))
            case Repeat(item=item, max=maximum):
                minimum = self._table.minimum(part)
                total = int(minimum == 0 and start == end)
                if maximum == 0:
                    return total
                # Iterations beyond the minimum must read a character.
                least = start + (minimum == 0)
                rest = self._table.after_iteration(part)
                if least <= end:
                    total += yield from self._both(item, rest, start, end, least)
                return total
        raise AssertionError(f"no derivation passes through {part!r}")

    def _part(self, part: Part, start: int, end: int) -> Generator[_Span, int, int]:
        """Return the count of a part over a span; evaluate the part if the count is unknown."""
        result = self._row(part, start)[end - start]
        return (yield part, start, end) if result is None else result

    def _both(self, first: Node, rest: Part, start: int, end: int, least: int) -> Generator[_Span, int, int]:
        """Return the count of two parts that meet at the offset ``least`` or later."""
        if isinstance(rest, tuple) and rest[1] == len(rest[0].items) - 1:
            rest = rest[0].items[rest[1]]
        row = self._row(first, start)
        column = self._column(rest, end, end - least)
        low, high = max(least - start, end - start - column.longest), min(end - start, len(row) - 1)
        self._meter.charge(1 + max(0, high - low) // _PAIRS)
        while low <= high and row[low] == 0:
            low += 1
        while low <= high and column[end - start - high] == 0:
            high -= 1
        if low > high:
            return 0
        # The column is reversed: from the length after the last offset to the length after the first.
        lengths = slice(end - start - high, end - start - low + 1)
        try:
            return sum(map(mul, row[low : high + 1], reversed(column[lengths])))
        except TypeError:
            pass  # some counts are still unknown
        place = low
        sparse = False
        look = True
        while place <= high:
            back = end - start - place
            if (
                look
                and None not in row[place : high + 1]
                and None not in column[back - high + place : back + 1]
            ):
                break
            one, other = row[place], column[back]
            look = one != 0 and other != 0 and (one is None or other is None)
            if not look:
                sparse = sparse or one is None or other is None
                place += 1
            elif one is None:
                yield first, start, start + place
            else:
                yield rest, start + place, end
        ones, others = row[low : high + 1], reversed(column[lengths])
        if sparse:
            return sum(one * other for one, other in zip(ones, others, strict=True) if one and other)
        return sum(map(mul, ones, others))

    def _row(self, part: Part, start: int) -> list[int | None]:
        """Return the counts of a part at an offset, by length."""
        rows = self._rows.setdefault(part_key(part), {})
        row = rows.get(start)
        if row is None:
            ends = self._table.of_part(part, start)
            unknown = 1 if isinstance(part, Chars) else None
            row = [unknown if ends >> length & 1 else 0 for length in range(ends.bit_length())]
            rows[start] = row
            self._meter.hold(_OCTETS * len(row))
        return row

    def _column(self, part: Part, end: int, length: int) -> _Column:
        """Return the counts of a part up to an offset, by length, for lengths up to ``length`` or more."""
        columns = self._columns.setdefault(part_key(part), {})
        column = columns.get(end)
        if column is None:
            column = columns[end] = _Column()
        while len(column) <= length:
            row = self._row(part, end - len(column))
            result = row[len(column)] if len(column) < len(row) else 0
            if result != 0:
                column.longest = len(column)
            column.append(result)
            self._meter.hold(_OCTETS)
        return column

    def _note(self, part: Part, start: int, end: int, result: int) -> None:
        self._row(part, start)[end - start] = result
        column = self._columns.get(part_key(part), {}).get(end)
        if column is not None and len(column) > end - start:
            column[end - start] = result


def _key(span: _Span) -> tuple[PartKey, int, int]:
    return part_key(span[0]), span[1], span[2]
