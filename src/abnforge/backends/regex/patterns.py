"""Which expression of a rule becomes its pattern: one that is safe to match, and proved right.

An expression is safe when no text makes an engine that backtracks try more than one way: ``safety`` tells
what that asks of it, and automata answer where the grammar's text alone does not. If the expression that a
rule's definition gives is not safe, each rule in it that is not gets another one made from its automaton
(``elimination``). What is written is read back and compared with the rule's automaton (``proof``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from abnforge._lazy import cached_property
from abnforge.automaton.algebra import included, witnesses
from abnforge.automaton.dfa import Automaton, build
from abnforge.backends.regex.covering import uncovered
from abnforge.backends.regex.dialects import PYTHON, Dialect
from abnforge.backends.regex.elimination import expressions
from abnforge.backends.regex.expression import regex_tree
from abnforge.backends.regex.messages import message
from abnforge.backends.regex.plain import says
from abnforge.backends.regex.proof import UndecidedError, difference
from abnforge.backends.regex.safety import MAX_WAYS, After, ways
from abnforge.backends.regex.tree import Regex, UnsafeError, has_long_turns
from abnforge.backends.regex.writer import write_pattern
from abnforge.budget import Meter
from abnforge.charset import ANY, EMPTY
from abnforge.grammar.core import Chars, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, LanguageBounds, language_bounds, walk

# Questions put to automata about whether one pattern is safe to match. The rules of RFC 2396 need up to 24.
MAX_QUESTIONS = 50

# Steps that a question takes beside the automata that are asked.
_QUESTION = 200

_Apart = Callable[[Node, Node], bool]


class Patterns:
    """The regular rules of one grammar as patterns.

    ``bodies`` are the rules' recursion-free bodies by key; ``automaton`` gives a rule's minimal automaton and
    may raise LimitExceeded. What was found out once is kept, but charged again whenever it is used: what a
    question comes to does not depend on those before it.
    """

    def __init__(self, core: Core, bodies: Mapping[str, Node], automaton: Callable[[str], Automaton]) -> None:
        self._core = core
        self._bodies = bodies
        self._automaton = automaton
        # By identity of the node, which is kept so that the identity stays its own; with what it cost.
        self._parts: dict[int, tuple[Node, Automaton, int]] = {}
        self._trees: dict[tuple[str, frozenset[str]], tuple[Regex, int]] = {}

    def proved(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """A rule's pattern in a dialect, with a named group for each place of the rules in ``groups``.

        It accepts what the rule's automaton does, of the texts that the dialect's strings can hold. Raises
        UnsafeError, LimitExceeded, and UndecidedError where that was not shown. Cost: that of ``write``, of
        the rule's automaton and of the proof.
        """
        pattern = self.write(key, dialect, groups, anchored, meter)
        found = difference(pattern, self._automaton(key), dialect, meter, anchored=anchored)
        if found is not None:
            code = "regex-only-accepts" if found.accepted else "regex-only-rejects"
            raise UndecidedError(message(code, text=found.text))
        return pattern

    def write(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """The same, and not yet proved. Raises UnsafeError, LimitExceeded.

        Cost: that of the automata of alternatives that overlap.
        """
        uncovered = partial(self._uncovered, meter)
        try:
            simple = self._tree(key, groups, uncovered, meter)
            _refuse_many_ways(simple, dialect)
            return write_pattern(simple, dialect, anchored=anchored)
        except UnsafeError:
            questions = iter(range(MAX_QUESTIONS))

            def apart(node: Node, other: Node) -> bool:
                if next(questions, None) is None:
                    raise UnsafeError(message("regex-questions", limit=MAX_QUESTIONS))
                return self._apart(node, other, meter)

            rewrite = partial(self._rewrite, apart, meter)
            other = regex_tree(self._bodies, key, groups, uncovered, rewrite)
            _refuse_many_ways(other, dialect)
            return write_pattern(other, dialect, anchored=anchored, apart=apart)

    def write_plain(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool) -> str:
        """A pattern that takes no automaton: the rule's expression, every quantifier of which gives back.

        It is read back and compared with the expression (``plain``). Raises UnsafeError where the dialect
        cannot write it, or where matching it could backtrack at length or would keep a place on the stack for
        every turn of a loop. Cost: linear.
        """
        node = regex_tree(self._bodies, key, groups)
        _refuse_many_ways(node, dialect)
        if dialect.possessive and has_long_turns(node):
            raise UnsafeError(message("regex-stack"))
        pattern = write_pattern(node, replace(dialect, possessive=False), anchored=anchored)
        if not says(pattern, node, dialect, anchored):
            raise UnsafeError(message("regex-read-back"))
        return pattern

    def _tree(
        self,
        key: str,
        groups: frozenset[str],
        uncovered: Callable[[Sequence[Node]], list[int]],
        meter: Meter,
    ) -> Regex:
        """The simplified expression that the definition of a rule gives."""
        if (key, groups) in self._trees:
            tree, cost = self._trees[key, groups]
            meter.charge(cost)
            return tree
        before = meter.steps
        tree = regex_tree(self._bodies, key, groups, uncovered)
        self._trees[key, groups] = tree, meter.steps - before
        return tree

    def _rewrite(self, apart: _Apart, meter: Meter, key: str, node: Regex) -> Regex:
        """The expression, or one of its rule's automaton if only such a one is safe."""

        def candidates() -> Iterator[Regex]:
            yield node
            yield from expressions(self._automaton(key))

        for candidate in candidates():
            meter.charge(100)
            try:
                write_pattern(candidate, PYTHON, apart=apart)
            except UnsafeError:
                continue
            return candidate
        return node

    def _apart(self, node: Node, other: Node, meter: Meter) -> bool:
        """Whether no text of a node begins another one of it, nor one of the other node."""
        meter.charge(_QUESTION)
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
        """Whether every text of a node is one of the other node, too."""
        meter.charge(_QUESTION)
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
        """The automaton of a part of a rule."""
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


def _refuse_many_ways(node: Regex, dialect: Dialect) -> None:
    if not dialect.linear and ways(node, After(EMPTY, None)) > MAX_WAYS:
        raise UnsafeError(message("regex-ways", limit=MAX_WAYS))
