"""The contract of DESIGN.md, "Meaning", written down literally and without any thought of speed.

Everything is by enumeration over the core form: the strings of a rule up to a length, their prefixes, and
the derivations of a string. Of those, the preferred one is the least when they are compared decision by
decision from left to right, where an alternative counts by its place and another iteration comes before none.

Slow: for a handful of rules and strings of a handful of characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abnforge.analysis.core_form import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq

# A derivation: its decisions in the order in which they are taken, and the children it adds to the rule
# around it: (rule key, children), or a character.
Derivation = tuple[tuple[int, ...], tuple[Any, ...]]


class Language:
    """The strings of every rule, and their prefixes, up to ``length`` characters of ``alphabet``."""

    def __init__(self, core: Core, alphabet: str, length: int) -> None:
        self.core = core
        self._alphabet = alphabet
        self._length = length
        self._productive: dict[str, bool] = dict.fromkeys(core.rules, False)
        self.strings: Mapping[str, frozenset[str]] = dict.fromkeys(core.rules, frozenset())
        self.prefixes: Mapping[str, frozenset[str]] = dict.fromkeys(core.rules, frozenset())
        self._productive = _fixed_point(
            self._productive, lambda _: self._derives(core.rules[_]), self, "_productive"
        )
        self.strings = _fixed_point(self.strings, lambda _: self._strings(core.rules[_]), self, "strings")
        self.prefixes = _fixed_point(self.prefixes, lambda _: self._prefixes(core.rules[_]), self, "prefixes")

    def longest_viable_prefix(self, key: str, text: str) -> int:
        """The length of the longest prefix of a text that some string of the rule starts with."""
        viable = self.prefixes[key]
        return max((n for n in range(len(text) + 1) if text[:n] in viable), default=0)

    def following(self, key: str, prefix: str) -> set[str]:
        """The characters of the alphabet that can stand behind a viable prefix."""
        return {char for char in self._alphabet if prefix + char in self.prefixes[key]}

    def _derives(self, node: Node) -> bool:
        match node:
            case Chars():
                return True
            case Prose():
                return False
            case Ref(key=key):
                return self._productive[key]
            case Seq(items=items):
                return all(self._derives(item) for item in items)
            case Choice(items=items):
                return any(self._derives(item) for item in items)
            case Repeat(item=item, min=minimum):
                return minimum == 0 or self._derives(item)

    def _strings(self, node: Node) -> frozenset[str]:
        match node:
            case Chars(charset=charset):
                return frozenset(char for char in self._alphabet if char in charset)
            case Prose():
                return frozenset()
            case Ref(key=key):
                return self.strings[key]
            case Seq(items=items):
                result = frozenset({""})
                for item in items:
                    result = self._joined(result, self._strings(item))
                return result
            case Choice(items=items):
                return frozenset().union(*map(self._strings, items))
            case Repeat(item=item):
                return self._repeated(node, self._strings(item))

    def _repeated(self, node: Repeat, once: frozenset[str]) -> frozenset[str]:
        power = frozenset({""})
        for _ in range(node.min):
            power = self._joined(power, once)
        result, count = power, node.min
        while node.max is None or count < node.max:
            power = self._joined(power, once)
            count += 1
            if power <= result:
                break
            result |= power
        return result

    def _prefixes(self, node: Node) -> frozenset[str]:
        match node:
            case Chars():
                return frozenset({""}) | self._strings(node)
            case Prose():
                return frozenset()
            case Ref(key=key):
                return self.prefixes[key]
            case Seq(items=items):
                if not self._derives(node):
                    return frozenset()
                result: frozenset[str] = frozenset({""})
                before = frozenset({""})
                for item in items:
                    result |= self._joined(before, self._prefixes(item))
                    before = self._joined(before, self._strings(item))
                return result
            case Choice(items=items):
                return frozenset().union(*map(self._prefixes, items))
            case Repeat(item=item, max=maximum):
                if not self._derives(node):
                    return frozenset()
                fewer = Repeat(item, 0, None if maximum is None else maximum - 1)
                before = self._repeated(fewer, self._strings(item))
                return frozenset({""}) | self._joined(before, self._prefixes(item))

    def _joined(self, left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
        return frozenset(a + b for a in left for b in right if len(a) + len(b) <= self._length)


def _fixed_point(values: Any, step: Any, owner: Language, name: str) -> Any:
    while True:
        setattr(owner, name, values)
        new = {key: step(key) for key in values}
        if new == values:
            return values
        values = new


def preferred(core: Core, start: str, text: str) -> Any:
    """The tree of the preferred derivation, as ``(rule key, children)``; None when there is none.

    A rule that stands inside itself over the same characters is left out: a derivation with it is
    longer without deriving anything else.
    """
    best = _Preference(core, text).of(Ref(start), 0, len(text), frozenset())
    return None if best is None else best[1][0]


class _Preference:
    def __init__(self, core: Core, text: str) -> None:
        self._core = core
        self._text = text
        self._known: dict[Any, Derivation | None] = {}

    def of(self, part: Any, begin: int, end: int, inside: frozenset[str]) -> Derivation | None:
        """The least derivation of ``text[begin:end]`` from a part of a rule; ``inside`` are the rules
        that are being derived over just these characters.

        A part is a node, ``(Seq, index)``: its items from there on, or ``(Repeat, count)``: it, after
        so many iterations.
        """
        key = (part, begin, end, inside)
        if key not in self._known:
            # No two derivations of one part are such that the decisions of one begin those of the other, so
            # the least of a sequence is made of the least of its items.
            self._known[key] = min(self._all(part, begin, end, inside), default=None)
        return self._known[key]

    def _all(self, part: Any, begin: int, end: int, inside: frozenset[str]) -> Iterator[Derivation]:
        match part:
            case Chars(charset=charset):
                if end == begin + 1 and self._text[begin] in charset:
                    yield (), (self._text[begin],)
            case Prose():
                pass
            case Ref(key=key) if key not in inside:
                found = self.of(self._core.rules[key], begin, end, inside | {key})
                if found is not None:
                    yield found[0], ((key, found[1]),)
            case Choice(items=items):
                for index, item in enumerate(items):
                    found = self.of(item, begin, end, inside)
                    if found is not None:
                        yield (index, *found[0]), found[1]
            case Seq():
                yield from self._all((part, 0), begin, end, inside)
            case (Seq(items=items) as seq, index):
                if index < len(items):
                    yield from self._both((), items[index], (seq, index + 1), begin, end, inside)
                elif begin == end:
                    yield (), ()
            case Repeat():
                yield from self._all((part, 0), begin, end, inside)
            case (Repeat(item=item, min=minimum, max=maximum) as repeat, count):
                if maximum is None or count < maximum:
                    # "An iteration beyond min that matches the empty string is not counted as one."
                    least = begin if count < minimum else begin + 1
                    yield from self._both((0,), item, (repeat, count + 1), begin, end, inside, least)
                if count >= minimum and begin == end:
                    yield (1,), ()

    def _both(
        self,
        decided: tuple[int, ...],
        first: Any,
        rest: Any,
        begin: int,
        end: int,
        inside: frozenset[str],
        least: int = 0,
    ) -> Iterator[Derivation]:
        for middle in range(max(begin, least), end + 1):
            one = self.of(first, begin, middle, inside if middle == end else frozenset())
            other = one and self.of(rest, middle, end, inside if middle == begin else frozenset())
            if one is not None and other is not None:
                yield decided + one[0] + other[0], one[1] + other[1]


def merged(tree: Any) -> Any:
    """A reference tree with neighbouring characters as one string: the shape of the engine's trees."""
    key, children = tree
    result: list[Any] = []
    for child in children:
        if not isinstance(child, str):
            result.append(merged(child))
        elif result and isinstance(result[-1], str):
            result[-1] += child
        else:
            result.append(child)
    return key, tuple(result)
