"""The number of derivations of a string: exact, or infinite, by definition.

Derivations are defined as in ``derivations``, except that a rule can be inside itself over the same span. A
string has infinitely many derivations exactly if one of them contains such a rule, since the part between the
two can be removed or repeated. Otherwise, the number equals the number of enumerated derivations. Derivations
with different decisions count separately, even if their trees are equal.

This is slow, and feasible for strings of a few characters: every part of every rule is tried on every span,
until a fixed point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from tests.reference.derivations import least_iterations

# A part of a rule that matches a span is represented as (part, begin, end). A part is a rule key, a node,
# ``(Seq, index)`` for the items from an index on, or ``(Repeat, count)`` for a repetition after ``count``
# iterations.
Place = tuple[Any, int, int]


def count(core: Core, start: str, text: str) -> float:
    """Return the number of derivations of a string from a rule (its key), or ``math.inf``."""
    return _Counter(core, text).count((start, 0, len(text)))


class _Counter:
    def __init__(self, core: Core, text: str) -> None:
        self._core = core
        self._text = text
        self._least = {
            id(node): least_iterations(core, node)
            for body in core.rules.values()
            for node in _nodes(body)
            if isinstance(node, Repeat)
        }
        self._derived = self._all_derived()

    def count(self, root: Place) -> float:
        """Return the number of derivations of a part over a span: over all ways, the sum of products."""
        if root not in self._derived:
            return 0
        numbers: dict[Place, int] = {}
        above: set[Place] = set()  # parts on the way from the root to the current part
        stack = [root]
        while stack:
            place = stack[-1]
            ways = [way for way in self._ways(place) if self._derived.issuperset(way)]
            unknown = next((below for way in ways for below in way if below not in numbers), None)
            if unknown is None:
                numbers[place] = sum(math.prod(numbers[below] for below in way) for way in ways)
                above.discard(place)
                stack.pop()
                continue
            above.add(place)
            if unknown in above:
                # Everything derived below the root is part of a derivation of the whole string.
                return math.inf
            stack.append(unknown)
        return numbers[root]

    def _all_derived(self) -> frozenset[Place]:
        """Return the spans that parts match, computed as a least fixed point."""
        size = len(self._text)
        parts: list[Any] = list(self._core.rules)
        for body in self._core.rules.values():
            for node in _nodes(body):
                parts.append(node)
                if isinstance(node, Seq):
                    parts += [(node, index) for index in range(len(node.items) + 1)]
                elif isinstance(node, Repeat):
                    most = self._least[id(node)] if node.max is None else node.max
                    parts += [(node, number) for number in range(most + 1)]
        places = [(p, i, j) for p in parts for i in range(size + 1) for j in range(i, size + 1)]
        result: set[Place] = set()
        while True:
            fresh = {
                p for p in places if p not in result and any(result.issuperset(way) for way in self._ways(p))
            }
            if not fresh:
                return frozenset(result)
            result |= fresh

    def _ways(self, place: Place) -> Iterator[tuple[Place, ...]]:
        """Yield the ways to derive a part over a span, each as a list of parts."""
        part, begin, end = place
        match part:
            case str():
                yield ((self._core.rules[part], begin, end),)
            case Chars(charset=charset):
                if end == begin + 1 and self._text[begin] in charset:
                    yield ()
            case Ref(key=key):
                yield ((key, begin, end),)
            case Choice(items=items):
                yield from (((item, begin, end),) for item in items)
            case Seq() | Repeat():
                yield (((part, 0), begin, end),)
            case (Seq(items=items) as seq, index):
                if index == len(items):
                    if begin == end:
                        yield ()
                    return
                for middle in range(begin, end + 1):
                    yield ((items[index], begin, middle), ((seq, index + 1), middle, end))
            case (Repeat() as repeat, number):
                minimum = self._least[id(repeat)]
                if number >= minimum and begin == end:
                    yield ()
                if repeat.max is None or number < repeat.max:
                    following = number if repeat.max is None and number >= minimum else number + 1
                    # Beyond the minimum, an iteration is nonempty.
                    for middle in range(begin if number < minimum else begin + 1, end + 1):
                        yield ((repeat.item, begin, middle), ((repeat, following), middle, end))
            case Prose():
                return


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Seq(items=items) | Choice(items=items):
            for item in items:
                yield from _nodes(item)
        case Repeat(item=item):
            yield from _nodes(item)
