"""Grammars as callers see them: rules by name, and what is to be said of all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abnforge._arguments import names_argument
from abnforge._lazy import NotebookView, cached_property, importing
from abnforge.engine.rule import Rule, Rules
from abnforge.errors import GrammarError
from abnforge.grammar.shipped import start_of

if TYPE_CHECKING:
    from abnforge.engine.examples import ExampleResult
    from abnforge.explain.codes import Code
    from abnforge.grammar.annotations import Example
    from abnforge.linting.finding import Finding


class Grammar(Rules, NotebookView):
    """A grammar: a mapping of its rules by name, as :class:`~abnforge.engine.rule.Rules` tells."""

    def __repr__(self) -> str:
        count = len(self.own_rules)
        return f"<Grammar {self.name}: {count} {'rule' if count == 1 else 'rules'}>"

    @property
    def warnings(self) -> tuple[GrammarError, ...]:
        """Remarks on the grammar; none of them is an error."""
        return self.compilation.bound.warnings

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name; the grammar itself."""
        return self

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that the grammar itself defines, in its order."""
        return tuple(rule for rule in self._rules.values() if rule.origin == "file")

    @property
    def exported(self) -> tuple[Rule, ...]:
        """What the grammar is for: its start, and each of its own rules that no other of them refers to; of
        rules that need one another and that no other refers to, the first. In its order. Cost: linear.
        """
        with importing:
            from abnforge.grammar.facts import components

        own = {rule.key: rule for rule in self.own_rules}
        order = {key: place for place, key in enumerate(own)}
        references = self.facts.references
        chosen = {self.start.key}
        for group in components({key: tuple(filter(own.__contains__, references[key])) for key in own}):
            users = {user for key in group for user in own[key].used_by}
            if users <= {own[key].name for key in group} and chosen.isdisjoint(group):
                chosen.add(min(group, key=order.__getitem__))
        return tuple(rule for key, rule in own.items() if key in chosen)

    @property
    def start(self) -> Rule:
        """The rule that is meant when only the grammar is named."""
        return self[start_of(self.compilation.bound)]

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """Every code that a rejection by this grammar can have, and what it means: declared mistakes, in the
        order in which they are preferred, then what no mistake explains. As text, a meaning is one sentence.
        """
        return self.compilation.codes(rule.key for rule in (self.start, *self.own_rules))

    @property
    def examples(self) -> Mapping[str, tuple[Example, ...]]:
        """The examples that the grammar's text has, by the rule that they are about (``;@ match "80"``; see
        docs/examples.md). Rules without any are not among the keys; a rule of set algebra has no text.

        Raises GrammarError for examples that cannot be understood or are at no rule. Cost: the text is read
        once more, the first time.
        """
        return dict(self.compilation.examples)

    def test(self, rules: Iterable[str] | None = None) -> list[ExampleResult]:
        """What becomes of the examples, in the order of the text; ``rules`` names those to be tried, without
        it all are. Raises UnknownNameError for a rule that does not exist, GrammarError as ``examples`` does.

        Cost: a verdict for each, and what ``explain`` costs for each that fails. What the budget does not
        allow for is a result, too.
        """
        with importing:
            from abnforge.engine.examples import chosen, tried

        names = None if rules is None else {self[name].name for name in names_argument(rules, "rules")}
        return list(tried(self, chosen(self.examples, names), self.source.name))

    def lint(self, starts: Iterable[str] | None = None) -> list[Finding]:
        """What is doubtful about the grammar, in the order of its text.

        ``starts`` names the rules it is for; without them, all that no other rule refers to. Raises
        UnknownNameError for one that does not exist.
        """
        return self.compilation.lint(None if starts is None else names_argument(starts, "starts"))

    def _combine(self, operation: str, left: Rule, right: Rule | None = None, **options: Any) -> Rule:
        """The rule of an operation of set algebra, with the options of ``sets.set_rule``."""
        with importing:
            from abnforge.engine.sets import set_rule

        return set_rule(operation, left, right, **options)

    @property
    def lark_text(self) -> str:
        """All rules as Lark text."""
        return self.compilation.lark.text()
