"""Grammars and rules as callers see them; the choice of a lane for each question.

Two lanes give one answer. The automaton lane reads from left to right in linear time and serves
every rule that no recursion can reach; the Lark lane serves them all and is the
reference. ``engine="lark"`` or ``engine="automaton"`` forces one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from abnforge.abnf.names import BoundGrammar, BoundRule
from abnforge.analysis.core import Core, Node, lower
from abnforge.analysis.facts import Facts
from abnforge.engine.compilation import Compiled
from abnforge.errors import GrammarError, LimitExceeded, Rejected
from abnforge.rejection import Rejection
from abnforge.text import Source

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.automaton.derivative import Derivatives
    from abnforge.automaton.dfa import Automaton
    from abnforge.backends.lark import LarkGrammar
    from abnforge.engine.lanes.derivation import ParseTree
    from abnforge.engine.lanes.lark import RuleParser
    from abnforge.explain.rejections import Explainer
    from abnforge.linting.finding import Finding

ENGINES = ("auto", "automaton", "lark")


class Matcher(Protocol):
    """A rule's verdict as a function."""

    def __call__(self, text: str, *, engine: str = "auto") -> bool: ...


class Grammar(Mapping[str, "Rule"]):
    """A grammar's rules by name; names match without regard to case (RFC 5234, 2.1).

    Iterating gives the specification's spelling in definition order, rules of other grammars that
    it uses after its own, and the core rules last.
    """

    def __init__(
        self, bound: BoundGrammar, *, compiler: Callable[[Core, Facts], Compiled] = Compiled
    ) -> None:
        self.name = bound.name
        self.source: Source = bound.source
        self.notices = bound.notices
        self._bound = bound
        self._compiler = compiler
        self._rules = {key: Rule(self, key, rule) for key, rule in bound.rules.items()}

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name; the grammar itself."""
        return self

    def __getitem__(self, name: str) -> Rule:
        return self._rules[self._bound.key(name)]

    def __iter__(self) -> Iterator[str]:
        return (rule.name for rule in self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._rules

    def __repr__(self) -> str:
        return f"<Grammar {self.name}: {len(self.own_rules)} rules>"

    # Two grammars are equal when they are the same object, so that they can be dictionary keys.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that the grammar itself defines, in its order."""
        return tuple(rule for rule in self._rules.values() if rule.origin == "file")

    @cached_property
    def core(self) -> Core:
        """The core form that every lane starts from."""
        return lower(self._bound)

    @cached_property
    def facts(self) -> Facts:
        """What follows from the core form: nullable, recursive, productive rules."""
        return Facts(self.core)

    @cached_property
    def derivatives(self) -> Derivatives:
        """The automaton lane's states, shared by all rules and built as inputs ask for them."""
        from abnforge.automaton.derivative import Derivatives

        return Derivatives(self.core, self.facts)

    @cached_property
    def compiled(self) -> Compiled:
        """What the rules compile to: automata, patterns, Lark text."""
        return self._compiler(self.core, self.facts)

    @property
    def lark_grammar(self) -> LarkGrammar:
        """All rules as a Lark grammar, with the table of names."""
        return self.compiled.lark

    @property
    def regular_bodies(self) -> Mapping[str, Node]:
        """Recursion-free bodies of the rules that are known to be regular, by key."""
        return self.compiled.bodies

    def lint(self, starts: Iterable[str] | None = None) -> list[Finding]:
        """What is doubtful about the grammar, in the order of its text.

        ``starts`` names the rules it is for; without them, all that no other rule refers to. Raises
        UnknownName for one that does not exist.
        """
        from abnforge.linting.checks import check

        return check(self._bound, self.facts, self.regular_bodies, starts)

    @cached_property
    def tree_names(self) -> Mapping[str, str]:
        """Rule key -> the name of its tree nodes."""
        from abnforge.backends.lark import lark_names

        return lark_names(self.core)

    @property
    def lark_text(self) -> str:
        """All rules as Lark text."""
        return self.lark_grammar.text()


class Rule:
    """One rule as the start of a language. Get it from a :class:`Grammar`.

    Wherever a string is taken, it is taken as it is: nothing is stripped, no trailing newline
    forgiven. TypeError is raised for anything but a str, GrammarError when the rule depends on a
    prose-val, whose meaning no program knows.
    """

    def __init__(self, grammar: Grammar, key: str, bound: BoundRule) -> None:
        self.grammar = grammar
        self.name = bound.name
        self.section = bound.section
        self.origin = bound.origin
        self._key = key
        self._bound = bound

    def __repr__(self) -> str:
        return f"<Rule {self.name} of {self.grammar.name}>"

    @property
    def definition(self) -> str:
        """The rule as ABNF text."""
        from abnforge.abnf.printer import print_rule

        return print_rule(replace(self._bound.rule, elements=self._bound.elements, incremental=False))

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of the rules that the definition refers to, in order, each once."""
        core = self.grammar.core
        return tuple(core.names[key] for key in self.grammar.facts.references[self._key])

    @property
    def used_by(self) -> tuple[str, ...]:
        """The names of the rules whose definitions refer to this one."""
        core = self.grammar.core
        references = self.grammar.facts.references
        return tuple(core.names[key] for key in core.rules if self._key in references[key])

    @cached_property
    def matches(self) -> Matcher:
        """``matches(text, *, engine="auto") -> bool``: whether the rule derives the text.

        A function made for the rule when it is first asked for, since going through a method would take
        as long as the match of a short string. Cost: linear (pattern, automaton), Earley (Lark).
        """
        return self._fast or self._matches

    def _matches(self, text: str, *, engine: str = "auto") -> bool:
        if self._lane(text, engine) == "lark":
            return self.lark.failure(text) is None
        reached = self.grammar.derivatives.read(self._key, text)
        return len(reached) > len(text) and reached[-1].accepting

    @cached_property
    def _fast(self) -> Matcher | None:
        """``matches`` by the rule's pattern, or by its automaton; None when it has neither."""
        if self._prose is not None or not self.regular:
            return None
        pattern, slow = self.pattern, self._matches
        if pattern is None:
            try:
                accepts = self.automaton.accepts
            except LimitExceeded:
                return None

            def matches_by_table(text: str, engine: str = "auto") -> bool:
                if engine == "auto" and isinstance(text, str):
                    return accepts(text)
                return slow(text, engine=engine)

            return matches_by_table
        fullmatch = re.compile(pattern).fullmatch

        # A positional default and the likely case first: the call costs as much as a short match.
        def matches(text: str, engine: str = "auto") -> bool:
            if engine == "auto":
                try:
                    return fullmatch(text) is not None
                except TypeError:
                    pass  # not a str: told below
            return slow(text, engine=engine)

        return matches

    @property
    def pattern(self) -> str | None:
        """A pattern for ``re.fullmatch`` that matches exactly what the rule derives, in linear time.

        None when the rule is not regular, or when no pattern is known that cannot backtrack at length.
        """
        self._refuse_prose()
        return self.grammar.compiled.pattern(self._key)

    def export(self, dialect: str, *, groups: Iterable[str] = (), anchored: bool = True) -> str:
        """The rule as a regular expression for another engine: ``python``, ``re2``, ``rust``, ``pcre2``,
        ``ecmascript``, ``java`` or ``sql``.

        ``groups`` names rules whose texts are wanted: each place of one is a named group, ``path_abempty``,
        ``path_abempty_2``, ... (in Java ``pathAbempty2``). ``anchored=False`` leaves out the anchors of both
        ends, for functions that match the whole text anyway. Raises UnknownName for a dialect or a rule that
        does not exist, ValueError when the rule has no such pattern.
        """
        from abnforge.engine.export import dialect_named, export

        self._refuse_prose()
        if isinstance(groups, str):
            raise TypeError("groups is an iterable of rule names, not one str")
        keys = frozenset(self.grammar[name]._key for name in groups)
        return export(self.grammar.compiled, self._key, dialect_named(dialect), keys, anchored)

    def parse(self, text: str, *, engine: str = "auto") -> ParseTree:
        """The tree of the text's preferred derivation, as a ``lark.Tree``.

        Raises Rejected, with the explanation, when there is none. A tree's ``data`` is the rule's name
        in Lark's spelling (``hier_part``); ``lark_names`` has the way back.
        """
        if self._lane(text, engine) == "automaton":
            from abnforge.engine.lanes.automaton import derivation

            events = derivation(self.grammar.derivatives, self._key, text)
            if events is None:
                raise Rejected(self._rejection(text, engine))
            from abnforge.engine.lanes.derivation import build_tree

            return build_tree(text, events, self.grammar.tree_names)
        from lark.exceptions import UnexpectedInput

        try:
            return self.lark.parse(text)
        except UnexpectedInput:
            raise Rejected(self._rejection(text, engine)) from None

    def _rejection(self, text: str, engine: str) -> Rejection:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the lanes disagree"
        return rejection

    def explain(self, text: str, *, suggest: bool = True, engine: str = "auto") -> Rejection | None:
        """Why the text is rejected; None when it is valid.

        ``suggest=False`` leaves out the search for a nearby valid string, which can cost some milliseconds:
        then, where nothing but percent-encoding is needed, that is the one hypothesis and the suggestion,
        and otherwise there is no suggestion and hypotheses are ranked by how far each reading got.
        """
        if engine == "auto" and self._fast is not None and self._fast(text):
            return None
        lane = self._lane(text, engine)
        failure = self.lark.failure if lane == "lark" else None
        return self._explainer.explain(text, failure=failure, suggest=suggest)

    @cached_property
    def lark(self) -> RuleParser:
        """A real ``lark.Lark`` that starts at this rule, built when first asked for."""
        from abnforge.engine.lanes.lark import RuleParser

        self._refuse_prose()
        return RuleParser(self.grammar.core, self.grammar.facts, self._key, self.grammar.lark_grammar)

    @property
    def lark_text(self) -> str:
        """The Lark grammar of this rule and those it needs."""
        return self.grammar.lark_grammar.text(self.grammar.facts.reachable(self._key))

    @property
    def lark_names(self) -> Mapping[str, str]:
        """Lark rule name -> ABNF rule name."""
        return self.grammar.lark_grammar.rules

    @property
    def regular(self) -> bool:
        """Whether the rule is known to denote a regular language: nothing it needs recurses but to one
        side."""
        return self.grammar.compiled.is_regular(self._key)

    @cached_property
    def automaton(self) -> Automaton:
        """The minimal automaton of a regular rule, built when first asked for.

        Raises ValueError for a rule that is not known to be regular, LimitExceeded for one whose automaton is
        too large, GrammarError for one that needs a prose-val.
        """
        self._refuse_prose()
        if not self.regular:
            raise ValueError(
                f"{self.name} of {self.grammar.name} is recursive in a way that no automaton can follow"
            )
        return self.grammar.compiled.automaton(self._key)

    @cached_property
    def recursive(self) -> bool:
        """Whether a derivation from this rule can meet a recursive rule."""
        facts = self.grammar.facts
        return not facts.recursive.isdisjoint(facts.reachable(self._key))

    @cached_property
    def _explainer(self) -> Explainer:
        from abnforge.explain.rejections import Explainer

        sections = {key: rule.section for key, rule in self.grammar._bound.rules.items()}
        return Explainer(self.grammar.derivatives, self.grammar.name, self._key, sections)

    def _lane(self, text: object, engine: str) -> str:
        """The lane that answers; checks what every question needs checked."""
        if not isinstance(text, str):
            hint = "; decode it first" if isinstance(text, bytes | bytearray) else ""
            raise TypeError(f"expected a str to match against {self.name}, not {type(text).__name__}{hint}")
        if engine not in ENGINES:
            raise ValueError(f"unknown engine {engine!r}; there are {', '.join(ENGINES)}")
        if engine == "automaton" and self.recursive:
            raise ValueError(f"{self.name} is recursive: only the Lark lane can read it")
        self._refuse_prose()
        return ("lark" if self.recursive else "automaton") if engine == "auto" else engine

    def _refuse_prose(self) -> None:
        found = self._prose
        if found is not None:
            key, text = found
            bound = self.grammar._bound.rules[key]
            raise GrammarError(
                f"{self.name} cannot be matched: it needs {bound.name}, which the grammar describes in "
                f"words only: <{text}>",
                code="prose-val",
                source=self.grammar.source if bound.origin == "file" else None,
                span=bound.rule.name_span,
                path=self.grammar.name if bound.origin != "file" else None,
                rule=bound.name,
            )

    @cached_property
    def _prose(self) -> tuple[str, str] | None:
        found = self.grammar.facts.prose(self._key)
        return (found[0], found[1].text) if found else None
