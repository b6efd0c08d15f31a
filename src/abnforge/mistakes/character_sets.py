"""The characters that a rule stands for: those that it derives alone, as strings of one character."""

from __future__ import annotations

from abnforge.charset import CharSet, union
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts


def characters(core: Core, key: str) -> CharSet:
    """The strings of one character that a rule derives, as a set.

    ``pchar`` of RFC 3986 gives its unreserved characters, sub-delims, ``:`` and ``@``; the percent sign of
    a triplet is no such string. Cost: linear in the rules that it needs.
    """
    return _Alone(core, key).known[key]


class _Alone:
    """The sets of all rules that one needs: the least that satisfy their definitions."""

    def __init__(self, core: Core, start: str) -> None:
        self._facts = Facts(core)
        self.known = dict.fromkeys(reversed(self._facts.reachable(start)), CharSet())
        grown = True
        while grown:
            grown = False
            for key, before in self.known.items():
                found = self._node(core.rules[key])
                if found != before:
                    self.known[key] = found
                    grown = True

    def _node(self, node: Node) -> CharSet:
        match node:
            case Chars(charset=charset):
                return charset
            case Ref(key=key):
                return self.known[key]
            case Seq(items=items):
                heavy = [item for item in items if not self._facts.is_nullable(item)]
                if len(heavy) > 1:
                    return CharSet()
                return union(map(self._node, heavy or items))
            case Choice(items=items):
                return union(map(self._node, items))
            case Repeat(item=item, min=low):
                return self._node(item) if low <= 1 or self._facts.is_nullable(item) else CharSet()
            case _:
                return CharSet()
