"""Compile a grammar, rule by rule: automata, patterns, Lark text, mistakes.

Results are compiled on demand and kept as long as the grammar. For built-in grammars,
``tools/build_grammars.py`` stores the results of the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abnforge._lazy import cached_property, gc_paused, lazy
from abnforge._native import compiled
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.engine.stores import (
    AUTOMATON,
    CONFIGURATIONS,
    LARGE_AUTOMATON,
    LARK,
    NOTHING,
    PATTERN,
    PROVED,
    REGULAR,
    TAGGED,
    Store,
    StoredConfigurations,
)
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.shipped import defining
from abnforge.grammar.syntax import UNDEFINED, BoundGrammar
from abnforge.messages import message

with lazy:
    from abnforge.automata import code_points, dfa, expressions, tables, tagged
    from abnforge.automata import words as automata_words
    from abnforge.engine import cache, examples
    from abnforge.explain import bind, codes, derive, mistakes, mistakes_file, reading
    from abnforge.grammar import core, regular
    from abnforge.grammar import facts as grammar_facts
    from abnforge.grammar import prose as grammar_prose
    from abnforge.linting import source
    from abnforge.parsing import lark_grammar
    from abnforge.parsing.recognizer import machine
    from abnforge.regex import dialects, errors, writer

if TYPE_CHECKING:
    from abnforge.explain.codes import Code
    from abnforge.explain.mistakes import Mistakes
    from abnforge.grammar.annotations import Example
    from abnforge.grammar.core import Core, Node, Prose
    from abnforge.grammar.facts import Facts
    from abnforge.linting.finding import Finding


MAX_MISTAKEN_NODES = 8_000
"""The maximum size of a rule for parsing with mistakes, in nodes of the core form and character ranges,
including the rules that it needs. For 10,000 words, typos of all words would take too long.
"""

MAX_TAGGED_TABLES = 32
"""The maximum number of cached tables with parts, since callers can request other rules each time."""


def is_large(facts: Facts, key: str) -> bool:
    """Return whether a rule needs more than ``MAX_MISTAKEN_NODES``."""
    left = MAX_MISTAKEN_NODES
    for rule in facts.reachable(key):
        for node in grammar_facts.walk(facts.core.rules[rule]):
            left -= len(node.charset.ranges) if isinstance(node, core.Chars) else 1
        if left < 0:
            return True
    return False


class Compilation:
    """A bound grammar and everything compiled from it, by rule key.

    ``store`` has results that exist already, or defines a rule by its automaton (see ``stores``). ``budget``
    limits each operation that compiles, searches or proves.
    """

    def __init__(
        self,
        bound: BoundGrammar,
        budget: Budget = DEFAULT,
        declared: Mistakes | None = None,
        store: Store = NOTHING,
    ) -> None:
        self.bound = bound
        self.budget = budget
        self.store = store
        self._declared = declared
        self._automata: dict[str, dfa.Automaton | LimitExceeded] = {}
        self._walked: dict[tuple[str, bool], Any] = {}
        self._walked_with_tags: dict[tuple[Any, ...], Any] = {}
        self._large_automata: dict[str, dfa.Automaton | LimitExceeded] = {}
        self._patterns: dict[str, str | None] = {}
        self._prose: dict[str, tuple[str, Prose] | None] = {}
        self._mistakes_of: dict[str, bind.BoundMistakes] = {}

    @cached_property
    def core(self) -> Core:
        """The core form, which all engines use."""
        return self.store.core(self.bound) or expressions.core_form(self.bound, self.budget)

    @cached_property
    def facts(self) -> Facts:
        """Facts about the core form: nullable, recursive, productive rules."""
        return grammar_facts.Facts(self.core)

    @cached_property
    def bodies(self) -> Mapping[str, Node]:
        """The recursion-free bodies of the rules that are known to be regular."""
        return regular.regular_bodies(self.facts)

    def derivation_rules(self, key: str) -> tuple[Core, Facts, Mapping[str, Node]]:
        """Return rules to derive the strings of a rule: core form, facts, and bodies of regular rules.

        For a rule that its automaton defines, these are right-linear rules of the automaton.
        """
        if key == self.store.defined:
            core = expressions.linear_rules(self.automaton(key), key)
            return core, grammar_facts.Facts(core), {}
        return self.core, self.facts, self.bodies

    @cached_property
    def plan(self) -> machine.Plan:
        """The plan of the pushdown recognizer for the grammar's rules."""
        return machine.Plan(self.facts, self.bodies, self.budget)

    @property
    def declares(self) -> bool:
        """Return whether the user declares mistakes for the grammar."""
        return self._declared is not None

    @cached_property
    def mistakes(self) -> bind.BoundMistakes:
        """The declared mistakes of the grammar.

        Raises GrammarError if a declaration does not fit the grammar.
        """
        shipped = self.store.mistakes
        if shipped is None or self.declares:
            return self._bind_mistakes()
        return bind.BoundMistakes(self.bound, lambda: self.store.binding, shipped)

    def _bind_mistakes(self) -> bind.BoundMistakes:
        declared, shipped = self._declared, self.store.read_mistakes()
        if declared is not None and shipped is not None:
            declared = mistakes_file.combined(declared, shipped)
        either = declared or shipped or mistakes.Mistakes(self.bound.name, (), ())
        return bind.bind_mistakes(either, self.bound, self.core)

    def mistakes_of(self, key: str) -> bind.BoundMistakes:
        """Return the mistakes for strings of a rule.

        These are the grammar's mistakes, followed by mistakes derived from the rule unless the former are
        complete. Raises GrammarError as ``mistakes`` does. Cost: linear in the rules that the rule needs,
        once.
        """
        mistakes = self._mistakes_of.get(key)
        if mistakes is None:
            mistakes = self._mistakes_of.setdefault(key, self._find_mistakes_of(key))
        return mistakes

    def _find_mistakes_of(self, key: str) -> bind.BoundMistakes:
        if (self._has_mistakes and self.mistakes.complete) or self._is_large(key):
            return self.mistakes
        bound = self.mistakes if self._has_mistakes else None
        declared = derive.NO_MISTAKES if bound is None else bound.mistakes
        start = self.core.names[key]
        try:
            return derive.bind_derived(self.bound, start, declared, self.budget, self.core, bound)
        except LimitExceeded:
            return self.mistakes

    def _is_large(self, key: str) -> bool:
        shipped = self.store.mistakes
        return is_large(self.facts, key) if shipped is None else key in shipped.large_rules

    @property
    def _has_mistakes(self) -> bool:
        """Return whether the grammar has declared mistakes."""
        return self.declares or self.store.has_mistakes

    def codes(self, starts: Iterable[str]) -> Mapping[str, Code]:
        """Return the codes of rejections by the grammar or by one of the rules with the keys ``starts``."""
        if self.store.codes is not None:
            return self.store.codes
        return codes.codes(self.bound, dict.fromkeys(map(self.mistakes_of, starts)))

    @cached_property
    def examples(self) -> Mapping[str, tuple[Example, ...]]:
        """The examples in the grammar's text, by rule name. Raises GrammarError."""
        return examples.examples_of(self.bound)

    def lint(self, starts: Iterable[str] | None, *, first_match: bool = False) -> list[Finding]:
        """Return the findings about the grammar, for some start rules or all that no other rule uses."""
        return source.check(self.bound, self.facts, self.bodies, starts, self.budget, first_match=first_match)

    def mistakes_reader(self, key: str) -> reading.Interpreter | None:
        """Return a new interpreter for strings of a rule and its mistakes.

        The result is None if the rule needs more than ``MAX_MISTAKEN_NODES``, or if no string matches it.
        """
        if self._is_large(key) or (self.mistakes_of(key).stored is None and key not in self.facts.productive):
            return None
        return reading.Interpreter(self.mistakes_of(key), self.bound.outline[key].name, self.budget)

    @cached_property
    def lark(self) -> lark_grammar.LarkGrammar:
        """All rules as a Lark grammar, with its name table."""
        stored = self.store.get(LARK, "")
        if stored is not None:
            return lark_grammar.LarkGrammar.from_text(*stored)
        meter = self.budget.meter(f"Lark grammar of {self.bound.name}")
        return lark_grammar.lark_grammar(self.core, self.facts, meter=meter)

    @cached_property
    def tree_names(self) -> Mapping[str, str]:
        """Rule key -> the name of its tree nodes, in Lark's spelling."""
        return lark_grammar.lark_names(self.core)

    def is_regular(self, key: str) -> bool:
        """Return whether a rule is known to be regular."""
        if key == self.store.defined:
            return True
        stored: bool | None = self.store.get(REGULAR, key)
        return key in self.bodies if stored is None else stored

    def automaton(self, key: str) -> dfa.Automaton:
        """Return the minimal automaton of a regular rule.

        Raises LimitExceeded, immediately if an earlier call raised it.
        """
        try:
            return self.small_automaton(key)
        except LimitExceeded:
            return self._built(self._large_automata, key, quick=False)

    def automaton_or_none(self, key: str) -> dfa.Automaton | None:
        """Return the small automaton of a rule, or None if there is none."""
        try:
            return self.small_automaton(key) if self.is_regular(key) else None
        except LimitExceeded:
            return None

    def small_automaton(self, key: str) -> dfa.Automaton:
        """Return the minimal automaton with a small share of the budget, for callers with an alternative.

        Raises LimitExceeded beyond this share, even if ``automaton`` has built a larger one.
        """
        return self._built(self._automata, key, quick=True)

    def _built(
        self, results: dict[str, dfa.Automaton | LimitExceeded], key: str, *, quick: bool
    ) -> dfa.Automaton:
        if key not in results:
            try:
                results[key] = self._stored_or_built(key, quick)
            except LimitExceeded as error:
                results[key] = error
        result = results[key]
        if isinstance(result, LimitExceeded):
            raise result.with_traceback(None)
        return result

    def _stored_or_built(self, key: str, quick: bool) -> dfa.Automaton:
        kind = AUTOMATON if quick else LARGE_AUTOMATON
        data = self.store.get(kind, key, lambda: self._inputs(key))
        if data is not None:
            return dfa.from_data(data)
        meter = dfa.automaton_meter(self.budget, self.core.names[key])
        automaton = self._build(key, meter, quick=quick)
        if self.store.keeps(meter.steps):
            self.store.put(kind, key, lambda: self._inputs(key), dfa.to_data(automaton))
        return automaton

    def _inputs(self, key: str) -> str:
        """Return all inputs of a regular rule's automaton and patterns, except the compiling code."""
        facts, digests = self._digests
        return f"{self.budget!r}\n{digests.of(facts.reachable(key))}"

    @cached_property
    def _digests(self) -> tuple[Facts, cache.BodyDigests]:
        return grammar_facts.Facts(core.Core(self.bodies, self.core.names)), cache.BodyDigests(self.bodies)

    def _build(self, key: str, meter: Meter, *, quick: bool) -> dfa.Automaton:
        automaton = self.store.automaton(key, meter, quick)
        if automaton is not None:
            return automaton
        with gc_paused(len(self.bound.source.text)):
            return dfa.build(self.core, self.bodies, key, meter, quick=quick)

    def table(self, key: str, *, of_bytes: bool = False) -> Any:
        """Return the table of a rule for the C extension, which reads strings or bytes.

        The result is None without the extension, for a rule that is not known to be regular, or if the
        automaton is too large.

        Raises GrammarError for a rule that needs a prose-val. Cost: that of the automaton, plus linear in the
        table.
        """
        if (key, of_bytes) not in self._walked:
            self.refuse_prose(key)
            if compiled is None or not self.is_regular(key):
                return None
            self._walked[key, of_bytes] = self._make_table(key, of_bytes)
        return self._walked[key, of_bytes]

    def _make_table(self, key: str, of_bytes: bool) -> Any:
        if key not in self._automata and (data := self.store.get(AUTOMATON, key)) is not None:
            return compiled.Table(tables.packed(code_points.from_automaton_data(data), of_bytes=of_bytes))
        try:
            points = code_points.without_tags(self.small_automaton(key))
            return compiled.Table(tables.packed(points, of_bytes=of_bytes))
        except (LimitExceeded, tables.TableTooLargeError):
            return None

    def tagged_table(
        self,
        key: str,
        parts: Mapping[str, tuple[str, ...]],
        kinds: Mapping[str, tuple[str, ...]],
        *,
        of_bytes: bool = False,
    ) -> Any:
        """Return the table of a rule that records the spans of parts (see ``automata.tagged``).

        Without the C extension, Python walks the table. The result is None if the tagged automaton exceeds
        its limits, or if the rule is recursive.
        """
        arguments = key, tuple(parts.items()), tuple(kinds.items()), of_bytes
        try:
            return self._walked_with_tags[arguments]
        except KeyError:
            table = self._make_tagged_table(key, parts, kinds, of_bytes)
        if len(self._walked_with_tags) >= MAX_TAGGED_TABLES:
            self._walked_with_tags.clear()
        self._walked_with_tags[arguments] = table
        return table

    def _make_tagged_table(
        self,
        key: str,
        parts: Mapping[str, tuple[str, ...]],
        kinds: Mapping[str, tuple[str, ...]],
        of_bytes: bool,
    ) -> Any:
        points = self.tagged(key, parts, kinds)
        try:
            return points and (tables.PythonTable if compiled is None else compiled.Table)(
                tables.packed(points, of_bytes=of_bytes)
            )
        except tables.TableTooLargeError:
            return None

    def tagged(
        self, key: str, parts: Mapping[str, tuple[str, ...]], kinds: Mapping[str, tuple[str, ...]]
    ) -> code_points.CodePointDFA | None:
        """Return the tagged automaton of a rule, or None if it cannot be built."""
        if key == self.store.defined:
            return self.store.tagged(self, parts, kinds)
        if (data := self.store.get(TAGGED, key)) is not None:
            stored = code_points.from_data(data)
            is_same = stored.tags.names == tuple(parts) and stored.tags.kinds == dict(kinds)
            if is_same and data["rules"] == [list(rules) for rules in parts.values()]:
                return stored
        if not self.facts.recursive.isdisjoint(self.facts.reachable(key)):
            return None
        meter = self.budget.meter(f"tagged automaton of {self.core.names[key]}")
        try:
            return tagged.tagged(self.core, self.bodies, key, parts, kinds, meter)
        except LimitExceeded:
            return None

    @cached_property
    def patterns(self) -> writer.RulePatterns:
        """The patterns of regular rules, in any dialect. Raises UnsafeError."""
        return writer.RulePatterns(self.core, self.store.bodies(self), self.small_automaton)

    def pattern(self, key: str) -> str | None:
        """Return a pattern for ``re.fullmatch`` that was proved to match exactly the strings of the rule.

        The result is None if no safe pattern is proved within the budget.
        """
        if (stored := self.store.get(PATTERN, key)) is not None:
            pattern: str | None = stored[0]
            return pattern
        if key not in self._patterns:
            self._patterns[key] = self.components_pattern(key, frozenset()) if self.is_regular(key) else None
        return self._patterns[key]

    def components_pattern(self, key: str, groups: frozenset[str]) -> str | None:
        """Return a proved pattern with a named group for each occurrence of the rules in ``groups``.

        The result is None if it cannot be proved.
        """
        kind = f"{PATTERN} {sorted(groups)}"
        if (stored := self.store.get(kind, key, lambda: self._inputs(key))) is not None:
            stored_pattern: str | None = stored[0]
            return stored_pattern
        meter = self.budget.meter(f"pattern of {self.core.names[key]}")
        pattern = self._prove(key, groups, meter)
        if self.store.keeps(meter.steps):
            self.store.put(kind, key, lambda: self._inputs(key), [pattern])
        return pattern

    def _prove(self, key: str, groups: frozenset[str], meter: Meter) -> str | None:
        try:
            return self.patterns.proved(key, dialects.PYTHON, groups, anchored=False, meter=meter)
        except (errors.UnsafeError, errors.UndecidedError, LimitExceeded):
            return None

    def is_long_list(self, key: str) -> bool:
        """Return whether a rule is a long list of words without a stored pattern.

        A pattern engine tries words one by one, unlike a table. With 100 words, both take the same time; with
        500 words, the pattern takes four times as long.
        """
        if self.store.get(PATTERN, key) is not None:  # the pattern is stored
            return False
        words = automata_words.words_of(self.bodies, key) if key in self.bodies else None
        return words is not None and sum(map(len, words)) >= dfa.MIN_LETTERS

    def stored(self, key: str) -> StoredConfigurations | None:
        """Return the stored configurations of a rule without an automaton, or None."""
        data = self.store.get(CONFIGURATIONS, key)
        if data is None:
            return None
        return StoredConfigurations.from_data(data, key)

    def exports_proved(self, key: str) -> frozenset[str]:
        """Return the dialects of stored patterns that are proved, without groups."""
        return self.store.get(PROVED, key) or frozenset()

    def prose(self, key: str) -> tuple[str, Prose] | None:
        """Return the first prose-val that a rule needs, and the key of the rule that contains it, or None."""
        if key in self.bound.formal or key == self.store.defined:
            return None
        if key not in self._prose:
            self._prose[key] = self.facts.prose(key)
        return self._prose[key]

    def refuse_prose(self, key: str) -> None:
        """Raise GrammarError if a rule cannot be matched because it needs a prose-val."""
        reference = self.prose(key)
        if reference is None:
            return
        described, prose = reference
        rule = self.bound.rules[described]
        own = rule.origin == "file"
        name = self.core.names[key]
        if rule.origin == UNDEFINED:
            sources = tuple(defining(rule.name))
            raise GrammarError(
                message("rule-undefined-used-import", rule=name, undefined=rule.name, sources=sources)
                if sources
                else message("rule-undefined-used", rule=name, undefined=rule.name),
                code="undefined-rule",
                path=self.bound.name,
                rule=rule.name,
            )
        importable = grammar_prose.importable_for(prose.text, rule.name)
        facts: dict[str, Any] = {"rule": name, "text": prose.text}
        if importable:
            facts["sources"] = tuple(importable)
        if described == key:
            text = message("rule-prose-import" if importable else "rule-prose", **facts)
        else:
            code = "rule-prose-used-import" if importable else "rule-prose-used"
            text = message(code, described=rule.name, **facts)
        raise GrammarError(
            text,
            code="prose-val",
            source=self.bound.source if own else None,
            span=rule.rule.name_span,
            path=None if own else self.bound.name,
            rule=rule.name,
        )
