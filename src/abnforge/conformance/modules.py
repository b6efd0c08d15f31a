"""Split a large rule into modules, each with a complete suite.

The size of a complete suite is exponential in the number of additional states: two more states of URI's
automaton take 17 million strings. With one string instead of ``IPv6address``, URI has 32 states; and
``IPv6address`` is tested in a short sentence. The price: an implementation that treats a module differently
in different places may pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abnforge.automata.algebra import shortest
from abnforge.automata.dfa import Automaton, build
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.grammar.core import EPSILON, Chars, Choice, Node, Seq
from abnforge.grammar.facts import walk
from abnforge.grammar.sentences import Sentences

MIN_STATES = 8
"""States of a rule that is worth a module."""

MAX_TRIED = 12
"""Rules below a module that are tried as modules of their own: those with the most states."""

MIN_GAIN = 0.7
"""The maximum size of the suites of two modules, relative to that of both as one."""


@dataclass(frozen=True, slots=True)
class Module:
    """A rule in its context, between ``before`` and ``behind``. ``instead`` are the rules below it that are
    other modules, and their replacements.
    """

    name: str
    acceptor: Acceptor
    before: str
    behind: str
    instead: tuple[str, ...] = ()


def modules(rule: Rule, extra: int, meter: Meter) -> list[Module]:
    """Return the modules of a regular rule, itself first; only itself if modules have no advantage.

    Raises LimitExceeded. Cost: some automata of its parts.
    """
    if expression_of(rule) is not None:
        return [Module(rule.name, Acceptor(rule.automaton), "", "")]
    return list(_Cutting(rule, extra, meter).cut(rule.key, "", ""))


class _Cutting:
    def __init__(self, rule: Rule, extra: int, meter: Meter) -> None:
        self._grammar = rule.grammar
        self._bodies = rule.grammar.compilation.bodies
        self._extra = extra
        self._meter = meter
        self._source: Sentences = source_of(rule)
        self._done: set[str] = set()

    def cut(self, key: str, before: str, behind: str) -> Iterator[Module]:
        """The modules of a rule where it stands; each rule is one in one place alone."""
        self._done.add(key)
        names = self._grammar.core.names
        automaton = self._automaton(key, {})
        instead: dict[str, Node] = {}
        while (found := self._best(key, automaton, instead)) is not None:
            below, automaton = found
            instead[below] = self._body(below)
        cut = tuple(names[below] for below in instead)
        yield Module(names[key], Acceptor(automaton), before, behind, cut)
        contexts = self._source.contexts(key)
        for below in instead:
            if below not in self._done:
                start, end = contexts[below]
                yield from self.cut(below, before + start, end + behind)

    def _best(
        self, key: str, automaton: Automaton, instead: Mapping[str, Node]
    ) -> tuple[str, Automaton] | None:
        """Return the rule below that is the best module, and the rest."""
        sizes = {
            below: self._automaton(below, {}).states
            for below in self._below(key, instead)
            if below != key and below not in instead and below in self._bodies
        }
        tried = [
            below
            for below in sorted(sizes, key=lambda below: (-sizes[below], below))
            if MIN_STATES <= sizes[below] < automaton.states
        ]
        limit = MIN_GAIN * self._cost(automaton)
        best = None
        for below in tried[:MAX_TRIED]:
            left = self._automaton(key, {**instead, below: self._body(below)})
            cost = self._cost(left) + self._cost(self._automaton(below, {}))
            if cost < limit:
                limit, best = cost, (below, left)
        return best

    def _below(self, key: str, instead: Mapping[str, Node]) -> list[str]:
        """Return the rules that a rule needs, in order of occurrence."""
        found = {key: None}
        for each in (queue := [key]):
            for node in walk(instead.get(each, self._bodies[each])):
                below = getattr(node, "key", None)
                if below is not None and below not in found:
                    found[below] = None
                    queue.append(below)
        return list(found)

    def _automaton(self, key: str, instead: Mapping[str, Node]) -> Automaton:
        if not instead:
            return self._grammar.compilation.automaton(key)
        return build(self._grammar.core, {**self._bodies, **instead}, key, self._meter)

    def _body(self, key: str) -> Node:
        """A shortest string of a rule that is not empty; and the empty one, if it derives that."""
        automaton = self._automaton(key, {})
        text = _shortest_nonempty(automaton)
        literal: Node = Seq(tuple(Chars(CharSet.of(char)) for char in text))
        return Choice((literal, EPSILON)) if 0 in automaton.accepting and text else literal

    def _cost(self, automaton: Automaton) -> int:
        """About what the suite of an automaton takes."""
        classes: int = automaton.width ** (self._extra + 1)
        return automaton.states * classes


def _shortest_nonempty(automaton: Automaton) -> str:
    found = shortest(automaton)
    if found:
        return found
    acceptor = Acceptor(automaton)
    ends = [
        (1 + len(behind), place, number)
        for place, number in enumerate(acceptor.order)
        if (behind := acceptor.completions[acceptor.rows[0][number]]) is not None
    ]
    if not ends:
        return ""
    number = min(ends)[2]
    behind = acceptor.completions[acceptor.rows[0][number]]
    assert behind is not None
    return acceptor.text((number, *behind))
