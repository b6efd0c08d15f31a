"""Where a part of a rule can end, given where it starts: what the choice of a derivation asks again and
again.

Sets of offsets are integers, relative to the place where the part starts: bit ``d`` stands for ``d``
characters behind it. So they are as large as what the part can derive, wherever in the text that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abnforge.budget import Meter
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Core,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
)
from abnforge.grammar.facts import Facts

# rule key -> start offset -> ends, as bits
Spans = Mapping[str, Mapping[int, int]]

# Offsets that are allowed: bit ``d`` of the second stands for ``d`` characters behind the first.
Allowed = tuple[int, int]

# Of so many ends what follows is looked at one by one; of more, the other way round, which is kept.
FEW = 8

# Ends that are looked at in a step of the budget.
ENDS_A_STEP = 2

# What an entry of the memo takes in octets, besides its set.
_OCTETS = 250


def bits(value: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while value:
        low = value & -value
        yield low.bit_length() - 1
        value ^= low


def within(ends: int, start: int, allowed: Allowed) -> int:
    """Those ends of a part that starts at ``start`` that are allowed."""
    low, places = allowed
    behind = low - start
    return (ends >> behind & places) << behind if behind >= 0 else ends & places >> -behind


class Ends:
    """The ends of the parts of all rules in one text. Everything is kept, and charged to ``meter``.

    ``spans`` must hold every span that takes part in a derivation of the whole text, but for empty ones; of
    rules that are not among ``known`` it need not tell any, since what their bodies' parts derive tells them
    (None: it tells of all rules). Recurses with the nesting of groups, and of rules that are not known: these
    must not be recursive. Raises LimitExceeded.
    """

    def __init__(
        self,
        core: Core,
        facts: Facts,
        text: str,
        spans: Spans,
        meter: Meter,
        known: frozenset[str] | None = None,
    ) -> None:
        self._facts = facts
        self._text = text
        self._spans = spans
        self._meter = meter
        self._memo: dict[tuple[int, int, int], int] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._known = known
        # Of the rest of a sequence that starts somewhere: the ends of what is before that were looked at, and
        # for a place those that lead there.
        self._leading: dict[tuple[int, int, int], tuple[int, dict[int, int]]] = {}
        self._of_rules: dict[tuple[str, int], int] = {}
        self.core = core

    def of(self, node: Node, start: int) -> int:
        """The ends of a node that starts at ``start``."""
        match node:
            case Chars(charset=charset):
                return 2 if start < len(self._text) and self._text[start] in charset else 0
            case Ref(key=key) if self._known is None or key in self._known:
                ends = self._spans.get(key, {}).get(start, 0)
                return ends | 1 if key in self._facts.nullable else ends
            case Ref(key=key):
                found = self._of_rules.get((key, start))
                if found is None:
                    productive = key in self._facts.productive
                    found = self.of(self.core.rules[key], start) if productive else 0
                    self._of_rules[key, start] = found
                    self._meter.charge()
                    self._meter.hold(_OCTETS)
                return found
            case Prose():
                return 0
            case Seq():
                return self.of_rest(node, 0, start)
            case Choice(items=items):
                result = 0
                for item in items:
                    result |= self.of(item, start)
                return result
            case Repeat():
                return self._of_repeat(node, start)

    def of_rest(self, node: Seq, index: int, start: int) -> int:
        """The ends of ``node.items[index:]`` when it starts at ``start``."""
        if index == len(node.items):
            return 1
        if index == len(node.items) - 1:
            return self.of(node.items[index], start)
        found = self._memo.get((id(node), index, start))
        return self._of_rest(node, index, start) if found is None else found

    def _of_rest(self, node: Seq, index: int, start: int) -> int:
        """Forward to every place that the items reach, then back; a literal is a sequence of any length."""
        me, last = id(node), len(node.items) - 1
        reached: list[dict[int, tuple[int, ...]]] = []
        places = {start}
        for number in range(index, last):
            ends = {
                place: tuple(place + end for end in bits(self.of(node.items[number], place)))
                for place in places
                if (me, number, place) not in self._memo
            }
            reached.append(ends)
            places = {end for found in ends.values() for end in found}
            self._meter.charge(len(ends) + len(places))
            if not places:
                break
        for number in range(index + len(reached) - 1, index - 1, -1):
            for place, found in reached[number - index].items():
                self._memo[me, number, place] = self._union(
                    [(end - place, self.of_rest(node, number + 1, end)) for end in found]
                )
        return self._memo[me, index, start]

    def _union(self, sets: list[tuple[int, int]]) -> int:
        """All of some sets, for the memo, each relative to a place that is so far behind."""
        result = 0
        for behind, one in sets:
            result |= one << behind
        self._meter.hold(_OCTETS + result.bit_length() // 8)
        return result

    def that_lead_on(self, node: Seq, index: int, start: int, allowed: Allowed) -> int:
        """The ends of an item that starts at ``start`` from which the items behind it lead to an allowed
        place.
        """
        ends = self.of(node.items[index], start)
        count = ends.bit_count()
        if count > FEW:
            return self._leading_on(node, index + 1, start, ends, allowed)
        self._meter.charge(count // ENDS_A_STEP)
        found = 0
        for behind in bits(ends):
            middle = start + behind
            if within(self.of_rest(node, index + 1, middle), middle, allowed):
                found |= 1 << behind
        return found

    def _leading_on(self, node: Seq, index: int, start: int, ends: int, allowed: Allowed) -> int:
        """Those of some ends, of what starts at ``start``, from which the rest of a sequence leads to an
        allowed place.

        Each is looked at once, whoever asks: lists by left recursion ask with ever fewer of the same.
        """
        key = (id(node), index, start)
        looked_at, leading = self._leading.get(key, (0, {}))
        new = ends & ~looked_at
        octets = 0
        for behind in bits(new):
            middle = start + behind
            found = self.of_rest(node, index, middle)
            self._meter.charge(1 + found.bit_count() // ENDS_A_STEP)
            for further in bits(found):
                before = leading.get(middle + further, 0)
                leading[middle + further] = before | 1 << behind
                octets += 0 if before else _OCTETS + behind // 8
        if new:
            self._leading[key] = looked_at | new, leading
            self._meter.hold(octets)
        low, offsets = allowed
        self._meter.charge(offsets.bit_count() // ENDS_A_STEP)
        result = 0
        for offset in bits(offsets):
            result |= leading.get(low + offset, 0)
        return result & ends

    def _of_repeat(self, node: Repeat, start: int) -> int:
        key = (id(node), -1, start)
        found = self._memo.get(key)
        if found is None:
            if node.max is None and node.min == 0:
                return self._of_star(node, start)
            found = 0
            fronts = self.fronts(node, start)[self.minimum(node) :]
            if node.max is None:
                star = self.repeat(node.item, 0, None)
                for behind in bits(fronts[0] if fronts else 0):
                    found |= self.of(star, start + behind) << behind
            for front in fronts:
                found |= front
            self._memo[key] = self._union([(0, found)])
        return found

    def _of_star(self, node: Repeat, start: int) -> int:
        """The closure of the item's ends. Fills the memo for every place on the way, last ones first."""
        ends: dict[int, tuple[int, ...]] = {}
        stack = [start]
        while stack:
            place = stack.pop()
            if place not in ends and (id(node), -1, place) not in self._memo:
                ends[place] = tuple(place + end for end in bits(self.of(node.item, place) & ~1))
                stack.extend(ends[place])
                self._meter.charge(1 + len(ends[place]))
        for place in sorted(ends, reverse=True):
            further = [(end - place, self._memo[id(node), -1, end]) for end in ends[place]]
            self._memo[id(node), -1, place] = self._union([(0, 1), *further])
        return self._memo[id(node), -1, start]

    def repeat(self, item: Node, minimum: int, maximum: int | None) -> Repeat:
        """A repetition of an item; the same one each time."""
        key = (id(item), minimum, maximum)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(item, minimum, maximum)
        return found

    def minimum(self, node: Repeat) -> int:
        """The iterations a repetition must have.

        A nullable item can do all its work in one iteration a character, so a larger minimum asks
        for nothing but empty iterations; beyond MAX_EMPTY_ITERATIONS they are left out of the tree.
        """
        if node.min <= MAX_EMPTY_ITERATIONS or not self._facts.is_nullable(node.item):
            return node.min
        return MAX_EMPTY_ITERATIONS

    def fronts(self, node: Repeat, start: int) -> list[int]:
        """Element k: where k iterations can end, relative to ``start``. Stops when no further count adds
        anything; without a maximum, at the minimum, from where on one count is as good as another.
        """
        minimum = self.minimum(node)
        most = minimum if node.max is None else node.max
        result = [1]
        while len(result) <= most:
            front = 0
            for behind in bits(result[-1]):
                ends = self.of(node.item, start + behind)
                # Beyond the minimum an iteration must consume something.
                front |= (ends if len(result) <= minimum else ends & ~1) << behind
                self._meter.charge()
            if not front:
                break
            result.append(front)
        return result

    def allowed_fronts(self, node: Repeat, start: int, allowed: Allowed) -> list[int]:
        """Element k: where k iterations may end so that further ones, or none, end in ``allowed``."""
        fronts = self.fronts(node, start)
        minimum = self.minimum(node)
        self._meter.hold(sum(_OCTETS + front.bit_length() // 8 for front in fronts))
        following = 0
        for count in range(len(fronts) - 1, -1, -1):
            front = 0
            if node.max is None and count == minimum:
                star = self.repeat(node.item, 0, None)
                for behind in bits(fronts[count]):
                    if within(self.of(star, start + behind), start + behind, allowed):
                        front |= 1 << behind
            elif count >= minimum:
                front = within(fronts[count], start, allowed)
            for behind in bits(fronts[count] & ~front):
                self._meter.charge()
                if self.of(node.item, start + behind) << behind & following:
                    front |= 1 << behind
            fronts[count] = following = front
        return fronts
