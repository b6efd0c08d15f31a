"""Test a grammar's examples (``grammar.annotations``): whether each rule matches as its example states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from abnforge.errors import GrammarError
from abnforge.grammar.annotations import MATCH, NO_MATCH, Example, read_examples
from abnforge.grammar.syntax import BoundGrammar
from abnforge.rejection import Rejection
from abnforge.text import Source, escape

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"

SHOWN_PARTS, SHOWN_CHARACTERS = 8, 40
"""The maximum number and length of parts in the message about a string that should not match."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ExampleResult:
    """The result of one example.

    ``status`` is ``"passed"``, ``"failed"``, or ``"undecided"`` if the budget is exceeded or the rule cannot
    be matched. ``message`` is the reason in one sentence, or empty if the example passed. ``path`` is the
    grammar's name in messages. ``rejection`` explains why a string that should match does not.
    """

    example: Example
    path: str
    status: str
    message: str = ""
    rejection: Rejection | None = None

    @property
    def passed(self) -> bool:
        """Return whether the rule matches as the example states."""
        return self.status == PASSED


class ExampleRule(Protocol):
    """The methods of a rule that examples need."""

    def _as_input(self, text: str) -> str:
        """Return a string of characters as an input of the rule."""

    def matches(self, text: str) -> bool:
        """Return whether the rule matches a string."""

    def explain(self, text: str, *, suggest: bool = True) -> Rejection | None:
        """Return the reason why the rule does not match a string."""

    def events(self, text: str) -> list[tuple[str, int, int]]:
        """Return the parse of a string."""


def examples_of(grammar: BoundGrammar) -> Mapping[str, tuple[Example, ...]]:
    """Return the examples of a grammar by rule, in the order of the grammar.

    Raises GrammarError with all errors in the directives of examples.
    """
    if not grammar.annotations:
        return {}
    source = Source(grammar.source.text, grammar.source.name)
    examples, errors = read_examples(source, grammar.annotations, grammar.rules, grammar.alphabet)
    if errors:
        raise GrammarError.combine(errors)
    by_rule: dict[str, list[Example]] = {}
    for example in examples:
        name = grammar.rules[example.rule.lower()].name
        by_rule.setdefault(name, []).append(replace(example, rule=name))
    return {name: tuple(some) for name, some in by_rule.items()}


def chosen(
    examples: Mapping[str, tuple[Example, ...]], names: Collection[str] | None = None
) -> list[Example]:
    """Return the examples of the named rules, or all examples, in the order of the grammar."""
    selected = (each for name, some in examples.items() if names is None or name in names for each in some)
    return sorted(selected, key=lambda each: (each.line, each.column))


def tried(
    rules: Mapping[str, ExampleRule], examples: Iterable[Example], path: str
) -> Iterator[ExampleResult]:
    """Yield the result of each example.

    Cost: a verdict for each example, and an explanation for each failed example. The grammar's budget limits
    each of these operations.
    """
    for example in examples:
        rule = rules[example.rule]
        try:
            text = rule._as_input(example.text)
            if rule.matches(text) is example.valid:
                yield ExampleResult(example, path, PASSED)
                continue
            rejection = rule.explain(text, suggest=False) if example.valid else None
            problem = _rejected(example, rejection) if rejection is not None else _matched(example, rule)
            yield ExampleResult(example, path, FAILED, problem, rejection)
        except GrammarError as error:
            problem = f"{_quoted(example)} was not validated: {error.message}"
            yield ExampleResult(example, path, UNDECIDED, problem)


def _rejected(example: Example, rejection: Rejection) -> str:
    place = f"offset {rejection.offset}"
    return f"{example.rule} does not match {_quoted(example)}: {rejection.message} ({place})"


def _matched(example: Example, rule: ExampleRule) -> str:
    """Describe the top of the tree of a string that should not match."""
    parts: list[str] = []
    more = False
    end = 0
    for name, start, stop in rule.events(rule._as_input(example.text))[1:]:
        if start < end:
            continue  # a nested part
        more = len(parts) == SHOWN_PARTS
        if more:
            break
        end = max(end, stop)
        parts.append(f"{name} {_short(example.text[start:stop])}")
    parse = f": {', '.join(parts)}{', ...' if more else ''}" if parts else ""
    return f"{example.rule} matches {_quoted(example)}{parse}"


def _quoted(example: Example) -> str:
    return _short(example.text)


def _short(text: str) -> str:
    cut = text[:SHOWN_CHARACTERS]
    return f'"{escape(cut)}{"..." if len(cut) < len(text) else ""}"'


def label(example: Example) -> str:
    """Describe an example briefly: ``port: no-match "80x"``."""
    return label_of(example.rule, example.valid, example.text)


def label_of(rule: str, valid: bool | None, text: str) -> str:
    """Return the label of an example from its parts."""
    return f"{rule}: {MATCH if valid else NO_MATCH} {_short(text)}"


def count(examples: Iterable[Example]) -> tuple[int, int]:
    """Return the number of examples that should match and the number of those that should not."""
    words = [example.directive for example in examples]
    return words.count(MATCH), len(words) - words.count(MATCH)
