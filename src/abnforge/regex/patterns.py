"""Choose the expression of a rule that becomes its pattern: one that is safe to match, and proved equal.

An expression is safe if an engine that backtracks tries one way for each string: ``safety`` decides this,
with automata where first characters are not enough. If the expression of the definition is not safe, each
unsafe rule in it gets an expression from its automaton (``from_rule.to_regex``). ``proof`` reads the written
pattern back and compares it with the automaton of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from abnforge._lazy import cached_property
from abnforge.automata.algebra import included, witnesses
from abnforge.automata.dfa import Automaton, build
from abnforge.budget import Meter
from abnforge.charset import ANY, EMPTY
from abnforge.grammar.core import Chars, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, LanguageBounds, language_bounds, walk
from abnforge.regex.ast import Regex, has_long_turns
from abnforge.regex.dialects import PYTHON, Dialect
from abnforge.regex.errors import UndecidedError, UnsafeError
from abnforge.regex.from_rule import regex_tree, to_regex, uncovered
from abnforge.regex.messages import message
from abnforge.regex.proof import difference, is_rendering_of
from abnforge.regex.safety import MAX_WAYS, After, ways
from abnforge.regex.writer import write_pattern

# Calls of ``apart`` for one pattern. The rules of RFC 2396 need up to 24.
MAX_COMPARISONS = 50

# Steps of a comparison in addition to its automata.
_COMPARISON_COST = 200

_Apart = Callable[[Node, Node], bool]


class Patterns:
    """The regular rules of one grammar as patterns.

    ``bodies`` are the recursion-free bodies of the rules by key; ``automaton`` returns the minimal automaton
    of a rule and may raise LimitExceeded. Results are kept, but each use is charged again, so that no result
    depends on earlier calls.
    """

    def __init__(self, core: Core, bodies: Mapping[str, Node], automaton: Callable[[str], Automaton]) -> None:
        self._core = core
        self._bodies = bodies
        self._automaton = automaton
        # By the identity of the node, which is kept alive; with its steps.
        self._parts: dict[int, tuple[Node, Automaton, int]] = {}
        self._trees: dict[tuple[str, frozenset[str]], tuple[Regex, int]] = {}

    def proved(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """Return the proved pattern of a rule, with a named group for each use of the rules in ``groups``.

        It accepts the strings of the automaton that are over the alphabet of the dialect. Raises UnsafeError,
        LimitExceeded, and UndecidedError if there is no proof. Complexity: that of ``write``, of the
        automaton and of the proof.
        """
        pattern = self.write(key, dialect, groups, anchored, meter)
        counterexample = difference(pattern, self._automaton(key), dialect, meter, anchored=anchored)
        if counterexample is not None:
            code = "regex-only-accepts" if counterexample.accepted else "regex-only-rejects"
            raise UndecidedError(message(code, text=counterexample.text))
        return pattern

    def write(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """Return the same pattern without a proof. Raises UnsafeError, LimitExceeded.

        Complexity: that of the automata of alternatives that overlap.
        """
        uncovered = partial(self._uncovered, meter)
        try:
            simple = self._tree(key, groups, uncovered, meter)
            _reject_many_ways(simple, dialect)
            return write_pattern(simple, dialect, anchored=anchored)
        except UnsafeError:
            comparisons = iter(range(MAX_COMPARISONS))

            def apart(node: Node, other: Node) -> bool:
                if next(comparisons, None) is None:
                    raise UnsafeError(message("regex-questions", limit=MAX_COMPARISONS))
                return self._apart(node, other, meter)

            rewrite = partial(self._rewrite, apart, meter)
            other = regex_tree(self._bodies, key, groups, uncovered, rewrite)
            _reject_many_ways(other, dialect)
            return write_pattern(other, dialect, anchored=anchored, apart=apart)

    def write_plain(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool) -> str:
        """Return the expression of a rule without possessive quantifiers, which needs no automaton.

        It is read back and compared with the expression (``is_rendering_of``). Raises UnsafeError if the
        dialect cannot express it, or if a match could backtrack at length or would keep a stack frame for
        each turn of a loop. Complexity: linear.
        """
        node = regex_tree(self._bodies, key, groups)
        _reject_many_ways(node, dialect)
        if dialect.possessive and has_long_turns(node):
            raise UnsafeError(message("regex-stack"))
        pattern = write_pattern(node, replace(dialect, possessive=False), anchored=anchored)
        if not is_rendering_of(pattern, node, dialect, anchored):
            raise UnsafeError(message("regex-read-back"))
        return pattern

    def _tree(
        self,
        key: str,
        groups: frozenset[str],
        uncovered: Callable[[Sequence[Node]], list[int]],
        meter: Meter,
    ) -> Regex:
        """Return the simplified expression of the definition of a rule."""
        if (key, groups) in self._trees:
            tree, cost = self._trees[key, groups]
            meter.charge(cost)
            return tree
        before = meter.steps
        tree = regex_tree(self._bodies, key, groups, uncovered)
        self._trees[key, groups] = tree, meter.steps - before
        return tree

    def _rewrite(self, apart: _Apart, meter: Meter, key: str, node: Regex) -> Regex:
        """Return an expression, or one of the automaton of its rule if only that is safe."""

        def candidates() -> Iterator[Regex]:
            yield node
            yield from to_regex(self._automaton(key))

        for candidate in candidates():
            meter.charge(100)
            try:
                write_pattern(candidate, PYTHON, apart=apart)
            except UnsafeError:
                continue
            return candidate
        return node

    def _apart(self, node: Node, other: Node, meter: Meter) -> bool:
        """Return whether no string of a node is a prefix of another one, or of one of ``other``."""
        meter.charge(_COMPARISON_COST)
        one = Chars(ANY)
        texts = self._build(node, meter)
        longer = self._build(Seq((node, one, Repeat(one, 0, None))), meter)
        if witnesses(texts, longer, meter).common is not None:
            return False
        at_least = self._build(Seq((node, Repeat(one, 0, None))), meter)
        return witnesses(self._build(other, meter), at_least, meter).common is None

    @cached_property
    def _shapes(self) -> Mapping[str, LanguageBounds]:
        return language_bounds(Facts(Core(self._bodies, self._core.names)))

    def _uncovered(self, meter: Meter, items: Sequence[Node]) -> list[int]:
        return uncovered(items, self._shapes, self._covers, meter)

    def _covers(self, node: Node, other: Node, meter: Meter) -> bool:
        """Return whether the language of a node is a subset of the other."""
        meter.charge(_COMPARISON_COST)
        return included(self._part(node, meter), self._part(other, meter), meter)

    def _part(self, node: Node, meter: Meter) -> Automaton:
        if id(node) in self._parts:
            _, automaton, cost = self._parts[id(node)]
            meter.charge(cost)
            return automaton
        before = meter.steps
        automaton = self._build(node, meter)
        self._parts[id(node)] = node, automaton, meter.steps - before
        return automaton

    def _build(self, node: Node, meter: Meter) -> Automaton:
        """Return the automaton of a part of a rule."""
        needed: dict[str, Node] = {}
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                meter.charge()
                if isinstance(part, Ref) and part.key not in needed:
                    needed[part.key] = self._bodies[part.key]
                    waiting.append(needed[part.key])
        names = {**self._core.names, "": "a part of a rule"}
        return build(Core({}, names), {**needed, "": node}, "", meter)


def _reject_many_ways(node: Regex, dialect: Dialect) -> None:
    if not dialect.linear and ways(node, After(EMPTY, None)) > MAX_WAYS:
        raise UnsafeError(message("regex-ways", limit=MAX_WAYS))
