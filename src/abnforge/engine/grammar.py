"""Grammars as callers see them: rules by name, and facts about the grammar as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from abnforge._arguments import function_argument, instance_argument, names_argument, plain_argument
from abnforge._lazy import NotebookView, cached_property, lazy
from abnforge.catalog import ArgumentError
from abnforge.engine.compilation import Compilation
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.grammar.shipped import start_of
from abnforge.messages import message
from abnforge.records import Frozen
from abnforge.text import Source

if TYPE_CHECKING:
    from abnforge.engine.examples import ExampleResult
    from abnforge.engine.readers import ReaderPool
    from abnforge.explain.codes import Code
    from abnforge.grammar.annotations import Example
    from abnforge.grammar.core import Core
    from abnforge.grammar.facts import Facts
    from abnforge.grammar.sentences import Sentences
    from abnforge.linting.finding import Finding


with lazy:
    import random

    from abnforge.engine import examples, readers, sets
    from abnforge.grammar import facts
    from abnforge.grammar import sentences as grammar_sentences


Making = tuple[Callable[..., Any], tuple[Any, ...]]  # a function that returns a grammar, and its arguments


class Grammar(Frozen, Mapping[str, Rule], NotebookView):
    """A grammar: a mapping of its rules by name.

    Names are case-insensitive (RFC 5234, 2.1). Iteration yields the specification's spelling in definition
    order: the grammar's rules, then imported rules, and the core rules last.

    Two grammars are equal if they were loaded from the same text, with the same name and options. A pickle
    contains these arguments, and unpickling loads the grammar again.
    """

    name: str
    compilation: Compilation
    _made: Making
    _rules: Mapping[str, Rule]

    def __init__(
        self,
        compilation: Compilation,
        making: Making,
        rules: Callable[[Grammar], Mapping[str, Rule]] | None = None,
    ) -> None:
        instance_argument(compilation, "compilation", Compilation, "a Compilation")
        instance_argument(making, "making", tuple, "a function and its arguments")
        function_argument(rules, "rules")
        self._fill(_made=making, name=compilation.bound.name, compilation=compilation)
        if rules is None:
            self._fill(_rules={key: Rule(self, key) for key in compilation.bound.outline})
        else:
            self._fill(_rules=rules(self))

    def __getitem__(self, name: str) -> Rule:
        if type(name) is not str:
            name = plain_argument(name, "a rule name")
        return self._rules[self.compilation.bound.key(name)]

    def __iter__(self) -> Iterator[str]:
        return (rule.name for rule in self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and plain_argument(name, "name").lower() in self._rules

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Grammar) and self._made == other._made)

    @cached_property
    def _hash(self) -> int:
        return hash(self._made)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Making:
        return self._made

    # Frozen values do not need to be copied.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        count = len(self.own_rules)
        return f"<Grammar {self.name}: {count} {'rule' if count == 1 else 'rules'}>"

    @property
    def source(self) -> Source:
        """The grammar's text."""
        return self.compilation.bound.source

    @property
    def alphabet(self) -> str:
        """``"unicode"``, or ``"bytes"``: then inputs are bytes-like, and each byte is one character."""
        return self.compilation.bound.alphabet

    @property
    def core(self) -> Core:
        """The core form, which all engines use."""
        return self.compilation.core

    @property
    def facts(self) -> Facts:
        """Facts about the core form: nullable, recursive, productive rules."""
        return self.compilation.facts

    @cached_property
    def readers(self) -> ReaderPool:
        """The pool of readers that all rules of the grammar share."""
        return readers.ReaderPool(self.compilation)

    @property
    def warnings(self) -> tuple[GrammarError, ...]:
        """Warnings about the grammar."""
        return self.compilation.bound.warnings

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name; the grammar itself."""
        return self

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that the grammar itself defines, in order."""
        return tuple(rule for rule in self._rules.values() if rule.origin == "file")

    @property
    def exported(self) -> tuple[Rule, ...]:
        """The entry points of the grammar, in order.

        These are the start rule, and each rule of the grammar that none of its other rules refers to. If no
        other rule refers to a group of mutually recursive rules, its first rule is an entry point.
        Complexity: linear.
        """
        own = {rule.key: rule for rule in self.own_rules}
        order = {key: place for place, key in enumerate(own)}
        references = self.facts.references
        chosen = {self.start.key}
        for group in facts.components({key: tuple(filter(own.__contains__, references[key])) for key in own}):
            users = {user for key in group for user in own[key].used_by}
            if users <= {own[key].name for key in group} and chosen.isdisjoint(group):
                chosen.add(min(group, key=order.__getitem__))
        return tuple(rule for key, rule in own.items() if key in chosen)

    @property
    def start(self) -> Rule:
        """The rule that is used if only the grammar is named."""
        return self[start_of(self.compilation.bound)]

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """The codes that rejections by this grammar can have, each with its meaning in one sentence.

        Codes of declared mistakes come first, in order of preference.
        """
        return self.compilation.codes(rule.key for rule in (self.start, *self.own_rules))

    @property
    def examples(self) -> Mapping[str, tuple[Example, ...]]:
        """The examples in the grammar, by rule (``;@ match "80"``; see docs/grammar-tests.md).

        Only rules with examples are among the keys.

        Raises GrammarError for an example with a syntax error or without a rule. Cost: on first access, that
        of parsing the grammar.
        """
        return dict(self.compilation.examples)

    def test(self, rules: Iterable[str] | None = None) -> list[ExampleResult]:
        """Test the examples and return their results, in order.

        ``rules`` restricts the test to examples of these rules. An exceeded budget is reported as a result.

        Raises UnknownNameError for a rule that does not exist, GrammarError as ``examples`` does. Cost: a
        verdict for each example, and an explanation for each failed example.
        """
        names = None if rules is None else {self[name].name for name in names_argument(rules, "rules")}
        return list(examples.tried(self, examples.chosen(self.examples, names), self.source.name))

    def lint(self, starts: Iterable[str] | None = None, *, first_match: bool = False) -> list[Finding]:
        """Return the findings about the grammar, in the order of its text.

        ``starts`` names the rules that callers use; by default, all rules that no other rule refers to.
        ``first_match`` adds alternatives that a first-match parser (PEG) cuts off. Raises UnknownNameError
        for a rule that does not exist.
        """
        first = next(iter(self._rules.values()))
        if first._expression is not None:
            raise ArgumentError(message("rule-combined-lint", rule=first.name))
        names = None if starts is None else names_argument(starts, "starts")
        return self.compilation.lint(names, first_match=first_match)

    def _combine(
        self, operation: str, left: Rule, right: Rule | None = None, longest: int | None = None
    ) -> Rule:
        """Return the rule of an operation of set algebra."""
        return sets.set_rule(operation, left, right, longest=longest)

    @property
    def lark_text(self) -> str:
        """All rules as a Lark grammar."""
        return self.compilation.lark.text()


# Strings that a rule matches: random strings, or short strings that together use the whole grammar.


def source_of(rule: Rule) -> Sentences:
    """Return the source of strings of a rule."""
    core, facts, _ = rule.grammar.compilation.derivation_rules(rule.key)
    return grammar_sentences.Sentences(core, facts, rule.grammar.compilation.budget)


def sentences(
    rule: Rule, *, count: int = 10, seed: int | None = None, size: int = 60, systematic: bool = False
) -> Iterator[str]:
    """Yield ``count`` random strings of a rule; every alternative, count and character is possible.

    Equal seeds yield equal strings; without a ``seed``, each call yields different strings. Once a string has
    ``size`` characters and rules, it ends as soon as possible. ``systematic`` instead yields short strings
    that together use every part of the grammar once. If the alphabet is ``"bytes"``, ``bytes(string)``
    returns the bytes of a string.

    The first string raises ValueError for a negative size, and LimitExceeded if the rule does not have a
    string that is short enough, or if the grammar's budget is exceeded. Cost: linear in the grammar once,
    then linear in the strings.
    """
    source = source_of(rule)
    key = rule.key
    if systematic:
        yield from map(rule._as_input, source.systematic(key))
        return
    choices = random.Random(seed)
    for _ in range(count):
        yield rule._as_input(source.random(key, choices, size))
