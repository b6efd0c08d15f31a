"""The strings of a rule, and the position where a string fails, by definition and without regard to speed.

Strings of a rule up to a length, and their prefixes, are enumerated over the core form; ``derivations`` has
the derivations of a string. Slow: for a few rules, and strings of a few characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq


class Language:
    """The strings of every rule, and their prefixes, up to ``length`` characters of ``alphabet``."""

    def __init__(self, core: Core, alphabet: str, length: int) -> None:
        self.core = core
        self.alphabet = alphabet
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
        """Return the length of the longest prefix of the input that a string of the rule starts with."""
        viable = self.prefixes[key]
        return max((n for n in range(len(text) + 1) if text[:n] in viable), default=0)

    def following(self, key: str, prefix: str) -> set[str]:
        """Return the characters of the alphabet that can follow a viable prefix."""
        return {char for char in self.alphabet if prefix + char in self.prefixes[key]}

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
                return frozenset(char for char in self.alphabet if char in charset)
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
