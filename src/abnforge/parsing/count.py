"""How many derivations a text has: exactly, or infinitely many.

The count of a part over a span is the sum over its alternatives, and over the places where two parts that
follow one another can meet, of products. A part of which the same question is asked again while it is being
answered contains itself over the same span in a derivation of the whole text: then that can be repeated, and
there is no end of derivations. (Those that a tree can have, without a rule below itself over the same span,
are finitely many all the same.) No question is asked that is not part of a derivation of the whole text.

Counts of one part from one place stand in a row, by their ends; those up to one place in a column; so a sum
of products is one of a row and a column. Cost: at worst cubic in the length of the text, in steps of an
eighth of a microsecond and a little more, since counts get long; generators ask for what they need, so that
nothing recurses.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from operator import mul

from abnforge.budget import Meter
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from abnforge.parsing.chart import Ends

_Part = Node | tuple[Seq, int]  # a node, or a sequence from an item on
_Name = str | int | tuple[int, int]
_Question = tuple[_Part, int, int]

# What a question takes, and multiplying so many pairs, in steps of the budget.
_COST = 5
_PAIRS = 8

# What an entry of a row or column takes, in octets.
_OCTETS = 50


def count(ends: Ends, start: str, length: int, meter: Meter) -> int | float:
    """The number of derivations of a text of some length from the rule ``start`` (a key), ``math.inf`` for
    infinitely many.

    Raises LimitExceeded.
    """
    if not ends.of(Ref(start), 0) >> length & 1:
        return 0
    return _Counter(ends, meter).count(start, length)


class _Column(list[int | None]):
    """Counts by length; ``longest`` is the last length of which there are any, or may be."""

    longest = -1


class _Counter:
    def __init__(self, ends: Ends, meter: Meter) -> None:
        self._ends = ends
        self._meter = meter
        # Of a part, by a place: counts by length, None where they are not known yet.
        self._rows: dict[_Name, dict[int, list[int | None]]] = {}
        self._columns: dict[_Name, dict[int, _Column]] = {}

    def count(self, start: str, length: int) -> int | float:
        """Answer questions, those that others wait for first."""
        question: _Question = (Ref(start), 0, length)
        under_way = {_key(question)}
        work = [(question, self._of(*question))]
        answer: int | None = None
        while work:
            question, generator = work[-1]
            try:
                asked = next(generator) if answer is None else generator.send(answer)
            except StopIteration as done:
                answer = done.value
                self._note(*question, done.value)
                under_way.remove(_key(question))
                work.pop()
                continue
            key = _key(asked)
            if key in under_way:
                return math.inf
            self._meter.charge(_COST)
            under_way.add(key)
            work.append((asked, self._of(*asked)))
            answer = None
        assert answer is not None
        return answer

    def _of(self, part: _Part, start: int, end: int) -> Generator[_Question, int, int]:
        if isinstance(part, Ref):
            part = self._ends.core.rules[part.key]
        match part:
            case Chars():
                return 1
            case Ref():
                return (yield from self._part(part, start, end))
            case Choice(items=items):
                total = 0
                for item in items:
                    if self._ends.of(item, start) >> end - start & 1:
                        answer = self._of if isinstance(item, Seq) else self._part
                        total += yield from answer(item, start, end)
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
                minimum = self._ends.minimum(part)
                total = int(minimum == 0 and start == end)
                if maximum == 0:
                    return total
                # An iteration beyond the minimum reads something.
                least = start + (minimum == 0)
                if minimum == 0 and maximum is None:
                    rest = part
                else:
                    most = None if maximum is None else maximum - 1
                    rest = self._ends.repeat(item, max(0, minimum - 1), most)
                if least <= end:
                    total += yield from self._both(item, rest, start, end, least)
                return total
        raise AssertionError(f"no derivation passes through {part!r}")

    def _part(self, part: _Part, start: int, end: int) -> Generator[_Question, int, int]:
        """The count of a part that derives the span, asked for if it is not known."""
        known = self._row(part, start)[end - start]
        return (yield part, start, end) if known is None else known

    def _both(
        self, first: Node, rest: _Part, start: int, end: int, least: int
    ) -> Generator[_Question, int, int]:
        """The count of two parts that meet somewhere, not before ``least``."""
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
        # The column runs the other way: from what is left of the span behind the last place to the first.
        behind = slice(end - start - high, end - start - low + 1)
        try:
            return sum(map(mul, row[low : high + 1], reversed(column[behind])))
        except TypeError:
            pass  # some are not known yet
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
        ones, others = row[low : high + 1], reversed(column[behind])
        if sparse:
            return sum(one * other for one, other in zip(ones, others, strict=True) if one and other)
        return sum(map(mul, ones, others))

    def _row(self, part: _Part, start: int) -> list[int | None]:
        """The counts of a part from a place, by length; 0 for what it does not derive."""
        rows = self._rows.setdefault(_name(part), {})
        found = rows.get(start)
        if found is None:
            ends = self._ends.of_rest(*part, start) if isinstance(part, tuple) else self._ends.of(part, start)
            unknown = 1 if isinstance(part, Chars) else None
            found = [unknown if ends >> length & 1 else 0 for length in range(ends.bit_length())]
            rows[start] = found
            self._meter.hold(_OCTETS * len(found))
        return found

    def _column(self, part: _Part, end: int, length: int) -> _Column:
        """The counts of a part up to a place, by length: for lengths up to this one."""
        columns = self._columns.setdefault(_name(part), {})
        found = columns.get(end)
        if found is None:
            found = columns[end] = _Column()
        while len(found) <= length:
            row = self._row(part, end - len(found))
            answer = row[len(found)] if len(found) < len(row) else 0
            if answer != 0:
                found.longest = len(found)
            found.append(answer)
            self._meter.hold(_OCTETS)
        return found

    def _note(self, part: _Part, start: int, end: int, answer: int) -> None:
        self._row(part, start)[end - start] = answer
        column = self._columns.get(_name(part), {}).get(end)
        if column is not None and len(column) > end - start:
            column[end - start] = answer


def _name(part: _Part) -> _Name:
    if isinstance(part, Ref):
        return part.key
    return (id(part[0]), part[1]) if isinstance(part, tuple) else id(part)


def _key(question: _Question) -> tuple[_Name, int, int]:
    return _name(question[0]), question[1], question[2]
