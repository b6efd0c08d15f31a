"""Definitions put together in memory: what the mistakes that are derived have as bodies."""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.charset import CharSet
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    NumVal,
    Repetition,
    Rule,
    RuleName,
)

EMPTY = Repetition(CharVal(""))


def one(element: Element) -> Repetition:
    """An element, once."""
    return Repetition(element)


def some(element: Element, low: int = 0, high: int | None = None) -> Repetition:
    """An element, any number of times, or ``low`` to ``high`` times."""
    return Repetition(element, low, high)


def name(rule: str) -> Repetition:
    """A rule, once."""
    return Repetition(RuleName(rule))


def text(value: str) -> Repetition:
    """A string, character for character; what has no letters is the same in any case."""
    return Repetition(literal(value))


def literal(value: str) -> Element:
    """The terminal of a string."""
    if all(" " <= char <= "~" and char != '"' for char in value):
        return CharVal(value, "%s" if value.lower() != value.upper() else "")
    return NumVal("x", tuple(map(ord, value)))


def chars(charset: CharSet) -> Element:
    """One character of a set that is not empty."""
    values = [
        NumVal("x", (low,) if low == high else (low, high), is_range=low != high)
        for low, high in charset.ranges
    ]
    return values[0] if len(values) == 1 else choice(*([one(value)] for value in values))


def choice(*alternatives: Iterable[Repetition]) -> Element:
    """A choice in parentheses."""
    return Group(body(*alternatives))


def body(*alternatives: Iterable[Repetition]) -> Alternation:
    """A definition: a choice of sequences."""
    return Alternation(tuple(Concatenation(tuple(items)) for items in alternatives))


def rule(code: str, *alternatives: Iterable[Repetition]) -> Rule:
    """A rule of some alternatives."""
    return Rule(code, body(*alternatives))


def as_alternatives(element: Element) -> Alternation:
    """An element as a definition of its own."""
    return element.alternation if isinstance(element, Group) else body([one(element)])
