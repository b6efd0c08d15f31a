"""The derivations of a string, and the preferred one: the contract, by enumeration.

A derivation is identified by the sequence of its decisions. Alternatives are ordered by position, and another
iteration of a repetition comes before its end. The preferred derivation is the least one if decisions are
compared from left to right. It uses the first alternative that leads to a derivation of the whole string, and
repetitions match as much as possible.

Three rules keep derivations finite. A tree never has a rule inside itself over the same span. An iteration
beyond the minimum of a repetition is nonempty. The core form limits the number of empty iterations for a
minimum.

This is slow: every part of every rule is tried on every span. Enumerating all derivations is feasible for a
few characters, or with a limit for some dozens of characters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from abnforge.grammar.core import MAX_EMPTY_ITERATIONS, Chars, Choice, Core, Prose, Ref, Repeat, Seq

# (rule key, children): a child is again such a pair, or the characters between two pairs.
Tree = tuple[str, tuple[Any, ...]]

# Its decisions, and the children that it adds to the enclosing rule.
Derivation = tuple[tuple[int, ...], tuple[Any, ...]]

_NONE: frozenset[str] = frozenset()


def derivations(core: Core, start: str, text: str, limit: int | None = None) -> list[Tree]:
    """Return at most ``limit`` derivations of a string from a rule (its key), the preferred one first."""
    with _deep():
        result = _Derivations(core, text, limit).of(Ref(start), 0, len(text), _NONE)
        return [_merged(children[0]) for _, children in result]


def preferred(core: Core, start: str, text: str) -> Tree | None:
    """Return the preferred derivation, or None if the string does not match."""
    return next(iter(derivations(core, start, text, 1)), None)


class _Derivations:
    def __init__(self, core: Core, text: str, limit: int | None) -> None:
        self._core = core
        self._text = text
        self._limit = limit
        self._known: dict[Any, list[Derivation]] = {}

    def of(self, part: Any, begin: int, end: int, inside: frozenset[str]) -> list[Derivation]:
        """Return the derivations of ``text[begin:end]`` from a part of a rule, the least one first.

        ``inside`` are the rules that are being derived over exactly this span. A part is a node, ``(Seq,
        index)`` for the items from an index on, or ``(Repeat, count)`` for a repetition after that number of
        iterations.
        """
        kind = part.key if isinstance(part, Ref) else part
        result = self._known.get((kind, begin, end, inside))
        if result is None:
            # No derivation of a part has decisions that are a prefix of another's. Therefore the least
            # derivations of a sequence consist of the least ones of its items, and keeping these is enough.
            results = sorted(self._all(part, begin, end, inside), key=lambda one: one[0])
            result = self._known[kind, begin, end, inside] = results[: self._limit]
        return result

    def _all(self, part: Any, begin: int, end: int, inside: frozenset[str]) -> list[Derivation]:
        match part:
            case Chars(charset=charset):
                if end == begin + 1 and self._text[begin] in charset:
                    return [((), (self._text[begin],))]
                return []
            case Ref(key=key):
                if key in inside:
                    return []
                result = self.of(self._core.rules[key], begin, end, inside | {key})
                return [(decisions, ((key, children),)) for decisions, children in result]
            case Choice(items=items):
                return [
                    ((index, *decisions), children)
                    for index, item in enumerate(items)
                    for decisions, children in self.of(item, begin, end, inside)
                ]
            case Seq() | Repeat():
                return self.of((part, 0), begin, end, inside)
            case (Seq(items=items) as seq, index):
                if index == len(items):
                    return [((), ())] if begin == end else []
                return self._both((), items[index], (seq, index + 1), begin, end, inside, begin)
            case (Repeat() as repeat, count):
                minimum = least_iterations(self._core, repeat)
                result = []
                if repeat.max is None or count < repeat.max:
                    # If counts are no longer limited, all counts are equivalent.
                    following = count if repeat.max is None and count >= minimum else count + 1
                    least = begin if count < minimum else begin + 1
                    result = self._both((0,), repeat.item, (repeat, following), begin, end, inside, least)
                return [*result, ((1,), ())] if count >= minimum and begin == end else result
            case Prose():
                return []
        raise AssertionError(part)

    def _both(
        self,
        decided: tuple[int, ...],
        first: Any,
        rest: Any,
        begin: int,
        end: int,
        inside: frozenset[str],
        least: int,
    ) -> list[Derivation]:
        """Return derivations of ``first`` up to a position >= ``least``, and of ``rest`` from there."""
        result: list[Derivation] = []
        for middle in range(least, end + 1):
            ones = self.of(first, begin, middle, inside if middle == end else _NONE)
            if not ones:
                continue
            others = self.of(rest, middle, end, inside if middle == begin else _NONE)
            pairs = ((one, other) for one in ones for other in others)
            result += [
                (decided + one[0] + other[0], one[1] + other[1]) for one, other in islice(pairs, self._limit)
            ]
        return result


def least_iterations(core: Core, node: Repeat) -> int:
    """Return the minimum of a repetition, limited as in the core form if iterations can be empty."""
    if node.min <= MAX_EMPTY_ITERATIONS:
        return node.min
    result = dict.fromkeys(core.rules, False)
    while True:
        following = {key: _can_be_empty(body, result) for key, body in core.rules.items()}
        if following == result:
            return MAX_EMPTY_ITERATIONS if _can_be_empty(node.item, result) else node.min
        result = following


def _can_be_empty(node: Any, known: Mapping[str, bool]) -> bool:
    match node:
        case Ref(key=key):
            return known[key]
        case Seq(items=items):
            return all(_can_be_empty(item, known) for item in items)
        case Choice(items=items):
            return any(_can_be_empty(item, known) for item in items)
        case Repeat(item=item, min=minimum):
            return minimum == 0 or _can_be_empty(item, known)
    return False


def _merged(tree: Any) -> Tree:
    """Merge adjacent characters into strings, as the engines do in their trees."""
    key, children = tree
    result: list[Any] = []
    for child in children:
        if not isinstance(child, str):
            result.append(_merged(child))
        elif result and isinstance(result[-1], str):
            result[-1] += child
        else:
            result.append(child)
    return key, tuple(result)


@contextmanager
def _deep() -> Iterator[None]:
    """Allow recursion that is deep enough for some dozens of characters. The calls do not use the C stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
