"""Check that steps are a derivation: replay them, and compare each with the source of the rule.

This module is independent of the core form and of every parser: sets of positions match a definition against
a sequence of symbols (rules and characters).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abnforge.grammar import syntax

# A tuple with the lower-case name of a rule, or a character.
Symbols = Sequence[Any]


def check(grammar: Any, start: str, text: str, steps: Sequence[Any], order: str) -> None:
    """Check that the steps lead from the rule to the string.

    Each step applies a production of the grammar to the first (or last) rule in the form.
    """
    form: list[Any] = [(start.lower(),)]
    for step in steps:
        assert symbols(step.form, text) == form
        rules = [index for index, each in enumerate(form) if isinstance(each, tuple)]
        index = rules[0] if order == "leftmost" else rules[-1]
        assert form[index] == (step.replaced.rule.lower(),)
        by = symbols(step.by, text)
        assert is_production(grammar, step.replaced.rule, by), (step.replaced.rule, by)
        form[index : index + 1] = by
        assert symbols(step.result, text) == form
    assert "".join(form) == text  # fails if a rule remains


def symbols(form: Sequence[Any], text: str) -> list[Any]:
    results: list[Any] = []
    for each in form:
        results += text[each.start : each.end] if each.rule is None else [(each.rule.lower(),)]
    return results


def is_production(grammar: Any, name: str, by: Symbols) -> bool:
    """Return whether the definition of a rule matches a sequence of symbols."""
    elements = grammar.compilation.bound.rules[name.lower()].elements
    return len(by) in _alternation(elements, by, {0})


def _alternation(alternation: syntax.Alternation, by: Symbols, places: set[int]) -> set[int]:
    result: set[int] = set()
    for alternative in alternation.alternatives:
        here = places
        for item in alternative.items:
            here = _repetition(item, by, here)
        result |= here
    return result


def _repetition(item: syntax.Repetition, by: Symbols, places: set[int]) -> set[int]:
    assert not item.listed
    result, here, count = set(places) if item.min == 0 else set(), places, 0
    while here and (item.max is None or count < item.max) and count <= item.min + len(by):
        here = _element(item.element, by, here)
        count += 1
        if count >= item.min:
            result |= here
    return result


def _element(element: syntax.Element, by: Symbols, places: set[int]) -> set[int]:
    match element:
        case syntax.Group(alternation=alternation):
            return _alternation(alternation, by, places)
        case syntax.Option(alternation=alternation):
            return places | _alternation(alternation, by, places)
        case syntax.RuleName(name=name):
            return {place + 1 for place in places if by[place : place + 1] == [(name.lower(),)]}
        case syntax.CharVal(value=value, prefix=prefix):
            return {place + len(value) for place in places if _is(by, place, value, prefix != "%s")}
        case syntax.NumVal(values=(low, high), is_range=True):
            return {
                p + 1 for p in places if p < len(by) and isinstance(by[p], str) and low <= ord(by[p]) <= high
            }
        case syntax.NumVal(values=values):
            result = "".join(map(chr, values))
            return {place + len(result) for place in places if _is(by, place, result, False)}
    return set()


def _is(by: Symbols, place: int, said: str, any_case: bool) -> bool:
    part = by[place : place + len(said)]
    if len(part) < len(said) or not all(isinstance(each, str) for each in part):
        return False
    read = "".join(part)
    return read == said or (any_case and read.isascii() and read.lower() == said.lower())
