"""Which expression of a rule becomes its pattern: one that is safe to match by backtracking.

An expression is safe when no text makes an engine that backtracks try more than one way: ``safety`` tells
what that asks of it, and automata answer where the grammar's text alone does not. If the expression that a
rule's definition gives is not safe, each rule in it that is not gets another one made from its automaton
(``elimination``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from abnforge.analysis.core_form import Chars, Core, Node, Repeat, Seq
from abnforge.automaton.algebra import included, witnesses
from abnforge.automaton.dfa import Automaton, build
from abnforge.backends.regex.dialects import PYTHON, Dialect
from abnforge.backends.regex.elimination import expressions
from abnforge.backends.regex.expression import regex_tree
from abnforge.backends.regex.tree import Regex, Unsafe
from abnforge.backends.regex.writer import write_pattern
from abnforge.charset import ANY

# Questions put to automata about whether one pattern is safe to match. The rules of RFC 2396 need up to 24.
MAX_QUESTIONS = 50


class Patterns:
    """The regular rules of one grammar as patterns.

    ``bodies`` are the rules' recursion-free bodies by key; ``automaton`` gives a rule's minimal automaton and
    may raise LimitExceeded.
    """

    def __init__(self, core: Core, bodies: Mapping[str, Node], automaton: Callable[[str], Automaton]) -> None:
        self._core = core
        self._bodies = bodies
        self._automaton = automaton
        # By identity of the node, which is kept so that the identity stays its own.
        self._parts: dict[int, tuple[Node, Automaton]] = {}

    def write(
        self, key: str, dialect: Dialect, groups: frozenset[str] = frozenset(), anchored: bool = False
    ) -> str:
        """A rule's pattern in a dialect, with a named group for each place of the rules in ``groups``.

        Raises Unsafe, LimitExceeded. Cost: that of the automata of alternatives that overlap.
        """
        try:
            simple = regex_tree(self._bodies, key, groups, self._covers)
            return write_pattern(simple, dialect, anchored=anchored)
        except Unsafe:
            questions = iter(range(MAX_QUESTIONS))

            def apart(node: Node, other: Node) -> bool:
                if next(questions, None) is None:
                    raise Unsafe(
                        f"whether it is safe takes more than {MAX_QUESTIONS} questions (MAX_QUESTIONS)"
                    )
                return self._apart(node, other)

            rewrite = partial(self._rewrite, apart)
            other = regex_tree(self._bodies, key, groups, self._covers, rewrite)
            return write_pattern(other, dialect, anchored=anchored, apart=apart)

    def write_unasked(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool) -> str:
        """The same without a question to automata, which only an engine that never backtracks can do with.

        Raises Unsafe where the dialect cannot write the expression.
        """
        return write_pattern(regex_tree(self._bodies, key, groups), dialect, anchored=anchored)

    def _rewrite(self, apart: Callable[[Node, Node], bool], key: str, node: Regex) -> Regex:
        """The expression, or one of its rule's automaton if only such a one is safe."""

        def candidates() -> Iterator[Regex]:
            yield node
            yield from expressions(self._automaton(key))

        for candidate in candidates():
            try:
                write_pattern(candidate, PYTHON, apart=apart)
            except Unsafe:
                continue
            return candidate
        return node

    def _apart(self, node: Node, other: Node) -> bool:
        """Whether no text of a node begins another one of it, nor one of the other node."""
        one = Chars(ANY)
        texts = self._build(node)
        longer = self._build(Seq((node, one, Repeat(one, 0, None))))
        if witnesses(texts, longer).both is not None:
            return False
        at_least = self._build(Seq((node, Repeat(one, 0, None))))
        return witnesses(self._build(other), at_least).both is None

    def _covers(self, node: Node, other: Node) -> bool:
        """Whether every text of a node is one of the other node, too."""
        return included(self._part(node), self._part(other))

    def _part(self, node: Node) -> Automaton:
        if id(node) not in self._parts:
            self._parts[id(node)] = node, self._build(node)
        return self._parts[id(node)][1]

    def _build(self, node: Node) -> Automaton:
        names = {**self._core.names, "": "a part of a rule"}
        return build(Core({}, names), {**self._bodies, "": node}, "")
