"""Rules as callers see them: one rule as the start of a language; the choice of a lane for each question.

All lanes give one answer. The automaton lane reads from left to right in linear time and serves
every rule that no recursion can reach; the Lark lane serves them all and is the
reference. ``engine="lark"`` or ``engine="automaton"`` forces one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from abnforge.analysis.core_form import Core
from abnforge.analysis.facts import Facts
from abnforge.engine.compilation import Compilation
from abnforge.errors import LimitExceeded, Rejected
from abnforge.once import once
from abnforge.rejection import Rejection
from abnforge.source import Source

# Imported where they are used, too: a verdict needs none of them, and importing takes longer than most uses.
if TYPE_CHECKING:
    from abnforge.automaton.derivative import Derivatives
    from abnforge.automaton.dfa import Automaton
    from abnforge.engine.lanes.automaton import AutomatonLane
    from abnforge.engine.lanes.lark import LarkLane, RuleParser
    from abnforge.engine.lanes.trees import ParseTree
    from abnforge.explain.rejections import Explainer

ENGINES = ("auto", "automaton", "lark")


class Matcher(Protocol):
    """A rule's verdict as a function."""

    def __call__(self, text: str, *, engine: str = "auto") -> bool: ...


class Rules(Mapping[str, "Rule"]):
    """The rules of one grammar by name, as each of them knows the others.

    Names match without regard to case (RFC 5234, 2.1). Iterating gives the specification's spelling in
    definition order, rules of other grammars that it uses after its own, and the core rules last.
    """

    def __init__(self, compilation: Compilation) -> None:
        bound = compilation.bound
        self.name = bound.name
        self.source: Source = bound.source
        self.compilation = compilation
        self._rules = {key: Rule(self, key) for key in bound.rules}

    def __getitem__(self, name: str) -> Rule:
        return self._rules[self.compilation.bound.key(name)]

    def __iter__(self) -> Iterator[str]:
        return (rule.name for rule in self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._rules

    # Two grammars are equal when they are the same object, so that they can be dictionary keys.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def core(self) -> Core:
        """The core form that every lane starts from."""
        return self.compilation.core

    @property
    def facts(self) -> Facts:
        """What follows from the core form: nullable, recursive, productive rules."""
        return self.compilation.facts

    @property
    def derivatives(self) -> Derivatives:
        """The automaton lane's states, shared by all rules and built as inputs ask for them."""
        return self.compilation.derivatives


class Rule:
    """One rule as the start of a language. Get it from a :class:`~abnforge.Grammar`.

    ``section`` is the section of the specification that defines it, None where none is known; of a rule taken
    over from another specification it is that one's, cited in full. Wherever a string is taken, it is taken
    as it is: nothing is stripped, no trailing newline forgiven. TypeError is raised for anything but a str,
    GrammarError when the rule depends on a prose-val, whose meaning no program knows.
    """

    def __init__(self, grammar: Rules, key: str) -> None:
        self.grammar = grammar
        self._compilation = grammar.compilation
        self._key = key
        self._bound = self._compilation.bound.rules[key]
        self.name = self._bound.name
        self.section = self._bound.section
        self.origin = self._bound.origin

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
        names = self._compilation.core.names
        return tuple(names[key] for key in self._compilation.facts.references[self._key])

    @property
    def used_by(self) -> tuple[str, ...]:
        """The names of the rules whose definitions refer to this one."""
        core = self._compilation.core
        references = self._compilation.facts.references
        return tuple(core.names[key] for key in core.rules if self._key in references[key])

    @once
    def matches(self) -> Matcher:
        """``matches(text, *, engine="auto") -> bool``: whether the rule derives the text.

        A function made for the rule when it is first asked for, since going through a method would take
        as long as the match of a short string. Cost: linear (pattern, automaton), Earley (Lark).
        """
        return self._fast or self._matches

    def _matches(self, text: str, *, engine: str = "auto") -> bool:
        return self._lane(text, engine).matches(text)

    @once
    def _fast(self) -> Matcher | None:
        """``matches`` by the rule's pattern, or by its automaton; None when it has neither."""
        if self._compilation.prose(self._key) is not None or not self.regular:
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
        self._compilation.refuse_prose(self._key)
        return self._compilation.pattern(self._key)

    def export(self, dialect: str, *, groups: Iterable[str] = (), anchored: bool = True) -> str:
        """The rule as a regular expression for another engine: ``python``, ``re2``, ``rust``, ``pcre2``,
        ``ecmascript``, ``java`` or ``sql``.

        ``groups`` names rules whose texts are wanted: each place of one is a named group, ``path_abempty``,
        ``path_abempty_2``, ... (in Java ``pathAbempty2``). ``anchored=False`` leaves out the anchors of both
        ends, for functions that match the whole text anyway. Raises UnknownName for a dialect or a rule that
        does not exist, ValueError when the rule has no such pattern.
        """
        from abnforge.engine.export import dialect_named, export

        self._compilation.refuse_prose(self._key)
        if isinstance(groups, str):
            raise TypeError("groups is an iterable of rule names, not one str")
        keys = frozenset(map(self._compilation.bound.key, groups))
        return export(self._compilation, self._key, dialect_named(dialect), keys, anchored)

    def parse(self, text: str, *, engine: str = "auto") -> ParseTree:
        """The tree of the text's preferred derivation, as a ``lark.Tree``.

        Raises Rejected, with the explanation, when there is none. A tree's ``data`` is the rule's name
        in Lark's spelling (``hier_part``); ``lark_names`` has the way back.
        """
        tree = self._lane(text, engine).parse(text)
        if tree is None:
            raise self._rejected(text, engine)
        return tree

    def events(self, text: str, *, engine: str = "auto") -> list[tuple[str, int, int]]:
        """The same tree flat: ``(rule, start, end)`` for each of its nodes, for trees deeper than a program
        should recurse.

        In preorder: a rule comes before those inside it, and these come from left to right; so the first is
        this rule over the whole text, and starts never decrease. Names are the specification's; offsets count
        code points from 0, and the end is behind the last one. A rule lies inside the nearest one before it
        that ends after it begins; whether an empty rule lies inside or behind one that ends where it begins,
        only the tree tells. Raises Rejected, as ``parse`` does. Cost: as ``parse``.
        """
        from abnforge.engine.lanes.events import spans

        events = self._lane(text, engine).events(text)
        if events is None:
            raise self._rejected(text, engine)
        return spans(events, self._compilation.core.names)

    def explain(self, text: str, *, suggest: bool = True, engine: str = "auto") -> Rejection | None:
        """Why the text is rejected; None when it is valid.

        ``suggest=False`` leaves out the search for a nearby valid string, which can cost some milliseconds:
        then, where nothing but percent-encoding is needed, that is the one hypothesis and the suggestion,
        and otherwise there is no suggestion and hypotheses are ranked by how far each reading got.
        """
        if engine == "auto" and self._fast is not None and self._fast(text):
            return None
        failure = self._lane(text, engine).failure(text)
        return None if failure is None else self._explainer.explain(text, failure, suggest=suggest)

    @once
    def lark(self) -> RuleParser:
        """A real ``lark.Lark`` that starts at this rule, built when first asked for."""
        from abnforge.engine.lanes.lark import RuleParser

        self._compilation.refuse_prose(self._key)
        made = self._compilation
        return RuleParser(made.core, made.facts, self._key, made.lark, made.budget)

    @property
    def lark_text(self) -> str:
        """The Lark grammar of this rule and those it needs."""
        return self._compilation.lark.text(self._compilation.facts.reachable(self._key))

    @property
    def lark_names(self) -> Mapping[str, str]:
        """Lark rule name -> ABNF rule name."""
        return self._compilation.lark.rules

    @property
    def regular(self) -> bool:
        """Whether the rule is known to denote a regular language: nothing it needs recurses but to one
        side."""
        return self._compilation.is_regular(self._key)

    @once
    def automaton(self) -> Automaton:
        """The minimal automaton of a regular rule, built when first asked for.

        Raises ValueError for a rule that is not known to be regular, LimitExceeded for one whose automaton is
        too large, GrammarError for one that needs a prose-val.
        """
        self._compilation.refuse_prose(self._key)
        if not self.regular:
            raise ValueError(
                f"{self.name} of {self.grammar.name} is recursive in a way that no automaton can follow"
            )
        return self._compilation.automaton(self._key)

    @once
    def recursive(self) -> bool:
        """Whether a derivation from this rule can meet a recursive rule."""
        facts = self._compilation.facts
        return not facts.recursive.isdisjoint(facts.reachable(self._key))

    @once
    def _explainer(self) -> Explainer:
        from abnforge.explain.rejections import Explainer

        sections = {key: rule.section for key, rule in self._compilation.bound.rules.items()}
        return Explainer(
            self._compilation.derivatives,
            self._compilation.expectations,
            self.grammar.name,
            self._key,
            sections,
            self._compilation.budget,
        )

    @once
    def _automaton_lane(self) -> AutomatonLane:
        from abnforge.engine.lanes.automaton import AutomatonLane

        made = self._compilation
        return AutomatonLane(made.derivatives, self._key, made.expectations, lambda: made.tree_names)

    @once
    def _lark_lane(self) -> LarkLane:
        from abnforge.engine.lanes.lark import LarkLane

        return LarkLane(self.lark, self._compilation.derivatives, self._key)

    def _rejected(self, text: str, engine: str) -> Rejected:
        rejection = self.explain(text, engine=engine)
        assert rejection is not None, "the lanes disagree"
        return Rejected(rejection)

    def _lane(self, text: object, engine: str) -> AutomatonLane | LarkLane:
        """The lane that answers; checks what every question needs checked."""
        if not isinstance(text, str):
            hint = "; decode it first" if isinstance(text, bytes | bytearray) else ""
            raise TypeError(f"expected a str to match against {self.name}, not {type(text).__name__}{hint}")
        if engine not in ENGINES:
            raise ValueError(f"unknown engine {engine!r}; there are {', '.join(ENGINES)}")
        if engine == "automaton" and self.recursive:
            raise ValueError(f"{self.name} is recursive: only the Lark lane can read it")
        self._compilation.refuse_prose(self._key)
        lark = self.recursive if engine == "auto" else engine == "lark"
        return self._lark_lane if lark else self._automaton_lane
