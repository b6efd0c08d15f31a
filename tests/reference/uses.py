"""The parts of a grammar that the preferred derivation of a string uses, by enumeration and replay.

This module does not use marks: derivations are enumerated (``derivations``), and the decisions of the least
derivation determine the chosen alternatives and the numbers of iterations.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.conformance.usage import MANY, ONE, RULE, ZERO, MarkedRules
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from tests.reference.derivations import _NONE, _deep, _Derivations

# The number of a part, and the span that it matched.
Use = tuple[int, int, int]


def uses(marked: MarkedRules, key: str, text: str) -> list[Use] | None:
    """Return the sorted uses of parts in the preferred derivation of a string, or None without a match."""
    with _deep():
        result = _Derivations(marked.plain, text, 1).of(Ref(key), 0, len(text), _NONE)
        if not result:
            return None
        replay = _Replay(marked, result[0][0])
        assert replay.node(Ref(key), 0) == len(text)
        return sorted(replay.uses)


class _Replay:
    def __init__(self, marked: MarkedRules, decisions: tuple[int, ...]) -> None:
        self._marked = marked
        self._decisions: Iterator[int] = iter(decisions)
        self.uses: list[Use] = []

    def _use(self, node: Node, wanted: int | str, start: int, end: int) -> None:
        """Record the alternative with this index, or the count of this kind."""
        parts = [(number, each) for number, each in enumerate(self._marked.parts) if each.node is node]
        parts = [(number, each) for number, each in parts if each.part.kind != RULE]
        if isinstance(wanted, int):
            parts = [parts[wanted]]
        else:
            parts = [(number, each) for number, each in parts if each.part.kind == wanted]
        self.uses += [(number, start, end) for number, _ in parts]

    def node(self, node: Node, at: int) -> int:
        """Replay a node from a position, and return its end."""
        match node:
            case Chars():
                return at + 1
            case Ref(key=key):
                body = self._marked.plain.rules[key]
                end = self.node(body, at)
                for number, each in enumerate(self._marked.parts):
                    if each.part.kind == RULE and each.plus == key:
                        self.uses.append((number, at, end))
                return end
            case Seq(items=items):
                for item in items:
                    at = self.node(item, at)
                return at
            case Choice(items=items):
                chosen = next(self._decisions)
                end = self.node(items[chosen], at)
                self._use(node, chosen, at, end)
                return end
            case Repeat(item=item):
                start, count = at, 0
                while next(self._decisions) == 0:
                    at = self.node(item, at)
                    count += 1
                self._use(node, (ZERO, ONE, MANY)[min(count, 2)], start, at)
                return at
        raise AssertionError(node)
