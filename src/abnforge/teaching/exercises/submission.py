"""Load an answer as a rule. Its text is a student's, so it reads no file and has a budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from abnforge._arguments import instance_argument
from abnforge.budget import Budget
from abnforge.catalog import ArgumentError, Message
from abnforge.comparison.rules import compare, quoted
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar.annotations import import_directives
from abnforge.grammar.printer import print_rule
from abnforge.grammar.reader import read, read_partial
from abnforge.grammar.shipped import bundled_names
from abnforge.grammar.syntax import Alternation, Element, Group, Option, RuleDefinition, RuleName
from abnforge.teaching.exercises.exercise import Exercise
from abnforge.teaching.messages import message

MOST = 100_000
"""Characters of an answer that are read. The longest reference has some hundreds."""

MOST_INLINED = 4
"""Levels of rules within rules that are inlined: a definition can double with each."""


def answered(exercise: Exercise, text: str, budget: Budget | None = None) -> Rule:
    """Return the rule that an answer to an exercise defines. Nothing is read from disk for it, nor kept
    there: it can import the exercise's imports alone. Raises GrammarError for an answer that does not load,
    or does not define that rule.
    """
    return _defined(exercise, text, budget, "answer", exercise.imports)


def _defined(
    exercise: Exercise, text: str, budget: Budget | None, name: str, allowed: Collection[str]
) -> Rule:
    if len(text) > MOST:
        raise GrammarError(
            message("answer-too-long", part=name, length=len(text), limit=MOST), code="file-too-large"
        )
    text = text if text.endswith("\n") else f"{text}\n"
    rulelist, _ = read_partial(text, name)
    for wish in import_directives(rulelist):
        if wish.grammar not in allowed:
            raise GrammarError(
                _import_message(name, wish.grammar, allowed),
                code="import-directive",
                source=wish.source,
                span=wish.span,
            )
    grammar = loads(text, name=name, imports=exercise.imports, budget=budget, cache=False)
    own = {rule.name.lower() for rule in rulelist.rules}
    if exercise.rule.lower() not in own:
        names = tuple([rule.name for rule in grammar.own_rules])
        raise GrammarError(
            message("rule-missing", rule=exercise.rule, part=name, names=names)
            if names
            else message("rules-missing", rule=exercise.rule, part=name),
            code="undefined-rule",
            path=name,
        )
    rule = grammar[exercise.rule]
    grammar.compilation.refuse_prose(rule.key)
    return rule


def _import_message(part: str, grammar: str, allowed: Collection[str]) -> Message:
    if part != "answer":
        return message("import-not-bundled", part=part, grammar=grammar)
    if allowed:
        return message("answer-import", grammar=grammar, allowed=tuple(allowed))
    return message("answer-import-any", grammar=grammar)


@lru_cache(maxsize=100)
def reference(exercise: Exercise) -> Rule:
    """Return the rule that the exercise requires. Raises GrammarError."""
    return _defined(exercise, exercise.reference, None, "reference", bundled_names())


@lru_cache(maxsize=100)
def inlined_reference(exercise: Exercise) -> Rule:
    """Return the reference with its other rules inlined, so that reasons name none of them: students see
    neither those rules nor their names. Rules that use themselves, and the deepest ones, stay. Raises
    GrammarError.
    """
    rules: dict[str, Alternation] = {}
    for each in read(exercise.reference).rules:
        key = each.name.lower()
        before = rules[key].alternatives if each.incremental else ()
        rules[key] = Alternation((*before, *each.elements.alternatives))
    left = {exercise.rule.lower()}
    text, done = "", set[str]()
    while rest := left - done:
        done |= rest
        for key in sorted(rest):
            name = exercise.rule if key == exercise.rule.lower() else key
            text += print_rule(RuleDefinition(name, _inlined(rules[key], rules, (key,), left))) + "\n"
        if len(text) > MOST:
            return reference(exercise)
    lines = [line for line in exercise.reference.splitlines() if line.startswith(";@ import")]
    return _defined(exercise, "\n".join([*lines, text]), None, "reference", bundled_names())


@lru_cache(maxsize=500)
def misconceived(exercise: Exercise, number: int) -> Rule:
    """Return the rule of a misconception. Raises GrammarError."""
    name = f"misconception {number + 1}"
    return _defined(exercise, exercise.misconceptions[number].abnf, None, name, bundled_names())


def _inlined(
    elements: Alternation, rules: Mapping[str, Alternation], inside: tuple[str, ...], left: set[str]
) -> Alternation:
    """A definition with those that it names in place; ``left`` gets the names that stay."""

    def of(element: Element) -> Element:
        match element:
            case RuleName(name=name) if name.lower() in rules:
                key = name.lower()
                if key in inside or len(inside) > MOST_INLINED:
                    left.add(key)
                    return element
                return Group(_inlined(rules[key], rules, (*inside, key), left))
            case Group(alternation=inner) | Option(alternation=inner):
                return replace(element, alternation=_inlined(inner, rules, inside, left))
        return element

    return Alternation(
        tuple(
            replace(
                each, comments=(), items=tuple(replace(item, element=of(item.element)) for item in each.items)
            )
            for each in elements.alternatives
        )
    )


def verify(exercise: Exercise) -> None:
    """Check the grammars of an exercise, and its strings.

    Raises ArgumentError, which names the exercise, for a reference that does not load or contradicts a string
    of the exercise, and for a misconception that does not load or is right. Cost: a comparison for each
    misconception.
    """
    instance_argument(exercise, "exercise", Exercise, "an Exercise, as exercises() gives them")
    id = exercise.id
    try:
        required = reference(exercise)
    except UnknownNameError as error:  # no such grammar to import
        raise ArgumentError(message("exercise-import", id=id, error=error.message)) from None
    except GrammarError as error:
        raise ArgumentError(message("exercise-reference", id=id, error=error.message)) from None
    for text in (*exercise.valid, *exercise.invalid):
        valid = text in exercise.valid
        if required.matches(text) is not valid:
            code = "reference-rejects" if valid else "reference-accepts"
            raise ArgumentError(message(code, id=id, string=quoted(text)))
    for number in range(len(exercise.misconceptions)):
        try:
            found = compare(required, misconceived(exercise, number))
        except GrammarError as error:
            code = "misconception-broken"
            raise ArgumentError(message(code, id=id, number=number + 1, error=error.message)) from None
        if found.only_left is None and found.only_right is None:
            raise ArgumentError(message("misconception-right", id=id, number=number + 1))
