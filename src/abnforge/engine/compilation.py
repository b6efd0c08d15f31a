"""What a grammar compiles to, rule by rule: automata, patterns, Lark text; made when asked for, or read.

For bundled grammars ``tools/build_grammars.py`` has made all of it; others are compiled at run
time by the same functions and kept for as long as the grammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from abnforge.analysis.core import Chars, Core, Node, Repeat, Seq
from abnforge.analysis.facts import Facts
from abnforge.charset import ANY
from abnforge.errors import LimitExceeded

# A bundled grammar needs no compiler, and importing them all takes longer than reading what they made: so
# each is imported where it is called.
if TYPE_CHECKING:
    from abnforge.automaton.dfa import Automaton
    from abnforge.backends.lark import LarkGrammar
    from abnforge.backends.regex.dialects import Dialect
    from abnforge.backends.regex.tree import Regex

# Questions put to automata about whether one pattern is safe to match. The rules of RFC 2396 need up to 24.
MAX_QUESTIONS = 50


class Compiled:
    """The compilers of one grammar, and their results by rule key."""

    def __init__(self, core: Core, facts: Facts) -> None:
        self.core = core
        self.facts = facts
        self._automata: dict[str, Automaton] = {}
        self._patterns: dict[str, str | None] = {}

    @cached_property
    def bodies(self) -> Mapping[str, Node]:
        """Recursion-free bodies of the rules that are known to be regular."""
        from abnforge.analysis.regularity import regular_bodies

        return regular_bodies(self.facts)

    @cached_property
    def lark(self) -> LarkGrammar:
        """All rules as a Lark grammar, with the table of names."""
        from abnforge.backends.lark import lark_grammar

        return lark_grammar(self.core, self.facts)

    def is_regular(self, key: str) -> bool:
        """Whether a rule is known to denote a regular language."""
        return key in self.bodies

    def automaton(self, key: str) -> Automaton:
        """The minimal automaton of a regular rule. Raises LimitExceeded."""
        from abnforge.automaton.dfa import build

        if key not in self._automata:
            self._automata[key] = build(self.core, self.bodies, key)
        return self._automata[key]

    def pattern(self, key: str) -> str | None:
        """A pattern for ``re.fullmatch`` that accepts exactly what the rule derives; None if none is safe."""
        if key not in self._patterns:
            self._patterns[key] = self.components_pattern(key, frozenset()) if self.is_regular(key) else None
        return self._patterns[key]

    def components_pattern(self, key: str, groups: frozenset[str]) -> str | None:
        """The same with a named group for each place of the rules in ``groups``."""
        from abnforge.backends.regex.dialects import PYTHON
        from abnforge.backends.regex.tree import Unsafe

        try:
            return self.write(key, PYTHON, groups)
        except (Unsafe, LimitExceeded):
            return None

    def write(
        self, key: str, dialect: Dialect, groups: frozenset[str] = frozenset(), anchored: bool = False
    ) -> str:
        """A regular rule's pattern in a dialect. Raises Unsafe, LimitExceeded.

        If the expression that its definition gives is not safe, each rule in it that is not gets another one
        made from its automaton.
        """
        from abnforge.backends.regex.tree import Unsafe, regex_tree
        from abnforge.backends.regex.writer import write_pattern

        try:
            return write_pattern(self.regex(key, groups), dialect, anchored=anchored)
        except Unsafe:
            questions = iter(range(MAX_QUESTIONS))

            def apart(node: Node, other: Node) -> bool:
                if next(questions, None) is None:
                    raise Unsafe(
                        f"whether it is safe takes more than {MAX_QUESTIONS} questions (MAX_QUESTIONS)"
                    )
                return self._apart(node, other)

            rewrite = partial(self._rewrite, apart)
            other = regex_tree(self.bodies, key, groups, self._covers, rewrite)
            return write_pattern(other, dialect, anchored=anchored, apart=apart)

    def regex(self, key: str, groups: frozenset[str] = frozenset()) -> Regex:
        """The simplified expression of a regular rule. Raises Unsafe, LimitExceeded."""
        from abnforge.backends.regex.tree import regex_tree

        return regex_tree(self.bodies, key, groups, self._covers)

    @cached_property
    def _parts(self) -> dict[int, tuple[Node, Automaton]]:
        return {}  # by identity of the node, which is kept so that the identity stays its own

    def _rewrite(self, apart: Callable[[Node, Node], bool], key: str, node: Regex) -> Regex:
        """The expression, or one of its rule's automaton if only such a one is safe."""
        from abnforge.backends.regex.dialects import PYTHON
        from abnforge.backends.regex.elimination import expressions
        from abnforge.backends.regex.tree import Unsafe
        from abnforge.backends.regex.writer import write_pattern

        def candidates() -> Iterator[Regex]:
            yield node
            yield from expressions(self.automaton(key))

        for candidate in candidates():
            try:
                write_pattern(candidate, PYTHON, apart=apart)
            except Unsafe:
                continue
            return candidate
        return node

    def _apart(self, node: Node, other: Node) -> bool:
        """Whether no text of a node begins another one of it, nor one of the other node."""
        from abnforge.automaton.algebra import witnesses

        one = Chars(ANY)
        texts = self._build(node)
        longer = self._build(Seq((node, one, Repeat(one, 0, None))))
        if witnesses(texts, longer).both is not None:
            return False
        at_least = self._build(Seq((node, Repeat(one, 0, None))))
        return witnesses(self._build(other), at_least).both is None

    def _covers(self, node: Node, other: Node) -> bool:
        from abnforge.automaton.algebra import included

        return included(self._part(node), self._part(other))

    def _part(self, node: Node) -> Automaton:
        if id(node) not in self._parts:
            self._parts[id(node)] = node, self._build(node)
        return self._parts[id(node)][1]

    def _build(self, node: Node) -> Automaton:
        from abnforge.automaton.dfa import build

        names = {**self.core.names, "": "a part of a rule"}
        return build(Core({}, names), {**self.bodies, "": node}, "")


class Bundled(Compiled):
    """The same, read from the files in ``_generated`` where they have it."""

    def __init__(self, core: Core, facts: Facts, folder: Traversable, name: str) -> None:
        super().__init__(core, facts)
        self._folder = folder
        self._name = name

    @cached_property
    def lark(self) -> LarkGrammar:
        from abnforge.backends.lark import LarkGrammar

        return LarkGrammar.from_text(self._read("lark"), json.loads(self._read("names.json")))

    def is_regular(self, key: str) -> bool:
        return key in self._stored_patterns

    def automaton(self, key: str) -> Automaton:
        if key not in self._automata and (data := self._stored_automata.get(key)) is not None:
            from abnforge.automaton.storage import from_data

            self._automata[key] = from_data(data)
        return super().automaton(key)

    def pattern(self, key: str) -> str | None:
        return self._stored_patterns.get(key)

    def components_pattern(self, key: str, groups: frozenset[str]) -> str | None:
        if groups == frozenset(self._stored["groups"]) and key in self._stored["components"]:
            pattern: str | None = self._stored["components"][key]
            return pattern
        return super().components_pattern(key, groups)

    @cached_property
    def _stored(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read("patterns.json"))
        return data

    @property
    def _stored_patterns(self) -> dict[str, str | None]:
        patterns: dict[str, str | None] = self._stored["patterns"]
        return patterns

    @cached_property
    def _stored_automata(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read("automata.json"))["automata"]
        return data

    def _read(self, ending: str) -> str:
        return (self._folder / f"{self._name}.{ending}").read_text("utf-8")
